# Libraries the project links: all permissive, all from the distribution. A new one also goes into
# carom-config.cmake.in and carom.pc.in or carom_io.pc.in, for users of the static libraries, and into
# scripts/setup.
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(EXPAT REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(AMD REQUIRED)
pkg_search_module(CAROM_HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
pkg_check_modules(CAROM_JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(CAROM_QHULL REQUIRED IMPORTED_TARGET qhull_r)

# COLLADA and glTF meshes, where it is there (BSD-3). A C++ library: it brings libstdc++ along.
option(CAROM_WITH_ASSIMP "Read COLLADA and glTF meshes, by assimp, where it is installed" ON)
if(CAROM_WITH_ASSIMP)
  pkg_check_modules(CAROM_ASSIMP IMPORTED_TARGET assimp)
endif()

# The program alone draws; the library does not need these. cairo is LGPL 2.1 or MPL 1.1.
if(CAROM_BUILD_CLI)
  pkg_check_modules(CAROM_CAIRO REQUIRED IMPORTED_TARGET cairo fontconfig)
  pkg_check_modules(CAROM_EPOXY REQUIRED IMPORTED_TARGET epoxy)
endif()
