# What some fuzz targets read is read by the program, not by the library.
set(PROGRAM_SOURCES_message json.c live/command.c print.c words.c)
set(PROGRAM_SOURCES_state error.c files.c json.c print.c state.c)
set(PROGRAM_SOURCES_controls controls.c error.c files.c json.c options.c print.c state.c words.c)
set(PROGRAM_SOURCES_options options.c print.c words.c)

function(carom_add_program_sources target name)
  set(folder ${PROJECT_SOURCE_DIR}/cli)
  if(PROGRAM_SOURCES_${name})
    list(TRANSFORM PROGRAM_SOURCES_${name} PREPEND ${folder}/ OUTPUT_VARIABLE sources)
    target_sources(${target} PRIVATE ${sources})
    target_include_directories(${target} PRIVATE ${folder})
  endif()
endfunction()
