/* Surfaces from grids of heights and from triangle meshes: the graph of the edges, a tree of boxes,
 * and how thick the solid is behind each triangle. */
#include "base/copy.h"
#include "geom/surface.h"

#include <math.h>
#include <stdlib.h>

/* Places arrays in the block behind the surface; with a null block it counts their bytes. */
static size_t place_arrays(cr_trisurface* s, char* block) {
  size_t used = (sizeof *s + CR_ALIGNMENT - 1) / CR_ALIGNMENT * CR_ALIGNMENT;
  size_t nv = (size_t)s->num_vertices, nt = s->num_columns ? 0 : (size_t)s->num_triangles;
#define PLACE(array, count)                     \
  do {                                          \
    if (block) (array) = (void*)(block + used); \
    used += (size_t)(count) * sizeof *(array);  \
    used = (used + 7) / 8 * 8;                  \
  } while (0)
  PLACE(s->height, (size_t)s->num_columns * (size_t)s->num_rows);
  PLACE(s->vertex, 3 * nv);
  PLACE(s->triangle, 3 * nt);
  PLACE(s->neighbor, 3 * nt);
  PLACE(s->wall, nt);
  PLACE(s->reach, nt);
  PLACE(s->ring_start, nv + 1);
  PLACE(s->ring, 6 * nt);
  PLACE(s->tree.nodes, nt ? cr_box_tree_count_nodes((int)nt) : 0);
#undef PLACE
  return (used + CR_ALIGNMENT - 1) / CR_ALIGNMENT * CR_ALIGNMENT;
}

/* A block for a surface whose counts are set. */
static cr_trisurface* allocate(cr_trisurface counts, const carom_allocator* allocator) {
  counts.block_size = place_arrays(&counts, NULL);
  char* block = cr_alloc_zero(allocator, counts.block_size);
  if (!block) return NULL;
  cr_trisurface* surface = (cr_trisurface*)(void*)block;
  *surface = counts;
  place_arrays(surface, block);
  return surface;
}

void cr_trisurface_destroy(cr_trisurface* surface, const carom_allocator* allocator) {
  if (surface) cr_release(allocator, surface, surface->block_size);
}

/* An array of the surface, while it is made. */
#define FILL(type, array) ((type*)(array))

cr_trisurface* cr_trisurface_create_grid(const double* height, int num_columns, int num_rows,
                                         const double half[2], double base,
                                         const carom_allocator* allocator) {
  cr_trisurface counts = {.num_triangles = 2 * (num_columns - 1) * (num_rows - 1),
                          .num_columns = num_columns,
                          .num_rows = num_rows,
                          .step = {2 * half[0] / (num_columns - 1), 2 * half[1] / (num_rows - 1)}};
  cr_trisurface* s = allocate(counts, allocator);
  if (!s) return NULL;
  size_t count = (size_t)num_columns * (size_t)num_rows;
  double most = -INFINITY;
  CR_COPY(FILL(double, s->height), height, count);
  for (size_t i = 0; i < count; i++) most = fmax(most, height[i]);
  s->low = v3_make(-half[0], -half[1], -base);
  s->high = v3_make(half[0], half[1], most);
  s->radius = v3_norm(v3_make(half[0], half[1], fmax(base, fabs(most))));
  return s;
}

/* --- Meshes -------------------------------------------------------------------------------------
 */

/* A side of a triangle from vertex `from` to `to`, and which one it is. */
typedef struct half_edge {
  int from, to, name;
} half_edge;

static int compare_edges(const void* a, const void* b) {
  const half_edge *p = a, *q = b;
  if (p->from != q->from) return p->from < q->from ? -1 : 1;
  if (p->to != q->to) return p->to < q->to ? -1 : 1;
  return (p->name > q->name) - (p->name < q->name);
}

/* The half edge from `from` to `to`; null where there is none, or more than one. */
static const half_edge* find_edge(const half_edge* edges, int count, int from, int to) {
  int low = 0, high = count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    bool is_before =
        edges[middle].from < from || (edges[middle].from == from && edges[middle].to < to);
    if (is_before)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == count || edges[low].from != from || edges[low].to != to) return NULL;
  bool is_double = low + 1 < count && edges[low + 1].from == from && edges[low + 1].to == to;
  return is_double ? NULL : &edges[low];
}

/* Triangles beyond sides, and the vertices around vertices, from the sorted sides. */
static void link_triangles(cr_trisurface* s, half_edge* edges) {
  int count = 3 * s->num_triangles;
  for (int i = 0; i < count; i++) {
    const int* corner = s->triangle + i / 3 * 3;
    edges[i] = (half_edge){corner[i % 3], corner[(i + 1) % 3], i};
  }
  qsort(edges, (size_t)count, sizeof *edges, compare_edges);
  for (int i = 0; i < count; i++) {
    const half_edge* back = find_edge(edges, count, edges[i].to, edges[i].from);
    const half_edge* own = find_edge(edges, count, edges[i].from, edges[i].to);
    FILL(int, s->neighbor)[edges[i].name] = back && own ? back->name / 3 : -1;
  }
  int* start = FILL(int, s->ring_start);
  for (int i = 0; i < count; i++) start[edges[i].from + 1]++, start[edges[i].to + 1]++;
  for (int v = 0; v < s->num_vertices; v++) start[v + 1] += start[v];
  for (int i = 0; i < count; i++) {
    FILL(int, s->ring)[start[edges[i].from]++] = edges[i].to;
    FILL(int, s->ring)[start[edges[i].to]++] = edges[i].from;
  }
  for (int v = s->num_vertices; v > 0; v--) start[v] = start[v - 1];
  start[0] = 0;
}

static cr_aabb box_of(const cr_trisurface* s, int triangle) {
  cr_facet facet;
  cr_trisurface_get(s, triangle, &facet);
  const v3* c = facet.corner;
  v3 low = v3_make(fmin(c[0].x, fmin(c[1].x, c[2].x)), fmin(c[0].y, fmin(c[1].y, c[2].y)),
                   fmin(c[0].z, fmin(c[1].z, c[2].z)));
  v3 high = v3_make(fmax(c[0].x, fmax(c[1].x, c[2].x)), fmax(c[0].y, fmax(c[1].y, c[2].y)),
                    fmax(c[0].z, fmax(c[1].z, c[2].z)));
  return (cr_aabb){low, high};
}

static bool build_tree(cr_trisurface* s, const carom_allocator* allocator) {
  cr_arena arena;
  cr_arena_init(&arena, allocator);
  cr_box_node* leaves = CR_SCRATCH(&arena, cr_box_node, s->num_triangles);
  if (leaves) {
    for (int t = 0; t < s->num_triangles; t++)
      leaves[t] = (cr_box_node){.box = box_of(s, t), .geom = t};
    cr_box_tree_build(leaves, s->num_triangles, &arena, &s->tree);
  }
  bool done = !arena.failed;
  cr_arena_destroy(&arena);
  return done;
}

/* The way from the middle of a triangle to the other side of the solid behind it. */
static double measure_wall(const cr_trisurface* s, int triangle) {
  cr_facet facet;
  cr_trisurface_get(s, triangle, &facet);
  v3 x = v3_scale(1.0 / 3, v3_add(v3_add(facet.corner[0], facet.corner[1]), facet.corner[2]));
  return cr_trisurface_cast_ray(s, x, v3_neg(facet.normal), 2 * s->radius, triangle);
}

static void measure(cr_trisurface* s) {
  s->low = v3_make(INFINITY, INFINITY, INFINITY);
  s->high = v3_neg(s->low);
  for (int i = 0; i < s->num_vertices; i++) {
    v3 x = v3_load(s->vertex + 3 * (size_t)i);
    s->low = v3_make(fmin(s->low.x, x.x), fmin(s->low.y, x.y), fmin(s->low.z, x.z));
    s->high = v3_make(fmax(s->high.x, x.x), fmax(s->high.y, x.y), fmax(s->high.z, x.z));
    s->radius = fmax(s->radius, v3_norm(x));
  }
}

/* True for a triangle that has a plane. */
static bool has_area(const cr_mesh* mesh, const int* corner) {
  v3 a = cr_mesh_vertex(mesh, corner[0]);
  v3 p = v3_sub(cr_mesh_vertex(mesh, corner[1]), a), q = v3_sub(cr_mesh_vertex(mesh, corner[2]), a);
  return v3_norm(v3_cross(p, q)) > 1e-14 * fmax(v3_norm2(p), v3_norm2(q));
}

/* The welded mesh, moved, without what has no area. */
static cr_trisurface* copy_mesh(const cr_mesh* mesh, v3 center, const carom_allocator* allocator) {
  cr_trisurface counts = {.num_vertices = mesh->num_vertices};
  for (int t = 0; t < mesh->num_triangles; t++)
    counts.num_triangles += has_area(mesh, mesh->triangle + 3 * (size_t)t);
  cr_trisurface* s = allocate(counts, allocator);
  if (!s) return NULL;
  for (int i = 0; i < mesh->num_vertices; i++)
    v3_store(v3_sub(cr_mesh_vertex(mesh, i), center), FILL(double, s->vertex) + 3 * (size_t)i);
  int* next = FILL(int, s->triangle);
  for (int t = 0; t < mesh->num_triangles; t++) {
    const int* corner = mesh->triangle + 3 * (size_t)t;
    if (!has_area(mesh, corner)) continue;
    CR_COPY(next, corner, 3);
    next += 3;
  }
  measure(s);
  return s;
}

cr_trisurface* cr_trisurface_create_skin(const cr_mesh* mesh, v3 center,
                                         const carom_allocator* allocator) {
  cr_trisurface* s = copy_mesh(mesh, center, allocator);
  if (!s) return NULL;
  size_t bytes = 3 * (size_t)s->num_triangles * sizeof(half_edge);
  half_edge* edges = cr_alloc(allocator, bytes);
  bool done = edges != NULL;
  if (done) link_triangles(s, edges);
  cr_release(allocator, edges, bytes);
  done = done && build_tree(s, allocator);
  if (done) return s;
  cr_trisurface_destroy(s, allocator);
  return NULL;
}

cr_trisurface* cr_trisurface_create_mesh(const cr_mesh* mesh, v3 center,
                                         const carom_allocator* allocator) {
  cr_trisurface* s = cr_trisurface_create_skin(mesh, center, allocator);
  if (!s) return NULL;
  s->thinnest = 2 * s->radius;
  for (int t = 0; t < s->num_triangles; t++) {
    FILL(double, s->wall)[t] = measure_wall(s, t);
    s->thinnest = fmin(s->thinnest, s->wall[t]);
  }
  return s;
}
