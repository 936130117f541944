/* The program in the Python package: what needs neither cairo nor a graphics library. */
#include "binding.h"
#include "cli.h"

#include <stddef.h>
#include <stdio.h>

const cli_command* const CLI_COMMANDS[] = {&cli_run,  &cli_info,    &cli_eval,  &cli_solve,
                                           &cli_view, &cli_convert, &cli_bench, NULL};
const char* const CLI_LEFT_OUT[] = {"render", "plot", "report", NULL};

int carom_python_main(int argc, char** argv) {
  int code = cli_main(argc, argv);
  fflush(stdout); /* before what Python writes */
  return code;
}
