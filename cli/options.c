/* Reading options by table, and printing their help. */
#include "options.h"

#include "words.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Values -------------------------------------------------------------------------------------
 */

static int refuse(const cli_command* command, const cli_option* option, const char* value,
                  const char* rule) {
  return cli_fail(EXIT_USAGE, "%s: --%s is '%s', must be %s", command->name, option->name, value,
                  rule);
}

static int read_number(const cli_command* command, const cli_option* option, const char* value,
                       double* number) {
  double x;
  if (!cli_read_number(value, &x)) return refuse(command, option, value, "a number");
  if (option->rule == CLI_POSITIVE && !(x > 0)) return refuse(command, option, value, "positive");
  if (option->rule == CLI_NOT_NEGATIVE && !(x >= 0))
    return refuse(command, option, value, "0 or more");
  *number = x;
  return -1;
}

static int read_count(const cli_command* command, const cli_option* option, const char* value,
                      int* count) {
  double x;
  if (!cli_read_number(value, &x) || x != floor(x) || x < 0 || x > INT_MAX)
    return refuse(command, option, value, "a whole number, 0 or more");
  *count = (int)x;
  return -1;
}

void cli_join_words(const char* const* words, char* text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; words[i] && used < size; i++) {
    const char* joint = i == 0 ? "" : words[i + 1] ? ", " : " or ";
    used += (size_t)snprintf(text + used, size - used, "%s%s", joint, words[i]);
  }
}

static int read_word(const cli_command* command, const cli_option* option, const char* value,
                     int* index) {
  int found = cli_find_word(option->words, value);
  if (found >= 0) {
    *index = found;
    return -1;
  }
  char words[160];
  cli_join_words(option->words, words, sizeof words);
  return refuse(command, option, value, words);
}

static int add_text(const cli_command* command, const cli_option* option, const char* value,
                    cli_texts* texts) {
  if (texts->count == CLI_MOST_TEXTS)
    return cli_fail(EXIT_USAGE, "%s: --%s is given more than %d times", command->name, option->name,
                    CLI_MOST_TEXTS);
  texts->text[texts->count++] = value;
  return -1;
}

static int store(const cli_command* command, const cli_option* option, const char* value,
                 void* options) {
  void* field = (char*)options + option->offset;
  switch (option->kind) {
  case CLI_FLAG:
    *(bool*)field = true;
    return -1;
  case CLI_TEXT:
    *(const char**)field = value;
    return *value ? -1 : refuse(command, option, value, "not empty");
  case CLI_NUMBER:
    return read_number(command, option, value, field);
  case CLI_COUNT:
    return read_count(command, option, value, field);
  case CLI_WORD:
    return read_word(command, option, value, field);
  case CLI_TEXTS:
    return add_text(command, option, value, field);
  }
  return EXIT_USAGE;
}

/* --- Arguments ----------------------------------------------------------------------------------
 */

/* The option that an argument names, "--name", "--name=value" or "-x", "-xvalue"; `*value` is the
 * value that is joined to it, or null. */
static const cli_option* find_option(const cli_command* command, const char* argument,
                                     const char** value) {
  *value = NULL;
  if (argument[1] != '-') {
    for (const cli_option* o = command->options; o->name; o++) {
      if (o->letter != argument[1] || !o->letter) continue;
      if (argument[2]) *value = argument + 2;
      return o;
    }
    return NULL;
  }
  size_t length = strcspn(argument + 2, "=");
  for (const cli_option* o = command->options; o->name; o++) {
    if (strlen(o->name) != length || strncmp(o->name, argument + 2, length) != 0) continue;
    if (argument[2 + length]) *value = argument + 3 + length;
    return o;
  }
  return NULL;
}

static int unknown(const cli_command* command, const char* argument) {
  int length = (int)strcspn(argument, "=");
  return cli_fail(EXIT_USAGE, "%s: unknown option %.*s; 'carom help %s' lists the options",
                  command->name, length, argument, command->name);
}

/* Reads one option and its value; `*at` moves past them. */
static int parse_option(const cli_command* command, int argc, char** argv, int* at, void* options) {
  const char *value, *argument = argv[(*at)++];
  const cli_option* option = find_option(command, argument, &value);
  if (!option) return unknown(command, argument);
  if (option->kind == CLI_FLAG && value)
    return cli_fail(EXIT_USAGE, "%s: --%s takes no value", command->name, option->name);
  if (option->kind != CLI_FLAG && !value) {
    if (*at >= argc)
      return cli_fail(EXIT_USAGE, "%s: --%s needs a value, %s", command->name, option->name,
                      option->value);
    value = argv[(*at)++];
  }
  return store(command, option, value, options);
}

int cli_parse_many(const cli_command* command, int argc, char** argv, void* options,
                   const char** positional, int* count) {
  bool only_positional = false;
  *count = 0;
  for (int at = 1; at < argc;) {
    const char* argument = argv[at];
    if (!only_positional && strcmp(argument, "--") == 0) {
      only_positional = true;
      at++;
    } else if (!only_positional && (!strcmp(argument, "--help") || !strcmp(argument, "-h"))) {
      cli_print_help(command);
      return cli_finish_output(EXIT_FINE);
    } else if (!only_positional && argument[0] == '-' && argument[1]) {
      int code = parse_option(command, argc, argv, &at, options);
      if (code >= 0) return code;
    } else {
      positional[(*count)++] = argv[at++];
    }
  }
  if (*count > 0 || command->arguments[0] == '[') return -1;
  return cli_fail(EXIT_USAGE, "%s: %s is missing; 'carom help %s' says more", command->name,
                  command->arguments, command->name);
}

int cli_parse(const cli_command* command, int argc, char** argv, void* options,
              const char** positional) {
  int count;
  const char** all = calloc((size_t)argc + 1, sizeof *all);
  if (!all) return cli_fail(EXIT_INPUT, "out of memory");
  int code = cli_parse_many(command, argc, argv, options, all, &count);
  *positional = all[0];
  const char* second = all[1];
  free((void*)all);
  if (code >= 0 || count <= 1) return code;
  return cli_fail(EXIT_USAGE, "%s: '%s' is one argument too many", command->name, second);
}

/* --- Help ---------------------------------------------------------------------------------------
 */

enum { HELP_COLUMN = 30 };

static void print_option(const cli_option* o) {
  int width = o->letter ? printf("  -%c, ", o->letter) : printf("      ");
  width += o->value ? printf("--%s %s", o->name, o->value) : printf("--%s", o->name);
  for (const char* line = o->help; line;) {
    const char* end = strchr(line, '\n');
    int length = end ? (int)(end - line) : (int)strlen(line);
    if (width >= HELP_COLUMN) {
      printf("\n");
      width = 0;
    }
    printf("%*s%.*s\n", HELP_COLUMN - width, "", length, line);
    width = 0;
    line = end ? end + 1 : NULL;
  }
}

void cli_print_help(const cli_command* command) {
  printf("carom %s %s [OPTION...]\n\n%s.\n\n%s\n\nOptions:\n", command->name, command->arguments,
         command->summary, command->text);
  for (const cli_option* o = command->options; o->name; o++) print_option(o);
  printf("  -h, --help                  print this\n");
}
