/* Geometric stiffness of equalities between links and of tendons.
 *
 * A row of the force lambda pulls with Jᵀ lambda, whose direction turns as the bodies do:
 * -d(Jᵀ lambda)/dq = -sum of lambda d²phi/dq². In a chain that holds a heavy load that is far
 * stiffer than the links are heavy, and explicit where J stands at the free motion's q^tq: A
 * without it is stable only for dt omega < 2. With it the balance A (v - v*) = Jᵀ gamma knows how J
 * turns with v - v*. For the midpoint rule a quarter of dt² would do that in full, and leave a
 * stiff mode at the edge of stability, where it turns its sign in every step; half of dt² turns it
 * by a right angle in a step at most, in every scheme, and keeps the order (docs/theory.md).
 *
 * A force f at a point that is r from the joint of a link, or from a free link's centre of mass,
 * turns the link with the stiffness sym((f . r) 1 - f rᵀ), of which the positive semi-definite part
 * counts; the links between that one and the root bear f at the next joint. A string of the length
 * l and the tension T has T / l across its line beside that. Forces are those of the last step. */
#include "sim/rows/tension.h"

#include "math/small.h"
#include "sim/tree/lines.h"

#include <math.h>
#include <string.h>

#define WHOLE 0.5 /* of dt², at least: see above */
#define LEAST                                                                        \
  0.5 /* of a link's inertia: below, dt omega is less than 1 and J may stay explicit \
       */

/* A force on a point of a link. */
typedef struct point_force {
  int link;
  v3 point, force;
  const cr_strand* strand; /* along which it is; null: it stays */
} point_force;

/* What it is added to. */
typedef struct maker {
  cr_step* step;
  cr_blocks* blocks;
  cr_tension* out;
} maker;

/* The positive semi-definite part of a symmetric matrix. */
static m3 keep_positive(const m3* A) {
  double a[9], V[9];
  m3 out = {0};
  memcpy(a, A->m, sizeof a);
  small_eigen(a, 3, V);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3 && a[4 * k] > 0; i++)
      for (int j = 0; j < 3; j++) out.m[i][j] += a[4 * k] * V[3 * i + k] * V[3 * j + k];
  return out;
}

m3 cr_tight_stiffness(v3 force, v3 arm) {
  m3 K = {0};
  const double f[3] = {force.x, force.y, force.z}, r[3] = {arm.x, arm.y, arm.z};
  double along = v3_dot(force, arm);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      K.m[i][j] = (i == j ? along : 0) - 0.5 * (f[i] * r[j] + r[i] * f[j]);
  return K;
}

static double trace(const m3* A) { return A->m[0][0] + A->m[1][1] + A->m[2][2]; }

static double weight_of(const cr_step* step, int tree) {
  cr_theta theta = step->theta[tree];
  return fmax(theta.q * theta.vq, WHOLE) * step->dt * step->dt;
}

v3 cr_tight_pivot(const cr_step* step, int link) {
  const cr_tree_model* model = &step->model->tree;
  int joint = model->link_joint_start[link];
  if (model->joint_type[joint] == CAROM_JOINT_FREE)
    return step->kinematics.origin[model->link_tree[link]];
  return pose_point(&step->kinematics.link_pose[link], v3_load(model->joint_anchor + 3 * joint));
}

static const v3 AXES[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* A += Jᵀ K J with the angular velocity J of a link. */
static bool add_turn(const maker* m, const cr_tight_turn* turn, const m3* K) {
  cr_step* step = m->step;
  cr_blocks* blocks = m->blocks;
  int link = turn->link;
  cr_path path = {.count = 0};
  cr_tight_turn* kept = CR_PUSH(step->problem_arena, cr_tight_turn, 1);
  if (!kept || !cr_path_add_link(step, blocks, link, &path)) return false;
  *kept = *turn, kept->next = m->out->turns, m->out->turns = kept;
  cr_path_finish(blocks, &path);
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double* J = CR_SCRATCH(step->arena, double, 3 * path.columns);
  if (step->arena->failed) return false;
  memset(J, 0, sizeof(double) * 3 * (size_t)path.columns);
  cr_point_rows rows = {1, AXES, 3, J, path.columns};
  cr_path_add_angular_rows(step, blocks, &path, link, &rows);
  cr_blocks_add_form(blocks, &path, K, J, path.columns);
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}

/* The links from a pulled one to its root. */
static bool add_point_force(const maker* m, const point_force* p) {
  const cr_step* step = m->step;
  const cr_tree_model* model = &step->model->tree;
  int tree = model->link_tree[p->link], holder = p->link;
  v3 x = p->point;
  for (int link = p->link; tree >= 0 && model->link_tree[link] == tree;
       link = model->link_parent[link]) {
    v3 pivot = cr_tight_pivot(step, link);
    cr_tight_turn turn = {.link = link,
                          .holder = holder,
                          .force = p->force,
                          .arm = v3_sub(x, pivot),
                          .weight = weight_of(step, tree),
                          .strand = p->strand};
    m3 K = cr_tight_stiffness(turn.force, turn.arm);
    const double* I = model->link_inertia + 6 * link;
    K = keep_positive(&K);
    x = pivot, holder = link;
    double share = turn.weight * trace(&K) / (LEAST * (I[0] + I[1] + I[2]));
    m->out->nearest = fmin(m->out->nearest, fabs(share - 1));
    if (!(share > 1)) continue;
    K = m3_scale(turn.weight, &K);
    if (!add_turn(m, &turn, &K)) return false;
  }
  return true;
}

/* Force along a row in the last step, N. */
static double find_force(const cr_step* step, cr_contact_key key) {
  const cr_contact_memory* memory = step->guess;
  const cr_contact_record* record = cr_contact_memory_find(memory, key);
  return record && memory->dt > 0 ? record->impulse[0] / memory->dt : 0;
}

static double find_equality_force(const cr_step* step, int index, int row) {
  return find_force(
      step, (cr_contact_key){.pair = CR_KEY_EQUALITY | (unsigned)index, .feature = (unsigned)row});
}

/* What a row pulls with at its second link, and the opposite at the first. */
static bool add_row(const maker* m, const cr_model_row* row, v3 force) {
  const cr_step* step = m->step;
  const cr_equality_model* e = &step->model->equality;
  for (int k = 0; k < 2; k++) {
    int link = e->link[2 * row->index + k];
    point_force p = {
        link,
        pose_point(&step->kinematics.link_pose[link], v3_load(e->anchor + 6 * row->index + 3 * k)),
        k ? force : v3_neg(force), NULL};
    if (!add_point_force(m, &p)) return false;
  }
  return true;
}

/* Whether a row is the first of the three that hold a point of a link on a point of another. */
static bool begins(const cr_step* step, const cr_model_row* row) {
  const cr_equality_model* e = &step->model->equality;
  return row->rule == CR_ROW_EQUALITY && row->is_active && !row->barycentric && row->row == 0 &&
         !cr_equality_is_coupling(e, row->index) && e->type[row->index] != CAROM_EQUALITY_DISTANCE;
}

/* --- Strings ------------------------------------------------------------------------------------
 */

/* Tension of a tendon by its limits and the equalities that it is in, N. */
static double find_tendon_tension(const cr_step* step, int tendon) {
  const cr_equality_model* e = &step->model->equality;
  double tension = 0;
  for (unsigned side = 0; side < 2 && step->model->force.tendon.limited[tendon]; side++) {
    cr_contact_key key = {.pair = CR_KEY_LIMIT | UINT64_C(1) << 32 | (unsigned)tendon,
                          .feature = side};
    tension += (side ? 1 : -1) * find_force(step, key);
  }
  for (int i = 0; i < e->num_equalities; i++)
    if (e->type[i] == CAROM_EQUALITY_TENDON && e->tendon[2 * i] == tendon)
      tension -= find_equality_force(step, i, 0);
  return tension;
}

/* How far beyond where it begins to be tight, from 1; and what it adds to A. */
static double find_tightness(const cr_step* step, cr_strand* s) {
  const cr_tree_model* model = &step->model->tree;
  double length = v3_norm(v3_sub(s->point[1], s->point[0])), mass = INFINITY;
  int tree = cr_step_find_tree(step, s->link[0], s->link[1]);
  for (int k = 0; k < 2; k++)
    if (model->link_tree[s->link[k]] >= 0) mass = fmin(mass, model->link_mass[s->link[k]]);
  if (tree < 0 || !(length > 0)) return 0;
  s->weight = weight_of(step, tree) * s->tension / length;
  return s->weight / (LEAST * mass);
}

static void add_strand(cr_step* step, cr_strand* strand) {
  double tightness = find_tightness(step, strand);
  step->nearest_strand = fmin(step->nearest_strand, fabs(tightness - 1));
  if (tightness > 1) step->strands[step->num_strands++] = *strand;
}

static void find_distance(cr_step* step, int index) {
  const cr_equality_model* e = &step->model->equality;
  cr_strand s = {.tension = -find_equality_force(step, index, 0)};
  for (int k = 0; k < 2; k++) {
    s.link[k] = e->link[2 * index + k];
    s.point[k] =
        pose_point(&step->kinematics.link_pose[s.link[k]], v3_load(e->anchor + 6 * index + 3 * k));
  }
  add_strand(step, &s);
}

static void find_tendon(cr_step* step, int tendon, cr_line_strand* parts) {
  double tension = find_tendon_tension(step, tendon);
  if (!(tension > 0)) return;
  cr_line_place place = cr_step_line_place(step);
  int count = cr_line_find_strands(&place, tendon, parts);
  for (int k = 0; k < count; k++) {
    cr_strand s = {{parts[k].link[0], parts[k].link[1]},
                   {parts[k].point[0], parts[k].point[1]},
                   parts[k].share * tension,
                   parts[k].is_wound,
                   0};
    add_strand(step, &s);
  }
}

bool cr_tension_find_strands(cr_step* step) {
  const carom_model* m = step->model;
  int num_points = m->force.line.num_points;
  step->strands =
      CR_PUSH(step->problem_arena, cr_strand, m->equality.num_equalities + 2 * num_points);
  step->num_strands = 0, step->nearest_strand = INFINITY;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  cr_line_strand* parts = CR_SCRATCH(step->arena, cr_line_strand, 2 * num_points);
  if (step->problem_arena->failed || step->arena->failed) return false;
  for (int i = 0; i < m->equality.num_equalities; i++)
    if (m->equality.active[i] && m->equality.type[i] == CAROM_EQUALITY_DISTANCE)
      find_distance(step, i);
  for (int i = 0; i < m->force.tendon.num_tendons; i++) find_tendon(step, i, parts);
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}

/* A += Jᵀ K J with the relative velocity J of the string's ends, K = T / l across it. */
static bool add_across(cr_step* step, cr_blocks* blocks, const cr_strand* s) {
  cr_path path;
  cr_path_find_links(step, blocks, s->link, &path);
  if (path.count == 0) return true;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double* J = CR_SCRATCH(step->arena, double, 3 * path.columns);
  if (step->arena->failed) return false;
  memset(J, 0, sizeof(double) * 3 * (size_t)path.columns);
  for (int k = 0; k < 2; k++) {
    cr_mover_point point = {.link = s->link[k], .place = s->point[k]};
    cr_point_rows rows = {k ? 1 : -1, AXES, 3, J, path.columns};
    cr_path_add_point_rows(step, blocks, &path, &point, &rows);
  }
  v3 d = v3_sub(s->point[1], s->point[0]);
  double length = v3_norm(d);
  m3 I = m3_identity(), nn = m3_outer(d, d);
  nn = m3_scale(-1 / (length * length), &nn);
  m3 K = m3_add(&I, &nn);
  K = m3_scale(s->weight, &K);
  cr_blocks_add_form(blocks, &path, &K, J, path.columns);
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}

static bool add_string(const maker* m, const cr_strand* s) {
  v3 d = v3_sub(s->point[1], s->point[0]);
  v3 force = v3_scale(s->tension / v3_norm(d), d);
  for (int k = 0; k < 2; k++) {
    point_force p = {s->link[k], s->point[k], k ? v3_neg(force) : force, s};
    if (!add_point_force(m, &p)) return false;
  }
  return add_across(m->step, m->blocks, s);
}

/* --- All ----------------------------------------------------------------------------------------
 */

bool cr_tension_add_blocks(cr_step* step, const cr_model_rows* rows, cr_blocks* blocks,
                           cr_tension* out) {
  const maker m = {step, blocks, out};
  *out = (cr_tension){NULL, step->strands, step->num_strands, step->nearest_strand};
  for (int i = 0; i < rows->count; i++) {
    if (!begins(step, &rows->items[i])) continue;
    int index = rows->items[i].index;
    v3 force = v3_zero();
    for (int k = 0; k < 3; k++)
      force = v3_axpy(force, find_equality_force(step, index, k), AXES[k]);
    if (!add_row(&m, &rows->items[i], force)) return false;
  }
  for (int i = 0; i < step->num_strands; i++)
    if (!add_string(&m, &step->strands[i])) return false;
  return true;
}
