/* An allocator behind a mutex; see locked.h. */
#include "base/locked.h"

static void* allocate(void* user, size_t size, size_t alignment) {
  cr_locked* locked = user;
  pthread_mutex_lock(&locked->mutex);
  void* block = locked->hooks.allocate(locked->hooks.user, size, alignment);
  pthread_mutex_unlock(&locked->mutex);
  return block;
}

static void release(void* user, void* block, size_t size) {
  cr_locked* locked = user;
  pthread_mutex_lock(&locked->mutex);
  locked->hooks.release(locked->hooks.user, block, size);
  pthread_mutex_unlock(&locked->mutex);
}

void cr_locked_init(cr_locked* locked, const carom_allocator* hooks) {
  locked->hooks = cr_allocator_resolve(hooks);
  pthread_mutex_init(&locked->mutex, NULL);
}

void cr_locked_destroy(cr_locked* locked) { pthread_mutex_destroy(&locked->mutex); }

carom_allocator cr_locked_allocator(cr_locked* locked) {
  return (carom_allocator){allocate, release, locked};
}
