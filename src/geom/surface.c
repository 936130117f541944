/* Triangles of grids and meshes, what is around them, and which of them meet a box. */
#include "geom/surface.h"

#include "base/assert.h"

#include <math.h>

/* Cells of a grid in a row. */
static int cells_of(const cr_trisurface* s) { return s->num_columns - 1; }

static v3 grid_vertex(const cr_trisurface* s, int column, int row) {
  return v3_make(column * s->step[0] - s->high.x, row * s->step[1] - s->high.y,
                 s->height[(size_t)row * (size_t)s->num_columns + (size_t)column]);
}

static v3 vertex_at(const cr_trisurface* s, int vertex) {
  if (s->num_columns == 0) return v3_load(s->vertex + 3 * (size_t)vertex);
  return grid_vertex(s, vertex % s->num_columns, vertex / s->num_columns);
}

/* Corners of a triangle of a grid: above the diagonal (0,0) (1,1) (0,1), below it (0,0) (1,0)
 * (1,1).
 */
static void find_vertices(const cr_trisurface* s, int triangle, int vertex[3]) {
  if (s->num_columns == 0) {
    for (int i = 0; i < 3; i++) vertex[i] = s->triangle[3 * (size_t)triangle + (size_t)i];
    return;
  }
  int cell = triangle / 2, column = cell % cells_of(s), row = cell / cells_of(s);
  int low = row * s->num_columns + column, high = low + s->num_columns;
  vertex[0] = low;
  vertex[1] = triangle % 2 ? low + 1 : high + 1;
  vertex[2] = triangle % 2 ? high + 1 : high;
}

void cr_trisurface_get(const cr_trisurface* surface, int triangle, cr_facet* facet) {
  CR_ASSERT(triangle >= 0 && triangle < surface->num_triangles);
  find_vertices(surface, triangle, facet->vertex);
  for (int i = 0; i < 3; i++) facet->corner[i] = vertex_at(surface, facet->vertex[i]);
  v3 first = v3_sub(facet->corner[1], facet->corner[0]);
  v3 second = v3_sub(facet->corner[2], facet->corner[0]);
  facet->normal = v3_normalize_or(v3_cross(first, second), v3_make(0, 0, 1));
  facet->extent = v3_norm(first) + v3_norm(second);
  bool is_grid = surface->num_columns > 0;
  facet->inward = is_grid ? v3_make(0, 0, -1) : v3_neg(facet->normal);
  facet->wall = is_grid ? INFINITY : surface->wall[triangle];
}

/* The vertex of a grid's cell that is in no common triangle with the side's other one; the side's
 * ends stand at (c0, r0) and (c1, r1), `corner` is the triangle's third. */
static bool find_grid_opposite(const cr_trisurface* s, const int vertex[3], int side,
                               v3* opposite) {
  int n = s->num_columns, a = vertex[side], b = vertex[(side + 1) % 3], c = vertex[(side + 2) % 3];
  int column = a % n + b % n - c % n, row = a / n + b / n - c / n;
  if (column < 0 || column >= n || row < 0 || row >= s->num_rows) return false;
  *opposite = grid_vertex(s, column, row);
  return true;
}

bool cr_trisurface_find_opposite(const cr_trisurface* surface, int triangle, int side, v3* corner) {
  int vertex[3];
  find_vertices(surface, triangle, vertex);
  if (surface->num_columns > 0) return find_grid_opposite(surface, vertex, side, corner);
  int beyond = surface->neighbor[3 * (size_t)triangle + (size_t)side];
  if (beyond < 0) return false;
  int a = vertex[side], b = vertex[(side + 1) % 3];
  for (int i = 0; i < 3; i++) {
    int v = surface->triangle[3 * (size_t)beyond + (size_t)i];
    if (v != a && v != b) *corner = vertex_at(surface, v);
  }
  return true;
}

bool cr_trisurface_is_peak(const cr_trisurface* surface, int vertex, v3 up, double tolerance) {
  static const int AROUND[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
  double most = v3_dot(up, vertex_at(surface, vertex)) + tolerance;
  if (surface->num_columns == 0) {
    for (int i = surface->ring_start[vertex]; i < surface->ring_start[vertex + 1]; i++)
      if (v3_dot(up, vertex_at(surface, surface->ring[i])) > most) return false;
    return true;
  }
  int column = vertex % surface->num_columns, row = vertex / surface->num_columns;
  for (int k = 0; k < 6; k++) {
    int c = column + AROUND[k][0], r = row + AROUND[k][1];
    if (c < 0 || c >= surface->num_columns || r < 0 || r >= surface->num_rows) continue;
    if (v3_dot(up, grid_vertex(surface, c, r)) > most) return false;
  }
  return true;
}

/* --- Walks --------------------------------------------------------------------------------------
 */

/* The cell in which x lies, among `count`. */
static int find_cell(double x, double low, double step, int count) {
  double cell = floor((x - low) / step);
  return cell < 0 ? 0 : cell < count ? (int)cell : count - 1;
}

cr_trisurface_walk cr_trisurface_begin(const cr_trisurface* surface, const cr_aabb* box) {
  cr_trisurface_walk walk = {.surface = surface, .box = *box};
  if (surface->num_columns == 0) return walk;
  const cr_aabb whole = {surface->low, surface->high};
  if (!cr_aabb_meets(box, &whole, 0)) {
    walk.at = surface->num_triangles;
    return walk;
  }
  int columns = cells_of(surface), rows = surface->num_rows - 1;
  walk.first_column = find_cell(box->low.x, surface->low.x, surface->step[0], columns);
  walk.end_column = find_cell(box->high.x, surface->low.x, surface->step[0], columns) + 1;
  int first_row = find_cell(box->low.y, surface->low.y, surface->step[1], rows);
  walk.end_row = find_cell(box->high.y, surface->low.y, surface->step[1], rows) + 1;
  walk.at = 2 * (first_row * columns + walk.first_column);
  return walk;
}

/* Goes on along the row, or to the next. */
static int step_grid(cr_trisurface_walk* walk) {
  int columns = cells_of(walk->surface), at = walk->at;
  int row = at / 2 / columns;
  if (at >= walk->surface->num_triangles || row >= walk->end_row) return -1;
  walk->at++;
  if (walk->at / 2 == row * columns + walk->end_column)
    walk->at = 2 * ((row + 1) * columns + walk->first_column);
  return at;
}

/* True when a triangle of a grid is nowhere higher than the box's bottom. */
static bool is_below(const cr_trisurface_walk* walk, int triangle) {
  int vertex[3];
  double most = -INFINITY;
  find_vertices(walk->surface, triangle, vertex);
  for (int i = 0; i < 3; i++) most = fmax(most, walk->surface->height[vertex[i]]);
  return most < walk->box.low.z;
}

int cr_trisurface_next(cr_trisurface_walk* walk) {
  if (walk->surface->num_columns > 0) {
    int triangle = step_grid(walk);
    while (triangle >= 0 && is_below(walk, triangle)) triangle = step_grid(walk);
    return triangle;
  }
  const cr_box_tree* tree = &walk->surface->tree;
  while (walk->at < tree->num_nodes) {
    const cr_box_node* node = &tree->nodes[walk->at];
    bool meets = cr_aabb_meets(&walk->box, &node->box, 0);
    walk->at = meets ? walk->at + 1 : node->next;
    if (meets && node->geom >= 0) return node->geom;
  }
  return -1;
}
