/* Names by hash: FNV-1a over kind and bytes, open addressing, linear probing, at most half full. */
#include "model/names.h"

#include "base/hash.h"

#include <limits.h>
#include <string.h>

uint64_t cr_name_hash(int kind, const char* name) {
  return cr_hash_bytes(cr_hash_u64(CR_HASH_SEED, (uint64_t)kind), name, strlen(name));
}

int cr_name_slots(int count) {
  int slots = 16;
  while (slots < INT_MAX / 4 && slots / 2 < count) slots *= 2;
  return slots;
}

/* The slot that holds the name, or the empty one where it would stand. */
static int find_slot(const cr_name_table* table, const cr_text* text, int kind, const char* name) {
  unsigned mask = (unsigned)table->num_slots - 1;
  unsigned slot = (unsigned)cr_name_hash(kind, name) & mask;
  while (table->slots[slot] >= 0) {
    const cr_name* known = CR_AT(&table->names, cr_name, table->slots[slot]);
    if (known->kind == kind && strcmp(text->bytes + known->text, name) == 0) break;
    slot = (slot + 1) & mask;
  }
  return (int)slot;
}

int cr_name_find(const cr_name_table* table, const cr_text* text, int kind, const char* name) {
  if (!table->num_slots) return -1;
  int index = table->slots[find_slot(table, text, kind, name)];
  return index < 0 ? -1 : CR_AT(&table->names, cr_name, index)->id;
}

/* Puts every known name into a larger table. */
static bool rehash(cr_name_table* table, const carom_allocator* allocator, const cr_text* text,
                   int num_slots) {
  int* slots = cr_alloc(allocator, (size_t)num_slots * sizeof(int));
  if (!slots) return false;
  memset(slots, -1, (size_t)num_slots * sizeof(int));
  cr_release(allocator, table->slots, (size_t)table->num_slots * sizeof(int));
  table->slots = slots;
  table->num_slots = num_slots;
  for (int i = 0; i < table->names.count; i++) {
    const cr_name* name = CR_AT(&table->names, cr_name, i);
    slots[find_slot(table, text, name->kind, text->bytes + name->text)] = i;
  }
  return true;
}

bool cr_name_reserve(cr_name_table* table, const carom_allocator* allocator, const cr_text* text) {
  if (!cr_list_reserve(&table->names, allocator, 1)) return false;
  int wanted = cr_name_slots(table->names.count + 1);
  return wanted <= table->num_slots || rehash(table, allocator, text, wanted);
}

bool cr_name_add(cr_name_table* table, const carom_allocator* allocator, const cr_text* text,
                 int kind, int offset, int id) {
  if (!cr_name_reserve(table, allocator, text)) return false;
  int slot = find_slot(table, text, kind, text->bytes + offset);
  table->slots[slot] = table->names.count;
  return cr_list_push(&table->names, allocator, &(cr_name){kind, offset, id});
}

bool cr_name_copy(const cr_name_table* table, const carom_allocator* allocator,
                  cr_name_table* copy) {
  *copy = CR_NAME_TABLE_INIT;
  size_t bytes = (size_t)table->num_slots * sizeof(int);
  if (table->num_slots == 0) return true;
  if (!cr_list_copy(&table->names, allocator, &copy->names)) return false;
  copy->slots = cr_alloc(allocator, bytes);
  if (!copy->slots) return false;
  memcpy(copy->slots, table->slots, bytes);
  copy->num_slots = table->num_slots;
  return true;
}

void cr_name_release(cr_name_table* table, const carom_allocator* allocator) {
  cr_list_release(&table->names, allocator);
  cr_release(allocator, table->slots, (size_t)table->num_slots * sizeof(int));
  *table = CR_NAME_TABLE_INIT;
}
