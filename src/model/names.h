/* Names of parts, unique within their kind, found in constant time. */
#ifndef CR_MODEL_NAMES_H
#define CR_MODEL_NAMES_H

#include "base/shared.h"
#include "model/list.h"

#include <stdint.h>

/* What a name belongs to. */
typedef enum cr_part {
  CR_PART_BODY,
  CR_PART_JOINT,
  CR_PART_GEOM,
  CR_PART_ACTUATOR,
  CR_PART_EQUALITY,
  CR_PART_SPRING,
  CR_PART_KEYFRAME,
  CR_PART_TENDON,
  CR_PART_SITE,
  CR_PART_SOFT,
  CR_PART_SENSOR,
  CR_PART_ATTACHMENT, /* found in models; a builder does not ask that they are unique */
  CR_NUM_PARTS,
} cr_part;

/* A name in use. `kind` is a cr_part, or any other number its user likes. */
typedef struct cr_name {
  int kind;
  int text; /* offset into the pool */
  int id;
} cr_name;

/* Open addressing with linear probing; `slots` holds indices into `names`, -1 where empty. */
typedef struct cr_name_table {
  cr_list names; /* of cr_name */
  int* slots;
  int num_slots; /* a power of two, or zero */
} cr_name_table;

#define CR_NAME_TABLE_INIT ((cr_name_table){.names = CR_LIST_INIT(cr_name)})

/* Hash of a name of a kind. */
uint64_t cr_name_hash(int kind, const char* name);

/* The slots that hold `count` names at most half full. */
int cr_name_slots(int count);

/* The id under which a name is known, or -1. */
CR_SHARED int cr_name_find(const cr_name_table* table, const cr_text* text, int kind,
                           const char* name);

/* Makes room for one more name, so that the next cr_name_add succeeds; false without memory. */
CR_SHARED bool cr_name_reserve(cr_name_table* table, const carom_allocator* allocator,
                               const cr_text* text);

/* Adds a name whose text stands in the pool and that is not known yet; false without memory. */
CR_SHARED bool cr_name_add(cr_name_table* table, const carom_allocator* allocator,
                           const cr_text* text, int kind, int offset, int id);

/* As cr_list_copy. */
bool cr_name_copy(const cr_name_table* table, const carom_allocator* allocator,
                  cr_name_table* copy);

CR_SHARED void cr_name_release(cr_name_table* table, const carom_allocator* allocator);

#endif
