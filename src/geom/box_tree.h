/* A tree of axis-aligned boxes over many geometries, for walks without a stack. */
#ifndef CR_GEOM_BOX_TREE_H
#define CR_GEOM_BOX_TREE_H

#include "base/arena.h"
#include "geom/shape.h"

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

/* True when two boxes are no farther apart than `slack` along any axis. Without branches, which
 * nobody could predict. */
static inline bool cr_aabb_meets(const cr_aabb* a, const cr_aabb* b, double slack) {
  return (a->low.x <= b->high.x + slack) & (b->low.x <= a->high.x + slack) &
         (a->low.y <= b->high.y + slack) & (b->low.y <= a->high.y + slack) &
         (a->low.z <= b->high.z + slack) & (b->low.z <= a->high.z + slack);
}

#endif
