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

/* Mean displacement of the points of a pair that were loaded in the last step. */
static v3 find_mean(const cr_step* step, uint64_t pair) {
  const cr_contact_record* record;
  int count = cr_contact_memory_find_pair(&step->sim->memory, pair, &record), loaded = 0;
  v3 sum = v3_zero();
  for (int i = 0; i < count; i++, record++) {
    if (record->key.moment || !(v3_norm2(v3_load(record->impulse)) > 0)) continue;
    sum = v3_add(sum, to_world(step, record));
    loaded++;
  }
  return loaded ? v3_scale(1.0 / loaded, sum) : sum;
}

cr_anchor cr_anchor_find(const cr_step* step, const cr_contact_point* point, double dissipation) {
  cr_anchor anchor = {step->sim->def.tangent_ratio * point->stiffness * point->weight, dissipation,
                      v3_zero()};
  for (int k = 0; k < 2; k++)
    if (cr_mover_of_link(step->model, point->link[k])->is_elastic) anchor.stiffness = INFINITY;
  if (isinf(anchor.stiffness)) return anchor;
  const cr_contact_record* record = cr_contact_memory_find(&step->sim->memory, point->key);
  v3 u = record ? to_world(step, record) : find_mean(step, point->key.pair);
  anchor.stretch = project(u, point->normal);
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
  const m3* R = &step->kinematics.link_pose[record->link].R;
  v3_store(m3_tmulv(R, stretch), record->stretch);
}
