/* What the readers of tetrahedral meshes share: a cursor in text or bytes, and what has been read.
 *
 * Files of bytes have lines of text as well: what of a file is in bytes is read while `is_binary`
 * is set. The same calls read both forms; the type of a number matters in bytes only. */
#ifndef CR_IMPORT_TETS_READER_H
#define CR_IMPORT_TETS_READER_H

#include "base/arena.h"
#include "base/error.h"
#include "model/list.h"

#include <stdint.h>

typedef enum cr_tets_type {
  CR_TETS_INT8,
  CR_TETS_UINT8,
  CR_TETS_INT16,
  CR_TETS_UINT16,
  CR_TETS_INT32,
  CR_TETS_UINT32,
  CR_TETS_INT64,
  CR_TETS_UINT64,
  CR_TETS_FLOAT32,
  CR_TETS_FLOAT64,
  CR_TETS_NO_TYPE,
} cr_tets_type;

typedef struct cr_tets_reader {
  const char* name;            /* of the file, for sentences */
  const char *text, *at, *end; /* a zero stands at the end */
  int line;                    /* of the file, where the text is an excerpt; 0: it is the file */
  bool is_binary, is_swapped;
  cr_arena* arena;
  carom_error* error; /* never null */
} cr_tets_reader;

/* A node or an element that belongs to a region. */
typedef struct cr_tets_mark {
  int region;
  bool is_element; /* the number of a tetrahedron found; else of a node as the file has it */
  int64_t item;
} cr_tets_mark;

/* A triangle of a surface, by the file's numbers. */
typedef struct cr_tets_triangle {
  int64_t tag, node[3];
} cr_tets_triangle;

/* Nodes and tetrahedra as the file has them; or nodes and triangles. */
typedef struct cr_tets_found {
  int num_nodes, num_elements;
  int num_triangles;     /* that are passed over */
  int nodes_per_element; /* 4, 10; 0: none yet */
  int64_t* tag;          /* [num_nodes] the file's numbers, or null: from zero in order */
  double (*node)[3];
  int64_t* element;     /* [num_elements, nodes_per_element] by the file's numbers, in our order */
  int64_t* element_tag; /* [num_elements] the file's numbers */
  cr_list regions;      /* of const char*, their names */
  cr_list marks;        /* of cr_tets_mark */
  cr_list* triangles;   /* of cr_tets_triangle: they are kept, solids are passed over; or null */
} cr_tets_found;

/* Copies a file's bytes into the arena, with a zero behind them, and puts the cursor on the first.
 * Name, arena and error of the reader are set. */
carom_status cr_tets_open(cr_tets_reader* reader, const void* data, size_t size);

/* "name:line: ..." as bad input, with the line or the byte of the cursor. */
CR_PRINTF(2, 3)
carom_status cr_tets_refuse(const cr_tets_reader* reader, const char* format, ...);

/* Puts the cursor behind the first line that begins with the word, from the start of the text;
 * whether there is one. */
bool cr_tets_find(cr_tets_reader* reader, const char* word);

/* Whether the next word of a text is this one; the cursor goes behind it then. */
bool cr_tets_accept(cr_tets_reader* reader, const char* word);

/* The next word of a text, in the arena; `what` names it in sentences. */
carom_status cr_tets_read_word(cr_tets_reader* reader, const char* what, char** word);

/* The next number; `what` names it in sentences. Of any: it may be infinite or not a number. */
carom_status cr_tets_read_any(cr_tets_reader* reader, cr_tets_type type, const char* what,
                              double* value);
carom_status cr_tets_read_real(cr_tets_reader* reader, cr_tets_type type, const char* what,
                               double* value);
carom_status cr_tets_read_int(cr_tets_reader* reader, cr_tets_type type, const char* what,
                              int64_t* value);

/* A number of things that take at least two characters, or four bytes, each of what follows. */
carom_status cr_tets_read_count(cr_tets_reader* reader, cr_tets_type type, const char* what,
                                int* count);

/* The three coordinates of a node that the file calls `number`. */
carom_status cr_tets_read_point(cr_tets_reader* reader, cr_tets_type type, int64_t number,
                                double point[3]);

void cr_tets_skip_line(cr_tets_reader* reader);

/* Bytes of a number; 0 for CR_TETS_NO_TYPE. */
size_t cr_tets_size_of(cr_tets_type type);

/* A region of this name, which is made where there is none yet; the name is kept, not copied. */
carom_status cr_tets_find_region(cr_tets_reader* reader, cr_tets_found* found, const char* name,
                                 int* region);
carom_status cr_tets_mark_item(cr_tets_reader* reader, cr_tets_found* found, cr_tets_mark mark);

/* Room for a further tetrahedron, whose nodes `node` receives; `most` are there in all. */
carom_status cr_tets_add_element(cr_tets_reader* reader, cr_tets_found* found, int nodes, int most,
                                 int64_t tag, int64_t** node);

/* Makes one of tetrahedra that have the same nodes in the same order, with the regions of all. */
carom_status cr_tets_merge_twins(cr_tets_reader* reader, cr_tets_found* found);

carom_status cr_gmsh_read(cr_tets_reader* reader, cr_tets_found* found);
carom_status cr_vtk_read(cr_tets_reader* reader, cr_tets_found* found);
carom_status cr_vtu_read(cr_tets_reader* reader, cr_tets_found* found);

#endif
