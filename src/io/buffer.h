/* Bytes in memory that grow. Exhausted memory is kept until the end. */
#ifndef CR_IO_BUFFER_H
#define CR_IO_BUFFER_H

#include "base/alloc.h"

typedef struct cr_buffer {
  const carom_allocator* allocator;
  char* bytes;
  size_t count, capacity;
  bool out_of_memory;
} cr_buffer;

/* Room for more bytes at the end, which count from then on; null when memory ran out. */
void* cr_buffer_extend(cr_buffer* buffer, size_t count);

void cr_buffer_append(cr_buffer* buffer, const void* bytes, size_t count);
void cr_buffer_free(cr_buffer* buffer);

#endif
