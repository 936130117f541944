/* Which rows of a problem follow from more than their distance, and how: R and v_hat that recovery
 * bounds (sim/rows/recovery.c), and dissipation that is critical by default. */
#include "derive/recovery_rows.h"

#include "base/copy.h"
#include "derive/equality_tangent.h"
#include "derive/mobility_tangent.h"
#include "derive/parameters.h"
#include "derive/place_parameters.h"
#include "derive/row_parameters.h"
#include "derive/softening.h"
#include "sim/rows/compliance.h"
#include "sim/tree/tree_factor.h"

#include <math.h>

static bool add_answer(cr_constraint_state* s, cr_active_constraint* a) {
  return cr_answer_find_row(s, a->row + a->rows - 1, &a->answer);
}

/* --- Levers -------------------------------------------------------------------------------------
 */

/* - xᵀ (dD) x of a tree. */
static void add_lever_slope(const cr_constraint_state* s, int tree, const spatial_inertia* I,
                            const double* x, double* slope) {
  const cr_step* step = s->t->step;
  const cr_tree_model* model = &step->model->tree;
  for (int k = model->tree_v_start[tree]; k < model->tree_v_start[tree + 1]; k++)
    for (int i = model->dof_parent[k]; i >= 0; i = model->dof_parent[i])
      if (x[i] != 0) slope[k] += x[i] * x[i] * cr_mobility_find_radius_slope(step, I, k, i);
}

static bool add_lever(cr_constraint_state* s, cr_active_constraint* a, cr_mobilities* m,
                      cr_row_place at) {
  const cr_step* step = s->t->step;
  const cr_blocks* blocks = &s->out->blocks;
  double* x;
  if (!cr_answer_push(s, &a->lever, &x, &a->lever_slope)) return false;
  cr_mobility_move(m, at);
  CR_COPY(x, m->x, s->t->num_v);
  cr_mobility_rest(m, at);
  for (int b = 0; b < cr_tree_factor_count(step, blocks); b++) {
    int tree = blocks->movers[b];
    cr_row_motion_find(step, tree, a->lever);
    cr_tree_compute_composites(&step->model->tree, tree, &step->kinematics, m->composite);
    add_lever_slope(s, tree, m->composite, x, a->lever_slope);
  }
  return true;
}

/* --- Recovery -----------------------------------------------------------------------------------
 */

/* Four rigid contacts and more of one patch share its load as their traces of compliance say, which
 * move with the mobilities; where one slides that is felt. */
static bool shares_load(const cr_constraint_state* s, const cr_active_constraint* a) {
  bool any = false;
  int count = 0;
  if (!a->contact) return false;
  for (int i = 0; i < s->num_active; i++) {
    const cr_active_constraint* other = &s->active[i];
    if (!other->contact || other->point->first != a->point->first) continue;
    any |= other->law.state == CR_LAW_SLIDE;
    count += other->constraint->rule == CR_ROW_CONTACT;
  }
  return any && count > 3;
}

/* What is looked at again. */
typedef struct second_look {
  cr_recovery recovery;        /* without a step: not yet */
  bool has_joints, is_in_vain; /* see presses_in_vain */
  cr_equality_tangent* joints; /* a list */
} second_look;

static bool look_again(cr_constraint_state* s, second_look* look) {
  return look->recovery.step ||
         cr_recovery_look(s->t->step, (cr_step_problem*)s->out, s->t->arena, &look->recovery);
}

/* What a row is bounded together with. */
static bool find_joint(cr_constraint_state* s, cr_active_constraint* a, second_look* look) {
  if (!look->has_joints && !cr_equality_tangents_find(s, &look->joints)) return false;
  look->has_joints = true;
  a->joint = cr_equality_tangent_of_row(s, look->joints, a->row + a->rows - 1, &a->joint_row);
  return !s->t->arena->failed;
}

/* Parameters that the mobilities of geometry, or masses, follow from. */
static bool moves_with_thetas(const cr_step_tangent* t) {
  bool any = false;
  for (int i = 0; i < t->num_thetas; i++)
    any |= t->thetas[i].kind == CR_THETA_GRAVITY || cr_theta_is_of_place(&t->thetas[i]) ||
           cr_theta_find_body(t->step->model, &t->thetas[i]) >= 0;
  return any;
}

/* A rigid row that repeats what equalities hold, and holds nothing. */
static bool is_loose(const cr_constraint_state* s, const cr_active_constraint* a,
                     const cr_recovery* look, const int link[2], cr_recovery_tangent* found) {
  int row = a->row + a->rows - 1;
  double W = a->at.mobility, R = s->p->R[row];
  if (s->p->v_hat[row] != 0 || R != cr_recovery_find_loose_R(look, link, W)) return false;
  *found = (cr_recovery_tangent){.is_known = true, .ease = 1, .kink = INFINITY};
  if (cr_recovery_find_loose_R(look, link, 0) != R) found->R.mobility = R / W;
  return true;
}

/* The share of its speed that a row recovers with since it has pressed in vain, as
 * cr_recovery_ease takes it. */
static double find_ease(const cr_constraint_state* s, const cr_active_constraint* a) {
  const cr_constraint* c = a->constraint;
  int row = a->row + a->rows - 1;
  const cr_recovery_bound* bound = &s->out->recovery[row];
  double push = c->extra ? c->extra->push : 0;
  bool closes = c->rule != CR_ROW_EQUALITY && s->p->v_hat[row] + push < 0;
  bool is_eased = isfinite(bound->energy) && bound->mass > 0 && !closes;
  return is_eased ? s->out->recovery_share[a->place] : 1;
}

/* @param speed m/s, how near it is to where another bound holds */
static void mark_bound(cr_step_tangent* t, double speed) {
  t->num_kinks += speed < CR_DERIVE_SMALL_CHANGE;
  cr_step_tangent_note_kink(t, INFINITY, speed);
}

/* A rigid one-sided row: what recovery makes of it, where that is more than its trace. */
static bool add_recovery(cr_constraint_state* s, cr_active_constraint* a, second_look* look) {
  cr_step_tangent* t = s->t;
  int normal = a->row + a->rows - 1;
  const int* link = a->point ? a->point->link : a->constraint->link;
  cr_row_place at = {cr_problem_find_group(s->p, normal), normal};
  if (!look_again(s, look)) return false;
  cr_recovery_tangent* found = CR_PUSH(t->arena, cr_recovery_tangent, 1);
  if (t->arena->failed) return false;
  bool is_more = cr_softening_is_due(s, a) || !a->is_plain ||
                 cr_compliance_is_deep(t->step, s->out, a->constraint, &a->at, normal);
  cr_recovery_row row = {
      a->constraint,   &a->at,
      normal,          cr_compliance_find_v_hat(t->step, a->constraint, &a->at),
      find_ease(s, a), cr_recovery_find_reach(&look->recovery, link, at, a->at.mobility)};
  if (row.reach.waits && !find_joint(s, a, look)) return false;
  if (a->joint) {
    row.reach.waits = false, row.reach.has_lever = true;
    row.reach.share = row.reach.mobility = a->joint->share[a->joint_row];
  }
  if (!is_loose(s, a, &look->recovery, link, found))
    cr_recovery_tangent_find(t->step, s->out, &row, found);
  if (found->is_known) a->recovery = found, a->is_plain = true;
  if (found->is_known && s->out->gamma[normal] > 0) mark_bound(t, found->kink);
  t->num_held += !found->is_known || (is_more && moves_with_thetas(t));
  bool is_levered = found->R.lever != 0 || found->v_hat.lever != 0 || found->energy.lever != 0;
  if (a->joint) return true;
  return !found->is_known || !is_levered || add_lever(s, a, &look->recovery.mobilities, at);
}

/* Parameters that what closes an equality follows from, beside the state. */
static bool is_closed_by_thetas(const cr_step_tangent* t) {
  bool any = moves_with_thetas(t);
  for (int i = 0; i < t->num_thetas; i++) any |= cr_theta_is_of_row(&t->thetas[i]);
  return any;
}

/* Whether traces of compliance decide what rows press on each other with, in vain. */
static bool presses_in_vain(const cr_constraint_state* s) {
  return s->out->num_softened > 0 || cr_recovery_presses_in_vain(s->out);
}

/* Whether the trace of compliance of a rigid equality is felt as its mobility moves: with given
 * forces of tight rows in A that does where a mechanism turns as one.
 * @param look as in add_recovery */
static bool feels_trace(const cr_constraint_state* s, const cr_active_constraint* a,
                        const second_look* look) {
  return cr_recovery_is_equality(a->constraint) && (s->out->tension.turns || look->is_in_vain);
}

/* A row of a rigid equality that recovery bounds.
 * @param look as in add_recovery */
static bool add_equality(cr_constraint_state* s, cr_active_constraint* a, second_look* look) {
  cr_step_tangent* t = s->t;
  if (!look_again(s, look)) return false;
  cr_recovery_tangent* found = CR_PUSH(t->arena, cr_recovery_tangent, 1);
  if (t->arena->failed) return false;
  *found = (cr_recovery_tangent){.is_known = false};
  bool is_equality = cr_recovery_is_equality(a->constraint);
  if (is_equality && !is_loose(s, a, &look->recovery, a->constraint->link, found)) {
    if (!find_joint(s, a, look)) return false;
    found->v_hat.lever = found->ease = find_ease(s, a);
    if (feels_trace(s, a, look)) found->R.mobility = CR_EQUALITY_R;
    if (a->joint) cr_equality_tangent_find_energy(s, a, found);
    found->is_known =
        a->joint && cr_equality_tangent_is_known(a->joint, s->p, a->joint_row, found->v_hat.lever);
    t->num_held += found->is_known && is_closed_by_thetas(t);
  }
  if (found->is_known) a->recovery = found, a->is_plain = true;
  if (!found->is_known) a->joint = NULL;
  t->num_held += !found->is_known;
  return true;
}

bool cr_recovery_rows_find(cr_constraint_state* s) {
  second_look look = {.is_in_vain = presses_in_vain(s)};
  for (int i = 0; i < s->num_active; i++) {
    cr_active_constraint* a = &s->active[i];
    bool is_rigid = isinf(a->constraint->stiffness), asks = false;
    int normal = a->row + a->rows - 1;
    if (!a->is_distance) continue;
    bool recovers = a->constraint->rule == CR_ROW_CONTACT && is_rigid;
    bool is_due = cr_softening_is_due(s, a);
    bool is_more =
        !a->is_plain || cr_compliance_is_deep(s->t->step, s->out, a->constraint, &a->at, normal);
    if (cr_active_is_soft(s, a)) { /* a mobility goes with all of the body's stiffness */
      s->t->num_held += is_more || a->at.film > 0 || cr_compliance_asks_for_mobility(a->constraint);
      continue;
    }
    if (recovers && (is_more || look.is_in_vain || a->area || shares_load(s, a))) {
      if (!add_recovery(s, a, &look)) return false;
      asks = a->recovery && (a->recovery->R.mobility != 0 || a->recovery->v_hat.mobility != 0);
    } else if (!a->is_plain || is_due) {
      if (!add_equality(s, a, &look)) return false;
      asks = a->recovery && a->recovery->R.mobility != 0;
    } else {
      asks = cr_compliance_asks_for_mobility(a->constraint) || feels_trace(s, a, &look);
    }
    if ((asks || is_due) && !add_answer(s, a)) return false;
  }
  return true;
}
