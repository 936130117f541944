/* Resultants of contacts: force F = sum of f_i, centre of pressure c = sum n_i x_i / sum n_i with
 * the normal forces n_i, moment about it sum (x_i - c) x f_i + m_i. */
#include "sim/sense/contact_sum.h"

#include "math/vec3.h"
#include "sim/sim.h"

/* 1: the contact pushes on the second body, -1: on the first, 0: it is of others. */
static int find_side(const cr_contact_list* list, int i, int body1, int body2) {
  int a = list->body_of(list->owner, list->items[i].geom1);
  int b = list->body_of(list->owner, list->items[i].geom2);
  if ((body1 < 0 || a == body1) && (body2 < 0 || b == body2)) return 1;
  return (body1 < 0 || b == body1) && (body2 < 0 || a == body2) ? -1 : 0;
}

static void add_force(const cr_contact_list* list, int i, int side, carom_contact_sum* sum) {
  const carom_contact* c = &list->items[i];
  double normal = v3_dot(v3_load(c->impulse), v3_load(c->normal)) / list->dt;
  v3_store(v3_axpy(v3_load(sum->force), side / list->dt, v3_load(c->impulse)), sum->force);
  if (!(normal > 0)) return;
  v3_store(v3_axpy(v3_load(sum->center), normal, v3_load(c->position)), sum->center);
  sum->count++;
  sum->normal += normal;
  sum->area += c->area;
}

static void add_moment(const cr_contact_list* list, int i, int side, carom_contact_sum* sum) {
  const carom_contact* c = &list->items[i];
  v3 arm = v3_sub(v3_load(c->position), v3_load(sum->center));
  v3 moment = v3_add(v3_cross(arm, v3_load(c->impulse)), v3_load(c->moment));
  v3_store(v3_axpy(v3_load(sum->moment), side / list->dt, moment), sum->moment);
}

carom_contact_sum cr_contact_list_sum(const cr_contact_list* list, int body1, int body2) {
  carom_contact_sum sum = {0};
  for (int i = 0; i < list->count; i++) {
    int side = find_side(list, i, body1, body2);
    if (side) add_force(list, i, side, &sum);
  }
  v3_store(sum.count ? v3_scale(1 / sum.normal, v3_load(sum.center)) : v3_nan(), sum.center);
  for (int i = 0; i < list->count && sum.count; i++) {
    int side = find_side(list, i, body1, body2);
    if (side) add_moment(list, i, side, &sum);
  }
  return sum;
}

static int find_body(const void* owner, int geom) {
  const carom_sim* sim = owner;
  return geom < 0 ? -1 : sim->model->geom.body[geom];
}

carom_contact_sum carom_sim_sum_contacts(const carom_sim* sim, int body1, int body2) {
  double dt = sim->memory.dt > 0 ? sim->memory.dt : sim->dt;
  const cr_contact_list list = {sim->contacts, sim->num_contacts, dt, find_body, sim};
  return cr_contact_list_sum(&list, body1, body2);
}
