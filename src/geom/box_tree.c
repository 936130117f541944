/* Trees of boxes: leaves sorted along a space-filling curve, split where the curve's cells split.
 *
 * Lauterbach et al., "Fast BVH construction on GPUs" (2009): the leaves' centres get Morton codes
 * of 21 bits an axis; a node's leaves share the leading bits of their codes and part at the first
 * bit in which they differ. What shares a cell, a two-millionth of the extent of all centres along
 * each axis, is not told apart any further. Built anew for every call, in time that grows with the
 * number of leaves alone, so that neither the tree nor the time depends on earlier calls. */
#include "geom/box_tree.h"

#include "geom/radix.h"
#include "math/scalar.h"

#define CELLS 2097151.0 /* 2^21 - 1 along each axis */

/* Every third bit of the result is a bit of x. */
static uint64_t spread_bits(uint64_t x) {
  x = (x | x << 32) & UINT64_C(0x001f00000000ffff);
  x = (x | x << 16) & UINT64_C(0x001f0000ff0000ff);
  x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
  x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
  return (x | x << 2) & UINT64_C(0x1249249249249249);
}

/* Twice the middle of an interval, within what leaves room for differences; 0 where it has none. */
static double double_middle(double low, double high) {
  double sum = low + high;
  return isnan(sum) ? 0 : scalar_clamp(sum, -1e300, 1e300);
}

static v3 double_center(const cr_aabb* box) {
  return v3_make(double_middle(box->low.x, box->high.x), double_middle(box->low.y, box->high.y),
                 double_middle(box->low.z, box->high.z));
}

static uint64_t find_cell(double x, double low, double scale) {
  return (uint64_t)scalar_clamp((x - low) * scale, 0, CELLS);
}

static double scale_of(double low, double high) { return high > low ? CELLS / (high - low) : 0; }

/* Morton codes of the leaves' centres within the box of all centres. */
static void compute_codes(const cr_box_node* leaves, int num_leaves, cr_radix_item* codes) {
  v3 low = double_center(&leaves[0].box), high = low;
  for (int i = 1; i < num_leaves; i++) {
    v3 x = double_center(&leaves[i].box);
    low = v3_make(scalar_min(low.x, x.x), scalar_min(low.y, x.y), scalar_min(low.z, x.z));
    high = v3_make(scalar_max(high.x, x.x), scalar_max(high.y, x.y), scalar_max(high.z, x.z));
  }
  v3 scale = {scale_of(low.x, high.x), scale_of(low.y, high.y), scale_of(low.z, high.z)};
  for (int i = 0; i < num_leaves; i++) {
    v3 x = double_center(&leaves[i].box);
    uint64_t code = spread_bits(find_cell(x.x, low.x, scale.x)) << 2 |
                    spread_bits(find_cell(x.y, low.y, scale.y)) << 1 |
                    spread_bits(find_cell(x.z, low.z, scale.z));
    codes[i] = (cr_radix_item){code, i};
  }
}

/* The first of the leaves [first, last] that belongs to the second child: where the highest bit in
 * which their codes differ turns to one; in the middle, where all codes are the same. */
static int find_split(const cr_radix_item* codes, int first, int last) {
  uint64_t differing = codes[first].key ^ codes[last].key, bit = UINT64_C(1) << 62;
  if (differing == 0) return first + (last - first + 1) / 2;
  while (!(differing & bit)) bit >>= 1;
  while (last - first > 1) {
    int middle = first + (last - first) / 2;
    if (codes[middle].key & bit)
      last = middle;
    else
      first = middle;
  }
  return last;
}

/* Lays out the nodes in preorder: leaves as they are, inner nodes without contents. The stack holds
 * at most one range for each bit of a code and each halving of equal codes. */
static void lay_out(const cr_box_node* leaves, const cr_radix_item* codes, int num_leaves,
                    cr_box_tree* tree) {
  struct {
    int first, last;
  } stack[128];
  int depth = 0;
  tree->num_nodes = 0;
  stack[depth].first = 0, stack[depth++].last = num_leaves - 1;
  while (depth > 0) {
    int first = stack[--depth].first, last = stack[depth].last;
    cr_box_node* node = &tree->nodes[tree->num_nodes++];
    if (first == last) {
      *node = leaves[codes[first].value];
      continue;
    }
    node->geom = -1;
    int split = find_split(codes, first, last);
    stack[depth].first = split, stack[depth++].last = last;
    stack[depth].first = first, stack[depth++].last = split - 1;
  }
}

static void unite(const cr_box_node* a, const cr_box_node* b, cr_box_node* node) {
  v3 p = a->box.low, q = b->box.low, r = a->box.high, s = b->box.high;
  node->box.low = v3_make(scalar_min(p.x, q.x), scalar_min(p.y, q.y), scalar_min(p.z, q.z));
  node->box.high = v3_make(scalar_max(r.x, s.x), scalar_max(r.y, s.y), scalar_max(r.z, s.z));
  node->contype = a->contype | b->contype;
  node->conaffinity = a->conaffinity | b->conaffinity;
  node->next = b->next;
}

/* Children stand behind their parent, so that backwards they come first. */
void cr_box_tree_refit(cr_box_tree* tree) {
  for (int i = tree->num_nodes - 1; i >= 0; i--) {
    cr_box_node* node = &tree->nodes[i];
    if (node->geom >= 0)
      node->next = i + 1;
    else
      unite(node + 1, &tree->nodes[node[1].next], node);
  }
}

bool cr_box_tree_build(const cr_box_node* leaves, int num_leaves, cr_arena* arena,
                       cr_box_tree* tree) {
  tree->num_nodes = 0;
  if (num_leaves == 0) return true;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  cr_radix_item* codes = CR_SCRATCH(arena, cr_radix_item, num_leaves);
  cr_radix_item* spare = CR_SCRATCH(arena, cr_radix_item, num_leaves);
  if (!arena->failed) {
    compute_codes(leaves, num_leaves, codes);
    cr_radix_sort(codes, num_leaves, spare);
    lay_out(leaves, codes, num_leaves, tree);
    cr_box_tree_refit(tree);
  }
  cr_arena_pop_scratch(arena, mark);
  return !arena->failed;
}

bool cr_box_tree_create(const cr_box_node* leaves, int num_leaves, const carom_allocator* allocator,
                        cr_arena* arena, cr_box_tree* tree) {
  size_t count = (size_t)cr_box_tree_count_nodes(num_leaves);
  *tree = (cr_box_tree){.nodes = cr_alloc(allocator, count * sizeof *tree->nodes)};
  if (!tree->nodes) return false;
  if (cr_box_tree_build(leaves, num_leaves, arena, tree)) return true;
  cr_release(allocator, tree->nodes, count * sizeof *tree->nodes);
  *tree = (cr_box_tree){0};
  return false;
}

void cr_box_tree_destroy(cr_box_tree* tree, const carom_allocator* allocator) {
  if (tree->nodes)
    cr_release(allocator, tree->nodes, (size_t)tree->num_nodes * sizeof *tree->nodes);
  *tree = (cr_box_tree){0};
}
