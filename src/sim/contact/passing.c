/* Bodies that turn by a radian and more in a step. The rows of a contact see where its points are
 * and which way they go at one moment. A body that an impact makes spin, or that spins as it meets
 * something, has turned other points to the surface long before the step is over: those that the
 * step sees part, as rows ask, while the body goes on through. No step of a body that turns less
 * does so: with the shape as it is seen, the centre of what is convex is above the surfaces that
 * its points are above. So such a step is taken in parts. */
#include "sim/contact/passing.h"

#include "sim/contact/scan.h"
#include "tree/algorithms.h"

#include <math.h>

/* Motions of links: of the solution, where distances were looked at, and before the step. */
typedef struct motions {
  const sv *end, *lin, *start; /* [num_links] */
} motions;

static bool hangs(const cr_step* step, int link) { return step->model->tree.link_tree[link] < 0; }

/* Whether a turn by phi, which leads points off their tangents by r phi² / 2, does so by more than
 * half of the thickness; between rigid bodies. */
static bool turns(const cr_step* step, const cr_contact_set* s, const cr_contact_point* point,
                  int k) {
  if (point->geom[0] < 0 || point->geom[1] < 0 || hangs(step, point->link[k])) return false;
  const cr_shape* shape = &step->model->geom.shape[point->geom[k]];
  double turn2 = step->dt * step->dt * v3_norm2(s->lin[point->link[k]].ang);
  return !shape->surface &&
         cr_shape_compute_bounding_radius(shape) * turn2 > cr_shape_compute_thickness(shape);
}

/* How a place x of a body moves: from the start of the step to where distances are looked at, and
 * from there to the end. */
static void find_ways(const cr_step* step, const motions* u, int link, v3 x, v3 way[2]) {
  bool is_held = hangs(step, link);
  cr_theta theta = is_held ? step->sim->theta : step->theta[step->model->tree.link_tree[link]];
  v3 before = cr_contact_find_velocity(step, u->start, link, x);
  v3 lin = cr_contact_find_velocity(step, u->lin, link, x);
  v3 end = cr_contact_find_velocity(step, u->end, link, x);
  v3 look = v3_axpy(v3_scale(theta.vq, lin), 1 - theta.vq, before);
  way[0] = v3_scale(theta.q * step->dt, look);
  v3 all = v3_scale(step->dt, v3_axpy(v3_scale(theta.vq, end), 1 - theta.vq, before));
  way[1] = v3_sub(all, way[0]);
}

/* The surface of the body that is not k, at the contact; see blend_point for where the contact lies
 * between both. */
static v3 find_surface(const cr_step* step, const cr_contact_point* point, int k) {
  if (point->is_ahead) return point->ahead[1 - k];
  double share = hangs(step, point->link[1 - k]) ? 1 : 0.5;
  return v3_axpy(point->position, (k ? -share : share) * point->distance, point->normal);
}

/* Whether the centre of body k goes through the surface of the other one. */
static bool passes(const cr_step* step, const motions* u, const cr_contact_point* point, int k) {
  v3 outward = k ? point->normal : v3_neg(point->normal);
  v3 center = step->sim->geom_pose[point->geom[k]].p, x = find_surface(step, point, k);
  v3 own[2], other[2];
  find_ways(step, u, point->link[k], center, own);
  find_ways(step, u, point->link[1 - k], x, other);
  double height = v3_dot(outward, v3_sub(center, x));
  double before = height - v3_dot(outward, v3_sub(own[0], other[0]));
  double after = height + v3_dot(outward, v3_sub(own[1], other[1]));
  return before > 0 && after < 0;
}

/* Link velocities where distances were looked at; null when memory ran out. */
static const sv* find_lin(cr_step* step) {
  const cr_tree_model* model = &step->model->tree;
  sv* lin = CR_PUSH(step->arena, sv, model->num_links);
  if (step->arena->failed) return NULL;
  for (int t = 0; t < model->num_trees; t++)
    cr_tree_update_link_velocities(model, t, &step->kinematics, step->v_lin, lin);
  return lin;
}

/* Bits of the bodies of a patch that turn so far. */
static unsigned find_turning(const cr_step* step, const cr_contact_set* s,
                             const cr_contact_point* point) {
  unsigned bits = 0;
  for (int k = 0; k < 2; k++) bits |= (unsigned)turns(step, s, point, k) << k;
  return bits;
}

cr_result cr_passing_find(cr_step* step, const cr_contact_set* s) {
  motions u = {.end = s->lin, .start = s->start};
  const cr_contact_points* points = &s->points;
  for (int i = 0, patch = -1; i < points->count; i++) {
    const cr_contact_point* point = &points->items[i];
    unsigned turning = 0;
    /* Points of a patch are side by side, and most patches turn little. */
    if (point->first != patch) turning = find_turning(step, s, point);
    patch = turning ? -1 : point->first;
    for (int k = 0; k < 2; k++) {
      if (!(turning >> k & 1)) continue;
      if (!u.lin && !(u.lin = find_lin(step))) return CR_NO_MEMORY;
      if (!passes(step, &u, point, k)) continue;
      return CR_PASSED;
    }
  }
  return CR_DONE;
}
