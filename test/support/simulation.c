/* Simulations in tests; see simulation.h. */
#include "support/simulation.h"

#include "support/matrices.h"
#include "support/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const scheme_info SCHEMES[NUM_SCHEMES] = {
    {CAROM_EXPLICIT, 1, "explicit Euler"},
    {CAROM_SYMPLECTIC, 1, "symplectic Euler"},
    {CAROM_IMPLICIT, 1, "implicit Euler"},
    {CAROM_MIDPOINT, 2, "midpoint"},
};

carom_sim_def simulation_def(carom_scheme scheme, double dt) {
  carom_sim_def def = carom_sim_def_default();
  def.scheme = scheme;
  def.dt = dt;
  return def;
}

simulation simulation_create_from_model(carom_model* model, const carom_sim_def* def) {
  simulation s = {.model = model};
  carom_error error;
  check_ok(carom_sim_create(model, def, &s.sim, &error), &error);
  if (carom_model_get_sizes(model).num_keyframes > 0)
    check_ok(carom_sim_set_keyframe(s.sim, 0, &error), &error);
  s.q = carom_sim_coordinates(s.sim);
  s.v = carom_sim_velocities(s.sim);
  return s;
}

simulation simulation_create(const char* text, const carom_sim_def* def) {
  return simulation_create_from_model(scene_load(text), def);
}

void simulation_destroy(simulation* s) {
  carom_sim_destroy(s->sim);
  carom_model_destroy(s->model);
}

void simulation_step(simulation* s) {
  carom_error error;
  check_ok(carom_sim_step(s->sim, &s->report, &error), &error);
  if (s->report.outcome != CAROM_STEP_DONE || s->report.substeps != 1)
    fail_msg("step to t = %g: outcome %d in %d parts", carom_sim_time(s->sim) + s->report.dt,
             (int)s->report.outcome, s->report.substeps);
}

int simulation_count_steps(const simulation* s, double duration) {
  double steps = duration / carom_sim_dt(s->sim);
  check_near(steps, round(steps), 1e-9 * fmax(1, steps));
  return (int)round(steps);
}

void simulation_run_until(simulation* s, double time) {
  int steps = simulation_count_steps(s, time - carom_sim_time(s->sim));
  for (int i = 0; i < steps; i++) simulation_step(s);
}

void simulation_set(simulation* s, const double* q, const double* v) {
  carom_error error;
  check_ok(carom_sim_set_state(s->sim, carom_sim_time(s->sim), q, v, &error), &error);
  carom_sim_forget(s->sim);
}

double simulation_compute_energy(simulation* s) {
  carom_energy energy = carom_sim_compute_energy(s->sim);
  return energy.kinetic + energy.potential + energy.elastic;
}

static carom_joint_info find_joint(const simulation* s, const char* name) {
  int joint = carom_model_find_joint(s->model, name);
  if (joint < 0) fail_msg("the model has no joint '%s'", name);
  return carom_model_get_joint(s->model, joint);
}

int simulation_find_q(const simulation* s, const char* joint) {
  return find_joint(s, joint).q_address;
}

int simulation_find_v(const simulation* s, const char* joint) {
  return find_joint(s, joint).v_address;
}

int simulation_find_body(const simulation* s, const char* name) {
  int body = carom_model_find_body(s->model, name);
  if (body < 0) fail_msg("the model has no body '%s'", name);
  return body;
}

void simulation_compute_pose(simulation* s, int body, double frame[7]) {
  size_t count = 7 * (size_t)carom_model_get_sizes(s->model).num_bodies;
  double* poses = check_alloc(sizeof(double) * count);
  carom_sim_compute_poses(s->sim, poses);
  memcpy(frame, poses + (size_t)(7 * body), 7 * sizeof(double));
  free(poses);
}
