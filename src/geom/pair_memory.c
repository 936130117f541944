/* Corners kept from look to look; see pair_memory.h. */
#include "geom/pair_memory.h"

#include "geom/gjk.h"
#include "geom/polytope.h"

#include <string.h>

/* Places for each polyhedron, and for all. */
#define PLACES      16
#define MOST_PLACES 8192

static bool is_of(const cr_pair_memory* memory, const cr_difference* difference) {
  return memory->num_points > 0 && memory->a == difference->a && memory->b == difference->b;
}

static void start(cr_pair_memory* memory, const cr_difference* difference) {
  memory->a = difference->a;
  memory->b = difference->b;
  memory->num_points = memory->num_facets = 0;
}

static int keep_point(cr_pair_memory* memory, const cr_difference_point* point) {
  memory->point[memory->num_points][0] = point->a;
  memory->point[memory->num_points][1] = point->b;
  return memory->num_points++;
}

static cr_difference_point place_point(const cr_pair_memory* memory,
                                       const cr_difference* difference, int i) {
  int a = memory->point[i][0], b = memory->point[i][1];
  return (cr_difference_point){cr_difference_compute_point(difference, a, b), a, b};
}

void cr_pair_memory_keep_simplex(cr_pair_memory* memory, const cr_difference* difference,
                                 const cr_simplex* simplex) {
  start(memory, difference);
  for (int i = 0; i < simplex->count; i++) keep_point(memory, &simplex->point[i]);
}

bool cr_pair_memory_place_simplex(const cr_pair_memory* memory, const cr_difference* difference,
                                  cr_simplex* simplex) {
  if (!is_of(memory, difference) || memory->num_facets > 0) return false;
  simplex->count = memory->num_points;
  for (int i = 0; i < simplex->count; i++) simplex->point[i] = place_point(memory, difference, i);
  return true;
}

/* Only the vertices that facets still have are kept, under new numbers. */
void cr_pair_memory_keep_polytope(cr_pair_memory* memory, const cr_difference* difference,
                                  const cr_polytope* polytope) {
  int8_t number[CR_POLYTOPE_VERTICES];
  start(memory, difference);
  if (polytope->num_facets > CR_PAIR_MEMORY_FACETS) return;
  for (int v = 0; v < polytope->num_vertices; v++) number[v] = -1;
  for (int f = 0; f < polytope->num_facets; f++) {
    const cr_facet_triangle* facet = &polytope->facet[f];
    for (int i = 0; i < 3; i++) {
      int v = facet->vertex[i];
      if (number[v] < 0 && memory->num_points == CR_PAIR_MEMORY_POINTS) {
        cr_pair_memory_forget(memory);
        return;
      }
      if (number[v] < 0) number[v] = (int8_t)keep_point(memory, &polytope->vertex[v]);
      memory->vertex[f][i] = (uint8_t)number[v];
      memory->neighbor[f][i] = (uint8_t)facet->neighbor[i];
    }
  }
  memory->num_facets = polytope->num_facets;
}

bool cr_pair_memory_place_polytope(const cr_pair_memory* memory, const cr_difference* difference,
                                   cr_polytope* polytope) {
  if (!is_of(memory, difference) || memory->num_facets == 0) return false;
  polytope->seen_above = difference->tolerance;
  polytope->num_vertices = memory->num_points;
  polytope->num_facets = memory->num_facets;
  for (int i = 0; i < memory->num_points; i++)
    polytope->vertex[i] = place_point(memory, difference, i);
  for (int f = 0; f < memory->num_facets; f++) {
    const uint8_t* v = memory->vertex[f];
    cr_polytope_set_facet(polytope, f, v[0], v[1], v[2]);
    if (isinf(polytope->distance[f])) return false;
    for (int e = 0; e < 3; e++) polytope->facet[f].neighbor[e] = memory->neighbor[f][e];
  }
  return true;
}

bool cr_pair_memories_init(cr_pair_memories* memories, int num_polyhedra, cr_arena* arena) {
  *memories = (cr_pair_memories){0};
  if (num_polyhedra < 1) return true;
  uint32_t count = PLACES;
  while (count < MOST_PLACES && count / PLACES < (uint32_t)num_polyhedra) count *= 2;
  memories->items = CR_PUSH(arena, cr_pair_memory, count);
  if (arena->failed) return false;
  memset(memories->items, 0, count * sizeof *memories->items);
  memories->mask = count - 1;
  return true;
}

static bool is_for(const cr_pair_memory* memory, const cr_shape* a, const cr_shape* b) {
  return memory->num_points > 0 &&
         ((memory->a == a && memory->b == b) || (memory->a == b && memory->b == a));
}

/* A pair has two places, of which it takes the one that it had, a free one, or the second. */
cr_pair_memory* cr_pair_memories_find(const cr_pair_memories* memories, const cr_shape* shape,
                                      int geom1, int geom2) {
  const cr_shape *a = &shape[geom1], *b = &shape[geom2];
  bool is_mesh = a->type == CAROM_GEOM_MESH || b->type == CAROM_GEOM_MESH;
  if (!is_mesh || !memories->items) return NULL;
  uint32_t hash = (uint32_t)geom1 * 0x9e3779b1u + (uint32_t)geom2 * 0x85ebca77u;
  uint32_t place = (hash ^ hash >> 15) & memories->mask;
  cr_pair_memory *first = &memories->items[place], *second = &memories->items[place ^ 1];
  if (is_for(first, a, b) || is_for(second, a, b)) return is_for(first, a, b) ? first : second;
  return first->num_points == 0 ? first : second;
}
