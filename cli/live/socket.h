/* A WebSocket (RFC 6455): messages of a client, as short as commands are, and what goes out. */
#ifndef LIVE_SOCKET_H
#define LIVE_SOCKET_H

#include "command.h"
#include "http.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum live_opcode {
  LIVE_OPCODE_MORE = 0,
  LIVE_OPCODE_TEXT = 1,
  LIVE_OPCODE_BINARY = 2,
  LIVE_OPCODE_CLOSE = 8,
  LIVE_OPCODE_PING = 9,
  LIVE_OPCODE_PONG = 10,
} live_opcode;

/* The head of a frame. */
typedef struct live_frame_head {
  int opcode;
  bool is_last; /* of its message */
  uint64_t size;
  unsigned char mask[4];
} live_frame_head;

enum { LIVE_FRAME_HEAD = 14 }; /* bytes, the most that a head has */

/* Takes the head of a client's frame apart.
 * @return its bytes; 0: more are needed; -1: it is none that a client may send */
int live_frame_read(const unsigned char* bytes, size_t count, live_frame_head* head);

/* A connection that has become one. */
typedef struct live_socket {
  int descriptor;
  pthread_mutex_t sending; /* whole frames */
  char ahead[LIVE_HEAD_SIZE];
  size_t first, num_ahead; /* bytes that came, and are not read yet */
  char text[LIVE_MESSAGE_SIZE];
} live_socket;

/* Takes over a socket that has been answered, and the bytes that came after the request. */
void live_socket_init(live_socket* s, int descriptor, const char* ahead, size_t count);

/* Ends what is under way, from any thread; closing is for live_socket_free. */
void live_socket_shut(live_socket* s);
void live_socket_free(live_socket* s);

/* Waits for a text message. What is longer than a command is not kept, and what no program of good
 * will sends ends the connection: 64 KiB in a frame, say.
 * @param size of the message; of `s->text` there are no more than LIVE_MESSAGE_SIZE bytes
 * @return false at the end of the connection */
bool live_socket_read(live_socket* s, size_t* size);

/* Sends a frame; false where that takes too long, or fails: the connection is at its end. */
bool live_socket_write(live_socket* s, live_opcode opcode, const void* bytes, size_t size);

#endif
