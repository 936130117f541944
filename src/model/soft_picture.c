/* What pictures of soft bodies take: surface nodes, normals, means at nodes, colours.
 *
 * Colours run evenly along a curve through Oklab (Ottosson 2020): lightness 0.36 + 0.57 t, hue
 * 298 - 196 t degrees, chroma 0.145 - 0.17 t (1 - t), t so that all steps are as long. */
#include "math/vec3.h"

#include "carom/soft.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MOST_SIDES = 8 };         /* of a node of the surface; more are not told apart */
#define COSINE 0.766044443118978 /* of 40 degrees, the least edge that is drawn as one */

/* --- Surfaces -----------------------------------------------------------------------------------
 */

int carom_soft_list_surface(const carom_soft_info* soft, int* nodes) {
  int count = 0;
  memset(nodes, 0, sizeof *nodes * (size_t)soft->num_nodes);
  for (size_t i = 0; i < 3 * (size_t)soft->num_triangles; i++) nodes[soft->triangles[i]] = 1;
  for (int n = 0; n < soft->num_nodes; n++)
    if (nodes[n]) nodes[count++] = n; /* count <= n: what is overwritten was looked at */
  return count;
}

/* Twice the area of a triangle, along its normal. */
static v3 area_of(const carom_soft_info* soft, const double* x, int triangle) {
  const int* t = soft->triangles + 3 * (size_t)triangle;
  v3 a = v3_load(x + 3 * (size_t)t[0]);
  return v3_cross(v3_sub(v3_load(x + 3 * (size_t)t[1]), a),
                  v3_sub(v3_load(x + 3 * (size_t)t[2]), a));
}

/* Sides of a node: a vertex each, and the sum of its triangles' areas. */
typedef struct sides {
  int count;
  v3 area[MOST_SIDES];
} sides;

static double cosine(v3 a, v3 b) {
  double scale = v3_norm(a) * v3_norm(b);
  return scale > 0 ? v3_dot(a, b) / scale : 1;
}

/* The side that a triangle is of: the one that it turns least from, a new one where that is much.
 */
static int find_side(sides* s, v3 area) {
  int best = 0;
  double most = -2;
  for (int i = 0; i < s->count; i++)
    if (cosine(s->area[i], area) > most) best = i, most = cosine(s->area[i], area);
  if (most < COSINE && s->count < MOST_SIDES) s->area[best = s->count++] = v3_zero();
  s->area[best] = v3_add(s->area[best], area);
  return best;
}

/* The corners at each node become a chain, from `work` on through `corners`, then vertices. */
int carom_soft_list_vertices(const carom_soft_info* soft, int* corners, int* nodes, int* work) {
  int count = 0;
  for (int n = 0; n < soft->num_nodes; n++) work[n] = -1;
  for (int c = 3 * soft->num_triangles - 1; c >= 0; c--) {
    int node = soft->triangles[c];
    corners[c] = work[node];
    work[node] = c;
  }
  for (int n = 0; n < soft->num_nodes; n++) {
    sides s = {0};
    for (int c = work[n], next; c >= 0; c = next) {
      next = corners[c];
      corners[c] = count + find_side(&s, area_of(soft, soft->nodes, c / 3));
    }
    for (int i = 0; i < s.count; i++) nodes[count++] = n;
  }
  return count;
}

void carom_soft_compute_normals(const carom_soft_info* soft, const int* corners, int num_vertices,
                                const double* x, double* normals) {
  memset(normals, 0, sizeof *normals * 3 * (size_t)num_vertices);
  for (int i = 0; i < soft->num_triangles; i++) {
    v3 area = area_of(soft, x, i);
    for (int k = 0; k < 3; k++) {
      double* sum = normals + 3 * (size_t)corners[3 * (size_t)i + (size_t)k];
      v3_store(v3_add(v3_load(sum), area), sum);
    }
  }
  for (int n = 0; n < num_vertices; n++) {
    double* normal = normals + 3 * (size_t)n;
    v3_store(v3_normalize_or(v3_load(normal), v3_zero()), normal);
  }
}

/* --- Means --------------------------------------------------------------------------------------
 */

static double element_volume(const carom_soft_info* soft, const int* element) {
  v3 corner[4];
  for (int k = 0; k < 4; k++) corner[k] = v3_load(soft->nodes + 3 * (size_t)element[k]);
  for (int k = 1; k < 4; k++) corner[k] = v3_sub(corner[k], corner[0]);
  return v3_dot(v3_cross(corner[1], corner[2]), corner[3]) / 6;
}

/* sums += value times volume at all nodes of the elements; null values: 1. */
static void add_volumes(const carom_soft_info* soft, const double* values, double* sums) {
  memset(sums, 0, sizeof *sums * (size_t)soft->num_nodes);
  for (int e = 0; e < soft->num_elements; e++) {
    const int* element = soft->elements + (size_t)soft->nodes_per_element * (size_t)e;
    double share = element_volume(soft, element) * (values ? values[e] : 1);
    for (int k = 0; k < soft->nodes_per_element; k++) sums[element[k]] += share;
  }
}

void carom_soft_compute_volumes(const carom_soft_info* soft, double* volumes) {
  add_volumes(soft, NULL, volumes);
}

void carom_soft_compute_means(const carom_soft_info* soft, const double* volumes,
                              const double* of_elements, double* of_nodes) {
  add_volumes(soft, of_elements, of_nodes);
  for (int n = 0; n < soft->num_nodes; n++) of_nodes[n] /= volumes[n];
}

/* --- Colours ------------------------------------------------------------------------------------
 */

static const uint8_t COLOURS[][3] = {
    {0x49, 0x22, 0x7d}, {0x46, 0x2b, 0x84}, {0x44, 0x34, 0x89}, {0x40, 0x3d, 0x8e},
    {0x3d, 0x45, 0x93}, {0x38, 0x4d, 0x97}, {0x33, 0x55, 0x9b}, {0x2e, 0x5d, 0x9e},
    {0x28, 0x65, 0xa0}, {0x22, 0x6d, 0xa3}, {0x1b, 0x74, 0xa4}, {0x15, 0x7c, 0xa6},
    {0x10, 0x84, 0xa6}, {0x0e, 0x8b, 0xa7}, {0x12, 0x92, 0xa7}, {0x19, 0x99, 0xa7},
    {0x22, 0xa0, 0xa6}, {0x2d, 0xa7, 0xa5}, {0x38, 0xad, 0xa4}, {0x44, 0xb4, 0xa2},
    {0x50, 0xba, 0xa0}, {0x5d, 0xc0, 0x9d}, {0x6a, 0xc6, 0x9a}, {0x77, 0xcb, 0x97},
    {0x85, 0xd0, 0x93}, {0x93, 0xd5, 0x8f}, {0xa2, 0xd9, 0x8b}, {0xb0, 0xdd, 0x86},
    {0xbf, 0xe1, 0x81}, {0xce, 0xe4, 0x7d}, {0xdd, 0xe7, 0x78}, {0xec, 0xe9, 0x73},
    {0xfb, 0xeb, 0x6f},
};

void carom_soft_get_colour(double part, float rgb[3]) {
  enum { LAST = sizeof COLOURS / sizeof *COLOURS - 1 };
  double at = LAST * (part < 1 ? fmax(part, 0) : 1);
  int step = at < LAST ? (int)at : LAST - 1;
  double rest = at - step;
  for (int k = 0; k < 3; k++) {
    double low = COLOURS[step][k], high = COLOURS[step + 1][k];
    rgb[k] = (float)((low + rest * (high - low)) / 255);
  }
}
