/* Running of tasks under one floating-point environment. */
#include "base/tasks.h"

#include <fenv.h>

typedef struct guarded {
  carom_task* task;
  void* data;
  fenv_t environment;
} guarded;

static void run_guarded(void* data, int index) {
  const guarded* g = data;
  fenv_t own;
  fegetenv(&own);
  fesetenv(&g->environment);
  g->task(g->data, index);
  fesetenv(&own);
}

void cr_tasks_run(const carom_tasks* tasks, int count, carom_task* task, void* data) {
  if (tasks && tasks->run) {
    guarded g = {.task = task, .data = data};
    fegetenv(&g.environment);
    tasks->run(tasks->user, count, run_guarded, &g);
    return;
  }
  for (int i = 0; i < count; i++) task(data, i);
}
