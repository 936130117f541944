/* Energies of soft bodies by their lumped masses (sim/soft/soft_sums.c): sum m v · v / 2, - sum m g
 * · x, and that of the material, which is linear in mu and lambda. */
#include "derive/readings.h"
#include "derive/soft_tangent.h"

#include <string.h>

/* A body's coordinates and velocities, and how they move; nodes that the world holds have none. */
typedef struct part_state {
  const cr_soft_part* part;
  const cr_theta_column* theta; /* of the body; null: none */
  const double *x, *v, *dx, *dv;
  const int* held;
} part_state;

static part_state find_part(const cr_readings* r, const cr_reading_direction* d, int soft) {
  const carom_model* m = r->step.model;
  const cr_soft_part* part = &m->soft.part[soft];
  size_t first = 3 * (size_t)part->first_node, of_q = (size_t)m->tree.num_q + first;
  size_t of_v = (size_t)m->tree.num_v + first;
  bool is_its = d->theta && cr_theta_is_of_soft(d->theta) && d->theta->index == soft;
  return (part_state){part,
                      is_its ? d->theta : NULL,
                      r->place.q + of_q,
                      r->place.v + of_v,
                      d->dx + of_v,
                      d->dx + r->t.num_v + of_v,
                      m->soft.held + part->first_node};
}

/* The share by which all masses grow. */
static double find_growth(const part_state* p) {
  return p->theta ? cr_soft_theta_find_mass_share(p->part, p->theta) : 0;
}

double cr_soft_kinetic_differentiate(const cr_readings* r, const cr_reading_direction* d) {
  double sum = 0;
  for (int s = 0; s < r->step.model->soft.num_parts; s++) {
    part_state p = find_part(r, d, s);
    double growth = find_growth(&p);
    for (int i = 0; i < 3 * p.part->mesh.num_nodes; i++)
      if (p.held[i / 3] != 1)
        sum += p.part->body.mass[i / 3] * p.v[i] * (p.dv[i] + 0.5 * growth * p.v[i]);
  }
  return sum;
}

static double weight_change(const cr_readings* r, const cr_reading_direction* d,
                            const part_state* p) {
  const double* g = r->step.model->force.gravity;
  double growth = find_growth(p), sum = 0;
  bool by_gravity = d->theta && d->theta->kind == CR_THETA_GRAVITY;
  for (int i = 0; i < 3 * p->part->mesh.num_nodes; i++) {
    double mass = p->part->body.mass[i / 3];
    sum -= mass * g[i % 3] * (p->dx[i] + growth * p->x[i]);
    if (by_gravity && d->theta->element == i % 3) sum -= mass * p->x[i];
  }
  return sum;
}

/* @param work [3 num_nodes] */
static double elastic_change(const part_state* p, double* work) {
  int n = 3 * p->part->mesh.num_nodes;
  const double(*x)[3] = (const double(*)[3])p->x;
  const cr_soft_output output = {.gradient = work};
  double sum = 0;
  memset(work, 0, sizeof *work * (size_t)n);
  cr_soft_body_evaluate(&p->part->body, x, &output);
  for (int i = 0; i < n; i++) sum += work[i] * p->dx[i];
  if (!p->theta || (p->theta->kind != CR_THETA_YOUNG && p->theta->kind != CR_THETA_POISSON))
    return sum;
  const cr_soft_output nothing = {0};
  cr_soft_body changed = p->part->body;
  changed.material = cr_soft_theta_find_material(p->part, p->theta, 1);
  return sum + cr_soft_body_evaluate(&changed, x, &nothing);
}

double cr_soft_potential_differentiate(const cr_readings* r, const cr_reading_direction* d) {
  double sum = 0;
  for (int s = 0; s < r->step.model->soft.num_parts; s++) {
    part_state p = find_part(r, d, s);
    sum += weight_change(r, d, &p) + elastic_change(&p, r->soft_work);
  }
  return sum;
}
