/* What contacts transmit, whether they stick, and the user's list of them. */
#include "sim/step/ledger.h"

#include "math/scalar.h"

#include <math.h>
#include <string.h>

/* A cone is sticking when its impulse is inside by this share. */
#define STICK_SHARE 1e-9

/* Normal impulses below this share of the step's largest are round-off: nothing touches there. */
#define LEAST_SHARE 1e-12

static inline cr_contact_impulse sum_impulse(const cr_step_problem* problem, int place,
                                             const cr_contact_point* point) {
  const cr_problem* p = &problem->problem;
  uint32_t moment = problem->constraints[problem->order[place]].moment;
  return cr_contact_rows_sum(p->kind[place], moment, point, problem->gamma + p->row[place]);
}

static v3 world_impulse(const cr_step_problem* problem, int place, const cr_contact_point* point) {
  return sum_impulse(problem, place, point).force;
}

/* The normal impulse of a contact's place; 0 where it has none. */
static double find_normal_impulse(const cr_step_problem* problem, int place) {
  const cr_problem* p = &problem->problem;
  const cr_law* law = cr_law_get(p->kind[place]);
  bool has_normal = law->is_cone || (law->rows == 1 && p->parameter[2 * place] == 0);
  return has_normal ? problem->gamma[p->row[place] + law->rows - 1] : 0;
}

/* LEAST_SHARE of the largest normal impulse. */
static double find_least(const cr_ledger* l) {
  double largest = 0;
  for (int i = 0; i < l->problem->problem.num_constraints; i++) {
    int point = l->problem->constraints[l->problem->order[i]].point;
    if (point < 0) continue;
    largest = scalar_max(find_normal_impulse(l->problem, i), largest);
  }
  return LEAST_SHARE * largest;
}

/* Friction counts its moments, each over its length, as the cone does. */
static carom_contact_state classify(const cr_ledger* l, const cr_contact_point* point,
                                    const cr_contact_impulse* impulse) {
  double normal = v3_dot(impulse->force, point->normal);
  double tangential = v3_norm(v3_axpy(impulse->force, -normal, point->normal));
  if (point->condim > 3) {
    double twist = v3_dot(impulse->moment, point->normal);
    v3 roll = v3_axpy(impulse->moment, -twist, point->normal);
    double rolling = point->condim == 6 ? v3_norm(roll) / point->extra->length[1] : 0;
    tangential = hypot(tangential, hypot(twist / point->extra->length[0], rolling));
  }
  if (normal <= l->least) return CAROM_SEPARATED;
  if (point->condim < 3) return CAROM_SLIDING;
  bool inside = tangential <= (1 - STICK_SHARE) * point->friction * normal;
  return inside ? CAROM_STICKING : CAROM_SLIDING;
}

bool cr_ledger_find_transmitted(cr_ledger* l) {
  const cr_step_problem* problem = l->problem;
  l->least = find_least(l);
  l->found = CR_SCRATCH(l->step->arena, cr_transmitted, problem->num_constraints);
  l->num_sticking = CR_SCRATCH(l->step->arena, int, l->points->count);
  if (l->step->arena->failed) return false;
  memset(l->num_sticking, 0, sizeof(int) * (size_t)l->points->count);
  for (int i = 0; i < problem->num_constraints; i++) {
    int index = problem->constraints[problem->order[i]].point;
    if (index < 0) continue;
    const cr_contact_point* point = &l->points->items[index];
    l->found[i].impulse = sum_impulse(problem, i, point);
    l->found[i].state = classify(l, point, &l->found[i].impulse);
    if (point->is_area) l->num_sticking[point->first] += l->found[i].state == CAROM_STICKING;
  }
  return true;
}

const cr_anchor* cr_ledger_anchor(const cr_ledger* l, int place) {
  const cr_step_problem* problem = l->problem;
  if (!problem->anchors || !cr_law_get(problem->problem.kind[place])->is_cone) return NULL;
  const cr_anchor* anchor = &problem->anchors[place];
  return isfinite(anchor->stiffness) ? anchor : NULL;
}

v3 cr_ledger_find_stretch(const cr_ledger* l, int place, const cr_contact_point* point) {
  v3 gamma = world_impulse(l->problem, place, point);
  return cr_anchor_compute_stretch(cr_ledger_anchor(l, place), point, l->step->dt, gamma);
}

/* Velocity along the tangents at the end of the step, beside what surfaces move by, less the rate
 * at which an anchor gives way; frictionless rows do not know it. */
static double slip_of(const cr_ledger* l, int place, const cr_contact_point* point) {
  if (l->problem->problem.kind[place] == CR_LAW_BOUNDS) return 0;
  const cr_anchor* anchor = cr_ledger_anchor(l, place);
  const double *at = l->v_c + l->problem->problem.row[place], *roll = l->problem->roll + 2 * place;
  const double v[2] = {at[0] - roll[0], at[1] - roll[1]};
  if (!anchor && !cr_ledger_drifts(point) && !cr_ledger_is_driven(point))
    return scalar_norm2(v[0], v[1]);
  v3 given = v3_zero(), slip = v3_zero();
  if (anchor) given = v3_sub(cr_ledger_find_stretch(l, place, point), anchor->stretch);
  for (int k = 0; k < 2; k++) {
    double own = cr_ledger_drifts(point) ? v3_dot(point->extra->drift, point->tangent[k]) : 0;
    if (cr_ledger_is_driven(point)) own += v3_dot(point->extra->motion, point->tangent[k]);
    slip = v3_axpy(slip, v[k] + own, point->tangent[k]);
  }
  return v3_norm(v3_axpy(slip, -1 / l->step->dt, given));
}

/* The impulse less what the slip asks for leaves the cone: the contact slides, although a solution
 * to the tolerance may leave its impulse a little inside. */
static bool is_pulled_out(const cr_ledger* l, int place, const cr_contact_point* point) {
  const cr_problem* p = &l->problem->problem;
  const cr_law* law = cr_law_get(p->kind[place]);
  if (!law->is_cone) return false;
  int row = p->row[place], n = law->rows - 1;
  const double *gamma = l->problem->gamma + row, *v = l->v_c + row, *R = p->R + row;
  const double* v_hat = p->v_hat + row;
  const double* W = l->problem->W + p->ld * row;
  double rho = 2 / (W[0] + W[law->rows + 1]), sum = 0;
  for (int k = 0; k < n; k++) {
    double z = gamma[k] - rho * (v[k] - v_hat[k] + R[k] * gamma[k]);
    sum += z * z;
  }
  return sqrt(sum) > point->friction * gamma[n];
}

/* Of friction that is bounded by the last step's normal impulse: a force or moment at its bound. */
static bool is_at_bound(const cr_ledger* l, int place) {
  const cr_problem* p = &l->problem->problem;
  int rows = cr_law_get(p->kind[place])->rows;
  const double *gamma = l->problem->gamma + p->row[place], *bound = p->parameter + 2 * place;
  double radius = rows == 1 ? bound[1] : bound[0];
  double size = rows == 1 ? fabs(gamma[0]) : scalar_norm2(gamma[0], gamma[1]);
  return size >= (1 - STICK_SHARE) * radius;
}

/* What the report says of a contact that is whole. */
static void count_contact(cr_ledger* l, const cr_contact_point* point, const carom_contact* c) {
  carom_step_report* report = l->report;
  if (c->state != CAROM_SEPARATED) {
    report->penetration = scalar_max(-c->distance, report->penetration);
    report->patch_error = scalar_max(point->area_error, report->patch_error);
  }
  if (c->state == CAROM_STICKING) report->stick_slip = scalar_max(c->slip, report->stick_slip);
  bool floats = c->state == CAROM_SLIDING && l->step->sim->def.friction == CAROM_FRICTION_CONVEX;
  if (floats && point->condim >= 3) {
    double tau = isinf(point->stiffness) || isnan(point->dissipation) ? 0 : point->dissipation;
    double height = (l->step->dt + tau) * point->friction * c->slip;
    report->float_distance = scalar_max(height, report->float_distance);
  }
}

static void write_contact(cr_ledger* l, int place, const cr_contact_point* point) {
  const cr_contact_impulse* impulse = &l->found[place].impulse;
  carom_contact* c = &l->step->sim->contacts[l->step->sim->num_contacts++];
  c->geom1 = point->geom[0], c->geom2 = point->geom[1], c->distance = point->distance;
  c->area = point->area, c->area_error = point->area_error;
  v3_store(point->position, c->position);
  v3_store(point->normal, c->normal);
  v3_store(impulse->force, c->impulse);
  v3_store(impulse->moment, c->moment);
  c->slip = slip_of(l, place, point);
  c->shared_force = l->problem->shared ? l->problem->shared[place] : 0;
  c->is_undetermined = c->shared_force != 0;
  c->state = l->found[place].state;
  if (c->state == CAROM_STICKING && is_pulled_out(l, place, point)) c->state = CAROM_SLIDING;
}

/* Lagged friction splits a contact in several places, force, moments, normal: it slides where one
 * is at its bound. */
static void complete_contact(cr_ledger* l, int place) {
  carom_contact* c = &l->step->sim->contacts[l->step->sim->num_contacts - 1];
  const cr_transmitted* found = &l->found[place];
  v3_store(v3_add(v3_load(c->impulse), found->impulse.force), c->impulse);
  v3_store(v3_add(v3_load(c->moment), found->impulse.moment), c->moment);
  bool is_normal = l->problem->constraints[l->problem->order[place]].rule == CR_ROW_CONTACT;
  if (is_normal && found->state == CAROM_SEPARATED)
    c->state = CAROM_SEPARATED;
  else if (!is_normal && is_at_bound(l, place))
    c->state = CAROM_SLIDING;
}

void cr_ledger_report_contact(cr_ledger* l, int place) {
  const cr_constraint* constraint = &l->problem->constraints[l->problem->order[place]];
  const cr_contact_point* point = &l->points->items[constraint->point];
  bool is_friction = constraint->rule == CR_ROW_DRY, is_force = constraint->moment == 0;
  bool is_split = l->problem->problem.kind[place] == CR_LAW_BOUNDS && point->condim >= 3;
  if (is_force && (is_friction || !is_split))
    write_contact(l, place, point);
  else
    complete_contact(l, place);
  carom_contact* c = &l->step->sim->contacts[l->step->sim->num_contacts - 1];
  if (is_friction && is_force) c->state = is_at_bound(l, place) ? CAROM_SLIDING : CAROM_STICKING;
  if (!is_friction) count_contact(l, point, c);
}
