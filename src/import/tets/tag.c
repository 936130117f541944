/* Nodes by their numbers; see tag.h. */
#include "import/tets/tag.h"

#include <stdlib.h>

static int compare_tags(const void* a, const void* b) {
  const cr_tets_tag *x = a, *y = b;
  if (x->tag != y->tag) return x->tag < y->tag ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

carom_status cr_tets_sort_tags(cr_tets_reader* r, const cr_tets_found* found,
                               cr_tets_tag** sorted) {
  cr_tets_tag* all = CR_PUSH(r->arena, cr_tets_tag, found->num_nodes);
  if (!all) return cr_error_memory(r->error);
  for (int n = 0; n < found->num_nodes; n++)
    all[n] = (cr_tets_tag){found->tag ? found->tag[n] : n, n};
  qsort(all, (size_t)found->num_nodes, sizeof *all, compare_tags);
  for (int n = 1; n < found->num_nodes; n++)
    if (all[n].tag == all[n - 1].tag)
      return cr_error_set(r->error, CAROM_ERROR_BAD_INPUT, "%.180s: two nodes have the number %lld",
                          r->name, (long long)all[n].tag);
  *sorted = all;
  return CAROM_OK;
}

int cr_tets_find_place(const cr_tets_tag* sorted, int count, int64_t tag) {
  int low = 0, high = count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (sorted[middle].tag < tag)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && sorted[low].tag == tag ? sorted[low].place : -1;
}
