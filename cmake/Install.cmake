# Headers, libraries, the exported targets carom::carom, carom::carom_io and their static twins,
# carom.pc and carom_io.pc, the command line and its manual pages.
if(NOT CAROM_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)

set(CAROM_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
set(CAROM_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(DIRECTORY include/carom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET carom_cli)
  install(TARGETS carom_cli)
endif()
file(GLOB CAROM_MAN_PAGES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.1)
if(CAROM_MAN_PAGES)
  install(FILES ${CAROM_MAN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

# Two export sets: the static library drags its dependencies into the user's project, the shared
# one does not.
foreach(kind shared static)
  install(TARGETS carom_${kind} carom_io_${kind} EXPORT carom-${kind})
  install(EXPORT carom-${kind} NAMESPACE carom:: DESTINATION ${CAROM_CONFIG_DIR}
    FILE carom-${kind}-targets.cmake)
endforeach()
set(CAROM_CONFIG_ASSIMP OFF)
if(CAROM_ASSIMP_FOUND)
  set(CAROM_CONFIG_ASSIMP ON)
endif()
configure_package_config_file(cmake/carom-config.cmake.in ${PROJECT_BINARY_DIR}/carom-config.cmake
  INSTALL_DESTINATION ${CAROM_CONFIG_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/carom-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/carom-config.cmake
              ${PROJECT_BINARY_DIR}/carom-config-version.cmake cmake/FindAMD.cmake
  DESTINATION ${CAROM_CONFIG_DIR})

# Paths in the .pc files are relative to them, so that an installed tree can be moved.
file(RELATIVE_PATH CAROM_PC_PREFIX /prefix/${CAROM_PC_DIR} /prefix)
if(CAROM_ASSIMP_FOUND)
  set(CAROM_PC_ASSIMP " assimp")
endif()
foreach(name carom carom_io)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CAROM_PC_DIR})
endforeach()
