/* Expanding polytope (van den Bergen 2001): the facet of A - B that is nearest to the origin.
 *
 * A polytope of support points grows from inside. The plane of its nearest facet bounds the
 * penetration from below, the support point along the facet's normal from above; the point is added
 * and the facets that it sees are replaced, until the bounds meet. Distances of planes are signed,
 * so the origin need not lie inside. Every normal ever tried counts as a candidate: should the
 * polytope degenerate, the best of them is still a valid upper bound. */
#include "geom/epa.h"

/* Between the bounds, as part of the pair's thickness. */
#define BOUND_GAP 1e-6

bool cr_epa_search(const cr_difference* difference, double gap, cr_polytope* polytope,
                   cr_direction* best) {
  while (polytope->num_vertices < CR_POLYTOPE_VERTICES) {
    int nearest = cr_polytope_find_nearest(polytope);
    if (nearest < 0) return false;
    if (polytope->distance[nearest] >= best->overlap - gap) return true;
    v3 normal = polytope->facet[nearest].normal;
    cr_difference_point p = cr_difference_find_support(difference, normal);
    double reach = v3_dot(normal, p.x);
    if (reach < best->overlap) *best = (cr_direction){normal, reach, p.a, p.b};
    if (best->overlap < 0) return true;
    if (!cr_polytope_is_above(polytope, nearest, p.x))
      return polytope->distance[nearest] >= best->overlap - gap;
    if (!cr_polytope_grow(polytope, &p, nearest)) return false;
  }
  return false;
}

bool cr_epa_find_within(const cr_difference* difference, double gap, double* overlap, v3* n) {
  cr_polytope polytope;
  cr_direction best = {.n = *n, .overlap = *overlap};
  if (!cr_polytope_init(difference, *n, &polytope)) return false;
  bool is_proven = cr_epa_search(difference, gap * difference->thickness, &polytope, &best);
  *overlap = best.overlap;
  *n = best.n;
  return is_proven;
}

bool cr_epa_find_penetration(const cr_difference* difference, double* overlap, v3* n) {
  return cr_epa_find_within(difference, BOUND_GAP, overlap, n);
}
