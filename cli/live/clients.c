/* One lock guards everything but the sending itself. Of drags that wait only a client's newest
 * counts. */
#include "clients.h"

#include "message.h"
#include "socket.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FAREWELL 0.3 /* s, at most, for clients to be told that the server ends */

struct live_parcel {
  int references;
  live_kind kind;
  uint32_t serial;
  size_t size;
  char bytes[];
};

/* --- Parcels ------------------------------------------------------------------------------------
 */

static void drop(live_parcel* parcel) {
  if (parcel && --parcel->references == 0) free(parcel);
}

static live_parcel* wrap(live_kind kind, const void* bytes, size_t size, uint32_t serial) {
  live_parcel* parcel = malloc(sizeof *parcel + size);
  if (!parcel) return NULL;
  *parcel = (live_parcel){.references = 1, .kind = kind, .serial = serial, .size = size};
  memcpy(parcel->bytes, bytes, size);
  return parcel;
}

static void hand(live_client* client, live_parcel* parcel) {
  live_parcel** place = &client->waiting[parcel->kind];
  if (*place && parcel->kind == LIVE_FRAME) client->all->dropped++;
  drop(*place);
  *place = parcel;
  parcel->references++;
  pthread_cond_signal(&client->news);
}

/* What goes next; null where nothing may. */
static live_parcel* pick(live_client* client) {
  for (int kind = 0; kind < LIVE_NUM_KINDS; kind++) {
    live_parcel* parcel = client->waiting[kind];
    if (!parcel || (kind == LIVE_FRAME && client->num_under_way == LIVE_WINDOW)) continue;
    client->waiting[kind] = NULL;
    return parcel;
  }
  return NULL;
}

/* --- A client's thread --------------------------------------------------------------------------
 */

static bool deliver(live_client* client, const live_parcel* parcel) {
  live_opcode opcode = parcel->kind == LIVE_FRAME ? LIVE_OPCODE_BINARY : LIVE_OPCODE_TEXT;
  return live_socket_write(client->connection, opcode, parcel->bytes, parcel->size);
}

/* Says goodbye, so that the client need not find out by itself. */
static void leave(live_client* client) {
  static const char REASON[] = "\x03\xe9the server ends"; /* code 1001: going away */
  live_socket_write(client->connection, LIVE_OPCODE_CLOSE, REASON, sizeof REASON - 1);
}

static void* send_all(void* user) {
  live_client* client = user;
  live_clients* all = client->all;
  pthread_mutex_lock(&all->lock);
  while (client->is_open) {
    live_parcel* parcel = pick(client);
    if (!parcel) {
      pthread_cond_wait(&client->news, &all->lock);
      continue;
    }
    if (parcel->kind == LIVE_FRAME) {
      client->under_way[client->num_under_way++] = parcel->serial;
      all->sent++;
    }
    pthread_mutex_unlock(&all->lock);
    bool is_delivered = deliver(client, parcel);
    pthread_mutex_lock(&all->lock);
    drop(parcel);
    client->is_open = client->is_open && is_delivered;
  }
  bool is_closing = all->is_closing;
  pthread_mutex_unlock(&all->lock);
  if (is_closing) leave(client);
  pthread_mutex_lock(&all->lock);
  client->has_left = true;
  pthread_cond_signal(&all->news);
  pthread_mutex_unlock(&all->lock);
  return NULL;
}

/* --- Requests -----------------------------------------------------------------------------------
 */

static live_request* request_at(live_clients* all, int index) {
  return &all->requests[(all->first + index) % LIVE_MAX_REQUESTS];
}

/* Puts a request at the end, or in place of a drag that is there by the same client. A few places
 * are kept for clients that leave. */
static bool enqueue(live_clients* all, int client, const live_command* command) {
  live_request* last = all->num_requests ? request_at(all, all->num_requests - 1) : NULL;
  bool is_newer = last && last->client == client && last->command.verb == command->verb &&
                  (command->verb == LIVE_DRAG || command->verb == LIVE_RELEASE);
  bool is_kept = command->verb == LIVE_RELEASE;
  if (!is_newer && all->num_requests >= LIVE_MAX_REQUESTS - (is_kept ? 0 : LIVE_MAX_CLIENTS))
    return false;
  if (!is_newer) last = request_at(all, all->num_requests++);
  *last = (live_request){client, *command};
  pthread_cond_signal(&all->news);
  return true;
}

/* A client has drawn a frame, and those before it. */
static void acknowledge(live_client* client, uint32_t serial) {
  int kept = 0;
  for (int i = 0; i < client->num_under_way; i++)
    if ((int32_t)(client->under_way[i] - serial) > 0)
      client->under_way[kept++] = client->under_way[i];
  client->num_under_way = kept;
  pthread_cond_signal(&client->news);
}

static void complain(live_client* client, const char* sentence) {
  char* text = live_message_make_error(sentence);
  live_parcel* parcel = text ? wrap(LIVE_TEXT_ERROR, text, strlen(text), 0) : NULL;
  if (parcel) {
    hand(client, parcel);
    drop(parcel);
  }
  free(text);
}

void live_clients_hear(live_clients* all, live_client* client, const char* text, size_t size) {
  live_command command;
  carom_error error;
  carom_status status = live_command_read(text, size, &command, &error);
  pthread_mutex_lock(&all->lock);
  if (status != CAROM_OK)
    complain(client, error.message);
  else if (command.verb == LIVE_SEEN)
    acknowledge(client, command.serial);
  else if (!enqueue(all, (int)(client - all->client), &command))
    complain(client, "message: too many wait already; this one is left out");
  pthread_mutex_unlock(&all->lock);
}

/* --- Coming and going ---------------------------------------------------------------------------
 */

static live_client* find_place(live_clients* all) {
  for (int i = 0; i < LIVE_MAX_CLIENTS; i++)
    if (!all->client[i].is_used) return &all->client[i];
  return NULL;
}

live_client* live_clients_add(live_clients* all, live_socket* connection) {
  static const char REASON[] = "\x03\xf5too many watch already"; /* code 1013: try again later */
  pthread_mutex_lock(&all->lock);
  live_client* client = all->is_closing ? NULL : find_place(all);
  if (client) {
    *client = (live_client){.all = all, .is_used = true, .is_open = true, .connection = connection};
    pthread_cond_init(&client->news, NULL);
    if (pthread_create(&client->thread, NULL, send_all, client) != 0) {
      client->is_used = false;
      client = NULL;
    }
  }
  all->has_newcomers = all->has_newcomers || client;
  pthread_cond_signal(&all->news);
  pthread_mutex_unlock(&all->lock);
  if (!client) live_socket_write(connection, LIVE_OPCODE_CLOSE, REASON, sizeof REASON - 1);
  return client;
}

void live_clients_remove(live_clients* all, live_client* client) {
  pthread_mutex_lock(&all->lock);
  client->is_open = false;
  pthread_cond_signal(&client->news);
  pthread_mutex_unlock(&all->lock);
  pthread_join(client->thread, NULL);
  pthread_mutex_lock(&all->lock);
  for (int kind = 0; kind < LIVE_NUM_KINDS; kind++) drop(client->waiting[kind]);
  pthread_cond_destroy(&client->news);
  client->is_used = false;
  enqueue(all, (int)(client - all->client), &(live_command){.verb = LIVE_RELEASE});
  pthread_mutex_unlock(&all->lock);
}

/* --- For the simulation -------------------------------------------------------------------------
 */

void live_clients_init(live_clients* all) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&all->lock, NULL);
  pthread_cond_init(&all->news, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

void live_clients_free(live_clients* all) {
  pthread_cond_destroy(&all->news);
  pthread_mutex_destroy(&all->lock);
}

/* The moment so many seconds from now. */
static struct timespec moment_after(double seconds) {
  struct timespec moment;
  clock_gettime(CLOCK_MONOTONIC, &moment);
  int64_t nanoseconds = moment.tv_nsec + (int64_t)(seconds * 1e9);
  moment.tv_sec += nanoseconds / 1000000000;
  moment.tv_nsec = nanoseconds % 1000000000;
  return moment;
}

static bool is_anyone_left(const live_clients* all) {
  for (int i = 0; i < LIVE_MAX_CLIENTS; i++)
    if (all->client[i].is_used && !all->client[i].has_left) return true;
  return false;
}

void live_clients_close(live_clients* all) {
  struct timespec until = moment_after(FAREWELL);
  bool is_late = false;
  pthread_mutex_lock(&all->lock);
  all->is_closing = true;
  for (int i = 0; i < LIVE_MAX_CLIENTS; i++) {
    all->client[i].is_open = false;
    if (all->client[i].is_used) pthread_cond_signal(&all->client[i].news);
  }
  while (is_anyone_left(all) && !is_late)
    is_late = pthread_cond_timedwait(&all->news, &all->lock, &until) != 0;
  pthread_mutex_unlock(&all->lock);
}

void live_clients_wait(live_clients* all, double seconds) {
  struct timespec until = moment_after(seconds);
  bool is_late = false;
  pthread_mutex_lock(&all->lock);
  while (!all->num_requests && !all->has_newcomers && !is_late)
    is_late = pthread_cond_timedwait(&all->news, &all->lock, &until) != 0;
  pthread_mutex_unlock(&all->lock);
}

bool live_clients_take(live_clients* all, live_request* request) {
  pthread_mutex_lock(&all->lock);
  bool has_any = all->num_requests > 0;
  if (has_any) {
    *request = all->requests[all->first];
    all->first = (all->first + 1) % LIVE_MAX_REQUESTS;
    all->num_requests--;
  }
  pthread_mutex_unlock(&all->lock);
  return has_any;
}

int live_clients_count(live_clients* all, bool* has_newcomers) {
  int count = 0;
  pthread_mutex_lock(&all->lock);
  for (int i = 0; i < LIVE_MAX_CLIENTS; i++) count += all->client[i].is_open;
  *has_newcomers = all->has_newcomers;
  all->has_newcomers = false;
  pthread_mutex_unlock(&all->lock);
  return count;
}

void live_clients_send(live_clients* all, int client, live_kind kind, const void* bytes,
                       size_t size, uint32_t serial) {
  live_parcel* parcel = wrap(kind, bytes, size, serial);
  if (!parcel) return;
  pthread_mutex_lock(&all->lock);
  for (int i = 0; i < LIVE_MAX_CLIENTS; i++)
    if (all->client[i].is_open && (client < 0 || client == i)) hand(&all->client[i], parcel);
  drop(parcel);
  pthread_mutex_unlock(&all->lock);
}
