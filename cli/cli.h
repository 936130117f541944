/* What the commands of the program share: exit codes, sentences on stderr, the table of commands.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "common/print.h"

#include "carom/status.h"

#include <stdbool.h>

/* Exit codes (promises; see carom(1)). */
enum {
  EXIT_FINE = 0,
  EXIT_USAGE = 1,
  EXIT_INPUT = 2,     /* bad input, or a file that cannot be read or written */
  EXIT_NUMERICAL = 3, /* a run that stopped early, a problem that was not solved */
  EXIT_INTERRUPTED = 130,
};

typedef struct cli_option cli_option;

/* A command: what help prints of it, and what runs it. */
typedef struct cli_command {
  const char* name;
  const char* arguments; /* positional, as help shows them */
  const char* summary;   /* one line */
  const char* text;      /* paragraphs for help */
  const cli_option* options;
  int (*run)(int argc, char** argv); /* argv[0] is the command's name; returns the exit code */
} cli_command;

extern const cli_command cli_run, cli_info, cli_eval, cli_solve, cli_view, cli_render, cli_plot,
    cli_report, cli_convert, cli_sweep, cli_bench;

/* The commands of this build, and the names of those that it leaves out; both end with null. */
extern const cli_command* const CLI_COMMANDS[];
extern const char* const CLI_LEFT_OUT[];

/* The program; returns the exit code. */
int cli_main(int argc, char** argv);

/* Says a sentence as cli_warn does; returns the exit code given. */
__attribute__((format(printf, 2, 3))) int cli_fail(int exit_code, const char* format, ...);

/* Prints the library's sentence; returns the exit code of its status. */
int cli_fail_with(const carom_error* error);

/* Writes out what is buffered on stdout; an exit code of its own when that fails. */
int cli_finish_output(int exit_code);

#endif
