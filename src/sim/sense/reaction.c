/* Reactions of joints and equalities in the last step: what passes from a body to the next, by
 * Newton-Euler where the step linearised the balance of momentum, with the mean acceleration and
 * the impulses of the step, so that its own balance is met. */
#include "base/error.h"
#include "sim/sense/sensing.h"
#include "tree/algorithms.h"

#include <string.h>

/* Bodies where the balance was linearised, with what acted on them. False without memory. */
static bool place(carom_sim* sim, cr_tree_kinematics* kinematics, cr_tree_velocities* velocities,
                  cr_sensing* s) {
  const cr_tree_model* tree = &sim->model->tree;
  cr_arena_reset(&sim->arena);
  *s = (cr_sensing){.model = sim->model,
                    .time = sim->time,
                    .q = sim->q_seen,
                    .v = sim->v,
                    .ctrl = sim->ctrl,
                    .act = sim->act,
                    .u = sim->v_seen,
                    .kinematics = kinematics,
                    .velocities = velocities,
                    .contacts = sim->contacts,
                    .num_contacts = sim->num_contacts,
                    .adhesion = sim->adhesion,
                    .num_adhesion = sim->num_adhesion,
                    .memory = &sim->memory,
                    .wrench = sim->num_wrenches ? sim->wrench : NULL,
                    .parts_lines = sim->model->force.line.num_lines > 0};
  if (!cr_tree_push_kinematics(&sim->arena, tree, kinematics) ||
      !cr_tree_push_velocities(&sim->arena, tree, velocities) ||
      !cr_sensing_push(&sim->arena, sim->model, s))
    return false;
  cr_tree_update_ground(tree, sim->q_seen, kinematics, velocities);
  for (int t = 0; t < tree->num_trees; t++) {
    cr_tree_update_kinematics(tree, t, sim->q_seen, kinematics);
    cr_tree_update_velocities(tree, t, kinematics, sim->v_seen, velocities);
  }
  return true;
}

/* A force about the world's origin as a force and its moment about a place. */
static carom_reaction make_reaction(sv F, v3 center) {
  carom_reaction reaction;
  v3_store(F.lin, reaction.force);
  v3_store(v3_sub(F.ang, v3_cross(center, F.lin)), reaction.moment);
  v3_store(center, reaction.center);
  return reaction;
}

/* --- Joints -------------------------------------------------------------------------------------
 */

/* The number that either side of a limit shares. */
static int find_shared_limit(const cr_sensing* s, uint64_t limit) {
  int low = cr_sensing_find_shared(s, limit, 0);
  return low ? low : cr_sensing_find_shared(s, limit, 1);
}

/* Forces of its limits and of its dry friction. */
static void read_losses(const cr_sensing* s, int joint, carom_joint_reaction* out) {
  const cr_tree_model* t = &s->model->tree;
  uint64_t limit = CR_KEY_LIMIT | (unsigned)joint;
  out->limit = cr_sensing_find_force(s, limit, 0) - cr_sensing_find_force(s, limit, 1);
  out->shared_limit = find_shared_limit(s, limit);
  int first = t->joint_v_start[joint];
  for (int dof = first; dof < t->num_v && t->dof_joint[dof] == joint; dof++) {
    uint64_t friction = CR_KEY_DOF | (unsigned)dof;
    out->friction[dof - first] = cr_sensing_find_force(s, friction, 0);
    out->shared_friction[dof - first] = cr_sensing_find_shared(s, friction, 0);
  }
}

static void read_joint(const cr_sensing* s, int joint, carom_joint_reaction* out) {
  const cr_tree_model* t = &s->model->tree;
  int link = t->joint_link[joint];
  const pose* X = &s->kinematics->link_pose[link];
  bool is_free = t->joint_type[joint] == CAROM_JOINT_FREE;
  v3 center = is_free ? X->p : pose_point(X, v3_load(t->joint_anchor + 3 * joint));
  *out = (carom_joint_reaction){
      .on_body = make_reaction(s->body_force[s->model->body.link_body[link]], center)};
  v3_store(m3_tmulv(&X->R, v3_load(out->on_body.force)), out->force);
  v3_store(m3_tmulv(&X->R, v3_load(out->on_body.moment)), out->moment);
  read_losses(s, joint, out);
}

carom_status carom_sim_compute_joint_reactions(carom_sim* sim, carom_joint_reaction* reactions,
                                               carom_error* error) {
  cr_tree_kinematics kinematics;
  cr_tree_velocities velocities;
  cr_sensing s;
  int count = sim->model->tree.num_joints;
  if (count > 0) memset(reactions, 0, sizeof *reactions * (size_t)count);
  if (!sim->has_last) return cr_error_clear(error);
  if (!place(sim, &kinematics, &velocities, &s)) return cr_error_memory(error);
  cr_sensing_update_lines(&s);
  cr_sensing_update_accelerations(&s, sim->a_last);
  cr_sensing_update_body_forces(&s);
  for (int j = 0; j < count; j++) read_joint(&s, j, &reactions[j]);
  return cr_error_clear(error);
}

/* --- Equalities and tendons ---------------------------------------------------------------------
 */

static int count_rows(const cr_equality_model* e, int index) {
  static const int ROWS[] = {[CAROM_EQUALITY_CONNECT] = 3,
                             [CAROM_EQUALITY_WELD] = 6,
                             [CAROM_EQUALITY_JOINT] = 1,
                             [CAROM_EQUALITY_TENDON] = 1,
                             [CAROM_EQUALITY_DISTANCE] = 1};
  return ROWS[e->type[index]];
}

static void read_equality(const cr_sensing* s, int index, carom_equality_reaction* out) {
  const cr_equality_model* e = &s->model->equality;
  out->num_rows = count_rows(e, index);
  if (!e->active[index]) return;
  uint64_t key = CR_KEY_EQUALITY | (unsigned)index;
  for (int r = 0; r < out->num_rows; r++) {
    out->rows[r] = cr_sensing_find_force(s, key, r);
    out->shared_force[r] = cr_sensing_find_shared(s, key, r);
  }
  if (cr_equality_is_coupling(e, index)) return;
  const pose* X = &s->kinematics->link_pose[e->link[2 * index + 1]];
  out->on_body2 = make_reaction(cr_sensing_find_equality_force(s, index, 1),
                                pose_point(X, v3_load(e->anchor + 6 * index + 3)));
}

carom_status carom_sim_compute_equality_reactions(carom_sim* sim,
                                                  carom_equality_reaction* reactions,
                                                  carom_error* error) {
  cr_tree_kinematics kinematics;
  cr_tree_velocities velocities;
  cr_sensing s;
  int count = sim->model->equality.num_equalities;
  if (count > 0) memset(reactions, 0, sizeof *reactions * (size_t)count);
  if (!sim->has_last || count == 0) return cr_error_clear(error);
  if (!place(sim, &kinematics, &velocities, &s)) return cr_error_memory(error);
  for (int i = 0; i < count; i++) read_equality(&s, i, &reactions[i]);
  return cr_error_clear(error);
}

void carom_equality_reaction_store(const carom_equality_reaction* reaction, double numbers[6]) {
  const double *force = reaction->on_body2.force, *moment = reaction->on_body2.moment;
  for (int k = 0; k < 3; k++) numbers[k] = force[k], numbers[3 + k] = moment[k];
  bool has_force = force[0] != 0 || force[1] != 0 || force[2] != 0;
  if (reaction->num_rows == 1 && !has_force) numbers[0] = reaction->rows[0];
}

void carom_sim_compute_tendon_reactions(const carom_sim* sim, carom_tendon_reaction* reactions) {
  const cr_sensing s = {.model = sim->model, .memory = &sim->memory};
  for (int i = 0; i < sim->model->force.tendon.num_tendons; i++) {
    uint64_t limit = CR_KEY_LIMIT | UINT64_C(1) << 32 | (unsigned)i;
    uint64_t friction = CR_KEY_DOF | UINT64_C(2) << 32 | (unsigned)i;
    reactions[i] = (carom_tendon_reaction){0};
    if (!sim->has_last) continue;
    reactions[i].limit = cr_sensing_find_force(&s, limit, 0) - cr_sensing_find_force(&s, limit, 1);
    reactions[i].friction = cr_sensing_find_force(&s, friction, 0);
    reactions[i].shared_limit = find_shared_limit(&s, limit);
    reactions[i].shared_friction = cr_sensing_find_shared(&s, friction, 0);
  }
}
