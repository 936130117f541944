/* Gmsh's physical groups: names of regions, and which entities belong to which. */
#ifndef CR_IMPORT_TETS_GMSH_GROUPS_H
#define CR_IMPORT_TETS_GMSH_GROUPS_H

#include "import/tets/reader.h"

typedef struct cr_gmsh_groups {
  cr_list groups;   /* of their numbers and regions */
  cr_list entities; /* of version 4 */
} cr_gmsh_groups;

cr_gmsh_groups cr_gmsh_groups_make(void);
void cr_gmsh_groups_release(cr_gmsh_groups* groups, const carom_allocator* allocator);

/* $PhysicalNames, where they are. */
carom_status cr_gmsh_read_names(cr_tets_reader* r, cr_tets_found* found, cr_gmsh_groups* groups);

/* $Entities of version 4, where they are. */
carom_status cr_gmsh_read_entities(cr_tets_reader* r, cr_tets_found* found, cr_gmsh_groups* groups);

/* The region of a physical group; without a name it is called "surface 3" and the like. */
carom_status cr_gmsh_find_group(cr_tets_reader* r, cr_tets_found* found, cr_gmsh_groups* groups,
                                int dimension, int64_t tag, int* region);

/* The regions of an entity: pairs of it and one region, from the first one on. */
typedef struct cr_gmsh_entity {
  int64_t tag;
  int dimension, region;
} cr_gmsh_entity;

static inline const cr_gmsh_entity* cr_gmsh_next_entity(const cr_gmsh_groups* groups, int* next,
                                                        int64_t dimension, int64_t tag) {
  while (*next < groups->entities.count) {
    const cr_gmsh_entity* e = CR_AT(&groups->entities, cr_gmsh_entity, (*next)++);
    if (e->dimension == dimension && e->tag == tag) return e;
  }
  return NULL;
}

#endif
