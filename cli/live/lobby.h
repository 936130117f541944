/* Who comes in. One thread reads all requests and hands out the page, and waits for nobody: a
 * connection that says nothing for two seconds is closed, one that is refused at once, and where
 * places run out the oldest goes. A thread of its own gets who asks for a WebSocket and may have
 * one. */
#ifndef LIVE_LOBBY_H
#define LIVE_LOBBY_H

#include "http.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct live_lobby live_lobby;

/* What a request gets. */
typedef struct live_answer {
  int code;           /* of HTTP */
  const char* fields; /* lines of the head, each with its end */
  const char* body;   /* [size] must outlive the connection */
  size_t size;        /* as the head says; of a HEAD request nothing is sent */
  bool is_socket;     /* a WebSocket: it is handed on */
} live_answer;

typedef struct live_lobby_def {
  int listener; /* a socket that listens; the lobby closes it */
  void* user;
  live_answer (*answer)(void* user, const live_request_head* head);
  /* Takes over a connection that has been answered, with the bytes that came after its request;
   * false where there is no room: then the lobby closes it. */
  bool (*take)(void* user, int descriptor, const char* ahead, size_t count);
} live_lobby_def;

/* Starts the thread; null where that cannot be. */
live_lobby* live_lobby_start(const live_lobby_def* def);

/* Ends it and all of its connections; null is allowed. */
void live_lobby_stop(live_lobby* lobby);

#endif
