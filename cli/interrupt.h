/* Ctrl-C and SIGTERM in long work: the first ends it in good order, the second the program. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

/* Catches the first signal. */
void cli_catch_signals(void);

/* The signal that was caught, 0: none yet. The exit code is 128 more. */
int cli_caught_signal(void);

#endif
