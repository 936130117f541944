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
 * equalities a pivot of Cholesky's factorisation of J D⁻¹ Jᵀ, is below CR_RECOVERY_REDUNDANT of
 * that of bodies that are free. */
#include "sim/rows/recovery.h"

#include "math/scalar.h"
#include "sim/mover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLACK      10         /* of the energy that a row's recovery takes alone */
#define EASED      (1.0 / 16) /* of that energy: with twice the speed it is still below a half */
#define LEFT_OUT_R 1e3        /* of the links' inverse masses */

/* Marks the trees that rigid equalities hold; returns whether there are any. */
static bool mark_held(cr_recovery* r) {
  const cr_problem* p = &r->out->problem;
  bool any = false;
  if (r->step->model->equality.num_equalities == 0) return false;
  for (int g = 0; g < p->num_groups; g++) {
    const cr_problem_group* group = &p->group[g];
    bool is_held = false;
    for (int i = 0; i < group->constraint_count && !is_held; i++)
      is_held =
          cr_recovery_is_equality(&r->out->constraints[r->out->order[group->constraint_start + i]]);
    for (int k = 0; k < group->block_count && is_held; k++)
      r->is_held[cr_mobility_find_tree(&r->mobilities, group, k)] = true;
    any |= is_held;
  }
  return any;
}

double cr_recovery_find_twice_kinetic(const cr_step* step, int tree) {
  const cr_tree_model* model = &step->model->tree;
  if (!model->tree_is_free_link[tree]) return 2 * step->sim->energy_watch.energy[tree].sum.kinetic;
  const double* v = step->v0 + model->tree_v_start[tree];
  m3 I = m3_symmetric(model->link_inertia + 6 * model->tree_link_start[tree]);
  v3 w = v3_load(v + 3);
  return step->sim->plan.mass[tree] * v3_norm2(v3_load(v)) + v3_dot(w, m3_mulv(&I, w));
}

bool cr_recovery_look(cr_step* step, cr_step_problem* out, cr_arena* arena, cr_recovery* recovery) {
  int num_movers = step->model->num_movers;
  *recovery = (cr_recovery){.step = step, .out = out, .pair.group = -1};
  recovery->is_held = CR_PUSH(arena, bool, num_movers);
  if (arena->failed || !cr_mobilities_init(step, out, arena, &recovery->mobilities)) return false;
  memset(recovery->is_held, 0, sizeof(bool) * (size_t)num_movers);
  if (mark_held(recovery))
    recovery->deferred = CR_PUSH(arena, cr_deferred_row, out->num_constraints);
  return !arena->failed;
}

bool cr_recovery_init(cr_step* step, cr_step_problem* out, cr_recovery* recovery) {
  cr_arena* arena = step->problem_arena;
  double mass = 0;
  for (int k = 0; k < out->blocks.num_movers; k++)
    mass += step->sim->plan.mass[out->blocks.movers[k]];
  out->equality_recovery = 0;
  out->load = mass * v3_norm(v3_load(step->model->force.gravity)) * step->dt;
  out->recovery = CR_PUSH(arena, cr_recovery_bound, out->problem.num_rows);
  if (arena->failed) return false;
  for (int i = 0; i < out->problem.num_rows; i++)
    out->recovery[i] = (cr_recovery_bound){INFINITY, 0};
  return cr_recovery_look(step, out, arena, recovery);
}

static bool is_elastic(const cr_recovery* r, int link) {
  return cr_mover_of_link(r->step->model, link)->is_elastic;
}

/* See cr_recovery_pair. */
static double sum_inverse_masses(const cr_recovery* r, const int link[2]) {
  const cr_tree_model* model = &r->step->model->tree;
  double sum = 0;
  for (int k = 0; k < 2; k++)
    if (link[k] >= 0 && !is_elastic(r, link[k]) && model->link_tree[link[k]] >= 0)
      sum += 1 / model->link_mass[link[k]];
  return sum;
}

/* Mass of the trees that a row joins, kg, without what armature adds: the row's recovery may take
 * no more energy, v_hat² / 2 W, than that has at the recovery speed. Infinite of elastic ones,
 * whose points have no armature, and where there is none to compare with. */
static double find_mass(const cr_recovery* r, int group) {
  const cr_problem_group* g = &r->out->problem.group[group];
  double sum = 0;
  for (int k = 0, last = -1; k < g->block_count; k++) {
    int mover = cr_mobility_find_tree(&r->mobilities, g, k);
    if (cr_mover_of(r->step->model, mover)->is_elastic) return INFINITY;
    if (mover != last) sum += r->step->sim->plan.mass[mover];
    last = mover;
  }
  return sum > 0 ? sum : INFINITY;
}

/* Of the links of a contact, found anew where they are others than the last one's. */
static const cr_recovery_pair* find_pair(cr_recovery* r, const int link[2], int group) {
  cr_recovery_pair* pair = &r->pair;
  if (pair->group != group || pair->link[0] != link[0] || pair->link[1] != link[1])
    *pair = (cr_recovery_pair){group,
                               {link[0], link[1]},
                               is_elastic(r, link[0]) || is_elastic(r, link[1]),
                               sum_inverse_masses(r, link),
                               find_mass(r, group)};
  return pair;
}

/* R of a row that holds nothing. */
double cr_recovery_find_loose_R(const cr_recovery* r, const int link[2], double W) {
  double mass = sum_inverse_masses(r, link);
  return LEFT_OUT_R *
         (isfinite(mass) && mass > W ? mass : scalar_max(W, CR_RECOVERY_LEAST_MOBILITY));
}

/* --- One-sided rows -----------------------------------------------------------------------------
 */

/* Mobility of a row's links; its own where none are given. */
static double reference_mobility(const cr_recovery* r, const int link[2], double own) {
  double mobility = cr_mobility_of_links(r->step, link).linear;
  return mobility > 0 ? mobility : own;
}

void cr_recovery_set_bound(cr_recovery* r, int row, double speed2, double W) {
  double mass = SLACK / scalar_max(W, CR_RECOVERY_LEAST_MOBILITY);
  r->out->recovery[row] = (cr_recovery_bound){mass * speed2, mass};
}

/* All rows carry the same trace of compliance, overlapping or not, so that the points of a patch
 * stay consistent; deep overlaps more, so that bodies wedged between overlaps that cannot all open
 * get bounded forces, but never so much that a load would press them deeper.
 * @param share of its links' mobility that the row has; @param mass see find_mass */
static inline void bound_row(cr_recovery* r, const cr_deferred_row* row, double share,
                             double mass) {
  double *v_hat = &r->out->problem.v_hat[row->at.row], *R = &r->out->problem.R[row->at.row];
  double speed = r->step->sim->def.recovery_speed, wanted = scalar_max(*v_hat, 0), W = row->W;
  if (!(share > CR_RECOVERY_REDUNDANT)) {
    *v_hat = scalar_min(*v_hat, 0), *R = cr_recovery_find_loose_R(r, row->link, W);
    return;
  }
  double part = scalar_min(share, 1);
  if (isfinite(mass)) part = scalar_min(part, mass * W);
  double most = speed * sqrt(part), opening = scalar_min(wanted, most);
  double depth = most > 0 ? opening / most : 0, deep = CR_RECOVERY_DEEP_R * depth * depth * W;
  if (share < 1) deep /= share;
  if (r->out->load > 0) deep = scalar_min(deep, opening / (2 * r->out->load));
  *v_hat = scalar_min(*v_hat, most);
  *R = scalar_max(*R, scalar_max(CR_RECOVERY_LEAST_R * W, deep));
  cr_recovery_set_bound(r, row->at.row, most * most, W);
}

void cr_recovery_bound_deferred(cr_recovery* r, const cr_deferred_row* row, double share) {
  bound_row(r, row, share, find_mass(r, row->at.group));
}

/* Whether equalities hold one of the row's trees. */
static bool is_held(const cr_recovery* r, cr_row_place at) {
  const cr_problem_group* g = &r->out->problem.group[at.group];
  for (int k = 0; k < g->block_count; k++)
    if (r->is_held[cr_mobility_find_tree(&r->mobilities, g, k)]) return true;
  return false;
}

/* What is as mobile as the masses of its links, as between free bodies, needs no closer look;
 * elastic ones have no lever arms. */
static inline cr_recovery_reach find_reach(cr_recovery* r, const int link[2], cr_row_place at,
                                           double W) {
  const cr_recovery_pair* pair = find_pair(r, link, at.group);
  bool has_lever = !pair->is_elastic;
  cr_recovery_reach reach = {.share = 1, .mass = pair->mass};
  reach.waits = has_lever && r->deferred && r->out->problem.v_hat[at.row] > 0 && is_held(r, at);
  reach.has_lever = has_lever && W < pair->inverse_masses && !reach.waits;
  if (!reach.has_lever) return reach;
  reach.mobility = cr_mobility_of_row(&r->mobilities, at);
  reach.share = reach.mobility / reference_mobility(r, link, reach.mobility);
  return reach;
}

cr_recovery_reach cr_recovery_find_reach(cr_recovery* r, const int link[2], cr_row_place at,
                                         double W) {
  return find_reach(r, link, at, W);
}

void cr_recovery_bound_contact(cr_recovery* r, const int link[2], cr_row_place at, double W) {
  cr_deferred_row row = {at, {link[0], link[1]}, W};
  cr_recovery_reach reach = find_reach(r, link, at, W);
  if (reach.waits)
    r->deferred[r->num_deferred++] = row;
  else
    bound_row(r, &row, reach.share, reach.mass);
}

/* The row of a constraint that recovery opens. */
static int find_row(const cr_problem* p, int place) {
  return p->row[place] + cr_law_get(p->kind[place])->rows - 1;
}

/* The part of its v_hat by which what touches a driven body moves with it, less. */
static double find_push(const cr_step_problem* out, int place) {
  const cr_constraint* c = &out->constraints[out->order[place]];
  return c->extra ? c->extra->push : 0;
}

void cr_recovery_ease(cr_step_problem* out, int place, double share) {
  double push = find_push(out, place);
  out->recovery_share[place] = out->next_share[place] = share;
  if (share == 1 && push == 0) return;
  cr_problem* p = &out->problem;
  int row = find_row(p, place);
  const cr_recovery_bound* bound = &out->recovery[row];
  bool is_bounded = isfinite(bound->energy) && bound->mass > 0;
  bool closes =
      p->v_hat[row] + push < 0 && out->constraints[out->order[place]].rule != CR_ROW_EQUALITY;
  if (is_bounded && !closes) p->v_hat[row] = (p->v_hat[row] + push) * share - push;
}

double cr_recovery_find_vain(const cr_step_problem* out, int place) {
  const cr_problem* p = &out->problem;
  int row = find_row(p, place);
  double v_hat = p->v_hat[row] + find_push(out, place);
  if (!(out->gamma[row] * v_hat > 0)) return 0;
  double change = out->recovery[row].mass * fabs(p->v_hat[row] - out->v_c_lin[row]);
  double most = out->recovery[row].energy + (out->load + change) * fabs(v_hat);
  return out->gamma[row] * v_hat / most;
}

bool cr_recovery_presses_in_vain(const cr_step_problem* out) {
  bool any = false;
  for (int i = 0; i < out->problem.num_constraints && !any; i++)
    any = cr_recovery_find_vain(out, i) > CR_RECOVERY_WORTH;
  return any;
}

/* What it presses with falls with v_hat, and its energy with the square of that. A rebound that
 * does so is none. */
static double find_slowing(const cr_recovery_bound* bound, double vain) {
  return bound->mass == 0 ? 0 : sqrt(1 / vain);
}

void cr_recovery_soften(cr_step_problem* out) {
  cr_problem* p = &out->problem;
  out->num_softened++;
  for (int i = 0; i < p->num_constraints; i++) {
    double vain = cr_recovery_find_vain(out, i);
    if (!(vain > 1)) continue;
    int row = find_row(p, i);
    double push = find_push(out, i), slowing = find_slowing(&out->recovery[row], vain);
    p->v_hat[row] = (p->v_hat[row] + push) * slowing - push;
    if (slowing > 0) out->recovery_share[i] *= slowing;
  }
}

void cr_recovery_leave(cr_step_problem* out, bool is_in_vain) {
  for (int i = 0; i < out->problem.num_constraints; i++) {
    double share = out->recovery_share[i];
    out->next_share[i] = share;
    if (!is_in_vain && share == 1) continue;
    double vain = cr_recovery_find_vain(out, i);
    const cr_recovery_bound* bound = &out->recovery[find_row(&out->problem, i)];
    double slowing = is_in_vain && vain > 1 ? find_slowing(bound, vain) : 0;
    if (slowing > 0) out->next_share[i] = share * slowing;
    if (!is_in_vain && !(vain > EASED)) out->next_share[i] = scalar_min(1, 2 * share);
  }
}
