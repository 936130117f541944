#include "sim/contact/rolling.h"

#include "geom/collide.h"
#include "math/quat.h"
#include "tree/algorithms.h"
#include "tree/coordinates.h"

#include <math.h>

#define TURN 0.2 /* rad in a step, beyond which the last three say little of the next */

bool cr_rolling_may_go_on(const cr_step* step, int tree) {
  const cr_tree_model* model = &step->model->tree;
  if (!model->tree_is_free_link[tree] || step->sim->memory.dt != step->dt) return false;
  return step->dt * v3_norm(v3_load(step->v + model->tree_v_start[tree] + 3)) <= TURN;
}

double cr_rolling_extrapolate(double now, const double before[2]) {
  return 3 * now - 3 * before[0] + before[1];
}

/* --- What is foreseen ---------------------------------------------------------------------------
 */

static bool is_midpoint(cr_theta theta) {
  return theta.q == 0.5 && theta.vq == 0.5 && theta.v == 0.5;
}

static bool is_known(const cr_step* step, int tree) {
  const carom_sim* sim = step->sim;
  int i = step->model->tree.tree_v_start[tree];
  return isfinite(sim->a_rolled[step->model->num_v + i]) && isfinite(sim->a_loaded[i]) &&
         is_midpoint(step->theta[tree]) && sim->memory.dt == step->dt;
}

static void foresee(const cr_step* step, int tree, double* v, double* q_end, sv* mean) {
  const cr_tree_model* model = &step->model->tree;
  const carom_sim* sim = step->sim;
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++) {
    double end = step->relinearised ? step->v_lin[i] : step->v0[i] + step->dt * sim->a_loaded[i];
    v[i] = 0.5 * (step->v0[i] + end);
  }
  cr_rotation_update update = cr_step_find_rotation(step);
  cr_tree_advance(model, tree, sim->q, v, step->dt, step->theta[tree].q, update, q_end);
  cr_tree_update_link_velocities(model, tree, &step->kinematics, v, mean);
}

bool cr_rolling_foresee(cr_step* step, const cr_rolling** rolling) {
  const cr_tree_model* model = &step->model->tree;
  int count = 0;
  *rolling = NULL;
  if (step->sim->def.sigma > 0) return true; /* all creeps */
  for (int t = 0; t < model->num_trees; t++) count += is_known(step, t);
  if (count == 0) return true;
  cr_rolling* out = CR_PUSH(step->arena, cr_rolling, 1);
  bool* known = CR_PUSH(step->arena, bool, model->num_trees);
  double* v = CR_PUSH(step->arena, double, step->model->num_v);
  double* q_end = CR_PUSH(step->arena, double, step->model->num_q);
  sv* mean = CR_PUSH(step->arena, sv, model->num_links);
  if (step->arena->failed) return false;
  for (int t = 0; t < model->num_trees; t++) {
    known[t] = is_known(step, t);
    if (known[t]) foresee(step, t, v, q_end, mean);
  }
  *out = (cr_rolling){known, q_end, mean};
  *rolling = out;
  return true;
}

/* --- Where a contact is -------------------------------------------------------------------------
 */

static bool is_foreseen(const cr_scan* s, int link) {
  int tree = s->step->model->tree.link_tree[link];
  return tree < 0 || s->rolling->is_known[tree];
}

/* Of both surfaces, with what rolls at its configuration in q. */
static double find_distance(const cr_scan* s, const cr_contact_point* point, const double* q) {
  const carom_model* model = s->step->model;
  pose X[2];
  v3 a, b, normal;
  for (int k = 0; k < 2; k++) {
    int geom = point->geom[k], link = point->link[k];
    X[k] = s->poses[geom];
    if (model->tree.link_tree[link] < 0) continue;
    const double* at = q + model->tree.joint_q_start[model->tree.link_joint_start[link]];
    const pose body = {v3_load(at), quat_to_m3(quat_normalize(quat_load(at + 3)))};
    X[k] = pose_mul(&body, &model->geom.local[geom]);
  }
  const cr_shape* shape = model->geom.shape;
  return cr_geom_compute_distance(&shape[point->geom[0]], &X[0], &shape[point->geom[1]], &X[1], &a,
                                  &b, &normal);
}

/* How B turns about A, the mean of the step. */
static v3 find_spin(const cr_scan* s, const cr_contact_point* point) {
  v3 w[2];
  for (int k = 0; k < 2; k++) {
    bool moves = s->step->model->tree.link_tree[point->link[k]] >= 0;
    w[k] = moves ? s->rolling->mean[point->link[k]].ang : v3_zero();
  }
  return v3_sub(w[1], w[0]);
}

v3 cr_rolling_find_start(const cr_contact_point* point, const double* v0, int rows) {
  v3 now = point->extra && point->extra->drifts ? point->extra->drift : v3_zero();
  for (int k = 0; k < 2; k++) now = v3_axpy(now, v0[k], point->tangent[k]);
  v3 sum = v3_add(now, point->slip);
  return v3_scale(0.5, v3_axpy(sum, v0[rows - 1] + point->record->rise, point->normal));
}

/* Farther than a contact can have rolled its point does not go: what touches is another feature. */
static double find_farthest(const cr_scan* s, const cr_contact_point* point, v3 spin) {
  double arm = INFINITY;
  for (int k = 0; k < 2; k++)
    if (s->step->model->tree.link_tree[point->link[k]] >= 0)
      arm = fmin(arm, v3_norm(v3_sub(point->position, s->poses[point->geom[k]].p)));
  return s->step->dt * v3_norm(spin) * arm;
}

/* The gap closes at the rate that the normal velocity has at one point of the contact's plane, a
 * discrete gradient of the distance: with w the relative spin, a shift d changes it by d · (n × w).
 * It is of second order in the length of the step. */
bool cr_rolling_place(const cr_scan* s, cr_contact_point* point, double* distance) {
  if (isfinite(point->stiffness) || !point->record) return false;
  if (isnan(point->slip.x) || isnan(point->record->began[1][0])) return false;
  if (!is_foreseen(s, point->link[0]) || !is_foreseen(s, point->link[1])) return false;
  double dt = s->step->dt, start = find_distance(s, point, s->step->sim->q);
  double end = find_distance(s, point, s->rolling->q_end);
  const cr_motion mean = {s->rolling->mean, NULL};
  v3 v = cr_contact_find_relative_velocity(s->step, &mean, point);
  v3 spin = find_spin(s, point), across = v3_cross(point->normal, spin);
  double rest = (end - start) / dt - v3_dot(point->normal, v);
  v3 shift = v3_scale(rest / v3_norm2(across), across);
  double farthest = find_farthest(s, point, spin);
  if (!(v3_norm(shift) <= farthest && fabs(start) <= dt * v3_norm(spin) * farthest)) return false;
  point->position = v3_add(point->position, shift);
  *distance = start;
  return true;
}
