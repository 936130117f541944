/* Growing arrays and a pool of strings; both double, so that n additions cost O(n). */
#include "model/list.h"

#include <limits.h>
#include <string.h>

/* The capacity to grow to, or 0 when an int cannot count it. */
static int next_capacity(int capacity, int wanted) {
  int grown = capacity > 0 ? capacity : 16;
  while (grown < wanted) {
    if (grown > INT_MAX / 2) return 0;
    grown *= 2;
  }
  return grown;
}

bool cr_list_reserve(cr_list* list, const carom_allocator* allocator, int extra) {
  if (extra > INT_MAX - list->count) return false;
  if (list->count + extra <= list->capacity) return true;
  int capacity = next_capacity(list->capacity, list->count + extra);
  if (!capacity) return false;
  void* grown = cr_realloc(allocator, list->items, (size_t)list->capacity * list->size,
                           (size_t)capacity * list->size);
  if (!grown) return false;
  list->items = grown;
  list->capacity = capacity;
  return true;
}

bool cr_list_push(cr_list* list, const carom_allocator* allocator, const void* element) {
  if (!cr_list_reserve(list, allocator, 1)) return false;
  memcpy((char*)list->items + (size_t)list->count * list->size, element, list->size);
  list->count++;
  return true;
}

bool cr_list_copy(const cr_list* list, const carom_allocator* allocator, cr_list* copy) {
  *copy = (cr_list){.size = list->size};
  if (list->count == 0) return true;
  copy->items = cr_alloc(allocator, (size_t)list->count * list->size);
  if (!copy->items) return false;
  memcpy(copy->items, list->items, (size_t)list->count * list->size);
  copy->count = copy->capacity = list->count;
  return true;
}

void cr_list_release(cr_list* list, const carom_allocator* allocator) {
  cr_release(allocator, list->items, (size_t)list->capacity * list->size);
  *list = (cr_list){.size = list->size};
}

int cr_text_add(cr_text* text, const carom_allocator* allocator, const char* string) {
  size_t length = strlen(string) + 1;
  if (length > (size_t)(INT_MAX - text->count)) return -1;
  int wanted = text->count + (int)length;
  if (wanted > text->capacity) {
    int capacity = next_capacity(text->capacity, wanted);
    if (!capacity) return -1;
    char* grown = cr_realloc(allocator, text->bytes, (size_t)text->capacity, (size_t)capacity);
    if (!grown) return -1;
    text->bytes = grown;
    text->capacity = capacity;
  }
  int offset = text->count;
  memcpy(text->bytes + offset, string, length);
  text->count = wanted;
  return offset;
}

bool cr_text_copy(const cr_text* text, const carom_allocator* allocator, cr_text* copy) {
  *copy = (cr_text){0};
  if (text->count == 0) return true;
  copy->bytes = cr_alloc(allocator, (size_t)text->count);
  if (!copy->bytes) return false;
  memcpy(copy->bytes, text->bytes, (size_t)text->count);
  copy->count = copy->capacity = text->count;
  return true;
}

void cr_text_release(cr_text* text, const carom_allocator* allocator) {
  cr_release(allocator, text->bytes, (size_t)text->capacity);
  *text = (cr_text){0};
}
