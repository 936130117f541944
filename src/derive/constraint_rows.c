/* How the rows of a constraint move by a unit: of a dof, of v*, of v0 or of a parameter. */
#include "derive/constraint_rows.h"

#include "derive/area_mobility.h"
#include "derive/contact_parameters.h"
#include "derive/equality_tangent.h"
#include "derive/film_mobility.h"
#include "derive/friction_memory.h"
#include "derive/model_rows.h"
#include "derive/softening.h"
#include "derive/surface_motion.h"
#include "sim/rows/compliance.h"

#include <math.h>

/* How the rows move by the unit at hand; returns what the distance does. */
double cr_row_maker_differentiate(const cr_row_maker* m, const double* dq, cr_row_change* change) {
  const cr_constraint_state* s = m->s;
  const cr_active_constraint* a = m->a;
  const cr_step* step = s->t->step;
  const cr_model_row_way way = {dq, m->twist, m->displaced};
  if (!a->contact) return cr_model_row_differentiate(step, a->constraint, a->shape, &way, change);
  const cr_contact_column at = {m->token, m->twist, dq, &s->star, &s->v0, m->shape};
  return cr_contact_tangent_differentiate(step, a->contact, a->shape, a->rows, &at, change);
}

/* W = j A⁻¹ jᵀ: 2 (dj) z - zᵀ (dA) z; likewise of the lever.
 * @param slope [num_v] of the last term; @param motion null: none is asked for */
static double find_mobility(const cr_row_maker* m, const cr_row_change* change,
                            const cr_row_motion* motion, const double* slope) {
  const cr_active_constraint* a = m->a;
  int last = a->rows - 1;
  if (!motion) return 0;
  double sum = 2 * cr_row_velocity_change(m->s->t->step, &a->shape[last], &change[last], motion);
  return m->by == CR_BY_Q ? sum + slope[m->dof] : sum;
}

/* What R and v_hat of a distance's row change by. */
cr_compliance_change cr_constraint_differentiate_compliance(const cr_constraint_state* s,
                                                            const cr_active_constraint* a,
                                                            const cr_distance_row* moved,
                                                            double lever) {
  cr_compliance_change out = cr_compliance_differentiate(s->t->step, a->constraint, &a->at, moved);
  const cr_recovery_tangent* r = a->recovery;
  double film = cr_compliance_find_film_R(s->t->step, a->at.film);
  bool is_film = a->film && !a->area && s->p->R[a->row + a->rows - 1] == film;
  if (!r && is_film) out.R = film / a->at.film * moved->film;
  if (!r) return out;
  return (cr_compliance_change){cr_recovery_slopes_apply(&r->R, moved, out.v_hat, lever),
                                cr_recovery_slopes_apply(&r->v_hat, moved, out.v_hat, lever)};
}

/* What R and v_hat of a distance's row, and R of its cone's other rows, make of d. */
static void add_compliance(const cr_constraint_state* s, const cr_active_constraint* a,
                           const cr_distance_row* moved, double lever, double* d) {
  int last = a->rows - 1;
  double film = a->film ? s->t->step->sim->def.sigma * moved->film : 0;
  cr_compliance_change out = cr_constraint_differentiate_compliance(s, a, moved, lever);
  d[last] += out.R * s->out->gamma[a->row + last] - out.v_hat;
  for (int r = 0; r < last && film != 0; r++) d[r] += film * s->out->gamma[a->row + r];
  if (a->softening) *a->of_column += cr_softening_move(a, moved, out.v_hat, lever);
}

/* Surfaces and bodies that move as prescribed, as a change d of the rows. */
void cr_row_maker_add_surfaces(cr_row_maker* m, const cr_row_change* change, double* distance,
                               double* d) {
  const cr_active_constraint* a = m->a;
  const cr_step* step = m->s->t->step;
  m->push = 0;
  const cr_contact_extra* extra = a->contact ? a->point->extra : NULL;
  if (!extra || (!extra->drifts && !extra->is_driven)) return;
  cr_surface_rows at = {.point = a->point,
                        .shape = a->shape,
                        .change = change,
                        .rows = a->rows,
                        .twist = m->twist,
                        .normal = cr_contact_tangent_turn_normal(a->contact)};
  at.place = cr_contact_tangent_find_first(a->contact, &at.moved);
  m->push = cr_surface_motion_subtract(step, &at, d);
  *distance += (a->constraint->theta.q - step->sim->theta.q) * step->dt * m->push;
}

/* What a record's cotangent makes of a column, in which a contact's rows move. */
static void pull_record(const cr_constraint_state* s, const cr_active_constraint* a,
                        const cr_memory_column* column, const cr_row_change* change) {
  if (a->left) *a->of_column += cr_memory_pull_record(s, a, column, change);
}

/* A column of a contact whose rows were differentiated. */
static cr_memory_column column_of(const cr_row_maker* m, const cr_row_change* change,
                                  double dissipation) {
  return (cr_memory_column){.twist = m->twist,
                            .position = cr_contact_tangent_move_position(m->a->contact, change),
                            .normal = cr_contact_tangent_turn_normal(m->a->contact),
                            .dissipation = dissipation};
}

/* What v_hat and R do, as a change d of the rows. */
void cr_row_maker_add_compliance(const cr_row_maker* m, const cr_row_change* change,
                                 const double* dq, double distance, double* d) {
  const cr_constraint_state* s = m->s;
  const cr_active_constraint* a = m->a;
  const cr_step* step = s->t->step;
  int last = a->rows - 1;
  bool has_record = a->left && !(a->is_distance && a->is_plain);
  if (has_record) {
    cr_memory_column still = column_of(m, change, 0);
    pull_record(s, a, &still, change);
  }
  if (!a->is_distance || !a->is_plain) return;
  cr_distance_row moved = {
      .distance = distance,
      .v1 = cr_row_rate_change(step, &a->shape[last], &change[last], &s->star) + m->push,
      .v0 = cr_row_rate_change(step, &a->shape[last], &change[last], &s->v0) + m->push,
      .mobility = find_mobility(m, change, a->answer.motion, a->answer.slope)};
  double lever = find_mobility(m, change, a->lever, a->lever_slope);
  if (a->joint && m->dof >= 0) {
    size_t at = (size_t)a->joint_row * (size_t)s->t->num_v + (size_t)m->dof;
    lever = a->joint->by[m->by][at];
    moved.own = m->by == CR_BY_Q ? a->joint->own[at] : 0;
  }
  const cr_contact_column column = {m->token, m->twist, dq, &s->star, &s->v0, m->shape};
  if (a->contact) {
    cr_contact_give give = cr_contact_tangent_vary(step, a->contact, &column);
    moved.stiffness = give.stiffness, moved.dissipation = give.dissipation;
    moved.weight = give.weight;
  }
  if (a->area)
    moved.area = cr_area_mobility_move_rows(s, a->area, &column, m->by == CR_BY_Q ? m->dof : -1);
  if (a->film)
    moved.film = cr_film_mobility_move_rows(s, a, change, m->by == CR_BY_Q ? m->dof : -1);
  add_compliance(s, a, &moved, lever, d);
  if (!a->anchor && !a->left) return;
  double give[2];
  cr_memory_column at =
      column_of(m, change, cr_compliance_differentiate_dissipation(a->constraint, &a->at, &moved));
  at.stiffness = step->sim->def.tangent_ratio * moved.stiffness;
  pull_record(s, a, &at, change);
  if (!a->anchor) return;
  cr_anchor_differentiate(s, a, &at, give);
  for (int k = 0; k < 2; k++) d[k] += give[k];
}

/* What a bound that was given does, on the right side c. */
double cr_row_maker_find_bound(const cr_row_maker* m, double friction) {
  const cr_constraint_state* s = m->s;
  const cr_active_constraint* a = m->a;
  if (!a->contact || a->constraint->rule != CR_ROW_DRY) return friction;
  const double* bound = s->p->parameter + 2 * (size_t)a->place;
  double by_friction = bound[s->p->kind[a->place] == CR_LAW_BOUNDS] / a->point->friction;
  return by_friction * friction + cr_lagged_differentiate(s->t->step, a->contact, a->point);
}

/* The slip at the start of the step, where A is touched (contact_patches.c), and its change. */
static void find_slip(const cr_row_maker* m, double slip[2], double moved[2]) {
  const cr_contact_point* point = m->a->point;
  const cr_contact_tangent* contact = m->a->contact;
  v3 way, place = cr_contact_tangent_find_first(contact, &way);
  v3 turn = cr_contact_tangent_turn_normal(contact);
  for (int r = 0; r < 2; r++) {
    v3 axis = point->tangent[r];
    const cr_row_shape row = {.kind = CR_ROW_OF_POINT,
                              .link = {point->link[0], point->link[1]},
                              .axis = axis,
                              .place = {place, place}};
    cr_row_change change = {.axis = v3_scale(-v3_dot(axis, turn), point->normal),
                            .place = {way, way}};
    cr_row_carry(m->s->t->step, &row, m->twist, &change);
    slip[r] = cr_row_find_rate(m->s->t->step, &row, &m->s->v0);
    moved[r] = cr_row_rate_change(m->s->t->step, &row, &change, &m->s->v0);
  }
}

/* The same where soft bodies touch: their points are looked at where the rows are. */
static void find_soft_slip(const cr_row_maker* m, const cr_row_change* change, double slip[2],
                           double moved[2]) {
  const cr_active_constraint* a = m->a;
  for (int r = 0, i = 0; r < a->rows && i < 2; r++) {
    const cr_row_shape* row = &a->shape[r];
    bool is_across = fabs(v3_dot(row->axis, a->point->normal)) < 0.5;
    if (row->kind != CR_ROW_OF_POINT || !is_across) continue;
    cr_row_change carried = change[r];
    cr_row_carry(m->s->t->step, row, m->twist, &carried);
    slip[i] = cr_row_find_rate(m->s->t->step, row, &m->s->v0);
    moved[i++] = cr_row_rate_change(m->s->t->step, row, &carried, &m->s->v0);
  }
}

double cr_row_maker_move_friction(const cr_row_maker* m, cr_row_change* change) {
  const cr_active_constraint* a = m->a;
  if (!cr_active_is_slowed(a)) return 0;
  double slip[2] = {0, 0}, moved[2] = {0, 0};
  if (cr_active_is_soft(m->s, a))
    find_soft_slip(m, change, slip, moved);
  else
    find_slip(m, slip, moved);
  double speed = hypot(slip[0], slip[1]);
  cr_slip_friction by = cr_slip_friction_find(m->s->t->step->model, a->point);
  if (!(speed > 0)) return 0;
  double friction = by.by_speed * (slip[0] * moved[0] + slip[1] * moved[1]) / speed;
  for (int r = 0; r < a->rows; r++)
    change[r].length -= a->shape[r].length / a->point->friction * friction;
  return friction;
}

void cr_row_maker_carry(const cr_row_maker* m, cr_row_change* change) {
  for (int r = 0; r < m->a->rows; r++)
    cr_row_carry(m->s->t->step, &m->a->shape[r], m->twist, &change[r]);
}

/* How the impulses on both links change, beside being carried along. */
void cr_row_maker_find_moved(const cr_row_maker* m, const cr_row_change* change, sv moved[2]) {
  const cr_constraint_state* s = m->s;
  const cr_active_constraint* a = m->a;
  const cr_step* step = s->t->step;
  moved[0] = moved[1] = sv_zero();
  for (int r = 0; r < a->rows; r++) {
    const cr_row_shape* row = &a->shape[r];
    for (int k = 0; k < 2 && row->kind != CR_ROW_OF_DOFS; k++)
      if (step->model->tree.link_tree[row->link[k]] >= 0)
        moved[k] = sv_axpy(moved[k], s->out->gamma[a->row + r], change[r].turned[k]);
  }
}

/* What R and v_hat of a distance's row, and of its anchor's, do where nothing moves.
 * @param d [rows] is added to */
void cr_constraint_add_still(const cr_constraint_state* s, const cr_active_constraint* a,
                             const cr_distance_row* moved, double* d) {
  add_compliance(s, a, moved, 0, d);
  if (!a->anchor) return;
  double give[2];
  cr_memory_column at = {.twist = s->still,
                         .dissipation =
                             cr_compliance_differentiate_dissipation(a->constraint, &a->at, moved),
                         .stiffness = s->t->step->sim->def.tangent_ratio * moved->stiffness};
  pull_record(s, a, &at, NULL);
  cr_anchor_differentiate(s, a, &at, give);
  for (int k = 0; k < 2; k++) d[k] += give[k];
}

double cr_constraint_take_record(const cr_active_constraint* a) {
  double sum = a->of_column ? *a->of_column : 0;
  if (a->of_column) *a->of_column = 0;
  return sum;
}

double cr_constraint_find_mobility_slope(const cr_constraint_state* s,
                                         const cr_active_constraint* a, const cr_distance_row* unit,
                                         double d[CR_LAW_MAX_ROWS]) {
  for (int r = 0; r < CR_LAW_MAX_ROWS; r++) d[r] = 0;
  cr_constraint_add_still(s, a, unit, d);
  return cr_constraint_take_record(a);
}

int cr_active_list_motions(cr_constraint_state* s, const cr_active_constraint* a,
                           cr_row_motion* out[CR_MOST_MOTIONS]) {
  int count = 0;
  out[count++] = &s->v, out[count++] = &s->star, out[count++] = &s->v0;
  if (a->answer.motion) out[count++] = a->answer.motion;
  if (a->lever) out[count++] = a->lever;
  for (int i = 0; a->film && i < a->film->count; i++) out[count++] = a->film->answer[i].motion;
  for (int i = 0; a->area && i < a->area->count; i++)
    out[count++] = a->area->items[i].answer.motion;
  return count;
}
