/* What inputs and directions do to forces along rows and to their terms w J Jᵀ of A. */
#include "derive/row_force.h"

#include "derive/weight_way.h"

/* --- Inputs -------------------------------------------------------------------------------------
 */

cr_row_force_change cr_row_force_differentiate_input(const cr_row_force* p,
                                                     const cr_row_force_input* input, double push,
                                                     const double x[2]) {
  return (cr_row_force_change){push * input->force + input->weight * x[0] + p->weight * x[1],
                               push * p->force + p->weight * x[0], -push * p->force};
}

void cr_row_force_find_rates(const cr_row_force* p, const cr_row_force_input* input,
                             const double* x, double rates[2]) {
  rates[0] = cr_line_tangent_rate(&p->line, x), rates[1] = 0;
  for (int i = 0; i < p->line.n && input->J; i++) rates[1] += input->J[i] * x[p->line.dof[i]];
}

void cr_row_force_add_change(const cr_row_force* p, const cr_row_force_input* input,
                             cr_row_force_change change, double s, double* y) {
  cr_line_tangent_add_row(&p->line, s * change.along, y);
  for (int i = 0; i < p->line.n && input->J; i++)
    y[p->line.dof[i]] += s * change.across * input->J[i];
  for (int i = 0; i < p->line.n && input->carried; i++)
    y[p->line.dof[i]] += s * change.carried * input->carried[i];
}

double cr_row_force_pull_change(const cr_row_force* p, const cr_row_force_input* input,
                                cr_row_force_change change, const double* x) {
  double rates[2];
  cr_row_force_find_rates(p, input, x, rates);
  double sum = change.along * rates[0] + change.across * rates[1];
  for (int i = 0; i < p->line.n && input->carried; i++)
    sum += change.carried * input->carried[i] * x[p->line.dof[i]];
  return sum;
}

/* --- In A ---------------------------------------------------------------------------------------
 */

static double find_move(const cr_row_force* p, const cr_row_force_way* way,
                        const cr_row_force_direction* by) {
  double sum = 0;
  for (int i = 0; i < p->line.n; i++) {
    int dof = p->line.dof[i];
    sum += way->by_q[i] * by->q_mid[dof];
    sum += way->J[i] * (way->by_v * by->v_star[dof] + way->by_v0 * by->v0[dof]);
  }
  return sum;
}

void cr_row_force_add_matrix(const cr_row_force* p, const double* x,
                             const cr_row_force_direction* by, int column, double s, double* y) {
  double along = cr_line_tangent_rate(&p->line, x), change = 0, rates[2];
  for (int i = 0; i < p->num_inputs; i++) {
    const cr_row_force_input* in = &p->inputs[i];
    double moved = cr_input_way_in(&in->way, column);
    if (moved == 0) continue;
    cr_row_force_find_rates(p, in, x, rates);
    cr_row_force_change own = cr_row_force_differentiate_input(p, in, 0, rates);
    cr_row_force_add_change(p, in, own, s * moved, y);
  }
  if (p->weight_by[0] != 0) change += p->weight_by[0] * find_move(p, &p->length, by);
  if (p->weight_by[1] != 0) change += p->weight_by[1] * find_move(p, &p->rate, by);
  if (p->z) change += p->z_weight * cr_weight_tangent_move(p->z, by->q0, by->v0);
  change *= along;
  if (p->weight != 0) {
    change += p->weight * cr_line_tangent_bend(&p->line, by->q_mid, x);
    cr_line_tangent_add_bend(&p->line, s * p->weight * along, by->q_mid, y);
  }
  cr_line_tangent_add_row(&p->line, s * change, y);
}

static void pull_move(const cr_row_force* p, const cr_row_force_way* way, double s,
                      const cr_row_force_cotangents* out) {
  for (int i = 0; i < p->line.n; i++) {
    int dof = p->line.dof[i];
    out->q_mid[dof] += s * way->by_q[i];
    out->v_star[dof] += s * way->by_v * way->J[i];
    out->v0[dof] += s * way->by_v0 * way->J[i];
  }
}

void cr_row_force_add_matrix_transposed(const cr_row_force* p, const double* x, const double* y,
                                        double s, const cr_row_force_cotangents* out) {
  double along = cr_line_tangent_rate(&p->line, x);
  double of_row = s * cr_line_tangent_rate(&p->line, y);
  for (int i = 0; i < p->num_inputs; i++) {
    const cr_row_force_input* in = &p->inputs[i];
    double rates[2];
    cr_row_force_find_rates(p, in, x, rates);
    cr_row_force_change change = cr_row_force_differentiate_input(p, in, 0, rates);
    double by = s * cr_row_force_pull_change(p, in, change, y);
    cr_input_way_pull(&in->way, by, 0, out->inputs);
  }
  pull_move(p, &p->length, p->weight_by[0] * along * of_row, out);
  pull_move(p, &p->rate, p->weight_by[1] * along * of_row, out);
  for (int i = 0; p->z && i < p->z->n; i++) {
    out->q0[p->z->group[i]] += p->z_weight * along * of_row * p->z->q[i];
    out->v0[p->z->group[i]] += p->z_weight * along * of_row * p->z->v[i];
  }
  if (p->weight == 0) return;
  cr_line_tangent_pull_bend(&p->line, p->weight * of_row, x, out->q_mid);
  cr_line_tangent_pull_bend(&p->line, s * p->weight * along, y, out->q_mid);
}
