/* A tree of axis-aligned boxes over many geometries, for walks without a stack. */
#ifndef CR_GEOM_BOX_TREE_H
#define CR_GEOM_BOX_TREE_H

#include "base/arena.h"
#include "geom/shape.h"
#include "math/scalar.h"

#include <math.h>
#include <stdint.h>

/* A box that holds the leaves below. Nodes stand in preorder: the first child follows its parent.
 */
typedef struct cr_box_node {
  cr_aabb box;
  uint32_t contype, conaffinity; /* bits that any of the leaves has */
  int next;                      /* the node that follows the subtree: where a miss goes on */
  int geom;                      /* of a leaf; -1 */
} cr_box_node;

typedef struct cr_box_tree {
  int num_nodes;
  cr_box_node* nodes;
} cr_box_tree;

/* Number of nodes of a tree over so many leaves. */
static inline int cr_box_tree_count_nodes(int num_leaves) {
  return num_leaves > 0 ? 2 * num_leaves - 1 : 0;
}

/* Fills tree->nodes, which has room for the nodes, from leaves in any order. No box may hold a NaN.
 * The tree depends on the order of leaves that share one centre alone.
 * @param arena lends scratch
 * @return false when memory ran out */
bool cr_box_tree_build(const cr_box_node* leaves, int num_leaves, cr_arena* arena,
                       cr_box_tree* tree);

/* The same in a block of the allocator, which cr_box_tree_destroy gives back (a zeroed tree is
 * allowed). False when memory ran out. */
bool cr_box_tree_create(const cr_box_node* leaves, int num_leaves, const carom_allocator* allocator,
                        cr_arena* arena, cr_box_tree* tree);
void cr_box_tree_destroy(cr_box_tree* tree, const carom_allocator* allocator);

/* Makes the inner boxes hold those of the leaves, which have moved. */
void cr_box_tree_refit(cr_box_tree* tree);

/* True when two boxes are no farther apart than `slack` along any axis. Without branches, which
 * nobody could predict. */
static inline bool cr_aabb_meets(const cr_aabb* a, const cr_aabb* b, double slack) {
  return (a->low.x <= b->high.x + slack) & (b->low.x <= a->high.x + slack) &
         (a->low.y <= b->high.y + slack) & (b->low.y <= a->high.y + slack) &
         (a->low.z <= b->high.z + slack) & (b->low.z <= a->high.z + slack);
}

/* Larger by so much on every side. */
static inline cr_aabb cr_aabb_enlarge(cr_aabb box, double reach) {
  v3 d = v3_make(reach, reach, reach);
  return (cr_aabb){v3_sub(box.low, d), v3_add(box.high, d)};
}

/* A box that holds nothing; and one that is enlarged to hold x. */
static inline cr_aabb cr_aabb_empty(void) {
  return (cr_aabb){v3_make(INFINITY, INFINITY, INFINITY), v3_make(-INFINITY, -INFINITY, -INFINITY)};
}
static inline void cr_aabb_cover(cr_aabb* box, v3 x) {
  box->low = v3_make(scalar_min(box->low.x, x.x), scalar_min(box->low.y, x.y),
                     scalar_min(box->low.z, x.z));
  box->high = v3_make(scalar_max(box->high.x, x.x), scalar_max(box->high.y, x.y),
                      scalar_max(box->high.z, x.z));
}

/* How far x is outside an interval. */
static inline double cr_interval_distance(double x, double low, double high) {
  return x < low ? low - x : x > high ? x - high : 0;
}

/* Squared distance of a point to a box, m²; 0 inside. */
static inline double cr_aabb_distance2(const cr_aabb* box, v3 x) {
  double dx = cr_interval_distance(x.x, box->low.x, box->high.x);
  double dy = cr_interval_distance(x.y, box->low.y, box->high.y);
  double dz = cr_interval_distance(x.z, box->low.z, box->high.z);
  return dx * dx + dy * dy + dz * dz;
}

#endif
