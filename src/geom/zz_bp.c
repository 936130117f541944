#include "base/error.h"
#include "geom/broadphase.h"

#include <string.h>
struct cr_broadphase {
  const cr_geom_model* m;
  carom_allocator a;
};
bool cr_geom_filter_allows(const cr_geom_model* m, int i, int j) {
  int a = m->link[i], b = m->link[j];
  if (a == b) return false;
  if (!((m->contype[i] & m->conaffinity[j]) || (m->contype[j] & m->conaffinity[i]))) return false;
  if ((m->link_parent[a] == b && b) || (m->link_parent[b] == a && a)) return false;
  if (m->shape[i].type == CAROM_GEOM_PLANE && m->shape[j].type == CAROM_GEOM_PLANE) return false;
  for (int k = 0; k < m->num_excludes; k++) {
    uint64_t p = (uint64_t)(m->body ? m->body[i] : a), q = (uint64_t)(m->body ? m->body[j] : b);
    uint64_t lo = p < q ? p : q, hi = p < q ? q : p;
    if (m->exclude[k] == (lo << 32 | hi)) return false;
  }
  return true;
}
carom_status cr_broadphase_create(const cr_geom_model* m, const carom_allocator* al,
                                  cr_broadphase** b, carom_error* e) {
  *b = cr_alloc(al, sizeof **b);
  if (!*b) return cr_error_memory(e);
  (*b)->m = m;
  (*b)->a = *al;
  return CAROM_OK;
}
void cr_broadphase_destroy(cr_broadphase* b) {
  if (b) {
    carom_allocator a = b->a;
    cr_release(&a, b, sizeof *b);
  }
}
carom_status cr_broadphase_find_pairs(cr_broadphase* bp, const pose* X, const double* reach,
                                      cr_arena* arena, cr_geom_pair** pairs, int* n) {
  const cr_geom_model* m = bp->m;
  int cap = m->num_geoms * 20 + 100;
  *pairs = CR_PUSH(arena, cr_geom_pair, cap);
  *n = 0;
  if (arena->failed) return CAROM_ERROR_OUT_OF_MEMORY;
  cr_aabb* box = CR_PUSH(arena, cr_aabb, m->num_geoms);
  if (arena->failed) return CAROM_ERROR_OUT_OF_MEMORY;
  for (int i = 0; i < m->num_geoms; i++) {
    box[i] = cr_shape_compute_aabb(&m->shape[i], &X[i]);
    double r = m->margin[i] + (reach ? reach[i] : 0);
    v3 e = v3_make(r, r, r);
    box[i].low = v3_sub(box[i].low, e);
    box[i].high = v3_add(box[i].high, e);
  }
  for (int i = 0; i < m->num_geoms; i++)
    for (int j = i + 1; j < m->num_geoms; j++) {
      if (box[i].low.x > box[j].high.x || box[j].low.x > box[i].high.x ||
          box[i].low.y > box[j].high.y || box[j].low.y > box[i].high.y ||
          box[i].low.z > box[j].high.z || box[j].low.z > box[i].high.z)
        continue;
      int pr = -1;
      for (int k = 0; k < m->num_pairs; k++)
        if (m->pair[k] == ((uint64_t)i << 32 | (uint64_t)j)) pr = k;
      if (pr < 0 && !cr_geom_filter_allows(m, i, j)) continue;
      if (*n < cap) (*pairs)[(*n)++] = (cr_geom_pair){i, j, pr};
    }
  return CAROM_OK;
}
