/* Sums over the nodes and elements of soft bodies. */
#include "sim/soft/soft_sums.h"

#include "base/assert.h"

/* Nodes held in the world do not move, whatever their velocities say. */
static v3 node_velocity(const carom_model* m, const double* v, int node) {
  return m->soft.held[node] == 1 ? v3_zero() : v3_load(v + m->tree.num_v + 3 * (size_t)node);
}

cr_soft_sums cr_soft_part_sum_state(const carom_model* m, int soft, const double* q,
                                    const double* v) {
  cr_soft_sums sums = {0};
  const cr_soft_part* part = &m->soft.part[soft];
  for (int n = 0; n < part->mesh.num_nodes; n++) {
    int node = part->first_node + n;
    double mass = part->body.mass[n];
    v3 x = v3_load(q + m->tree.num_q + 3 * (size_t)node);
    v3 p = v3_scale(mass, node_velocity(m, v, node));
    sums.mass += mass;
    sums.moment = v3_axpy(sums.moment, mass, x);
    sums.momentum = v3_add(sums.momentum, p);
    sums.angular_momentum = v3_add(sums.angular_momentum, v3_cross(x, p));
  }
  return sums;
}

cr_soft_sums cr_soft_sum_state(const carom_model* m, const double* q, const double* v) {
  cr_soft_sums all = {0};
  for (int s = 0; s < m->soft.num_parts; s++) {
    cr_soft_sums sums = cr_soft_part_sum_state(m, s, q, v);
    all.mass += sums.mass;
    all.moment = v3_add(all.moment, sums.moment);
    all.momentum = v3_add(all.momentum, sums.momentum);
    all.angular_momentum = v3_add(all.angular_momentum, sums.angular_momentum);
  }
  return all;
}

void carom_sim_compute_soft_stress(const carom_sim* sim, int soft, double* stress) {
  const carom_model* m = sim->model;
  CR_ASSERT(soft >= 0 && soft < m->soft.num_parts);
  const cr_soft_part* part = &m->soft.part[soft];
  const double* x = sim->q + m->tree.num_q + 3 * (size_t)part->first_node;
  for (int e = 0; e < part->mesh.num_elements; e++)
    stress[e] = cr_soft_body_compute_von_mises(&part->body, (const double(*)[3])x, e);
}

void carom_sim_compute_soft_strain(const carom_sim* sim, int soft, double* strain) {
  const carom_model* m = sim->model;
  CR_ASSERT(soft >= 0 && soft < m->soft.num_parts);
  const cr_soft_part* part = &m->soft.part[soft];
  const double* x = sim->q + m->tree.num_q + 3 * (size_t)part->first_node;
  for (int e = 0; e < part->mesh.num_elements; e++)
    strain[e] = cr_soft_body_compute_strain(&part->body, (const double(*)[3])x, e);
}

carom_energy cr_soft_part_sum_energy(const carom_model* m, int soft, const double* q,
                                     const double* v) {
  const cr_soft_output nothing = {0};
  const cr_soft_part* part = &m->soft.part[soft];
  const double* x = q + m->tree.num_q + 3 * (size_t)part->first_node;
  v3 moment = cr_soft_part_sum_state(m, soft, q, v).moment;
  carom_energy e = {.potential = -v3_dot(v3_load(m->force.gravity), moment),
                    .elastic = cr_soft_body_evaluate(&part->body, (const double(*)[3])x, &nothing)};
  for (int n = 0; n < part->mesh.num_nodes; n++)
    e.kinetic += 0.5 * part->body.mass[n] * v3_norm2(node_velocity(m, v, part->first_node + n));
  return e;
}

carom_energy cr_soft_sum_energy(const carom_model* m, const double* q, const double* v) {
  carom_energy all = {0};
  for (int s = 0; s < m->soft.num_parts; s++) {
    carom_energy e = cr_soft_part_sum_energy(m, s, q, v);
    all.kinetic += e.kinetic, all.potential += e.potential, all.elastic += e.elastic;
  }
  return all;
}
