#include "derive/constraint_state.h"

#include "base/copy.h"
#include "base/error.h"
#include "derive/central_path.h"
#include "derive/friction_memory.h"
#include "derive/model_rows.h"
#include "derive/tension_tangent.h"
#include "derive/theta.h"
#include "force/actuator.h"
#include "math/scalar.h"
#include "problem/law_table.h"
#include "sim/tree/tree_factor.h"

#include <math.h>
#include <string.h>

/* --- Memory -------------------------------------------------------------------------------------
 */

static bool push(cr_constraint_state* s) {
  cr_arena* arena = s->t->arena;
  const cr_step* step = s->t->step;
  const cr_tree_model* model = &step->model->tree;
  s->impulse = CR_PUSH(arena, sv, model->num_links);
  s->v_c = CR_PUSH(arena, double, s->p->num_rows);
  s->active = CR_PUSH(arena, cr_active_constraint, s->p->num_constraints);
  s->near = CR_PUSH(arena, cr_near_kink, s->p->num_constraints);
  s->tree_slope = CR_PUSH(arena, double, step->sim->plan.M_start[model->num_trees]);
  s->local = CR_PUSH(arena, double, cr_problem_scratch_size(s->p));
  double* v_lin = CR_PUSH(arena, double, s->t->num_v);
  if (!v_lin) return false;
  CR_COPY(v_lin, step->v_star, s->t->num_v);
  for (int i = model->num_v; i < s->t->num_v; i++) v_lin[i] = step->v_lin[i];
  return cr_row_motion_push(s->t, step->v, &s->v) && cr_row_motion_push(s->t, v_lin, &s->star) &&
         cr_row_motion_push(s->t, step->v0, &s->v0);
}

/* --- What is active -----------------------------------------------------------------------------
 */

cr_law_at cr_constraint_state_look(const cr_constraint_state* s, int place) {
  int row = s->p->row[place];
  return (cr_law_at){s->p,
                     place,
                     s->v_c + row,
                     s->out->gamma + row,
                     cr_law_tangent_find_scale(s->p, s->out->W, place),
                     cr_step_tangent_is_coulomb(s->t),
                     0};
}

static void find_law(const cr_constraint_state* s, int place, cr_law_tangent* law) {
  const cr_law_at at = cr_constraint_state_look(s, place);
  const cr_central_speed path = {s->t->smoothing, cr_central_path_find_scale(s->out, place),
                                 at.is_coulomb};
  if (path.speed > 0 && !cr_central_path_leaves_out(s->out, place))
    cr_central_law_find(s->p, place, at.v_c, at.gamma, &path, law);
  else
    cr_law_tangent_find(&at, law);
}

/* Which of them a small change may reach is left to near_laws.c, and to near_kinks.c what comes of
 * that. */
static void keep_law(cr_constraint_state* s, int place, const cr_law_tangent* law) {
  bool is_active = law->state != CR_LAW_OPEN || s->out->gamma[s->p->row[place]] != 0;
  if (isfinite(law->kink_speed))
    s->near[s->num_near++] = (cr_near_kink){place, is_active ? s->num_active : -1, *law};
}

/* What the last row of a constraint follows from. */
cr_distance_row cr_constraint_state_find_distance(const cr_constraint_state* s,
                                                  const cr_constraint* constraint, int row,
                                                  int rows) {
  int normal = row + rows - 1;
  const double* W = s->out->W + s->p->ld * row;
  double push = constraint->extra ? constraint->extra->push : 0;
  return (cr_distance_row){.distance = constraint->distance,
                           .v1 = s->out->v_c_lin[normal] + push,
                           .v0 = s->out->v_c0[normal] + push,
                           .mobility = W[rows * rows - 1]};
}

static void describe_distance(cr_constraint_state* s, cr_active_constraint* a) {
  int normal = a->row + a->rows - 1;
  cr_row_rule rule = a->constraint->rule;
  a->is_distance = rule == CR_ROW_CONTACT || rule == CR_ROW_EQUALITY;
  if (!a->is_distance) return;
  a->at = cr_constraint_state_find_distance(s, a->constraint, a->row, a->rows);
  a->is_plain = cr_compliance_is_plain(s->t->step, s->out, a->constraint, &a->at, normal);
}

/* Of what meets later in the step: where its force is read, and what counts as touching. */
static bool find_ahead_held(const cr_step_tangent* t) {
  bool any = t->forces != NULL;
  for (int i = 0; i < t->num_thetas; i++) any |= t->thetas[i].kind == CR_THETA_SIZE;
  return any;
}

static carom_status describe_rows(cr_constraint_state* s, const cr_contact_set* set, int place,
                                  cr_active_constraint* a) {
  int index = a->constraint->point;
  if (index < 0) return cr_model_row_describe(s->t, a->constraint, a->shape);
  a->point = &set->points.items[index];
  CR_TRY(cr_contact_tangent_find(s->t, set, index, &a->contact));
  cr_contact_tangent_describe(s->p->kind[place], a->constraint->moment, a->point, a->shape);
  if (!cr_contact_tangent_add_nodes(s->t, a->contact, a->rows, a->shape))
    return cr_error_memory(s->t->error);
  if (s->out->anchors && cr_law_get(s->p->kind[place])->is_cone &&
      isfinite(s->out->anchors[place].stiffness))
    a->anchor = &s->out->anchors[place];
  const cr_contact_extra* extra = a->point->extra;
  if (extra && extra->is_driven)
    s->t->num_held += v3_norm2(v3_cross(extra->turn, a->point->normal)) > 0;
  s->t->num_held += a->point->is_ahead && find_ahead_held(s->t);
  bool is_slowed = cr_active_is_slowed(a), moves = extra && (extra->drifts || extra->is_driven);
  s->t->num_held += is_slowed && moves;
  a->yields = is_slowed || cr_contact_tangent_yields(s->t->step, a->point);
  return CAROM_OK;
}

/* A limited actuator's row has the weights of its dof or line. */
static void describe_weight(const cr_constraint_state* s, cr_active_constraint* a) {
  const cr_force_model* force = &s->t->step->model->force;
  int actuator = (int)(unsigned)a->constraint->key.pair;
  if (a->constraint->rule != CR_ROW_ACTUATOR) return;
  if (!cr_actuator_has_feedback(force, actuator)) return;
  bool is_line = a->shape[0].line[0] != NULL;
  int index = is_line ? -1 : s->t->weights->of_dof[force->actuator_dof[actuator]];
  if (index >= 0) a->weight = &s->t->weights->items[index];
  if (is_line) a->weight = s->t->weights->line[force->actuator_line[actuator]];
  if (!a->weight) return;
  a->by_weight =
      cr_weight_tangent_of_actuator(s->t->step, a->weight, actuator, s->out->gamma[a->row]);
}

/* The cotangent of the record that a contact leaves; null: none is wanted. */
static const cr_memory_cotangent* find_record(const cr_constraint_state* s,
                                              const cr_active_constraint* a) {
  const cr_memory_cotangents* m = s->t->memory;
  int low = 0, high = m && a->constraint->point >= 0 ? m->num_left : 0;
  while (low < high) {
    int middle = (low + high) / 2,
        order = cr_contact_key_compare(m->left[middle].key, a->constraint->key);
    if (order == 0) return &m->left[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

static carom_status add_active(cr_constraint_state* s, const cr_contact_set* set, int place) {
  cr_active_constraint* a = &s->active[s->num_active];
  *a = (cr_active_constraint){.constraint = &s->out->constraints[s->out->order[place]],
                              .place = place,
                              .row = s->p->row[place],
                              .first = s->num_rows};
  find_law(s, place, &a->law);
  keep_law(s, place, &a->law);
  if (a->law.state == CR_LAW_OPEN && s->out->gamma[a->row] == 0 && !find_record(s, a))
    return CAROM_OK;
  a->rows = a->law.rows;
  describe_distance(s, a);
  CR_TRY(describe_rows(s, set, place, a));
  describe_weight(s, a);
  a->left = find_record(s, a);
  if (a->left) {
    a->of_column = CR_PUSH(s->t->arena, double, 1);
    if (!a->of_column) return cr_error_memory(s->t->error);
    *a->of_column = 0;
    cr_memory_add_impulses(s, a);
  }
  s->num_active++;
  s->num_rows += a->rows;
  return CAROM_OK;
}

/* What a contact's impulse makes of its own velocity along the normal, m/s. */
static double find_push(const cr_constraint_state* s, const cr_active_constraint* a) {
  const double* W = s->out->W + s->p->ld * a->row;
  return s->out->gamma[a->row + a->rows - 1] * W[a->rows * a->rows - 1];
}

/* Whether it is the contact of two geometries, not of nodes. */
static bool is_of_shapes(const cr_active_constraint* a) {
  return a->contact && a->constraint->rule == CR_ROW_CONTACT && a->point->geom[0] >= 0 &&
         a->point->geom[1] >= 0;
}

/* Where a capsule lies, one end goes on as the other did: what counts is by how much they differ.
 */
static double find_push_in_place(const cr_constraint_state* s, const cr_active_constraint* a) {
  const cr_geom_model* geom = &s->t->step->model->geom;
  bool lies = a->point->count == 2;
  double push = find_push(s, a);
  for (int k = 0; lies && k < 2; k++) {
    if (geom->shape[a->point->geom[k]].type != CAROM_GEOM_CAPSULE) continue;
    for (int i = 0; i < s->num_active; i++) {
      const cr_active_constraint* other = &s->active[i];
      if (other != a && is_of_shapes(other) && other->point->first == a->point->first)
        return fabs(push - find_push(s, other));
    }
  }
  return push;
}

/* Where a contact sticks its rows hold whatever their axes are, but for what they ask for; one
 * without friction has none across. */
static void mark_contact(const cr_constraint_state* s, const cr_active_constraint* a) {
  double asked2 = 0, push = find_push(s, a);
  if (!is_of_shapes(a)) return;
  for (int r = a->row; r < a->row + a->rows; r++)
    asked2 += s->v_c[r] * s->v_c[r] + s->p->v_hat[r] * s->p->v_hat[r];
  bool holds = a->rows > 1 && a->law.state != CR_LAW_SLIDE;
  double turning = sqrt(asked2) + (holds ? 0 : push);
  cr_contact_tangent_mark(s->t, a->contact, turning, find_push_in_place(s, a),
                          s->v_c[a->row + a->rows - 1]);
}

/* By the convex law what slides presses before it meets, if the free motion makes it active. */
static void mark_entering(const cr_constraint_state* s, const cr_active_constraint* a) {
  bool is_convex = s->t->step->sim->def.friction == CAROM_FRICTION_CONVEX && a->rows > 1;
  if (!is_convex || !a->point || s->t->smoothing > 0 || !(find_push(s, a) > 0)) return;
  s->t->num_kinks += a->point->activity < CR_DERIVE_SMALL_CHANGE;
  cr_step_tangent_note_kink(s->t, INFINITY, a->point->activity);
}

/* --- Where it stands ----------------------------------------------------------------------------
 */

static void sum_impulses(cr_constraint_state* s) {
  const cr_step* step = s->t->step;
  memset(s->impulse, 0, sizeof(sv) * (size_t)step->model->tree.num_links);
  for (int i = 0; i < s->num_active; i++) {
    const cr_active_constraint* a = &s->active[i];
    for (int r = 0; r < a->rows; r++)
      for (int k = 0; k < 2 && a->shape[r].kind != CR_ROW_OF_DOFS; k++) {
        int link = a->shape[r].link[k];
        if (step->model->tree.link_tree[link] < 0) continue;
        s->impulse[link] = sv_axpy(s->impulse[link], s->out->gamma[a->row + r],
                                   cr_row_wrench(step, &a->shape[r], k));
      }
  }
}

/* d(A x - Jᵀ gamma)/dq of a tree, its impulses carried along.
 * @param x [num_v] work */
static void differentiate_tree(cr_constraint_state* s, int tree, double* x) {
  cr_step_tangent* t = s->t;
  cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  double* slope = s->tree_slope + step->sim->plan.M_start[tree];
  for (int i = start; i < start + n; i++) x[i] = step->v[i] - step->v_star[i], step->work[i] = 0;
  cr_tree_update_velocities(model, tree, &step->kinematics, step->work, &step->velocities);
  cr_tree_motion motion = {
      &step->kinematics, &step->velocities, step->work, x, {v3_zero(), s->impulse}};
  const cr_rnea_derivatives out = {slope, NULL};
  cr_tree_differentiate_inverse_dynamics(model, tree, &motion, &t->rnea, &out);
}

carom_status cr_constraint_state_find(cr_constraint_state* s, const cr_contact_set* set) {
  cr_step* step = s->t->step;
  double* x = CR_PUSH(s->t->arena, double, step->model->num_v);
  if (!push(s)) return cr_error_memory(s->t->error);
  cr_blocks_gather(step, &s->out->blocks, step->v, x);
  cr_problem_apply_J(s->p, x, s->v_c, s->local);
  for (int i = 0; i < s->p->num_constraints; i++) CR_TRY(add_active(s, set, i));
  for (int i = 0; i < s->num_active; i++) {
    mark_contact(s, &s->active[i]);
    mark_entering(s, &s->active[i]);
  }
  sum_impulses(s);
  int num_trees = cr_tree_factor_count(step, &s->out->blocks);
  for (int b = 0; b < num_trees; b++) {
    cr_row_motion* motions[] = {&s->v, &s->star, &s->v0};
    for (int k = 0; k < 3; k++) cr_row_motion_find(step, s->out->blocks.movers[b], motions[k]);
  }
  if (!cr_tension_tangent_find(s)) return cr_error_memory(s->t->error);
  for (int b = 0; b < num_trees; b++) differentiate_tree(s, s->out->blocks.movers[b], x);
  cr_tension_tangent_add_slope(s);
  return CAROM_OK;
}
