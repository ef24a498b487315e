# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# For Conan 2; it takes the sources that it lies in:
#
#     conan create packaging/conan --build=missing

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"


class JtimerConan(ConanFile):
    name = "jtimer"
    description = "java.util.Timer for C++, and the timers of Netty, brpc, Go and Tokio"
    license = "BSL-1.0"
    topics = ("timer", "scheduler", "timeout")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]

    @property
    def _top(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._top, "include", "jtimer", "version.hpp"))
        numbers = re.findall(r"#define JTIMER_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
        self.version = ".".join(numbers)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "build-aux/*", "include/*", "lib/*"):
            copy(self, pattern, src=self._top, dst=self.export_sources_folder)

    def requirements(self):
        self.requires("boost/[>=1.74 <2]")

    def validate(self):
        check_min_cppstd(self, 17)
        if self.settings.os == "Windows":
            raise ConanInvalidConfiguration("jtimer needs POSIX threads")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["JTIMER_INSTALL"] = True
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        # Conan writes these for its users.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        self.cpp_info.libs = ["jtimer"]
        self.cpp_info.set_property("cmake_target_name", "jtimer::jtimer")
        self.cpp_info.set_property("pkg_config_name", "jtimer")
        self.cpp_info.requires = ["boost::thread", "boost::chrono"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
