/* The trees that contacts, limits and dry friction loaded in the last step, by its records, and
 * those of limited actuators of joints. Equalities do not count: mechanisms that move freely keep
 * their energy. */
#include "sim/contact/loaded.h"

#include "base/copy.h"
#include "math/scalar.h"
#include "sim/tree/limited_actuators.h"

#include <math.h>
#include <string.h>

#define FREE          1e-13 /* a further evaluation for 1e-15 is a tenth of a robot's step */
#define SHARE         1e-1  /* of the solver's tolerance */
#define DRIVEN        1e-3  /* the same of what moves freely, where motors or dampers work */
#define LEAST_CAREFUL 1e-7  /* whatever the tolerance */

static void mark_link(const cr_step* step, int link) {
  int tree = step->model->tree.link_tree[link];
  if (tree >= 0) step->is_loaded[tree] = true;
}

/* Marks the tree of a geometry on which an impulse acted, N s. */
static void load_geom(const cr_step* step, uint64_t geom, v3 impulse) {
  if (geom >= (uint64_t)step->model->geom.num_geoms) return;
  int link = step->model->geom.link[geom], tree = step->model->tree.link_tree[link];
  mark_link(step, link);
  if (tree >= 0) step->load[tree] = v3_add(step->load[tree], impulse);
}

static void mark_dof(const cr_step* step, int dof) {
  if (dof >= 0) mark_link(step, step->model->tree.dof_link[dof]);
}

/* Marks what a record is between: two geometries, or a joint and its parent. A state that was
 * restored may hold records of anything. */
static void mark_record(const cr_step* step, const cr_contact_record* record) {
  uint64_t pair = record->key.pair, kind = pair >> 32;
  uint64_t index = pair & UINT32_MAX;
  const double* impulse = record->impulse;
  if (impulse[0] == 0 && impulse[1] == 0 && impulse[2] == 0) return;
  if (kind < CR_KEY_LIMIT >> 32) {
    /* On B, and from it on A; of moments there is no sum. */
    v3 on = record->key.moment ? v3_zero() : v3_load(impulse);
    load_geom(step, kind, v3_neg(on));
    load_geom(step, index, on);
  } else if (kind == CR_KEY_LIMIT >> 32 && index < (uint64_t)step->model->tree.num_joints)
    mark_link(step, step->model->tree.joint_link[index]);
  else if (kind == CR_KEY_DOF >> 32 && index < (uint64_t)step->model->tree.num_v)
    mark_dof(step, (int)index);
  else if (kind == (CR_KEY_DOF >> 32 | 1) && index < (uint64_t)step->model->force.num_actuators)
    mark_dof(step, step->model->force.actuator_dof[index]);
}

/* What a limited actuator did as a row is a force now. */
static void take_off_actuators(cr_step* step) {
  const cr_contact_memory* memory = &step->sim->memory;
  for (int i = 0; i < memory->count; i++) {
    uint64_t pair = memory->records[i].key.pair, a = pair & UINT32_MAX;
    bool is_actuator = pair >> 32 == (CR_KEY_DOF >> 32 | 1);
    if (!is_actuator || a >= (uint64_t)step->model->force.num_actuators || step->is_law[a])
      continue;
    int dof = step->model->force.actuator_dof[a];
    if (dof < 0) continue;
    double impulse = memory->records[i].impulse[0];
    step->carried[dof] -= step->model->force.actuator_gear[a] * impulse / memory->dt;
  }
}

static bool find_carried(cr_step* step) {
  const carom_sim* sim = step->sim;
  const cr_tree_model* model = &step->model->tree;
  step->carried = CR_PUSH(step->arena, double, step->model->num_v);
  step->carries = CR_PUSH(step->arena, bool, model->num_trees);
  if (step->arena->failed) return false;
  CR_COPY(step->carried, sim->constraint_force, step->model->num_v);
  take_off_actuators(step);
  for (int t = 0; t < model->num_trees; t++) {
    double sum = 0;
    for (int i = model->tree_v_start[t]; i < model->tree_v_start[t + 1]; i++)
      sum += fabs(step->carried[i]) + 0 * sim->a_loaded[i];
    step->carries[t] = sum > 0 && isfinite(sum) && step->theta[t].q <= 0.5;
  }
  return true;
}

bool cr_loaded_find(cr_step* step) {
  const cr_contact_memory* memory = &step->sim->memory;
  int num_trees = step->model->tree.num_trees, num_movers = step->model->num_movers;
  step->is_loaded = CR_PUSH(step->arena, bool, num_movers);
  step->load = CR_PUSH(step->arena, v3, num_trees);
  if (step->arena->failed) return false;
  memset(step->load, 0, sizeof(v3) * (size_t)num_trees);
  memset(step->is_loaded, 0, sizeof(bool) * (size_t)num_movers);
  for (int i = 0; i < memory->count; i++) mark_record(step, &memory->records[i]);
  for (int t = 0; t < step->model->tree.num_trees; t++)
    step->is_loaded[t] |= cr_limited_actuators_drive(step, t);
  double ratio = memory->dt > 0 ? step->dt / memory->dt : 0;
  for (int t = 0; t < num_trees; t++) step->load[t] = v3_scale(scalar_min(ratio, 1), step->load[t]);
  return find_carried(step);
}

double cr_loaded_tolerance(const cr_step* step, int tree) {
  double tolerance = step->sim->def.tolerance;
  if (step->is_loaded[tree]) return scalar_clamp(SHARE * tolerance, FREE, LEAST_CAREFUL);
  return step->sim->plan.is_driven[tree] ? scalar_clamp(DRIVEN * tolerance, FREE, LEAST_CAREFUL)
                                         : FREE;
}
