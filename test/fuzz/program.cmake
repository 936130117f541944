# What some fuzz targets read is read by the program, not by the library.
function(carom_add_program_sources target name)
  if(NOT name STREQUAL message)
    return()
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/cli)
  target_sources(${target} PRIVATE ${folder}/live/command.c ${folder}/words.c)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
