#include "derive/law_way.h"

#include "derive/line_tangent.h"
#include "force/controller_slopes.h"

/* --- Lengths at the start -----------------------------------------------------------------------
 */

static bool integrates_line(const cr_force_model* force, int a) {
  return force->actuator_law[a] >= 0 && force->actuator_line[a] >= 0 &&
         cr_law_integrates_start(force, a);
}

static bool place(cr_step_tangent* t, cr_tree_kinematics* kinematics) {
  const cr_tree_model* tree = &t->step->model->tree;
  const double* q = t->step->sim->q;
  if (!cr_tree_push_kinematics(t->arena, tree, kinematics)) return false;
  cr_tree_update_ground(tree, q, kinematics, NULL);
  for (int i = 0; i < tree->num_trees; i++) cr_tree_update_kinematics(tree, i, q, kinematics);
  return true;
}

bool cr_law_starts_find(cr_step_tangent* t) {
  const carom_model* m = t->step->model;
  const cr_force_model* force = &m->force;
  cr_tree_kinematics kinematics;
  cr_lines lines;
  int first = 0;
  while (first < force->num_actuators && !integrates_line(force, first)) first++;
  if (first == force->num_actuators) return true;
  t->law_starts = CR_PUSH(t->arena, cr_law_start, force->num_actuators);
  if (!t->law_starts || !place(t, &kinematics) || !cr_lines_push(t->arena, &force->line, &lines))
    return false;
  const cr_line_place at = {&force->line, &m->tree, &kinematics, t->step->sim->q};
  for (int a = first; a < force->num_actuators; a++) {
    cr_line_tangent line;
    if (!integrates_line(force, a)) continue;
    cr_line_update(&at, force->actuator_line[a], &lines);
    if (!cr_line_tangent_find(&at, &lines, force->actuator_line[a], t->arena, &line)) return false;
    t->law_starts[a] =
        (cr_law_start){lines.length[force->actuator_line[a]], line.n, line.dof, line.G};
  }
  return true;
}

double cr_law_find_start(const cr_step_tangent* t, int a) {
  const cr_step* step = t->step;
  const cr_force_model* force = &step->model->force;
  double gear = force->actuator_gear[a];
  if (force->actuator_line[a] < 0) return gear * step->sim->q[force->actuator_q[a]];
  return integrates_line(force, a) ? gear * t->law_starts[a].length : 0;
}

/* --- Inputs -------------------------------------------------------------------------------------
 */

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

/* That length as one along dofs; of a joint its own. */
static cr_law_start start_of(const cr_step_tangent* t, int a) {
  static const double one = 1;
  const cr_force_model* force = &t->step->model->force;
  if (force->actuator_law[a] < 0 || !cr_law_integrates_start(force, a)) return (cr_law_start){0};
  if (force->actuator_line[a] >= 0) return t->law_starts[a];
  return (cr_law_start){.n = 1, .dof = &force->actuator_dof[a], .G = &one};
}

double cr_law_move_start(const cr_step_tangent* t, int a, const double* q0) {
  cr_law_start start = start_of(t, a);
  double length = 0;
  for (int i = 0; i < start.n; i++) length += start.G[i] * q0[start.dof[i]];
  if (length == 0) return 0;
  return cr_law_find_start_slope(t, a) * t->step->model->force.actuator_gear[a] * length;
}

void cr_law_pull_start(const cr_step_tangent* t, int a, double cotangent, double* q0) {
  cr_law_start start = start_of(t, a);
  if (start.n == 0) return;
  double by = cotangent * cr_law_find_start_slope(t, a) * t->step->model->force.actuator_gear[a];
  for (int i = 0; i < start.n; i++) q0[start.dof[i]] += by * start.G[i];
}

cr_input_way cr_law_way_find(const cr_step_tangent* t, int a) {
  cr_input_way w = {.count = 0};
  cr_moving u = find_input(t, a);
  for (int k = 0; k < CR_BY_START; k++)
    if (u.by[k] != 0) cr_input_way_put(&w, cr_law_find_column(t, a, k), u.by[k]);
  return w;
}
