/* Tangential compliance (docs/contact.md, "Friction that gives way"). A point's elastic
 * displacement u gives the friction f = -k_t (u + tau_t u'), at the end of the step: with the
 * elastic rate w, u1 = u + dt w,
 *
 *   gamma_t = -(w - v_hat_t) / R_t,   R_t = 1 / (dt k_t (dt + tau_t)),   v_hat_t = -u / (dt +
 * tau_t)
 *
 * so that the law's slack v_t - v_hat_t + R_t gamma_t = v_t - w is the slip, and Coulomb's law
 * holds for the slip alone. w follows from gamma_t whether the point sticks, slides or is free. */
#include "sim/contact/anchor.h"

#include <math.h>

static v3 project(v3 u, v3 normal) { return v3_axpy(u, -v3_dot(u, normal), normal); }

static v3 to_world(const cr_step* step, const cr_contact_record* record) {
  return m3_mulv(&step->kinematics.link_pose[record->link].R, v3_load(record->stretch));
}

/* What the displacements of a pair have in common: those of a body that has moved and turned. */
typedef struct field {
  v3 mean, center; /* m */
  double spin;     /* rad, about the normal */
} field;

static v3 place_of(const cr_step* step, const cr_contact_record* record) {
  return pose_point(&step->kinematics.link_pose[record->link], v3_load(record->place));
}

/* How much a record counts: by what it bore. */
static double weight_of(const cr_contact_record* record) {
  return record->key.moment ? 0 : v3_norm(v3_load(record->impulse));
}

/* By least squares over the points that were loaded in the last step; one alone tells of no spin.
 */
static field fit_field(const cr_step* step, uint64_t pair, v3 normal) {
  const cr_contact_record* record;
  int count = cr_contact_memory_find_pair(&step->sim->memory, pair, &record);
  field f = {v3_zero(), v3_zero(), 0};
  double sum = 0, turn = 0, square = 0;
  int loaded = 0;
  for (int i = 0; i < count; i++) {
    double weight = weight_of(&record[i]);
    if (!(weight > 0)) continue;
    f.mean = v3_axpy(f.mean, weight, to_world(step, &record[i]));
    f.center = v3_axpy(f.center, weight, place_of(step, &record[i]));
    sum += weight, loaded++;
  }
  if (!(sum > 0)) return f;
  f.mean = v3_scale(1 / sum, f.mean), f.center = v3_scale(1 / sum, f.center);
  if (loaded == 1) return f;
  for (int i = 0; i < count; i++) {
    double weight = weight_of(&record[i]);
    if (!(weight > 0)) continue;
    v3 arm = project(v3_sub(place_of(step, &record[i]), f.center), normal);
    turn += weight * v3_dot(normal, v3_cross(arm, v3_sub(to_world(step, &record[i]), f.mean)));
    square += weight * v3_norm2(arm);
  }
  if (square > 0) f.spin = turn / square;
  return f;
}

/* The displacement at a point before the step, in the world. */
static v3 find_stretch(const cr_step* step, const cr_contact_point* point) {
  const cr_contact_record* record = cr_contact_memory_find(&step->sim->memory, point->key);
  v3 own = record ? to_world(step, record) : v3_zero();
  v3 from = record ? place_of(step, record) : v3_zero();
  if (record && v3_norm2(v3_sub(point->position, from)) == 0) return own;
  field f = fit_field(step, point->key.pair, point->normal);
  if (!record) own = f.mean, from = f.center;
  v3 way = v3_sub(point->position, from);
  return v3_axpy(own, f.spin, v3_cross(point->normal, way));
}

cr_anchor cr_anchor_find(const cr_step* step, const cr_contact_point* point, double dissipation) {
  cr_anchor anchor = {step->sim->def.tangent_ratio * point->stiffness * point->weight, dissipation,
                      v3_zero()};
  for (int k = 0; k < 2; k++)
    if (cr_mover_of_link(step->model, point->link[k])->is_elastic) anchor.stiffness = INFINITY;
  if (isinf(anchor.stiffness)) return anchor;
  anchor.stretch = project(find_stretch(step, point), point->normal);
  return anchor;
}

void cr_anchor_add_rows(const cr_anchor* anchor, const cr_contact_point* point, double dt,
                        double* R, double* v_hat) {
  if (isinf(anchor->stiffness)) return;
  double reach = dt + anchor->dissipation;
  for (int k = 0; k < 2; k++) {
    R[k] += 1 / (dt * anchor->stiffness * reach);
    v_hat[k] -= v3_dot(anchor->stretch, point->tangent[k]) / reach;
  }
}

v3 cr_anchor_compute_stretch(const cr_anchor* anchor, const cr_contact_point* point, double dt,
                             v3 gamma) {
  double tau = anchor->dissipation;
  v3 pull = v3_scale(-1 / anchor->stiffness, project(gamma, point->normal));
  return v3_scale(1 / (dt + tau), v3_axpy(pull, tau, anchor->stretch));
}

double cr_anchor_compute_energy(const cr_anchor* anchor, v3 stretch) {
  return 0.5 * anchor->stiffness * v3_norm2(stretch);
}

/* Rate of turning, 1/s. */
static double spin(const cr_step* step, int link) {
  bool fixed = step->model->tree.link_tree[link] < 0;
  return fixed ? 0 : v3_norm(step->velocities.link_V[link].ang);
}

void cr_anchor_store(const cr_step* step, const cr_contact_point* point, v3 stretch,
                     cr_contact_record* record) {
  record->link = point->link[spin(step, point->link[1]) < spin(step, point->link[0])];
  const pose* X = &step->kinematics.link_pose[record->link];
  v3_store(m3_tmulv(&X->R, stretch), record->stretch);
  v3_store(pose_inverse_point(X, point->position), record->place);
}
