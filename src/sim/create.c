/* Creation of a simulation: options checked, plan and fixed memory laid out. */
#include "base/cookie.h"
#include "base/copy.h"
#include "base/error.h"
#include "force/actuator.h"
#include "force/elements.h"
#include "force/tendon.h"
#include "sim/sleep.h"
#include "sim/soft/soft_attachments.h"
#include "sim/soft/soft_inverse.h"
#include "sim/step/energy_watch.h"
#include "sim/tree/damping.h"
#include "sim/tree/tree_factor.h"

#include <math.h>
#include <string.h>

#define AREA_TOLERANCES 3
#define AREA_EVEN       100 /* ratio of masses */
#define AREA_LEAST_R    3e-8
#define AREA_MOST_R     1e-2
#define AREA_POINTS     4.0 /* of the published model's, of a box's face */

#define MOST_THREADS    256

/* Shares of the islands for each thread: more than one, so that a thread whose islands were easy
 * goes on with another share. */
#define SHARES 2

carom_sim_def carom_sim_def_default(void) {
  return (carom_sim_def){.cookie = CR_COOKIE(sim),
                         .scheme = CAROM_SCHEME_AUTO,
                         .theta = {0.5, 0.5, 0.5},
                         .tolerance = 1e-6,
                         .max_iterations = 100,
                         .recovery_speed = 0.25,
                         .mocap_time = 0.02,
                         .sleep_share = 1e-3,
                         .patches = CAROM_PATCHES_AUTO,
                         .tangent_ratio = 0.82};
}

/* --- Options ------------------------------------------------------------------------------------
 */

static carom_status refuse(carom_error* error, const char* field, double value, const char* rule) {
  return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "simulation: %s is %g, must be %s",
                      field, value, rule);
}

static carom_status check_def(const carom_sim_def* def, double dt, carom_error* error) {
  CR_TRY(CR_CHECK_COOKIE(def, sim, "simulation", error));
  if (!(dt > 0) || !isfinite(dt)) return refuse(error, "dt", dt, "positive");
  if (!isnormal(dt * dt)) return refuse(error, "dt", dt, "such that its square is a number");
  for (int i = 0; i < 3; i++)
    if (!(def->theta[i] >= 0 && def->theta[i] <= 1))
      return refuse(error, "theta", def->theta[i], "within 0 and 1");
  if (def->relinearise < 0) return refuse(error, "relinearise", def->relinearise, "0 or more");
  if (!(def->sigma >= 0)) return refuse(error, "sigma", def->sigma, "0 or more");
  if (!(def->beta >= 0)) return refuse(error, "beta", def->beta, "0 or more");
  if (!(def->tolerance > 0)) return refuse(error, "tolerance", def->tolerance, "positive");
  if (def->max_iterations < 1)
    return refuse(error, "max_iterations", def->max_iterations, "1 or more");
  if (def->on_failure < CAROM_FAILURE_STOP || def->on_failure > CAROM_FAILURE_CONTINUE)
    return refuse(error, "on_failure", def->on_failure, "stop or continue (0, 1)");
  if (def->soft_solver < CAROM_SOFT_AUTO || def->soft_solver > CAROM_SOFT_ITERATIVE)
    return refuse(error, "soft_solver", def->soft_solver, "auto, direct or iterative (0, 1, 2)");
  if (def->threads < 0 || def->threads > MOST_THREADS)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "simulation: threads is %d, must be 0 to %d", def->threads, MOST_THREADS);
  if (!(def->recovery_speed >= 0))
    return refuse(error, "recovery_speed", def->recovery_speed, "0 or more");
  if (!(def->mocap_time >= 0)) return refuse(error, "mocap_time", def->mocap_time, "0 or more");
  if (!(def->sleep_share >= 0)) return refuse(error, "sleep_share", def->sleep_share, "0 or more");
  if (def->forces < CAROM_FORCES_FOUND || def->forces > CAROM_FORCES_LEAST)
    return refuse(error, "forces", def->forces, "found or least (0, 1)");
  if (def->patches < CAROM_PATCHES_CORNERS || def->patches > CAROM_PATCHES_AUTO)
    return refuse(error, "patches", def->patches, "corners, area or auto (0, 1, 2)");
  if (!(def->patch_error >= 0)) return refuse(error, "patch_error", def->patch_error, "0 or more");
  if (!(def->tangent_ratio > 0))
    return refuse(error, "tangent_ratio", def->tangent_ratio, "positive");
  return CAROM_OK;
}

static carom_scheme resolve_scheme(const carom_model* m, carom_scheme scheme) {
  if (scheme != CAROM_SCHEME_AUTO) return scheme;
  return m->soft.num_parts > 0 ? CAROM_IMPLICIT : CAROM_MIDPOINT;
}

/* What the model says where the options do not. */
static void resolve_patches(const carom_model* m, carom_sim_def* def) {
  if (def->patches == CAROM_PATCHES_AUTO) def->patches = (carom_patches)m->contact.patches;
  if (def->patch_error == 0) def->patch_error = m->contact.patch_error;
}

static cr_theta resolve_theta(const carom_sim_def* def) {
  switch (def->scheme) {
  case CAROM_EXPLICIT:
    return (cr_theta){0, 0, 0};
  case CAROM_SYMPLECTIC:
    return (cr_theta){0, 1, 1};
  case CAROM_IMPLICIT:
    return (cr_theta){1, 1, 1};
  case CAROM_MIDPOINT:
    return (cr_theta){0.5, 0.5, 0.5};
  default:
    return (cr_theta){def->theta[0], def->theta[1], def->theta[2]};
  }
}

/* --- Plan ---------------------------------------------------------------------------------------
 */

/* Whether joints bound what an actuator does; the bound counts as its own where it is the only one
 * at the only joint.
 * @param range the actuator's, narrowed then */
static bool is_bound_with_others(const carom_model* m, int actuator, double range[2]) {
  const cr_force_model* f = &m->force;
  int dof = f->actuator_dof[actuator], line = f->actuator_line[actuator], others = 0;
  if (!f->num_drive_ranges) return false;
  for (int i = line < 0 ? 0 : f->line.start[line]; line >= 0 && i < f->line.start[line + 1]; i++)
    if (isfinite(f->dof_drive_range[2 * f->line.dof[i]]) ||
        isfinite(f->dof_drive_range[2 * f->line.dof[i] + 1]))
      return true;
  if (line >= 0) return false;
  const double* bound = f->dof_drive_range + 2 * (size_t)dof;
  if (!isfinite(bound[0]) && !isfinite(bound[1])) return false;
  if (f->num_bearers && f->dof_bears_weight[dof]) return true;
  for (int a = 0; a < f->num_actuators; a++) {
    int other = f->actuator_line[a];
    others += a != actuator && f->actuator_dof[a] == dof;
    for (int i = other < 0 ? 0 : f->line.start[other]; other >= 0 && i < f->line.start[other + 1];
         i++)
      others += f->line.dof[i] == dof;
  }
  double gear = f->actuator_gear[actuator];
  if (others || gear == 0) return true;
  range[0] = fmax(range[0], bound[gear < 0] / gear);
  range[1] = fmin(range[1], bound[gear > 0] / gear);
  return false;
}

/* Affine feedback with a force limit becomes a law where the scheme treats it implicitly. */
static bool is_limited(const carom_sim* sim, int actuator, double range[2]) {
  const cr_force_model* force = &sim->model->force;
  const double *bias = force->actuator_bias + 3 * actuator,
               *gain = force->actuator_gain + 3 * actuator;
  double h = sim->theta.q * sim->theta.vq * sim->dt;
  bool is_affine = force->actuator_gain_part[actuator] == CR_ACTUATOR_AFFINE &&
                   force->actuator_bias_part[actuator] == CR_ACTUATOR_AFFINE && gain[1] == 0 &&
                   gain[2] == 0;
  int line = force->actuator_line[actuator];
  if (!is_affine || (line >= 0 && cr_line_is_still(&force->line, line))) return false;
  for (int i = 0; i < 2; i++) range[i] = force->actuator_force_range[2 * actuator + i];
  if (cr_actuator_is_bounded(force, line)) return false;
  if (is_bound_with_others(sim->model, actuator, range)) return false;
  bool limited = isfinite(range[0]) || isfinite(range[1]);
  return limited && range[0] <= range[1] && -(bias[1] * h + bias[2] * sim->theta.v) > 0;
}

static void plan_limited(const carom_sim* sim, int* limited, double* range) {
  for (int a = 0; a < sim->model->force.num_actuators; a++) {
    range[2 * a] = -INFINITY, range[2 * a + 1] = INFINITY;
    limited[a] = is_limited(sim, a, range + 2 * a);
  }
}

/* Of joints by tree. */
static void plan_actuators(const carom_model* m, int* start, int* actuator) {
  int count = 0;
  for (int t = 0; t < m->tree.num_trees; t++) {
    start[t] = count;
    for (int a = 0; a < m->force.num_actuators; a++)
      if (m->force.actuator_dof[a] >= 0 &&
          m->tree.link_tree[m->tree.dof_link[m->force.actuator_dof[a]]] == t)
        actuator[count++] = a;
  }
  start[m->tree.num_trees] = count;
}

/* Actuators by line, and which lines are joined; returns how many. */
static int plan_lines(const carom_model* m, const int* limited, int* start, int* actuator,
                      int* is_joined) {
  const cr_force_model* f = &m->force;
  int count = 0, joined = 0;
  for (int i = 0; i < f->line.num_lines; i++) {
    bool is_tendon = i < f->tendon.num_tendons;
    bool acts = is_tendon && (!cr_tendon_is_slack(&f->tendon, i) || f->tendon.armature[i] > 0);
    start[i] = count;
    for (int a = 0; a < f->num_actuators; a++) {
      if (f->actuator_line[a] != i) continue;
      actuator[count++] = a;
      bool varies = cr_actuator_has_feedback(f, a) || f->line.kind[i] != CR_LINE_FIXED;
      acts |= !limited[a] && varies;
    }
    is_joined[i] = acts && !cr_line_is_still(&f->line, i);
    joined += is_joined[i];
  }
  start[f->line.num_lines] = count;
  return joined;
}

static void mark_spring_tree(int tree, int* has_spring, int* count) {
  if (tree < 0 || has_spring[tree]) return;
  has_spring[tree] = 1;
  ++*count;
}

static int plan_springs(const carom_model* m, const int* is_joined, int* has_spring) {
  const cr_line_model* line = &m->force.line;
  int count = 0;
  memset(has_spring, 0, sizeof(int) * (size_t)m->tree.num_trees);
  for (int s = 0; s < 2 * m->force.num_springs; s++)
    mark_spring_tree(m->tree.link_tree[m->force.spring_link[s]], has_spring, &count);
  for (int i = 0; i < line->num_lines; i++)
    for (int k = line->start[i]; is_joined[i] && k < line->start[i + 1]; k++)
      mark_spring_tree(m->tree.link_tree[line->link[k]], has_spring, &count);
  return count;
}

static void plan_matrices(const carom_model* m, int* M_start) {
  int sum = 0;
  for (int t = 0; t < m->tree.num_trees; t++) {
    int n = m->tree.tree_v_start[t + 1] - m->tree.tree_v_start[t];
    M_start[t] = sum;
    sum += n * n;
  }
  M_start[m->tree.num_trees] = sum;
}

static void plan_masses(const carom_model* m, double* mass) {
  for (int t = 0; t < m->num_movers; t++) mass[t] = 0;
  for (int l = 0; l < m->tree.num_links; l++)
    if (m->tree.link_tree[l] >= 0) mass[m->tree.link_tree[l]] += m->tree.link_mass[l];
}

/* Of rigid areas: so many tolerances, while bodies are much alike. What heavy bodies put on light
 * ones is less, so that these, too, hold to a few hundred tolerances of g dt². The least is above
 * what every rigid row gives, so that R goes by the weights of points. By the published model
 * (--beta) they sink as so many points of its would. */
static double plan_areas(const cr_sim_plan* plan, int num_movers, const carom_sim_def* def) {
  double least = INFINITY, most = 0;
  for (int t = 0; t < num_movers; t++) {
    if (plan->mass[t] > 0) least = scalar_min(least, plan->mass[t]);
    most = scalar_max(most, plan->mass[t]);
  }
  double ratio = most > AREA_EVEN * least ? AREA_EVEN * least / most : 1;
  double R = scalar_clamp(AREA_TOLERANCES * def->tolerance * ratio, AREA_LEAST_R, AREA_MOST_R);
  return scalar_max(R, def->beta * def->beta / (4 * M_PI * M_PI) / AREA_POINTS);
}

static void plan_drives(const carom_model* m, const int* actuator_start, int* is_driven,
                        int* has_joint_forces) {
  for (int t = 0; t < m->tree.num_trees; t++) {
    is_driven[t] =
        actuator_start[t] < actuator_start[t + 1] || cr_force_has_dampers(&m->force, &m->tree, t);
    has_joint_forces[t] = cr_force_has_joint_forces(&m->force, &m->tree, t);
  }
}

static bool make_plan(carom_sim* sim) {
  const carom_model* m = sim->model;
  int* start = CR_PUSH(&sim->fixed, int, m->tree.num_trees + 1);
  int* actuator = CR_PUSH(&sim->fixed, int, m->force.num_actuators);
  int* limited = CR_PUSH(&sim->fixed, int, m->force.num_actuators);
  double* limited_range = CR_PUSH(&sim->fixed, double, 2 * m->force.num_actuators);
  int* line_start = CR_PUSH(&sim->fixed, int, m->force.line.num_lines + 1);
  int* line_actuator = CR_PUSH(&sim->fixed, int, m->force.num_actuators);
  int* is_joined = CR_PUSH(&sim->fixed, int, m->force.line.num_lines);
  int* has_spring = CR_PUSH(&sim->fixed, int, m->tree.num_trees);
  int* M_start = CR_PUSH(&sim->fixed, int, m->tree.num_trees + 1);
  double* mass = CR_PUSH(&sim->fixed, double, m->num_movers);
  int* is_driven = CR_PUSH(&sim->fixed, int, m->tree.num_trees);
  int* has_joint_forces = CR_PUSH(&sim->fixed, int, m->tree.num_trees);
  if (sim->fixed.failed) return false;
  plan_actuators(m, start, actuator);
  plan_limited(sim, limited, limited_range);
  int num_joined = plan_lines(m, limited, line_start, line_actuator, is_joined);
  plan_matrices(m, M_start);
  plan_masses(m, mass);
  plan_drives(m, start, is_driven, has_joint_forces);
  int num_spring_trees = plan_springs(m, is_joined, has_spring);
  sim->plan = (cr_sim_plan){
      start,      actuator,         limited, limited_range, line_start, line_actuator,
      is_joined,  has_spring,       M_start, mass,          is_driven,  has_joint_forces,
      num_joined, num_spring_trees, 0,       NULL};
  sim->plan.area_R = plan_areas(&sim->plan, m->num_movers, &sim->def);
  return cr_damping_plan(sim) && cr_tree_factor_plan(sim);
}

/* --- State --------------------------------------------------------------------------------------
 */

static bool make_state(carom_sim* sim) {
  const carom_model* m = sim->model;
  sim->q = CR_PUSH(&sim->fixed, double, m->num_q);
  sim->v = CR_PUSH(&sim->fixed, double, m->num_v);
  sim->a_free = CR_PUSH(&sim->fixed, double, m->num_v);
  sim->a_before = CR_PUSH(&sim->fixed, double, m->num_v);
  sim->a_loaded = CR_PUSH(&sim->fixed, double, m->num_v);
  sim->a_rolled = CR_PUSH(&sim->fixed, double, 2 * m->num_v);
  sim->ctrl = CR_PUSH(&sim->fixed, double, m->force.num_controls);
  sim->act = CR_PUSH(&sim->fixed, double, m->force.num_activations);
  sim->a_last = CR_PUSH(&sim->fixed, double, m->num_v);
  sim->wrench = CR_PUSH(&sim->fixed, cr_sim_wrench, m->body.num_bodies);
  sim->driven = CR_PUSH(&sim->fixed, sv, m->tree.num_mocaps);
  sim->node_force = CR_PUSH(&sim->fixed, double, 3 * m->soft.num_nodes);
  sim->constraint_force = CR_PUSH(&sim->fixed, double, m->num_v);
  sim->q_seen = CR_PUSH(&sim->fixed, double, m->num_q);
  sim->v_seen = CR_PUSH(&sim->fixed, double, m->num_v);
  sim->attached_force = CR_PUSH(&sim->fixed, double, 3 * m->soft.num_attached);
  sim->backup = CR_PUSH(&sim->fixed, double, m->num_q + 7 * m->num_v + m->force.num_activations);
  sim->backup_still = CR_PUSH(&sim->fixed, int, m->tree.num_trees);
  int num_segments = m->tree.num_segments + m->soft.num_nodes;
  if (cr_order_is_kept(num_segments)) {
    sim->order = CR_PUSH(&sim->fixed, cr_order_record, num_segments);
    sim->backup_order = CR_PUSH(&sim->fixed, cr_order_record, num_segments);
  }
  if (sim->fixed.failed) return false;
  if (sim->order) memset(sim->order, 0, cr_sim_order_size(sim));
  CR_COPY(sim->q, m->q_reference, m->num_q);
  CR_COPY(sim->q_seen, m->q_reference, m->num_q);
  cr_soft_attachments_clear(sim);
  carom_sim_forget_motion(sim);
  memset(sim->v, 0, sizeof(double) * (size_t)m->num_v);
  memset(sim->a_free, 0, sizeof(double) * (size_t)m->num_v);
  memset(sim->a_before, 0, sizeof(double) * (size_t)m->num_v);
  memset(sim->constraint_force, 0, sizeof(double) * (size_t)m->num_v);
  memset(sim->a_last, 0, sizeof(double) * (size_t)m->num_v);
  memset(sim->v_seen, 0, sizeof(double) * (size_t)m->num_v);
  memset(sim->ctrl, 0, sizeof(double) * (size_t)m->force.num_controls);
  memset(sim->act, 0, sizeof(double) * (size_t)m->force.num_activations);
  memset(sim->wrench, 0, sizeof(cr_sim_wrench) * (size_t)m->body.num_bodies);
  for (int i = 0; i < m->tree.num_mocaps; i++) sim->driven[i] = sv_zero();
  if (m->soft.num_nodes) memset(sim->node_force, 0, sizeof(double) * 3 * (size_t)m->soft.num_nodes);
  return true;
}

/* --- Threads ------------------------------------------------------------------------------------
 */

/* Those who solve, on the host's threads or on own ones. */
static carom_status make_workers(carom_sim* sim, carom_error* error) {
  int threads = sim->def.threads > 1 ? sim->def.threads : 1;
  sim->workers = cr_solve_workers_create(&sim->allocator, threads > 1 ? SHARES * threads : 1);
  if (!sim->workers) return cr_error_memory(error);
  sim->workers->tasks = sim->def.tasks;
  sim->workers->threads = threads;
  if (threads == 1 || sim->def.tasks.run) return CAROM_OK;
  CR_TRY(cr_threads_create(&sim->allocator, threads, &sim->pool, error));
  sim->workers->tasks = cr_threads_tasks(sim->pool);
  return CAROM_OK;
}

/* Whether a geometry is in any pair: by its bits, or by name. */
static bool can_touch(const cr_geom_model* geoms, int geom) {
  if (geoms->contype[geom] || geoms->conaffinity[geom]) return true;
  for (int i = 0; i < geoms->num_pairs; i++)
    if ((int)(geoms->pair[i] >> 32) == geom || (int)(geoms->pair[i] & 0xffffffff) == geom)
      return true;
  return false;
}

/* Where geometries stand; what is fixed in the world stays there, and what touches nothing is not
 * asked for. */
static bool make_geoms(carom_sim* sim) {
  const cr_geom_model* geoms = &sim->model->geom;
  sim->moving_geom = CR_PUSH(&sim->fixed, int, geoms->num_geoms);
  sim->geom_pose = CR_PUSH(&sim->fixed, pose, geoms->num_geoms);
  sim->geom_reach = CR_PUSH(&sim->fixed, double, geoms->num_geoms);
  int num_polyhedra = 0;
  if (sim->fixed.failed) return false;
  for (int g = 0; g < geoms->num_geoms; g++) {
    sim->geom_pose[g] = geoms->local[g];
    sim->geom_reach[g] = 0;
    if (!can_touch(geoms, g)) continue;
    const cr_shape* shape = &geoms->shape[g];
    num_polyhedra += shape->type == CAROM_GEOM_MESH && (!shape->surface || shape->family != 0);
    if (geoms->link[g] != 0) sim->moving_geom[sim->num_moving_geoms++] = g;
  }
  return cr_pair_memories_init(&sim->pair_memories, num_polyhedra, &sim->fixed);
}

/* --- Creation -----------------------------------------------------------------------------------
 */

static carom_status init(carom_sim* sim, carom_error* error) {
  if (!make_plan(sim) || !make_state(sim) || !make_geoms(sim) || !cr_sleep_init(sim) ||
      !cr_energy_watch_init(sim) ||
      !cr_soft_cache_create(sim->model, &sim->allocator, &sim->soft_cache))
    return cr_error_memory(error);
  cr_soft_choose_inverses(sim);
  CR_TRY(make_workers(sim, error));
  bool is_off = sim->def.disable_contacts;
  sim->has_contacts = !is_off && sim->model->geom.num_geoms + sim->model->soft.num_parts > 0;
  if (is_off || sim->model->geom.num_geoms == 0) return CAROM_OK;
  return cr_broadphase_create(&sim->model->geom, &sim->allocator, &sim->broadphase, error);
}

carom_status carom_sim_create(const carom_model* model, const carom_sim_def* def, carom_sim** sim,
                              carom_error* error) {
  carom_sim_def chosen = def ? *def : carom_sim_def_default();
  if (!model || !sim)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "simulation: the model is null");
  *sim = NULL;
  double dt = chosen.dt != 0 ? chosen.dt : model->timestep;
  CR_TRY(check_def(&chosen, dt, error));
  carom_allocator allocator = cr_allocator_resolve(&chosen.allocator);
  carom_sim* made = cr_alloc_zero(&allocator, sizeof *made);
  if (!made) return cr_error_memory(error);
  made->allocator = allocator;
  made->model = model;
  chosen.scheme = resolve_scheme(model, chosen.scheme);
  resolve_patches(model, &chosen);
  made->def = chosen;
  made->dt = dt;
  made->theta = resolve_theta(&chosen);
  cr_arena_init(&made->fixed, &allocator);
  cr_arena_init(&made->arena, &allocator);
  cr_arena_init(&made->problem_arena, &allocator);
  carom_status status = init(made, error);
  if (status != CAROM_OK)
    carom_sim_destroy(made);
  else
    *sim = made;
  return status == CAROM_OK ? cr_error_clear(error) : status;
}

void carom_sim_destroy(carom_sim* sim) {
  if (!sim) return;
  carom_allocator allocator = sim->allocator;
  cr_broadphase_destroy(sim->broadphase);
  cr_solve_workers_destroy(sim->workers);
  cr_soft_cache_destroy(sim->model, &allocator, sim->soft_cache);
  cr_sleep_destroy(sim);
  cr_threads_destroy(sim->pool);
  cr_contact_memory_destroy(&sim->memory, &allocator);
  cr_contact_memory_destroy(&sim->next, &allocator);
  cr_contact_memory_destroy(&sim->backup_memory, &allocator);
  cr_release(&allocator, sim->pressed,
             sizeof(carom_pressure_triangle) * (size_t)sim->capacity_pressed);
  cr_release(&allocator, sim->contacts, sizeof(carom_contact) * (size_t)sim->capacity_contacts);
  cr_release(&allocator, sim->kept, sim->capacity_kept);
  cr_release(&allocator, sim->origins, sizeof *sim->origins * (size_t)sim->capacity_origins);
  cr_release(&allocator, sim->adhesion, sizeof(cr_adhesion_force) * (size_t)sim->capacity_adhesion);
  cr_arena_destroy(&sim->problem_arena);
  cr_arena_destroy(&sim->arena);
  cr_arena_destroy(&sim->fixed);
  cr_release(&allocator, sim, sizeof *sim);
}
