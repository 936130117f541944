/* Recovery of equalities: all that share trees together. The rows with pivots of Cholesky's
 * factorisation of J D⁻¹ Jᵀ are held, and the motion that closes them, |q_dot|² = |z|² with L z =
 * v_hat, is scaled down to what is allowed; see recovery.c. */
#include "sim/rows/recovery_equalities.h"

#include "base/copy.h"
#include "math/scalar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_JOINT 192  /* rows that are looked at together */
#define COUPLED    1e-6 /* share of a pivot, below which its row does not move another */

/* By trees; equalities before what is deferred, by their keys. */
static int compare_rows(const void* a, const void* b) {
  const cr_equality_row *x = a, *y = b;
  if (x->tree != y->tree) return x->tree < y->tree ? -1 : 1;
  if ((x->place < 0) != (y->place < 0)) return x->place < 0 ? 1 : -1;
  if (x->place < 0) return x->deferred - y->deferred;
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
    int tree = cr_mobility_find_tree(&r->mobilities, g, k);
    if (!r->is_held[tree]) continue;
    if (first < 0) first = tree;
    int a = find_root(parent, first), b = find_root(parent, tree);
    parent[a > b ? a : b] = a > b ? b : a;
  }
  return first;
}

/* Mobility of a row's links; that of joints and tendons is the row's own. */
static void measure_row(cr_recovery* r, const cr_constraint* c, cr_equality_row* row) {
  cr_mobility sum = cr_mobility_of_links(r->step, c->link);
  row->is_own = !(sum.linear > 0 && sum.angular > 0 && isfinite(sum.angular));
  if (row->is_own)
    sum.linear = sum.angular =
        scalar_max(cr_mobility_of_row(&r->mobilities, row->at), CR_RECOVERY_LEAST_MOBILITY);
  row->mobility = c->is_angular ? sum.angular : sum.linear;
  row->linear = sum.linear, row->angular = sum.angular;
}

static void list_group(cr_recovery* r, int group, int* parent, cr_equality_row* rows, int* count) {
  const cr_problem* p = &r->out->problem;
  const cr_problem_group* g = &p->group[group];
  for (int i = g->constraint_start; i < g->constraint_start + g->constraint_count; i++) {
    const cr_constraint* c = &r->out->constraints[r->out->order[i]];
    if (!cr_recovery_is_equality(c)) continue;
    cr_equality_row* row = &rows[(*count)++];
    *row = (cr_equality_row){.place = i,
                             .at = {group, p->row[i]},
                             .tree = join_trees(r, g, parent),
                             .pair = c->key.pair,
                             .feature = c->key.feature};
    measure_row(r, c, row);
  }
}

/* Names the trees of a part by one of them, and weighs them. */
static bool find_parts(const cr_recovery* r, int* parent, int num_movers, cr_equality_row* rows,
                       int count) {
  double* mass = CR_SCRATCH(r->step->problem_arena, double, num_movers);
  double* kinetic2 = CR_SCRATCH(r->step->problem_arena, double, num_movers);
  if (!mass || !kinetic2) return false;
  for (int t = 0; t < num_movers; t++) mass[t] = kinetic2[t] = 0;
  for (int t = 0; t < num_movers; t++) {
    int root = find_root(parent, t);
    mass[root] += r->step->sim->plan.mass[t];
    if (r->is_held[t]) kinetic2[root] += cr_recovery_find_twice_kinetic(r->step, t);
  }
  for (int i = 0; i < count; i++) {
    rows[i].tree = find_root(parent, rows[i].tree);
    rows[i].mass = mass[rows[i].tree];
    rows[i].kinetic2 = kinetic2[rows[i].tree];
  }
  return true;
}

/* Lists the rigid equality rows and what is deferred, those that share trees side by side; false
 * when memory ran out. */
static bool list_rows(cr_recovery* r, cr_equality_row* rows, int* count) {
  int num_movers = r->step->model->num_movers;
  int* parent = CR_SCRATCH(r->step->problem_arena, int, num_movers);
  *count = 0;
  if (!parent) return false;
  for (int t = 0; t < num_movers; t++) parent[t] = t;
  for (int g = 0; g < r->out->problem.num_groups; g++) list_group(r, g, parent, rows, count);
  for (int i = 0; i < r->num_deferred; i++) {
    const cr_deferred_row* deferred = &r->deferred[i];
    const cr_problem_group* g = &r->out->problem.group[deferred->at.group];
    double mobility = cr_mobility_of_links(r->step, deferred->link).linear;
    rows[*count] = (cr_equality_row){
        .place = -1,
        .deferred = i,
        .at = deferred->at,
        .tree = join_trees(r, g, parent),
        .is_own = !(mobility > 0),
        .mobility = mobility > 0 ? mobility : cr_mobility_of_row(&r->mobilities, deferred->at)};
    if (!(rows[*count].mobility > 0)) rows[*count].mobility = CR_RECOVERY_LEAST_MOBILITY;
    ++*count;
  }
  if (!find_parts(r, parent, num_movers, rows, *count)) return false;
  qsort(rows, (size_t)*count, sizeof *rows, compare_rows);
  return true;
}

/* The end of the part of a constraint that begins with rows[first]: places, or rotations. */
static int find_part(const cr_equality_row* rows, int first, int count) {
  int end = first + 1;
  while (end < count && rows[end].pair == rows[first].pair &&
         rows[end].feature / 3 == rows[first].feature / 3)
    end++;
  return end;
}

static double sum_squares(const cr_problem* p, const cr_equality_row* rows, int first, int end) {
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
                             const cr_equality_row* row) {
  sv a = find_velocity(r->step, c->link[0]), b = find_velocity(r->step, c->link[1]);
  double size2 = row->linear / row->angular;
  return v3_norm2(v3_sub(a.lin, b.lin)) + size2 * v3_norm2(v3_sub(a.ang, b.ang));
}

/* The squared size of the motion with which a mechanism follows a mocap body: by the share of the
 * gap that the time constant asks for, but so that what hangs on a joint turns by no more than
 * CR_EQUALITY_SHARE in the step, beyond which it misses by as much as it closes. */
static double follow_mocap(cr_recovery* r, const cr_constraint* c, const cr_equality_row* row,
                           double wanted2) {
  double dt = r->step->dt, time = scalar_max(r->step->sim->def.mocap_time, dt), radius2 = 0;
  double size2 = dt * dt / (time * time) * wanted2 / row->mobility;
  for (int k = 0; k < 2; k++)
    radius2 = scalar_max(radius2, cr_mobility_of_turns(&r->mobilities, c->link[k]));
  return radius2 > 0
             ? scalar_min(size2, CR_EQUALITY_SHARE * CR_EQUALITY_SHARE / (dt * dt) * radius2)
             : size2;
}

/* The squared size of the motion that may close a part whose closing speed squared is wanted2,
 * whatever moves. */
static double allow_part(cr_recovery* r, const cr_equality_row* row, double wanted2) {
  const cr_constraint* c = &r->out->constraints[r->out->order[row->place]];
  double speed = r->step->sim->def.recovery_speed, size2 = speed * speed;
  return c->is_mocap ? scalar_max(size2, follow_mocap(r, c, row, wanted2)) : size2;
}

/* The same as a share of the motion of its links against each other, but with no more than that
 * share of all kinetic energy: where light links whirl, what they pull at may be heavy.
 * @param alone2 J, twice what the part takes alone at the speed that it wants
 * @param limit receives which of both it is */
static double allow_moving(const cr_recovery* r, const cr_equality_row* row, double wanted2,
                           double alone2, cr_equality_limit* limit) {
  const cr_constraint* c = &r->out->constraints[r->out->order[row->place]];
  double size2 = CR_EQUALITY_SHARE * CR_EQUALITY_SHARE * measure_motion(r, c, row);
  double energy2 = CR_EQUALITY_SHARE * CR_EQUALITY_SHARE * row->kinetic2,
         most2 = wanted2 / row->mobility;
  double energetic = alone2 > energy2 ? most2 * energy2 / alone2 : INFINITY;
  *limit = energetic < size2 ? CR_EQUALITY_OTHER : CR_EQUALITY_MOTION;
  return scalar_min(size2, energetic);
}

/* The most of W among the rows of a part, 1/kg. */
static double find_most_W(const cr_recovery* r, const cr_equality_row* rows, int first, int end) {
  double most = 0;
  for (int i = first; i < end; i++)
    most = scalar_max(most, r->out->W[r->out->problem.ld * rows[i].at.row]);
  return most;
}

/* Twice the energy, J, that rows take alone at the speeds that they want. */
static double sum_alone(const cr_recovery* r, const cr_equality_row* rows, int first, int end) {
  const cr_problem* p = &r->out->problem;
  double sum = 0;
  for (int i = first; i < end; i++) {
    double W = r->out->W[p->ld * rows[i].at.row], v_hat = p->v_hat[rows[i].at.row];
    if (W > 0) sum += v_hat * v_hat / W;
  }
  return sum;
}

/* How near x is to y, relative to that. */
static double compare(double x, double y) { return y > 0 ? fabs(x / y - 1) : INFINITY; }

/* The squared size of the motion that may close a part, which `row` begins.
 * @param own2 receives that of what does not depend on how the links move */
static double allow(cr_recovery* r, cr_equality_row* row, double wanted2, double* own2) {
  double speed = r->step->sim->def.recovery_speed;
  *own2 = allow_part(r, row, wanted2);
  double alone2 = sum_alone(r, row, 0, row->part);
  double moving2 = allow_moving(r, row, wanted2, alone2, &row->limit);
  if (*own2 >= moving2) row->limit = *own2 > speed * speed ? CR_EQUALITY_OTHER : CR_EQUALITY_SPEED;
  row->change = compare(moving2, *own2);
  return scalar_max(*own2, moving2);
}

/* Bounds the speeds at which violations are closed, whatever that takes, what is out of place going
 * straight, and by the energy of all trees that are joined where armature makes them heavier;
 * returns the squared size of the motion that all may take together.
 * @param still2 receives that of what does not depend on how they move */
static double bound_speeds(cr_recovery* r, cr_equality_row* rows, int count, double* still2) {
  double allowed = 0;
  *still2 = 0;
  for (int first = 0, end; first < count; first = end) {
    cr_equality_row* row = &rows[first];
    end = find_part(rows, first, count);
    row->part = end - first, row->share = 1;
    double wanted2 = sum_squares(&r->out->problem, rows, first, end), own2;
    row->size2 = allow(r, row, wanted2, &own2);
    *still2 += own2;
    double most2 = row->size2 * row->mobility, borne2 = INFINITY;
    if (row->mass > 0) borne2 = row->size2 * row->mass * find_most_W(r, rows, first, end);
    if (borne2 < most2 && wanted2 > borne2) row->limit = CR_EQUALITY_OTHER;
    most2 = scalar_min(most2, borne2);
    row->change = scalar_min(row->change, compare(wanted2, most2));
    if (wanted2 > most2) row->share = sqrt(most2 / wanted2);
    for (int i = first; i < end && wanted2 > most2; i++)
      r->out->problem.v_hat[rows[i].at.row] *= row->share;
    allowed += row->size2;
  }
  return allowed;
}

/* By how much armature makes what a motion moves heavier than its mass, at most over parts. */
static double find_armature(const cr_recovery* r, const cr_equality_row* rows, int count) {
  double most = 1;
  for (int first = 0, end; first < count; first = end) {
    end = find_part(rows, first, count);
    double borne = rows[first].mass * find_most_W(r, rows, first, end);
    if (borne > 0 && isfinite(borne)) most = scalar_max(most, rows[first].mobility / borne);
  }
  return most;
}

/* The lower half of the rows' mobilities together, J D⁻¹ Jᵀ with D of radius2, each in units of its
 * links'. [count, count] */
static void compute_mobilities(cr_recovery* r, const cr_equality_row* rows, int count, double* W) {
  for (int j = 0; j < count; j++) {
    cr_mobility_move(&r->mobilities, rows[j].at);
    for (int i = j; i < count; i++)
      W[i * count + j] = cr_mobility_find_velocity(&r->mobilities, rows[i].at) /
                         sqrt(rows[i].mobility * rows[j].mobility);
    cr_mobility_rest(&r->mobilities, rows[j].at);
  }
}

/* An entry of a symmetric matrix of which the lower half is kept. */
static double* entry(double* W, int count, int i, int j) {
  return &W[i > j ? i * count + j : j * count + i];
}

/* Cholesky's factorisation L Lᵀ of rows' mobilities, largest pivot first. */
typedef struct factorization {
  int num_first, count; /* rows that may be pivots, and all */
  double* W;      /* [count, count] lower half; of rows without a pivot what is left to them */
  double* left;   /* [count] what L z of the pivots so far leaves of the wanted velocities */
  double* y;      /* [count] L z: the velocities that are taken */
  bool* is_held;  /* [count] rows with a pivot */
  double allowed; /* squared size of the motion z, for each pivot's share */
  double still2;  /* of it, what is allowed however they move */
  double size;    /* |z|² */
  cr_equality_bounds* kept; /* null: it is not */
} factorization;

static bool init_factorization(factorization* f, cr_arena* arena) {
  f->W = CR_SCRATCH(arena, double, f->count * f->count);
  f->left = CR_SCRATCH(arena, double, f->count);
  f->y = CR_SCRATCH(arena, double, f->count);
  f->is_held = CR_SCRATCH(arena, bool, f->count);
  for (int i = 0; i < f->count && !arena->failed; i++) f->y[i] = 0, f->is_held[i] = false;
  return !arena->failed;
}

/* The row with the largest pivot; -1: none is above CR_RECOVERY_REDUNDANT. */
static int find_pivot(const factorization* f) {
  int best = -1, next = f->count + 1;
  for (int i = 0; i < f->num_first; i++)
    if (!f->is_held[i] && (best < 0 || f->W[i * next] > f->W[best * next])) best = i;
  return best >= 0 && f->W[best * next] > CR_RECOVERY_REDUNDANT ? best : -1;
}

/* Notes a pivot that is about to be taken, and the largest of the others; of rows that do not move
 * each other either may be first. */
static void keep_pivot(const factorization* f, int best) {
  cr_equality_bounds* kept = f->kept;
  double rival = 0, least = COUPLED * f->W[best * (f->count + 1)];
  for (int i = 0; i < f->num_first; i++)
    if (i != best && !f->is_held[i] && fabs(*entry(f->W, f->count, i, best)) > least)
      rival = scalar_max(rival, f->W[i * (f->count + 1)]);
  kept->rival[kept->num_pivots] = rival;
  kept->pivot[kept->num_pivots++] = best;
}

/* Takes a row in; along a small pivot z is bounded. */
static void eliminate(factorization* f, int best) {
  int count = f->count;
  double pivot = f->W[best * count + best], wanted = f->left[best];
  double size2 = wanted * wanted / pivot,
         most2 = f->allowed * scalar_min(1, pivot / CR_EQUALITY_SINGULAR);
  double kept = size2 > most2 ? sqrt(most2 / size2) * wanted : wanted;
  f->is_held[best] = true, f->y[best] += kept;
  f->size += kept * kept / pivot;
  for (int i = 0; i < count; i++) {
    if (f->is_held[i]) continue;
    double share = *entry(f->W, count, i, best) / pivot;
    f->left[i] -= share * wanted, f->y[i] += share * kept;
    for (int j = 0; j <= i; j++)
      if (!f->is_held[j]) f->W[i * count + j] -= share * *entry(f->W, count, j, best);
  }
}

/* Closes the equalities at the velocities y of the factorisation, scaled down to the motion that is
 * allowed; those without a pivot hold nothing. */
static void set_equalities(cr_recovery* r, const cr_equality_row* rows, const factorization* f) {
  cr_problem* p = &r->out->problem;
  double share = f->size > f->allowed ? sqrt(f->allowed / f->size) : 1;
  double speed = r->step->sim->def.recovery_speed;
  double armature = find_armature(r, rows, f->num_first), fall = cr_recovery_find_fall(r->step);
  double motion = share * sqrt(f->size * armature), still = sqrt(f->still2 * armature);
  double most = cr_recovery_bound_energy(fall, still, rows[0].mass) +
                0.5 * CR_EQUALITY_SHARE * CR_EQUALITY_SHARE * rows[0].kinetic2;
  r->out->equality_recovery +=
      scalar_min(cr_recovery_bound_energy(fall, motion, rows[0].mass), most);
  for (int i = 0; i < f->num_first; i++) {
    const cr_constraint* c = &r->out->constraints[r->out->order[rows[i].place]];
    int row = rows[i].at.row;
    double W = r->out->W[p->ld * row];
    double alone2 = speed * speed * scalar_min(rows[i].own, rows[i].mobility);
    double v_hat = f->is_held[i] ? share * f->y[i] * sqrt(rows[i].mobility) : 0;
    p->v_hat[row] = v_hat;
    cr_recovery_set_bound(r, row, scalar_max(alone2, v_hat * v_hat), W);
    if (!f->is_held[i]) p->R[row] = cr_recovery_find_loose_R(r, c->link, W);
  }
}

/* Keeps what the factorisation begins with. */
static bool keep(cr_recovery* r, const cr_equality_row* rows, factorization* f) {
  cr_arena* arena = r->kept;
  size_t count = (size_t)f->count;
  if (!arena) return true;
  cr_equality_bounds* kept = CR_PUSH(arena, cr_equality_bounds, 1);
  if (!kept) return false;
  *kept = (cr_equality_bounds){.count = f->count,
                               .num_first = f->num_first,
                               .rows = CR_PUSH(arena, cr_equality_row, count),
                               .W = CR_PUSH(arena, double, count* count),
                               .wanted = CR_PUSH(arena, double, count),
                               .pivot = CR_PUSH(arena, int, count),
                               .rival = CR_PUSH(arena, double, count),
                               .next = r->bounds};
  if (arena->failed) return false;
  CR_COPY(kept->rows, rows, count);
  CR_COPY(kept->W, f->W, count * count);
  CR_COPY(kept->wanted, f->left, count);
  f->kept = r->bounds = kept;
  return true;
}

/* Rows that hold together: equalities all at once, so that none gains by another; then those that
 * are deferred, by the mobility that is left to them. */
static bool bound_rows(cr_recovery* r, cr_equality_row* rows, int count) {
  cr_arena* arena = r->step->problem_arena;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  factorization f = {.count = count};
  if (!init_factorization(&f, arena)) return false;
  while (f.num_first < count && rows[f.num_first].place >= 0) f.num_first++;
  f.allowed = bound_speeds(r, rows, f.num_first, &f.still2);
  compute_mobilities(r, rows, count, f.W);
  for (int i = 0; i < count; i++) {
    rows[i].own = f.W[i * count + i] * rows[i].mobility;
    f.left[i] = r->out->problem.v_hat[rows[i].at.row] / sqrt(rows[i].mobility);
  }
  if (!keep(r, rows, &f)) return false;
  for (int best = find_pivot(&f); best >= 0; best = find_pivot(&f)) {
    if (f.kept) keep_pivot(&f, best);
    eliminate(&f, best);
  }
  if (f.kept) f.kept->allowed = f.allowed, f.kept->size = f.size;
  set_equalities(r, rows, &f);
  for (int i = f.num_first; i < count; i++)
    cr_recovery_bound_deferred(r, &r->deferred[rows[i].deferred], f.W[i * count + i]);
  cr_arena_pop_scratch(arena, mark);
  return true;
}

/* The largest rate, m/s or rad/s, among the blocks of a group at the start. */
static double find_rate(const cr_recovery* r, const cr_problem_group* g) {
  const cr_problem* p = &r->out->problem;
  double most = 0;
  for (int k = 0; k < g->block_count; k++) {
    int block = p->group_block[g->block_start + k];
    for (int i = 0; i < p->pattern.size[block]; i++)
      most = scalar_max(most, fabs(r->out->v0[p->pattern.row_start[block] + i]));
  }
  return most;
}

/* Ties, whose nodes have no lever arms: each closes no faster than the recovery speed, or a share
 * of what moves, what is out of place going straight. */
static void bound_ties(cr_recovery* r, const cr_problem_group* g) {
  cr_problem* p = &r->out->problem;
  double speed = scalar_max(r->step->sim->def.recovery_speed, CR_EQUALITY_SHARE * find_rate(r, g));
  int last = g->constraint_start + g->constraint_count;
  for (int i = g->constraint_start, end; i < last; i = end) {
    const cr_constraint* c = &r->out->constraints[r->out->order[i]];
    bool is_tie = c->rule == CR_ROW_EQUALITY && c->is_tie;
    double sum = 0;
    for (end = i + 1; is_tie && end < last; end++)
      if (r->out->constraints[r->out->order[end]].key.pair != c->key.pair) break;
    if (!is_tie || !isinf(c->stiffness)) continue;
    for (int k = i; k < end; k++) sum += p->v_hat[p->row[k]] * p->v_hat[p->row[k]];
    for (int k = i; k < end && sum > speed * speed; k++) p->v_hat[p->row[k]] *= speed / sqrt(sum);
  }
}

bool cr_recovery_bound_equalities(cr_recovery* r) {
  cr_arena* arena = r->step->problem_arena;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  for (int g = 0; g < r->out->problem.num_groups && r->step->model->soft.num_ties > 0; g++)
    bound_ties(r, &r->out->problem.group[g]);
  if (!r->deferred) return true;
  cr_equality_row* rows = CR_SCRATCH(arena, cr_equality_row, r->out->num_constraints);
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
