/* Bounds of recovery. A row's v_hat is the speed at which its violation is closed. Where the
 * mechanism has no lever its joints would have to turn at any speed to follow; so what is bounded
 * is the motion q_dot of least size that closes the violations, in the measure of mobility.h,
 *
 *   |q_dot|² = v_hatᵀ (J D⁻¹ Jᵀ)⁻¹ v_hat  <=  sum over constraints of s²
 *
 * with the recovery speed s: bodies get about that speed, and as constraints change velocities with
 * the least energy, no more of that than such a motion has. One-sided rows are taken one by one,
 * equalities with all that share trees with them; these may close by SHARE of the motion that their
 * links have against each other, since what they miss in a step grows with it, and those with mocap
 * bodies by what the distance asks for.
 *
 * A row along which the mechanism cannot move, or not once others are held, repeats or contradicts
 * these (an over-constrained loop), and presses in vain. It is left out: where its mobility, of
 * equalities a pivot of Cholesky's factorisation of J D⁻¹ Jᵀ, is below REDUNDANT of that of bodies
 * that are free. */
#include "sim/recovery.h"

#include "math/scalar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_R        1e-8 /* of W_ii, rigid contact: sinks 1e-8 g dt² under its own weight */
#define DEEP_R         1e-3 /* of W_ii over its share, where the recovery speed is reached */
#define EQUALITY_R     1e-9 /* of W_ii: see docs/solver.md */
#define REDUNDANT      3e-6 /* of mobilities: an axis off by 2e-3 leaves so much of a planar loop */
#define SHARE          0.3  /* of the links' speed against each other, with which they may close */
#define SLACK          10   /* of the energy that a row's recovery takes alone */
#define LEFT_OUT_R     1e3  /* of the links' inverse masses */
#define MOST_JOINT     192  /* rows that are looked at together */
#define LEAST_MOBILITY 1e-300

static bool is_rigid_equality(const cr_constraint* c) {
  return c->rule == CR_ROW_EQUALITY && isinf(c->stiffness) && !c->is_soft;
}

/* The tree of the k-th block of a group. */
static int find_tree(const cr_recovery* r, const cr_problem_group* g, int k) {
  int block = r->out->problem.group_block[g->block_start + k];
  return cr_blocks_find_tree(r->step, &r->out->blocks, block);
}

/* Marks the trees that rigid equalities hold; returns whether there are any. */
static bool mark_held(cr_recovery* r) {
  const cr_problem* p = &r->out->problem;
  bool any = false;
  if (r->step->model->equality.num_equalities == 0) return false;
  for (int g = 0; g < p->num_groups; g++) {
    const cr_problem_group* group = &p->group[g];
    bool is_held = false;
    for (int i = 0; i < group->constraint_count && !is_held; i++)
      is_held = is_rigid_equality(&r->out->constraints[r->out->order[group->constraint_start + i]]);
    for (int k = 0; k < group->block_count && is_held; k++)
      r->is_held[find_tree(r, group, k)] = true;
    any |= is_held;
  }
  return any;
}

bool cr_recovery_init(cr_step* step, cr_step_problem* out, cr_recovery* recovery) {
  cr_arena* arena = step->problem_arena;
  int num_trees = step->model->tree.num_trees + step->model->soft.num_parts;
  double mass = 0;
  for (int k = 0; k < out->blocks.num_trees; k++)
    if (out->blocks.trees[k] < step->model->tree.num_trees)
      mass += step->sim->plan.mass[out->blocks.trees[k]];
  *recovery = (cr_recovery){.step = step, .out = out};
  out->load = mass * v3_norm(v3_load(step->model->force.gravity)) * step->dt;
  out->recovery = CR_PUSH(arena, double, out->problem.num_rows);
  recovery->is_held = CR_PUSH(arena, bool, num_trees);
  recovery->x = CR_PUSH(arena, double, step->model->num_v);
  if (arena->failed || !cr_mobilities_init(step, arena, &recovery->mobilities)) return false;
  for (int i = 0; i < out->problem.num_rows; i++) out->recovery[i] = INFINITY;
  memset(recovery->is_held, 0, sizeof(bool) * (size_t)num_trees);
  memset(recovery->x, 0, sizeof(double) * (size_t)step->model->num_v);
  if (mark_held(recovery)) recovery->late = CR_PUSH(arena, cr_late_row, out->num_constraints);
  return !arena->failed;
}

/* --- Rows ---------------------------------------------------------------------------------------
 */

/* x += a row of J over the model's dofs; or, where it is not added, its product with x. */
static double visit_row(const cr_recovery* r, cr_row_place at, bool adds, double* x) {
  const cr_problem* p = &r->out->problem;
  const int* segment = r->out->blocks.block_segment;
  const cr_problem_group* g = &p->group[at.group];
  const double* J = p->J + g->J_start + (int64_t)(at.row - g->row_start) * g->stride;
  double sum = 0;
  for (int k = 0; k < g->block_count; k++) {
    int block = p->group_block[g->block_start + k], size = p->pattern.size[block];
    double* part = x + r->step->model->tree.segment_v_start[segment[block]];
    if (adds)
      scalar_axpy(part, 1, J, size, part);
    else
      sum += scalar_dot(J, part, size);
    J += size;
  }
  return sum;
}

/* r.x = the motion of most velocity along a row, over the model's dofs; or zero again. */
static void respond(cr_recovery* r, cr_row_place at, bool is_on) {
  const cr_problem_group* g = &r->out->problem.group[at.group];
  const int* v_start = r->step->model->tree.tree_v_start;
  if (is_on) visit_row(r, at, true, r->x);
  for (int k = 0, last = -1; k < g->block_count; k++) {
    int tree = find_tree(r, g, k);
    if (tree == last) continue;
    last = tree;
    if (is_on)
      cr_mobility_apply(r->step, tree, &r->mobilities, r->x);
    else
      memset(r->x + v_start[tree], 0, sizeof(double) * (size_t)(v_start[tree + 1] - v_start[tree]));
  }
}

static double row_mobility(cr_recovery* r, cr_row_place at) {
  respond(r, at, true);
  double mobility = visit_row(r, at, false, r->x);
  respond(r, at, false);
  return mobility;
}

/* Of two links together; a link of -1 has none. */
static cr_mobility sum_links(const cr_recovery* r, const int link[2]) {
  cr_mobility sum = {0, 0};
  for (int k = 0; k < 2; k++) {
    if (link[k] < 0) continue;
    cr_mobility m = cr_mobility_of_link(r->step, link[k]);
    sum.linear += m.linear, sum.angular += m.angular;
  }
  return sum;
}

/* Inverse masses of two links, 1/kg; 0 where they have none that moves. */
static double sum_inverse_masses(const cr_recovery* r, const int link[2]) {
  const cr_tree_model* model = &r->step->model->tree;
  double sum = 0;
  for (int k = 0; k < 2; k++)
    if (link[k] >= 0 && link[k] < model->num_links && model->link_tree[link[k]] >= 0)
      sum += 1 / model->link_mass[link[k]];
  return sum;
}

/* R of a row that holds nothing. */
static double find_loose_R(const cr_recovery* r, const int link[2], double W) {
  double mass = sum_inverse_masses(r, link);
  return LEFT_OUT_R * (isfinite(mass) && mass > W ? mass : scalar_max(W, LEAST_MOBILITY));
}

/* --- One-sided rows -----------------------------------------------------------------------------
 */

static bool is_soft(const cr_recovery* r, const int link[2]) {
  int num_links = r->step->model->tree.num_links;
  return link[0] >= num_links || link[1] >= num_links;
}

/* Mobility of a row's links; its own where none are given. */
static double reference_mobility(const cr_recovery* r, const int link[2], double own) {
  double mobility = sum_links(r, link).linear;
  return mobility > 0 ? mobility : own;
}

/* All rows carry the same trace of compliance, overlapping or not, so that the points of a patch
 * stay consistent; deep overlaps more, so that bodies wedged between overlaps that cannot all open
 * get bounded forces, but never so much that a load would press them deeper.
 * @param share of its links' mobility that the row has */
static void bound_contact(cr_recovery* r, const cr_late_row* row, double share) {
  double *v_hat = &r->out->problem.v_hat[row->at.row], *R = &r->out->problem.R[row->at.row];
  double speed = r->step->sim->def.recovery_speed, wanted = scalar_max(*v_hat, 0), W = row->W;
  if (!(share > REDUNDANT)) {
    *v_hat = scalar_min(*v_hat, 0), *R = find_loose_R(r, row->link, W);
    return;
  }
  double most = speed * sqrt(scalar_min(share, 1)), opening = scalar_min(wanted, most);
  double depth = most > 0 ? opening / most : 0, deep = DEEP_R * depth * depth * W;
  if (share < 1) deep /= share;
  if (r->out->load > 0) deep = scalar_min(deep, opening / (2 * r->out->load));
  *v_hat = scalar_min(*v_hat, most);
  *R = scalar_max(LEAST_R * W, deep);
  r->out->recovery[row->at.row] = SLACK * most * most / scalar_max(W, LEAST_MOBILITY);
}

/* Whether equalities hold one of the row's trees. */
static bool is_held(const cr_recovery* r, cr_row_place at) {
  const cr_problem_group* g = &r->out->problem.group[at.group];
  for (int k = 0; k < g->block_count; k++)
    if (r->is_held[find_tree(r, g, k)]) return true;
  return false;
}

/* What is as mobile as the masses of its links, as between free bodies, needs no closer look; soft
 * bodies have no lever arms. */
void cr_recovery_bound_contact(cr_recovery* r, const int link[2], cr_row_place at, double W) {
  cr_late_row row = {at, {link[0], link[1]}, W};
  if (is_soft(r, link)) {
    bound_contact(r, &row, 1);
  } else if (r->late && r->out->problem.v_hat[at.row] > 0 && is_held(r, at)) {
    r->late[r->num_late++] = row;
  } else if (W >= sum_inverse_masses(r, link)) {
    bound_contact(r, &row, 1);
  } else {
    double mobility = row_mobility(r, at);
    bound_contact(r, &row, mobility / reference_mobility(r, link, mobility));
  }
}

/* --- Equalities ---------------------------------------------------------------------------------
 */

/* A rigid equality row of the problem, or one of those that are late. */
typedef struct equality_row {
  int place;       /* constraint of the problem; -1: it is late */
  int late;        /* which one */
  cr_row_place at; /* in the problem */
  int tree;        /* one of its trees; later the first of all that equalities join */
  double mobility; /* of its links, linear or angular as the row */
  double own;      /* mobility of the row itself */
  double linear, angular;
  uint64_t pair; /* of its key */
  uint32_t feature;
} equality_row;

/* By trees; equalities before what is late, by their keys. */
static int compare_rows(const void* a, const void* b) {
  const equality_row *x = a, *y = b;
  if (x->tree != y->tree) return x->tree < y->tree ? -1 : 1;
  if ((x->place < 0) != (y->place < 0)) return x->place < 0 ? 1 : -1;
  if (x->place < 0) return x->late - y->late;
  if (x->pair != y->pair) return x->pair < y->pair ? -1 : 1;
  return (x->feature > y->feature) - (x->feature < y->feature);
}

static int find_root(int* parent, int tree) {
  while (parent[tree] != tree) tree = parent[tree] = parent[parent[tree]];
  return tree;
}

/* Joins the trees of a group's blocks that equalities hold; returns one of them. */
static int join_trees(const cr_recovery* r, const cr_problem_group* g, int* parent) {
  int first = -1;
  for (int k = 0; k < g->block_count; k++) {
    int tree = find_tree(r, g, k);
    if (!r->is_held[tree]) continue;
    if (first < 0) first = tree;
    int a = find_root(parent, first), b = find_root(parent, tree);
    parent[a > b ? a : b] = a > b ? b : a;
  }
  return first;
}

/* Mobility of a row's links; that of joints and tendons is the row's own. */
static void measure_row(cr_recovery* r, const cr_constraint* c, equality_row* row) {
  cr_mobility sum = sum_links(r, c->link);
  if (!(sum.linear > 0 && sum.angular > 0 && isfinite(sum.angular)))
    sum.linear = sum.angular = scalar_max(row_mobility(r, row->at), LEAST_MOBILITY);
  row->mobility = c->is_angular ? sum.angular : sum.linear;
  row->linear = sum.linear, row->angular = sum.angular;
}

static void list_group(cr_recovery* r, int group, int* parent, equality_row* rows, int* count) {
  const cr_problem* p = &r->out->problem;
  const cr_problem_group* g = &p->group[group];
  for (int i = g->constraint_start; i < g->constraint_start + g->constraint_count; i++) {
    const cr_constraint* c = &r->out->constraints[r->out->order[i]];
    if (!is_rigid_equality(c)) continue;
    equality_row* row = &rows[(*count)++];
    *row = (equality_row){.place = i,
                          .at = {group, p->row[i]},
                          .tree = join_trees(r, g, parent),
                          .pair = c->key.pair,
                          .feature = c->key.feature};
    measure_row(r, c, row);
  }
}

/* Lists the rigid equality rows and what is late, those that share trees side by side; false when
 * memory ran out. */
static bool list_rows(cr_recovery* r, equality_row* rows, int* count) {
  int num_trees = r->step->model->tree.num_trees + r->step->model->soft.num_parts;
  int* parent = CR_SCRATCH(r->step->problem_arena, int, num_trees);
  *count = 0;
  if (!parent) return false;
  for (int t = 0; t < num_trees; t++) parent[t] = t;
  for (int g = 0; g < r->out->problem.num_groups; g++) list_group(r, g, parent, rows, count);
  for (int i = 0; i < r->num_late; i++) {
    const cr_late_row* late = &r->late[i];
    const cr_problem_group* g = &r->out->problem.group[late->at.group];
    double mobility = sum_links(r, late->link).linear;
    rows[*count] = (equality_row){.place = -1,
                                  .late = i,
                                  .at = late->at,
                                  .tree = join_trees(r, g, parent),
                                  .mobility = mobility > 0 ? mobility : row_mobility(r, late->at)};
    if (!(rows[*count].mobility > 0)) rows[*count].mobility = LEAST_MOBILITY;
    ++*count;
  }
  for (int i = 0; i < *count; i++) rows[i].tree = find_root(parent, rows[i].tree);
  qsort(rows, (size_t)*count, sizeof *rows, compare_rows);
  return true;
}

/* The end of the part of a constraint that begins with rows[first]: places, or rotations. */
static int find_part(const equality_row* rows, int first, int count) {
  int end = first + 1;
  while (end < count && rows[end].pair == rows[first].pair &&
         rows[end].feature / 3 == rows[first].feature / 3)
    end++;
  return end;
}

static double sum_squares(const cr_problem* p, const equality_row* rows, int first, int end) {
  double sum = 0;
  for (int i = first; i < end; i++) sum += p->v_hat[rows[i].at.row] * p->v_hat[rows[i].at.row];
  return sum;
}

/* Velocity of a link at its centre of mass at the start of the step. */
static sv find_velocity(const cr_step* step, int link) {
  const cr_tree_model* model = &step->model->tree;
  sv sum = sv_zero();
  if (link < 0 || model->link_tree[link] < 0) return sum;
  v3 origin = step->kinematics.origin[model->link_tree[link]];
  for (int dof = model->link_last_dof[link]; dof >= 0; dof = model->dof_parent[dof])
    sum = sv_add(sum, sv_scale(step->v0[dof], step->kinematics.S[dof]));
  sum.lin = sv_point_velocity(sum, v3_sub(step->kinematics.link_com[link], origin));
  return sum;
}

/* The squared size of the motion of a row's links against each other. */
static double measure_motion(const cr_recovery* r, const cr_constraint* c,
                             const equality_row* row) {
  sv a = find_velocity(r->step, c->link[0]), b = find_velocity(r->step, c->link[1]);
  double size2 = row->linear / row->angular;
  return v3_norm2(v3_sub(a.lin, b.lin)) + size2 * v3_norm2(v3_sub(a.ang, b.ang));
}

/* The squared size of the motion that may close a part whose closing speed squared is wanted2. */
static double allow_part(const cr_recovery* r, const equality_row* row, double wanted2) {
  const cr_constraint* c = &r->out->constraints[r->out->order[row->place]];
  double speed = r->step->sim->def.recovery_speed, size2 = speed * speed;
  double time = scalar_max(r->step->sim->def.mocap_time, r->step->dt), share = r->step->dt / time;
  size2 = scalar_max(size2, SHARE * SHARE * measure_motion(r, c, row));
  return c->is_mocap ? scalar_max(size2, share * share * wanted2 / row->mobility) : size2;
}

/* Bounds the speeds at which violations are closed, whatever that takes, what is out of place going
 * straight; returns the squared size of the motion that all may take together. */
static double bound_speeds(cr_recovery* r, const equality_row* rows, int count) {
  double allowed = 0;
  for (int first = 0, end; first < count; first = end) {
    end = find_part(rows, first, count);
    double wanted2 = sum_squares(&r->out->problem, rows, first, end);
    double size2 = allow_part(r, &rows[first], wanted2), most2 = size2 * rows[first].mobility;
    for (int i = first; i < end && wanted2 > most2; i++)
      r->out->problem.v_hat[rows[i].at.row] *= sqrt(most2 / wanted2);
    allowed += size2;
  }
  return allowed;
}

/* The lower half of the rows' mobilities together, J D⁻¹ Jᵀ with D of radius2, each in units of its
 * links'. [count, count] */
static void compute_mobilities(cr_recovery* r, const equality_row* rows, int count, double* W) {
  for (int j = 0; j < count; j++) {
    respond(r, rows[j].at, true);
    for (int i = j; i < count; i++)
      W[i * count + j] =
          visit_row(r, rows[i].at, false, r->x) / sqrt(rows[i].mobility * rows[j].mobility);
    respond(r, rows[j].at, false);
  }
}

/* An entry of a symmetric matrix of which the lower half is kept. */
static double* entry(double* W, int count, int i, int j) {
  return &W[i > j ? i * count + j : j * count + i];
}

/* Cholesky's factorisation of the first rows with the largest pivot first, until none is above
 * REDUNDANT. Solves L z = y on the way; returns |z|², the squared size of the motion that has
 * velocities y.
 * @param num_first rows that may be pivots
 * @param W [count, count] its lower half; left is that of the other rows once those with pivots are
 *          held
 * @param y [count] spoiled
 * @param is_held [count] receives which rows have pivots */
static double factor_rows(int num_first, int count, double* W, double* y, bool* is_held) {
  double sum = 0;
  for (int i = 0; i < count; i++) is_held[i] = false;
  for (;;) {
    int best = -1;
    for (int i = 0; i < num_first; i++)
      if (!is_held[i] && (best < 0 || W[i * count + i] > W[best * count + best])) best = i;
    if (best < 0 || !(W[best * count + best] > REDUNDANT)) return sum;
    double pivot = W[best * count + best];
    is_held[best] = true;
    sum += y[best] * y[best] / pivot;
    for (int i = 0; i < count; i++) {
      if (is_held[i]) continue;
      double share = *entry(W, count, i, best) / pivot;
      y[i] -= share * y[best];
      for (int j = 0; j <= i; j++)
        if (!is_held[j]) W[i * count + j] -= share * *entry(W, count, j, best);
    }
  }
}

/* Rows that hold together: equalities all at once, so that none gains by another; then those that
 * are late, by the mobility that is left to them. */
static bool bound_rows(cr_recovery* r, equality_row* rows, int count) {
  cr_problem* p = &r->out->problem;
  cr_arena* arena = r->step->problem_arena;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  double* W = CR_SCRATCH(arena, double, count* count);
  double* y = CR_SCRATCH(arena, double, count);
  bool* has_pivot = CR_SCRATCH(arena, bool, count);
  int num_first = 0;
  if (arena->failed) return false;
  while (num_first < count && rows[num_first].place >= 0) num_first++;
  double allowed = bound_speeds(r, rows, num_first);
  compute_mobilities(r, rows, count, W);
  for (int i = 0; i < count; i++) rows[i].own = W[i * count + i] * rows[i].mobility;
  for (int i = 0; i < count; i++) y[i] = p->v_hat[rows[i].at.row] / sqrt(rows[i].mobility);
  double size = factor_rows(num_first, count, W, y, has_pivot);
  double share = size > allowed ? sqrt(allowed / size) : 1;
  for (int i = 0; i < num_first; i++) {
    const cr_constraint* c = &r->out->constraints[r->out->order[rows[i].place]];
    int row = rows[i].at.row;
    double own = r->out->W[p->room * row];
    double speed2 =
        pow(r->step->sim->def.recovery_speed, 2) * scalar_min(rows[i].own, rows[i].mobility);
    p->v_hat[row] *= has_pivot[i] ? share : 0;
    r->out->recovery[row] =
        SLACK * scalar_max(speed2, p->v_hat[row] * p->v_hat[row]) / scalar_max(own, LEAST_MOBILITY);
    p->R[row] =
        scalar_max(p->R[row], has_pivot[i] ? EQUALITY_R * own : find_loose_R(r, c->link, own));
  }
  for (int i = num_first; i < count; i++)
    bound_contact(r, &r->late[rows[i].late], W[i * count + i]);
  cr_arena_pop_scratch(arena, mark);
  return true;
}

bool cr_recovery_bound_equalities(cr_recovery* r) {
  cr_arena* arena = r->step->problem_arena;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  if (!r->late) return true;
  equality_row* rows = CR_SCRATCH(arena, equality_row, r->out->num_constraints);
  int count;
  if (arena->failed || !list_rows(r, rows, &count)) return false;
  for (int first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && rows[end].tree == rows[first].tree; end++)
      if (end - first == MOST_JOINT) break;
    if (!bound_rows(r, rows + first, end - first)) return false;
  }
  cr_arena_pop_scratch(arena, mark);
  return true;
}

/* A row whose impulse is far more than its own recovery and all weight ask for presses against
 * others that do not give way. What it presses with falls with v_hat, and its energy with the
 * square of that. */
bool cr_recovery_soften(cr_step_problem* out) {
  cr_problem* p = &out->problem;
  bool any = false;
  for (int i = 0; i < p->num_rows; i++) {
    double energy = out->gamma[i] * p->v_hat[i];
    double most = out->recovery[i] + out->load * fabs(p->v_hat[i]);
    if (!(energy > most)) continue;
    p->v_hat[i] *= sqrt(most / energy);
    any = true;
  }
  return any;
}
