#include "support/soft_differences.h"

#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

carom_sim_def soft_differences_def(carom_scheme scheme, double dt) {
  carom_sim_def def = carom_sim_def_default();
  def.scheme = scheme, def.dt = dt, def.tolerance = 1e-13;
  def.recovery_speed = 1e3, def.sleep_share = 0;
  return def;
}

carom_soft_def soft_differences_block(carom_soft_law law) {
  carom_soft_def def = carom_soft_def_default();
  def.shape = CAROM_SOFT_BOX, def.law = law;
  for (int k = 0; k < 3; k++) def.size[k] = 0.1 + 0.02 * k, def.cells[k] = 1;
  def.name = "block";
  def.young = 1e5, def.poisson = 0.3, def.position[2] = 0.5;
  return def;
}

step_differences soft_differences_finish(soft_scene* s, const carom_sim_def* def) {
  carom_model* model;
  check_ok(carom_builder_compile(s->builder, &model, &s->error), &s->error);
  carom_builder_destroy(s->builder);
  return step_differences_of(model, def, 0);
}

void soft_differences_stir(step_differences* d, uint64_t seed, double far, double speed,
                           const double v[3]) {
  const carom_model* m = d->model;
  double* q = malloc(sizeof(double) * (size_t)m->num_q);
  double* u = malloc(sizeof(double) * (size_t)m->num_v);
  assert_true(q && u);
  d->random = (check_random){seed};
  memcpy(q, carom_sim_coordinates(d->sim), sizeof(double) * (size_t)m->num_q);
  memcpy(u, carom_sim_velocities(d->sim), sizeof(double) * (size_t)m->num_v);
  for (int i = m->tree.num_v; i < m->num_v; i++) {
    int k = i - m->tree.num_v;
    bool is_fixed = m->soft.held[k / 3] != 0;
    if (!is_fixed) q[m->tree.num_q + k] += far * check_random_normal(&d->random);
    if (!is_fixed) u[i] = v[k % 3] + speed * check_random_normal(&d->random);
  }
  assert_int_equal(carom_sim_set_state(d->sim, 0, q, u, NULL), 0);
  free(q), free(u);
}

void soft_differences_expect(step_differences* d, double far, double speed, const double v[3],
                             double h) {
  step_differences_save(d);
  for (uint64_t seed = 1; seed < 100; seed++) {
    assert_int_equal(carom_sim_restore(d->sim, d->state, d->size, NULL), 0);
    soft_differences_stir(d, seed, far, speed, v);
    carom_error error;
    carom_linearization found = {.A = d->A, .B = d->B};
    carom_status status = carom_sim_linearize(d->sim, &found, &error);
    if (status != CAROM_OK) fail_msg("%s", error.message);
    if (found.num_kinks > 0 || found.nearest_kink < 100 * h) continue;
    assert_int_equal(found.num_held, 0);
    step_differences_expect(d, h, 1e-7);
    return;
  }
  fail_msg("every state has a kink nearby");
}

bool soft_differences_is_touched(const step_differences* d) {
  int count;
  bool any = false;
  const carom_contact* c = carom_sim_contacts(d->sim, &count);
  for (int i = 0; i < count; i++)
    any |= c[i].geom2 < 0 && (c[i].geom1 < 0 || d->model->geom.link[c[i].geom1] > 0);
  return any;
}
