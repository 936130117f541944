/* A feature that is about to change need not change derivatives: an edge may be passed in a way
 * that no joint allows, or another feature go on as the one before. The pair is searched for again
 * at both sides along each dof that moves one body against the other, and the derivatives along
 * that dof are compared. */
#include "derive/patch_sides.h"

#include "derive/row_tangent.h"
#include "geom/contact.h"
#include "geom/patches.h"
#include "math/quat.h"
#include "sim/contact/scan.h"

#include <math.h>

/* m or rad, from the state to either side: beyond where the narrow phase tells features apart. */
#define APART (4 * CR_EXACT_ACROSS)

/* Displacements of both shapes by a dof: a turn, then the way of the shape's centre. */
typedef struct relative_move {
  v3 turn[2], way[2];
} relative_move;

/* False where the dof does not move one against the other. */
static bool find_move(const cr_step* step, const cr_contact_point* p, int dof, relative_move* out) {
  const cr_tree_model* model = &step->model->tree;
  bool moves[2];
  for (int k = 0; k < 2; k++) {
    int link = p->link[k], tree = model->link_tree[link];
    moves[k] = tree >= 0 && cr_dof_moves(model, dof, link);
    out->turn[k] = out->way[k] = v3_zero();
    if (!moves[k]) continue;
    v3 arm = v3_sub(step->sim->geom_pose[p->geom[k]].p, step->kinematics.origin[tree]);
    out->turn[k] = step->kinematics.S[dof].ang;
    out->way[k] = sv_point_velocity(step->kinematics.S[dof], arm);
  }
  return moves[0] != moves[1];
}

static pose displace(const pose* X, v3 turn, v3 way, double change) {
  m3 R = quat_to_m3(quat_exp(v3_scale(change, turn)));
  return (pose){v3_axpy(X->p, change, way), m3_mul(&R, &X->R)};
}

static v3 sum_vectors(const v3 by[2][6], const relative_move* move) {
  v3 sum = v3_zero();
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 3; i++) {
      sum = v3_axpy(sum, v3_get(move->turn[k], i), by[k][i]);
      sum = v3_axpy(sum, v3_get(move->way[k], i), by[k][3 + i]);
    }
  return sum;
}

/* The manifold's point next to another. */
static int find_nearest(const cr_manifold* manifold, v3 x) {
  int nearest = 0;
  double least = INFINITY;
  for (int i = 0; i < manifold->count; i++) {
    double apart = v3_norm2(v3_sub(manifold->points[i].a, x));
    if (apart < least) least = apart, nearest = i;
  }
  return nearest;
}

/* How normal and place move with a dof, after a small change of it; false where there is nothing to
 * tell it by. */
static bool find_side(const cr_step* step, const cr_found_again* patch, int point,
                      const relative_move* move, double change, v3 moved[2]) {
  const cr_contact_point* p = patch->points;
  const cr_shape* shape = step->model->geom.shape;
  pose at[2];
  cr_manifold manifold;
  cr_manifold_tangent tangent;
  for (int k = 0; k < 2; k++) at[k] = displace(&patch->X[k], move->turn[k], move->way[k], change);
  double size = cr_shape_compute_bounding_radius(&shape[p->geom[1]]), margin = 0;
  for (int i = 0; i < patch->manifold.count; i++)
    margin = fmax(margin, patch->manifold.points[i].distance);
  const cr_collide_query query = {&shape[p->geom[0]],
                                  &shape[p->geom[1]],
                                  &at[0],
                                  &at[1],
                                  margin + 10 * fabs(change) * (1 + size),
                                  NULL};
  if (cr_geom_collide_along(&query, patch->manifold.normal, &manifold) == 0) return false;
  cr_manifold_compute_tangent(&query, &manifold, &tangent);
  if (tangent.obstacle) return false;
  int i = find_nearest(&manifold, patch->manifold.points[point].a);
  moved[0] = sum_vectors(tangent.normal, move);
  moved[1] = sum_vectors(tangent.points[i].a, move);
  return true;
}

static double across(v3 x, v3 n) { return v3_norm(v3_axpy(x, -v3_dot(x, n), n)); }

cr_patch_sides cr_patch_sides_find(const cr_step* step, const cr_found_again* patch, int point) {
  cr_patch_sides most = {0, 0};
  v3 n = patch->manifold.normal;
  for (int dof = 0; dof < step->model->tree.num_v; dof++) {
    relative_move move;
    v3 left[2], right[2];
    if (!find_move(step, patch->points, dof, &move)) continue;
    if (!find_side(step, patch, point, &move, -APART, left) ||
        !find_side(step, patch, point, &move, APART, right))
      return (cr_patch_sides){INFINITY, INFINITY};
    most.normal = fmax(most.normal, v3_norm(v3_sub(right[0], left[0])));
    most.place = fmax(most.place, across(v3_sub(right[1], left[1]), n));
  }
  return most;
}
