/* Soft bodies as the search for contacts sees them: where their surfaces and elements stand, and
 * what they bring to a contact. */
#ifndef CR_SIM_SOFT_SURFACE_H
#define CR_SIM_SOFT_SURFACE_H

#include "model/contact_rule.h"
#include "sim/contact/scan.h"

#define CR_SOFT_LEAST_FACING 0.05 /* of a node's area, however it is turned */
#define CR_SOFT_DEEPEST      0.5  /* of a triangle's size: what lies deeper is on the other side */
#define CR_SOFT_EDGE_END     0.04 /* of an edge: nearer to a node its contacts are the node's */

/* Feature bits: the other one of two soft bodies has the node, or a geometry the point; two edges.
 */
#define CR_SOFT_OTHER_SIDE (UINT32_C(1) << 30)
#define CR_SOFT_EDGES      (UINT32_C(1) << 29)

/* A soft body in a scan. */
typedef struct cr_scan_surface {
  const cr_soft_part* part;
  int index;
  const double (*x)[3]; /* [num_nodes] at q_mid */
  cr_aabb bounds;       /* of the surface, with its reach */
  double reach;         /* m, that a node may travel in the step, with radius and margin */
  double own_reach;     /* m, how far two of its points may come nearer to each other, likewise */
  double (*area)[3];    /* [num_nodes] m², outward vector area of nodes */
  cr_box_tree facets;   /* of the triangles as they stand */
  cr_box_tree solids;   /* of the tetrahedra; empty until it is placed */
} cr_scan_surface;

/* Sets up a soft body; false when memory ran out. */
bool cr_scan_surface_init(const cr_scan* s, int index, cr_scan_surface* surface);

/* Fills the tree of tetrahedra where it is empty; false when memory ran out. */
bool cr_scan_surface_place_solids(const cr_scan* s, cr_scan_surface* surface);

/* What of a node's area presses along the normal, which points into the body, m². */
double cr_scan_surface_facing_area(const cr_scan_surface* surface, int node, v3 normal);

/* A triangle of a surface as it stands. */
typedef struct cr_scan_facet {
  int index;
  v3 corner[3], normal; /* outward, unit */
  double area;
} cr_scan_facet;

cr_scan_facet cr_scan_surface_get_facet(const cr_scan_surface* surface, int index);

/* Barycentric coordinates of the projection on the triangle's plane; true where it is inside. */
bool cr_scan_surface_project(const cr_scan_facet* facet, v3 x, double weight[3]);

/* The first tetrahedron around x, of a surface whose solids are placed, that has no node of the
 * edge `own` (null: no matter) and shares no element with one; false where there is none.
 * @param own [2]; @param weight barycentric coordinates of x */
bool cr_scan_surface_find_tet(const cr_scan_surface* surface, v3 x, const int* own, int node[4],
                              double weight[4]);

/* The triangle of the surface at rest that is nearest to X there.
 * @param weight receives those of the nearest point; @param depth its distance, m */
int cr_soft_find_nearest_at_rest(const cr_soft_part* part, v3 X, double weight[3], double* depth);

/* The name of two edges that cross, each three times its triangle and the side of that; and the
 * second edge's by it. */
static inline uint32_t cr_soft_name_crossing(uint32_t first, uint32_t second) {
  return CR_SOFT_EDGES | (first * UINT32_C(0x9e3779b1) + second) % CR_SOFT_EDGES;
}

static inline uint32_t cr_soft_find_crossing(uint32_t name, uint32_t first) {
  return (name - first * UINT32_C(0x9e3779b1)) % CR_SOFT_EDGES;
}

/* What a part of the surface brings to a pair.
 * @param area m² */
cr_contact_side cr_scan_surface_own_side(const cr_scan_surface* surface, double area);

/* Points of a surface: a node; by weights between nodes. Null when memory ran out.
 * @param node [count] of the body */
const cr_barycentric_point* cr_scan_surface_barycentric(const cr_scan* s,
                                                        const cr_scan_surface* surface,
                                                        const int* node, const double* weight,
                                                        int count);

/* The contact point of geometry (or surface) A and surface B, its identity alone. Keys count soft
 * bodies behind the geometries. */
cr_contact_point cr_scan_surface_contact_point(const cr_scan* s, int geom, const cr_scan_surface* a,
                                               const cr_scan_surface* b, uint32_t feature);

/* Adds a contact point whose barycentric points, normal and distance are set, with the values that
 * two sides make of it (contact_rule.h); false when memory ran out. */
bool cr_scan_surface_add(cr_scan* s, const cr_contact_side* a, const cr_contact_side* b,
                         cr_contact_point* point);

/* Adds all points of soft bodies, soft_contacts.c. False when memory ran out. */
bool cr_scan_soft(cr_scan* scan);

/* Points between two soft bodies, and of one with itself: soft_pairs.c. False when memory ran out.
 */
bool cr_scan_soft_pair(cr_scan* s, cr_scan_surface* a, cr_scan_surface* b);
bool cr_scan_soft_self(cr_scan* s, cr_scan_surface* surface);

/* Points of edges: against a geometry, and of two soft bodies or one: soft_edges.c. False when
 * memory ran out.
 * @param bounds of the geometry, with its reach (m) */
bool cr_scan_soft_edges(cr_scan* s, const cr_scan_surface* surface, int geom, const cr_aabb* bounds,
                        double reach);
bool cr_scan_soft_crossings(cr_scan* s, const cr_scan_surface* a, const cr_scan_surface* b,
                            double reach);

#endif
