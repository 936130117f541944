/* What parameters do to the balance of a soft body and to its matrix: constants of its material,
 * its mass, weight and pressure. */
#include "derive/soft_tangent.h"

#include <string.h>

static bool is_its(const cr_step_tangent* t, const cr_soft_tangents* s,
                   const cr_theta_column* theta) {
  return cr_theta_is_of_soft(theta) && &t->step->model->soft.part[theta->index] == s->soft->part;
}

cr_soft_material cr_soft_theta_find_material(const cr_soft_part* part, const cr_theta_column* theta,
                                             double scale) {
  double E = part->young, nu = part->poisson, one = 1 + nu, two = 1 - 2 * nu;
  cr_soft_material change = {.law = part->body.material.law};
  if (theta->kind == CR_THETA_YOUNG) {
    change.mu = 0.5 / one;
    change.lambda = nu / (one * two);
  } else {
    change.mu = -0.5 * E / (one * one);
    change.lambda = E * (1 + 2 * nu * nu) / (one * one * two * two);
  }
  change.mu *= scale, change.lambda *= scale;
  return change;
}

static bool is_elastic(const cr_theta_column* theta) {
  return theta->kind == CR_THETA_YOUNG || theta->kind == CR_THETA_POISSON;
}

double cr_soft_theta_find_mass_share(const cr_soft_part* part, const cr_theta_column* theta) {
  if (theta->kind == CR_THETA_DENSITY) return 1 / part->body.material.density;
  return theta->kind == CR_THETA_SOFT_MASS ? 1 / part->mass : 0;
}

/* out += (dK) w by an elastic constant, K at x. */
static void add_variation(const cr_soft_tangents* s, const cr_soft_material* change,
                          const double* x, const double* w, double* out) {
  cr_soft_body_add_variation(&s->soft->part->body, change, cr_soft_rows_of(x), cr_soft_rows_of(w),
                             out);
}

/* out += (dA) x. */
static void add_matrix(const cr_step_tangent* t, const cr_soft_tangents* s,
                       const cr_theta_column* theta, const double* x, double* out) {
  const cr_soft_body* body = &s->soft->part->body;
  double theta_v = s->soft->theta.v, dt = t->step->dt;
  cr_soft_weights w = cr_soft_find_weights(t->step, s);
  if (!is_its(t, s, theta)) return;
  if (is_elastic(theta)) {
    cr_soft_material of_x = cr_soft_theta_find_material(s->soft->part, theta, w.stiffness);
    cr_soft_material of_K = cr_soft_theta_find_material(s->soft->part, theta, w.damping);
    if (w.stiffness > 0) add_variation(s, &of_x, s->x, x, out);
    if (w.damping > 0) add_variation(s, &of_K, s->soft->K_x, x, out);
  }
  double share = cr_soft_theta_find_mass_share(s->soft->part, theta) *
                 (1 + dt * theta_v * body->material.alpha);
  if (theta->kind == CR_THETA_ALPHA) share = dt * theta_v;
  for (int i = 0; i < s->n; i++) out[i] += share * body->mass[i / 3] * x[i];
  if (theta->kind == CR_THETA_BETA) cr_soft_add_K(s, dt * theta_v, x, out);
}

void cr_soft_theta_subtract_matrix(const cr_step_tangent* t, const cr_soft_tangents* s,
                                   const cr_theta_column* theta, double* full) {
  memset(s->dx, 0, sizeof(double) * (size_t)s->n);
  add_matrix(t, s, theta, s->change, s->dx);
  for (int i = 0; i < s->n; i++) full[s->soft->first_v + i] -= s->dx[i];
}

/* dm += d m by the elements' constants. */
static void add_elastic(const cr_step_tangent* t, const cr_soft_tangents* s,
                        const cr_theta_column* theta, double* dm) {
  cr_soft_body changed = s->soft->part->body;
  double dt = t->step->dt, beta = changed.material.beta;
  cr_soft_material of_K = cr_soft_theta_find_material(s->soft->part, theta, dt * beta);
  if (beta > 0) add_variation(s, &of_K, s->soft->K_x, s->v_e, dm);
  changed.material = cr_soft_theta_find_material(s->soft->part, theta, dt);
  memset(s->y, 0, sizeof(double) * (size_t)s->n);
  const cr_soft_output output = {.gradient = s->y};
  cr_soft_body_evaluate(&changed, cr_soft_rows_of(s->x), &output);
  for (int i = 0; i < s->n; i++) dm[i] += s->y[i];
}

static void add_gravity(const cr_step_tangent* t, const cr_soft_tangents* s, int axis, double* dm) {
  for (int i = axis; i < s->n; i += 3) dm[i] -= t->step->dt * s->soft->part->body.mass[i / 3];
}

static void add_pressure(const cr_step_tangent* t, const cr_soft_tangents* s, double* dm) {
  const cr_soft_part* part = s->soft->part;
  memset(s->y, 0, sizeof(double) * (size_t)s->n);
  cr_soft_body_add_pressure(&part->body, s->soft->x0, part->surface.face, part->surface.num_faces,
                            -1, (double(*)[3])s->y);
  for (int i = 0; i < s->n; i++) dm[i] -= t->step->dt * s->y[i];
}

void cr_soft_theta_add_balance(const cr_step_tangent* t, const cr_soft_tangents* s,
                               const cr_theta_column* theta, double* dm) {
  const cr_step* step = t->step;
  const cr_soft_body* body = &s->soft->part->body;
  double dt = step->dt, share = cr_soft_theta_find_mass_share(s->soft->part, theta);
  const double *v = step->v_lin + s->soft->first_v, *v0 = step->v0 + s->soft->first_v;
  if (theta->kind == CR_THETA_GRAVITY) add_gravity(t, s, theta->element, dm);
  if (!is_its(t, s, theta)) return;
  if (is_elastic(theta)) add_elastic(t, s, theta, dm);
  if (theta->kind == CR_THETA_PRESSURE) add_pressure(t, s, dm);
  if (theta->kind == CR_THETA_BETA) cr_soft_add_K(s, dt, s->v_e, dm);
  for (int i = 0; i < s->n; i++) {
    double m = body->mass[i / 3], g = step->model->force.gravity[i % 3];
    dm[i] += share * m * (v[i] - v0[i] + dt * (body->material.alpha * s->v_e[i] - g));
    if (theta->kind == CR_THETA_ALPHA) dm[i] += dt * m * s->v_e[i];
  }
  if (!s->is_known) return;
  for (int i = 0; i < s->n; i++) s->dx[i] = step->v_star[s->soft->first_v + i] - v0[i];
  add_matrix(t, s, theta, s->dx, dm);
}
