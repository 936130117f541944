/* Constraints by their keys (contact/memory.h, rows/row_jacobian.c), contacts by their points. */
#include "sim/rows/origin.h"

static carom_constraint_origin make(carom_origin_kind kind, int index, int row) {
  return (carom_constraint_origin){.kind = kind, .index = index, .row = row, .geoms = {-1, -1}};
}

static carom_constraint_origin of_contact(const cr_contact_point* point, uint32_t moment) {
  carom_constraint_origin origin = make(CAROM_ORIGIN_CONTACT, -1, (int)moment);
  for (int k = 0; k < 2; k++) origin.geoms[k] = point->geom[k];
  v3_store(point->position, origin.position);
  v3_store(point->normal, origin.normal);
  return origin;
}

/* Equalities, and behind them the ties of soft bodies. */
static carom_constraint_origin of_equality(const carom_model* m, int index, int row) {
  int tie = index - m->equality.num_equalities;
  if (tie < 0) return make(CAROM_ORIGIN_EQUALITY, index, row);
  int hold = m->soft.node_attached[m->soft.tie_barycentric[tie].node[0]], attachment = 0;
  while (m->soft.attachment_start[attachment + 1] <= hold) attachment++;
  carom_constraint_origin origin = make(CAROM_ORIGIN_ATTACHMENT, attachment, row);
  origin.node = m->soft.attached_node[hold];
  return origin;
}

static carom_constraint_origin of_dof(const carom_model* m, int dof) {
  int joint = m->tree.dof_joint[dof];
  return make(CAROM_ORIGIN_JOINT_FRICTION, joint, dof - m->tree.joint_v_start[joint]);
}

static carom_constraint_origin of_row(const carom_model* m, cr_contact_key key) {
  int index = (int)(key.pair & 0xffffffff), row = (int)key.feature;
  int which = (int)(key.pair >> 32 & 3);
  uint64_t kind = key.pair & CR_KEY_DOF; /* both top bits */
  if (kind == CR_KEY_LIMIT)
    return make(which ? CAROM_ORIGIN_TENDON_LIMIT : CAROM_ORIGIN_JOINT_LIMIT, index, row);
  if (kind == CR_KEY_EQUALITY) return of_equality(m, index, row);
  if (which == 1) return make(CAROM_ORIGIN_ACTUATOR, index, row);
  return which == 2 ? make(CAROM_ORIGIN_TENDON_FRICTION, index, row) : of_dof(m, index);
}

static bool reserve(carom_sim* sim, int count) {
  size_t size = sizeof *sim->origins;
  if (count <= sim->capacity_origins) return true;
  carom_constraint_origin* made = cr_alloc(&sim->allocator, size * (size_t)count);
  if (!made) return false;
  cr_release(&sim->allocator, sim->origins, size * (size_t)sim->capacity_origins);
  sim->origins = made;
  sim->capacity_origins = count;
  return true;
}

bool cr_origins_keep(const cr_step* step, const cr_step_problem* p) {
  carom_sim* sim = step->sim;
  sim->num_origins = 0;
  if (!reserve(sim, p->num_constraints)) return false;
  for (int i = 0; i < p->num_constraints; i++) {
    const cr_constraint* c = &p->constraints[i];
    sim->origins[sim->num_origins++] = c->point >= 0
                                           ? of_contact(&p->points->items[c->point], c->moment)
                                           : of_row(step->model, c->key);
  }
  return true;
}
