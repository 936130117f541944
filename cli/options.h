/* Options of a command as a table: what they are called, what they hold, where it goes. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli.h"
#include "common/number.h"

#include <stddef.h>

typedef enum cli_kind {
  CLI_FLAG,   /* [bool] */
  CLI_TEXT,   /* [const char*] */
  CLI_NUMBER, /* [double] finite */
  CLI_COUNT,  /* [int] 0 or more */
  CLI_WORD,   /* [int] the index of one of `words` */
  CLI_TEXTS,  /* [cli_texts] given any number of times */
} cli_kind;

enum { CLI_MOST_TEXTS = 32 };

typedef struct cli_texts {
  int count;
  const char* text[CLI_MOST_TEXTS];
} cli_texts;

/* What a number must be. */
typedef enum cli_rule { CLI_ANY, CLI_POSITIVE, CLI_NOT_NEGATIVE } cli_rule;

struct cli_option {
  const char* name;  /* without dashes; null ends the table */
  char letter;       /* 0: none */
  const char* value; /* what help calls its value; null for flags */
  cli_kind kind;
  size_t offset; /* of the field in the command's options */
  cli_rule rule;
  const char* const* words; /* ends with null */
  const char* help;         /* lines separated by newlines */
};

/* Reads the arguments of a command into its options, and what is no option into `positional`.
 * `--help` prints the help and ends the program's work.
 * @param command whose table is used
 * @param options receives the values; unset ones stay
 * @param positional [1] receives the only argument that is no option
 * @return -1 to go on, else an exit code, after a sentence */
int cli_parse(const cli_command* command, int argc, char** argv, void* options,
              const char** positional);

/* The same for a command that takes one or more arguments, or any number where the command's
 * `arguments` stand in brackets.
 * @param positional [argc] receives them
 * @param count receives how many */
int cli_parse_many(const cli_command* command, int argc, char** argv, void* options,
                   const char** positional, int* count);

/* "a, b or c" of a list of words, which ends with null. */
void cli_join_words(const char* const* words, char* text, size_t size);

/* The help of a command. */
void cli_print_help(const cli_command* command);

#endif
