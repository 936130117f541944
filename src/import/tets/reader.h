/* What the readers of tetrahedral meshes share: a cursor in a text, and what has been read. */
#ifndef CR_IMPORT_TETS_READER_H
#define CR_IMPORT_TETS_READER_H

#include "base/arena.h"
#include "base/error.h"

#include <stdint.h>

typedef struct cr_tets_reader {
  const char* name; /* of the file, for sentences */
  const char *text, *at, *end;
  cr_arena* arena;
  carom_error* error; /* never null */
} cr_tets_reader;

/* Nodes and tetrahedra as the file has them. */
typedef struct cr_tets_found {
  int num_nodes, num_elements;
  int nodes_per_element; /* 4, 10; 0: none yet */
  int64_t* tag;          /* [num_nodes] the file's numbers, or null: from zero in order */
  double (*node)[3];
  int64_t* element; /* [num_elements, nodes_per_element] by the file's numbers, in our order */
} cr_tets_found;

/* "name:line: ..." as bad input, with the line of the cursor. */
CR_PRINTF(2, 3)
carom_status cr_tets_refuse(const cr_tets_reader* reader, const char* format, ...);

/* Puts the cursor behind the first line that begins with the word, from the start of the text;
 * whether there is one. */
bool cr_tets_find(cr_tets_reader* reader, const char* word);

/* Whether the next word is this one; the cursor goes behind it then. */
bool cr_tets_accept(cr_tets_reader* reader, const char* word);

/* The next word as a number; `what` names it in sentences. */
carom_status cr_tets_read_real(cr_tets_reader* reader, const char* what, double* value);
carom_status cr_tets_read_int(cr_tets_reader* reader, const char* what, int64_t* value);

/* A number of things that take at least two characters each of the rest of the file. */
carom_status cr_tets_read_count(cr_tets_reader* reader, const char* what, int* count);

carom_status cr_tets_read_point(cr_tets_reader* reader, double point[3]);

void cr_tets_skip_line(cr_tets_reader* reader);

carom_status cr_gmsh_read(cr_tets_reader* reader, cr_tets_found* found);
carom_status cr_vtk_read(cr_tets_reader* reader, cr_tets_found* found);

#endif
