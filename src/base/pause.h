/* Waiting for another thread without leaving the core, for as long as a wait is short. */
#ifndef CR_BASE_PAUSE_H
#define CR_BASE_PAUSE_H

#include <sched.h>

/* Rounds, of some tens of nanoseconds, before the core is offered to others: those who are waited
 * for may be waiting for it. */
#define CR_PAUSE_ROUNDS 1000

/* One round of a wait. */
static inline void cr_pause(int round) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
  if (round >= CR_PAUSE_ROUNDS) sched_yield();
}

#endif
