/* Counting and failing allocator hooks. Each block is preceded by one line that holds its size. */
#include "support/memory.h"

#include "support/check.h"

#include "carom/model.h"
#include "carom/scene.h"

#include <stdlib.h>
#include <string.h>

#define HEADER 64

static void* allocate(void* user, size_t size, size_t alignment) {
  check_memory* memory = user;
  int number = memory->num_allocations++;
  assert_true(alignment <= HEADER);
  if (memory->fail_at >= 0 && number >= memory->fail_at) return NULL;
  char* start = aligned_alloc(HEADER, HEADER + (size + HEADER - 1) / HEADER * HEADER);
  if (!start) return NULL;
  *(size_t*)start = size;
  memset(start + HEADER, memory->fill, size);
  memory->num_blocks++;
  memory->num_bytes += size;
  return start + HEADER;
}

static void release(void* user, void* block, size_t size) {
  check_memory* memory = user;
  if (!block) return;
  char* start = (char*)block - HEADER;
  if (*(size_t*)start != size)
    fail_msg("a block of %zu bytes was released as %zu", *(size_t*)start, size);
  memory->num_blocks--;
  memory->num_bytes -= size;
  free(start);
}

check_memory check_memory_make(void) { return (check_memory){.fill = 0xcd, .fail_at = -1}; }

carom_allocator check_memory_hooks(check_memory* memory) {
  return (carom_allocator){allocate, release, memory};
}

void check_memory_expect_empty_at(const check_memory* memory, const char* file, int line) {
  if (memory->num_blocks == 0 && memory->num_bytes == 0) return;
  print_error("%d blocks, %zu bytes were not released\n", memory->num_blocks, memory->num_bytes);
  _fail(file, line);
}

void check_memory_of_loading(const char* text, int least) {
  check_memory memory = check_memory_make();
  carom_load_def def = carom_load_def_default();
  carom_status status = CAROM_ERROR_OUT_OF_MEMORY;
  for (int fail_at = 0; status != CAROM_OK; fail_at++) {
    carom_model* model;
    carom_error error;
    memory.num_allocations = 0;
    memory.fail_at = fail_at;
    def.allocator = check_memory_hooks(&memory);
    status = carom_model_load_string(text, strlen(text), "scene.xml", &def, &model, &error);
    if (status != CAROM_OK && status != CAROM_ERROR_OUT_OF_MEMORY) fail_msg("%s", error.message);
    carom_model_destroy(model);
    check_memory_expect_empty(&memory);
  }
  assert_true(memory.num_allocations > least);
}
