/* Threads that wait for work. All of its fields are written under one mutex: tasks are few and
 * long. Threads sleep between runs, but not at once: to wake one takes longer than many a pause
 * between two runs. The caller of a run takes tasks too, and the first of them at once. */
#include "base/error.h"
#include "base/pause.h"
#include "base/tasks.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

struct cr_threads {
  carom_allocator allocator;
  pthread_mutex_t mutex;
  pthread_cond_t start; /* there are tasks, or the end has come */
  pthread_cond_t done;  /* the last task has returned */
  carom_task* task;
  void* data;
  int count, next;
  _Atomic int unfinished;
  _Atomic unsigned runs; /* begun so far, the end counts as one */
  bool is_ending;
  int num_threads, capacity;
  pthread_t thread[]; /* [capacity] */
};

/* Takes tasks until none is left. Called, and left, with the mutex held. */
static void work(cr_threads* pool) {
  while (pool->next < pool->count) {
    int index = pool->next++;
    pthread_mutex_unlock(&pool->mutex);
    pool->task(pool->data, index);
    pthread_mutex_lock(&pool->mutex);
    if (--pool->unfinished == 0) pthread_cond_signal(&pool->done);
  }
}

/* Waits until another run has begun. Called, and left, with the mutex held. */
static void wait_for_run(cr_threads* pool) {
  unsigned runs = pool->runs;
  pthread_mutex_unlock(&pool->mutex);
  for (int round = 0; round < CR_PAUSE_ROUNDS && pool->runs == runs; round++) cr_pause(round);
  pthread_mutex_lock(&pool->mutex);
  while (pool->runs == runs) pthread_cond_wait(&pool->start, &pool->mutex);
}

static void* live(void* user) {
  cr_threads* pool = user;
  pthread_mutex_lock(&pool->mutex);
  for (;;) {
    work(pool);
    if (pool->is_ending) break;
    wait_for_run(pool);
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

/* Waits until the last task has returned. Called, and left, without the mutex. */
static void wait_for_tasks(cr_threads* pool) {
  for (int round = 0; round < CR_PAUSE_ROUNDS && pool->unfinished; round++) cr_pause(round);
  pthread_mutex_lock(&pool->mutex);
  while (pool->unfinished) pthread_cond_wait(&pool->done, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
}

static void run(void* user, int count, carom_task* task, void* data) {
  cr_threads* pool = user;
  pthread_mutex_lock(&pool->mutex);
  pool->task = task, pool->data = data;
  pool->count = count, pool->next = 0;
  pool->unfinished = count;
  pool->runs++;
  for (int i = 0; i < pool->num_threads && i + 1 < count; i++) pthread_cond_signal(&pool->start);
  work(pool);
  pthread_mutex_unlock(&pool->mutex);
  wait_for_tasks(pool);
}

/* The threads take no signals: these belong to the host. */
static bool start_threads(cr_threads* pool) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (pool->num_threads < pool->capacity &&
         pthread_create(&pool->thread[pool->num_threads], NULL, live, pool) == 0)
    pool->num_threads++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return pool->num_threads == pool->capacity;
}

static size_t size_of_threads(int capacity) {
  return sizeof(cr_threads) + sizeof(pthread_t) * (size_t)capacity;
}

carom_status cr_threads_create(const carom_allocator* allocator, int count, cr_threads** pool,
                               carom_error* error) {
  carom_allocator resolved = cr_allocator_resolve(allocator);
  cr_threads* made = cr_alloc_zero(&resolved, size_of_threads(count - 1));
  *pool = NULL;
  if (!made) return cr_error_memory(error);
  made->allocator = resolved;
  made->capacity = count - 1;
  pthread_mutex_init(&made->mutex, NULL);
  pthread_cond_init(&made->start, NULL);
  pthread_cond_init(&made->done, NULL);
  if (!start_threads(made)) {
    int started = made->num_threads;
    cr_threads_destroy(made);
    return cr_error_set(error, CAROM_ERROR_OUT_OF_MEMORY,
                        "threads: %d were asked for, the system starts no more than %d", count,
                        started + 1);
  }
  *pool = made;
  return cr_error_clear(error);
}

void cr_threads_destroy(cr_threads* pool) {
  if (!pool) return;
  pthread_mutex_lock(&pool->mutex);
  pool->is_ending = true;
  pool->runs++;
  pthread_cond_broadcast(&pool->start);
  pthread_mutex_unlock(&pool->mutex);
  for (int i = 0; i < pool->num_threads; i++) pthread_join(pool->thread[i], NULL);
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->start);
  pthread_mutex_destroy(&pool->mutex);
  carom_allocator allocator = pool->allocator;
  cr_release(&allocator, pool, size_of_threads(pool->capacity));
}

carom_tasks cr_threads_tasks(cr_threads* pool) { return (carom_tasks){run, pool}; }
