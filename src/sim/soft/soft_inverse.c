#include "sim/soft/soft_inverse.h"

#include <math.h>

#define STRAIN_FLOOR 1e-14

void cr_soft_fill_least(const cr_soft_part* part, double* least) {
  for (int i = 0; i < 3 * part->mesh.num_nodes; i++) least[i] = part->body.mass[i / 3];
}

double cr_soft_strain_floor(const cr_step_soft* soft) {
  const cr_soft_material* m = &soft->part->body.material;
  return STRAIN_FLOOR * sqrt((2 * m->mu + m->lambda) * soft->part->volume);
}

bool cr_soft_inverse_init(const cr_step* step, const cr_step_soft* soft, const double* A,
                          cr_soft_inverse* inverse) {
  const cr_soft_part* part = soft->part;
  double* least = CR_SCRATCH(step->arena, double, 3 * part->mesh.num_nodes);
  if (step->arena->failed) return false;
  cr_soft_fill_least(part, least);
  inverse->conjugate = (cr_conjugate){.values = A, .inner = &inverse->inner, .least = least};
  return cr_incomplete_init(&part->body.pattern, step->arena, &inverse->inner) &&
         cr_conjugate_init(&inverse->conjugate, step->arena);
}

bool cr_soft_inverse_factor(cr_soft_inverse* inverse) {
  return cr_incomplete_factor(&inverse->inner, inverse->conjugate.values, inverse->conjugate.least);
}

/* --- Who is too large ---------------------------------------------------------------------------
 */

#define FLOP_TIME         2.5e-11 /* s, of a factorisation */
#define BLOCK_TIME        25e-9   /* s, of an iteration for a stored block */
#define INCOMPLETE_FACTOR 5       /* in iterations */
#define PATIENCE          1.5     /* times as many iterations as a factor takes */
#define MOST_ITERATIONS   1000000 /* of who asks for them */
#define SOLVES            2.5     /* of a step, from anew */
#define STIFF_COUNT       2.2     /* iterations: times the root of stiffness over mass */
#define DOMAIN_COUNT      6       /* and at most times the cube root of the number of nodes */

/* The largest dt² K_aa / M_aa of a node, about, at rest. */
static double find_stiffness_ratio(const cr_soft_body* body, double dt) {
  double modulus = 2 * body->material.mu + body->material.lambda, most = 0;
  int nodes = body->mesh.nodes_per_element;
  for (int e = 0; e < body->mesh.num_elements; e++)
    for (int a = 0; a < nodes; a++) {
      const double* slope =
          body->gradient + 3 * ((size_t)e * (size_t)(body->num_points * nodes) + (size_t)a);
      double size2 = slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2];
      /* Of the elements around a node, which share its mass, each has this stiffness over mass. */
      double ratio = dt * dt * modulus * size2 / body->material.density;
      most = fmax(most, ratio * nodes);
    }
  return most;
}

/* Time of a factorisation, in iterations. */
static double count_factor(const carom_sim* sim, int part) {
  const cr_soft_body* body = &sim->model->soft.part[part].body;
  return FLOP_TIME * sim->soft_cache[part].whole.flops / (BLOCK_TIME * body->pattern.num_lower);
}

/* Iterations that a step is expected to take: docs/soft.md has what was measured. */
static double count_iterations(const carom_sim* sim, int part) {
  const cr_soft_body* body = &sim->model->soft.part[part].body;
  double weight = sim->theta.q * sim->theta.vq + sim->theta.v * body->material.beta / sim->dt;
  double ratio = find_stiffness_ratio(body, sim->dt * sqrt(weight));
  double count = fmin(STIFF_COUNT * sqrt(ratio), DOMAIN_COUNT * cbrt(body->mesh.num_nodes));
  return SOLVES * (INCOMPLETE_FACTOR + count);
}

/* Conjugate gradients know nodes and trees; what joins trees by springs has fill in its factor, and
 * the first-order solvers want responses of A. Who asks for them has them whatever they take. */
void cr_soft_choose_inverses(carom_sim* sim) {
  bool is_possible = sim->def.solver == CAROM_SOLVER_NEWTON && sim->plan.num_spring_trees == 0 &&
                     sim->plan.num_joined == 0 && sim->def.soft_solver != CAROM_SOFT_DIRECT;
  bool is_asked = sim->def.soft_solver == CAROM_SOFT_ITERATIVE;
  for (int s = 0; s < sim->model->soft.num_parts; s++) {
    double factor = count_factor(sim, s), own = count_iterations(sim, s);
    cr_soft_cache* cache = &sim->soft_cache[s];
    cache->is_iterative = is_possible && (is_asked || own < factor);
    sim->iterates |= cache->is_iterative;
    cache->most_iterations =
        is_asked ? MOST_ITERATIONS : (int)fmin(PATIENCE * factor, MOST_ITERATIONS);
  }
}
