/* What `carom run` says at the end, for people and as JSON. */
#include "json.h"
#include "run.h"
#include "run_forces.h"
#include "run_mechanism.h"
#include "state.h"
#include "words.h"

#include "carom/sensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char* run_stop_text(run_stop stop) {
  switch (stop) {
  case RUN_COMPLETED:
    return "completed";
  case RUN_INTERRUPTED:
    return "interrupted";
  case RUN_FREE_MOTION:
    return "the motion without contacts did not converge";
  case RUN_SOLVER:
    return "the contact problem was not solved to the tolerance";
  case RUN_NOT_FINITE:
    return "a coordinate or velocity is not finite";
  }
  return "";
}

void run_name_failed(const run_summary* s, const carom_model* model, size_t size, char* text) {
  text[0] = '\0';
  if (s->stop == RUN_COMPLETED || s->stop == RUN_INTERRUPTED || s->failed_body < 0) return;
  const char* name = carom_model_get_body(model, s->failed_body).name;
  const char* others = s->stop == RUN_SOLVER ? "what it touches" : "what hangs on it";
  if (name && name[0])
    snprintf(text, size, " (body '%.80s' and %s)", name, others);
  else
    snprintf(text, size, " (body %d and %s)", s->failed_body, others);
}

static double mean(const run_figure* figure, int steps) { return steps ? figure->sum / steps : 0; }

static double simulated(const run_summary* s, const carom_sim* sim) {
  return carom_sim_time(sim) - s->start_time;
}

static double real_time_factor(const run_summary* s, const carom_sim* sim) {
  return simulated(s, sim) / s->wall_time;
}

/* --- For people ---------------------------------------------------------------------------------
 */

static void print_figure(const char* name, const run_figure* figure, int steps) {
  cli_print("  %-20s mean %.3g, largest %.0f\n", name, mean(figure, steps), figure->most);
}

static void print_energy(const char* name, const carom_energy* e) {
  cli_print("  %-20s %.9g J = kinetic %.6g + potential %.6g + elastic %.6g\n", name,
            e->kinetic + e->potential + e->elastic, e->kinetic, e->potential, e->elastic);
}

static void print_steps(const run_summary* s, const carom_sim* sim) {
  cli_print("  %-20s %d of %g ms", "steps", s->steps, 1e3 * carom_sim_dt(sim));
  if (s->failed_steps) cli_print(", %d failed", s->failed_steps);
  if (s->repeated_steps) cli_print(", %d repeated for energy or passing", s->repeated_steps);
  if (s->held_steps) cli_print(", %d with bodies held", s->held_steps);
  cli_print("\n  %-20s %.6g s, to %.6g s\n", "simulated", simulated(s, sim), carom_sim_time(sim));
  cli_print("  %-20s %.3g s, %.3g times real time\n", "wall time", s->wall_time,
            real_time_factor(s, sim));
  print_figure("contacts", &s->contacts, s->steps);
  print_figure("solver iterations", &s->iterations, s->steps);
  print_figure("outer iterations", &s->outer_iterations, s->steps);
}

static void print_coulomb(const run_summary* s) {
  cli_print("  %-20s %.2g at most, relative", "from Coulomb's law", s->coulomb_residual);
  if (s->far_steps) cli_print("; above %g in %d steps", RUN_COULOMB_LIMIT, s->far_steps);
  cli_print("\n");
}

static void print_accuracy(const run_options* o, const run_summary* s) {
  if (isfinite(s->error_bound))
    cli_print("  %-20s %.2g at most, relative\n", "velocity error", s->error_bound);
  else
    cli_print("  %-20s no bound where contacts or constraints are rigid\n", "velocity error");
  cli_print("  %-20s %.2g at most, relative", "residual", s->residual);
  if (s->loose_steps) cli_print("; above the tolerance in %d steps", s->loose_steps);
  cli_print("\n");
  if (o->friction == CAROM_FRICTION_COULOMB || o->friction == CAROM_FRICTION_ANCHORED)
    print_coulomb(s);
  cli_print("  %-20s %.2g m/s at most\n", "slip in stick", s->stick_slip);
  if (o->friction == CAROM_FRICTION_CONVEX)
    cli_print("  %-20s %.2g m at most\n", "float in sliding", s->float_distance);
  cli_print("  %-20s %.2g m at most\n", "penetration", s->penetration);
  if (s->patch_error > 0)
    cli_print("  %-20s to %.2g at most, relative, over areas\n", "moment of friction",
              s->patch_error);
}

static void print_forces(const run_options* o, const run_summary* s) {
  if (o->forces != CAROM_FORCES_LEAST) return;
  cli_print("  %-20s %d at most, shared by %d constraints at most; the least but in %d steps\n",
            "undetermined forces", s->undetermined_groups, s->undetermined, s->found_steps);
}

static void print_gain(const run_summary* s) {
  cli_print("  %-20s %.2g J at most in a step", "unexplained gain", s->gain.largest);
  if (s->gain.largest > 0) cli_print(" (to %.6g s)", s->gain.time);
  cli_print(", %.2g J at most in sum\n", s->gain.sum_largest);
  if (s->gain.braked > 0) cli_print("  %-20s %.2g J off velocities\n", "braked", s->gain.braked);
}

/* What has no part in the motion is left to `carom info`. */
static void print_ignored(const carom_model* model) {
  bool is_first = true;
  for (int i = 0; i < carom_model_get_sizes(model).num_notes; i++) {
    if (carom_model_get_note_kind(model, i) == CAROM_NOTE_UNUSED) continue;
    if (is_first) cli_print("  ignored or mapped\n");
    is_first = false;
    cli_print("    %s\n", carom_model_get_note(model, i));
  }
}

int run_print_summary(const run_options* o, const run_summary* s, carom_sim* sim) {
  carom_energy end = cli_compute_energy(sim);
  cli_print("%s: %s, scheme %s, friction %s\n", o->scene, run_stop_text(s->stop), o->scheme,
            CLI_FRICTIONS[o->friction]);
  print_steps(s, sim);
  print_accuracy(o, s);
  print_energy("energy at start", &s->start_energy);
  print_energy("energy at end", &end);
  cli_print("  %-20s %.6g J\n", "dissipated", s->dissipated);
  if (carom_model_get_sizes(carom_sim_model(sim)).num_actuators)
    cli_print("  %-20s %.6g J\n", "work of actuators", s->actuator_work);
  print_gain(s);
  print_forces(o, s);
  run_print_mechanism(o, s, sim);
  if (o->output) cli_print("  %-20s %s\n", "recording", o->output);
  if (o->html) cli_print("  %-20s %s\n", "page", o->html);
  if (o->csv) cli_print("  %-20s %s\n", "table", o->csv);
  print_ignored(carom_sim_model(sim));
  return cli_finish_output(EXIT_FINE);
}

/* --- For programs -------------------------------------------------------------------------------
 */

static json_t* figure_object(const run_figure* figure, int steps) {
  json_t* object = cli_json_group();
  cli_json_set(object, "mean", cli_json_number(mean(figure, steps)));
  cli_json_set(object, "max", cli_json_whole((json_int_t)figure->most));
  return object;
}

static json_t* energy_object(const carom_energy* e) {
  json_t* object = cli_json_group();
  cli_json_set(object, "kinetic", cli_json_number(e->kinetic));
  cli_json_set(object, "potential", cli_json_number(e->potential));
  cli_json_set(object, "elastic", cli_json_number(e->elastic));
  return object;
}

static json_t* energies_object(const run_summary* s, carom_sim* sim) {
  carom_energy end = cli_compute_energy(sim);
  json_t* object = cli_json_group();
  cli_json_set(object, "start", energy_object(&s->start_energy));
  cli_json_set(object, "end", energy_object(&end));
  cli_json_set(object, "dissipated", cli_json_number(s->dissipated));
  cli_json_set(object, "actuator_work", cli_json_number(s->actuator_work));
  cli_json_set(object, "unexplained_largest", cli_json_number(s->gain.largest));
  cli_json_set(object, "unexplained_time", cli_json_number(s->gain.time));
  cli_json_set(object, "unexplained_sum", cli_json_number(s->gain.sum_largest));
  cli_json_set(object, "braked", cli_json_number(s->gain.braked));
  return object;
}

static json_t* notes_array(const carom_model* model) {
  json_t* array = cli_json_list();
  for (int i = 0; i < carom_model_get_sizes(model).num_notes; i++)
    cli_json_append(array, cli_json_text(carom_model_get_note(model, i)));
  return array;
}

/* Readings of the last state by the sensors' names, or numbers. */
static json_t* sensors_object(carom_sim* sim) {
  const carom_model* model = carom_sim_model(sim);
  carom_model_sizes sizes = carom_model_get_sizes(model);
  double* readings = calloc((size_t)sizes.num_readings + 1, sizeof *readings);
  json_t* object = cli_json_group();
  carom_status status =
      readings ? carom_sim_compute_sensors(sim, readings, NULL) : CAROM_ERROR_OUT_OF_MEMORY;
  bool done = status == CAROM_OK;
  if (status == CAROM_ERROR_OUT_OF_MEMORY) cli_json_lack_memory();
  for (int i = 0; i < sizes.num_sensors && done; i++) {
    carom_sensor_info info = carom_model_get_sensor(model, i);
    char name[32];
    snprintf(name, sizeof name, "sensor%d", i);
    cli_json_set(object, info.name[0] ? info.name : name,
                 cli_json_numbers(readings + info.address, info.dim));
  }
  free(readings);
  return object;
}

static json_t* final_object(carom_sim* sim) {
  carom_model_sizes sizes = carom_model_get_sizes(carom_sim_model(sim));
  json_t* object = cli_json_group();
  cli_json_set(object, "q", cli_json_numbers(carom_sim_coordinates(sim), sizes.num_q));
  cli_json_set(object, "v", cli_json_numbers(carom_sim_velocities(sim), sizes.num_v));
  if (sizes.num_activations > 0)
    cli_json_set(object, "act",
                 cli_json_numbers(carom_sim_activations(sim), sizes.num_activations));
  return object;
}

/* Its name, or its number where it has none. */
static json_t* failed_body(const run_summary* s, const carom_model* model) {
  const char* name = carom_model_get_body(model, s->failed_body).name;
  return name && name[0] ? cli_json_text(name) : cli_json_whole(s->failed_body);
}

int run_print_json(const run_options* o, const run_summary* s, carom_sim* sim) {
  json_t* object = cli_json_object();
  cli_json_set(object, "scene", cli_json_text(o->scene));
  cli_json_set(object, "dt", cli_json_number(carom_sim_dt(sim)));
  cli_json_set(object, "scheme", cli_json_text(o->scheme));
  cli_json_set(object, "friction", cli_json_text(CLI_FRICTIONS[o->friction]));
  cli_json_set(object, "steps", cli_json_whole(s->steps));
  cli_json_set(object, "time", cli_json_number(carom_sim_time(sim)));
  cli_json_set(object, "wall_time", cli_json_number(s->wall_time));
  cli_json_set(object, "real_time_factor", cli_json_number(real_time_factor(s, sim)));
  cli_json_set(object, "failed_steps", cli_json_whole(s->failed_steps));
  cli_json_set(object, "repeated_steps", cli_json_whole(s->repeated_steps));
  cli_json_set(object, "held_steps", cli_json_whole(s->held_steps));
  cli_json_set(object, "stop_reason", cli_json_text(run_stop_text(s->stop)));
  if (s->failed_body >= 0)
    cli_json_set(object, "failed_body", failed_body(s, carom_sim_model(sim)));
  cli_json_set(object, "contacts", figure_object(&s->contacts, s->steps));
  cli_json_set(object, "iterations", figure_object(&s->iterations, s->steps));
  cli_json_set(object, "outer_iterations", figure_object(&s->outer_iterations, s->steps));
  cli_json_set(object, "velocity_error_bound", cli_json_number(s->error_bound));
  cli_json_set(object, "residual", cli_json_number(s->residual));
  cli_json_set(object, "steps_above_tolerance", cli_json_whole(s->loose_steps));
  cli_json_set(object, "coulomb_residual", cli_json_number(s->coulomb_residual));
  cli_json_set(object, "steps_off_coulomb", cli_json_whole(s->far_steps));
  if (s->patch_error > 0) cli_json_set(object, "patch_error", cli_json_number(s->patch_error));
  if (o->forces == CAROM_FORCES_LEAST) {
    cli_json_set(object, "undetermined", cli_json_whole(s->undetermined));
    cli_json_set(object, "steps_not_least", cli_json_whole(s->found_steps));
    cli_json_set(object, "shared_forces", run_shared_list(sim));
  }
  cli_json_set(object, "energy", energies_object(s, sim));
  cli_json_set(object, "stick_slip", cli_json_number(s->stick_slip));
  cli_json_set(object, "float", cli_json_number(s->float_distance));
  cli_json_set(object, "penetration", cli_json_number(s->penetration));
  if (s->mechanism) cli_json_set(object, "mechanism", run_mechanism_list(o, s, sim));
  cli_json_set(object, "ignored", notes_array(carom_sim_model(sim)));
  cli_json_set(object, "sensors", sensors_object(sim));
  cli_json_set(object, "final", final_object(sim));
  return cli_json_print(object);
}
