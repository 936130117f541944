/* What the search for a pair's contact normal keeps from one look to the next: the corners among
 * which it ended. They only say where to begin: whether they hold anything is proven anew, and what
 * is found is the same to the bit as without them. */
#ifndef CR_GEOM_PAIR_MEMORY_H
#define CR_GEOM_PAIR_MEMORY_H

#include "base/arena.h"
#include "geom/collide.h"

struct cr_difference;
struct cr_simplex;
struct cr_polytope;

/* Polytopes of more corners are not kept. */
#define CR_PAIR_MEMORY_POINTS 24
#define CR_PAIR_MEMORY_FACETS (2 * CR_PAIR_MEMORY_POINTS - 4)

/* All zero: nothing is known. */
struct cr_pair_memory {
  const cr_shape *a, *b;                   /* whose corners they are */
  int num_points;                          /* 0: none */
  int num_facets;                          /* of a polytope; 0: the points are a simplex */
  int32_t point[CR_PAIR_MEMORY_POINTS][2]; /* corners of A and B */
  uint8_t vertex[CR_PAIR_MEMORY_FACETS][3], neighbor[CR_PAIR_MEMORY_FACETS][3];
};

static inline void cr_pair_memory_forget(cr_pair_memory* memory) { memory->num_points = 0; }

/* Memories of a model's pairs, each in a place that few others share: who finds it taken begins
 * anew. */
typedef struct cr_pair_memories {
  cr_pair_memory* items;
  uint32_t mask; /* their number, a power of two, less one */
} cr_pair_memories;

/* Room for the pairs of so many polyhedra, in an arena; false when memory ran out. */
bool cr_pair_memories_init(cr_pair_memories* memories, int num_polyhedra, cr_arena* arena);

/* The memory of a pair; null where both are of other types, or there is no room for any. */
cr_pair_memory* cr_pair_memories_find(const cr_pair_memories* memories, const cr_shape* shape,
                                      int geom1, int geom2);

/* Keep what is known of a difference of shapes that have corners; forgets what is too large. */
void cr_pair_memory_keep_simplex(cr_pair_memory* memory, const struct cr_difference* difference,
                                 const struct cr_simplex* simplex);
void cr_pair_memory_keep_polytope(cr_pair_memory* memory, const struct cr_difference* difference,
                                  const struct cr_polytope* polytope);

/* Place what is kept where the shapes are now; false where it is of other shapes or kind, or has
 * become flat. */
bool cr_pair_memory_place_simplex(const cr_pair_memory* memory,
                                  const struct cr_difference* difference,
                                  struct cr_simplex* simplex);
bool cr_pair_memory_place_polytope(const cr_pair_memory* memory,
                                   const struct cr_difference* difference,
                                   struct cr_polytope* polytope);

#endif
