/* Gmsh's triangles as a surface; see surface.h. */
#include "import/tets/surface.h"

#include "import/tets/tag.h"

#include <stdlib.h>
#include <string.h>

#define REFUSE(r, ...) cr_error_set((r)->error, CAROM_ERROR_BAD_INPUT, __VA_ARGS__)

/* A triangle by its corners' places. */
typedef struct facet {
  int corner[3], index;
} facet;

static int compare_corners(const facet* x, const facet* y) {
  return memcmp(x->corner, y->corner, sizeof x->corner);
}

/* Twins stand side by side, the first of the file in front. */
static int compare_facets(const void* a, const void* b) {
  const facet *x = a, *y = b;
  int order = compare_corners(x, y);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int compare_places(const void* a, const void* b) {
  const facet *x = a, *y = b;
  return (x->index > y->index) - (x->index < y->index);
}

/* Keeps one of each, in the order of the file. */
static int merge_twins(facet* all, int count) {
  int kept = 0;
  qsort(all, (size_t)count, sizeof *all, compare_facets);
  for (int f = 0; f < count; f++)
    if (kept == 0 || compare_corners(&all[f], &all[kept - 1]) != 0) all[kept++] = all[f];
  qsort(all, (size_t)kept, sizeof *all, compare_places);
  return kept;
}

static carom_status look_up(cr_tets_reader* r, const cr_tets_found* found, facet* all) {
  cr_tets_tag* sorted = NULL;
  CR_TRY(cr_tets_sort_tags(r, found, &sorted));
  for (int f = 0; f < found->triangles->count; f++) {
    const cr_tets_triangle* t = CR_AT(found->triangles, cr_tets_triangle, f);
    all[f].index = f;
    for (int k = 0; k < 3; k++) {
      all[f].corner[k] = cr_tets_find_place(sorted, found->num_nodes, t->node[k]);
      if (all[f].corner[k] < 0)
        return REFUSE(r, "%.180s: element %lld names node %lld, which is not there", r->name,
                      (long long)t->tag, (long long)t->node[k]);
    }
  }
  return CAROM_OK;
}

/* Nodes without a triangle are left out, the others keep their order. */
static carom_status add_all(cr_tets_reader* r, const cr_tets_found* found, const facet* all,
                            int count, cr_mesh* mesh) {
  int* number = CR_PUSH(r->arena, int, found->num_nodes);
  if (!number) return cr_error_memory(r->error);
  for (int n = 0; n < found->num_nodes; n++) number[n] = -1;
  for (int f = 0; f < count; f++)
    for (int k = 0; k < 3; k++) number[all[f].corner[k]] = 0;
  for (int n = 0; n < found->num_nodes; n++) {
    if (number[n] < 0) continue;
    number[n] = mesh->num_vertices;
    if (!cr_mesh_add_vertex(mesh, found->node[n])) return cr_error_memory(r->error);
  }
  for (int f = 0; f < count; f++) {
    const int* c = all[f].corner;
    if (!cr_mesh_add_triangle(mesh, number[c[0]], number[c[1]], number[c[2]]))
      return cr_error_memory(r->error);
  }
  return CAROM_OK;
}

static carom_status finish(cr_tets_reader* r, const cr_tets_found* found, cr_mesh* mesh) {
  int count = found->triangles->count;
  if (count == 0)
    return REFUSE(r, "%.180s: there are no triangles: a surface is made of them", r->name);
  if (count > CR_MESH_MAX_TRIANGLES)
    return REFUSE(r, "%.180s: it has %d triangles, at most %d are accepted", r->name, count,
                  CR_MESH_MAX_TRIANGLES);
  facet* all = CR_PUSH(r->arena, facet, count);
  if (!all) return cr_error_memory(r->error);
  CR_TRY(look_up(r, found, all));
  return add_all(r, found, all, merge_twins(all, count), mesh);
}

carom_status cr_gmsh_read_surface(const char* name, const void* data, size_t size, cr_mesh* mesh,
                                  carom_error* error) {
  cr_arena arena;
  cr_list triangles = CR_LIST_INIT(cr_tets_triangle);
  cr_tets_found found = {.regions = CR_LIST_INIT(const char*),
                         .marks = CR_LIST_INIT(cr_tets_mark),
                         .triangles = &triangles};
  cr_arena_init(&arena, &mesh->allocator);
  cr_tets_reader r = {.name = name, .arena = &arena, .error = error};
  carom_status status = cr_tets_open(&r, data, size);
  if (status == CAROM_OK) status = cr_gmsh_read(&r, &found);
  if (status == CAROM_OK) status = finish(&r, &found, mesh);
  cr_list_release(&found.regions, &arena.allocator);
  cr_list_release(&found.marks, &arena.allocator);
  cr_list_release(&triangles, &arena.allocator);
  cr_arena_destroy(&arena);
  return status;
}
