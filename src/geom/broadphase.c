/* Broad phase: which pairs of bounds overlap.
 *
 * A search (pair_search.h) of bounds that are enlarged by what geometries may travel in some steps
 * finds candidates, among which pairs are sought until one leaves its enlarged bounds: the answer
 * is that of a search in every call. Planes, which have no bounds, are compared with all that
 * moves, explicit pairs one by one. What is not at a finite pose has no pairs. */
#include "geom/broadphase.h"

#include "base/error.h"
#include "geom/filter.h"
#include "geom/pair_search.h"
#include "math/scalar.h"

#include <string.h>

#define STEPS      4    /* by whose reach candidates' bounds are larger, */
#define MOST_SLACK 0.25 /* of their least extent at most, */
#define OLD        16   /* and the calls after which they are sought anew in any case */
#define ROUNDING   1e-9 /* m, of the height of bounds above a plane */

/* What a candidate is: an index of an explicit pair, or */
enum { OF_BOUNDS = -1, OF_PLANE = -2 };

struct cr_broadphase {
  carom_allocator allocator;
  size_t size; /* of the block */
  const cr_geom_model* model;

  /* Geometries that the filter lets touch anything. */
  int num_moving, num_fixed, num_planes;
  int *moving, *fixed, *plane;
  cr_box_tree fixed_tree; /* bounds enlarged by margins alone */

  cr_aabb* bounds; /* [num_geoms] of the last call, enlarged by margin and reach; fixed: by margin;
                      empty where there are none */

  /* Pairs whose wide bounds overlap, sorted by (geom1, geom2); `pair`: what they are. */
  cr_aabb* wide;                     /* [num_geoms] of what moves */
  double wide_reach;                 /* m, of link 0 */
  int num_candidates, capacity, age; /* age: calls since they were sought */
  cr_geom_pair* candidate;

  int64_t num_tests; /* of the last call */
};

/* --- Creation ----------------------------------------------------------------------------------
 */

typedef struct census {
  int moving, fixed, planes;
} census;

/* A sum that is finite when, and nearly always only when, all numbers are. */
static bool is_finite_pose(const pose* X) {
  double sum = X->p.x + X->p.y + X->p.z;
  for (int i = 0; i < 9; i++) sum += X->R.m[i / 3][i % 3];
  return isfinite(sum);
}

static void sort_in(const cr_geom_model* model, int geom, census* count, cr_broadphase* to) {
  if (model->contype[geom] == 0 && model->conaffinity[geom] == 0) return;
  if (model->shape[geom].type == CAROM_GEOM_PLANE) {
    if (to) to->plane[count->planes] = geom;
    count->planes++;
  } else if (model->link[geom] != 0) {
    if (to) to->moving[count->moving] = geom;
    count->moving++;
  } else if (is_finite_pose(&model->local[geom])) {
    if (to) to->fixed[count->fixed] = geom;
    count->fixed++;
  }
}

/* Where the nodes begin in the block: at a cache line, since each fills one. */
#define HEADER_SIZE ((sizeof(cr_broadphase) + CR_ALIGNMENT - 1) / CR_ALIGNMENT * CR_ALIGNMENT)

/* One block for everything. */
static cr_broadphase* allocate(const cr_geom_model* model, const carom_allocator* allocator) {
  census count = {0};
  for (int i = 0; i < model->num_geoms; i++) sort_in(model, i, &count, NULL);
  size_t nodes = (size_t)cr_box_tree_count_nodes(count.fixed) * sizeof(cr_box_node);
  size_t boxes = 2 * (size_t)model->num_geoms * sizeof(cr_aabb);
  size_t lists = (size_t)(count.moving + count.fixed + count.planes) * sizeof(int);
  size_t size = HEADER_SIZE + nodes + boxes + lists;
  cr_broadphase* b = cr_alloc_zero(allocator, size);
  if (!b) return NULL;
  *b = (cr_broadphase){.allocator = *allocator, .size = size, .model = model, .age = OLD};
  b->fixed_tree.nodes = (cr_box_node*)((char*)b + HEADER_SIZE);
  b->bounds = (cr_aabb*)((char*)b + HEADER_SIZE + nodes);
  b->wide = b->bounds + model->num_geoms;
  b->moving = (int*)(b->wide + model->num_geoms);
  b->fixed = b->moving + count.moving;
  b->plane = b->fixed + count.fixed;
  b->num_moving = count.moving, b->num_fixed = count.fixed, b->num_planes = count.planes;
  count = (census){0};
  for (int i = 0; i < model->num_geoms; i++) sort_in(model, i, &count, b);
  return b;
}

static cr_box_node make_leaf(const cr_geom_model* model, int geom, const cr_aabb* box) {
  return (cr_box_node){.box = *box,
                       .contype = model->contype[geom],
                       .conaffinity = model->conaffinity[geom],
                       .geom = geom};
}

static bool build_fixed_tree(cr_broadphase* b) {
  cr_arena arena;
  cr_arena_init(&arena, &b->allocator);
  cr_box_node* leaves = CR_SCRATCH(&arena, cr_box_node, b->num_fixed);
  if (leaves) {
    const cr_geom_model* model = b->model;
    for (int i = 0; i < b->num_fixed; i++) {
      int geom = b->fixed[i];
      cr_aabb box = cr_shape_compute_aabb(&model->shape[geom], &model->local[geom]);
      b->bounds[geom] = cr_aabb_enlarge(box, model->margin[geom]);
      leaves[i] = make_leaf(model, geom, &b->bounds[geom]);
    }
    cr_box_tree_build(leaves, b->num_fixed, &arena, &b->fixed_tree);
  }
  bool done = !arena.failed;
  cr_arena_destroy(&arena);
  return done;
}

carom_status cr_broadphase_create(const cr_geom_model* model, const carom_allocator* allocator,
                                  cr_broadphase** broadphase, carom_error* error) {
  carom_allocator hooks = cr_allocator_resolve(allocator);
  *broadphase = allocate(model, &hooks);
  if (*broadphase && build_fixed_tree(*broadphase)) return CAROM_OK;
  cr_broadphase_destroy(*broadphase);
  *broadphase = NULL;
  return cr_error_memory(error);
}

void cr_broadphase_destroy(cr_broadphase* broadphase) {
  if (!broadphase) return;
  carom_allocator allocator = broadphase->allocator;
  cr_release(&allocator, broadphase->candidate,
             sizeof(cr_geom_pair) * (size_t)broadphase->capacity);
  cr_release(&allocator, broadphase, broadphase->size);
}

/* --- One call ----------------------------------------------------------------------------------
 */

typedef struct call {
  cr_broadphase* broadphase;
  const cr_geom_model* model;
  const pose* poses;
  const double* reach; /* null: zero */
  double fixed_reach;  /* m, of link 0 */
  cr_arena* arena;
} call;

static double reach_of(const call* c, int geom) { return c->reach ? c->reach[geom] : 0; }

static const pose* pose_of(const call* c, int geom) {
  return c->model->link[geom] == 0 ? &c->model->local[geom] : &c->poses[geom];
}

/* The same for all of link 0. */
static double find_fixed_reach(const call* c) {
  const cr_broadphase* b = c->broadphase;
  if (b->num_fixed > 0) return reach_of(c, b->fixed[0]);
  for (int i = 0; i < b->num_planes; i++)
    if (c->model->link[b->plane[i]] == 0) return reach_of(c, b->plane[i]);
  return 0;
}

static bool is_within(const cr_aabb* box, const cr_aabb* wide) {
  return (box->low.x >= wide->low.x) & (box->low.y >= wide->low.y) & (box->low.z >= wide->low.z) &
         (box->high.x <= wide->high.x) & (box->high.y <= wide->high.y) &
         (box->high.z <= wide->high.z);
}

static bool is_empty(const cr_aabb* box) { return box->low.x > box->high.x; }

/* Bounds of what moves; true when all are within the wide ones. */
static bool update_bounds(const call* c) {
  const cr_broadphase* b = c->broadphase;
  bool all = true;
  for (int i = 0; i < b->num_moving; i++) {
    int geom = b->moving[i];
    const pose* X = &c->poses[geom];
    double margin = c->model->margin[geom] + reach_of(c, geom);
    b->bounds[geom] = cr_aabb_empty();
    if (is_finite_pose(X) && !isnan(margin))
      b->bounds[geom] = cr_aabb_enlarge(cr_shape_compute_aabb(&c->model->shape[geom], X), margin);
    all &= is_within(&b->bounds[geom], &b->wide[geom]);
  }
  return all;
}

/* How far the lowest point of a shape is above a plane, m. */
static double compute_height(const call* c, int plane, int geom) {
  const pose *P = pose_of(c, plane), *X = pose_of(c, geom);
  v3 normal = m3_column(&P->R, 2), down = v3_neg(m3_tmulv(&X->R, normal));
  v3 lowest = cr_shape_compute_support(&c->model->shape[geom], down);
  return v3_dot(normal, v3_sub(X->p, P->p)) - v3_dot(lowest, down);
}

/* True when the bounds of two geometries are no farther apart than `slack`; two planes never. */
static bool bounds_meet(const call* c, int a, int b, double slack) {
  const cr_shape* shape = c->model->shape;
  if (!is_finite_pose(pose_of(c, a)) || !is_finite_pose(pose_of(c, b))) return false;
  bool a_is_plane = shape[a].type == CAROM_GEOM_PLANE,
       b_is_plane = shape[b].type == CAROM_GEOM_PLANE;
  if (a_is_plane) return !b_is_plane && compute_height(c, a, b) <= slack;
  if (b_is_plane) return compute_height(c, b, a) <= slack;
  cr_aabb box_a = cr_shape_compute_aabb(&shape[a], pose_of(c, a));
  cr_aabb box_b = cr_shape_compute_aabb(&shape[b], pose_of(c, b));
  return cr_aabb_meets(&box_a, &box_b, slack);
}

/* --- Candidates --------------------------------------------------------------------------------
 */

/* Whether wide bounds reach down to a plane; one that moves may come near everything. */
static bool may_meet_plane(const call* c, int plane, int geom) {
  if (c->model->link[plane] != 0) return true;
  const pose* P = &c->model->local[plane];
  const cr_aabb* box = &c->broadphase->wide[geom];
  v3 n = m3_column(&P->R, 2), middle = v3_scale(0.5, v3_add(box->low, box->high));
  double half = 0.5 * v3_dot(v3_abs(n), v3_sub(box->high, box->low));
  double height = v3_dot(n, v3_sub(middle, P->p)) - half;
  return !(height > c->model->margin[plane] + c->fixed_reach + ROUNDING); /* NaN: no end */
}

static void find_plane_candidates(const call* c, cr_pair_search* s) {
  const cr_broadphase* b = c->broadphase;
  for (int i = 0; i < b->num_planes; i++) {
    int plane = b->plane[i];
    for (int k = 0; k < s->num_leaves; k++)
      if (may_meet_plane(c, plane, s->leaves[k].geom))
        cr_pair_search_add_filtered(s, plane, s->leaves[k].geom, OF_PLANE);
    s->num_tests += s->num_leaves;
    for (int k = 0; k < b->num_fixed && c->model->link[plane] != 0; k++)
      cr_pair_search_add_filtered(s, plane, b->fixed[k], OF_PLANE);
  }
}

static void find_explicit_candidates(const cr_geom_model* model, cr_pair_search* s) {
  for (int i = 0; i < model->num_pairs; i++) {
    int a = (int)(model->pair[i] >> 32), b = (int)(model->pair[i] & 0xffffffff);
    bool moves = !cr_geom_is_fixed(model, a) || !cr_geom_is_fixed(model, b);
    if (moves) cr_pair_search_add(s, a, b, i);
  }
}

/* How much wider the bounds of candidates are: what is fast finds too many otherwise. */
static double find_slack(const cr_aabb* bounds, double reach) {
  v3 size = v3_sub(bounds->high, bounds->low);
  double least = scalar_min(size.x, scalar_min(size.y, size.z));
  return scalar_min(STEPS * reach, MOST_SLACK * least);
}

/* Wide bounds of what moves, as leaves. */
static void widen(const call* c, cr_pair_search* s) {
  const cr_broadphase* b = c->broadphase;
  for (int i = 0; i < b->num_moving; i++) {
    int geom = b->moving[i];
    b->wide[geom] = b->bounds[geom];
    if (is_empty(&b->bounds[geom])) continue;
    b->wide[geom] =
        cr_aabb_enlarge(b->bounds[geom], find_slack(&b->bounds[geom], reach_of(c, geom)));
    s->leaves[s->num_leaves++] = make_leaf(c->model, geom, &b->wide[geom]);
  }
}

static bool reserve(cr_broadphase* b, int count) {
  if (count <= b->capacity) return true;
  int capacity = count + count / 2;
  cr_geom_pair* grown = cr_realloc(&b->allocator, b->candidate, sizeof *grown * (size_t)b->capacity,
                                   sizeof *grown * (size_t)capacity);
  if (!grown) return false;
  b->candidate = grown, b->capacity = capacity;
  return true;
}

/* Sorts what was found into the candidates. */
static bool keep_candidates(cr_broadphase* b, cr_pair_search* s) {
  cr_radix_item* spare = CR_SCRATCH(s->arena, cr_radix_item, s->count);
  if (s->arena->failed || !reserve(b, s->count)) return false;
  cr_radix_sort(s->found, s->count, spare);
  for (int i = 0; i < s->count; i++)
    b->candidate[i] = (cr_geom_pair){(int)(s->found[i].key >> 32),
                                     (int)(s->found[i].key & 0xffffffff), s->found[i].value};
  b->num_candidates = s->count;
  return true;
}

/* Candidates anew. */
static bool find_candidates(const call* c) {
  cr_broadphase* b = c->broadphase;
  cr_scratch_mark mark = cr_arena_mark_scratch(c->arena);
  cr_pair_search s = {.model = c->model,
                      .fixed_tree = &b->fixed_tree,
                      .fixed_reach = c->fixed_reach,
                      .arena = c->arena,
                      .capacity = b->num_candidates + b->num_candidates / 8 + 64};
  s.leaves = CR_SCRATCH(c->arena, cr_box_node, b->num_moving);
  s.found = CR_SCRATCH(c->arena, cr_radix_item, s.capacity);
  b->age = OLD;
  if (c->arena->failed) return false;
  widen(c, &s);
  bool done = cr_pair_search_run(&s);
  if (done) {
    find_plane_candidates(c, &s);
    find_explicit_candidates(c->model, &s);
    done = !c->arena->failed && keep_candidates(b, &s);
  }
  cr_arena_pop_scratch(c->arena, mark);
  b->num_tests = s.num_tests;
  b->wide_reach = c->fixed_reach;
  if (done) b->age = 0;
  return done;
}

/* --- Pairs -------------------------------------------------------------------------------------
 */

static bool meets_plane(const call* c, int geom1, int geom2) {
  const cr_geom_model* model = c->model;
  bool is_first = model->shape[geom1].type == CAROM_GEOM_PLANE;
  int plane = is_first ? geom1 : geom2, geom = is_first ? geom2 : geom1;
  if (is_empty(&c->broadphase->bounds[geom]) || !is_finite_pose(pose_of(c, plane))) return false;
  double margin = model->margin[plane] + model->margin[geom];
  return compute_height(c, plane, geom) <= margin + reach_of(c, plane) + reach_of(c, geom);
}

static bool meets(const call* c, const cr_geom_pair* candidate) {
  const cr_aabb* bounds = c->broadphase->bounds;
  int a = candidate->geom1, b = candidate->geom2;
  if (candidate->pair == OF_PLANE) return meets_plane(c, a, b);
  if (candidate->pair >= 0)
    return bounds_meet(c, a, b,
                       c->model->pair_margin[candidate->pair] + reach_of(c, a) + reach_of(c, b));
  bool is_fixed = c->fixed_reach > 0 && (c->model->link[a] == 0 || c->model->link[b] == 0);
  return cr_aabb_meets(&bounds[a], &bounds[b], is_fixed ? c->fixed_reach : 0);
}

carom_status cr_broadphase_find_pairs(cr_broadphase* broadphase, const pose* poses,
                                      const double* reach, cr_arena* arena, cr_geom_pair** pairs,
                                      int* num_pairs) {
  cr_broadphase* b = broadphase;
  call c = {b, b->model, poses, reach, .arena = arena};
  c.fixed_reach = find_fixed_reach(&c);
  *pairs = NULL, *num_pairs = 0;
  b->num_tests = 0;
  bool holds = update_bounds(&c) && c.fixed_reach <= b->wide_reach && ++b->age <= OLD;
  if (!holds && !find_candidates(&c)) return CAROM_ERROR_OUT_OF_MEMORY;
  *pairs = CR_PUSH(arena, cr_geom_pair, b->num_candidates);
  if (arena->failed) return CAROM_ERROR_OUT_OF_MEMORY;
  for (int i = 0; i < b->num_candidates; i++) {
    const cr_geom_pair* candidate = &b->candidate[i];
    if (!meets(&c, candidate)) continue;
    int explicit_pair = candidate->pair >= 0 ? candidate->pair : -1;
    (*pairs)[(*num_pairs)++] = (cr_geom_pair){candidate->geom1, candidate->geom2, explicit_pair};
  }
  b->num_tests += b->num_candidates;
  return CAROM_OK;
}

int64_t cr_broadphase_get_num_tests(const cr_broadphase* broadphase) {
  return broadphase->num_tests;
}
