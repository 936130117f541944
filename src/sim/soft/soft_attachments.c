/* Reactions of attachments. A node that is fixed in the world has its row of A cut off: what the
 * row would ask for, M (v - v0) + dt (dE/dx + D v^tv - load) less what contacts give, is the
 * impulse of what holds it. Its velocity is zero. */
#include "sim/soft/soft_attachments.h"

#include "base/assert.h"
#include "base/copy.h"
#include "sim/rows/contact_rows.h"
#include "sim/soft/soft_step.h"

#include <string.h>

/* dE/dx + D v^tv - load of a body at the solution, with dE/dx linear about v_lin as in the step; on
 * nodes that are not fixed it is not whole. */
static bool compute_pull(const cr_step* step, const cr_step_soft* soft, double* force) {
  const cr_soft_part* part = soft->part;
  const double *v = step->v + soft->first_v, *v0 = step->v0 + soft->first_v;
  double beta = part->body.material.beta, theta = soft->theta.v;
  size_t n = 3 * (size_t)part->mesh.num_nodes;
  double *x = CR_SCRATCH(step->arena, double, n), *dx = CR_SCRATCH(step->arena, double, n);
  if (step->arena->failed) return false;
  memset(force, 0, sizeof *force * n);
  for (size_t i = 0; i < n && beta > 0; i++) x[i] = beta * (theta * v[i] + (1 - theta) * v0[i]);
  if (beta > 0) cr_bsm_multiply(&part->body.pattern, soft->K, x, force);
  cr_soft_compute_mid(step, soft, soft->theta, v, dx);
  cr_soft_compute_mid(step, soft, soft->theta, step->v_lin + soft->first_v, x);
  for (size_t i = 0; i < n; i++) dx[i] -= x[i];
  cr_soft_body_add_linear(&part->body, (const double(*)[3])x, (const double(*)[3])dx,
                          part->held_element, part->num_held_elements, force);
  for (size_t i = 0; i < n; i++) force[i] -= soft->load[i];
  return true;
}

static bool start_part(cr_step* step, const cr_step_soft* soft) {
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  int num_nodes = soft->part->mesh.num_nodes;
  double* force = CR_SCRATCH(step->arena, double, 3 * num_nodes);
  if (!force || !compute_pull(step, soft, force)) return false;
  for (int n = 0; n < num_nodes; n++) {
    int h = step->model->soft.node_attached[soft->part->first_node + n];
    if (soft->held[n] == 1)
      v3_store(v3_load(force + 3 * n), step->sim->attached_force + 3 * (size_t)h);
  }
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}

/* Takes from the reactions what a contact does to fixed nodes.
 * @param impulse N s, on the second side */
static void take_contact(cr_step* step, const cr_contact_point* point, v3 impulse) {
  for (int side = 0; side < 2; side++) {
    const cr_barycentric_point* barycentric = point->barycentric[side];
    for (int k = 0; barycentric && k < barycentric->count; k++) {
      const cr_soft_model* m = &step->model->soft;
      int h = m->node_attached[barycentric->node[k]];
      if (m->held[barycentric->node[k]] != 1) continue;
      double* force = step->sim->attached_force + 3 * (size_t)h;
      double share = (side ? 1 : -1) * barycentric->weight[k] / step->dt;
      v3_store(v3_axpy(v3_load(force), -share, impulse), force);
    }
  }
}

/* Sets the part of a tie that its row gives, whose key this is, N s; other keys are passed over. */
static void take_tie(cr_step* step, const cr_contact_key* key, double impulse) {
  const cr_soft_model* m = &step->model->soft;
  if ((key->pair & CR_KEY_EQUALITY) != CR_KEY_EQUALITY) return;
  int64_t tie =
      (int64_t)(key->pair & ~(uint64_t)CR_KEY_EQUALITY) - step->model->equality.num_equalities;
  if (tie < 0 || tie >= m->num_ties) return;
  size_t hold = (size_t)m->node_attached[m->tie_barycentric[tie].node[0]];
  step->sim->attached_force[3 * hold + key->feature] = impulse / step->dt;
}

bool cr_soft_attachments_find(cr_step* step, const cr_contact_points* points,
                              const cr_step_problem* problem) {
  const cr_soft_model* m = &step->model->soft;
  if (m->num_attached == 0) return true;
  cr_soft_attachments_clear(step->sim);
  for (int s = 0; s < m->num_parts; s++)
    if (m->part[s].num_held_elements > 0 && !start_part(step, &step->soft[s])) return false;
  const cr_problem* p = &problem->problem;
  for (int i = 0; i < problem->num_constraints; i++) {
    const cr_constraint* c = &problem->constraints[problem->order[i]];
    const double* gamma = problem->gamma + p->row[i];
    if (c->point < 0) {
      take_tie(step, &c->key, *gamma);
      continue;
    }
    const cr_contact_point* point = &points->items[c->point];
    take_contact(step, point, cr_contact_rows_sum(p->kind[i], c->moment, point, gamma).force);
  }
  return true;
}

void cr_soft_attachments_clear(carom_sim* sim) {
  size_t count = 3 * (size_t)sim->model->soft.num_attached;
  if (count) memset(sim->attached_force, 0, sizeof(double) * count);
}

/* --- For users ----------------------------------------------------------------------------------
 */

static v3 place_attached(const carom_sim* sim, int attachment, int hold) {
  const cr_soft_model* m = &sim->model->soft;
  int node = m->part[m->attachment_part[attachment]].first_node + m->attached_node[hold];
  return v3_load(sim->q + sim->model->tree.num_q + 3 * (size_t)node);
}

carom_reaction carom_sim_compute_reaction(const carom_sim* sim, int attachment) {
  const cr_soft_model* m = &sim->model->soft;
  CR_ASSERT(attachment >= 0 && attachment < m->num_attachments);
  int start = m->attachment_start[attachment], end = m->attachment_start[attachment + 1];
  v3 center = v3_zero(), force = v3_zero(), moment = v3_zero();
  carom_reaction reaction;
  for (int h = start; h < end; h++)
    center = v3_axpy(center, 1.0 / (end - start), place_attached(sim, attachment, h));
  for (int h = start; h < end; h++) {
    v3 f = v3_load(sim->attached_force + 3 * (size_t)h);
    force = v3_add(force, f);
    moment = v3_add(moment, v3_cross(v3_sub(place_attached(sim, attachment, h), center), f));
  }
  v3_store(force, reaction.force);
  v3_store(moment, reaction.moment);
  v3_store(center, reaction.center);
  return reaction;
}

void carom_sim_compute_reactions(const carom_sim* sim, double* rows) {
  for (int i = 0; i < sim->model->soft.num_attachments; i++) {
    carom_reaction reaction = carom_sim_compute_reaction(sim, i);
    memcpy(rows + 6 * (size_t)i, reaction.force, sizeof reaction.force);
    memcpy(rows + 6 * (size_t)i + 3, reaction.moment, sizeof reaction.moment);
  }
}

void carom_sim_compute_node_reactions(const carom_sim* sim, int attachment, double* forces) {
  const cr_soft_model* m = &sim->model->soft;
  CR_ASSERT(attachment >= 0 && attachment < m->num_attachments);
  int start = m->attachment_start[attachment], end = m->attachment_start[attachment + 1];
  CR_COPY(forces, sim->attached_force + 3 * (size_t)start, 3 * (size_t)(end - start));
}
