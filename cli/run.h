/* `carom run`: its options, what it counts, and what it says at the end. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "reading.h"

#include "carom/mechanism.h"
#include "carom/sim.h"

/* Distance to Coulomb's law, relative, of what is called far from it. */
#define RUN_COULOMB_LIMIT 1e-3

typedef struct run_options {
  const char *scene, *output, *html, *csv, *scheme, *keyframe, *state, *save_state, *ctrl, *motion,
      *dump_folder;
  double duration, dt, sigma, beta, tolerance, rest, rate, patch_error; /* dt 0: the scene's */
  double mechanism; /* m, what is no motion of a joint of blocks; 0: not asked for */
  int contact, friction, patches, forces, solver, soft_solver, relinearise, threads, dump_problems,
      on_failure;
  bool reactions, no_contacts, json, quiet;
  cli_reading reading;
} run_options;

/* The options of the simulation that they ask for.
 * @return -1, or an exit code after a sentence */
int run_make_def(const run_options* options, carom_sim_def* def);

/* The command. */
int run_run(int argc, char** argv);

/* Why a run ended. */
typedef enum run_stop {
  RUN_COMPLETED,
  RUN_INTERRUPTED,
  RUN_FREE_MOTION,
  RUN_SOLVER,
  RUN_NOT_FINITE,
} run_stop;

/* Mean and largest of a figure over the steps. */
typedef struct run_figure {
  double sum, most;
} run_figure;

/* Energy that nothing explains, J. */
typedef struct run_gain {
  double largest, time; /* of a step, and when it ended, s */
  double sum_largest;   /* of the running sum */
  double braked;        /* all that was taken off velocities instead */
} run_gain;

/* What a run did. */
typedef struct run_summary {
  run_stop stop;
  int signal; /* that interrupted it */
  int failed_body;
  int steps, failed_steps;
  double start_time, wall_time;
  run_figure contacts, iterations, outer_iterations;
  int loose_steps; /* whose residual is above the tolerance */
  double coulomb_residual;
  int far_steps;                 /* whose distance to Coulomb's law is above RUN_COULOMB_LIMIT */
  int repeated_steps;            /* for energy that nothing explained */
  int held_steps;                /* in which trees were stopped, as nothing else could be done */
  double patch_error;            /* relative, of the moment of friction over areas */
  int undetermined, found_steps; /* with --forces least: most constraints that share a force; steps
                                    whose forces are those found */
  int undetermined_groups;       /* likewise: most such forces */
  double error_bound, residual, stick_slip, float_distance, penetration;
  double dissipated, actuator_work, external_work;
  run_gain gain;
  carom_energy start_energy;
  carom_mechanism* mechanism; /* null: not asked for */
} run_summary;

/* What ended it, in words. */
const char* run_stop_text(run_stop stop);

/* " (body 'NAME' and what hangs on it)", or nothing where the failed body is not known. */
void run_name_failed(const run_summary* summary, const carom_model* model, size_t size, char* text);

/* The summary for people, and for programs; the exit code where stdout cannot be written. */
int run_print_summary(const run_options* options, const run_summary* summary, carom_sim* sim);
int run_print_json(const run_options* options, const run_summary* summary, carom_sim* sim);

#endif
