/* Reads any bytes as arguments of a command, each ending with a zero or a line: the answer is
 * options within their bounds, or an exit code and a sentence. */
#include "options.h"
#include "program.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { MAX_ARGUMENTS = 64 };

typedef struct choices {
  bool flag;
  const char* text;
  double any, positive, not_negative;
  int count, word;
} choices;

static const char* const WORDS[] = {"one", "two", NULL};

static const cli_option OPTIONS[] = {
    {"flag", 'f', NULL, CLI_FLAG, offsetof(choices, flag), CLI_ANY, NULL, "A flag"},
    {"text", 't', "T", CLI_TEXT, offsetof(choices, text), CLI_ANY, NULL, "A text"},
    {"any", 'a', "X", CLI_NUMBER, offsetof(choices, any), CLI_ANY, NULL, "A number"},
    {"dt", 0, "X", CLI_NUMBER, offsetof(choices, positive), CLI_POSITIVE, NULL, "A\nnumber"},
    {"rate", 'r', "X", CLI_NUMBER, offsetof(choices, not_negative), CLI_NOT_NEGATIVE, NULL, "Else"},
    {"count", 'n', "N", CLI_COUNT, offsetof(choices, count), CLI_ANY, NULL, "A count"},
    {"word", 'w', "W", CLI_WORD, offsetof(choices, word), CLI_ANY, WORDS, "A word"},
    {0}};

static const cli_command COMMAND = {"try", "FILE", "Tries", "It tries.", OPTIONS, NULL};

static void check(const choices* c) {
  if (!isfinite(c->any) || !(c->positive > 0) || !isfinite(c->positive)) abort();
  if (!(c->not_negative >= 0) || !isfinite(c->not_negative)) abort();
  if (c->count < 0 || c->word < 0 || c->word > 1) abort();
}

/* Cuts a text that ends with a zero into arguments; returns their number. */
static int cut(char* text, size_t size, char** argv) {
  int argc = 1;
  argv[0] = text + size;
  for (size_t i = 0; i < size && argc < MAX_ARGUMENTS; i += strlen(text + i) + 1) {
    text[i + strcspn(text + i, "\n")] = '\0';
    argv[argc++] = text + i;
  }
  return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char* text = malloc(size + 1);
  char* argv[MAX_ARGUMENTS + 1] = {0};
  choices c = {.positive = 1};
  const char* file = NULL;
  if (!text) abort();
  memcpy(text, data, size);
  text[size] = '\0';
  fuzz_sentence[0] = '\0';
  if (size < 1 << 16 && !strstr(text, "--help") && !strstr(text, "-h")) {
    int code = cli_parse(&COMMAND, cut(text, size, argv), argv, &c, &file);
    if ((code >= 0) != (fuzz_sentence[0] != '\0') || (code < 0 && !file)) abort();
    if (code < 0 && c.text && !c.text[0]) abort();
    check(&c);
  }
  free(text);
  return 0;
}
