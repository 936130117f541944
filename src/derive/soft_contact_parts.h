/* What is known of a contact of a soft body while a step is differentiated (soft_contact.c), and
 * how its nodes move. */
#ifndef CR_DERIVE_SOFT_CONTACT_PARTS_H
#define CR_DERIVE_SOFT_CONTACT_PARTS_H

#include "derive/soft_contact.h"
#include "geom/manifold_tangent.h"
#include "sim/soft/soft_surface.h"

/* What a body touches with: a node or an edge a geometry; a triangle, a point of a geometry or a
 * node; its inside a node; an edge another. */
typedef enum soft_part_kind {
  OF_NODE,
  OF_EDGE,
  OF_TRIANGLE,
  OF_INSIDE,
  OF_CROSSING
} soft_part_kind;

/* How a contact moves: weights of points that are between nodes, too. */
typedef struct cr_soft_change {
  v3 normal, place;
  double distance, weight[2][4];
} cr_soft_change;

struct cr_soft_contact {
  const cr_contact_point* point;
  soft_part_kind kind;
  cr_manifold manifold;
  cr_manifold_tangent tangent; /* of a ball or capsule, */
  int index;                   /* whose point this is */
  int side;                    /* of the triangle, the inside, or the edge that the place is on */
  int rows;                    /* of its law */
  const cr_row_shape* shape;   /* [rows] */
  m3 bend;                     /* m: of the surface of a geometry, by how its normal turns */
  int out[3];                  /* nodes of the triangle that a point inside leaves by, */
  double out_weight[3];        /* and of the point there */
  int edge[2][2];              /* nodes of both edges, that of the place first */
  int num_area, *area;         /* triangles, [3 each] nodes, of the area it stands for; 0: rigid */
  double share;                /* of that area */
  double by_area[2];           /* by which stiffness and dissipation grow with it */
  cr_soft_change change;       /* in the column that was looked at last */
};

static inline const cr_soft_part* cr_soft_contact_part(const cr_step* step,
                                                       const cr_contact_point* p, int k) {
  return &step->model->soft.part[-1 - p->geom[k]];
}

static inline v3 cr_soft_node_place(const cr_step* step, int node) {
  return v3_load(step->q_mid + step->model->tree.num_q + 3 * (size_t)node);
}

static inline v3 cr_soft_node_way(const cr_step* step, const cr_contact_column* column, int node) {
  if (!column->dq) return v3_zero();
  return v3_load(column->dq + step->model->tree.num_v + 3 * (size_t)node);
}

/* The mean of nodes' places, of weights [count]; and of their ways. */
static inline v3 cr_soft_blend_place(const cr_step* step, const int* node, const double* weight,
                                     int count) {
  v3 sum = v3_zero();
  for (int i = 0; i < count; i++) sum = v3_axpy(sum, weight[i], cr_soft_node_place(step, node[i]));
  return sum;
}

static inline v3 cr_soft_blend_way(const cr_step* step, const cr_contact_column* column,
                                   const int* node, const double* weight, int count) {
  v3 sum = v3_zero();
  for (int i = 0; i < count; i++)
    sum = v3_axpy(sum, weight[i], cr_soft_node_way(step, column, node[i]));
  return sum;
}

static inline v3 cr_soft_point_way(const cr_step* step, const cr_contact_column* column,
                                   const cr_barycentric_point* at) {
  return cr_soft_blend_way(step, column, at->node, at->weight, at->count);
}

/* Whether a node is a corner of a triangle. */
static inline bool cr_soft_is_at(const int* corner, int node) {
  return corner[0] == node || corner[1] == node || corner[2] == node;
}

/* Twice the vector area of a triangle, and its change. */
v3 cr_soft_triangle_normal(const cr_step* step, const int* node, const cr_contact_column* column,
                           v3* change);

/* What presses where nodes and edges of soft bodies do: a point inside, or two edges (soft_pair.c).
 */
carom_status cr_soft_pair_find(cr_step_tangent* t, cr_soft_contact* contact);
cr_soft_change cr_soft_pair_move(const cr_step* step, const cr_soft_contact* contact,
                                 const cr_contact_column* column);

/* The area that a contact stands for, and how stiffness and dissipation grow with it (soft_area.c);
 * false when memory ran out. */
bool cr_soft_area_find(const cr_step_tangent* t, cr_soft_contact* contact);

/* m²; and its change as the contact's normal moves by dn. */
double cr_soft_area_differentiate(const cr_step* step, const cr_soft_contact* contact,
                                  const cr_contact_column* column, v3 dn, double* change);

#endif
