#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# packaging/, as far as that can be checked without network, root and package managers: `make
# check-deb` builds and installs the Debian packages. What vcpkg and Conan would do, stand-ins do.
set -u

. test/support/install.sh
: "${PYTHON:=python3}"

# --- Debian ---------------------------------------------------------------------------------------

debian=packaging/debian

the_first_entry_of_the_debian_changelog_is_of_this_version() {
    sed -n '1s/^jtimer (\(.*\)-[0-9]*) .*/\1/p' $debian/changelog | grep -Fx "$version"
}

the_debian_packages_are_named_after_the_soname() {
    for library in libjtimer libjtimer-cluster; do
        grep -Fx "Package: $library$soversion" $debian/control &&
            test -f "$debian/$library$soversion.install" || return 1
    done
}

the_symbols_files_list_the_exported_names() {
    packaging/deb-symbols "$debian/libjtimer$soversion.symbols" |
        diff "$debian/libjtimer$soversion.symbols" - ||
        { echo 'make exports writes it anew' && return 1; }
    packaging/deb-symbols "$debian/libjtimer-cluster$soversion.symbols" cluster |
        diff "$debian/libjtimer-cluster$soversion.symbols" - ||
        { echo 'make exports-cluster writes it anew' && return 1; }
}

symbols() { sh "$tmp/symbols/packaging/deb-symbols" "$tmp/symbols/old"; }

a_new_symbol_has_the_version_in_which_it_came() {
    mkdir -p "$tmp/symbols/packaging" "$tmp/symbols/include/jtimer" &&
        cp -R build-aux packaging "$tmp/symbols" &&
        sed 's/\(JTIMER_VERSION_PATCH\) .*/\1 9/' include/jtimer/version.hpp \
            >"$tmp/symbols/include/jtimer/version.hpp" &&
        cp "$debian/libjtimer$soversion.symbols" "$tmp/symbols/old" &&
        echo 'jtimer::anew(unsigned long)' >>"$tmp/symbols/build-aux/exports.txt" || return 1
    symbols >"$tmp/symbols/new" && test "$(diff "$tmp/symbols/old" "$tmp/symbols/new" | sed 1d)" = \
        ">  (arch-bits=64|c++)\"jtimer::anew(unsigned long)@Base\" $soversion.9" &&
        sed -i.bak 's/^libjtimer\S*/libjtimer.so.old/' "$tmp/symbols/old" &&
        ! symbols | grep -F "@Base\" $version"
}

# --- vcpkg ----------------------------------------------------------------------------------------

port=packaging/vcpkg/jtimer

the_vcpkg_manifest_is_of_this_version() {
    "$PYTHON" -c 'import json, sys; port = json.load(open(sys.argv[1]))
assert (port["name"], port["version-semver"]) == ("jtimer", sys.argv[2])' $port/vcpkg.json "$version"
}

# The port installs from a copy of the sources, beside which there is no build folder.
the_vcpkg_port_installs_what_find_package_finds() {
    needs cmake && mkdir -p "$tmp/vcpkg/sources" &&
        cp -R CMakeLists.txt LICENSE build-aux include lib packaging "$tmp/vcpkg/sources" || return 1
    cat >"$tmp/vcpkg/run.cmake" <<'END'
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "${ARGV}: ${status}")
  endif()
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
  run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${TOP}/build -DCMAKE_INSTALL_PREFIX=${TOP}/prefix
    -DCMAKE_CXX_FLAGS=-O0 -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 ${arg_OPTIONS})
endfunction()
function(vcpkg_cmake_install)
  run(${CMAKE_COMMAND} --build ${TOP}/build)
  run(${CMAKE_COMMAND} --install ${TOP}/build)
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
  configure_file(${arg_FILE_LIST} ${TOP}/prefix/share/jtimer/copyright COPYONLY)
endfunction()
include(${PORT}/portfile.cmake)
END
    cmake -DTOP="$tmp/vcpkg" -DPORT="$tmp/vcpkg/sources/$port" -P "$tmp/vcpkg/run.cmake" &&
        cmp LICENSE "$tmp/vcpkg/prefix/share/jtimer/copyright" &&
        test ! -e "$tmp/vcpkg/prefix/lib/cmake" &&
        cp -R packaging/conan/test_package "$tmp/vcpkg/program" &&
        cmake -S "$tmp/vcpkg/program" -B "$tmp/vcpkg/program/build" \
            -DCMAKE_PREFIX_PATH="$tmp/vcpkg/prefix" &&
        cmake --build "$tmp/vcpkg/program/build" && says_its_runs "$tmp/vcpkg/program/build/program"
}

# --- Conan ----------------------------------------------------------------------------------------

# Stands in for conan: enough of it to load the recipe, and to export.
stand_in_for_conan() {
    mkdir -p "$tmp/conan/conan/tools" && cd "$tmp/conan/conan" && cat >__init__.py <<'END'
class ConanFile:
    pass
END
    echo 'class ConanInvalidConfiguration(Exception): pass' >errors.py
    : >tools/__init__.py
    echo 'check_min_cppstd = can_run = None' >tools/build.py
    echo 'CMake = CMakeDeps = CMakeToolchain = cmake_layout = None' >tools/cmake.py
    cat >tools/files.py <<'END'
import pathlib, shutil
rmdir = None
def load(recipe, path):
    return open(path).read()
def copy(recipe, pattern, src, dst):
    for file in pathlib.Path(src).glob(pattern.replace("/*", "/**/*")):
        if file.is_file():
            to = pathlib.Path(dst) / file.relative_to(src)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, to)
END
    cd "$root" || exit 1
}

the_conan_recipe_has_this_version_and_exports_what_cmake_needs() {
    needs cmake && stand_in_for_conan && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$tmp/conan "$PYTHON" - \
        "$version" "$tmp/conan/sources" <<'END' || return 1
import runpy, sys
recipe = runpy.run_path("packaging/conan/conanfile.py")["JtimerConan"]()
recipe.recipe_folder, recipe.export_sources_folder = "packaging/conan", sys.argv[2]
recipe.set_version()
assert (recipe.name, recipe.version) == ("jtimer", sys.argv[1]), recipe.version
recipe.export_sources()
runpy.run_path("packaging/conan/test_package/conanfile.py")["JtimerTestConan"]
END
    test -f "$tmp/conan/sources/LICENSE" && diff -r lib "$tmp/conan/sources/lib" &&
        diff -r include "$tmp/conan/sources/include" && cmake -S "$tmp/conan/sources" -B "$tmp/conan/build"
}

# Its Boost targets are interfaces, which have no location.
cmake_accepts_boost_targets_without_a_location() {
    needs cmake && mkdir "$tmp/interfaces" && cat >"$tmp/interfaces/BoostConfig.cmake" <<'END' || return 1
set(Boost_FOUND TRUE)
foreach(name thread chrono)
  add_library(Boost::${name} INTERFACE IMPORTED)
  set(Boost_${name}_FOUND TRUE)
endforeach()
END
    echo 'set(PACKAGE_VERSION_COMPATIBLE TRUE)' >"$tmp/interfaces/BoostConfigVersion.cmake" &&
        cmake -S . -B "$tmp/interfaces/build" -DBoost_DIR="$tmp/interfaces" &&
        grep -x 'Libs.private: -lboost_thread -lboost_chrono -pthread' "$tmp/interfaces/build/jtimer.pc"
}

check the_first_entry_of_the_debian_changelog_is_of_this_version
check the_debian_packages_are_named_after_the_soname
check the_symbols_files_list_the_exported_names
check a_new_symbol_has_the_version_in_which_it_came
check the_vcpkg_manifest_is_of_this_version
check the_vcpkg_port_installs_what_find_package_finds
check the_conan_recipe_has_this_version_and_exports_what_cmake_needs
check cmake_accepts_boost_targets_without_a_location
sum_up
