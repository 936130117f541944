/* Pairs of boxes by a tree over what moves: each leaf is compared with the leaves that follow it,
 * and with the tree of what is fixed, so that no pair comes twice and pairs of the ground never
 * come. Few leaves are swept along an axis; many robots of a few limbs each are compared as wholes
 * first. Nodes whose bits cannot meet are passed over. */
#include "geom/pair_search.h"

#include "base/copy.h"
#include "geom/filter.h"
#include "math/scalar.h"

#define FEW_LEAVES 48
#define LIMBS      4 /* geometries of a robot, in the mean, from which on robots are compared first */

/* --- What was found ----------------------------------------------------------------------------
 */

void cr_pair_search_add(cr_pair_search* s, int geom1, int geom2, int value) {
  if (s->count == s->capacity) {
    int capacity = 2 * s->capacity;
    cr_radix_item* found = CR_SCRATCH(s->arena, cr_radix_item, capacity);
    if (!found) return;
    CR_COPY(found, s->found, s->count);
    s->found = found, s->capacity = capacity;
  }
  s->found[s->count++] = (cr_radix_item){cr_pair_key(geom1, geom2), value};
}

void cr_pair_search_add_filtered(cr_pair_search* s, int geom1, int geom2, int value) {
  const cr_geom_model* model = s->model;
  if (!cr_geom_filter_allows(model, geom1, geom2)) return;
  uint64_t key = cr_pair_key(geom1, geom2);
  if (cr_pair_key_find(model->pair, model->num_pairs, key) < 0)
    cr_pair_search_add(s, geom1, geom2, value);
}

/* --- Overlaps ----------------------------------------------------------------------------------
 */

static bool bits_meet(const cr_box_node* a, const cr_box_node* b) {
  return ((a->contype & b->conaffinity) | (a->conaffinity & b->contype)) != 0;
}

/* Adds all leaves of a tree from a node on that are no farther from a leaf than `slack`. */
static void walk(cr_pair_search* s, const cr_box_tree* tree, int first, const cr_box_node* leaf,
                 double slack) {
  int num_tests = 0;
  for (int i = first; i < tree->num_nodes; num_tests++) {
    const cr_box_node* node = &tree->nodes[i];
    bool meets = cr_aabb_meets(&leaf->box, &node->box, slack) && bits_meet(leaf, node);
    i = meets ? i + 1 : node->next;
    if (meets && node->geom >= 0) cr_pair_search_add_filtered(s, leaf->geom, node->geom, -1);
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
static void sweep(cr_pair_search* s, const cr_box_node* leaves, int count) {
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
        cr_pair_search_add_filtered(s, leaf->geom, other->geom, -1);
    }
    walk(s, s->fixed_tree, 0, leaf, s->fixed_reach);
  }
}

/* Pairs of leaves of two robots whose boxes overlap. */
static void meet_groups(cr_pair_search* s, const cr_box_node* a, const cr_box_node* b) {
  for (int i = s->group_start[a->geom]; i < s->group_start[a->geom + 1]; i++) {
    const cr_box_node* leaf = &s->leaves[i];
    s->num_tests++;
    if (!cr_aabb_meets(&leaf->box, &b->box, 0)) continue;
    for (int k = s->group_start[b->geom]; k < s->group_start[b->geom + 1]; k++) {
      const cr_box_node* other = &s->leaves[k];
      s->num_tests++;
      if (cr_aabb_meets(&leaf->box, &other->box, 0) && bits_meet(leaf, other))
        cr_pair_search_add_filtered(s, leaf->geom, other->geom, -1);
    }
  }
}

/* Pairs within each robot, then between robots. */
static void find_pairs_by_groups(cr_pair_search* s) {
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

/* The kinematic tree of a leaf; what has none is its own. */
static int find_robot(const cr_pair_search* s, int leaf) {
  const cr_geom_model* model = s->model;
  int link = model->link[s->leaves[leaf].geom];
  return model->link_tree && model->link_tree[link] >= 0 ? model->link_tree[link] : -1 - leaf;
}

/* Where leaves that follow each other are of one robot, in numbers that pay; false when memory ran
 * out. */
static bool group_leaves(cr_pair_search* s) {
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
static cr_box_node make_group_leaf(const cr_pair_search* s, int group) {
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
static bool build_tree(cr_pair_search* s) {
  if (s->num_leaves <= FEW_LEAVES) return true;
  if (!group_leaves(s)) return false;
  if (s->num_groups == 0) return cr_box_tree_build(s->leaves, s->num_leaves, s->arena, &s->tree);
  cr_box_node* leaves = CR_SCRATCH(s->arena, cr_box_node, s->num_groups);
  if (!leaves) return false;
  for (int g = 0; g < s->num_groups; g++) leaves[g] = make_group_leaf(s, g);
  return cr_box_tree_build(leaves, s->num_groups, s->arena, &s->tree);
}

static void find_overlaps(cr_pair_search* s) {
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
    walk(s, s->fixed_tree, 0, node, s->fixed_reach);
  }
}

bool cr_pair_search_run(cr_pair_search* s) {
  s->tree.nodes = CR_SCRATCH(s->arena, cr_box_node, cr_box_tree_count_nodes(s->num_leaves));
  if (s->arena->failed || !build_tree(s)) return false;
  find_overlaps(s);
  return !s->arena->failed;
}
