/* What pages are told: frames in binary, the state of the session as JSON (docs/viewer.md). */
#ifndef LIVE_MESSAGE_H
#define LIVE_MESSAGE_H

#include "session.h"

#include <stddef.h>

/* Bytes that grow; freed by the owner. */
typedef struct live_bytes {
  unsigned char* data;
  size_t count, capacity;
  bool out_of_memory;
} live_bytes;

/* Writes the present moment in place of what `bytes` holds, and starts counting steps anew.
 * @param serial of the frame, which pages say back */
void live_message_put_frame(live_session* session, uint32_t serial, live_bytes* bytes);

/* The state of a session as text, to be freed; null where memory ran out.
 * @param name of the server, which tells one from its successor
 * @param num_clients that watch */
char* live_message_make_state(const live_session* session, const char* name, int num_clients);

/* A sentence for a client, likewise. */
char* live_message_make_error(const char* sentence);

#endif
