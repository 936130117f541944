/* Forces along lines, their place in the free motion and in A. */
#include "sim/tree/lines.h"

#include "force/actuator.h"
#include "force/tendon.h"
#include "sim/tree/damping.h"
#include "sim/tree/damping_mass.h"
#include "sim/tree/external.h"

#include <math.h>
#include <string.h>

/* --- Inputs -------------------------------------------------------------------------------------
 */

/* What actuators on lines that are not joined do: the same all along the step. */
static void add_motors(cr_step* step) {
  const cr_force_model* force = &step->model->force;
  for (int a = 0; a < force->num_actuators; a++) {
    int line = force->actuator_line[a];
    if (line < 0 || step->sim->plan.is_joined[line] || step->sim->plan.is_limited[a]) continue;
    double share = cr_actuator_find_share(force, line, step->input, 0, 0);
    double f = cr_actuator_compute_held_drive(force, a, step->input, 0, 0, share).force;
    for (int i = force->line.start[line]; i < force->line.start[line + 1]; i++)
      step->motor_tau[force->line.dof[i]] += f * force->line.coefficient[i];
  }
}

bool cr_step_lines_init(cr_step* step) {
  const cr_force_model* force = &step->model->force;
  size_t nv = (size_t)step->model->tree.num_v;
  if (force->num_drive_ranges > 0) {
    step->is_held = CR_PUSH(step->arena, int, nv);
    if (step->arena->failed) return false;
    memset(step->is_held, 0, sizeof(int) * nv);
  }
  if (force->line.num_lines == 0) return true;
  step->motor_tau = CR_PUSH(step->arena, double, nv);
  step->line_tau = CR_PUSH(step->arena, double, nv);
  step->line_drive = CR_PUSH(step->arena, double, nv);
  if (!cr_lines_push(step->arena, &force->line, &step->lines)) return false;
  memset(step->motor_tau, 0, sizeof(double) * nv);
  memset(step->line_tau, 0, sizeof(double) * nv);
  memset(step->line_drive, 0, sizeof(double) * nv);
  return true;
}

void cr_step_lines_begin(cr_step* step) {
  if (step->model->force.line.num_lines > 0) add_motors(step);
}

/* --- Weights ------------------------------------------------------------------------------------
 */

/* J_g W_g J_gᵀ of the terms of a line that are in the group of its term k; 0 where an earlier term
 * is in it already. */
static double group_mobility(const cr_step* step, int line, int k) {
  const cr_line_model* n = &step->model->force.line;
  const cr_damping_groups* groups = step->sim->damping;
  int group = groups->dof_group[n->dof[k]];
  if (group < 0) return pow(step->lines.J[k], 2) / step->model->tree.dof_armature[n->dof[k]];
  const double* W = step->group_W[group];
  int size = groups->dof_start[group + 1] - groups->dof_start[group];
  double sum = 0;
  for (int i = n->start[line]; i < n->start[line + 1]; i++) {
    if (groups->dof_group[n->dof[i]] != group) continue;
    if (i < k) return 0;
    for (int j = n->start[line]; j < n->start[line + 1]; j++)
      if (groups->dof_group[n->dof[j]] == group)
        sum += step->lines.J[i] * step->lines.J[j] *
               W[groups->dof_place[n->dof[i]] * size + groups->dof_place[n->dof[j]]];
  }
  return groups->rows[group] * sum;
}

static bool has_line_weights(const cr_step* step, int line) {
  const cr_line_model* n = &step->model->force.line;
  bool all = true;
  for (int k = n->start[line]; k < n->start[line + 1]; k++) {
    int tree = step->model->tree.link_tree[n->link[k]];
    all &= tree >= 0 && step->is_weighed[tree];
  }
  return all;
}

/* Weights of the lines, once in a step, where the trees that they move with have theirs. */
static void weigh_lines(cr_step* step) {
  const cr_line_model* n = &step->model->force.line;
  for (int i = 0; step->dof_weight && i < n->num_lines; i++) {
    if (step->is_line_weighed[i] || cr_line_is_still(n, i) || !has_line_weights(step, i)) continue;
    double slope[2], mobility = 0;
    cr_step_line_slopes(step, i, cr_step_line_rate(step, i, step->v0), slope);
    for (int k = n->start[i]; k < n->start[i + 1]; k++) mobility += group_mobility(step, i, k);
    step->line_weight[i] = cr_damping_find_weight(step->theta[cr_step_line_tree(step, i)], step->dt,
                                                  slope[0], slope[1], 1 / mobility);
    step->is_line_weighed[i] = true;
  }
}

/* --- Lengths and forces -------------------------------------------------------------------------
 */

cr_line_place cr_step_line_place(const cr_step* step) {
  return (cr_line_place){&step->model->force.line, &step->model->tree, &step->kinematics,
                         step->q_mid};
}

void cr_step_lines_update(cr_step* step) {
  if (step->model->force.line.num_lines == 0) return;
  cr_line_place place = cr_step_line_place(step);
  cr_lines_update(&place, &step->lines);
  weigh_lines(step);
}

/* What pulls along a joined line at (q_mid, v_f), and how that falls with length and rate. */
typedef struct line_force {
  double passive, drive, stiffness, damping;
} line_force;

static void add_tendon(const cr_step* step, int tendon, double length, double rate, line_force* p) {
  const cr_tendon_model* n = &step->model->force.tendon;
  p->passive = cr_tendon_compute_force(n, tendon, length, rate);
  double slope[2];
  cr_tendon_compute_slopes(n, tendon, length, rate, slope);
  p->stiffness += slope[0];
  p->damping += slope[1];
}

bool cr_step_line_is_held(const cr_step* step, int line) {
  const cr_line_model* model = &step->model->force.line;
  bool any = false;
  for (int i = model->start[line]; step->is_held && i < model->start[line + 1]; i++)
    any |= step->is_held[model->dof[i]] != 0;
  return any;
}

/* What pulls at a length and rate. */
static line_force find_force_at(const cr_step* step, int line, double length, double rate) {
  const cr_force_model* force = &step->model->force;
  const cr_sim_plan* plan = &step->sim->plan;
  line_force p = {0};
  double share = cr_actuator_find_share(force, line, step->input, length, rate);
  if (line < force->tendon.num_tendons) add_tendon(step, line, length, rate, &p);
  for (int k = plan->line_actuator_start[line]; k < plan->line_actuator_start[line + 1]; k++) {
    int a = plan->line_actuator[k];
    if (plan->is_limited[a]) continue;
    cr_drive drive = cr_actuator_compute_held_drive(force, a, step->input, length, rate, share);
    p.drive += drive.force;
    if (cr_step_line_is_held(step, line)) continue;
    p.stiffness += fmax(drive.stiffness, 0);
    p.damping += fmax(drive.damping, 0);
  }
  return p;
}

/* The same at (q_mid, v_f), or where stiff dampers count. */
static line_force find_force(const cr_step* step, int line) {
  double length = step->lines.length[line], rate = cr_step_line_rate(step, line, step->v_f);
  if (step->line_weight) {
    cr_weight w = step->line_weight[line];
    double v = cr_step_line_rate(step, line, step->v_now);
    double v0 = cr_step_line_rate(step, line, step->v0);
    length += cr_weight_shift(w, step->dt, v, v0);
    rate += cr_weight_rate(w, v, v0);
  }
  return find_force_at(step, line, length, rate);
}

void cr_step_line_slopes(const cr_step* step, int line, double rate, double slope[2]) {
  const cr_force_model* force = &step->model->force;
  const cr_sim_plan* plan = &step->sim->plan;
  line_force p = find_force_at(step, line, step->lines.length[line], rate);
  slope[0] = p.stiffness, slope[1] = p.damping;
  for (int k = plan->line_actuator_start[line]; k < plan->line_actuator_start[line + 1]; k++) {
    int a = plan->line_actuator[k];
    double gear2 = force->actuator_gear[a] * force->actuator_gear[a];
    if (!plan->is_limited[a]) continue;
    slope[0] += fmax(-gear2 * force->actuator_bias[3 * a + 1], 0);
    slope[1] += fmax(-gear2 * force->actuator_bias[3 * a + 2], 0);
  }
}

/* What the inertia of a tendon does while the velocities go from v0 to v: -m l'', with l'' = J v' +
 * (dJ/dt) v at the place and velocities of the residual. */
static double find_inertia(const cr_step* step, const cr_line_place* place, int line,
                           const double* v) {
  const cr_tendon_model* n = &step->model->force.tendon;
  if (line >= n->num_tendons || !(n->armature[line] > 0)) return 0;
  double change = cr_step_line_rate(step, line, v) - cr_step_line_rate(step, line, step->v0);
  double drift = cr_line_compute_drift(place, &step->velocities, line);
  return -n->armature[line] * (change / step->dt + drift);
}

void cr_step_lines_update_forces(cr_step* step, const int* trees, int num_trees, const double* v) {
  const cr_line_model* model = &step->model->force.line;
  const cr_sim_plan* plan = &step->sim->plan;
  size_t nv = (size_t)step->model->tree.num_v;
  bool any = false;
  for (int k = 0; k < num_trees; k++) any |= plan->has_spring[trees[k]] != 0;
  if (!any || plan->num_joined == 0) return;
  cr_line_place place = cr_step_line_place(step);
  memset(step->line_tau, 0, sizeof(double) * nv);
  memset(step->line_drive, 0, sizeof(double) * nv);
  for (int i = 0; i < model->num_lines; i++) {
    if (plan->is_joined[i]) cr_line_update(&place, i, &step->lines);
  }
  weigh_lines(step);
  for (int i = 0; i < model->num_lines; i++) {
    if (!plan->is_joined[i]) continue;
    line_force p = find_force(step, i);
    p.passive += find_inertia(step, &place, i, v);
    cr_line_add_force(model, &step->lines, i, p.passive, step->line_tau);
    cr_line_add_force(model, &step->lines, i, p.drive, step->line_drive);
  }
}

void cr_step_sum_drives(const cr_step* step, int tree, double* drive) {
  const cr_force_model* force = &step->model->force;
  const cr_sim_plan* plan = &step->sim->plan;
  const int* v_start = step->model->tree.tree_v_start;
  bool has_lines = force->line.num_lines > 0;
  for (int i = v_start[tree]; i < v_start[tree + 1]; i++)
    drive[i] = has_lines ? step->motor_tau[i] + step->line_drive[i] : 0;
  for (int k = plan->actuator_start[tree]; k < plan->actuator_start[tree + 1]; k++) {
    int a = plan->actuator[k], dof = force->actuator_dof[a];
    if (plan->is_limited[a]) continue;
    double x = cr_step_joint_coordinate(step, force->actuator_q[a], dof);
    drive[dof] +=
        cr_actuator_compute_drive(force, a, step->input, x, cr_step_joint_rate(step, dof)).force;
  }
  cr_external_add_borne(step->model, tree, &step->kinematics, 1, drive);
}

/* What bears weight is among the external forces: it only counts against the bound. */
void cr_step_add_actuation(cr_step* step, int tree, double* tau) {
  const cr_force_model* force = &step->model->force;
  const int* v_start = step->model->tree.tree_v_start;
  double* drive = step->work;
  cr_step_sum_drives(step, tree, drive);
  for (int i = v_start[tree]; i < v_start[tree + 1] && force->line.num_lines > 0; i++)
    tau[i] += step->line_tau[i];
  cr_actuator_clamp_drives(force, v_start[tree], v_start[tree + 1], drive, step->is_held);
  cr_external_add_borne(step->model, tree, &step->kinematics, -1, drive);
  for (int i = v_start[tree]; i < v_start[tree + 1]; i++) tau[i] += drive[i];
}

/* --- In A ---------------------------------------------------------------------------------------
 */

int cr_step_line_tree(const cr_step* step, int line) {
  const cr_line_model* model = &step->model->force.line;
  if (cr_line_is_still(model, line)) return -1;
  return step->model->tree.link_tree[model->link[model->start[line]]];
}

double cr_step_line_weight(const cr_step* step, int line) {
  cr_theta theta = step->theta[cr_step_line_tree(step, line)];
  double dt = step->dt;
  line_force p = find_force(step, line);
  cr_weight w = cr_damping_of_line(step, line);
  const cr_tendon_model* n = &step->model->force.tendon;
  double inertia = line < n->num_tendons ? n->armature[line] : 0;
  return inertia + (theta.q * theta.vq + w.end) * dt * dt * p.stiffness +
         (theta.v + w.rate) * dt * p.damping;
}

double cr_step_lines_energy(const cr_step* step) {
  const cr_sim_plan* plan = &step->sim->plan;
  double sum = 0;
  for (int i = 0; i < step->model->force.line.num_lines && plan->num_joined; i++) {
    if (!plan->is_joined[i]) continue;
    sum += find_force(step, i).stiffness * step->lines.length[i] * step->lines.length[i];
  }
  return sum;
}
