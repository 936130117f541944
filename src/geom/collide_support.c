/* Pairs with a polyhedron or an ellipsoid: the direction of least overlap from support points
 * alone, then the patch.
 *
 * GJK where the shapes (spheres and capsules: their centres and axes) are apart, an expanding
 * polytope where they overlap. Between shapes with corners both end at a direction that is exact
 * but for rounding: the normal of a face or of two edges. There the search may begin with the
 * corners at which it ended in the last look at the pair. */
#include "geom/epa.h"
#include "geom/gjk.h"
#include "geom/pair_memory.h"
#include "geom/patch.h"
#include "geom/settle.h"

/* Part of the square of the distance, and of the thickness, that may be left to gain. Between
 * shapes with corners overlaps are sought to the last few roundings. */
#define APART_GAP 1e-14
#define EXACT_GAP 4 /* of the pair's tolerance */
#define ROUND_GAP 1e-12

/* Overlaps, or distances, that differ by less than this part of the thickness count as the same
 * where one is that of a face, and are no proof that one of them is the least. */
#define TIE 1e-9

/* Sines of the angles within which a face is what the search was after: of shapes that overlap; of
 * shapes that are apart at least, where a corner or edge may be nearest along any direction. */
#define FACE_NEAR       1e-6
#define FACE_NEAR_APART 1e-9

typedef struct cr_search {
  const cr_contact_pair* pair;
  cr_difference difference;
  bool is_exact; /* both shapes have corners */
  double reach;  /* m: of the cores */
  cr_direction direction;
} cr_search;

/* Radius about the centre or axis that the searches see of a shape. */
static double ball_of(const cr_shape* shape) {
  bool is_round = shape->type == CAROM_GEOM_SPHERE || shape->type == CAROM_GEOM_CAPSULE;
  return is_round ? shape->size[0] : 0;
}

/* --- Apart --------------------------------------------------------------------------------------
 */

/* The points in the order of their numbers, so that what is computed from them does not depend on
 * the order in which they were found. */
static void sort_points(cr_simplex* simplex) {
  cr_difference_point* point = simplex->point;
  for (int i = 1; i < simplex->count; i++) {
    cr_difference_point moved = point[i];
    int k = i;
    for (; k > 0; k--) {
      bool is_before =
          moved.a != point[k - 1].a ? moved.a < point[k - 1].a : moved.b < point[k - 1].b;
      if (!is_before) break;
      point[k] = point[k - 1];
    }
    point[k] = moved;
  }
}

/* From the simplex at which GJK ended, for good or because of rounding. */
static void settle_apart(cr_search* search, cr_gjk_result result, cr_simplex* simplex) {
  const cr_difference* difference = &search->difference;
  sort_points(simplex);
  cr_simplex nearest = *simplex;
  v3 v = cr_gjk_find_nearest(&nearest);
  double distance = v3_norm(v);
  if (!(distance > 0)) return;
  search->direction.n = v3_scale(-1 / distance, v);
  cr_direction_measure(difference, &search->direction);
  double noise = 10 * difference->tolerance / distance;
  double near = cr_max(FACE_NEAR_APART, cr_min(FACE_NEAR, noise));
  if (result == CR_GJK_STUCK) near = FACE_NEAR;
  cr_direction_settle(difference, nearest.point, nearest.count, near, TIE * difference->thickness,
                      &search->direction);
}

/* GJK, from what is known or from the direction at hand. */
static cr_gjk_result search_apart(cr_search* search, cr_simplex* simplex) {
  cr_pair_memory* memory = search->pair->memory;
  cr_direction* direction = &search->direction;
  cr_gjk_result result =
      cr_gjk_search(&search->difference, APART_GAP, search->reach, simplex, &direction->n);
  if (result == CR_GJK_OVERLAP) return result;
  cr_direction_measure(&search->difference, direction);
  if (memory) cr_pair_memory_keep_simplex(memory, &search->difference, simplex);
  return result;
}

/* --- Overlapping --------------------------------------------------------------------------------
 */

/* True where no facet with another direction comes near the best one: wherever the search had
 * begun, it would have ended here. */
static bool is_alone(const cr_search* search, const cr_polytope* polytope) {
  const cr_direction* found = &search->direction;
  double most = found->overlap + TIE * search->difference.thickness;
  for (int f = 0; f < polytope->num_facets; f++) {
    if (!(polytope->distance[f] > 0)) return false;
    if (polytope->distance[f] < most &&
        v3_norm2(v3_sub(polytope->facet[f].normal, found->n)) > FACE_NEAR * FACE_NEAR)
      return false;
  }
  return true;
}

static void settle_overlap(cr_search* search, const cr_polytope* polytope) {
  const cr_difference* difference = &search->difference;
  int f = cr_polytope_find_nearest(polytope);
  cr_difference_point point[3];
  if (f < 0) return;
  for (int i = 0; i < 3; i++) point[i] = polytope->vertex[polytope->facet[f].vertex[i]];
  cr_direction_settle(difference, point, 3, FACE_NEAR, TIE * difference->thickness,
                      &search->direction);
}

/* --- Search -------------------------------------------------------------------------------------
 */

static double find_gap(const cr_search* search) {
  const cr_difference* difference = &search->difference;
  return search->is_exact ? EXACT_GAP * difference->tolerance : ROUND_GAP * difference->thickness;
}

/* From the polytope of the last look. */
static bool search_again(cr_search* search) {
  cr_polytope polytope;
  cr_pair_memory* memory = search->pair->memory;
  cr_direction* found = &search->direction;
  if (!cr_pair_memory_place_polytope(memory, &search->difference, &polytope)) return false;
  int before = polytope.num_vertices;
  found->n = polytope.facet[cr_polytope_find_nearest(&polytope)].normal;
  cr_direction_measure(&search->difference, found);
  if (!cr_epa_search(&search->difference, find_gap(search), &polytope, found)) return false;
  if (!(found->overlap > 0) || !is_alone(search, &polytope)) return false;
  if (polytope.num_vertices > before)
    cr_pair_memory_keep_polytope(memory, &search->difference, &polytope);
  settle_overlap(search, &polytope);
  return true;
}

/* The direction of least overlap from what is known of the pair; false where that does not prove
 * it. */
static bool recall(cr_search* search) {
  const cr_pair_memory* memory = search->pair->memory;
  cr_simplex simplex;
  if (!memory || !search->is_exact) return false;
  if (!cr_pair_memory_place_simplex(memory, &search->difference, &simplex))
    return search_again(search);
  if (search_apart(search, &simplex) != CR_GJK_APART) return false;
  settle_apart(search, CR_GJK_APART, &simplex);
  return true;
}

static void search_overlap(cr_search* search) {
  cr_polytope polytope;
  cr_pair_memory* memory = search->pair->memory;
  cr_direction* found = &search->direction;
  if (memory) cr_pair_memory_forget(memory);
  if (!cr_polytope_init(&search->difference, found->n, &polytope)) return;
  bool is_proven = cr_epa_search(&search->difference, find_gap(search), &polytope, found);
  if (!search->is_exact || !(found->overlap > 0)) return;
  if (memory && is_proven) cr_pair_memory_keep_polytope(memory, &search->difference, &polytope);
  settle_overlap(search, &polytope);
}

/* Where GJK ends by rounding at a direction along which the shapes overlap, it has found nothing:
 * the polytope goes on from the better of that and the start. */
static void search_stuck(cr_search* search, const cr_direction* start) {
  cr_direction* found = &search->direction;
  if (found->overlap <= 0 && found->overlap <= start->overlap) return;
  if (start->overlap < found->overlap) *found = *start;
  search_overlap(search);
  cr_difference_point point = {.a = found->a, .b = found->b};
  if (found->overlap <= 0)
    cr_direction_settle(&search->difference, &point, 1, FACE_NEAR,
                        TIE * search->difference.thickness, found);
}

/* The same without memory; false where the shapes are beyond reach. */
static bool search_anew(cr_search* search) {
  cr_direction* found = &search->direction;
  found->n = v3_normalize_or(search->difference.c, v3_make(0, 0, 1));
  cr_simplex simplex = {1, {cr_difference_find_support(&search->difference, found->n)}};
  found->overlap = v3_dot(found->n, simplex.point[0].x);
  found->a = simplex.point[0].a, found->b = simplex.point[0].b;
  if (-found->overlap >= search->reach) return false;
  const cr_direction start = *found;
  cr_gjk_result result = search_apart(search, &simplex);
  if (result == CR_GJK_OVERLAP)
    search_overlap(search);
  else if (search->is_exact)
    settle_apart(search, result, &simplex);
  if (result == CR_GJK_STUCK) search_stuck(search, &start);
  return true;
}

/* The patch; polyhedra look along the normal once for all of it. */
static void build(const cr_search* search, double overlap, cr_manifold* manifold) {
  cr_contact_pair pair = *search->pair;
  cr_hull_view views[2];
  cr_placed* placed[2] = {&pair.a, &pair.b};
  v3 n = m3_mulv(pair.a.R, search->direction.n);
  const v3 out[2] = {search->direction.n, v3_neg(m3_tmulv(pair.b.R, n))};
  const int corner[2] = {search->direction.a, search->direction.b};
  for (int i = 0; i < 2; i++) {
    if (placed[i]->shape->type != CAROM_GEOM_MESH) continue;
    const cr_hull* hull = placed[i]->shape->hull;
    views[i] = (cr_hull_view){corner[i], cr_hull_find_flattest(hull, corner[i], out[i])};
    placed[i]->view = &views[i];
  }
  pair.across = search->is_exact ? CR_EXACT_ACROSS : CR_ROUND_ACROSS;
  cr_patch_build(&pair, n, -overlap, manifold);
}

void cr_collide_support(const cr_contact_pair* pair, cr_manifold* manifold) {
  double ball = ball_of(pair->a.shape) + ball_of(pair->b.shape);
  cr_search search = {.pair = pair, .reach = pair->margin + ball};
  search.is_exact =
      cr_difference_has_corners(pair->a.shape) && cr_difference_has_corners(pair->b.shape);
  cr_difference_init(pair, &search.difference);
  if (!recall(&search) && !search_anew(&search)) return;
  double overlap = search.direction.overlap + ball;
  if (-overlap >= pair->margin) return;
  build(&search, overlap, manifold);
}
