/* One vertex for all that stand at one place: kept vertices are found by their position, or by the
 * cell of a grid that it lies in, in a table of open addresses. */
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

/* A weld at work. */
typedef struct weld {
  const cr_mesh* mesh;
  double tolerance; /* m, along each axis; 0: the same to the bit */
  int* slot;        /* [mask + 1] kept vertices; -1 */
  uint64_t mask;
} weld;

/* Of three numbers; both zeros alike. */
static uint64_t hash_position(const double* x) {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (int i = 0; i < 3; i++) {
    double value = x[i] + 0.0;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

static bool are_one(const weld* w, const double* x, const double* y) {
  for (int i = 0; i < 3; i++)
    if (!(fabs(x[i] - y[i]) <= w->tolerance)) return false;
  return true;
}

/* The kept vertex at x in the chain that begins with a hash; else -1. */
static int find_in_chain(const weld* w, const double* x, uint64_t hash) {
  for (uint64_t at = hash & w->mask; w->slot[at] >= 0; at = (at + 1) & w->mask)
    if (are_one(w, w->mesh->vertex + 3 * (size_t)w->slot[at], x)) return w->slot[at];
  return -1;
}

/* The corner of the grid's cell, twice as wide as the tolerance, in which a number lies. */
static double cell_of(const weld* w, double x) {
  return w->tolerance > 0 ? floor(x / (2 * w->tolerance)) : x;
}

/* The kept vertex within the tolerance of x, of all cells that it reaches; else -1. */
static int find_near(const weld* w, const double* x) {
  double cell[3], low[3], high[3];
  for (int i = 0; i < 3; i++) {
    low[i] = cell_of(w, x[i] - w->tolerance);
    high[i] = cell_of(w, x[i] + w->tolerance);
  }
  for (int k = 0; k < 8; k++) {
    bool is_new = true;
    for (int i = 0; i < 3; i++) {
      cell[i] = k >> i & 1 ? high[i] : low[i];
      is_new = is_new && (!(k >> i & 1) || high[i] != low[i]);
    }
    int found = is_new ? find_in_chain(w, x, hash_position(cell)) : -1;
    if (found >= 0) return found;
  }
  return -1;
}

/* The kept vertex at the place of vertex i, which may be i itself as the next one kept. */
static int find_kept(const weld* w, int i, int num_kept) {
  const double* x = w->mesh->vertex + 3 * (size_t)i;
  int found = find_near(w, x);
  if (found >= 0) return found;
  const double cell[3] = {cell_of(w, x[0]), cell_of(w, x[1]), cell_of(w, x[2])};
  uint64_t at = hash_position(cell) & w->mask;
  while (w->slot[at] >= 0) at = (at + 1) & w->mask;
  return w->slot[at] = num_kept;
}

static void weld_vertices(const weld* w, cr_mesh* mesh, int* kept) {
  int num_kept = 0;
  for (int i = 0; i < mesh->num_vertices; i++) {
    kept[i] = find_kept(w, i, num_kept);
    if (kept[i] < num_kept) continue;
    memmove(mesh->vertex + 3 * (size_t)num_kept++, mesh->vertex + 3 * (size_t)i,
            3 * sizeof(double));
  }
  mesh->num_vertices = num_kept;
  for (int i = 0; i < 3 * mesh->num_triangles; i++) mesh->triangle[i] = kept[mesh->triangle[i]];
}

bool cr_mesh_weld_near(cr_mesh* mesh, double tolerance) {
  size_t num_slots = 16, count = (size_t)mesh->num_vertices;
  while (num_slots < 2 * count) num_slots *= 2;
  int* slot = cr_alloc(&mesh->allocator, num_slots * sizeof *slot);
  int* kept = cr_alloc(&mesh->allocator, count * sizeof *kept);
  bool done = slot && kept;
  if (done) {
    const weld w = {mesh, tolerance, slot, num_slots - 1};
    memset(slot, -1, num_slots * sizeof *slot);
    weld_vertices(&w, mesh, kept);
  }
  cr_release(&mesh->allocator, slot, num_slots * sizeof *slot);
  cr_release(&mesh->allocator, kept, count * sizeof *kept);
  return done;
}

bool cr_mesh_weld(cr_mesh* mesh) { return cr_mesh_weld_near(mesh, 0); }
