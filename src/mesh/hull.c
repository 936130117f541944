/* From points to a convex polyhedron: qhull's polygons, their planes, and the graph of the edges.
 */
#include "mesh/hull.h"

#include "base/copy.h"
#include "base/error.h"
#include "mesh/qhull.h"

#include <string.h>

/* Faces that differ by less than this part of the extent become one: files hold single precision.
 */
#define MERGE 3e-7

/* m: products of three lengths between them are numbers; qhull does not check its own. */
#define LEAST_EXTENT 1e-90
#define MOST_EXTENT  1e90

/* Places arrays in the block behind the hull; with a null block it counts their bytes. */
static size_t place_arrays(cr_hull* hull, char* block) {
  size_t used = sizeof *hull;
  size_t nv = (size_t)hull->num_vertices, nf = (size_t)hull->num_faces;
  size_t nc = (size_t)hull->num_corners;
  used = (used + CR_ALIGNMENT - 1) / CR_ALIGNMENT * CR_ALIGNMENT;
#define PLACE(array, count)                     \
  do {                                          \
    if (block) (array) = (void*)(block + used); \
    used += (size_t)(count) * sizeof *(array);  \
    used = (used + 7) / 8 * 8;                  \
  } while (0)
  PLACE(hull->vertex, 3 * nv);
  PLACE(hull->plane, 4 * nf);
  PLACE(hull->face_start, nf + 1);
  PLACE(hull->face_vertex, nc);
  PLACE(hull->neighbor_start, nv + 1);
  PLACE(hull->neighbor, nc);
  PLACE(hull->vertex_face, nc);
  PLACE(hull->start, CR_HULL_NUM_STARTS);
#undef PLACE
  return (used + CR_ALIGNMENT - 1) / CR_ALIGNMENT * CR_ALIGNMENT;
}

/* An array of the hull, while it is made. */
#define FILL(type, array) ((type*)(array))

/* The vertices that are corners, in the order of the points; `number` [count] receives their
 * numbers. */
static int number_vertices(const cr_polygons* polygons, int count, int* number) {
  int used = 0;
  memset(number, 0, (size_t)count * sizeof *number);
  for (int i = 0; i < polygons->num_corners; i++) number[polygons->corner[i]] = 1;
  for (int i = 0; i < count; i++) number[i] = number[i] ? used++ : -1;
  return used;
}

/* The plane of a polygon: Newell's normal, and so high that no vertex of it lies above. */
static void fit_plane(cr_hull* hull, int face) {
  v3 sum = v3_zero();
  int first = hull->face_start[face], end = hull->face_start[face + 1];
  v3 base = cr_hull_vertex(hull, hull->face_vertex[first]);
  for (int i = first + 1; i + 1 < end; i++) {
    v3 a = v3_sub(cr_hull_vertex(hull, hull->face_vertex[i]), base);
    v3 b = v3_sub(cr_hull_vertex(hull, hull->face_vertex[i + 1]), base);
    sum = v3_add(sum, v3_cross(a, b));
  }
  v3 normal = v3_normalize_or(sum, v3_make(0, 0, 1));
  double* plane = FILL(double, hull->plane) + 4 * face;
  v3_store(normal, plane);
  plane[3] = -INFINITY;
  for (int i = first; i < end; i++)
    plane[3] = fmax(plane[3], v3_dot(normal, cr_hull_vertex(hull, hull->face_vertex[i])));
}

/* Every corner gives its vertex a neighbour, the next corner, and a face. */
static void link_vertices(cr_hull* hull) {
  int* start = FILL(int, hull->neighbor_start);
  memset(start, 0, ((size_t)hull->num_vertices + 1) * sizeof *start);
  for (int i = 0; i < hull->num_corners; i++) start[hull->face_vertex[i] + 1]++;
  for (int i = 0; i < hull->num_vertices; i++) start[i + 1] += start[i];
  for (int f = 0; f < hull->num_faces; f++) {
    int first = hull->face_start[f], end = hull->face_start[f + 1];
    for (int i = first; i < end; i++) {
      int at = start[hull->face_vertex[i]]++;
      FILL(int, hull->neighbor)[at] = hull->face_vertex[i + 1 < end ? i + 1 : first];
      FILL(int, hull->vertex_face)[at] = f;
    }
  }
  for (int i = hull->num_vertices; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
}

/* Bounds, radius, and planes' heights: all that depends on where the origin is. */
static void measure(cr_hull* hull) {
  hull->low = v3_make(INFINITY, INFINITY, INFINITY);
  hull->high = v3_neg(hull->low);
  hull->radius = 0;
  for (int i = 0; i < hull->num_vertices; i++) {
    v3 x = cr_hull_vertex(hull, i);
    hull->low = v3_make(fmin(hull->low.x, x.x), fmin(hull->low.y, x.y), fmin(hull->low.z, x.z));
    hull->high = v3_make(fmax(hull->high.x, x.x), fmax(hull->high.y, x.y), fmax(hull->high.z, x.z));
    hull->radius = fmax(hull->radius, v3_norm(x));
  }
  for (int f = 0; f < hull->num_faces; f++) fit_plane(hull, f);
}

/* The direction of a point of the unfolded octahedron; see find_start. */
static v3 fold(double u, double v) {
  double z = 1 - fabs(u) - fabs(v);
  double x = z < 0 ? copysign(1 - fabs(v), u) : u, y = z < 0 ? copysign(1 - fabs(u), v) : v;
  return v3_make(x, y, z);
}

/* Of a point of a cell, in parts of its sides. */
static v3 to_direction(int cell, double part_u, double part_v) {
  int row = cell / CR_HULL_CELLS, column = cell % CR_HULL_CELLS;
  double u = 2 * (row + part_u) / CR_HULL_CELLS - 1;
  double v = 2 * (column + part_v) / CR_HULL_CELLS - 1;
  return fold(u, v);
}

/* True when no neighbour exceeds the vertex along the cell's corners, nor then along what lies
 * between them: folds run along sides or from corner to corner. */
static bool is_support_of_cell(const cr_hull* hull, int vertex, int cell) {
  for (int corner = 0; corner < 4; corner++) {
    v3 d = to_direction(cell, corner & 1, corner >> 1);
    double height = v3_dot(d, cr_hull_vertex(hull, vertex));
    for (int i = hull->neighbor_start[vertex]; i < hull->neighbor_start[vertex + 1]; i++)
      if (v3_dot(d, cr_hull_vertex(hull, hull->neighbor[i])) > height) return false;
  }
  return true;
}

/* The least width across a face, and the support vertices of the cells. */
static void fill_tables(cr_hull* hull) {
  for (int i = 0; i < CR_HULL_NUM_STARTS; i++) FILL(int, hull->start)[i] = 0;
  hull->thickness = INFINITY;
  for (int f = 0; f < hull->num_faces; f++) {
    v3 down = v3_neg(cr_hull_normal(hull, f));
    int lowest = cr_hull_find_support(hull, down);
    double width = hull->plane[4 * f + 3] + v3_dot(down, cr_hull_vertex(hull, lowest));
    hull->thickness = fmin(hull->thickness, width);
  }
  if (hull->num_vertices < CR_HULL_FEW) return;
  for (int i = 0, vertex = 0; i < CR_HULL_NUM_STARTS; i++) {
    FILL(int, hull->start)[i] = vertex; /* its neighbour's, where the climb to its own starts */
    vertex = cr_hull_find_support(hull, to_direction(i, 0.5, 0.5));
    FILL(int, hull->start)[i] = is_support_of_cell(hull, vertex, i) ? ~vertex : vertex;
  }
}

/* The polyhedron of qhull's polygons. */
static cr_hull* assemble(const double* points, int count, const cr_polygons* polygons, int* number,
                         const carom_allocator* allocator) {
  cr_hull counts = {.num_vertices = number_vertices(polygons, count, number),
                    .num_faces = polygons->num_faces,
                    .num_corners = polygons->num_corners};
  counts.block_size = place_arrays(&counts, NULL);
  char* block = cr_alloc_zero(allocator, counts.block_size);
  if (!block) return NULL;
  cr_hull* hull = (cr_hull*)(void*)block;
  *hull = counts;
  place_arrays(hull, block);
  for (int i = 0; i < count; i++)
    if (number[i] >= 0) CR_COPY(FILL(double, hull->vertex) + 3 * number[i], points + 3 * i, 3);
  CR_COPY(FILL(int, hull->face_start), polygons->start, ((size_t)hull->num_faces + 1));
  for (int i = 0; i < hull->num_corners; i++)
    FILL(int, hull->face_vertex)[i] = number[polygons->corner[i]];
  link_vertices(hull);
  measure(hull);
  fill_tables(hull);
  return hull;
}

static double find_extent(const double* points, int count) {
  double extent = 0;
  for (int axis = 0; axis < 3; axis++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
      low = fmin(low, points[3 * i + axis]);
      high = fmax(high, points[3 * i + axis]);
    }
    extent = fmax(extent, high - low);
  }
  return extent;
}

carom_status cr_hull_create(const double* points, int count, const carom_allocator* allocator,
                            cr_hull** hull, carom_error* error) {
  cr_polygons polygons = {0};
  cr_qhull_result result = CR_QHULL_FLAT;
  double extent = count > 0 ? find_extent(points, count) : 0;
  *hull = NULL;
  if (extent > 0 && !(extent > LEAST_EXTENT && extent < MOST_EXTENT))
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "the points reach over %g m, must be %g to %g m", extent, LEAST_EXTENT,
                        MOST_EXTENT);
  if (count > 3 && extent > 0)
    result = cr_qhull_run(points, count, MERGE * extent, allocator, &polygons);
  size_t bytes = (size_t)(count > 0 ? count : 0) * sizeof(int);
  int* number = cr_alloc(allocator, bytes);
  if (result == CR_QHULL_OK && number)
    *hull = assemble(points, count, &polygons, number, allocator);
  cr_release(allocator, number, bytes);
  cr_polygons_release(&polygons, allocator);
  if (result == CR_QHULL_FLAT)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "%d points span no volume: give a thin box in place of what is flat",
                        count);
  return *hull ? CAROM_OK : cr_error_memory(error);
}

void cr_hull_destroy(cr_hull* hull, const carom_allocator* allocator) {
  if (hull) cr_release(allocator, hull, hull->block_size);
}

void cr_hull_recenter(cr_hull* hull, v3 center) {
  for (int i = 0; i < hull->num_vertices; i++)
    v3_store(v3_sub(cr_hull_vertex(hull, i), center), FILL(double, hull->vertex) + 3 * i);
  measure(hull);
}

bool cr_hull_triangulate(const cr_hull* hull, cr_mesh* mesh) {
  for (int i = 0; i < hull->num_vertices; i++)
    if (!cr_mesh_add_vertex(mesh, hull->vertex + 3 * i)) return false;
  for (int f = 0; f < hull->num_faces; f++) {
    const int* corner = hull->face_vertex + hull->face_start[f];
    int count = hull->face_start[f + 1] - hull->face_start[f];
    for (int i = 1; i + 1 < count; i++)
      if (!cr_mesh_add_triangle(mesh, corner[0], corner[i], corner[i + 1])) return false;
  }
  return true;
}
