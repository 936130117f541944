/* Other ways to take a step, from the next best to the safest. */
#include "sim/step/retry.h"

#include "base/error.h"
#include "math/scalar.h"

#include <math.h>

/* Takes the figures of a sub-step into those of the whole. */
static void add_report(carom_step_report* all, const carom_step_report* part) {
  all->outcome = part->outcome;
  all->contacts = part->contacts;
  all->constraints = part->constraints;
  all->islands = part->islands;
  all->sleeping_trees = part->sleeping_trees;
  all->relaxed_islands += part->relaxed_islands;
  all->impact_islands += part->impact_islands;
  all->iterations = int_max(all->iterations, part->iterations);
  all->outer_iterations = int_max(all->outer_iterations, part->outer_iterations);
  all->free_iterations = int_max(all->free_iterations, part->free_iterations);
  all->factorizations += part->factorizations;
  all->residual = fmax(all->residual, part->residual);
  all->coulomb_residual = fmax(all->coulomb_residual, part->coulomb_residual);
  all->error_bound = fmax(all->error_bound, part->error_bound);
  all->stick_slip = fmax(all->stick_slip, part->stick_slip);
  all->float_distance = fmax(all->float_distance, part->float_distance);
  all->dissipated += part->dissipated;
  all->actuator_work += part->actuator_work;
  all->external_work += part->external_work;
  all->unexplained += part->unexplained;
  all->braked += part->braked;
  all->unexplained_sum = part->unexplained_sum;
  all->penetration = fmax(all->penetration, part->penetration);
  all->patch_error = fmax(all->patch_error, part->patch_error);
  all->failed_body = part->failed_body;
}

/* From the next best to the safest. */
static const cr_manner LADDER[] = {
    {.parts = 2},
    {.parts = 4},
    {.parts = 1, .is_implicit = true},
    {.parts = 4, .is_implicit = true},
    {.parts = 16, .is_implicit = true},
    {.parts = 16},
    {.parts = 64, .is_implicit = true},
    {.parts = 256, .is_implicit = true},
};

carom_status cr_retry_parts(carom_sim* sim, cr_manner how, carom_step_report* report) {
  cr_attempt attempt = {.dt = sim->dt / how.parts,
                        .is_implicit = how.is_implicit,
                        .is_unwatched = how.is_unwatched,
                        .is_early = how.is_early,
                        .lets_pass = how.lets_pass,
                        .is_retry = true,
                        .parts = how.parts};
  *report = (carom_step_report){
      .dt = sim->dt, .substeps = how.parts, .is_implicit = how.is_implicit, .failed_body = -1};
  for (int i = 0; i < how.parts; i++) {
    carom_step_report part;
    attempt.part = i;
    carom_status status = cr_step_attempt(sim, &attempt, &part);
    if (status != CAROM_OK) return status;
    add_report(report, &part);
    if (part.outcome != CAROM_STEP_DONE) break;
  }
  return CAROM_OK;
}

carom_status cr_retry_anew(carom_sim* sim, const cr_backup* before, cr_manner how,
                           carom_step_report* report) {
  carom_status status = cr_retry_parts(sim, how, report);
  if (status != CAROM_OK || report->outcome != CAROM_STEP_DONE) cr_backup_restore(sim, before);
  return status;
}

/* Where all ways add energy, the one that was found to add the least, braked. */
static carom_status run_least(carom_sim* sim, const cr_backup* before, carom_step_report* report) {
  static const cr_manner WAYS[] = {
      {16, true, true, false, true},
      {4, true, true, false, true},
      {1, true, true, false, true},
      {1, false, true, false, true},
  };
  int best = -1;
  double least = INFINITY;
  for (int i = 0; i < 4; i++) {
    carom_status status = cr_retry_anew(sim, before, WAYS[i], report);
    if (status != CAROM_OK) return status;
    if (report->outcome != CAROM_STEP_DONE) continue;
    cr_backup_restore(sim, before);
    double gain = report->unexplained + report->braked;
    if (gain < least) least = gain, best = i;
  }
  if (best >= 0) return cr_retry_anew(sim, before, WAYS[best], report);
  /* What cannot be taken in so few parts may be in more. */
  static const cr_manner MORE[] = {{64, true, true, false, true}, {256, true, true, false, true}};
  for (int i = 0; i < 2 && report->outcome != CAROM_STEP_DONE; i++)
    CR_TRY(cr_retry_anew(sim, before, MORE[i], report));
  return CAROM_OK;
}

/* In so many parts that what turns is seen on its way; where it goes through in all of them, as
 * what is wedged may, whole after all. */
static carom_status run_slowly(carom_sim* sim, const cr_backup* before, carom_step_report* report) {
  for (int parts = 4; parts <= 256; parts *= 4) {
    CR_TRY(cr_retry_anew(sim, before, (cr_manner){.parts = parts}, report));
    if (report->outcome == CAROM_STEP_DONE) return CAROM_OK;
  }
  return cr_retry_anew(sim, before, (cr_manner){.parts = 1, .lets_pass = true}, report);
}

/* What leads bodies through others is taken where no other way is left. */
static carom_status run_safely(carom_sim* sim, const cr_backup* before, carom_step_report* report) {
  bool is_gain = report->outcome == CAROM_STEP_ENERGY;
  cr_manner passed = {.parts = 0};
  for (size_t i = 0; i < sizeof LADDER / sizeof *LADDER; i++) {
    CR_TRY(cr_retry_anew(sim, before, LADDER[i], report));
    if (report->outcome == CAROM_STEP_DONE) return CAROM_OK;
    if (report->outcome == CAROM_STEP_PASSED && passed.parts == 0) passed = LADDER[i];
    is_gain |= report->outcome == CAROM_STEP_ENERGY;
    if (is_gain && LADDER[i].parts == 16 && LADDER[i].is_implicit) break;
  }
  if (passed.parts > 0) {
    passed.lets_pass = true;
    CR_TRY(cr_retry_anew(sim, before, passed, report));
    if (report->outcome == CAROM_STEP_DONE) return CAROM_OK;
    is_gain |= report->outcome == CAROM_STEP_ENERGY;
  }
  return is_gain ? run_least(sim, before, report) : CAROM_OK;
}

carom_status cr_retry_down(carom_sim* sim, const cr_backup* before, carom_step_report* report) {
  if (report->outcome == CAROM_STEP_PASSED) CR_TRY(run_slowly(sim, before, report));
  if (report->outcome != CAROM_STEP_DONE) CR_TRY(run_safely(sim, before, report));
  if (report->outcome == CAROM_STEP_DONE) return CAROM_OK;
  /* Motion that no iteration finds, as of links that whirl by radians in every part, is taken as it
   * is, its gain off its velocities. */
  const cr_manner early = {.parts = 256, .is_unwatched = true, .is_early = true, .lets_pass = true};
  return cr_retry_anew(sim, before, early, report);
}
