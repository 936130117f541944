/* `carom view`: a recording as a page, written or served; a scene simulated and served. */
#include "live/live.h"
#include "page.h"
#include "reading.h"
#include "words.h"

typedef struct view_options {
  const char *input, *output, *address, *keyframe, *state;
  double rate, dt;
  int port, scheme, friction, threads;
  bool all, quiet, open, paused;
  cli_reading reading;
} view_options;

#define FIELD(name) offsetof(view_options, name)

static const cli_option OPTIONS[] = {
    {"output", 'o', "FILE.html", CLI_TEXT, FIELD(output), CLI_ANY, NULL,
     "write the page of a recording there; else it is served"},
    {"rate", 0, "HZ", CLI_NUMBER, FIELD(rate), CLI_POSITIVE, NULL,
     "frames of the page per simulated second, at most (60)"},
    {"all", 0, NULL, CLI_FLAG, FIELD(all), CLI_ANY, NULL, "all frames of the recording"},
    {"quiet", 0, NULL, CLI_FLAG, FIELD(quiet), CLI_ANY, NULL, "do not say what was written"},
    {"port", 0, "N", CLI_COUNT, FIELD(port), CLI_ANY, NULL, "to serve at; 0: any free one (0)"},
    {"address", 0, "IP", CLI_TEXT, FIELD(address), CLI_ANY, NULL,
     "to serve at (127.0.0.1); where others can reach it,\nthe page's address holds a token"},
    {"open", 0, NULL, CLI_FLAG, FIELD(open), CLI_ANY, NULL, "open a browser"},
    {"paused", 0, NULL, CLI_FLAG, FIELD(paused), CLI_ANY, NULL, "simulate when told to"},
    {"dt", 0, "S", CLI_NUMBER, FIELD(dt), CLI_POSITIVE, NULL,
     "step, s (the scene's timestep, else 0.002)"},
    {"scheme", 0, "NAME", CLI_WORD, FIELD(scheme), CLI_ANY, CLI_SCHEMES,
     "explicit, symplectic, implicit or midpoint (midpoint, but\nimplicit where the scene has soft "
     "bodies)"},
    {"friction", 0, "LAW", CLI_WORD, FIELD(friction), CLI_ANY, CLI_FRICTIONS,
     "coulomb, convex, lagged or anchored (coulomb)"},
    {"threads", 0, "N", CLI_COUNT, FIELD(threads), CLI_ANY, NULL,
     "that work side by side on touching bodies and robots (1)"},
    {"keyframe", 0, "NAME", CLI_TEXT, FIELD(keyframe), CLI_ANY, NULL,
     "start at a keyframe of the scene"},
    {"state", 0, "FILE", CLI_TEXT, FIELD(state), CLI_ANY, NULL,
     "start at a state, as 'carom run' does"},
    CLI_READING_FLOOR(FIELD(reading)),
    CLI_READING_FIXED_BASE(FIELD(reading)),
    CLI_READING_FREE_BASE(FIELD(reading)),
    CLI_READING_FILES(FIELD(reading)),
    {NULL, 0, NULL, CLI_FLAG, 0, CLI_ANY, NULL, NULL},
};

static int run_command(int argc, char** argv);

const cli_command cli_view = {
    "view",
    "FILE",
    "Show a recording or a simulation in a browser",
    "Of a recording: one page that shows it in three dimensions, with plots beside\n"
    "(docs/viewer.md). With -o it is written to a file that opens from disk, with no network;\n"
    "else it is served until Ctrl-C. Of a recording that was cut short it shows what can be read.\n"
    "Of a scene: simulates it in real time and serves a page from which it is paused, stepped,\n"
    "reset, dragged by the mouse, and put under another gravity, step, scheme and friction law.\n"
    "Pages are served to this computer only, unless --address says otherwise.",
    OPTIONS,
    run_command,
};

static int show_scene(const view_options* o, const live_options* served) {
  live_session_def def = {.scene = o->input,
                          .keyframe = o->keyframe,
                          .state = o->state,
                          .sim = carom_sim_def_default(),
                          .is_paused = o->paused};
  int code = cli_make_load_def("view", &o->reading, &def.load);
  if (code >= 0) return code;
  def.sim.dt = o->dt;
  if (o->scheme >= 0) def.sim.scheme = (carom_scheme)o->scheme;
  def.sim.friction = (carom_friction)o->friction;
  def.sim.threads = o->threads;
  return live_show_scene(served, &def);
}

static int run_command(int argc, char** argv) {
  view_options o = {.rate = 60, .address = "127.0.0.1", .scheme = -1};
  int code = cli_parse(&cli_view, argc, argv, &o, &o.input);
  if (code >= 0) return code;
  if (o.keyframe && o.state)
    return cli_fail(EXIT_USAGE, "view: --keyframe and --state are both given");
  double rate = o.all ? 0 : o.rate;
  if (o.output) return cli_page_write(o.input, o.output, rate, o.quiet);
  live_options served = {.address = o.address, .port = o.port, .opens = o.open};
  if (cli_is_hdf5(o.input)) return live_show_recording(&served, o.input, rate);
  return show_scene(&o, &served);
}
