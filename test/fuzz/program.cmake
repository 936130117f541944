# What some fuzz targets read is read by the program, not by the library.
set(PROGRAM_SOURCES_message cli/json.c cli/live/command.c cli/words.c apps/common/print.c)
set(PROGRAM_SOURCES_request cli/live/http.c cli/live/socket.c)
set(PROGRAM_SOURCES_state cli/json.c cli/state.c apps/common/error.c apps/common/files.c
  apps/common/print.c)
set(PROGRAM_SOURCES_controls cli/controls.c cli/options.c cli/words.c apps/common/number.c
  ${PROGRAM_SOURCES_state})
set(PROGRAM_SOURCES_options cli/options.c cli/words.c apps/common/number.c apps/common/print.c)

function(carom_add_program_sources target name)
  if(PROGRAM_SOURCES_${name})
    list(TRANSFORM PROGRAM_SOURCES_${name} PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
    target_sources(${target} PRIVATE ${sources})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cli ${PROJECT_SOURCE_DIR}/apps)
  endif()
endfunction()
