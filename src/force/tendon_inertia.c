/* Inertia of tendons by the Woodbury formula: with T = -m l'' their tensions, l'' = J x + (dJ/dt) v
 * + J M^-1 Jᵀ T, so that (1 + m J M^-1 Jᵀ) T = -m (J x + (dJ/dt) v). */
#include "force/tendon_inertia.h"

#include "base/copy.h"
#include "math/small.h"
#include "tree/algorithms.h"

#include <math.h>
#include <string.h>

bool cr_tendon_inertia_push(cr_arena* arena, const cr_force_model* force, int num_v,
                            cr_tendon_inertia* inertia) {
  size_t count = (size_t)force->tendon.num_armatures;
  inertia->push = CR_PUSH(arena, double, count*(size_t)num_v);
  inertia->coupling = CR_PUSH(arena, double, count* count);
  inertia->work = CR_PUSH(arena, double, count*(count + 1));
  return !arena->failed;
}

/* The next tendon with inertia from `*tendon` on, with the root of that; false at the end. */
static bool find_next(const cr_tendon_model* tendons, int* tendon, double* root) {
  while (*tendon < tendons->num_tendons && !(tendons->armature[*tendon] > 0)) ++*tendon;
  if (*tendon >= tendons->num_tendons) return false;
  *root = sqrt(tendons->armature[*tendon]);
  return true;
}

bool cr_tendon_inertia_update(const cr_force_model* force, const cr_tree_model* tree,
                              const cr_tree_kinematics* kinematics, cr_tree_scratch* scratch,
                              const cr_lines* lines, double* tau,
                              const cr_tendon_inertia* inertia) {
  const cr_tree_loads none = {.gravity = {0, 0, 0}};
  size_t nv = (size_t)tree->num_v, count = (size_t)force->tendon.num_armatures, k = 0;
  double root;
  for (int i = 0; find_next(&force->tendon, &i, &root); i++, k++) {
    double* x = inertia->push + nv * k;
    memset(tau, 0, sizeof(double) * nv);
    cr_line_add_force(&force->line, lines, i, root, tau);
    for (int t = 0; t < tree->num_trees; t++)
      if (!cr_tree_compute_forward_dynamics(tree, t, kinematics, NULL, tau, NULL, &none, scratch,
                                            x))
        return false;
    size_t row = 0;
    for (int j = 0; find_next(&force->tendon, &j, &root); j++, row++)
      inertia->coupling[row * count + k] =
          (row == k) + root * cr_line_compute_rate(&force->line, lines, j, x);
  }
  return true;
}

void cr_tendon_inertia_apply(const cr_line_place* place, const cr_tendon_model* tendons,
                             const cr_lines* lines, const cr_tree_velocities* velocities,
                             const cr_tendon_inertia* inertia, double* x) {
  size_t nv = (size_t)place->tree->num_v, count = (size_t)tendons->num_armatures, k = 0;
  double *B = inertia->work, *T = B + count * count, root;
  CR_COPY(B, inertia->coupling, count * count);
  for (int i = 0; find_next(tendons, &i, &root); i++, k++) {
    T[k] = -root * cr_line_compute_rate(place->model, lines, i, x);
    if (velocities) T[k] -= root * cr_line_compute_drift(place, velocities, i);
  }
  small_solve(B, (int)count, T, 1);
  for (k = 0; k < count; k++)
    for (size_t i = 0; i < nv; i++) x[i] += T[k] * inertia->push[nv * k + i];
}
