/* The program: finds the command and runs it. */
#include "cli.h"
#include "options.h"

#include "carom/model.h"
#include "carom/scene.h"
#include "carom/version.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- Sentences ----------------------------------------------------------------------------------
 */

int cli_fail(int exit_code, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  cli_warn_list(format, arguments);
  va_end(arguments);
  return exit_code;
}

int cli_fail_with(const carom_error* error) {
  int code = error->status == CAROM_ERROR_NUMERICAL ? EXIT_NUMERICAL : EXIT_INPUT;
  return cli_fail(code, "%s", error->message);
}

int cli_finish_output(int exit_code) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return exit_code;
  return cli_fail(EXIT_INPUT, "standard output cannot be written: %s", strerror(errno));
}

/* --- Commands -----------------------------------------------------------------------------------
 */

static const cli_command* find_command(const char* name) {
  for (int i = 0; CLI_COMMANDS[i]; i++)
    if (strcmp(CLI_COMMANDS[i]->name, name) == 0) return CLI_COMMANDS[i];
  return NULL;
}

static int unknown_command(const char* name) {
  for (int i = 0; CLI_LEFT_OUT[i]; i++)
    if (strcmp(CLI_LEFT_OUT[i], name) == 0)
      return cli_fail(EXIT_USAGE,
                      "'%s' is a command of the program that CMake builds, not of the "
                      "Python package",
                      name);
  return cli_fail(EXIT_USAGE, "there is no command '%s'; 'carom help' lists them", name);
}

static void print_usage(FILE* stream) {
  fprintf(stream, "carom COMMAND [ARGUMENT...]\n\n"
                  "Dynamics of rigid and articulated bodies in frictional contact.\n\n");
  for (int i = 0; CLI_COMMANDS[i]; i++) {
    int width = fprintf(stream, "  %s %s", CLI_COMMANDS[i]->name, CLI_COMMANDS[i]->arguments);
    fprintf(stream, "%*s%s\n", 22 - width, "", CLI_COMMANDS[i]->summary);
  }
  fprintf(stream,
          "  help [COMMAND]      Print this, or the help of a command\n"
          "  --version           Print the version and the formats of meshes\n\n"
          "Exit codes: 0 success, 1 usage, 2 bad input, 3 numerical failure, 130 Ctrl-C.\n");
}

static int help(int argc, char** argv) {
  if (argc > 2) return cli_fail(EXIT_USAGE, "help: '%s' is one argument too many", argv[2]);
  if (argc < 2) {
    print_usage(stdout);
    return cli_finish_output(EXIT_FINE);
  }
  const cli_command* command = find_command(argv[1]);
  if (!command) return unknown_command(argv[1]);
  cli_print_help(command);
  return cli_finish_output(EXIT_FINE);
}

/* A file larger than the system allows is a failed write, like one on a full disk; its sentence
 * comes from whoever writes. A handler, unlike ignoring, is not left to programs that are started.
 */
static void go_on(int number) { (void)number; }

static void keep_from_dying(void) {
  struct sigaction action = {.sa_handler = go_on, .sa_flags = SA_RESTART};
  sigaction(SIGXFSZ, &action, NULL);
}

int cli_main(int argc, char** argv) {
  keep_from_dying();
  if (argc < 2) {
    print_usage(stderr);
    return EXIT_USAGE;
  }
  const char* name = argv[1];
  if (strcmp(name, "--version") == 0) {
    printf("carom %s\nmeshes: %s\n", carom_version(), carom_mesh_formats());
    return cli_finish_output(EXIT_FINE);
  }
  if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
    return help(argc - 1, argv + 1);
  const cli_command* command = find_command(name);
  return command ? command->run(argc - 1, argv + 1) : unknown_command(name);
}
