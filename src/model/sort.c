/* Heap sort of keys; takes no memory. */
#include "model/compile.h"

static bool is_less(const cr_keyed* a, const cr_keyed* b) {
  return a->key != b->key ? a->key < b->key : a->record < b->record;
}

/* Moves items[root] down until no child is larger. */
static void sift_down(cr_keyed* items, int root, int count) {
  cr_keyed moved = items[root];
  for (int child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && is_less(&items[child], &items[child + 1])) child++;
    if (!is_less(&moved, &items[child])) break;
    items[root] = items[child];
  }
  items[root] = moved;
}

void cr_sort_keyed(cr_keyed* items, int count) {
  for (int i = count / 2 - 1; i >= 0; i--) sift_down(items, i, count);
  for (int end = count - 1; end > 0; end--) {
    cr_keyed largest = items[0];
    items[0] = items[end];
    items[end] = largest;
    sift_down(items, 0, end);
  }
}
