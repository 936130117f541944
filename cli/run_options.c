/* The options of `carom run`, and what they mean to the simulation. */
#include "run.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

static const char* const FORCES[] = {"found", "least", NULL};
static const char* const PATCHES[] = {"corners", "area", "auto", NULL};
static const char* const TIMINGS[] = {"implicit", "scheme", NULL};
static const char* const FAILURES[] = {"stop", "continue", NULL};
static const char* const SOFT_SOLVERS[] = {"auto", "direct", "iterative", NULL};

#define FIELD(name) offsetof(run_options, name)

static const cli_option OPTIONS[] = {
    {"output", 'o', "FILE.h5", CLI_TEXT, FIELD(output), CLI_ANY, NULL,
     "record into an HDF5 file (docs/recording.md)"},
    {"html", 0, "FILE.html", CLI_TEXT, FIELD(html), CLI_ANY, NULL,
     "write a page that shows the run in a browser\n(docs/viewer.md)"},
    {"csv", 0, "FILE.csv", CLI_TEXT, FIELD(csv), CLI_ANY, NULL,
     "write a table: a header row, time first"},
    {"rate", 0, "HZ", CLI_NUMBER, FIELD(rate), CLI_POSITIVE, NULL,
     "frames of the recording and rows of the table per\nsimulated second (every step)"},
    {"reactions", 0, NULL, CLI_FLAG, FIELD(reactions), CLI_ANY, NULL,
     "recording and table hold what passes through joints"},
    {"mechanism", 0, "M", CLI_NUMBER, FIELD(mechanism), CLI_POSITIVE, NULL,
     "say which joints of blocks have opened, hinged or\nslid by more than M, m"},
    {"duration", 0, "S", CLI_NUMBER, FIELD(duration), CLI_NOT_NEGATIVE, NULL,
     "simulated time, s (10)"},
    {"dt", 0, "S", CLI_NUMBER, FIELD(dt), CLI_POSITIVE, NULL,
     "step, s (the scene's timestep, else 0.002)"},
    {"scheme", 0, "NAME", CLI_TEXT, FIELD(scheme), CLI_ANY, NULL,
     "explicit, symplectic, implicit, midpoint, or three\nnumbers Q,V,VQ of the theta-method "
     "(midpoint;\nimplicit where there are soft bodies)"},
    {"contact", 0, "WHEN", CLI_WORD, FIELD(contact), CLI_ANY, TIMINGS,
     "contacts count at the end of the step: implicit, or\nas the scheme says: scheme (implicit)"},
    {"relinearise", 0, "N", CLI_COUNT, FIELD(relinearise), CLI_ANY, NULL,
     "times a step is linearised anew at its solution (0);\n1 restores order 2 with constraints"},
    {"friction", 0, "LAW", CLI_WORD, FIELD(friction), CLI_ANY, CLI_FRICTIONS,
     "coulomb, convex, lagged or anchored (coulomb)"},
    {"patches", 0, "WHAT", CLI_WORD, FIELD(patches), CLI_ANY, PATCHES,
     "faces touch over their area, which brakes a spin as it\nshould, or at their corners; auto: "
     "as the scene says,\nelse area (auto)"},
    {"patch-error", 0, "X", CLI_NUMBER, FIELD(patch_error), CLI_POSITIVE, NULL,
     "over areas: by how much, relative, friction's moment\nmay be off; they get points enough for "
     "that (the\nscene's, else 0.1)"},
    {"forces", 0, "WHICH", CLI_WORD, FIELD(forces), CLI_ANY, FORCES,
     "where rigid constraints leave forces undetermined:\nthose found, or the least, which are one "
     "(found)"},
    {"sigma", 0, "X", CLI_NUMBER, FIELD(sigma), CLI_NOT_NEGATIVE, NULL,
     "regularisation of friction (0); published: 1e-3"},
    {"beta", 0, "X", CLI_NUMBER, FIELD(beta), CLI_NOT_NEGATIVE, NULL,
     "near-rigid bound of the compliance (0); published: 1"},
    {"solver", 0, "NAME", CLI_WORD, FIELD(solver), CLI_ANY, CLI_SOLVERS,
     "newton, primal, pgs, apgd or ipm (newton)"},
    {"soft-solver", 0, "NAME", CLI_WORD, FIELD(soft_solver), CLI_ANY, SOFT_SOLVERS,
     "linear systems of soft bodies: direct, iterative, or\nauto: what should be faster (auto)"},
    {"tolerance", 0, "X", CLI_NUMBER, FIELD(tolerance), CLI_POSITIVE, NULL,
     "of the solver's certificate, relative (1e-6)"},
    {"rest", 0, "X", CLI_NUMBER, FIELD(rest), CLI_NOT_NEGATIVE, NULL,
     "bodies that move by less than this share of the\ntolerance are left out until they are met "
     "(1e-3);\n0: none"},
    {"threads", 0, "N", CLI_COUNT, FIELD(threads), CLI_ANY, NULL,
     "that work side by side on groups of touching bodies\nand robots (1); changes no bit of the "
     "results"},
    {"on-failure", 0, "WHAT", CLI_WORD, FIELD(on_failure), CLI_ANY, FAILURES,
     "after a step that fails every way: stop, or continue\nwith what failed stopped where it is "
     "(stop)"},
    {"keyframe", 0, "NAME", CLI_TEXT, FIELD(keyframe), CLI_ANY, NULL,
     "start at a keyframe of the scene"},
    {"state", 0, "FILE", CLI_TEXT, FIELD(state), CLI_ANY, NULL,
     "start at a state: JSON of q, v, ctrl, time, all\noptional (what 'carom run --json' prints "
     "will do, to\nround-off), or what --save-state wrote, to the bit"},
    {"save-state", 0, "FILE", CLI_TEXT, FIELD(save_state), CLI_ANY, NULL,
     "write the state at the end, from which --state goes\non with the same bits"},
    {"ctrl", 0, "FILE.csv", CLI_TEXT, FIELD(ctrl), CLI_ANY, NULL,
     "controls: a header row time,ACTUATOR,...; linear\nbetween rows, taken at the start of a "
     "step"},
    {"motion", 0, "FILE.csv", CLI_TEXT, FIELD(motion), CLI_ANY, NULL,
     "mocap bodies that carry along what touches them: a\n"
     "header row time,BODY.x,... (.y, .z, .qw to .qz), then\nas --ctrl"},
    {"dump-problems", 0, "N", CLI_COUNT, FIELD(dump_problems), CLI_ANY, NULL,
     "write the contact problem of every N-th step into a\nfile of its own, for 'carom solve' (0: "
     "none)"},
    {"dump-folder", 0, "DIR", CLI_TEXT, FIELD(dump_folder), CLI_ANY, NULL,
     "where these files go; made if missing (problems)"},
    CLI_READING_FLOOR(FIELD(reading)),
    CLI_READING_FIXED_BASE(FIELD(reading)),
    CLI_READING_FREE_BASE(FIELD(reading)),
    {"no-contacts", 0, NULL, CLI_FLAG, FIELD(no_contacts), CLI_ANY, NULL,
     "nothing collides; limits and equalities stay"},
    CLI_READING_FILES(FIELD(reading)),
    {"json", 0, NULL, CLI_FLAG, FIELD(json), CLI_ANY, NULL, "print the summary as JSON"},
    {"quiet", 0, NULL, CLI_FLAG, FIELD(quiet), CLI_ANY, NULL, "no progress and no summary"},
    {NULL, 0, NULL, CLI_FLAG, 0, CLI_ANY, NULL, NULL},
};

const cli_command cli_run = {
    "run",
    "SCENE",
    "Simulate a scene",
    "Reads a scene (MJCF, URDF, SDF), steps it from its reference configuration, a keyframe or a\n"
    "state, and prints a summary.\n"
    "A step that fails, or adds energy that nothing explains, is taken again: in halves and\n"
    "quarters, then by implicit Euler, in up to 256 parts. One that fails all the same\n"
    "stops the run (exit code 3), and all that was asked for is written. Ctrl-C finishes\n"
    "the step and does the same (exit code 130).",
    OPTIONS,
    run_run,
};

/* "midpoint" and the like, or three weights. */
static int read_scheme(const char* text, carom_sim_def* def) {
  int word = cli_find_word(CLI_SCHEMES, text);
  if (word >= 0) {
    def->scheme = (carom_scheme)word;
    return -1;
  }
  char copy[128], *rest = copy;
  bool done = strlen(text) < sizeof copy;
  if (done) memcpy(copy, text, strlen(text) + 1);
  for (int k = 0; k < 3 && done; k++) {
    char* end = strchr(rest, ',');
    done = (end != NULL) == (k < 2);
    if (done && end) *end = '\0';
    double* theta = &def->theta[k];
    done = done && cli_read_number(rest, theta) && *theta >= 0 && *theta <= 1;
    if (end) rest = end + 1;
  }
  def->scheme = CAROM_THETA;
  if (done) return -1;
  return cli_fail(EXIT_USAGE,
                  "run: --scheme is '%s', must be explicit, symplectic, implicit, midpoint, or "
                  "three numbers from 0 to 1 such as 0.5,1,0.5",
                  text);
}

int run_make_def(const run_options* o, carom_sim_def* def) {
  *def = carom_sim_def_default();
  def->dt = o->dt;
  def->contact = (carom_contact_timing)o->contact;
  def->friction = (carom_friction)o->friction;
  def->patches = (carom_patches)o->patches;
  def->patch_error = o->patch_error;
  def->forces = (carom_forces)o->forces;
  def->solver = (carom_solver)o->solver;
  def->soft_solver = (carom_soft_solver)o->soft_solver;
  def->relinearise = o->relinearise;
  def->threads = o->threads;
  def->on_failure = (carom_on_failure)o->on_failure;
  def->sigma = o->sigma;
  def->beta = o->beta;
  def->tolerance = o->tolerance;
  def->sleep_share = o->rest;
  def->disable_contacts = o->no_contacts;
  return o->scheme ? read_scheme(o->scheme, def) : -1;
}
