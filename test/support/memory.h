/* Allocator hooks that count, check the sizes handed back, and fail on demand. */
#ifndef CR_TEST_MEMORY_H
#define CR_TEST_MEMORY_H

#include "carom/allocator.h"

#include <stddef.h>

typedef struct check_memory {
  int num_allocations; /* so far, failed ones included */
  int num_blocks;      /* in use */
  size_t num_bytes;    /* in use */
  unsigned char fill;  /* what is in the bytes of a block that is given out */
  int fail_at;         /* the allocation with this number, from zero, and all later ones fail;
                          -1: none */
} check_memory;

check_memory check_memory_make(void);

/* Hooks that use `memory`, which must outlive them. */
carom_allocator check_memory_hooks(check_memory* memory);

/* Loads a scene again and again, each time with another allocation that fails, until none does:
 * only CAROM_ERROR_OUT_OF_MEMORY comes, and everything is given back. More than `least` allocations
 * are made at last. */
void check_memory_of_loading(const char* text, int least);

/* Fails unless everything was given back. */
#define check_memory_expect_empty(memory) check_memory_expect_empty_at((memory), __FILE__, __LINE__)
void check_memory_expect_empty_at(const check_memory* memory, const char* file, int line);

#endif
