/* Gmsh's kinds of elements, by their numbers in files. */
#ifndef CR_IMPORT_TETS_GMSH_KIND_H
#define CR_IMPORT_TETS_GMSH_KIND_H

#include <stdint.h>

enum { CR_GMSH_MOST_NODES = 125 };

typedef struct cr_gmsh_kind {
  int nodes, dimension;
  const char* name;
} cr_gmsh_kind;

/* Null where the number is not known. */
const cr_gmsh_kind* cr_gmsh_find_kind(int64_t type);

#endif
