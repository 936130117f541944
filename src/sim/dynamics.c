/* Quantities of a model at a configuration, in the user's coordinates.
 *
 * The algorithms of tree/ work with internal velocities u = T(q) v, which differ from the
 * interface's v where a free joint's anchor is off the frame's origin. So forces are Tᵀ f, the mass
 * matrix is Tᵀ M T, Jacobians are J T, and accelerations carry the rate of T (tree/coordinates.h).
 * Constraints and contacts are left to the simulation. */
#include "carom/dynamics.h"

#include "base/copy.h"
#include "base/error.h"
#include "force/actuator.h"
#include "force/tendon.h"
#include "force/tendon_inertia.h"
#include "sim/sense/sensing.h"
#include "sim/soft/soft_sums.h"
#include "sim/tree/external.h"
#include "tree/algorithms.h"

#include <math.h>
#include <string.h>

struct carom_dynamics {
  carom_allocator allocator;
  const carom_model* model;
  cr_arena arena;
  double *q, *v, *u, *ctrl, *act; /* u: internal velocities */
  cr_tree_kinematics kinematics;
  cr_tree_velocities velocities;
  cr_tree_scratch scratch;
  sv* external;              /* [num_links] springs between points, fluid, what bears weight */
  double *x, *y, *z, *drive; /* [num_v] work */
  double* input;             /* [num_inputs] what actuators' forces depend on */
  cr_tendon_inertia inertia;
  cr_lines lines;
  double* tree_M; /* dense mass matrix of the largest tree */
  double* u_dot;  /* [num_v] internal; where there are sensors, as the next */
  cr_sensing sensing;
};

/* --- Creation -----------------------------------------------------------------------------------
 */

static int count_largest_tree(const cr_tree_model* tree) {
  int largest = 0;
  for (int t = 0; t < tree->num_trees; t++) {
    int n = tree->tree_v_start[t + 1] - tree->tree_v_start[t];
    if (n > largest) largest = n;
  }
  return largest;
}

static bool make_workspace(carom_dynamics* d) {
  const cr_tree_model* tree = &d->model->tree;
  int largest = count_largest_tree(tree);
  d->q = CR_PUSH(&d->arena, double, d->model->num_q);
  d->ctrl = CR_PUSH(&d->arena, double, d->model->force.num_controls);
  d->act = CR_PUSH(&d->arena, double, d->model->force.num_activations);
  double** vectors[] = {&d->v, &d->u, &d->x, &d->y, &d->z, &d->drive};
  for (int i = 0; i < 6; i++) *vectors[i] = CR_PUSH(&d->arena, double, d->model->num_v);
  d->input = CR_PUSH(&d->arena, double, d->model->force.num_inputs);
  d->external = CR_PUSH(&d->arena, sv, tree->num_links);
  d->tree_M = CR_PUSH(&d->arena, double, (size_t)largest*(size_t)largest);
  if (d->model->sensor.num_sensors) {
    d->u_dot = CR_PUSH(&d->arena, double, tree->num_v);
    if (!cr_sensing_push(&d->arena, d->model, &d->sensing)) return false;
  }
  return cr_tree_push_kinematics(&d->arena, tree, &d->kinematics) &&
         cr_tree_push_velocities(&d->arena, tree, &d->velocities) &&
         cr_tree_push_scratch(&d->arena, tree, &d->scratch) &&
         cr_lines_push(&d->arena, &d->model->force.line, &d->lines) &&
         cr_tendon_inertia_push(&d->arena, &d->model->force, tree->num_v, &d->inertia);
}

carom_status carom_dynamics_create(const carom_model* model, const carom_allocator* allocator,
                                   carom_dynamics** dynamics, carom_error* error) {
  if (!model || !dynamics)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "dynamics: the model is null");
  *dynamics = NULL;
  carom_allocator hooks = cr_allocator_resolve(allocator);
  carom_dynamics* made = cr_alloc_zero(&hooks, sizeof *made);
  if (!made) return cr_error_memory(error);
  made->allocator = hooks;
  made->model = model;
  cr_arena_init(&made->arena, &hooks);
  if (!make_workspace(made)) {
    carom_dynamics_destroy(made);
    return cr_error_memory(error);
  }
  *dynamics = made;
  return carom_dynamics_set(made, NULL, NULL, NULL, error);
}

void carom_dynamics_destroy(carom_dynamics* dynamics) {
  if (!dynamics) return;
  carom_allocator allocator = dynamics->allocator;
  cr_arena_destroy(&dynamics->arena);
  cr_release(&allocator, dynamics, sizeof *dynamics);
}

/* --- Configuration ------------------------------------------------------------------------------
 */

/* Zeros where there is nothing to copy from. */
static void copy_or_zero(const double* from, int n, double* to) {
  for (int i = 0; i < n; i++) to[i] = from ? from[i] : 0;
}

carom_status carom_dynamics_set(carom_dynamics* d, const double* q, const double* v,
                                const double* ctrl, carom_error* error) {
  const cr_tree_model* tree = &d->model->tree;
  CR_TRY(cr_sim_check_finite("q", q, d->model->num_q, error));
  CR_TRY(cr_sim_check_finite("v", v, d->model->num_v, error));
  CR_TRY(cr_sim_check_finite("ctrl", ctrl, d->model->force.num_controls, error));
  copy_or_zero(q ? q : d->model->q_reference, d->model->num_q, d->q);
  copy_or_zero(v, d->model->num_v, d->v);
  copy_or_zero(ctrl, d->model->force.num_controls, d->ctrl);
  copy_or_zero(NULL, d->model->force.num_activations, d->act);
  cr_tree_normalize_mocaps(tree, d->q);
  cr_tree_update_ground(tree, d->q, &d->kinematics, &d->velocities);
  for (int t = 0; t < tree->num_trees; t++) {
    cr_tree_normalize(tree, t, d->q);
    cr_tree_to_internal(tree, t, d->q, d->v, d->u);
    cr_tree_update_kinematics(tree, t, d->q, &d->kinematics);
    cr_tree_update_velocities(tree, t, &d->kinematics, d->u, &d->velocities);
  }
  cr_line_place place = {&d->model->force.line, tree, &d->kinematics, d->q};
  cr_lines_update(&place, &d->lines);
  cr_external_compute(d->model, &d->kinematics, &d->velocities, d->external);
  return cr_error_clear(error);
}

carom_status carom_dynamics_set_activations(carom_dynamics* d, const double* act,
                                            carom_error* error) {
  CR_TRY(cr_sim_check_finite("act", act, d->model->force.num_activations, error));
  copy_or_zero(act, d->model->force.num_activations, d->act);
  return cr_error_clear(error);
}

void carom_dynamics_compute_poses(carom_dynamics* d, double* poses) {
  const cr_body_model* bodies = &d->model->body;
  for (int b = 0; b < bodies->num_bodies; b++) {
    pose X = pose_mul(&d->kinematics.link_pose[bodies->link[b]], &bodies->local[b]);
    v3_store(X.p, poses + 7 * b);
    quat_store(quat_from_m3(&X.R), poses + 7 * b + 3);
  }
}

void carom_dynamics_compute_site_poses(carom_dynamics* d, double* poses) {
  const cr_site_model* sites = &d->model->site;
  for (int i = 0; i < sites->num_sites; i++) {
    pose X = pose_mul(&d->kinematics.link_pose[sites->link[i]], &sites->local[i]);
    v3_store(X.p, poses + 7 * i);
    quat_store(quat_from_m3(&X.R), poses + 7 * i + 3);
  }
}

/* --- Mass matrix --------------------------------------------------------------------------------
 */

/* The tree's block of Tᵀ M T, column by column: e_k is a velocity, what comes out is a force. */
static void add_tree_block(carom_dynamics* d, int tree, double* M) {
  const cr_tree_model* model = &d->model->tree;
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  cr_tree_compute_mass_matrix(model, tree, &d->kinematics, &d->scratch, d->tree_M);
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < n; i++) d->x[start + i] = i == k;
    cr_tree_to_internal(model, tree, d->q, d->x, d->x);
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += d->tree_M[i + (size_t)j * n] * d->x[start + j];
      d->y[start + i] = sum;
    }
    cr_tree_force_to_interface(model, tree, d->q, d->y, d->y);
    double* row = M + (size_t)(start + k) * model->num_v + start;
    CR_COPY(row, d->y + start, n);
  }
}

/* Row of a line over the interface's velocities. */
static void find_row(carom_dynamics* d, int line, double* row) {
  const cr_tree_model* tree = &d->model->tree;
  copy_or_zero(NULL, tree->num_v, row);
  cr_line_add_force(&d->model->force.line, &d->lines, line, 1, row);
  for (int t = 0; t < tree->num_trees; t++) cr_tree_force_to_interface(tree, t, d->q, row, row);
}

/* M += m Jᵀ J of tendons with inertia. */
static void add_tendons(carom_dynamics* d, double* M) {
  const cr_tendon_model* tendons = &d->model->force.tendon;
  size_t n = (size_t)d->model->tree.num_v;
  for (int i = 0; i < tendons->num_tendons && tendons->num_armatures; i++) {
    if (!(tendons->armature[i] > 0)) continue;
    find_row(d, i, d->x);
    for (size_t r = 0; r < n; r++)
      for (size_t c = 0; c < n && d->x[r] != 0; c++)
        M[r * n + c] += tendons->armature[i] * d->x[r] * d->x[c];
  }
}

void carom_dynamics_compute_mass_matrix(carom_dynamics* d, double* M) {
  size_t n = (size_t)d->model->tree.num_v;
  memset(M, 0, sizeof(double) * n * n);
  for (int t = 0; t < d->model->tree.num_trees; t++) add_tree_block(d, t, M);
  add_tendons(d, M);
}

/* --- Forces -------------------------------------------------------------------------------------
 */

/* u_dot of the interface's acceleration a; null: zero. An anchor off its frame's origin circles
 * about it even where a is zero. */
static void accelerate_internal(carom_dynamics* d, int tree, const double* a, double* u_dot) {
  const cr_tree_model* model = &d->model->tree;
  int start = model->tree_v_start[tree], end = model->tree_v_start[tree + 1];
  for (int i = start; i < end; i++) d->z[i] = 0;
  cr_tree_acceleration_to_interface(model, tree, d->q, d->u, d->z, d->z);
  if (a) cr_tree_to_internal(model, tree, d->q, a, u_dot);
  for (int i = start; i < end; i++) u_dot[i] = (a ? u_dot[i] : 0) - d->z[i];
}

/* tau += m Jᵀ l'' of tendons with inertia, at the internal accelerations u_dot; null: zero. */
static void add_tendon_inertia(carom_dynamics* d, const double* u_dot, double* tau) {
  const cr_force_model* f = &d->model->force;
  cr_line_place place = {&f->line, &d->model->tree, &d->kinematics, d->q};
  for (int i = 0; i < f->tendon.num_tendons && f->tendon.num_armatures; i++) {
    if (!(f->tendon.armature[i] > 0)) continue;
    double rate = cr_line_compute_drift(&place, &d->velocities, i);
    if (u_dot) rate += cr_line_compute_rate(&f->line, &d->lines, i, u_dot);
    cr_line_add_force(&f->line, &d->lines, i, f->tendon.armature[i] * rate, tau);
  }
}

void carom_dynamics_compute_inverse(carom_dynamics* d, const double* a, double* force) {
  const cr_tree_model* model = &d->model->tree;
  cr_tree_loads loads = {.gravity = v3_load(d->model->force.gravity)};
  for (int t = 0; t < model->num_trees; t++) {
    accelerate_internal(d, t, a, d->x);
    cr_tree_compute_inverse_dynamics(model, t, &d->kinematics, &d->velocities, d->x, &loads,
                                     &d->scratch, d->y);
  }
  add_tendon_inertia(d, d->x, d->y);
  for (int t = 0; t < model->num_trees; t++)
    cr_tree_force_to_interface(model, t, d->q, d->y, force);
}

void carom_dynamics_compute_bias(carom_dynamics* d, double* bias) {
  carom_dynamics_compute_inverse(d, NULL, bias);
}

/* tau += forces of joint springs, dampers (internal and interface forces agree where there are
 * any). */
static void add_joint_forces(carom_dynamics* d, int tree, double* tau) {
  const cr_joint_state at = {d->q, NULL, d->v};
  cr_force_add_joint_forces(&d->model->force, &d->model->tree, tree, &at, d->z, tau);
}

void carom_dynamics_compute_passive(carom_dynamics* d, double* passive) {
  const cr_tree_model* model = &d->model->tree;
  cr_tree_loads springs = {.link_external = d->external};
  copy_or_zero(NULL, model->num_v, d->x);
  cr_tendon_add_passive(&d->model->force, &d->lines, d->u, d->x);
  for (int t = 0; t < model->num_trees; t++) {
    /* At rest, without gravity, the forces that hold the springs. */
    cr_tree_compute_inverse_dynamics(model, t, &d->kinematics, NULL, NULL, &springs, &d->scratch,
                                     d->y);
    for (int i = model->tree_v_start[t]; i < model->tree_v_start[t + 1]; i++)
      d->y[i] = d->x[i] - d->y[i];
    cr_external_add_borne(d->model, t, &d->kinematics, -1, d->y);
    add_joint_forces(d, t, d->y);
    cr_tree_force_to_interface(model, t, d->q, d->y, passive);
  }
}

/* What an actuator goes by. */
static cr_actuator_state find_state(const carom_dynamics* d, int a) {
  const cr_force_model* force = &d->model->force;
  double gear = force->actuator_gear[a];
  return (cr_actuator_state){
      d->ctrl, d->act, gear * cr_actuator_find_coordinate(force, a, &d->lines, d->q),
      gear * cr_actuator_find_rate(force, a, &d->lines, d->u), d->model->timestep};
}

static void update_inputs(carom_dynamics* d) {
  for (int a = 0; a < d->model->force.num_actuators; a++) {
    cr_actuator_state state = find_state(d, a);
    cr_actuator_compute_inputs(&d->model->force, a, &state, 0, d->input);
  }
}

/* What actuators do to the dofs, internal, into `drive`. */
static void compute_drive(carom_dynamics* d) {
  const cr_force_model* force = &d->model->force;
  copy_or_zero(NULL, d->model->tree.num_v, d->drive);
  update_inputs(d);
  for (int a = 0; a < force->num_actuators; a++) {
    double x = cr_actuator_find_coordinate(force, a, &d->lines, d->q);
    double x_dot = cr_actuator_find_rate(force, a, &d->lines, d->u);
    double share = cr_actuator_find_share(force, force->actuator_line[a], d->input, x, x_dot);
    cr_drive drive = cr_actuator_compute_held_drive(force, a, d->input, x, x_dot, share);
    cr_actuator_add_force(force, a, &d->lines, drive.force, d->drive);
  }
  for (int t = 0; t < d->model->tree.num_trees; t++)
    cr_external_add_borne(d->model, t, &d->kinematics, 1, d->drive);
  cr_actuator_clamp_drives(force, 0, d->model->tree.num_v, d->drive, NULL);
}

void carom_dynamics_compute_actuation(carom_dynamics* d, double* actuation) {
  const cr_tree_model* tree = &d->model->tree;
  compute_drive(d);
  for (int t = 0; t < tree->num_trees; t++)
    cr_tree_force_to_interface(tree, t, d->q, d->drive, actuation);
}

void carom_dynamics_compute_tendons(carom_dynamics* d, double* length, double* rate) {
  const cr_force_model* force = &d->model->force;
  for (int i = 0; i < force->tendon.num_tendons; i++) {
    if (length) length[i] = d->lines.length[i];
    if (rate) rate[i] = cr_line_compute_rate(&force->line, &d->lines, i, d->u);
  }
}

void carom_dynamics_compute_actuators(carom_dynamics* d, double* length, double* rate,
                                      double* force) {
  const cr_force_model* f = &d->model->force;
  update_inputs(d);
  for (int a = 0; a < f->num_actuators; a++) {
    double gear = f->actuator_gear[a], x = cr_actuator_find_coordinate(f, a, &d->lines, d->q);
    double x_dot = cr_actuator_find_rate(f, a, &d->lines, d->u);
    if (length) length[a] = gear * x;
    if (rate) rate[a] = gear * x_dot;
    if (force) force[a] = cr_actuator_compute_held_force(f, a, d->input, x, x_dot);
  }
}

/* A row over the interface's velocities, of an actuator or (before its gear) a line. */
static void convert_row(carom_dynamics* d, double* row) {
  const cr_tree_model* tree = &d->model->tree;
  for (int t = 0; t < tree->num_trees; t++) cr_tree_force_to_interface(tree, t, d->q, row, row);
}

void carom_dynamics_compute_tendon_jacobian(carom_dynamics* d, double* J) {
  const cr_force_model* force = &d->model->force;
  size_t n = (size_t)d->model->tree.num_v;
  memset(J, 0, sizeof(double) * n * (size_t)force->tendon.num_tendons);
  for (int i = 0; i < force->tendon.num_tendons; i++) find_row(d, i, J + n * (size_t)i);
}

void carom_dynamics_compute_actuator_moment(carom_dynamics* d, double* moment) {
  const cr_force_model* force = &d->model->force;
  size_t n = (size_t)d->model->tree.num_v;
  memset(moment, 0, sizeof(double) * n * (size_t)force->num_actuators);
  for (int a = 0; a < force->num_actuators; a++) {
    double* row = moment + n * (size_t)a;
    cr_actuator_add_force(force, a, &d->lines, force->actuator_gear[a], row);
    convert_row(d, row);
  }
}

void carom_dynamics_compute_activation_rates(carom_dynamics* d, double* rates) {
  const cr_force_model* force = &d->model->force;
  for (int a = 0; a < force->num_actuators; a++) {
    cr_actuator_state state = find_state(d, a);
    cr_actuator_compute_rates(force, a, &state, rates);
  }
}

/* --- Accelerations ------------------------------------------------------------------------------
 */

/* What tendons with inertia make of u_dot. */
static void bear_tendons(carom_dynamics* d, double* u_dot) {
  const cr_force_model* f = &d->model->force;
  cr_line_place place = {&f->line, &d->model->tree, &d->kinematics, d->q};
  if (cr_tendon_inertia_update(f, &d->model->tree, &d->kinematics, &d->scratch, &d->lines, d->x,
                               &d->inertia))
    cr_tendon_inertia_apply(&place, &f->tendon, &d->lines, &d->velocities, &d->inertia, u_dot);
}

/* Internal accelerations; see carom_dynamics_compute_forward. */
static carom_status accelerate(carom_dynamics* d, const double* force, bool all, double* u_dot,
                               carom_error* error) {
  const cr_tree_model* model = &d->model->tree;
  cr_tree_loads loads = {v3_load(d->model->force.gravity), all ? d->external : NULL};
  copy_or_zero(force, model->num_v, d->x);
  for (int t = 0; t < model->num_trees; t++) cr_tree_force_to_internal(model, t, d->q, d->x, d->x);
  if (all) compute_drive(d);
  for (int i = 0; i < model->num_v && all; i++) d->x[i] += d->drive[i];
  for (int t = 0; t < model->num_trees && all; t++)
    cr_external_add_borne(d->model, t, &d->kinematics, -1, d->x);
  if (all) cr_tendon_add_passive(&d->model->force, &d->lines, d->u, d->x);
  for (int t = 0; t < model->num_trees && all; t++) add_joint_forces(d, t, d->x);
  for (int t = 0; t < model->num_trees; t++) {
    if (cr_tree_compute_forward_dynamics(model, t, &d->kinematics, &d->velocities, d->x, NULL,
                                         &loads, &d->scratch, u_dot))
      continue;
    int body = d->model->body.link_body[model->tree_link_start[t]];
    return cr_error_set(error, CAROM_ERROR_NUMERICAL,
                        "dynamics: the mass matrix of the tree of body %d is not positive definite",
                        body);
  }
  if (d->model->force.tendon.num_armatures) bear_tendons(d, u_dot);
  return cr_error_clear(error);
}

carom_status carom_dynamics_compute_forward(carom_dynamics* d, const double* force, bool all,
                                            double* a, carom_error* error) {
  CR_TRY(accelerate(d, force, all, d->y, error));
  for (int t = 0; t < d->model->tree.num_trees; t++)
    cr_tree_acceleration_to_interface(&d->model->tree, t, d->q, d->u, d->y, a);
  return CAROM_OK;
}

carom_status carom_dynamics_compute_sensors(carom_dynamics* d, double* readings,
                                            carom_error* error) {
  if (d->model->sensor.num_sensors == 0) return cr_error_clear(error);
  cr_sensing* s = &d->sensing;
  s->model = d->model;
  s->q = d->q, s->v = d->v, s->u = d->u, s->ctrl = d->ctrl, s->act = d->act;
  s->kinematics = &d->kinematics, s->velocities = &d->velocities;
  if (d->model->sensor.needs & CR_NEEDS_ACCELERATION)
    CR_TRY(accelerate(d, NULL, true, d->u_dot, error));
  cr_sensing_update(s, d->u_dot);
  cr_sensing_read(s, readings);
  return cr_error_clear(error);
}

/* --- Jacobians, momentum, energy ----------------------------------------------------------------
 */

void carom_dynamics_compute_jacobian(carom_dynamics* d, int body, const double point[3],
                                     double* linear, double* angular) {
  const cr_tree_model* model = &d->model->tree;
  double* matrices[] = {linear, angular};
  cr_tree_compute_jacobian(model, &d->kinematics, d->model->body.link[body], v3_load(point), linear,
                           angular);
  /* A row times T is the same as Tᵀ times a force. */
  for (int k = 0; k < 6; k++) {
    if (!matrices[k / 3]) continue;
    double* row = matrices[k / 3] + (size_t)(k % 3) * (size_t)model->num_v;
    for (int t = 0; t < model->num_trees; t++) cr_tree_force_to_interface(model, t, d->q, row, row);
  }
}

double carom_dynamics_compute_com(carom_dynamics* d, double com[3]) {
  const cr_tree_model* model = &d->model->tree;
  double mass = model->link_mass[0];
  v3 moment = v3_scale(mass, d->kinematics.link_com[0]);
  for (int i = 0; i < model->num_mocaps; i++) {
    int link = model->mocap_link[i];
    mass += model->link_mass[link];
    moment = v3_axpy(moment, model->link_mass[link], d->kinematics.link_com[link]);
  }
  for (int t = 0; t < model->num_trees; t++)
    cr_tree_add_mass_moment(model, t, &d->kinematics, &mass, &moment);
  cr_soft_sums soft = cr_soft_sum_state(d->model, d->q, d->v);
  mass += soft.mass, moment = v3_add(moment, soft.moment);
  v3_store(mass > 0 ? v3_scale(1 / mass, moment) : v3_zero(), com);
  return mass;
}

void carom_dynamics_compute_momentum(carom_dynamics* d, double linear[3], double angular[3]) {
  const cr_tree_model* model = &d->model->tree;
  sv sum = sv_zero();
  for (int t = 0; t < model->num_trees; t++)
    sum = sv_add(sum, cr_tree_compute_momentum(model, t, &d->kinematics, &d->velocities));
  cr_soft_sums soft = cr_soft_sum_state(d->model, d->q, d->v);
  v3_store(v3_add(sum.lin, soft.momentum), linear);
  v3_store(v3_add(sum.ang, soft.angular_momentum), angular);
}

void carom_dynamics_compute_energy(carom_dynamics* d, double* kinetic, double* potential) {
  carom_energy e =
      cr_sim_sum_energy(d->model, d->q, d->u, &d->kinematics, &d->velocities, &d->lines, d->z);
  carom_energy soft = cr_soft_sum_energy(d->model, d->q, d->v);
  *kinetic = e.kinetic + soft.kinetic;
  *potential = e.potential + e.elastic + soft.potential + soft.elastic;
}
