# Libraries the project links: all permissive, all from the distribution.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(EXPAT REQUIRED)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)

# AMD (BSD-3) ships without a pkg-config file on some releases.
find_path(AMD_INCLUDE_DIR amd.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(AMD_LIBRARY amd REQUIRED)
