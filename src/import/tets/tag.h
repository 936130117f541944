/* Nodes by the numbers that a file gives them. */
#ifndef CR_IMPORT_TETS_TAG_H
#define CR_IMPORT_TETS_TAG_H

#include "import/tets/reader.h"

/* A node's number in the file and its place there. */
typedef struct cr_tets_tag {
  int64_t tag;
  int place;
} cr_tets_tag;

/* All nodes by rising numbers, in the arena; two with one number are refused. */
carom_status cr_tets_sort_tags(cr_tets_reader* reader, const cr_tets_found* found,
                               cr_tets_tag** sorted);

/* The place of a number, -1 where no node has it. */
int cr_tets_find_place(const cr_tets_tag* sorted, int count, int64_t tag);

#endif
