/* `carom view`: a recording as a page. */
#include "options.h"
#include "page.h"

typedef struct view_options {
  const char *recording, *output;
  double rate;
  bool all, quiet;
} view_options;

#define FIELD(name) offsetof(view_options, name)

static const cli_option OPTIONS[] = {
    {"output", 'o', "FILE.html", CLI_TEXT, FIELD(output), CLI_ANY, NULL, "write the page there"},
    {"rate", 0, "HZ", CLI_NUMBER, FIELD(rate), CLI_POSITIVE, NULL,
     "frames of the page per simulated second, at most (60)"},
    {"all", 0, NULL, CLI_FLAG, FIELD(all), CLI_ANY, NULL, "all frames of the recording"},
    {"quiet", 0, NULL, CLI_FLAG, FIELD(quiet), CLI_ANY, NULL, "do not say what was written"},
    {NULL, 0, NULL, CLI_FLAG, 0, CLI_ANY, NULL, NULL},
};

static int run_command(int argc, char** argv);

const cli_command cli_view = {
    "view",
    "RECORDING",
    "Show a recording in a browser",
    "Writes one page that holds the recording and shows it in three dimensions, with plots beside\n"
    "(docs/viewer.md). It opens from disk, with no network. Of a recording that was cut short it\n"
    "shows what can be read.",
    OPTIONS,
    run_command,
};

static int run_command(int argc, char** argv) {
  view_options options = {.rate = 60};
  int code = cli_parse(&cli_view, argc, argv, &options, &options.recording);
  if (code >= 0) return code;
  if (!options.output)
    return cli_fail(EXIT_USAGE, "view: --output is missing; name the page, such as -o page.html");
  return cli_page_write(options.recording, options.output, options.all ? 0 : options.rate,
                        options.quiet);
}
