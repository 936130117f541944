/* The clients of a live view: what they ask for, in order, and what goes out to them. A thread for
 * each always sends the newest frame, and only while few are under way: a slow client misses
 * frames, and never holds up the simulation. */
#ifndef LIVE_CLIENTS_H
#define LIVE_CLIENTS_H

#include "command.h"

#include <pthread.h>
#include <stddef.h>

struct live_socket;

enum {
  LIVE_WINDOW = 4,         /* frames under way to a client that it has not said to have seen */
  LIVE_MAX_REQUESTS = 256, /* that wait */
};

/* What waits for a client, the newest of each kind, in the order in which they go. */
typedef enum live_kind { LIVE_TEXT_ERROR, LIVE_TEXT_STATE, LIVE_FRAME, LIVE_NUM_KINDS } live_kind;

/* Bytes on their way to one client or several. */
typedef struct live_parcel live_parcel;

typedef struct live_clients live_clients;

typedef struct live_client {
  live_clients* all;
  bool is_used, is_open, has_left; /* `has_left`: its thread sends no more */
  struct live_socket* connection;
  pthread_t thread;
  pthread_cond_t news;
  live_parcel* waiting[LIVE_NUM_KINDS];
  uint32_t under_way[LIVE_WINDOW]; /* serials of frames */
  int num_under_way;
} live_client;

/* A command and the client that it came from. */
typedef struct live_request {
  int client;
  live_command command;
} live_request;

struct live_clients {
  pthread_mutex_t lock;
  pthread_cond_t news; /* a request, or a client */
  live_client client[LIVE_MAX_CLIENTS];
  live_request requests[LIVE_MAX_REQUESTS];
  int first, num_requests; /* a ring */
  bool has_newcomers, is_closing;
  int64_t sent, dropped; /* frames */
};

void live_clients_init(live_clients* all);
void live_clients_free(live_clients* all);

/* Says goodbye to all, but waits for none that is slow to hear it; nothing goes out any more. */
void live_clients_close(live_clients* all);

/* --- For the threads that read ---------------------------------------------------------------- */

/* Takes a client in; null, after telling it so, where there are too many. */
live_client* live_clients_add(live_clients* all, struct live_socket* connection);

/* Lets a client go; what it drags is released. Its connection is not used any more. */
void live_clients_remove(live_clients* all, live_client* client);

/* Reads a message. What is wrong with it goes back as a sentence. */
void live_clients_hear(live_clients* all, live_client* client, const char* text, size_t size);

/* --- For the thread that simulates ------------------------------------------------------------ */

/* Waits for a request or a newcomer, no longer than so many seconds. */
void live_clients_wait(live_clients* all, double seconds);

/* Takes the oldest request; false where there is none. */
bool live_clients_take(live_clients* all, live_request* request);

/* How many watch; `*has_newcomers` tells whether any came since the last call. */
int live_clients_count(live_clients* all, bool* has_newcomers);

/* Hands something to a client, -1: to all, in place of what it has not taken yet of that kind.
 * @param serial of a frame */
void live_clients_send(live_clients* all, int client, live_kind kind, const void* bytes,
                       size_t size, uint32_t serial);

#endif
