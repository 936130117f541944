# What the extension links, in CAROM_PYTHON_LINK: the static archives, so that it stands alone and what
# it brings meets no other copy in the process; or the shared libraries, where an archive is missing.
#
# Distributions compile archives for executables. All that keeps them out of a shared object are the
# standard streams, data of the C library whose place is not known before: copies of the archives name
# them anew, and streams.c defines these names.
option(CAROM_PYTHON_STATIC "Link the Python extension to static archives, where they are there" ON)
set(CAROM_PYTHON_LINK ${CAROM_LINK} AMD::AMD PkgConfig::CAROM_QHULL PkgConfig::CAROM_HDF5
  PkgConfig::CAROM_JANSSON EXPAT::EXPAT ZLIB::ZLIB PNG::PNG)
if(NOT CAROM_PYTHON_STATIC OR NOT CMAKE_OBJCOPY OR APPLE)
  return()
endif()

set(renames)
foreach(stream stdin stdout stderr)
  list(APPEND renames --redefine-sym ${stream}=carom_${stream})
endforeach()
set(archives)
foreach(names "hdf5;hdf5_serial" jansson expat png qhullstatic_r amd suitesparseconfig sz aec z)
  list(GET names 0 name)
  list(TRANSFORM names REPLACE "^(.+)$" "lib\\1.a")
  find_library(CAROM_ARCHIVE_${name} NAMES ${names} HINTS ${CAROM_HDF5_LIBRARY_DIRS})
  mark_as_advanced(CAROM_ARCHIVE_${name})
  if(CAROM_ARCHIVE_${name})
    set(archive ${CMAKE_CURRENT_BINARY_DIR}/lib${name}.a)
    execute_process(COMMAND ${CMAKE_OBJCOPY} ${renames} ${CAROM_ARCHIVE_${name}} ${archive}
      COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND archives ${archive})
  else()
    message(STATUS "carom: lib${name}.a is missing: the Python extension links shared libraries")
    return()
  endif()
endforeach()
target_sources(carom_python PRIVATE streams.c)
# Their licences ask to be named where they are; of Debian's packages the files say them.
foreach(package libhdf5-dev libaec-dev libjansson-dev libexpat1-dev libpng-dev libqhull-dev
        libsuitesparse-dev zlib1g-dev)
  install(FILES /usr/share/doc/${package}/copyright DESTINATION licenses RENAME ${package}.txt
    COMPONENT python OPTIONAL)
endforeach()
set(CAROM_PYTHON_LINK LINKER:--start-group ${archives} LINKER:--end-group)
list(TRANSFORM CAROM_PYTHON_LINK REPLACE "^LINKER:" "-Wl,")
