/* Broad phase: which pairs of bounds overlap, in time that grows with the number of geometries and
 * of pairs.
 *
 * Geometries that move stand in a tree of boxes that is built anew in every call; those of link 0
 * in one that is built once, at `local`, since nothing moves them; planes, which have no bounds,
 * are compared with all that moves. Each leaf of the moving tree is compared with the leaves that
 * follow it, and with the other tree, so that no pair comes twice and pairs of the ground never
 * come. Many robots of a few limbs each are compared as wholes first. Nodes whose bits cannot meet
 * are passed over. Explicit pairs are compared one by one. What is not at a finite pose has no
 * pairs. */
#include "geom/broadphase.h"

#include "base/error.h"
#include "geom/box_tree.h"
#include "geom/filter.h"
#include "geom/radix.h"
#include "math/scalar.h"

#include <string.h>

#define FEW_LEAVES 48
#define LIMBS      4 /* geometries of a robot, in the mean, from which on robots are compared first */

struct cr_broadphase {
  carom_allocator allocator;
  size_t size; /* of the block */
  const cr_geom_model* model;

  /* Geometries that the filter lets touch anything. */
  int num_moving, num_fixed, num_planes;
  int *moving, *fixed, *plane;
  cr_box_tree fixed_tree; /* bounds enlarged by margins alone */

  int num_found;     /* in the last call: room to begin with */
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
  size_t lists = (size_t)(count.moving + count.fixed + count.planes) * sizeof(int);
  size_t size = HEADER_SIZE + nodes + lists;
  cr_broadphase* b = cr_alloc_zero(allocator, size);
  if (!b) return NULL;
  *b = (cr_broadphase){.allocator = *allocator, .size = size, .model = model};
  b->fixed_tree.nodes = (cr_box_node*)((char*)b + HEADER_SIZE);
  b->moving = (int*)((char*)b + HEADER_SIZE + nodes);
  b->fixed = b->moving + count.moving;
  b->plane = b->fixed + count.fixed;
  b->num_moving = count.moving, b->num_fixed = count.fixed, b->num_planes = count.planes;
  count = (census){0};
  for (int i = 0; i < model->num_geoms; i++) sort_in(model, i, &count, b);
  return b;
}

static cr_box_node make_leaf(const cr_geom_model* model, int geom, const pose* X, double margin) {
  cr_aabb box = cr_shape_compute_aabb(&model->shape[geom], X);
  v3 more = {margin, margin, margin};
  return (cr_box_node){.box = {v3_sub(box.low, more), v3_add(box.high, more)},
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
      leaves[i] = make_leaf(model, geom, &model->local[geom], model->margin[geom]);
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
  cr_release(&allocator, broadphase, broadphase->size);
}

/* --- The pairs of one call ---------------------------------------------------------------------
 */

typedef struct search {
  const cr_broadphase* broadphase;
  const cr_geom_model* model;
  const pose* poses;
  const double* reach; /* null: zero */
  cr_arena* arena;

  int num_leaves; /* of what moves and is somewhere */
  cr_box_node* leaves;
  cr_box_tree tree;
  int num_groups;     /* robots whose leaves follow each other; 0: `tree` is over all leaves */
  int* group_start;   /* [num_groups + 1] into leaves; `tree` is over the groups */
  double fixed_reach; /* m, of link 0 */

  int count, capacity;
  cr_radix_item* found; /* keys of pairs, indices of explicit ones */
  int64_t num_tests;
} search;

static double reach_of(const search* s, int geom) { return s->reach ? s->reach[geom] : 0; }

static const pose* pose_of(const search* s, int geom) {
  return s->model->link[geom] == 0 ? &s->model->local[geom] : &s->poses[geom];
}

static void add(search* s, int geom1, int geom2, int explicit_pair) {
  if (s->count == s->capacity) {
    int capacity = 2 * s->capacity;
    cr_radix_item* found = CR_SCRATCH(s->arena, cr_radix_item, capacity);
    if (!found) return;
    memcpy(found, s->found, (size_t)s->count * sizeof *found);
    s->found = found, s->capacity = capacity;
  }
  s->found[s->count++] = (cr_radix_item){cr_pair_key(geom1, geom2), explicit_pair};
}

/* Adds a pair whose bounds overlap, if the filter allows it and it is not among the explicit ones.
 */
static void add_filtered(search* s, int geom1, int geom2) {
  const cr_geom_model* model = s->model;
  if (!cr_geom_filter_allows(model, geom1, geom2)) return;
  uint64_t key = cr_pair_key(geom1, geom2);
  if (cr_pair_key_find(model->pair, model->num_pairs, key) < 0) add(s, geom1, geom2, -1);
}

static bool bits_meet(const cr_box_node* a, const cr_box_node* b) {
  return ((a->contype & b->conaffinity) | (a->conaffinity & b->contype)) != 0;
}

/* Adds all leaves of a tree from a node on that are no farther from a leaf than `slack`, or, where
 * that is not zero, than their own reach. */
static void walk(search* s, const cr_box_tree* tree, int first, const cr_box_node* leaf,
                 double slack) {
  int num_tests = 0;
  for (int i = first; i < tree->num_nodes; num_tests++) {
    const cr_box_node* node = &tree->nodes[i];
    bool meets = cr_aabb_meets(&leaf->box, &node->box, slack) && bits_meet(leaf, node);
    i = meets ? i + 1 : node->next;
    if (!meets || node->geom < 0) continue;
    if (slack > 0 && !cr_aabb_meets(&leaf->box, &node->box, s->reach[node->geom])) continue;
    add_filtered(s, leaf->geom, node->geom);
  }
  s->num_tests += num_tests;
}

/* A leaf, by where it begins along the axis of a sweep. */
typedef struct start_item {
  double low, high; /* m */
  const cr_box_node* leaf;
} start_item;

/* The axis along which the lower ends of the boxes are spread most. */
static int find_spread_axis(const cr_box_node* leaves, int count) {
  v3 low = leaves[0].box.low, high = low;
  for (int i = 1; i < count; i++) {
    v3 x = leaves[i].box.low;
    low = v3_make(scalar_min(low.x, x.x), scalar_min(low.y, x.y), scalar_min(low.z, x.z));
    high = v3_make(scalar_max(high.x, x.x), scalar_max(high.y, x.y), scalar_max(high.z, x.z));
  }
  v3 spread = v3_sub(high, low);
  int axis = spread.y > spread.x ? 1 : 0;
  return spread.z > v3_get(spread, axis) ? 2 : axis;
}

/* Pairs of few leaves: in the order of their lower ends, each is compared with those that begin
 * before it ends. */
static void sweep(search* s, const cr_box_node* leaves, int count) {
  start_item items[FEW_LEAVES];
  int axis = count > 0 ? find_spread_axis(leaves, count) : 0;
  for (int i = 0; i < count; i++) {
    const cr_box_node* leaf = &leaves[i];
    start_item item = {v3_get(leaf->box.low, axis), v3_get(leaf->box.high, axis), leaf};
    int k = i;
    for (; k > 0 && items[k - 1].low > item.low; k--) items[k] = items[k - 1];
    items[k] = item;
  }
  for (int i = 0; i < count; i++) {
    const cr_box_node* leaf = items[i].leaf;
    for (int k = i + 1; k < count && items[k].low <= items[i].high; k++) {
      const cr_box_node* other = items[k].leaf;
      s->num_tests++;
      if (cr_aabb_meets(&leaf->box, &other->box, 0) && bits_meet(leaf, other))
        add_filtered(s, leaf->geom, other->geom);
    }
    walk(s, &s->broadphase->fixed_tree, 0, leaf, s->fixed_reach);
  }
}

/* Pairs of leaves of two robots whose boxes overlap. */
static void meet_groups(search* s, const cr_box_node* a, const cr_box_node* b) {
  for (int i = s->group_start[a->geom]; i < s->group_start[a->geom + 1]; i++) {
    const cr_box_node* leaf = &s->leaves[i];
    s->num_tests++;
    if (!cr_aabb_meets(&leaf->box, &b->box, 0)) continue;
    for (int k = s->group_start[b->geom]; k < s->group_start[b->geom + 1]; k++) {
      const cr_box_node* other = &s->leaves[k];
      s->num_tests++;
      if (cr_aabb_meets(&leaf->box, &other->box, 0) && bits_meet(leaf, other))
        add_filtered(s, leaf->geom, other->geom);
    }
  }
}

/* Pairs within each robot, then between robots. */
static void find_pairs_by_groups(search* s) {
  const cr_box_node* nodes = s->tree.nodes;
  for (int g = 0; g < s->num_groups; g++)
    sweep(s, s->leaves + s->group_start[g], s->group_start[g + 1] - s->group_start[g]);
  for (int i = 0; i < s->tree.num_nodes; i++)
    for (int k = i + 1; nodes[i].geom >= 0 && k < s->tree.num_nodes; s->num_tests++) {
      bool meets = cr_aabb_meets(&nodes[i].box, &nodes[k].box, 0);
      if (meets && nodes[k].geom >= 0) meet_groups(s, &nodes[i], &nodes[k]);
      k = meets ? k + 1 : nodes[k].next;
    }
}

static void find_box_pairs(search* s) {
  if (s->num_leaves <= FEW_LEAVES) {
    sweep(s, s->leaves, s->num_leaves);
    return;
  }
  if (s->num_groups > 0) {
    find_pairs_by_groups(s);
    return;
  }
  for (int i = 0; i < s->tree.num_nodes; i++) {
    const cr_box_node* node = &s->tree.nodes[i];
    if (node->geom < 0) continue;
    walk(s, &s->tree, i + 1, node, 0);
    walk(s, &s->broadphase->fixed_tree, 0, node, s->fixed_reach);
  }
}

/* How far the lowest point of a shape is above a plane, m. */
static double compute_height(const search* s, int plane, int geom) {
  const pose *P = pose_of(s, plane), *X = pose_of(s, geom);
  v3 normal = m3_column(&P->R, 2), down = v3_neg(m3_tmulv(&X->R, normal));
  v3 lowest = cr_shape_compute_support(&s->model->shape[geom], down);
  return v3_dot(normal, v3_sub(X->p, P->p)) - v3_dot(lowest, down);
}

static void meet_plane(search* s, int plane, int geom) {
  const cr_geom_model* model = s->model;
  double margin = model->margin[plane] + model->margin[geom];
  s->num_tests++;
  if (compute_height(s, plane, geom) <= margin + reach_of(s, plane) + reach_of(s, geom))
    add_filtered(s, plane, geom);
}

static void find_plane_pairs(search* s) {
  const cr_broadphase* b = s->broadphase;
  for (int i = 0; i < b->num_planes; i++) {
    int plane = b->plane[i];
    if (!is_finite_pose(pose_of(s, plane))) continue;
    for (int k = 0; k < s->num_leaves; k++) meet_plane(s, plane, s->leaves[k].geom);
    if (s->model->link[plane] == 0) continue;
    for (int k = 0; k < b->num_fixed; k++) meet_plane(s, plane, b->fixed[k]);
  }
}

/* True when the bounds of two geometries are no farther apart than `slack`; two planes never. */
static bool bounds_meet(const search* s, int a, int b, double slack) {
  const cr_shape* shape = s->model->shape;
  if (!is_finite_pose(pose_of(s, a)) || !is_finite_pose(pose_of(s, b))) return false;
  bool a_is_plane = shape[a].type == CAROM_GEOM_PLANE,
       b_is_plane = shape[b].type == CAROM_GEOM_PLANE;
  if (a_is_plane) return !b_is_plane && compute_height(s, a, b) <= slack;
  if (b_is_plane) return compute_height(s, b, a) <= slack;
  cr_aabb box_a = cr_shape_compute_aabb(&shape[a], pose_of(s, a));
  cr_aabb box_b = cr_shape_compute_aabb(&shape[b], pose_of(s, b));
  return cr_aabb_meets(&box_a, &box_b, slack);
}

static void find_explicit_pairs(search* s) {
  const cr_geom_model* model = s->model;
  for (int i = 0; i < model->num_pairs; i++) {
    int a = (int)(model->pair[i] >> 32), b = (int)(model->pair[i] & 0xffffffff);
    double slack = model->pair_margin[i] + reach_of(s, a) + reach_of(s, b);
    s->num_tests++;
    bool moves = !cr_geom_is_fixed(model, a) || !cr_geom_is_fixed(model, b);
    if (moves && bounds_meet(s, a, b, slack)) add(s, a, b, i);
  }
}

/* The kinematic tree of a leaf; what has none is its own. */
static int find_robot(const search* s, int leaf) {
  const cr_geom_model* model = s->model;
  int link = model->link[s->leaves[leaf].geom];
  return model->link_tree && model->link_tree[link] >= 0 ? model->link_tree[link] : -1 - leaf;
}

/* Where leaves that follow each other are of one robot, in numbers that pay; false when memory ran
 * out. */
static bool group_leaves(search* s) {
  int count = 0, most = 0;
  int* start = CR_SCRATCH(s->arena, int, s->num_leaves + 1);
  if (!start) return false;
  for (int i = 0; i < s->num_leaves; i++)
    if (i == 0 || find_robot(s, i) != find_robot(s, i - 1)) start[count++] = i;
  start[count] = s->num_leaves;
  for (int g = 0; g < count; g++)
    most = start[g + 1] - start[g] > most ? start[g + 1] - start[g] : most;
  bool pays = most <= FEW_LEAVES && s->num_leaves >= LIMBS * count;
  s->num_groups = pays ? count : 0;
  s->group_start = start;
  return true;
}

/* The box of a robot, as a leaf that has the number of the group in place of a geometry. */
static cr_box_node make_group_leaf(const search* s, int group) {
  cr_box_node out = {.box = cr_aabb_empty(), .geom = group};
  for (int i = s->group_start[group]; i < s->group_start[group + 1]; i++) {
    const cr_box_node* leaf = &s->leaves[i];
    cr_aabb_cover(&out.box, leaf->box.low);
    cr_aabb_cover(&out.box, leaf->box.high);
    out.contype |= leaf->contype, out.conaffinity |= leaf->conaffinity;
  }
  return out;
}

/* The tree of what moves, or of robots; to sweep over a few leaves takes less time than a tree. */
static bool build_tree(search* s) {
  if (s->num_leaves <= FEW_LEAVES) return true;
  if (!group_leaves(s)) return false;
  if (s->num_groups == 0) return cr_box_tree_build(s->leaves, s->num_leaves, s->arena, &s->tree);
  cr_box_node* leaves = CR_SCRATCH(s->arena, cr_box_node, s->num_groups);
  if (!leaves) return false;
  for (int g = 0; g < s->num_groups; g++) leaves[g] = make_group_leaf(s, g);
  return cr_box_tree_build(leaves, s->num_groups, s->arena, &s->tree);
}

/* Bounds of what moves, their tree, and room for the pairs. */
static bool init_search(search* s) {
  const cr_broadphase* b = s->broadphase;
  s->leaves = CR_SCRATCH(s->arena, cr_box_node, b->num_moving);
  s->tree.nodes = CR_SCRATCH(s->arena, cr_box_node, cr_box_tree_count_nodes(b->num_moving));
  s->capacity = b->num_found + b->num_found / 8 + 64;
  s->found = CR_SCRATCH(s->arena, cr_radix_item, s->capacity);
  if (s->arena->failed) return false;
  for (int i = 0; i < b->num_moving; i++) {
    int geom = b->moving[i];
    double margin = s->model->margin[geom] + reach_of(s, geom);
    if (is_finite_pose(&s->poses[geom]) && !isnan(margin))
      s->leaves[s->num_leaves++] = make_leaf(s->model, geom, &s->poses[geom], margin);
  }
  s->fixed_reach = b->num_fixed > 0 ? reach_of(s, b->fixed[0]) : 0;
  return build_tree(s);
}

/* Sorts what was found into the caller's array. */
static void write_pairs(search* s, cr_geom_pair** pairs, int* num_pairs) {
  cr_radix_item* spare = CR_SCRATCH(s->arena, cr_radix_item, s->count);
  *pairs = CR_PUSH(s->arena, cr_geom_pair, s->count);
  if (s->arena->failed) return;
  cr_radix_sort(s->found, s->count, spare);
  for (int i = 0; i < s->count; i++)
    (*pairs)[i] = (cr_geom_pair){(int)(s->found[i].key >> 32), (int)(s->found[i].key & 0xffffffff),
                                 s->found[i].value};
  *num_pairs = s->count;
}

carom_status cr_broadphase_find_pairs(cr_broadphase* broadphase, const pose* poses,
                                      const double* reach, cr_arena* arena, cr_geom_pair** pairs,
                                      int* num_pairs) {
  search s = {.broadphase = broadphase,
              .model = broadphase->model,
              .poses = poses,
              .reach = reach,
              .arena = arena};
  *pairs = NULL, *num_pairs = 0;
  size_t mark = cr_arena_mark_scratch(arena);
  if (init_search(&s)) {
    find_box_pairs(&s);
    find_plane_pairs(&s);
    find_explicit_pairs(&s);
    write_pairs(&s, pairs, num_pairs);
  }
  cr_arena_pop_scratch(arena, mark);
  broadphase->num_found = s.count, broadphase->num_tests = s.num_tests;
  return arena->failed ? CAROM_ERROR_OUT_OF_MEMORY : CAROM_OK;
}

int64_t cr_broadphase_get_num_tests(const cr_broadphase* broadphase) {
  return broadphase->num_tests;
}
