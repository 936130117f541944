/* A node of a surface is a ball and an edge a capsule, whose contacts with a geometry move as those
 * of any shape do (geom/manifold_tangent.h). A point x against a triangle, with the normal n,
 * distance d and weights w of the point below it, has x = sum w_i c_i + d n, so that with the
 * corners c_i
 *
 *   dn = (1 - n nᵀ) dN / |N|,   N = (c_1 - c_0) x (c_2 - c_0),    dd = n . (dx - sum w_i dc_i),
 *   sum dw_i c_i = dx - sum w_i dc_i - dd n - d dn,               sum dw_i = 0.
 *
 * Of x that is a corner it moves with its link; of what is round it is the deepest point. */
#include "derive/soft_contact.h"

#include "base/error.h"
#include "derive/parameters.h"
#include "geom/manifold_tangent.h"
#include "sim/rows/contact_rows.h"
#include "sim/soft/soft_surface.h"

#include <math.h>
#include <string.h>

#define ROUND_OFF    1e-9 /* of the size, of distances that are found again */
#define MOST_CORNERS 64   /* of hulls whose corners are points, see soft_contacts.c */

/* What a body touches with. */
typedef enum soft_part_kind { OF_NODE, OF_EDGE, OF_TRIANGLE } soft_part_kind;

struct cr_soft_contact {
  const cr_contact_point* point;
  soft_part_kind kind; /* the first two against a geometry */
  cr_manifold manifold;
  cr_manifold_tangent tangent; /* of a ball or capsule, */
  int index;                   /* whose point this is */
  int side;                    /* of the triangle */
  int rows;                    /* of its law */
  const cr_row_shape* shape;   /* [rows] */
  double radius;               /* m, by which the point moves against the normal as that turns */
  int num_area, *area;         /* triangles, [3 each] nodes, of the area it stands for; 0: rigid */
  double share;                /* of that area */
  double by_area[2];           /* by which stiffness and dissipation grow with it */
};

/* --- Nodes --------------------------------------------------------------------------------------
 */

static const cr_soft_part* part_of(const cr_step* step, const cr_contact_point* p, int k) {
  return &step->model->soft.part[-1 - p->geom[k]];
}

static v3 node_place(const cr_step* step, int node) {
  return v3_load(step->q_mid + step->model->tree.num_q + 3 * (size_t)node);
}

static v3 node_way(const cr_step* step, const cr_contact_column* column, int node) {
  if (!column->dq) return v3_zero();
  return v3_load(column->dq + step->model->tree.num_v + 3 * (size_t)node);
}

static v3 blend_way(const cr_step* step, const cr_contact_column* column,
                    const cr_barycentric_point* at) {
  v3 sum = v3_zero();
  for (int i = 0; i < at->count; i++)
    sum = v3_axpy(sum, at->weight[i], node_way(step, column, at->node[i]));
  return sum;
}

/* --- What it is ---------------------------------------------------------------------------------
 */

static carom_status refuse(const cr_step_tangent* t, const char* what) {
  return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                      "derivatives: there are none yet of contacts of soft bodies %s", what);
}

/* Half of an edge, from its middle, which is put into `center`. */
static v3 find_half(const cr_step* step, const cr_contact_point* p, v3* center) {
  v3 a = node_place(step, p->barycentric[1]->node[0]);
  v3 b = node_place(step, p->barycentric[1]->node[1]);
  *center = v3_scale(0.5, v3_add(a, b));
  return v3_scale(0.5, v3_sub(b, a));
}

/* The ball of a node or the capsule of an edge, as soft_contacts.c and soft_edges.c have them. */
static cr_shape find_shape(const cr_step* step, const cr_soft_contact* c, pose* at) {
  const cr_contact_point* p = c->point;
  double radius = part_of(step, p, 1)->radius;
  if (c->kind == OF_NODE) {
    *at = (pose){node_place(step, p->barycentric[1]->node[0]), m3_identity()};
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

/* A point of a geometry: one that stays on it, or the deepest of a ball or of a capsule's end. */
static carom_status find_corner(cr_step_tangent* t, cr_soft_contact* c) {
  const cr_shape* shape = &t->step->model->geom.shape[c->point->geom[0]];
  bool is_round = shape->type == CAROM_GEOM_SPHERE || shape->type == CAROM_GEOM_CAPSULE;
  bool has_corners = shape->type == CAROM_GEOM_BOX || shape->type == CAROM_GEOM_CYLINDER ||
                     (shape->hull && shape->hull->num_vertices <= MOST_CORNERS);
  if (!is_round && !has_corners)
    return refuse(t, "with the deepest points of ellipsoids and of meshes with many corners");
  c->side = 1, c->radius = is_round ? shape->size[0] : 0;
  return CAROM_OK;
}

/* A node of one soft body outside the other, or outside itself. */
static carom_status find_pair(cr_step_tangent* t, cr_soft_contact* c) {
  const cr_contact_point* p = c->point;
  for (int k = 0; k < 2; k++)
    if (p->barycentric[k]->count == 4)
      return refuse(t, "with each other, or with themselves, where one is inside the other");
  c->side = p->barycentric[0]->count == 3 ? 0 : 1;
  return CAROM_OK;
}

static carom_status find_kind(cr_step_tangent* t, cr_soft_contact* c) {
  const cr_contact_point* p = c->point;
  uint32_t feature = (uint32_t)p->key.feature;
  if (p->is_ahead) return refuse(t, "that a sweep has found");
  if (p->extra && p->extra->drifts) return refuse(t, "whose surface moves");
  if (p->extra && p->extra->is_slowed) return refuse(t, "whose friction depends on the slip");
  bool is_edge = feature & CR_SOFT_EDGES;
  if (is_edge && p->geom[0] < 0) return refuse(t, "with each other or themselves along edges");
  c->kind = OF_TRIANGLE;
  if (p->geom[0] < 0) return find_pair(t, c);
  if (!is_edge && (feature & CR_SOFT_OTHER_SIDE)) return find_corner(t, c);
  c->kind = is_edge ? OF_EDGE : OF_NODE, c->side = 1;
  return find_round(t, c);
}

/* --- Areas --------------------------------------------------------------------------------------
 */

static bool is_at(const int* corner, int node) {
  return corner[0] == node || corner[1] == node || corner[2] == node;
}

/* The triangles at a node, or at both nodes of an edge. */
static bool find_triangles(const cr_step_tangent* t, cr_soft_contact* c, int part,
                           const cr_barycentric_point* at) {
  const cr_soft_part* p = &t->step->model->soft.part[part];
  const int* corner = p->surface.triangle;
  for (int pass = 0; pass < 2; pass++) {
    c->num_area = 0;
    for (int i = 0; i < p->surface.num_triangles; i++) {
      bool is_its = true;
      for (int k = 0; k < at->count; k++)
        is_its &= is_at(corner + 3 * i, at->node[k] - p->first_node);
      if (!is_its) continue;
      for (int j = 0; pass && j < 3; j++)
        c->area[3 * c->num_area + j] = corner[3 * i + j] + p->first_node;
      c->num_area++;
    }
    if (!pass) c->area = CR_PUSH(t->arena, int, 3 * c->num_area);
    if (t->arena->failed) return false;
  }
  return true;
}

static bool touch_triangle(const cr_step_tangent* t, cr_soft_contact* c) {
  c->num_area = 1;
  c->area = CR_PUSH(t->arena, int, 3);
  if (!c->area) return false;
  for (int i = 0; i < 3; i++) c->area[i] = c->point->barycentric[c->side]->node[i];
  return true;
}

/* Twice the vector area of a triangle, and its change. */
static v3 find_normal(const cr_step* step, const int* node, const cr_contact_column* column,
                      v3* change) {
  v3 x0 = node_place(step, node[0]), dx0 = node_way(step, column, node[0]);
  v3 a = v3_sub(node_place(step, node[1]), x0), da = v3_sub(node_way(step, column, node[1]), dx0);
  v3 b = v3_sub(node_place(step, node[2]), x0), db = v3_sub(node_way(step, column, node[2]), dx0);
  *change = v3_add(v3_cross(da, b), v3_cross(a, db));
  return v3_cross(a, b);
}

/* The sum of the areas however they are turned, and its change. */
static double sum_areas(const cr_step* step, const cr_soft_contact* c,
                        const cr_contact_column* column, double* change) {
  double sum = 0;
  *change = 0;
  for (int i = 0; i < c->num_area; i++) {
    v3 moved, N = find_normal(step, c->area + 3 * i, column, &moved);
    sum += c->share * v3_norm(N);
    *change += c->share * v3_dot(N, moved) / v3_norm(N);
  }
  return sum;
}

/* The area, and its change as its normal p.normal moves by dn. */
static double find_area(const cr_step* step, const cr_soft_contact* c,
                        const cr_contact_column* column, v3 dn, double* change) {
  bool is_turned = c->point->geom[0] < 0 && c->side == 1;
  v3 n = v3_scale(is_turned ? 1 : -1, c->point->normal);
  v3 area = v3_zero(), darea = v3_zero(), moved;
  if (c->kind == OF_EDGE) return sum_areas(step, c, column, change);
  for (int i = 0; i < c->num_area; i++) {
    area = v3_axpy(area, c->share, find_normal(step, c->area + 3 * i, column, &moved));
    darea = v3_axpy(darea, c->share, moved);
  }
  double size = v3_norm(area), along = v3_dot(area, n);
  if (along >= CR_SOFT_LEAST_FACING * size) {
    *change = v3_dot(darea, n) + (is_turned ? 1 : -1) * v3_dot(area, dn);
    return along;
  }
  *change = CR_SOFT_LEAST_FACING * v3_dot(area, darea) / size;
  return CR_SOFT_LEAST_FACING * size;
}

/* How stiffness and dissipation grow with the area. */
static bool find_growth(const cr_step_tangent* t, cr_soft_contact* c) {
  const cr_contact_point* p = c->point;
  const carom_model* m = t->step->model;
  if (isinf(p->stiffness)) return true;
  bool is_pair = p->geom[0] < 0;
  int of = is_pair ? 1 - c->side : 1;
  bool is_corner = c->kind == OF_TRIANGLE && !is_pair;
  c->share = is_corner ? 0.5 : is_pair || c->kind == OF_EDGE ? 1.0 / 12 : 1.0 / 6;
  bool done =
      is_corner ? touch_triangle(t, c) : find_triangles(t, c, -1 - p->geom[of], p->barycentric[of]);
  if (!done) return false;
  const cr_contact_column still = {.index = -1};
  double none, area = find_area(t->step, c, &still, v3_zero(), &none);
  cr_contact_side side[2];
  for (int k = 0; k < 2; k++) {
    side[k] = cr_theta_side_of(m, p, k);
    if (p->geom[k] < 0) side[k].stiffness = part_of(t->step, p, k)->stiffness * area;
  }
  for (int k = 0; k < 2; k++) {
    if (p->geom[k] >= 0 || isinf(side[k].stiffness)) continue;
    cr_contact_theta by = cr_theta_series_slope(CR_THETA_CONTACT_STIFFNESS, &side[k], &side[1 - k]);
    c->by_area[0] += by.stiffness * side[k].stiffness / area;
    c->by_area[1] += by.dissipation * side[k].stiffness / area;
  }
  return true;
}

/* Beside a triangle, or at the end of an edge, others take over. */
static void mark_border(cr_step_tangent* t, const cr_soft_contact* c) {
  const cr_barycentric_point* at = c->point->barycentric[c->side];
  double least = at->weight[0];
  if (!c->point->is_active || c->kind == OF_NODE) return;
  for (int i = 1; i < at->count; i++) least = fmin(least, at->weight[i]);
  cr_step_tangent_mark_kink(t, c->kind == OF_EDGE ? fabs(least - 0.5 * CR_SOFT_EDGE_END)
                                                  : fabs(least));
}

carom_status cr_soft_contact_find(cr_step_tangent* t, const cr_contact_point* point,
                                  cr_soft_contact** contact) {
  cr_soft_contact* c = CR_PUSH(t->arena, cr_soft_contact, 1);
  if (!c) return cr_error_memory(t->error);
  memset(c, 0, sizeof *c);
  c->point = point;
  CR_TRY(find_kind(t, c));
  mark_border(t, c);
  if (!find_growth(t, c)) return cr_error_memory(t->error);
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

typedef struct soft_change {
  v3 normal, place;
  double distance, weight[3]; /* of the triangle's corners */
} soft_change;

/* Displacements of a geometry, and of a ball or capsule: a turn, then the way of its centre. */
static void displace(const cr_step* step, const cr_contact_point* p,
                     const cr_contact_column* column, double move[2][6]) {
  const int* node = p->barycentric[1]->node;
  memset(move[1], 0, sizeof move[1]);
  v3 way = node_way(step, column, node[0]);
  if (p->barycentric[1]->count == 2) {
    v3 center, half = find_half(step, p, &center), last = node_way(step, column, node[1]);
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
                       const cr_contact_column* column, soft_change* by) {
  const int* node = p->barycentric[1]->node;
  v3 center, half = find_half(step, p, &center), arm = v3_sub(p->position, center);
  v3 first = node_way(step, column, node[0]), last = node_way(step, column, node[1]);
  v3 way = v3_sub(by->place, v3_scale(0.5, v3_add(first, last)));
  v3 dhalf = v3_scale(0.5, v3_sub(last, first));
  double size = v3_norm2(half), t = v3_dot(arm, half) / size;
  double dt = (v3_dot(way, half) + v3_dot(arm, dhalf) - 2 * t * v3_dot(half, dhalf)) / size;
  by->weight[0] = -0.5 * dt, by->weight[1] = 0.5 * dt;
}

static soft_change move_round(const cr_step* step, const cr_soft_contact* c,
                              const cr_contact_column* column) {
  const cr_point_tangent* point = &c->tangent.points[c->index];
  double move[2][6], radius = part_of(step, c->point, 1)->radius;
  soft_change out = {v3_zero(), v3_zero(), 0, {0, 0, 0}};
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
  v3 node = node_way(step, column, c->point->barycentric[1]->node[0]);
  out.place = v3_axpy(node, -radius, out.normal);
  return out;
}

/* Weights whose sum is zero and which move the point below x by r. */
static void find_weights(const cr_step* step, const int* node, v3 r, double weight[3]) {
  v3 x0 = node_place(step, node[0]);
  v3 a = v3_sub(node_place(step, node[1]), x0), b = v3_sub(node_place(step, node[2]), x0);
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
  if (p->geom[0] < 0) return blend_way(step, column, p->barycentric[1 - c->side]);
  cr_contact_column_move_geom(step, column, p->geom[0], move);
  v3 turn = v3_load(move), arm = v3_sub(p->position, step->sim->geom_pose[p->geom[0]].p);
  v3 way = v3_add(v3_load(move + 3), v3_cross(turn, arm));
  way = v3_axpy(way, -c->radius, v3_sub(dn, v3_cross(turn, n)));
  return v3_add(way,
                cr_contact_column_move_surface(step, column, p->geom[0], p->position, p->normal));
}

static soft_change move_point(const cr_step* step, const cr_soft_contact* c,
                              const cr_contact_column* column) {
  const cr_contact_point* p = c->point;
  const cr_barycentric_point* at = p->barycentric[c->side];
  soft_change out;
  v3 moved, N = find_normal(step, at->node, column, &moved), n = v3_scale(1 / v3_norm(N), N);
  v3 below = v3_zero();
  for (int i = 0; i < 3; i++) below = v3_axpy(below, at->weight[i], node_place(step, at->node[i]));
  double height = v3_dot(n, v3_sub(p->position, below));
  v3 dn = v3_scale(1 / v3_norm(N), v3_axpy(moved, -v3_dot(n, moved), n));
  v3 way = find_way(step, c, column, n, dn);
  v3 apart = v3_sub(way, blend_way(step, column, at));
  out.distance = v3_dot(n, apart);
  out.normal = v3_scale(c->side ? -1 : 1, dn);
  out.place = way;
  find_weights(step, at->node, v3_axpy(v3_axpy(apart, -out.distance, n), -height, dn), out.weight);
  return out;
}

static soft_change move(const cr_step* step, const cr_soft_contact* c,
                        const cr_contact_column* column) {
  return c->kind == OF_TRIANGLE ? move_point(step, c, column) : move_round(step, c, column);
}

/* Coefficients of a row whose axis moves. */
static void move_coefficients(const cr_soft_contact* c, const soft_change* by,
                              const cr_row_shape* row, v3 axis) {
  int at = 0;
  for (int k = 0; k < 2; k++) {
    const cr_barycentric_point* b = c->point->barycentric[k];
    for (int i = 0; b && i < b->count; i++)
      for (int d = 0; d < 3; d++, at++) {
        double moved = b->weight[i] * v3_get(axis, d);
        if (c->kind != OF_NODE && k == c->side) moved += by->weight[i] * v3_get(row->axis, d);
        row->moved[at] = (k ? 1 : -1) * moved;
      }
  }
  for (; at < row->num_dofs; at++) row->moved[at] = 0;
}

double cr_soft_contact_differentiate(const cr_step* step, const cr_soft_contact* c,
                                     const cr_contact_column* column, cr_row_change* change) {
  soft_change by = move(step, c, column);
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

void cr_soft_contact_vary(const cr_step* step, const cr_soft_contact* c,
                          const cr_contact_column* column, double* stiffness, double* dissipation) {
  double change;
  *stiffness = *dissipation = 0;
  if (c->num_area == 0) return;
  soft_change by = move(step, c, column);
  find_area(step, c, column, by.normal, &change);
  *stiffness = c->by_area[0] * change, *dissipation = c->by_area[1] * change;
}
