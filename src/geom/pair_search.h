/* One search for the pairs of boxes that overlap, in time that grows with the number of boxes and
 * of pairs. */
#ifndef CR_GEOM_PAIR_SEARCH_H
#define CR_GEOM_PAIR_SEARCH_H

#include "geom/box_tree.h"
#include "geom/broadphase.h"
#include "geom/radix.h"

typedef struct cr_pair_search {
  const cr_geom_model* model;
  const cr_box_tree* fixed_tree; /* of what is fixed, enlarged by margins alone */
  double fixed_reach;            /* m, by which it is larger */
  cr_arena* arena;               /* lends scratch, also to what is found */

  int num_leaves; /* of what moves and is somewhere */
  cr_box_node* leaves;
  cr_box_tree tree;
  int num_groups;   /* robots whose leaves follow each other; 0: `tree` is over all leaves */
  int* group_start; /* [num_groups + 1] into leaves; `tree` is over the groups */

  int count, capacity;
  cr_radix_item* found; /* keys of pairs, in no order, each with a value */
  int64_t num_tests;
} cr_pair_search;

/* Adds a pair with a value. */
void cr_pair_search_add(cr_pair_search* search, int geom1, int geom2, int value);

/* The same if the filter allows the pair and it is not among the explicit ones. */
void cr_pair_search_add_filtered(cr_pair_search* search, int geom1, int geom2, int value);

/* Adds all pairs of leaves that overlap, and of a leaf and what is fixed, with the value -1, so
 * filtered. False when memory ran out.
 * @param search all but tree and groups is set, with room for what is found */
bool cr_pair_search_run(cr_pair_search* search);

#endif
