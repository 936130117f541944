/* Bytes in memory that grow. */
#include "io/buffer.h"

#include <string.h>

static bool reserve(cr_buffer* b, size_t count) {
  if (b->out_of_memory) return false;
  if (b->count + count <= b->capacity) return true;
  size_t capacity = 2 * (b->count + count) + 1024;
  char* grown = cr_realloc(b->allocator, b->bytes, b->capacity, capacity);
  b->out_of_memory = !grown;
  if (!grown) return false;
  b->bytes = grown, b->capacity = capacity;
  return true;
}

void* cr_buffer_extend(cr_buffer* buffer, size_t count) {
  if (!reserve(buffer, count)) return NULL;
  void* room = buffer->bytes + buffer->count;
  buffer->count += count;
  return room;
}

void cr_buffer_append(cr_buffer* buffer, const void* bytes, size_t count) {
  void* room = cr_buffer_extend(buffer, count);
  if (room && count) memcpy(room, bytes, count);
}

void cr_buffer_free(cr_buffer* buffer) {
  cr_release(buffer->allocator, buffer->bytes, buffer->capacity);
  *buffer = (cr_buffer){.allocator = buffer->allocator};
}
