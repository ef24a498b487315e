# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# An overlay port, which takes the sources that it lies in:
#
#     vcpkg install jtimer --overlay-ports=packaging/vcpkg

get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

# There is no Windows, where debug builds need libraries of their own.
set(VCPKG_BUILD_TYPE release)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DJTIMER_INSTALL=ON -DJTIMER_CMAKEDIR=share/jtimer)
vcpkg_cmake_install()
vcpkg_fixup_pkgconfig()
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
