/* Convex hulls by qhull (Barber, Dobkin, Huhdanpaa 1996), its reentrant library. What it prints is
 * thrown away; its exits are long jumps within its own functions. */
#include "mesh/qhull.h"

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>

static bool push_int(const carom_allocator* allocator, int** items, int* count, int* capacity,
                     int value) {
  void* block = *items;
  bool fits = cr_reserve_one(allocator, &block, *count, capacity, sizeof **items);
  *items = block;
  if (fits) (*items)[(*count)++] = value;
  return fits;
}

static bool add_corner(cr_polygons* polygons, const carom_allocator* allocator, int point) {
  return push_int(allocator, &polygons->corner, &polygons->num_corners, &polygons->corner_capacity,
                  point);
}

static bool add_start(cr_polygons* polygons, const carom_allocator* allocator, int* count) {
  return push_int(allocator, &polygons->start, count, &polygons->start_capacity,
                  polygons->num_corners);
}

static void reverse(int* items, int count) {
  for (int i = 0; i < count / 2; i++) {
    int swap = items[i];
    items[i] = items[count - 1 - i];
    items[count - 1 - i] = swap;
  }
}

/* Copies qhull's facets; it gives their vertices in order, the other way round. */
static bool copy_facets(qhT* qh, const carom_allocator* allocator, cr_polygons* polygons) {
  facetT* facet;
  int starts = 0;
  if (!add_start(polygons, allocator, &starts)) return false;
  FORALLfacets {
    setT* vertices = qh_facet3vertex(qh, facet);
    vertexT *vertex, **vertexp;
    bool fits = true;
    int first = polygons->num_corners;
    FOREACHvertex_(vertices) fits =
        fits && add_corner(polygons, allocator, qh_pointid(qh, vertex->point));
    qh_settempfree(qh, &vertices);
    reverse(polygons->corner + first, polygons->num_corners - first);
    if (!fits || !add_start(polygons, allocator, &starts)) return false;
    polygons->num_faces++;
  }
  return true;
}

cr_qhull_result cr_qhull_run(const double* points, int count, double tolerance,
                             const carom_allocator* allocator, cr_polygons* polygons) {
  qhT state;
  char command[64];
  int unfreed, bytes;
  FILE* sink = fopen("/dev/null", "w");
  if (!sink) return CR_QHULL_MEMORY;
  snprintf(command, sizeof command, "qhull Pp C-%.17g", tolerance);
  qh_zero(&state, sink);
  /* qhull does not change its points unless it is asked to turn or scale them. */
  int code = qh_new_qhull(&state, 3, count, (coordT*)points, False, command, sink, sink);
  cr_qhull_result result = code == qh_ERRmem ? CR_QHULL_MEMORY : CR_QHULL_FLAT;
  if (code == qh_ERRnone)
    result = copy_facets(&state, allocator, polygons) ? CR_QHULL_OK : CR_QHULL_MEMORY;
  qh_freeqhull(&state, !qh_ALL);
  qh_memfreeshort(&state, &unfreed, &bytes);
  fclose(sink);
  return result;
}

void cr_polygons_release(cr_polygons* polygons, const carom_allocator* allocator) {
  cr_release(allocator, polygons->start, (size_t)polygons->start_capacity * sizeof(int));
  cr_release(allocator, polygons->corner, (size_t)polygons->corner_capacity * sizeof(int));
  *polygons = (cr_polygons){0};
}
