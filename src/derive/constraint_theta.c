/* What parameters do to a constraint's rows: to R, v_hat and bounds, or by moving its links, its
 * shapes or the rows themselves. */
#include "derive/area_mobility.h"
#include "derive/constraint_block.h"
#include "derive/constraint_rows.h"
#include "derive/film_mobility.h"
#include "derive/force_parameters.h"
#include "derive/friction_memory.h"
#include "derive/model_rows.h"
#include "derive/place_parameters.h"
#include "derive/reference.h"
#include "derive/row_parameters.h"
#include "sim/tree/tree_factor.h"

#include <math.h>
#include <string.h>

/* - zᵀ (dA) z by a parameter, of an answer. */
static double find_mobility_theta(const cr_constraint_state* s, const cr_answer* answer,
                                  const cr_theta_column* theta) {
  const cr_step_tangent* t = s->t;
  double sum = 0, *Az = t->step->work;
  if (!answer->motion || cr_theta_is_of_surface(theta)) return 0;
  const double* z = answer->motion->v;
  memset(Az, 0, sizeof(double) * (size_t)t->num_v);
  for (int b = 0; b < cr_tree_factor_count(t->step, &s->out->blocks); b++) {
    cr_theta_add_matrix(t, theta, s->out->blocks.movers[b], z, Az);
    if (cr_theta_is_of_place(theta))
      cr_place_theta_add_matrix(t, theta, s->out->blocks.movers[b], &(cr_place_load){z, NULL}, Az);
  }
  for (int i = 0; i < t->num_v; i++) sum -= Az[i] * z[i];
  return sum;
}

/* The same of an area's mean. */
static double find_area_theta(const cr_constraint_state* s, const cr_area_mobility* area,
                              const cr_theta_column* theta) {
  double sum = 0;
  for (int i = 0; area && i < area->count; i++)
    sum += area->items[i].point->weight * find_mobility_theta(s, &area->items[i].answer, theta);
  return sum;
}

/* And of its cone's force. */
static double find_film_theta(const cr_constraint_state* s, const cr_film_mobility* film,
                              const cr_theta_column* theta) {
  double sum = 0;
  for (int i = 0; film && i < film->count; i++)
    sum += film->scale * find_mobility_theta(s, &film->answer[i], theta);
  return sum;
}

/* Displaces a constraint's links as a parameter does, or puts them back. */
static void displace_links(const cr_row_maker* m, const cr_line_displacement* by) {
  const cr_step* step = m->s->t->step;
  cr_row_motion* motions[CR_MOST_MOTIONS];
  int num_motions = cr_active_list_motions(m->s, m->a, motions);
  const cr_tree_insertion* in = by ? by->in : NULL;
  int count = by ? by->count : 0;
  for (int k = 0; k < 2; k++) {
    int link = m->a->shape[0].link[k];
    m->twist[link] = sv_zero();
    for (int i = 0; i < num_motions; i++) motions[i]->link_drift[link] = sv_zero();
    for (int j = 0; j < count; j++) {
      if (!cr_tree_carries(&step->model->tree, &in[j], link)) continue;
      m->twist[link] = sv_add(m->twist[link], in[j].S);
      for (int i = 0; i < num_motions; i++)
        motions[i]->link_drift[link] = sv_add(
            motions[i]->link_drift[link], cr_place_theta_find_drift(step, &in[j], motions[i]->v));
    }
  }
}

/* What shapes that move on their links, or links that are displaced, make of b and c. */
static void add_moved(cr_constraint_state* s, cr_active_constraint* a, const cr_theta_column* theta,
                      double* b, double* c) {
  const cr_step* step = s->t->step;
  const cr_tree_model* model = &step->model->tree;
  cr_row_maker m = {.s = s,
                    .a = a,
                    .twist = s->still,
                    .dof = -1,
                    .by = CR_BY_STAR,
                    .token = -2 - (int)(theta - s->t->thetas),
                    .shape = cr_theta_moves_contacts(theta) ? theta : NULL};
  cr_row_change change[CR_LAW_MAX_ROWS];
  double d[CR_LAW_MAX_ROWS] = {0};
  sv moved[2];
  cr_tree_insertion in[2];
  const cr_line_displacement by = {
      cr_theta_is_of_place(theta) ? cr_place_theta_list(step, theta, in) : 0, in};
  m.displaced = by.count > 0 ? &by : NULL;
  displace_links(&m, m.displaced);
  double distance = 0; /* of_row has it where the row itself moves */
  if (cr_theta_is_of_row(theta) || cr_theta_is_of_force(theta))
    cr_row_theta_move(s->t, theta, a->constraint, &a->shape[0], change);
  else
    distance = cr_row_maker_differentiate(&m, s->t->still, change);
  if (m.displaced)
    distance += cr_reference_move_row(s->t, theta, a->constraint, &a->shape[0], &change[0]);
  double friction = cr_row_maker_move_friction(&m, change);
  cr_row_maker_carry(&m, change);
  for (int r = 0; r < a->rows; r++)
    d[r] = cr_row_velocity_change(step, &a->shape[r], &change[r], &s->v);
  cr_row_maker_add_surfaces(&m, change, &distance, d);
  cr_row_maker_add_compliance(&m, change, s->t->still, distance, d);
  const double* still = s->t->still;
  if (a->constraint->rule == CR_ROW_ACTUATOR && m.displaced)
    d[0] -= cr_model_row_differentiate_actuator(
        step, a->constraint, &a->shape[0], &(cr_row_force_direction){still, still, still, still},
        m.displaced);
  double bound = cr_row_maker_find_bound(&m, friction);
  for (int r = 0; r < a->rows; r++) {
    c[r] += bound * a->law.widen[r];
    for (int j = 0; j < a->rows; j++) c[r] -= a->law.D[r][j] * d[j];
  }
  cr_row_maker_find_moved(&m, change, moved);
  for (int r = 0; r < a->rows; r++)
    for (int k = 0; k < a->shape[r].num_dofs; k++)
      b[a->shape[r].dof[k]] += s->out->gamma[a->row + r] * change[r].coefficient[k];
  for (int k = 0; k < 2 && a->shape[0].kind != CR_ROW_OF_DOFS; k++)
    for (int i = model->link_last_dof[a->shape[0].link[k]]; i >= 0; i = model->dof_parent[i])
      b[i] += sv_dot(step->kinematics.S[i], moved[k]);
  displace_links(&m, NULL);
}

/* What a parameter does to R and v_hat of a distance's row, and to its anchor's. */
static void add_compliance_theta(const cr_constraint_state* s, const cr_active_constraint* a,
                                 const cr_theta_column* theta, cr_contact_theta by, double* c) {
  double d[CR_LAW_MAX_ROWS] = {0};
  cr_distance_row moved = {.distance = by.distance,
                           .mobility = find_mobility_theta(s, &a->answer, theta),
                           .area = find_area_theta(s, a->area, theta),
                           .film = find_film_theta(s, a->film, theta),
                           .stiffness = by.stiffness * (a->contact ? a->point->weight : 1),
                           .dissipation = by.dissipation,
                           .restitution = by.restitution};
  if (cr_distance_row_is_still(&moved)) return;
  cr_constraint_add_still(s, a, &moved, d);
  for (int r = 0; r < a->rows; r++)
    for (int j = 0; j < a->rows; j++) c[r] -= a->law.D[r][j] * d[j];
}

/* What lengths of moments do, which their rows are in proportion to. */
static void add_lengths(const cr_constraint_state* s, const cr_active_constraint* a,
                        const double length[2], double* b, double* c) {
  const cr_step* step = s->t->step;
  const cr_tree_model* model = &step->model->tree;
  double d[CR_LAW_MAX_ROWS] = {0};
  for (int r = 0; r < a->rows; r++) {
    const cr_row_shape* row = &a->shape[r];
    if (!(row->length > 0)) continue;
    bool twists = v3_dot(row->axis, a->point->normal) > 0.5;
    double by = length[twists ? 0 : 1];
    d[r] = by / row->length * (s->v_c[a->row + r] - s->p->v_hat[a->row + r]);
    for (int k = 0; k < 2; k++)
      for (int i = model->link_last_dof[row->link[k]]; i >= 0; i = model->dof_parent[i])
        b[i] += (k ? by : -by) * s->out->gamma[a->row + r] *
                v3_dot(step->kinematics.S[i].ang, row->axis);
  }
  for (int r = 0; r < a->rows; r++)
    for (int j = 0; j < a->rows; j++) c[r] -= a->law.D[r][j] * d[j];
}

/* What numbers of a limited actuator do to its law, or to the bound that holds it. */
static void add_actuator(const cr_constraint_state* s, const cr_active_constraint* a,
                         const cr_row_theta* by, double* c) {
  double gamma = s->out->gamma[a->row];
  const double* bound = s->p->parameter + 2 * (size_t)a->place;
  c[0] -= a->law.D[0][0] * (by->R * gamma - by->v_hat);
  bool is_upper = fabs(gamma - bound[1]) < fabs(gamma - bound[0]);
  if (a->law.state == CR_LAW_OPEN) c[0] += s->t->step->dt * by->bound[is_upper];
}

double cr_constraint_add_theta(cr_constraint_state* s, cr_active_constraint* a,
                               const cr_theta_column* theta, double* b, double* c) {
  bool is_its = a->contact && cr_theta_moves_contacts(theta) &&
                (a->point->geom[0] == theta->index || a->point->geom[1] == theta->index);
  const cr_row_shape* row = &a->shape[0];
  bool has_place = row->kind != CR_ROW_OF_DOFS || row->line[0] || row->line[1];
  bool is_placed = cr_theta_is_of_place(theta) && has_place;
  cr_row_theta of_row = cr_row_theta_find(s->t, theta, a->constraint, &a->shape[0]);
  if (is_its || is_placed || of_row.is_moved) add_moved(s, a, theta, b, c);
  if (cr_active_is_dry(a))
    of_row.friction += cr_theta_of_friction_loss(s->t, theta, a->shape[0].dof[0]);
  c[0] += s->t->step->dt * of_row.friction * a->law.widen[0];
  if (a->constraint->rule == CR_ROW_ACTUATOR) add_actuator(s, a, &of_row, c);
  cr_contact_theta by = {.stiffness = of_row.stiffness,
                         .dissipation = of_row.dissipation,
                         .distance = of_row.distance};
  int tie = a->contact ? -1 : cr_model_row_find_tie(s->t->step, a->constraint);
  if (a->contact) by = cr_theta_of_contact(s->t, theta, a->point);
  if (tie >= 0) by = cr_theta_of_tie(s->t, theta, tie);
  double bound = a->rows > 1 || !a->contact ? by.friction : 0; /* a normal row's is always 0 */
  if (a->contact && a->constraint->rule == CR_ROW_DRY)
    bound = cr_lagged_differentiate_theta(s->t, a->point, theta);
  for (int r = 0; r < a->rows; r++) c[r] += bound * a->law.widen[r];
  if (by.length[0] != 0 || by.length[1] != 0) add_lengths(s, a, by.length, b, c);
  if (a->is_plain && a->is_distance) add_compliance_theta(s, a, theta, by, c);
  return cr_constraint_take_record(a);
}
