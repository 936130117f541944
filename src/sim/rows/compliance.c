/* R and v_hat of the rows of a step's problem, from physical parameters (docs/contact.md). */
#include "sim/rows/compliance.h"

#include "math/scalar.h"
#include "sim/contact/rolling.h"
#include "sim/mover.h"
#include "sim/rows/contact_rows.h"
#include "sim/rows/recovery.h"

#include <math.h>
#include <string.h>

#define SWING  0.05 /* from 0.15 on coins that roll gain energy */
#define KICK   0.1  /* of the last impulse of a contact that rolls */
#define JAMMED 40   /* 4 times 10: of the energy of motion, what a rebound gives at most */

/* Of R of rigid areas, the tolerance by which the solver tells the foundation's distribution of a
 * force from others. */
#define AREA_ACCURACY 3e-4

/* Dissipation time of a compliant row: as given, else critical damping of the mass that the row
 * feels. Hunt-Crossley's force k x (1 + d v) is that of the time d x, with x where the step looks
 * at distances. */
static double resolve_dissipation(const cr_constraint* c, double W) {
  if (isinf(c->stiffness)) return 0;
  if (c->extra && c->extra->hunt_crossley > 0)
    return (isnan(c->dissipation) ? 0 : c->dissipation) +
           c->extra->hunt_crossley * scalar_max(-c->distance, 0);
  if (!isnan(c->dissipation)) return c->dissipation;
  return 2 * sqrt(1 / (scalar_max(W, 1e-300) * c->stiffness));
}

double cr_compliance_find_closed(const cr_step* step) {
  return CR_CLOSED_GAP * step->sim->def.tolerance * cr_recovery_find_fall(step) * step->dt;
}

bool cr_compliance_can_close(const cr_constraint* c) {
  return c->rule == CR_ROW_CONTACT && isinf(c->stiffness) && !c->is_hit;
}

double cr_compliance_find_start(const cr_step* step, const cr_step_problem* out,
                                const cr_constraint* c, int row) {
  cr_theta theta = c->theta;
  double push = c->extra ? c->extra->push : 0;
  double v0 = out->v_c0[row] + push, v1 = out->v_c_lin[row] + push;
  return c->distance - theta.q * step->dt * (theta.vq * v1 + (1 - theta.vq) * v0);
}

/* R = 1 / (dt k (h + tau tcv)), v_hat = -(phi + tau (1 - tcv) v_n0) / (h + tau tcv), with phi the
 * distance at the contact's own time less h times the new velocity. */
static void set_distance_row(const cr_step* step, const cr_step_problem* out,
                             const cr_constraint* c, int row, double W) {
  cr_theta theta = c->theta;
  double dt = step->dt, push = c->extra ? c->extra->push : 0;
  double v0 = out->v_c0[row] + push, v1 = out->v_c_lin[row] + push;
  double start = cr_compliance_find_start(step, out, c, row);
  bool rigid = isinf(c->stiffness);
  double tau = resolve_dissipation(c, W), h = dt, tcv = 1, phi = start;
  if (step->sim->def.contact == CAROM_CONTACT_SCHEME && !rigid &&
      theta.q * theta.vq * dt + tau * theta.v > 0) {
    h = theta.q * theta.vq * dt, tcv = theta.v;
    phi = c->distance - theta.q * dt * theta.vq * v1;
  }
  double reach = h + tau * tcv;
  out->problem.R[row] = rigid ? 0 : 1 / (dt * c->stiffness * reach);
  out->problem.v_hat[row] = -(phi + tau * (1 - tcv) * v0) / reach;
  if (c->rule == CR_ROW_EQUALITY)
    out->problem.R[row] = scalar_max(out->problem.R[row], CR_EQUALITY_R * W);
}

/* Newton's law of impact for rigid contact: the speed after the impact is the share e of that
 * before. An impact falls within a step; the free motion, with its relative acceleration -g, leads
 * from the speed v0 and the distance phi to the impact and from there to the end of the step:
 *
 *   v1²/2 + g phi1 = e² (v0²/2 + g phi),   phi1 = phi + dt v1,
 *
 * which keeps energy at e = 1 whatever dt. v_hat is larger by what the row's trace of compliance
 * takes from an impulse (v1 - v*) / W. Slower impacts than the rest speed do not rebound. */
static void set_rebound(const cr_step* step, const cr_step_problem* out, const cr_constraint* c,
                        int row, double W) {
  double v0 = out->v_c0[row] + c->extra->push, phi = c->distance, dt = step->dt;
  double g = -(out->v_c_lin[row] + c->extra->push - v0) / dt, e2 = pow(c->extra->restitution, 2);
  double impact2 = v0 * v0 + 2 * g * phi, rest = step->model->contact.rest_speed;
  if (!isinf(c->stiffness) || !(impact2 > rest * rest)) return;
  double left = g * g * dt * dt + e2 * impact2 - 2 * g * phi;
  if (!(left > 0)) return;
  double v1 = sqrt(left) - g * dt - c->extra->push,
         given = out->problem.R[row] / W * (v1 - out->v_c_lin[row]);
  out->problem.v_hat[row] = scalar_max(out->problem.v_hat[row], v1 + given);
}

/* Of the block of the force's rows, the first two and the last: those of moments are as large as
 * the lengths of friction make them. */
static double frobenius_of_force(const double* W, int n) {
  double sum = 0;
  for (int i = 0; i < n; i = i == 1 ? n - 1 : i + 1)
    for (int k = 0; k < n; k = k == 1 ? n - 1 : k + 1) sum += W[n * i + k] * W[n * i + k];
  return sqrt(sum);
}

double cr_compliance_find_film(const double* W, int rows) {
  return frobenius_of_force(W, rows) / 3;
}

double cr_compliance_find_film_R(const cr_step* step, double w) {
  double beta = step->sim->def.beta;
  return beta * beta / (4 * M_PI * M_PI) * w;
}

/* The published model's regularisation, where asked for: R_t = sigma w, and the least R_n, beta² w
 * / (4 pi²), w = |W|_F / 3 of the force. */
static double regularize_contact(const cr_step* step, cr_problem* p, int row, int rows,
                                 const double* W) {
  double beta = step->sim->def.beta, sigma = step->sim->def.sigma;
  if (sigma == 0 && beta == 0) return 0;
  double w = cr_compliance_find_film(W, rows);
  for (int r = row; r < row + rows - 1; r++) p->R[r] = sigma * w;
  return cr_compliance_find_film_R(step, w);
}

/* The anchor of a contact and its part of the tangential rows. */
static void set_anchor(const cr_step* step, const cr_contact_points* points, const cr_constraint* c,
                       int place, cr_step_problem* out) {
  cr_problem* p = &out->problem;
  const cr_contact_point* point = &points->items[c->point];
  int row = p->row[place];
  int rows = cr_law_get(p->kind[place])->rows;
  double W = out->W[p->ld * row + rows * rows - 1];
  out->anchors[place] = cr_anchor_find(step, point, resolve_dissipation(c, W));
  cr_anchor_add_rows(&out->anchors[place], point, step->dt, p->R + row, p->v_hat + row);
}

/* What touches a moving surface or body heads for its velocity. */
static void add_drift(const cr_contact_point* point, const cr_constraint* c, int kind,
                      double* v_hat) {
  double drift[CR_LAW_MAX_ROWS];
  if (!point->extra || (!point->extra->drifts && !point->extra->is_driven)) return;
  int count = cr_contact_rows_find_drift(kind, c->moment, point, drift);
  for (int k = 0; k < count; k++) v_hat[k] += drift[k];
}

/* Share of the change of J since the last step that is still to come: J is that of the moment at
 * which the step looks, (1 - theta_q) dt before its end. */
static double find_share_to_come(const cr_step* step, double theta_q) {
  double left = (1 - theta_q) * step->dt, before = (1 - theta_q) * step->sim->memory.dt;
  return left > 0 ? left / (before + theta_q * step->dt) : 0;
}

/* A contact that rolls sticks, and stays closed, in the middle of the step, where its force does no
 * work whatever J is: J (v + v0) = 0 along its tangents, phi + dt J (v + v0) / 2 = 0 along its
 * normal. What v and v0 then differ by would go on changing its sign, step by step. So of the
 * velocities d at the starts of the last three steps a share of the second difference is taken off,
 * which is four times what changes sign, and else of third order:
 *
 *   J v = -J v0 + SWING (d - 2 d' + d'') - 2 phi / dt.
 *
 * Along the normal, where that would kick a body that comes from another motion, its gap and its
 * velocity, phi and d, end in two steps:
 *
 *   J v = -J v0 + d / 2 - phi / dt. */
static void set_rolling(const cr_step* step, const cr_contact_point* point, cr_step_problem* out,
                        int place) {
  int row = out->problem.row[place], rows = cr_law_get(out->problem.kind[place])->rows;
  double *v_hat = out->problem.v_hat + row, *roll = out->roll + 2 * place;
  const double *v0 = out->v_c0 + row, (*began)[3] = point->record->began;
  v3 start = cr_rolling_find_start(point, v0, rows), normal = point->normal;
  v3 swing = v3_add(v3_axpy(start, -2, v3_load(began[0])), v3_load(began[1]));
  for (int k = 0; k < 2; k++) {
    roll[k] = SWING * v3_dot(swing, point->tangent[k]) - v0[k] + v_hat[k];
    v_hat[k] += roll[k];
  }
  double closing = -point->distance0 / step->dt, calm = 0.5 * v3_dot(start, normal) + closing;
  double rolling = SWING * v3_dot(swing, normal) + 2 * closing;
  double W = out->W[out->problem.ld * row + rows * rows - 1];
  double kick = KICK * v3_dot(v3_load(point->record->impulse), normal) * W;
  v_hat[rows - 1] = (fabs(rolling - calm) <= kick ? rolling : calm) - v0[rows - 1];
}

/* A contact that goes on over a curved surface sticks at the end of the step, not where the step
 * looks at it:
 *
 *   (J_1 - J_q) v = s (J_q - J_q') v + O(dt²),
 *   s = (1 - theta_q) dt / (theta_q dt + (1 - theta_q) dt')
 *
 * with J_q' and dt' of the step before, so that its tangential rows head for -s (J_q v0 - J_q' v0).
 */
static void add_roll(const cr_step* step, const cr_contact_points* points, cr_step_problem* out,
                     int place) {
  const cr_constraint* c = &out->constraints[out->order[place]];
  const cr_contact_point* point = &points->items[c->point];
  double *roll = out->roll + 2 * place, *v_hat = out->problem.v_hat + out->problem.row[place];
  const double* v0 = out->v_c0 + out->problem.row[place];
  roll[0] = roll[1] = 0;
  if (isnan(point->slip.x) || c->moment || out->problem.kind[place] == CR_LAW_BOUNDS) return;
  double share = find_share_to_come(step, c->theta.q);
  if (!(share > 0)) return;
  if (point->rolls) {
    set_rolling(step, point, out, place);
    return;
  }
  v3 drift = point->extra && point->extra->drifts ? point->extra->drift : v3_zero();
  v3 before = v3_sub(point->slip, drift);
  for (int k = 0; k < 2; k++) {
    roll[k] = share * (v3_dot(before, point->tangent[k]) - v0[k]);
    v_hat[k] += roll[k];
  }
}

/* Asks for the accuracy that areas need, and finds of each area, by its first point, the sum of
 * W_nn times weight over what is active, the mean where all is; null where there are none. False
 * when memory ran out. */
static bool find_area_mobilities(const cr_step* step, const cr_contact_points* points,
                                 cr_step_problem* out, double** mobility) {
  const cr_problem* p = &out->problem;
  *mobility = NULL;
  if (step->sim->def.patches != CAROM_PATCHES_AREA || !points->count) return true;
  *mobility = CR_PUSH(step->problem_arena, double, points->count);
  if (step->problem_arena->failed) return false;
  memset(*mobility, 0, sizeof(double) * (size_t)points->count);
  for (int i = 0; i < p->num_constraints; i++) {
    const cr_constraint* c = &out->constraints[out->order[i]];
    if (c->rule != CR_ROW_CONTACT || c->point < 0) continue;
    const cr_contact_point* point = &points->items[c->point];
    int rows = cr_law_get(p->kind[i])->rows;
    if (point->is_area && isinf(c->stiffness))
      out->problem.accuracy = AREA_ACCURACY * step->sim->plan.area_R;
    (*mobility)[point->first] += point->weight * out->W[p->ld * p->row[i] + rows * rows - 1];
  }
  return true;
}

/* Rigid points that stand for an area give way as parts of one elastic foundation: of all
 * distributions of the force the solver finds the one that is linear in the place. */
double cr_compliance_find_area_R(const cr_step* step, double W, double weight) {
  return step->sim->plan.area_R * W / weight;
}

static double find_area_R(const cr_step* step, const cr_contact_point* point,
                          const double* mobility) {
  if (!point->is_area || !mobility) return 0;
  return cr_compliance_find_area_R(step, mobility[point->first], point->weight);
}

static void set_rows(const cr_step* step, const cr_contact_points* points, cr_step_problem* out,
                     cr_recovery* recovery, const double* area) {
  cr_problem* p = &out->problem;
  for (int i = 0, group = 0; i < p->num_constraints; i++) {
    while (i >= p->group[group].constraint_start + p->group[group].constraint_count) group++;
    const cr_constraint* c = &out->constraints[out->order[i]];
    int row = p->row[i], rows = cr_law_get(p->kind[i])->rows, normal = row + rows - 1;
    const double* W = out->W + p->ld * row;
    if (c->rule == CR_ROW_CONTACT || c->rule == CR_ROW_EQUALITY)
      set_distance_row(step, out, c, normal, W[rows * rows - 1]);
    if (c->rule == CR_ROW_CONTACT && isinf(c->stiffness) && c->point >= 0)
      p->R[normal] = find_area_R(step, &points->items[c->point], area);
    if (c->rule == CR_ROW_CONTACT && isinf(c->stiffness))
      cr_recovery_bound_contact(recovery, c->point < 0 ? c->link : points->items[c->point].link,
                                (cr_row_place){group, normal}, W[rows * rows - 1]);
    if (c->point >= 0) {
      add_drift(&points->items[c->point], c, p->kind[i], p->v_hat + row);
      add_roll(step, points, out, i);
    }
    if (rows < 3) continue; /* no cone */
    double least = regularize_contact(step, p, row, rows, W);
    bool is_area = c->rule == CR_ROW_CONTACT && c->point >= 0 && points->items[c->point].is_area;
    bool is_founded = is_area && isinf(c->stiffness); /* plan_areas of create.c knows of beta */
    if (!is_founded) p->R[normal] = scalar_max(p->R[normal], least);
    if (out->anchors) set_anchor(step, points, c, i, out);
  }
}

/* What the problem's trees can have of kinetic energy before they meet, J: twice that of the start,
 * and twice what weight gives to a body at rest, as (a + b)² <= 2 a² + 2 b². */
static double find_motion(const cr_step* step, const cr_step_problem* out) {
  double fall = step->dt * v3_norm(v3_load(step->model->force.gravity)), sum = 0;
  for (int k = 0; k < out->blocks.num_movers; k++) {
    int mover = out->blocks.movers[k];
    if (cr_mover_of(step->model, mover)->is_elastic) return INFINITY;
    sum += step->sim->plan.mass[mover] * fall * fall + cr_recovery_find_twice_kinetic(step, mover);
  }
  return sum;
}

/* Rebounds, which no recovery bounds: with all impulses J^T gamma changes velocities by no more
 * than the motion before and after, so that sum gamma v_hat <= 4 E. What asks for far more is
 * jammed. */
static void set_rebounds(const cr_step* step, cr_step_problem* out) {
  const cr_problem* p = &out->problem;
  double energy = -1;
  for (int i = 0; i < p->num_constraints; i++) {
    const cr_constraint* c = &out->constraints[out->order[i]];
    if (!c->extra || !c->is_hit || c->rule != CR_ROW_CONTACT || !(c->extra->restitution > 0))
      continue;
    int rows = cr_law_get(p->kind[i])->rows, normal = p->row[i] + rows - 1;
    set_rebound(step, out, c, normal, out->W[p->ld * p->row[i] + rows * rows - 1]);
    if (energy < 0) energy = JAMMED * find_motion(step, out);
    out->recovery[normal] = (cr_recovery_bound){energy, 0};
  }
}

bool cr_compliance_set(cr_step* step, const cr_contact_points* points, cr_step_problem* out) {
  out->roll = CR_PUSH(step->problem_arena, double, 2 * out->num_constraints);
  if (step->problem_arena->failed) return false;
  if (step->sim->def.friction == CAROM_FRICTION_ANCHORED) {
    out->anchors = CR_PUSH(step->problem_arena, cr_anchor, out->num_constraints);
    if (step->problem_arena->failed) return false;
  }
  cr_recovery recovery;
  if (!cr_recovery_init(step, out, &recovery)) return false;
  double* area;
  if (!find_area_mobilities(step, points, out, &area)) return false;
  set_rows(step, points, out, &recovery, area);
  if (!cr_recovery_bound_equalities(&recovery)) return false;
  if (!step->model->contact.is_plain) set_rebounds(step, out);
  return true;
}
