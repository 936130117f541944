/* What a page asks of a live simulation: one JSON object a message (docs/viewer.md). */
#ifndef LIVE_COMMAND_H
#define LIVE_COMMAND_H

#include "carom/sim.h"

enum {
  LIVE_MAX_CLIENTS = 16,     /* that watch at a time */
  LIVE_MESSAGE_SIZE = 4096,  /* bytes, the most that a message may have */
  LIVE_STACK_SIZE = 1 << 17, /* bytes, of the thread that reads it */
};

typedef enum live_verb {
  LIVE_PLAY,
  LIVE_PAUSE,
  LIVE_STEP,
  LIVE_RESET,
  LIVE_SPEED,
  LIVE_DRAG,
  LIVE_RELEASE,
  LIVE_SET,
  LIVE_SEEN,
} live_verb;

/* A spring from a point of a body to a place in the world. */
typedef struct live_spring {
  int body;
  double point[3];  /* m, body frame */
  double target[3]; /* m, world */
  double strength;  /* times the usual stiffness */
} live_spring;

/* Options that a page may change; each counts where its flag is set. */
typedef struct live_change {
  bool has_gravity, has_dt, has_scheme, has_friction;
  double gravity[3]; /* m/s² */
  double dt;         /* s */
  carom_scheme scheme;
  carom_friction friction;
} live_change;

typedef struct live_command {
  live_verb verb;
  double speed;       /* of LIVE_SPEED: simulated over wall time */
  live_spring spring; /* of LIVE_DRAG */
  live_change change; /* of LIVE_SET */
  uint32_t serial;    /* of LIVE_SEEN: the frame that was drawn */
} live_command;

/* Reads a message; every field is checked but the body's number, for which the model is needed.
 * @param text need not end with a zero
 * @return CAROM_ERROR_BAD_INPUT with a sentence that names the field and its value */
carom_status live_command_read(const char* text, size_t length, live_command* command,
                               carom_error* error);

#endif
