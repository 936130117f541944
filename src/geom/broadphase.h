/* Which pairs of geometries may touch: filters as MJCF defines them, and a broad phase. */
#ifndef CR_GEOM_BROADPHASE_H
#define CR_GEOM_BROADPHASE_H

#include "base/arena.h"
#include "geom/shape.h"

#include "carom/status.h"

#include <stdint.h>

/* The geometries of a model as plain data. */
typedef struct cr_geom_model {
  int num_geoms;
  const cr_shape* shape;
  const pose* local; /* in the link's frame */
  const int* link;   /* 0: fixed in the world */
  const int* body; /* the body it was attached to: excludes are by body, not by link; null: link */
  const uint32_t* contype;
  const uint32_t* conaffinity;
  const double* margin; /* m */

  /* Filter by links: two geometries of one link never collide, nor those of a link and its parent,
   * unless the parent is the ground; nor those of excluded bodies. */
  int num_links;
  const int* link_parent;
  int parents_collide;  /* 0: a link does not collide with its parent */
  const int* link_tree; /* -1: without dofs, and so never against another; null: link 0 alone */
  int num_excludes;
  const uint64_t* exclude; /* sorted keys (smaller body << 32 | larger body) */

  /* Pairs that collide whatever the filter says. */
  int num_pairs;
  const uint64_t* pair;      /* sorted keys (smaller geom << 32 | larger geom) */
  const double* pair_margin; /* m, of each pair */
} cr_geom_model;

/* True when its link has no dofs: the ground, a mocap link. */
bool cr_geom_is_fixed(const cr_geom_model* model, int geom);

/* True when the pair may collide by the filter alone (explicit pairs not considered). */
bool cr_geom_filter_allows(const cr_geom_model* model, int geom1, int geom2);

/* A candidate pair. */
typedef struct cr_geom_pair {
  int geom1, geom2; /* geom1 < geom2 */
  int pair;         /* index of the explicit pair, -1: by the filter */
} cr_geom_pair;

/* Persistent structure of the broad phase, which keeps candidates from call to call. Its answer
 * depends on the poses and reaches of the call alone, not on earlier ones. */
typedef struct cr_broadphase cr_broadphase;

carom_status cr_broadphase_create(const cr_geom_model* model, const carom_allocator* allocator,
                                  cr_broadphase** broadphase, carom_error* error);
void cr_broadphase_destroy(cr_broadphase* broadphase);

/* All allowed pairs whose bounds, enlarged by the pair's margin (by the filter: the sum of both, an
 * explicit pair's own) and reach, overlap. Two planes are never a pair, nor two without dofs, nor
 * is what has no finite pose in any.
 * @param poses [num_geoms] in the world; those of link 0 lie at `local`, whatever stands here
 * @param reach [num_geoms] m, how much each geometry's bounds are enlarged on every side beyond its
 *              margin (what it may travel within the step), the same for all of link 0; null: zero
 * @param arena receives the pairs, sorted by (geom1, geom2)
 * @return CAROM_OK, or CAROM_ERROR_OUT_OF_MEMORY */
carom_status cr_broadphase_find_pairs(cr_broadphase* broadphase, const pose* poses,
                                      const double* reach, cr_arena* arena, cr_geom_pair** pairs,
                                      int* num_pairs);

/* Comparisons of bounds in the last call, in a search and of candidates: its work, as a number that
 * does not depend on clocks. */
int64_t cr_broadphase_get_num_tests(const cr_broadphase* broadphase);

#endif
