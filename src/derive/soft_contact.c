/* A node of a surface is a ball and an edge a capsule, whose contacts with a geometry move as those
 * of any shape do (geom/manifold_tangent.h). A point x against a triangle, with the normal n,
 * distance d and weights w of the point below it, has x = sum w_i c_i + d n, so that with the
 * corners c_i
 *
 *   dn = (1 - n nᵀ) dN / |N|,   N = (c_1 - c_0) x (c_2 - c_0),    dd = n . (dx - sum w_i dc_i),
 *   sum dw_i c_i = dx - sum w_i dc_i - dd n - d dn,               sum dw_i = 0.
 *
 * Of x that is a corner it moves with its link; of what is round it is the deepest point. */
#include "base/error.h"
#include "derive/soft_contact_parts.h"
#include "geom/manifold_tangent.h"
#include "sim/rows/contact_rows.h"
#include "sim/soft/soft_blocks.h"

#include <math.h>
#include <string.h>

#define ROUND_OFF    1e-9 /* of the size, of distances that are found again */
#define MOST_CORNERS 64   /* of hulls whose corners are points, see soft_contacts.c */

static carom_status refuse(const cr_step_tangent* t, const char* what) {
  return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                      "derivatives: there are none yet of contacts of soft bodies %s", what);
}

/* Half of an edge, from its middle, which is put into `center`. */
static v3 find_half(const cr_step* step, const cr_contact_point* p, v3* center) {
  v3 a = cr_soft_node_place(step, p->barycentric[1]->node[0]);
  v3 b = cr_soft_node_place(step, p->barycentric[1]->node[1]);
  *center = v3_scale(0.5, v3_add(a, b));
  return v3_scale(0.5, v3_sub(b, a));
}

/* The ball of a node or the capsule of an edge, as soft_contacts.c and soft_edges.c have them. */
static cr_shape find_shape(const cr_step* step, const cr_soft_contact* c, pose* at) {
  const cr_contact_point* p = c->point;
  double radius = cr_soft_contact_part(step, p, 1)->radius;
  if (c->kind == OF_NODE) {
    *at = (pose){cr_soft_node_place(step, p->barycentric[1]->node[0]), m3_identity()};
    return (cr_shape){.type = CAROM_GEOM_SPHERE, .size = {radius, 0, 0}};
  }
  v3 half = find_half(step, p, &at->p), t1, t2;
  double length = v3_norm(half);
  v3 axis = v3_scale(1 / length, half);
  v3_tangents(axis, &t1, &t2);
  at->R = m3_from_columns(t1, t2, axis);
  return (cr_shape){.type = CAROM_GEOM_CAPSULE, .size = {radius, length, 0}};
}

/* The one of its points that this is. */
static int find_nearest(const cr_soft_contact* c) {
  int nearest = 0;
  double least = INFINITY;
  for (int i = 0; i < c->manifold.count && c->kind == OF_EDGE; i++) {
    double away = v3_norm(v3_sub(c->manifold.points[i].b, c->point->position));
    if (away < least) least = away, nearest = i;
  }
  return nearest;
}

static carom_status find_round(cr_step_tangent* t, cr_soft_contact* c) {
  const cr_step* step = t->step;
  const cr_contact_point* p = c->point;
  int geom = p->geom[0];
  pose at;
  const cr_shape shape = find_shape(step, c, &at);
  const pose* X = &step->sim->geom_pose[geom];
  double size = v3_norm(v3_sub(at.p, X->p));
  double margin = fabs(p->distance) + ROUND_OFF * (size + fabs(p->distance));
  cr_collide_query query = {&step->model->geom.shape[geom], &shape, X, &at, margin, NULL};
  if (cr_geom_collide_pair(&query, &c->manifold) < 1)
    return refuse(t, "that are not found again where the step looked at them");
  if (c->kind == OF_NODE) c->manifold.count = 1;
  c->index = find_nearest(c);
  cr_manifold_compute_tangent(&query, &c->manifold, &c->tangent);
  if (c->tangent.obstacle)
    return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                        "derivatives: there are none yet of the contact of a soft body with "
                        "geometry \"%s\" (%d): %s",
                        carom_model_get_geom(step->model, geom).name, geom, c->tangent.obstacle);
  if (p->is_active)
    cr_step_tangent_mark_kink(t, fmin(c->tangent.kink, c->tangent.points[c->index].kink));
  return CAROM_OK;
}

/* How the point x of an ellipsoid with the outward normal m moves across that as it turns, in the
 * shape's frame: (W - x xᵀ) / (x.m), W = diag(half axes²) (docs/derivatives.md). */
static m3 find_bend(const cr_shape* shape, v3 x, v3 m) {
  v3 W = v3_mul(v3_load(shape->size), v3_load(shape->size));
  m3 whole = m3_diagonal(W), part = m3_outer(x, v3_neg(x)), rest = m3_add(&whole, &part);
  return m3_scale(1 / v3_dot(x, m), &rest);
}

/* Of the many corners of a hull the deepest counts: how far it turns until the next is, rad. */
static double find_rival(const cr_hull* hull, v3 x, v3 m) {
  double least = INFINITY;
  for (int i = 0; i < hull->num_vertices; i++) {
    v3 apart = v3_sub(x, cr_hull_vertex(hull, i));
    double size = v3_norm(apart);
    if (size > ROUND_OFF) least = fmin(least, v3_dot(m, apart) / size);
  }
  return fmax(least, 0);
}

/* A point of a geometry: one that stays on it, or the deepest of a ball, of a capsule's end, of an
 * ellipsoid or of many corners. */
static void find_corner(cr_step_tangent* t, cr_soft_contact* c) {
  const cr_contact_point* p = c->point;
  const cr_shape* shape = &t->step->model->geom.shape[p->geom[0]];
  const pose* X = &t->step->sim->geom_pose[p->geom[0]];
  v3 x = pose_inverse_point(X, p->position), m = m3_tmulv(&X->R, p->normal);
  c->side = 1;
  if (shape->type == CAROM_GEOM_SPHERE || shape->type == CAROM_GEOM_CAPSULE) {
    c->bend = m3_diagonal(v3_make(shape->size[0], shape->size[0], shape->size[0]));
  } else if (shape->type == CAROM_GEOM_ELLIPSOID) {
    m3 own = find_bend(shape, x, m);
    c->bend = m3_congruence(&X->R, &own);
  }
  bool is_many = shape->hull && shape->hull->num_vertices > MOST_CORNERS;
  if (is_many && p->is_active) cr_step_tangent_mark_kink(t, find_rival(shape->hull, x, m));
}

static carom_status find_kind(cr_step_tangent* t, cr_soft_contact* c) {
  const cr_contact_point* p = c->point;
  uint32_t feature = (uint32_t)p->key.feature;
  bool is_edge = feature & CR_SOFT_EDGES;
  if (p->geom[0] < 0) return cr_soft_pair_find(t, c);
  c->kind = OF_TRIANGLE;
  if (!is_edge && (feature & CR_SOFT_OTHER_SIDE)) {
    find_corner(t, c);
    return CAROM_OK;
  }
  c->kind = is_edge ? OF_EDGE : OF_NODE, c->side = 1;
  return find_round(t, c);
}

/* Whether the side of a tetrahedron across from a corner is one of the surface. */
static bool is_outer(const cr_soft_part* part, const int* node, int corner) {
  bool any = false;
  for (int i = 0; i < part->surface.num_triangles && !any; i++) {
    any = true;
    for (int k = 0; k < 4; k++)
      any &= k == corner ||
             cr_soft_is_at(part->surface.triangle + 3 * (size_t)i, node[k] - part->first_node);
  }
  return any;
}

/* Beside a triangle or tetrahedron, or at the end of an edge, others take over; out of the surface
 * a point inside goes on as one outside. */
static void mark_border(cr_step_tangent* t, const cr_soft_contact* c) {
  for (int k = 0; k < 2 && c->point->is_active; k++) {
    const cr_barycentric_point* at = c->point->barycentric[k];
    double least = INFINITY, end = 0.5 * CR_SOFT_EDGE_END;
    if (!at || at->count == 1) continue;
    for (int i = 0; i < at->count; i++) {
      bool is_left =
          at->count == 4 && is_outer(cr_soft_contact_part(t->step, c->point, k), at->node, i);
      if (!is_left) least = fmin(least, at->weight[i]);
    }
    cr_step_tangent_mark_kink(t, fabs(at->count == 2 ? least - end : least));
  }
}

carom_status cr_soft_contact_find(cr_step_tangent* t, const cr_contact_point* point,
                                  cr_soft_contact** contact) {
  cr_soft_contact* c = CR_PUSH(t->arena, cr_soft_contact, 1);
  if (!c) return cr_error_memory(t->error);
  memset(c, 0, sizeof *c);
  c->point = point;
  CR_TRY(find_kind(t, c));
  mark_border(t, c);
  if (!cr_soft_area_find(t, c)) return cr_error_memory(t->error);
  *contact = c;
  return CAROM_OK;
}

/* --- Rows ---------------------------------------------------------------------------------------
 */

/* Nodes of a row: those that it acts on, and those of the area behind them. */
static int count_nodes(const cr_soft_contact* c) {
  int count = 3 * c->num_area;
  for (int k = 0; k < 2; k++)
    if (c->point->barycentric[k]) count += c->point->barycentric[k]->count;
  return count;
}

static void put_node(const cr_step* step, int node, double weight, v3 axis, cr_row_shape* row) {
  for (int i = 0; i < 3; i++) {
    row->dof[row->num_dofs] = step->model->tree.num_v + 3 * node + i;
    row->coefficient[row->num_dofs++] = weight * v3_get(axis, i);
  }
}

bool cr_soft_contact_describe(const cr_step_tangent* t, cr_soft_contact* c, int rows,
                              cr_row_shape* shape) {
  size_t count = 3 * (size_t)count_nodes(c);
  c->rows = rows, c->shape = shape;
  for (int r = 0; r < rows; r++) {
    cr_row_shape* row = &shape[r];
    row->num_dofs = 0;
    row->dof = CR_PUSH(t->arena, int, count);
    row->coefficient = CR_PUSH(t->arena, double, count);
    row->moved = CR_PUSH(t->arena, double, count);
    if (t->arena->failed) return false;
    for (int k = 0; k < 2; k++) {
      const cr_barycentric_point* at = c->point->barycentric[k];
      if (!at) continue;
      row->link[k] = 0; /* the ground: the nodes are all that moves here */
      for (int i = 0; i < at->count; i++)
        put_node(t->step, at->node[i], (k ? 1 : -1) * at->weight[i], row->axis, row);
    }
    for (int i = 0; i < 3 * c->num_area; i++) put_node(t->step, c->area[i], 0, row->axis, row);
  }
  return true;
}

/* --- A column -----------------------------------------------------------------------------------
 */

/* Displacements of a geometry, and of a ball or capsule: a turn, then the way of its centre. */
static void displace(const cr_step* step, const cr_contact_point* p,
                     const cr_contact_column* column, double move[2][6]) {
  const int* node = p->barycentric[1]->node;
  memset(move[1], 0, sizeof move[1]);
  v3 way = cr_soft_node_way(step, column, node[0]);
  if (p->barycentric[1]->count == 2) {
    v3 center, half = find_half(step, p, &center), last = cr_soft_node_way(step, column, node[1]);
    v3 turn = v3_cross(half, v3_scale(0.5, v3_sub(last, way)));
    v3_store(v3_scale(1 / v3_norm2(half), turn), move[1]);
    way = v3_scale(0.5, v3_add(way, last));
  }
  v3_store(way, move[1] + 3);
  cr_contact_column_move_geom(step, column, p->geom[0], move[0]);
}

/* The part of a geometry's surface, that a point is on, moves with a size, too. */
static void move_part(const cr_step* step, const cr_soft_contact* c,
                      const cr_contact_column* column, double move[6]) {
  v3 at = c->manifold.points[c->index].a;
  v3 way = cr_contact_column_move_surface(step, column, c->point->geom[0], at, c->manifold.normal);
  v3_store(v3_add(v3_load(move + 3), way), move + 3);
}

/* Where along the edge x is, as x moves. */
static void move_along(const cr_step* step, const cr_contact_point* p,
                       const cr_contact_column* column, cr_soft_change* by) {
  const int* node = p->barycentric[1]->node;
  v3 center, half = find_half(step, p, &center), arm = v3_sub(p->position, center);
  v3 first = cr_soft_node_way(step, column, node[0]),
     last = cr_soft_node_way(step, column, node[1]);
  v3 way = v3_sub(by->place, v3_scale(0.5, v3_add(first, last)));
  v3 dhalf = v3_scale(0.5, v3_sub(last, first));
  double size = v3_norm2(half), t = v3_dot(arm, half) / size;
  double dt = (v3_dot(way, half) + v3_dot(arm, dhalf) - 2 * t * v3_dot(half, dhalf)) / size;
  by->weight[1][0] = -0.5 * dt, by->weight[1][1] = 0.5 * dt;
}

static cr_soft_change move_round(const cr_step* step, const cr_soft_contact* c,
                                 const cr_contact_column* column) {
  const cr_point_tangent* point = &c->tangent.points[c->index];
  double move[2][6], radius = cr_soft_contact_part(step, c->point, 1)->radius;
  cr_soft_change out = {.normal = v3_zero()};
  displace(step, c->point, column, move);
  move_part(step, c, column, move[0]);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 6; i++) {
      out.normal = v3_axpy(out.normal, move[k][i], c->tangent.normal[k][i]);
      out.distance += move[k][i] * point->distance[k][i];
      if (c->kind == OF_EDGE) out.place = v3_axpy(out.place, move[k][i], point->b[k][i]);
    }
  if (c->kind == OF_EDGE) {
    move_along(step, c->point, column, &out);
    return out;
  }
  v3 node = cr_soft_node_way(step, column, c->point->barycentric[1]->node[0]);
  out.place = v3_axpy(node, -radius, out.normal);
  return out;
}

/* Weights whose sum is zero and which move the point below x by r. */
static void find_weights(const cr_step* step, const int* node, v3 r, double weight[3]) {
  v3 x0 = cr_soft_node_place(step, node[0]);
  v3 a = v3_sub(cr_soft_node_place(step, node[1]), x0),
     b = v3_sub(cr_soft_node_place(step, node[2]), x0);
  double aa = v3_norm2(a), ab = v3_dot(a, b), bb = v3_norm2(b), det = aa * bb - ab * ab;
  double ra = v3_dot(r, a), rb = v3_dot(r, b);
  weight[1] = (bb * ra - ab * rb) / det;
  weight[2] = (aa * rb - ab * ra) / det;
  weight[0] = -weight[1] - weight[2];
}

/* How the point moves as the normal n of the triangle does by dn: a corner with its geometry, the
 * deepest point of a round shape with the centre of its end, which turns do not carry along. */
static v3 find_way(const cr_step* step, const cr_soft_contact* c, const cr_contact_column* column,
                   v3 n, v3 dn) {
  const cr_contact_point* p = c->point;
  double move[6];
  if (p->geom[0] < 0) return cr_soft_point_way(step, column, p->barycentric[1 - c->side]);
  cr_contact_column_move_geom(step, column, p->geom[0], move);
  v3 turn = v3_load(move), arm = v3_sub(p->position, step->sim->geom_pose[p->geom[0]].p);
  v3 way = v3_add(v3_load(move + 3), v3_cross(turn, arm));
  way = v3_sub(way, m3_mulv(&c->bend, v3_sub(dn, v3_cross(turn, n))));
  return v3_add(way,
                cr_contact_column_move_surface(step, column, p->geom[0], p->position, p->normal));
}

static cr_soft_change move_point(const cr_step* step, const cr_soft_contact* c,
                                 const cr_contact_column* column) {
  const cr_contact_point* p = c->point;
  const cr_barycentric_point* at = p->barycentric[c->side];
  cr_soft_change out = {.normal = v3_zero()};
  v3 moved, N = cr_soft_triangle_normal(step, at->node, column, &moved),
            n = v3_scale(1 / v3_norm(N), N);
  v3 below = cr_soft_blend_place(step, at->node, at->weight, 3);
  double height = v3_dot(n, v3_sub(p->position, below));
  v3 dn = v3_scale(1 / v3_norm(N), v3_axpy(moved, -v3_dot(n, moved), n));
  v3 way = find_way(step, c, column, n, dn);
  v3 apart = v3_sub(way, cr_soft_point_way(step, column, at));
  out.distance = v3_dot(n, apart);
  out.normal = v3_scale(c->side ? -1 : 1, dn);
  out.place = way;
  find_weights(step, at->node, v3_axpy(v3_axpy(apart, -out.distance, n), -height, dn),
               out.weight[c->side]);
  return out;
}

static cr_soft_change move(const cr_step* step, const cr_soft_contact* c,
                           const cr_contact_column* column) {
  switch (c->kind) {
  case OF_TRIANGLE:
    return move_point(step, c, column);
  case OF_INSIDE:
  case OF_CROSSING:
    return cr_soft_pair_move(step, c, column);
  default:
    return move_round(step, c, column);
  }
}

/* Coefficients of a row whose axis moves. */
static void move_coefficients(const cr_soft_contact* c, const cr_soft_change* by,
                              const cr_row_shape* row, v3 axis) {
  int at = 0;
  for (int k = 0; k < 2; k++) {
    const cr_barycentric_point* b = c->point->barycentric[k];
    for (int i = 0; b && i < b->count; i++)
      for (int d = 0; d < 3; d++, at++) {
        double moved = b->weight[i] * v3_get(axis, d) + by->weight[k][i] * v3_get(row->axis, d);
        row->moved[at] = (k ? 1 : -1) * moved;
      }
  }
  for (; at < row->num_dofs; at++) row->moved[at] = 0;
}

double cr_soft_contact_differentiate(const cr_step* step, cr_soft_contact* c,
                                     const cr_contact_column* column, cr_row_change* change) {
  const cr_soft_change by = c->change = move(step, c, column);
  v3 n = c->point->normal;
  for (int r = 0; r < c->rows; r++) {
    const cr_row_shape* row = &c->shape[r];
    double along = v3_dot(row->axis, n);
    v3 axis = along > 0.5 ? by.normal : v3_scale(-v3_dot(row->axis, by.normal), n);
    move_coefficients(c, &by, row, axis);
    change[r] =
        (cr_row_change){.axis = axis, .place = {by.place, by.place}, .coefficient = row->moved};
  }
  return by.distance;
}

v3 cr_soft_contact_turn_normal(const cr_soft_contact* c) { return c->change.normal; }

v3 cr_soft_contact_find_place(const cr_soft_contact* c, v3* change) {
  *change = c->change.place;
  return c->point->position;
}

double cr_soft_contact_move_mass(const cr_step* step, const cr_soft_contact* c, int k) {
  cr_barycentric_point moved = {0};
  if (!c->point->barycentric[k]) return 0;
  moved = *c->point->barycentric[k];
  memcpy(moved.weight, c->change.weight[k], sizeof moved.weight);
  return cr_soft_find_mass(step->model, &(cr_mover_point){.barycentric = &moved});
}

void cr_soft_contact_vary(const cr_step* step, const cr_soft_contact* c,
                          const cr_contact_column* column, double* stiffness, double* dissipation) {
  double change;
  *stiffness = *dissipation = 0;
  if (c->num_area == 0) return;
  cr_soft_area_differentiate(step, c, column, c->change.normal, &change);
  *stiffness = c->by_area[0] * change, *dissipation = c->by_area[1] * change;
}
