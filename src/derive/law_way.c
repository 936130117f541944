#include "derive/law_way.h"

#include "sim/tree/lines.h"

double cr_law_find_start(const cr_step_tangent* t, int a) {
  cr_step* step = t->step;
  const cr_force_model* force = &step->model->force;
  int line = force->actuator_line[a];
  double sum = 0;
  if (line < 0) return force->actuator_gear[a] * step->sim->q[force->actuator_q[a]];
  if (force->line.kind[line] != CR_LINE_FIXED) return 0;
  const cr_line_place at = {&force->line, &step->model->tree, &step->kinematics, step->sim->q};
  const cr_line_place back = cr_step_line_place(step);
  cr_line_update(&at, line, &step->lines);
  sum = step->lines.length[line];
  cr_line_update(&back, line, &step->lines);
  return force->actuator_gear[a] * sum;
}

double cr_law_find_time(const cr_step_tangent* t) { return t->step->dt * t->step->sim->theta.v; }

cr_actuator_state cr_law_state_at(const cr_step_tangent* t, double l, double rate) {
  return (cr_actuator_state){t->step->sim->ctrl, t->step->sim->act, l, rate, t->step->dt};
}

int cr_law_find_column(const cr_step_tangent* t, int a, int by) {
  const cr_force_model* force = &t->step->model->force;
  const int* start = by < CR_BY_CONTROL ? force->actuator_activation : force->actuator_control;
  int first = by < CR_BY_CONTROL ? t->first_activation : t->first_control;
  int i = start[a] + by - (by < CR_BY_CONTROL ? CR_BY_ACTIVATION : CR_BY_CONTROL);
  return i < start[a + 1] ? first + i : -1;
}

static cr_moving find_input(const cr_step_tangent* t, int a) {
  cr_actuator_state s = cr_law_state_at(t, cr_law_find_start(t, a), 0);
  return cr_law_find_input(&t->step->model->force, a, &s, cr_law_find_time(t));
}

double cr_law_find_start_slope(const cr_step_tangent* t, int a) {
  return find_input(t, a).by[CR_BY_START];
}

cr_input_way cr_law_way_find(const cr_step_tangent* t, int a) {
  cr_input_way w = {.count = 0};
  cr_moving u = find_input(t, a);
  for (int k = 0; k < CR_BY_START; k++)
    if (u.by[k] != 0) cr_input_way_put(&w, cr_law_find_column(t, a, k), u.by[k]);
  return w;
}
