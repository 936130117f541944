/* Physical groups of .msh files. Version 2 gives each element the number of its group, version 4
 * the number of its entity, which may belong to several groups. */
#include "import/tets/gmsh_groups.h"

#include <stdio.h>
#include <string.h>

typedef struct group {
  int64_t tag;
  int dimension, region;
} group;

cr_gmsh_groups cr_gmsh_groups_make(void) {
  return (cr_gmsh_groups){CR_LIST_INIT(group), CR_LIST_INIT(cr_gmsh_entity)};
}

void cr_gmsh_groups_release(cr_gmsh_groups* groups, const carom_allocator* allocator) {
  cr_list_release(&groups->groups, allocator);
  cr_list_release(&groups->entities, allocator);
}

static carom_status add_group(cr_tets_reader* r, cr_tets_found* found, cr_gmsh_groups* groups,
                              group new, const char* name) {
  CR_TRY(cr_tets_find_region(r, found, name, &new.region));
  return cr_list_push(&groups->groups, &r->arena->allocator, &new) ? CAROM_OK
                                                                   : cr_error_memory(r->error);
}

carom_status cr_gmsh_find_group(cr_tets_reader* r, cr_tets_found* found, cr_gmsh_groups* groups,
                                int dimension, int64_t tag, int* region) {
  static const char* const WORD[] = {"point", "curve", "surface", "volume"};
  for (int i = groups->groups.count - 1; i >= 0; i--) {
    const group* g = CR_AT(&groups->groups, group, i);
    *region = g->region;
    if (g->dimension == dimension && g->tag == tag) return CAROM_OK;
  }
  char* name = CR_PUSH(r->arena, char, 40);
  if (name) snprintf(name, 40, "%s %lld", WORD[dimension], (long long)tag);
  CR_TRY(add_group(r, found, groups, (group){.tag = tag, .dimension = dimension}, name));
  *region = CR_AT(&groups->groups, group, groups->groups.count - 1)->region;
  return CAROM_OK;
}

/* --- Names --------------------------------------------------------------------------------------
 */

/* What stands between quotes in the rest of the line; null without memory. */
static carom_status read_name(cr_tets_reader* r, const char** name) {
  size_t rest = strcspn(r->at, "\n");
  const char* open = memchr(r->at, '"', rest);
  const char* close = open ? memchr(open + 1, '"', (size_t)(r->at + rest - open - 1)) : NULL;
  if (!close) return cr_tets_refuse(r, "the name of a physical group is not between quotes");
  size_t length = (size_t)(close - open - 1);
  char* text = CR_PUSH(r->arena, char, length + 1);
  if (!text) return cr_error_memory(r->error);
  memcpy(text, open + 1, length);
  text[length] = '\0';
  r->at = close + 1;
  *name = text;
  return CAROM_OK;
}

static carom_status read_dimension(cr_tets_reader* r, int64_t* dimension) {
  CR_TRY(cr_tets_read_int(r, CR_TETS_INT32, "the dimension", dimension));
  if (*dimension >= 0 && *dimension <= 3) return CAROM_OK;
  return cr_tets_refuse(r, "the dimension is %lld, must be from 0 to 3", (long long)*dimension);
}

/* Text, also in files of bytes. */
static carom_status read_names(cr_tets_reader* r, cr_tets_found* found, cr_gmsh_groups* groups) {
  int count = 0;
  CR_TRY(cr_tets_read_count(r, CR_TETS_NO_TYPE, "the number of names", &count));
  for (int i = 0; i < count; i++) {
    int64_t dimension = 0, tag = 0;
    const char* name = NULL;
    CR_TRY(read_dimension(r, &dimension));
    CR_TRY(cr_tets_read_int(r, CR_TETS_NO_TYPE, "the number of a physical group", &tag));
    CR_TRY(read_name(r, &name));
    CR_TRY(add_group(r, found, groups, (group){.tag = tag, .dimension = (int)dimension}, name));
  }
  return CAROM_OK;
}

carom_status cr_gmsh_read_names(cr_tets_reader* r, cr_tets_found* found, cr_gmsh_groups* groups) {
  bool is_binary = r->is_binary;
  if (!cr_tets_find(r, "$PhysicalNames")) return CAROM_OK;
  r->is_binary = false;
  CR_TRY(read_names(r, found, groups));
  r->is_binary = is_binary;
  return CAROM_OK;
}

/* --- Entities -----------------------------------------------------------------------------------
 */

/* Its number, its place or bounds, its groups, and what bounds it. */
static carom_status read_entity(cr_tets_reader* r, cr_tets_found* found, cr_gmsh_groups* groups,
                                int dimension) {
  cr_gmsh_entity entity = {.dimension = dimension};
  double bound = 0;
  int64_t tag = 0;
  int count = 0;
  CR_TRY(cr_tets_read_int(r, CR_TETS_INT32, "the number of an entity", &entity.tag));
  for (int k = 0; k < (dimension ? 6 : 3); k++)
    CR_TRY(cr_tets_read_real(r, CR_TETS_FLOAT64, "a bound", &bound));
  CR_TRY(cr_tets_read_count(r, CR_TETS_UINT64, "the number of physical groups", &count));
  for (int k = 0; k < count; k++) {
    CR_TRY(cr_tets_read_int(r, CR_TETS_INT32, "the number of a physical group", &tag));
    CR_TRY(cr_gmsh_find_group(r, found, groups, dimension, tag < 0 ? -tag : tag, &entity.region));
    if (!cr_list_push(&groups->entities, &r->arena->allocator, &entity))
      return cr_error_memory(r->error);
  }
  if (dimension > 0)
    CR_TRY(cr_tets_read_count(r, CR_TETS_UINT64, "the number of bounding entities", &count));
  for (int k = 0; dimension > 0 && k < count; k++)
    CR_TRY(cr_tets_read_int(r, CR_TETS_INT32, "the number of an entity", &tag));
  return CAROM_OK;
}

carom_status cr_gmsh_read_entities(cr_tets_reader* r, cr_tets_found* found,
                                   cr_gmsh_groups* groups) {
  int count[4] = {0};
  if (!cr_tets_find(r, "$Entities")) return CAROM_OK;
  if (r->is_binary) cr_tets_skip_line(r);
  for (int d = 0; d < 4; d++)
    CR_TRY(cr_tets_read_count(r, CR_TETS_UINT64, "the number of entities", &count[d]));
  for (int d = 0; d < 4; d++)
    for (int i = 0; i < count[d]; i++) CR_TRY(read_entity(r, found, groups, d));
  return CAROM_OK;
}
