/* What constraints carry from step to step, found again by key: impulses for the warm start,
 * elastic displacements of anchored friction. */
#ifndef CR_SIM_MEMORY_H
#define CR_SIM_MEMORY_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stdint.h>

/* Identity of a constraint: what it is between, and which point of it. */
typedef struct cr_contact_key {
  uint64_t pair;    /* two geometries; or a kind and an index, see CR_KEY_* */
  uint32_t feature; /* point of the patch, or row */
  uint32_t
      moment; /* 0: a force; of a contact 1: its moments, or torsion alone, 2: rolling alone; 32
                 bits, since records are saved byte by byte, so that no byte may be undefined */
} cr_contact_key;

/* Keys of constraints that are no contacts: the top bits tell the kind apart from geometries. */
#define CR_KEY_LIMIT    (UINT64_C(1) << 62)
#define CR_KEY_EQUALITY (UINT64_C(2) << 62)
#define CR_KEY_DOF      (UINT64_C(3) << 62)

/* Feature bit of the friction half of a contact that is split in two. */
#define CR_KEY_FRICTION (UINT32_C(1) << 31)

typedef struct cr_contact_record {
  cr_contact_key key;
  double impulse[3]; /* N s: contacts in world axes, N m s of moments; others the row's own in the
                        first entry */
  double gap;        /* m, of a contact: how far apart it has left what it pushed, else 0 */
  double recovery; /* share of its recovery's speed that did not press on others in vain, (0, 1] */
  double slip[3];  /* m/s, of a contact that stays: tangential velocity of its rows, world; NaN: not
                      known */
  double rise;     /* m/s, of the same: normal velocity; NaN: not known */
  double began[2][3]; /* m/s, of the same: both at the start of this step and of the one before, see
                         rolling.h; NaN: not known */
  double stretch[3];  /* m, elastic displacement along the tangents, in the frame of `link` */
  double place[3];    /* m, where that was, likewise */
  int link;           /* see anchor.h */
  unsigned is_hit : 1;  /* it had an impact: what is left of the approach ends in the next step */
  unsigned shared : 31; /* the number of the undetermined force that it shares; 0: none */
} cr_contact_record;

/* Records sorted by key. */
typedef struct cr_contact_memory {
  int count, capacity;
  cr_contact_record* records;
  double dt; /* s, of the step that left them */
} cr_contact_memory;

int cr_contact_key_compare(cr_contact_key a, cr_contact_key b);

/* The record of a key, or null. */
const cr_contact_record* cr_contact_memory_find(const cr_contact_memory* memory,
                                                cr_contact_key key);

/* The same where keys are asked for in ascending order: `place`, 0 to begin with, goes along. */
const cr_contact_record* cr_contact_memory_follow(const cr_contact_memory* memory,
                                                  cr_contact_key key, int* place);

/* The record of a key, or null; found at once where keys are asked for in about the order of the
 * records. `place`, 0 to begin with, is where the last one was. */
const cr_contact_record* cr_contact_memory_find_near(const cr_contact_memory* memory,
                                                     cr_contact_key key, int* place);

/* The records of a pair: the first, and how many there are. */
int cr_contact_memory_find_pair(const cr_contact_memory* memory, uint64_t pair,
                                const cr_contact_record** first);

/* Empties the memory and makes room; false when memory ran out (the contents are then as before).
 */
bool cr_contact_memory_start(cr_contact_memory* memory, const carom_allocator* allocator, int count,
                             double dt);

/* Appends a record, and returns it to be written; the order is set by cr_contact_memory_sort. */
static inline cr_contact_record* cr_contact_memory_append(cr_contact_memory* memory) {
  return &memory->records[memory->count++];
}
void cr_contact_memory_add(cr_contact_memory* memory, const cr_contact_record* record);
void cr_contact_memory_sort(cr_contact_memory* memory);

void cr_contact_memory_destroy(cr_contact_memory* memory, const carom_allocator* allocator);

#endif
