/* Catching signals. */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught_signal;

static void catch_signal(int number) { caught_signal = number; }

void cli_catch_signals(void) {
  struct sigaction action = {.sa_handler = catch_signal, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

int cli_caught_signal(void) { return caught_signal; }
