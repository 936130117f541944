/* Growing arrays and a pool of strings, for descriptions under construction. */
#ifndef CR_MODEL_LIST_H
#define CR_MODEL_LIST_H

#include "base/alloc.h"
#include "base/shared.h"

/* An array of `size`-byte elements that grows at its end; elements move when it grows. */
typedef struct cr_list {
  void* items;
  int count, capacity;
  size_t size;
} cr_list;

#define CR_LIST_INIT(type) ((cr_list){.size = sizeof(type)})

/* Element `i` as a pointer to `type`. */
#define CR_AT(list, type, i) (&((type*)(list)->items)[i])

/* Makes room for `extra` more elements; false without memory. */
bool cr_list_reserve(cr_list* list, const carom_allocator* allocator, int extra);

/* Copies an element to the end; false, and unchanged, without memory. */
CR_SHARED bool cr_list_push(cr_list* list, const carom_allocator* allocator, const void* element);

/* A list of its own with the same elements, and no room to spare; false, and empty, without memory.
 */
bool cr_list_copy(const cr_list* list, const carom_allocator* allocator, cr_list* copy);

CR_SHARED void cr_list_release(cr_list* list, const carom_allocator* allocator);

/* Zero-terminated strings one after another; they are named by their offset, because the bytes
 * move. */
typedef struct cr_text {
  char* bytes;
  int count, capacity;
} cr_text;

/* Copies a string into the pool and returns its offset; -1 without memory. */
CR_SHARED int cr_text_add(cr_text* text, const carom_allocator* allocator, const char* string);

/* The string at an offset; `none` where the offset is -1. */
static inline const char* cr_text_get(const cr_text* text, int offset, const char* none) {
  return offset < 0 ? none : text->bytes + offset;
}

/* As cr_list_copy; offsets stay. */
bool cr_text_copy(const cr_text* text, const carom_allocator* allocator, cr_text* copy);

CR_SHARED void cr_text_release(cr_text* text, const carom_allocator* allocator);

#endif
