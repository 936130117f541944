/* Contacts of soft bodies with each other and with themselves (sim/soft/soft_pairs.c,
 * soft_edges.c).
 *
 * A node x inside has the weights w of a tetrahedron, x = sum w_i c_i, and the distance n . (x - y)
 * of the point y of the triangle that it leaves by; as y moves within that it stays in its plane.
 * Two edges a + s e and b + u f meet where w = x - y has w . e = w . f = 0, with the normal e x f:
 *
 *   ds e.e - du f.e = -(da + s de - db - u df) . e - w . de,      likewise with f. */
#include "base/error.h"
#include "derive/soft_contact_parts.h"

#include <math.h>

static const double (*rest_of(const cr_soft_part* part))[3] {
  return (const double(*)[3])part->mesh.node;
}

/* --- What it is ---------------------------------------------------------------------------------
 */

/* The triangle that a point inside leaves by. */
static void find_out(const cr_step* step, cr_soft_contact* c) {
  const cr_soft_part* part = cr_soft_contact_part(step, c->point, c->side);
  const cr_barycentric_point* at = c->point->barycentric[c->side];
  v3 X = v3_zero();
  double depth;
  for (int i = 0; i < 4; i++)
    X = v3_axpy(X, at->weight[i], v3_load(rest_of(part)[at->node[i] - part->first_node]));
  int facet = cr_soft_find_nearest_at_rest(part, X, c->out_weight, &depth);
  for (int i = 0; i < 3; i++)
    c->out[i] = part->surface.triangle[3 * (size_t)facet + (size_t)i] + part->first_node;
}

/* The name of an edge; it is listed by the triangle in which it runs upwards. */
static int find_name(const cr_soft_part* part, const int* node) {
  const int* corner = part->surface.triangle;
  int count = 3 * part->surface.num_triangles, from = node[0] - part->first_node,
      to = node[1] - part->first_node;
  for (int i = 0; i < count; i++)
    if (corner[i] == from && corner[i % 3 == 2 ? i - 2 : i + 1] == to) return i;
  return -1;
}

/* Both edges: the second, where its place is within the body, by the contact's name. */
static bool find_edges(const cr_step* step, cr_soft_contact* c) {
  const cr_contact_point* p = c->point;
  const cr_barycentric_point *at = p->barycentric[c->side], *other = p->barycentric[1 - c->side];
  const cr_soft_part* part = cr_soft_contact_part(step, p, 1 - c->side);
  for (int i = 0; i < 2; i++) c->edge[0][i] = at->node[i], c->edge[1][i] = other->node[i];
  if (other->count == 2) return true;
  int name = find_name(cr_soft_contact_part(step, p, c->side), at->node);
  int found = (int)cr_soft_find_crossing((uint32_t)p->key.feature, (uint32_t)name);
  if (name < 0 || found >= 3 * part->surface.num_triangles) return false;
  c->edge[1][0] = part->surface.triangle[found] + part->first_node;
  c->edge[1][1] = part->surface.triangle[found % 3 == 2 ? found - 2 : found + 1] + part->first_node;
  return true;
}

carom_status cr_soft_pair_find(cr_step_tangent* t, cr_soft_contact* c) {
  const cr_contact_point* p = c->point;
  if ((uint32_t)p->key.feature & CR_SOFT_EDGES) {
    c->kind = OF_CROSSING;
    c->side = p->geom[0] != p->geom[1] ? 0 : 1; /* soft_edges.c has the lower body's edge first */
    if (find_edges(t->step, c)) return CAROM_OK;
    return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                        "derivatives: two edges of soft bodies are not found again where the step "
                        "looked at them");
  }
  c->side = p->barycentric[0]->count > 1 ? 0 : 1;
  c->kind = p->barycentric[c->side]->count == 4 ? OF_INSIDE : OF_TRIANGLE;
  if (c->kind == OF_INSIDE) find_out(t->step, c);
  return CAROM_OK;
}

/* --- A column -----------------------------------------------------------------------------------
 */

/* How the weights in a tetrahedron change of a point that moves by `way`. */
static void move_weights(const cr_step* step, const cr_contact_column* column,
                         const cr_barycentric_point* at, v3 way, double weight[4]) {
  v3 x0 = cr_soft_node_place(step, at->node[0]), side[3];
  for (int i = 0; i < 3; i++) side[i] = v3_sub(cr_soft_node_place(step, at->node[i + 1]), x0);
  m3 F = m3_from_columns(side[0], side[1], side[2]);
  v3 by = m3_solve(&F, v3_sub(way, cr_soft_point_way(step, column, at)));
  weight[0] = -by.x - by.y - by.z;
  for (int i = 0; i < 3; i++) weight[i + 1] = v3_get(by, i);
}

static cr_soft_change move_inside(const cr_step* step, const cr_soft_contact* c,
                                  const cr_contact_column* column) {
  const cr_contact_point* p = c->point;
  cr_soft_change out = {.place = cr_soft_point_way(step, column, p->barycentric[1 - c->side])};
  v3 moved, N = cr_soft_triangle_normal(step, c->out, column, &moved), n = v3_normalize_or(N, N);
  v3 dn = v3_normalize_change(N, moved);
  v3 apart = v3_sub(p->position, cr_soft_blend_place(step, c->out, c->out_weight, 3));
  v3 way = v3_sub(out.place, cr_soft_blend_way(step, column, c->out, c->out_weight, 3));
  if (v3_dot(n, apart) < 0) out.distance = v3_dot(n, way) + v3_dot(dn, apart);
  out.normal = v3_scale(c->side ? -1 : 1, dn);
  move_weights(step, column, p->barycentric[c->side], out.place, out.weight[c->side]);
  return out;
}

/* An edge and the place on it: its ends' difference, and how these move with the place held. */
typedef struct line {
  v3 along, dalong, way;
} line;

static line find_line(const cr_step* step, const cr_contact_column* column, const int* node,
                      double at) {
  v3 first = cr_soft_node_way(step, column, node[0]);
  v3 change = v3_sub(cr_soft_node_way(step, column, node[1]), first);
  v3 along = v3_sub(cr_soft_node_place(step, node[1]), cr_soft_node_place(step, node[0]));
  return (line){along, change, v3_axpy(first, at, change)};
}

static cr_soft_change move_crossing(const cr_step* step, const cr_soft_contact* c,
                                    const cr_contact_column* column) {
  const cr_contact_point* p = c->point;
  const cr_barycentric_point* other = p->barycentric[1 - c->side];
  cr_soft_change out = {.normal = v3_zero()};
  line e = find_line(step, column, c->edge[0], p->barycentric[c->side]->weight[1]);
  v3 begin = cr_soft_node_place(step, c->edge[1][0]), x = p->position;
  v3 f_along = v3_sub(cr_soft_node_place(step, c->edge[1][1]), begin);
  double u = v3_dot(v3_sub(x, begin), f_along) / v3_norm2(f_along);
  line f = find_line(step, column, c->edge[1], u);
  v3 w = v3_sub(x, v3_axpy(begin, u, f.along)), apart = v3_sub(e.way, f.way);
  double ee = v3_norm2(e.along), ef = v3_dot(e.along, f.along), ff = v3_norm2(f.along);
  double r = -v3_dot(apart, e.along) - v3_dot(w, e.dalong), det = ee * ff - ef * ef;
  double q = -v3_dot(apart, f.along) - v3_dot(w, f.dalong);
  double ds = (ff * r - ef * q) / det, du = (ef * r - ee * q) / det;
  v3 N = v3_cross(e.along, f.along);
  v3 moved = v3_add(v3_cross(e.dalong, f.along), v3_cross(e.along, f.dalong));
  double sign = copysign(1, v3_dot(N, p->normal));
  out.normal = v3_scale(sign, v3_normalize_change(N, moved));
  out.distance = (c->side ? 1 : -1) * v3_dot(p->normal, apart);
  out.place = v3_axpy(e.way, ds, e.along);
  out.weight[c->side][0] = -ds, out.weight[c->side][1] = ds;
  double* weight = out.weight[1 - c->side];
  weight[0] = -du, weight[1] = du;
  if (other->count == 4) move_weights(step, column, other, out.place, weight);
  return out;
}

cr_soft_change cr_soft_pair_move(const cr_step* step, const cr_soft_contact* c,
                                 const cr_contact_column* column) {
  return c->kind == OF_INSIDE ? move_inside(step, c, column) : move_crossing(step, c, column);
}
