/* Forces and A of a soft body within a step. */
#include "sim/soft/soft_step.h"

#include "linalg/ordering.h"

#include <math.h>
#include <string.h>

static int num_coordinates(const cr_step_soft* soft) { return 3 * soft->part->mesh.num_nodes; }

/* --- Set-up -------------------------------------------------------------------------------------
 */

static bool analyze_whole(const cr_soft_body* body, cr_soft_cache* cache) {
  cr_scratch_mark mark = cr_arena_mark_scratch(&cache->arena);
  cr_block_graph graph;
  cache->order = CR_PUSH(&cache->arena, int, body->mesh.num_nodes);
  if (cache->arena.failed || !cr_block_graph_build(&body->pattern, &cache->arena, &graph) ||
      !cr_ordering_dissect(&graph, (const double(*)[3])body->mesh.node, &cache->arena,
                           cache->order))
    return false;
  cr_arena_pop_scratch(&cache->arena, mark);
  return cr_symbolic_analyze_ordered(&body->pattern, cache->order, &cache->arena, &cache->whole);
}

bool cr_soft_cache_create(const carom_model* model, const carom_allocator* allocator,
                          cr_soft_cache** cache) {
  int count = model->soft.num_parts;
  *cache = NULL;
  if (count == 0) return true;
  *cache = cr_alloc_zero(allocator, sizeof **cache * (size_t)count);
  if (!*cache) return false;
  for (int s = 0; s < count; s++) {
    cr_arena_init(&(*cache)[s].arena, allocator);
    cr_arena_init(&(*cache)[s].kept, allocator);
  }
  for (int s = 0; s < count; s++)
    if (!analyze_whole(&model->soft.part[s].body, &(*cache)[s])) return false;
  return true;
}

void cr_soft_cache_destroy(const carom_model* model, const carom_allocator* allocator,
                           cr_soft_cache* cache) {
  if (!cache) return;
  for (int s = 0; s < model->soft.num_parts; s++) {
    cr_arena_destroy(&cache[s].arena);
    cr_arena_destroy(&cache[s].kept);
  }
  cr_release(allocator, cache, sizeof *cache * (size_t)model->soft.num_parts);
}

bool cr_soft_init(cr_step* step) {
  const carom_model* m = step->model;
  step->soft = CR_PUSH(step->arena, cr_step_soft, m->soft.num_parts);
  if (step->arena->failed) return false;
  for (int s = 0; s < m->soft.num_parts; s++) {
    const cr_soft_part* part = &m->soft.part[s];
    cr_step_soft* soft = &step->soft[s];
    *soft =
        (cr_step_soft){.part = part,
                       .cache = &step->sim->soft_cache[s],
                       .is_iterative = step->sim->soft_cache[s].is_iterative && !step->is_direct,
                       .held = m->soft.held + part->first_node,
                       .tree = m->tree.num_trees + s,
                       .first_q = m->tree.num_q + 3 * part->first_node,
                       .first_v = m->tree.num_v + 3 * part->first_node};
    soft->x0 = (const double(*)[3])(step->sim->q + soft->first_q);
    for (int i = 0; i < num_coordinates(soft); i++)
      step->v0[soft->first_v + i] = soft->held[i / 3] == 1 ? 0 : step->sim->v[soft->first_v + i];
  }
  return true;
}

/* Weight, the user's forces, and pressure at the start of the step. Lumped masses feel gravity, so
 * that a body falls without being strained. */
static void compute_load(const cr_step* step, const cr_step_soft* soft) {
  const cr_soft_part* part = soft->part;
  const double *g = step->model->force.gravity,
               *force = step->sim->node_force + 3 * (size_t)part->first_node;
  for (int n = 0; n < part->mesh.num_nodes; n++)
    for (int k = 0; k < 3; k++)
      soft->load[3 * n + k] = part->body.mass[n] * g[k] + force[3 * n + k];
  if (part->pressure != 0)
    cr_soft_body_add_pressure(&part->body, soft->x0, part->surface.face, part->surface.num_faces,
                              -part->pressure, (double(*)[3])soft->load);
}

void cr_soft_compute_mid(const cr_step* step, const cr_step_soft* soft, cr_theta theta,
                         const double* v, double* x) {
  const double *v0 = step->v0 + soft->first_v, *x0 = soft->x0[0];
  for (int i = 0; i < num_coordinates(soft); i++)
    x[i] = x0[i] + theta.q * step->dt * (theta.vq * v[i] + (1 - theta.vq) * v0[i]);
}

static bool start_vectors(const cr_step* step, cr_step_soft* soft) {
  int num_points = soft->part->mesh.num_elements * soft->part->body.num_points;
  soft->load = CR_PUSH(step->arena, double, num_coordinates(soft));
  soft->turn = CR_PUSH(step->arena, m3, num_points);
  for (int i = 0; !step->arena->failed && i < num_points; i++) soft->turn[i] = m3_identity();
  return !step->arena->failed;
}

static bool push_stiffness(const cr_step* step, cr_step_soft* soft) {
  soft->K = CR_PUSH(step->arena, double, soft->part->body.pattern.num_values);
  soft->K_x = CR_PUSH(step->arena, double, num_coordinates(soft));
  soft->K_gradient = CR_PUSH(step->arena, double, num_coordinates(soft));
  return !step->arena->failed;
}

bool cr_soft_prepare(cr_step* step, cr_step_soft* soft) {
  const cr_soft_body* body = &soft->part->body;
  cr_theta wanted = step->theta[soft->tree], usual = step->sim->theta;
  bool has_impact = wanted.q != usual.q || wanted.vq != usual.vq;
  soft->theta = has_impact ? (cr_theta){1, 1, 1} : wanted;
  bool has_stiffness = soft->theta.q * soft->theta.vq > 0 || body->material.beta > 0;
  if (!soft->load && !start_vectors(step, soft)) return false;
  bool is_first = !soft->K && has_stiffness;
  if (is_first && !push_stiffness(step, soft)) return false;
  compute_load(step, soft);
  if (!is_first) return true;
  cr_soft_compute_mid(step, soft, soft->theta, step->v_star + soft->first_v, soft->K_x);
  soft->K_time = soft->theta.q * step->dt;
  memset(soft->K, 0, sizeof(double) * (size_t)body->pattern.num_values);
  memset(soft->K_gradient, 0, sizeof(double) * (size_t)num_coordinates(soft));
  cr_soft_output output = {.gradient = soft->K_gradient,
                           .values = soft->K,
                           .stiffness_scale = 1,
                           .is_projected = true,
                           .turn = soft->turn};
  soft->K_energy = cr_soft_body_evaluate(body, (const double(*)[3])soft->K_x, &output);
  return true;
}

/* Whether x is where K was computed: a step often looks at forces and stiffness there again. */
static bool is_at_K(const cr_step_soft* soft, const double* x) {
  return soft->K && !memcmp(x, soft->K_x, sizeof *x * (size_t)num_coordinates(soft));
}

/* --- Forces -------------------------------------------------------------------------------------
 */

/* dt D v^tv into force, D = alpha M + beta K; its part of the potential. */
static double compute_damping(const cr_step* step, const cr_step_soft* soft, const double* v,
                              double* v_mid, double* force) {
  const cr_soft_body* body = &soft->part->body;
  const double* v0 = step->v0 + soft->first_v;
  double theta = soft->theta.v, alpha = body->material.alpha, beta = body->material.beta, sum = 0;
  int n = num_coordinates(soft);
  memset(force, 0, sizeof(double) * (size_t)n);
  if (alpha == 0 && beta == 0) return 0;
  for (int i = 0; i < n; i++) v_mid[i] = theta * v[i] + (1 - theta) * v0[i];
  if (beta > 0) cr_bsm_multiply(&body->pattern, soft->K, v_mid, force);
  for (int i = 0; i < n; i++) {
    force[i] = step->dt * (beta * force[i] + alpha * body->mass[i / 3] * v_mid[i]);
    sum += theta > 0 ? 0.5 / theta * force[i] * v_mid[i] : force[i] * v[i];
  }
  return sum;
}

/* Elastic energy and dE/dx at x. */
static double evaluate(const cr_step_soft* soft, const double (*x)[3], double* gradient) {
  size_t size = sizeof *gradient * (size_t)num_coordinates(soft);
  if (is_at_K(soft, x[0])) {
    memcpy(gradient, soft->K_gradient, size);
    return soft->K_energy;
  }
  memset(gradient, 0, size);
  cr_soft_output output = {.gradient = gradient, .turn = soft->turn};
  return cr_soft_body_evaluate(&soft->part->body, x, &output);
}

double cr_soft_compute_residual(const cr_step* step, const cr_step_soft* soft, const double* v,
                                double (*x)[3], double* gradient, double* residual) {
  const cr_soft_body* body = &soft->part->body;
  const double *v0 = step->v0 + soft->first_v, *at = x[0], *x0 = soft->x0[0];
  double weight = soft->theta.q * soft->theta.vq, dt = step->dt;
  int n = num_coordinates(soft);
  double potential = compute_damping(step, soft, v, gradient, residual);
  cr_soft_compute_mid(step, soft, soft->theta, v, x[0]);
  potential += evaluate(soft, (const double(*)[3])x, gradient) / weight;
  for (int i = 0; i < n; i++) {
    double dv = v[i] - v0[i], mass = body->mass[i / 3];
    residual[i] += mass * dv + dt * (gradient[i] - soft->load[i]);
    potential += 0.5 * mass * dv * dv - soft->load[i] * (at[i] - x0[i]) / weight;
    if (soft->held[i / 3] == 1) residual[i] = 0;
  }
  return weight > 0 ? potential : NAN;
}

/* --- A ------------------------------------------------------------------------------------------
 */

/* Nothing couples to nodes that are held in the world. */
static void mask_held(const cr_step_soft* soft, double* A) {
  const cr_soft_body* body = &soft->part->body;
  const cr_bsm_pattern* p = &body->pattern;
  for (int j = 0; j < p->num_blocks; j++)
    for (int k = p->col_start[j]; k < p->col_start[j + 1]; k++) {
      int i = p->row_index[k];
      if (soft->held[i] != 1 && soft->held[j] != 1) continue;
      double* block = A + p->value_start[k];
      memset(block, 0, 9 * sizeof(double));
      for (int d = 0; d < 3 && i == j; d++) block[4 * d] = body->mass[i];
    }
}

void cr_soft_compute_matrix(const cr_step* step, const cr_step_soft* soft, const double (*x)[3],
                            bool is_projected, double* A) {
  const cr_soft_body* body = &soft->part->body;
  double h2 = soft->theta.q * soft->theta.vq * step->dt * step->dt, h1 = soft->theta.v * step->dt;
  if (x && is_projected && is_at_K(soft, x[0])) x = NULL;
  double damping = h1 * body->material.beta + (x ? 0 : h2);
  for (int k = 0; k < body->pattern.num_values; k++) A[k] = soft->K ? damping * soft->K[k] : 0;
  cr_soft_body_add_mass(body, 1 + h1 * body->material.alpha, false, A);
  cr_soft_output output = {
      .values = A, .stiffness_scale = h2, .is_projected = is_projected, .turn = soft->turn};
  if (x && h2 > 0) cr_soft_body_evaluate(body, x, &output);
  mask_held(soft, A);
}

void cr_soft_place(cr_step* step, const cr_step_soft* soft, const double* v) {
  cr_soft_compute_mid(step, soft, step->theta[soft->tree], v + soft->first_v,
                      step->q_mid + soft->first_q);
}

void cr_soft_advance(cr_step* step, const cr_step_soft* soft) {
  const double *v = step->v + soft->first_v, *v0 = step->v0 + soft->first_v, *x0 = soft->x0[0];
  double vq = step->theta[soft->tree].vq;
  for (int i = 0; i < num_coordinates(soft); i++) {
    step->q_mid[soft->first_q + i] = x0[i] + step->dt * (vq * v[i] + (1 - vq) * v0[i]);
    step->v_q[soft->first_v + i] = v[i];
  }
}

/* --- Energy -------------------------------------------------------------------------------------
 */

double cr_soft_compute_loss(const cr_step* step, const cr_step_soft* soft) {
  const cr_soft_body* body = &soft->part->body;
  const double *v = step->v + soft->first_v, *v0 = step->v0 + soft->first_v;
  double alpha = body->material.alpha, beta = body->material.beta, sum = 0;
  int n = num_coordinates(soft);
  if (alpha == 0 && beta == 0) return 0;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double* mean = CR_SCRATCH(step->arena, double, n);
  double* rate = CR_SCRATCH(step->arena, double, n);
  double* force = CR_SCRATCH(step->arena, double, n);
  if (step->arena->failed) return 0;
  double theta = soft->theta.v;
  for (int i = 0; i < n; i++) {
    mean[i] = 0.5 * (v[i] + v0[i]);
    rate[i] = theta * v[i] + (1 - theta) * v0[i];
  }
  memset(force, 0, sizeof(double) * (size_t)n);
  if (beta > 0) cr_bsm_multiply(&body->pattern, soft->K, rate, force);
  for (int i = 0; i < n; i++)
    sum += mean[i] * (beta * force[i] + alpha * body->mass[i / 3] * rate[i]);
  cr_arena_pop_scratch(step->arena, mark);
  return step->dt * sum;
}
