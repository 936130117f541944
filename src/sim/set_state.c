/* Setting the state and what acts on it. Impulses and accelerations of the last step are guesses
 * for the next one, and stay; what belongs to the way on which the state came about is lost where
 * the state changes. */
#include "base/copy.h"
#include "base/error.h"
#include "sim/driven.h"
#include "sim/sleep.h"
#include "sim/soft/soft_attachments.h"
#include "sim/step/energy_watch.h"

#include <math.h>
#include <string.h>

/* --- Setting ------------------------------------------------------------------------------------
 */

carom_status cr_sim_check_finite(const char* name, const double* x, int n, carom_error* error) {
  for (int i = 0; x && i < n; i++)
    if (!isfinite(x[i]))
      return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                          "state: %s[%d] is %g, must be finite", name, i, x[i]);
  return CAROM_OK;
}

carom_status cr_sim_check_controls(const carom_sim* sim, carom_error* error) {
  CR_TRY(cr_sim_check_finite("ctrl", sim->ctrl, sim->model->force.num_controls, error));
  return cr_sim_check_finite("act", sim->act, sim->model->force.num_activations, error);
}

/* --- What steps carry ---------------------------------------------------------------------------
 */

/* The slip that was is that of other velocities. */
static void lose_slip(cr_contact_record* record) {
  for (int k = 0; k < 3; k++) record->slip[k] = record->began[0][k] = record->began[1][k] = NAN;
  record->rise = NAN;
}

void carom_sim_forget_motion(carom_sim* sim) {
  for (int i = 0; i < sim->model->num_v; i++) sim->a_loaded[i] = NAN;
  for (int i = 0; i < 2 * sim->model->num_v; i++) sim->a_rolled[i] = NAN;
  for (int i = sim->model->tree.num_v; i < sim->model->num_v; i++) sim->a_free[i] = 0;
  for (int i = 0; i < sim->memory.count; i++) lose_slip(&sim->memory.records[i]);
}

void carom_sim_forget(carom_sim* sim) {
  memset(sim->a_free, 0, sizeof(double) * (size_t)sim->model->num_v);
  memset(sim->a_before, 0, sizeof(double) * (size_t)sim->model->num_v);
  memset(sim->constraint_force, 0, sizeof(double) * (size_t)sim->model->num_v);
  sim->memory.count = 0, sim->memory.dt = 0;
  carom_sim_forget_motion(sim);
  if (sim->order) memset(sim->order, 0, cr_sim_order_size(sim));
  sim->contact_energy = 0;
  sim->num_contacts = sim->num_adhesion = 0;
  cr_soft_attachments_clear(sim);
  cr_sleep_wake_all(sim);
  cr_energy_watch_forget(sim);
  sim->has_last = false;
}

/* What of the trees a new state changes. */
typedef struct change {
  const carom_sim* sim;
  const double *q, *v; /* null: as they are */
} change;

static bool differ(const double* a, const double* b, int start, int end) {
  return b && memcmp(a + start, b + start, sizeof(double) * (size_t)(end - start)) != 0;
}

static bool moves_tree(const change* c, int tree) {
  const cr_tree_model* m = &c->sim->model->tree;
  return tree >= 0 && differ(c->sim->q, c->q, cr_tree_q_start(m, tree), cr_tree_q_end(m, tree));
}

static bool pushes_tree(const change* c, int tree) {
  const cr_tree_model* m = &c->sim->model->tree;
  return differ(c->sim->v, c->v, m->tree_v_start[tree], m->tree_v_start[tree + 1]);
}

/* Whether soft bodies or mocap bodies move. */
static bool moves_others(const change* c) {
  const carom_model* m = c->sim->model;
  return differ(c->sim->q, c->q, m->tree.num_q, m->num_q);
}

/* Whether one of the sides of a contact moves; what is no contact has nothing to lose. */
static bool moves_side(const change* c, const cr_contact_key* key) {
  const carom_model* m = c->sim->model;
  const uint64_t side[2] = {key->pair >> 32, key->pair & UINT32_MAX};
  if (key->pair >= CR_KEY_LIMIT) return false;
  for (int k = 0; k < 2; k++) {
    bool is_geom = side[k] < (uint64_t)m->geom.num_geoms;
    if (is_geom ? moves_tree(c, m->tree.link_tree[m->geom.link[side[k]]]) : moves_others(c))
      return true;
  }
  return false;
}

/* What belongs to the way on which a contact came to be, and not to the state. The impulse stays:
 * it is a guess. */
static void lose_history(cr_contact_record* record) {
  record->gap = 0, record->is_hit = record->shared = 0, record->recovery = 1;
  memset(record->stretch, 0, sizeof record->stretch);
}

/* Keeps what still fits: all where nothing changes; what was loaded, where velocities change. */
static void keep_what_fits(carom_sim* sim, const double* q, const double* v) {
  const change c = {sim, q, v};
  const cr_tree_model* m = &sim->model->tree;
  bool any_moves = moves_others(&c), any_changes = differ(sim->v, v, m->num_v, sim->model->num_v);
  for (int i = 0; i < sim->memory.count; i++)
    if (moves_side(&c, &sim->memory.records[i].key)) lose_history(&sim->memory.records[i]);
  for (int t = 0; t < m->num_trees; t++) {
    bool moves = moves_tree(&c, t);
    any_moves |= moves;
    if (!moves && !pushes_tree(&c, t)) continue;
    any_changes = true;
    cr_sleep_wake_link(sim, m->tree_link_start[t]);
    sim->sleep.still[t] = 0;
  }
  if (any_moves) {
    sim->contact_energy = 0;
    cr_energy_watch_forget(sim);
  }
  if (!any_moves && !any_changes) return;
  carom_sim_forget_motion(sim);
  cr_energy_watch_lose(sim);
  sim->has_last = false;
}

/* --- State --------------------------------------------------------------------------------------
 */

carom_status cr_sim_check_time(double time, double dt, carom_error* error) {
  if (time + dt > time && isfinite(time + dt)) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                      "time is %.9g s, which a step of %.9g s does not advance", time, dt);
}

carom_status carom_sim_set_state(carom_sim* sim, double time, const double* q, const double* v,
                                 carom_error* error) {
  const carom_model* m = sim->model;
  const cr_tree_model* tree = &m->tree;
  CR_TRY(cr_sim_check_finite("time", &time, 1, error));
  CR_TRY(cr_sim_check_time(time, sim->dt, error));
  CR_TRY(cr_sim_check_finite("q", q, m->num_q, error));
  CR_TRY(cr_sim_check_finite("v", v, m->num_v, error));
  sim->time = time;
  keep_what_fits(sim, q, v);
  if (v) CR_COPY(sim->v, v, m->num_v);
  if (!differ(sim->q, q, 0, m->num_q)) return cr_error_clear(error);
  CR_COPY(sim->q, q, m->num_q);
  for (int t = 0; t < tree->num_trees; t++) cr_tree_normalize(tree, t, sim->q);
  cr_tree_normalize_mocaps(tree, sim->q);
  return cr_error_clear(error);
}

carom_status carom_sim_set_keyframe(carom_sim* sim, int keyframe, carom_error* error) {
  const cr_keyframe_model* k = &sim->model->keyframe;
  const carom_model* m = sim->model;
  if (keyframe < 0 || keyframe >= k->num_keyframes)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "keyframe: index is %d, the model has %d keyframes", keyframe,
                        k->num_keyframes);
  size_t i = (size_t)keyframe, num_ctrl = (size_t)sim->model->force.num_controls;
  size_t num_act = (size_t)sim->model->force.num_activations;
  CR_TRY(carom_sim_set_state(sim, k->time[i], k->q + i * (size_t)m->num_q,
                             k->v + i * (size_t)m->num_v, error));
  CR_COPY(sim->ctrl, k->ctrl + i * num_ctrl, num_ctrl);
  CR_COPY(sim->act, k->act + i * num_act, num_act);
  carom_sim_forget(sim);
  return CAROM_OK;
}

carom_status carom_sim_set_mocap(carom_sim* sim, int body, const double position[3],
                                 const double quaternion[4], carom_error* error) {
  bool exists = body >= 0 && body < sim->model->body.num_bodies;
  int address = exists ? carom_model_get_body(sim->model, body).mocap_address : -1;
  if (address < 0)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "mocap: body %d is no mocap body",
                        body);
  CR_TRY(cr_sim_check_finite("mocap position", position, 3, error));
  CR_TRY(cr_sim_check_finite("mocap quaternion", quaternion, 4, error));
  if (quaternion && !(quat_norm2(quat_load(quaternion)) > 0))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "mocap: the quaternion is zero");
  if (position) CR_COPY(sim->q + address, position, 3);
  if (quaternion) CR_COPY(sim->q + address + 3, quaternion, 4);
  cr_tree_normalize_mocaps(&sim->model->tree, sim->q);
  cr_sleep_wake_all(sim);
  cr_energy_watch_lose(sim);
  sim->has_last = false;
  return cr_error_clear(error);
}

/* The place of a mocap body among these. */
static int count_mocaps_before(const carom_sim* sim, int address) {
  return (address - sim->model->tree.mocap_q) / 7;
}

carom_status carom_sim_set_motion(carom_sim* sim, int body, const double velocity[3],
                                  const double rate[3], carom_error* error) {
  bool exists = body >= 0 && body < sim->model->body.num_bodies;
  int address = exists ? carom_model_get_body(sim->model, body).mocap_address : -1;
  if (address < 0)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "motion: body %d is no mocap body",
                        body);
  CR_TRY(cr_sim_check_finite("motion velocity", velocity, 3, error));
  CR_TRY(cr_sim_check_finite("motion rate", rate, 3, error));
  sv* driven = &sim->driven[count_mocaps_before(sim, address)];
  sv V = {rate ? v3_load(rate) : driven->ang, velocity ? v3_load(velocity) : driven->lin};
  v3 faster = v3_sub(V.lin, driven->lin), turn = v3_sub(V.ang, driven->ang);
  if (!(v3_norm2(faster) + v3_norm2(turn) > 0)) return cr_error_clear(error);
  *driven = V;
  cr_driven_count(sim);
  cr_sleep_wake_all(sim);
  sim->has_last = false;
  return cr_error_clear(error);
}

carom_status carom_sim_set_dt(carom_sim* sim, double dt, carom_error* error) {
  if (!(dt > 0) || !isfinite(dt))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "simulation: dt is %g, must be positive", dt);
  sim->dt = dt;
  return cr_error_clear(error);
}

carom_status carom_sim_set_wrench(carom_sim* sim, int body, const double force[3],
                                  const double torque[3], carom_error* error) {
  if (body < 1 || body >= sim->model->body.num_bodies)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "wrench: there is no body %d", body);
  CR_TRY(cr_sim_check_finite("force", force, 3, error));
  CR_TRY(cr_sim_check_finite("torque", torque, 3, error));
  const cr_sim_wrench wrench = {v3_load(force), v3_load(torque)};
  const cr_sim_wrench* before = &sim->wrench[body];
  if (v3_norm2(v3_sub(wrench.force, before->force)) +
          v3_norm2(v3_sub(wrench.torque, before->torque)) >
      0)
    cr_sleep_wake_link(sim, sim->model->body.link[body]);
  sim->wrench[body] = wrench;
  sim->num_wrenches = 0;
  for (int b = 1; b < sim->model->body.num_bodies; b++) {
    const cr_sim_wrench* w = &sim->wrench[b];
    sim->num_wrenches += v3_norm2(w->force) + v3_norm2(w->torque) > 0;
  }
  return cr_error_clear(error);
}

carom_status carom_sim_set_node_force(carom_sim* sim, int soft, int node, const double force[3],
                                      carom_error* error) {
  const cr_soft_model* m = &sim->model->soft;
  if (soft < 0 || soft >= m->num_parts)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "node force: there is no soft body %d",
                        soft);
  if (node < 0 || node >= m->part[soft].mesh.num_nodes)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "node force: soft body %d has no node %d", soft, node);
  CR_TRY(cr_sim_check_finite("force", force, 3, error));
  CR_COPY(sim->node_force + 3 * (size_t)(m->part[soft].first_node + node), force, 3);
  return cr_error_clear(error);
}
