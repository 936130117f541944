/* Preloaded into the program: of the allocations from main on that whose number CAROM_FAIL_AT
 * gives, from 1, fails, once; 0 fails none. At the end CAROM_COUNT_FILE receives how many there
 * were. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* glibc's own names of what is replaced here. */
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

static atomic_long count;
static atomic_bool is_started;

static int fails(void) {
  static long fail_at = -1;
  if (!atomic_load(&is_started)) return 0;
  if (fail_at < 0) {
    const char* text = getenv("CAROM_FAIL_AT");
    fail_at = text ? strtol(text, NULL, 10) : 0;
  }
  if (atomic_fetch_add(&count, 1) + 1 != fail_at) return 0;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void* calloc(size_t number, size_t size) { return fails() ? NULL : __libc_calloc(number, size); }
void* realloc(void* block, size_t size) { return fails() ? NULL : __libc_realloc(block, size); }

void* aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void** block, size_t alignment, size_t size) {
  *block = fails() ? NULL : __libc_memalign(alignment, size);
  return *block ? 0 : ENOMEM;
}

typedef int entry(int, char**, char**);

static entry* program;

static int begin(int count_of_arguments, char** arguments, char** environment) {
  atomic_store(&is_started, true);
  return program(count_of_arguments, arguments, environment);
}

/* Libraries have been set up by then, which is not the program's affair. */
int __libc_start_main(entry* main, int argc, char** argv, entry* init, void (*fini)(void),
                      void (*linker)(void), void* stack) {
  int (*next)(entry*, int, char**, entry*, void (*)(void), void (*)(void), void*);
  *(void**)&next = dlsym(RTLD_NEXT, "__libc_start_main");
  program = main;
  return next(begin, argc, argv, init, fini, linker, stack);
}

__attribute__((destructor)) static void tell(void) {
  const char* path = getenv("CAROM_COUNT_FILE");
  long total = atomic_load(&count);
  FILE* file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%ld\n", total);
  fclose(file);
}
