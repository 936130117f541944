/* Simulated scenes; see world.h. */
#include "support/world.h"

#include "support/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char WORLD_MACHINE[] =
    "<mujoco><option timestep='0.004'/><worldbody>"
    "<geom name='floor' type='plane' size='2 2 1' friction='0.6'/>"
    "<body name='box' pos='0 0 0.2' euler='10 20 0'><freejoint/>"
    "<geom type='box' size='.1 .08 .06'/></body>"
    "<body name='ball' pos='0.02 0.03 0.4'><freejoint/>"
    "<geom size='.07' carom:stiffness='1e4' carom:dissipation='0.01'/></body>"
    "<body name='rod' pos='0.6 0 0.1' euler='80 0 0'><freejoint/>"
    "<geom type='capsule' size='.05 .1'/></body>"
    "<body name='upper' pos='-1 0 1'><joint name='shoulder' axis='0 1 0' range='-60 60'/>"
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.04'/>"
    "<body name='lower' pos='.3 0 0'><joint name='elbow' axis='0 1 0' damping='.1'/>"
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/></body></body>"
    "<body name='load' pos='-.4 0 .8'><freejoint/><geom type='box' size='.05 .05 .05'/></body>"
    "<body name='left' pos='0 1 .5'><joint name='left' type='slide' frictionloss='1'/>"
    "<geom size='.05'/></body>"
    "<body name='right' pos='0 1.5 .5'><joint name='right' type='slide' stiffness='50'/>"
    "<geom size='.05'/></body>"
    "<body name='swing' pos='1 1 1'><joint type='ball' range='0 40'/>"
    "<geom type='box' size='.02 .02 .1' pos='.15 0 -.1'/></body>"
    "</worldbody><actuator>"
    "<position name='limited' joint='shoulder' kp='200' kv='10' forcerange='-20 20'/>"
    "<position name='plain' joint='elbow' kp='20' kv='1'/></actuator>"
    "<equality><connect body1='lower' body2='load' anchor='.3 0 0'/>"
    "<joint joint1='left' joint2='right' polycoef='0 -1 0 0 0'/></equality></mujoco>";

char* world_write_pile(int count) {
  static const char* const shapes[] = {"type='box' size='.05 .04 .03'", "size='.05'",
                                       "type='capsule' size='.03 .03'",
                                       "type='cylinder' size='.04 .04'"};
  size_t room = 1000 + 200 * (size_t)count;
  char* text = malloc(room);
  assert_non_null(text);
  int at = snprintf(text, room,
                    "<mujoco><option timestep='0.005'/><default><geom friction='.5'/></default>"
                    "<worldbody><geom type='plane' size='1 1 1'/>"
                    "<geom type='box' size='.02 .3 .1' pos='.25 0 .1'/>"
                    "<geom type='box' size='.02 .3 .1' pos='-.25 0 .1'/>"
                    "<geom type='box' size='.3 .02 .1' pos='0 .25 .1'/>"
                    "<geom type='box' size='.3 .02 .1' pos='0 -.25 .1'/>");
  for (int i = 0; i < count; i++)
    at += snprintf(text + at, room - (size_t)at,
                   "<body pos='%g %g %g' euler='%d %d 0'><freejoint/><geom %s/></body>",
                   .12 * (i / 4 % 3 - 1) + .01 * (i % 3), .12 * (i / 12 % 3 - 1) + .007 * (i % 4),
                   .08 + .11 * (i % 4), 17 * i, 31 * i, shapes[(i + i / 4) % 4]);
  snprintf(text + at, room - (size_t)at, "</worldbody></mujoco>");
  return text;
}

world world_create_from(carom_model* model, const carom_sim_def* def) {
  world w = {.model = model, .sizes = carom_model_get_sizes(model)};
  carom_error error;
  check_ok(carom_sim_create(model, def, &w.sim, &error), &error);
  return w;
}

world world_create(const char* text, const carom_sim_def* def) {
  return world_create_from(scene_load(text), def);
}

void world_destroy(world* w) {
  carom_sim_destroy(w->sim);
  carom_model_destroy(w->model);
  *w = (world){0};
}

carom_sim_def world_def(double dt, carom_scheme scheme) {
  carom_sim_def def = carom_sim_def_default();
  def.dt = dt;
  def.scheme = scheme;
  return def;
}

carom_step_report world_step(world* w) {
  carom_step_report report;
  carom_error error;
  check_ok(carom_sim_step(w->sim, &report, &error), &error);
  if (report.outcome != CAROM_STEP_DONE)
    fail_msg("the step at %g s ended with outcome %d, residual %g", report.time,
             (int)report.outcome, report.residual);
  return report;
}

void world_run(world* w, int steps) {
  for (int i = 0; i < steps; i++) world_step(w);
}

void world_set(world* w, const double* q, const double* v) {
  carom_error error;
  check_ok(carom_sim_set_state(w->sim, 0, q, v, &error), &error);
  carom_sim_forget(w->sim);
}

const double* world_q(const world* w) { return carom_sim_coordinates(w->sim); }
const double* world_v(const world* w) { return carom_sim_velocities(w->sim); }

double world_energy(world* w) {
  carom_energy e = carom_sim_compute_energy(w->sim);
  return e.kinetic + e.potential + e.elastic;
}

/* --- Saved states -------------------------------------------------------------------------------
 */

world_state world_save(const world* w) {
  world_state state = {.size = carom_sim_state_size(w->sim)};
  state.bytes = malloc(state.size);
  assert_non_null(state.bytes);
  carom_sim_save(w->sim, state.bytes);
  return state;
}

void world_restore(world* w, const world_state* state) {
  carom_error error;
  check_ok(carom_sim_restore(w->sim, state->bytes, state->size, &error), &error);
}

void world_expect_same_at(const world_state* a, const world_state* b, const char* file, int line) {
  if (a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0) return;
  print_error("two states of %zu and %zu bytes differ\n", a->size, b->size);
  const unsigned char *x = a->bytes, *y = b->bytes;
  for (size_t i = 0; i < a->size && i < b->size; i++)
    if (x[i] != y[i]) print_error("byte %zu: %02x, %02x\n", i, x[i], y[i]);
  _fail(file, line);
}

void world_expect_twins_at(const world* a, const world* b, const char* file, int line) {
  world_state states[2] = {world_save(a), world_save(b)};
  world_expect_same_at(&states[0], &states[1], file, line);
  free(states[0].bytes), free(states[1].bytes);
}
