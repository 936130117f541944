/* What has been read: tetrahedra, and what belongs to which region. */
#include "import/tets/reader.h"

#include <stdlib.h>
#include <string.h>

#define MOST_REGIONS 2000

carom_status cr_tets_find_region(cr_tets_reader* reader, cr_tets_found* found, const char* name,
                                 int* region) {
  cr_list* names = &found->regions;
  if (!name) return cr_error_memory(reader->error);
  for (*region = 0; *region < names->count; (*region)++)
    if (strcmp(*CR_AT(names, const char*, *region), name) == 0) return CAROM_OK;
  if (names->count == MOST_REGIONS)
    return cr_tets_refuse(reader, "there are more than %d regions", MOST_REGIONS);
  return cr_list_push(names, &reader->arena->allocator, &name) ? CAROM_OK
                                                               : cr_error_memory(reader->error);
}

carom_status cr_tets_mark_item(cr_tets_reader* reader, cr_tets_found* found, cr_tets_mark mark) {
  return cr_list_push(&found->marks, &reader->arena->allocator, &mark)
             ? CAROM_OK
             : cr_error_memory(reader->error);
}

/* The first one makes room for all, should each be a tetrahedron with as many nodes. */
carom_status cr_tets_add_element(cr_tets_reader* reader, cr_tets_found* found, int nodes, int most,
                                 int64_t tag, int64_t** node) {
  if (found->nodes_per_element == 0) {
    found->nodes_per_element = nodes;
    found->element = CR_PUSH(reader->arena, int64_t, (size_t)most * (size_t)nodes);
    found->element_tag = CR_PUSH(reader->arena, int64_t, most);
    if (reader->arena->failed) return cr_error_memory(reader->error);
  }
  if (found->nodes_per_element != nodes)
    return cr_tets_refuse(reader, "tetrahedra with 4 and with 10 nodes cannot stand in one mesh");
  found->element_tag[found->num_elements] = tag;
  *node = found->element + (size_t)found->num_elements++ * (size_t)nodes;
  return CAROM_OK;
}

/* --- Twins --------------------------------------------------------------------------------------
 */

/* A tetrahedron by its corners. */
typedef struct twin {
  int64_t corner[4];
  int index;
} twin;

static int compare_corners(const twin* x, const twin* y) {
  for (int k = 0; k < 4; k++)
    if (x->corner[k] != y->corner[k]) return x->corner[k] < y->corner[k] ? -1 : 1;
  return 0;
}

static int compare_twins(const void* a, const void* b) {
  const twin *x = a, *y = b;
  int order = compare_corners(x, y);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* `first` [num_elements] receives the first one with the same corners. */
static bool find_first(cr_tets_reader* reader, const cr_tets_found* found, int* first) {
  twin* all = CR_PUSH(reader->arena, twin, found->num_elements);
  if (!all) return false;
  for (int e = 0; e < found->num_elements; e++) {
    const int64_t* node = found->element + (size_t)e * (size_t)found->nodes_per_element;
    all[e].index = e;
    memcpy(all[e].corner, node, sizeof all[e].corner);
  }
  qsort(all, (size_t)found->num_elements, sizeof *all, compare_twins);
  for (int e = 0; e < found->num_elements; e++) {
    bool is_twin = e > 0 && compare_corners(&all[e], &all[e - 1]) == 0;
    first[all[e].index] = is_twin ? first[all[e - 1].index] : all[e].index;
  }
  return true;
}

carom_status cr_tets_merge_twins(cr_tets_reader* reader, cr_tets_found* found) {
  int kept = 0, *place = CR_PUSH(reader->arena, int, found->num_elements);
  size_t nodes = (size_t)found->nodes_per_element;
  if (found->num_elements == 0) return CAROM_OK;
  if (!place || !find_first(reader, found, place)) return cr_error_memory(reader->error);
  for (int e = 0; e < found->num_elements; e++) {
    if (place[e] < e) {
      place[e] = place[place[e]];
      continue;
    }
    memmove(found->element + (size_t)kept * nodes, found->element + (size_t)e * nodes,
            sizeof *found->element * nodes);
    found->element_tag[kept] = found->element_tag[e];
    place[e] = kept++;
  }
  found->num_elements = kept;
  for (int i = 0; i < found->marks.count; i++) {
    cr_tets_mark* mark = CR_AT(&found->marks, cr_tets_mark, i);
    if (mark->is_element) mark->item = place[mark->item];
  }
  return CAROM_OK;
}
