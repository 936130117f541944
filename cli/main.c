/* carom: the command line of the library, with all of its commands. */
#include "cli.h"

#include <stddef.h>

const cli_command* const CLI_COMMANDS[] = {&cli_run,   &cli_info,    &cli_eval,  &cli_solve,
                                           &cli_view,  &cli_render,  &cli_plot,  &cli_report,
                                           &cli_sweep, &cli_convert, &cli_bench, NULL};
const char* const CLI_LEFT_OUT[] = {NULL};

int main(int argc, char** argv) { return cli_main(argc, argv); }
