/* HTTP and WebSocket: what is asked for, and who gets it. The lobby reads requests (lobby.h), a
 * thread for each client its messages (socket.h); see clients.h for what goes out. */
#include "server.h"

#include "../state.h"
#include "clients.h"
#include "guard.h"
#include "lobby.h"
#include "socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A client's thread. One more than clients may watch: who comes late is told so. */
enum { NUM_READERS = LIVE_MAX_CLIENTS + 4 };

typedef struct reader {
  live_server* server;
  pthread_t thread;
  bool is_started, is_done; /* the thread is to be joined; it has ended */
  live_socket socket;
} reader;

struct live_server {
  live_server_def def;
  live_lobby* lobby;
  live_clients clients;
  pthread_mutex_t lock; /* of the readers */
  reader readers[NUM_READERS];
  bool is_local;
  char token[LIVE_TOKEN_SIZE], name[LIVE_TOKEN_SIZE];
  char url[400];
  char fields[200]; /* of the answer that is being made */
};

/* --- Requests -----------------------------------------------------------------------------------
 */

static live_answer refuse(int code, const char* sentence) {
  return (live_answer){.code = code,
                       .fields = "Content-Type: text/plain; charset=utf-8\r\n",
                       .body = sentence,
                       .size = strlen(sentence)};
}

/* Why a request is refused; null where it is not. */
static const char* find_objection(const live_server* s, const live_request_head* head) {
  if (s->is_local && !live_guard_is_local_host(live_http_get(head, "Host")))
    return "This page is served to this computer only.\n";
  if (!s->is_local && !live_guard_has_token(head->query, s->token))
    return "The address lacks the token that carom printed.\n";
  return NULL;
}

static live_answer answer_socket(live_server* s, const live_request_head* head) {
  char key[LIVE_KEY_SIZE];
  const char *host = live_http_get(head, "Host"), *origin = live_http_get(head, "Origin");
  if (!live_guard_is_same_origin(origin, host))
    return refuse(403, "Only pages of this server may talk to it.\n");
  if (!live_http_is_upgrade(head)) return refuse(400, "There is a WebSocket here, and no page.\n");
  live_http_answer_key(live_http_get(head, "Sec-WebSocket-Key"), key);
  snprintf(s->fields, sizeof s->fields,
           "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n", key);
  return (live_answer){.is_socket = true, .fields = s->fields};
}

static live_answer answer_page(const live_server* s) {
  return (live_answer){.code = 200,
                       .fields = "Content-Type: text/html; charset=utf-8\r\n"
                                 "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                                 "X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n",
                       .body = s->def.page,
                       .size = s->def.page_size};
}

static live_answer answer(void* user, const live_request_head* head) {
  live_server* s = user;
  const char* objection = find_objection(s, head);
  bool is_read = strcmp(head->method, "GET") == 0 || strcmp(head->method, "HEAD") == 0;
  if (objection) return refuse(403, objection);
  if (s->def.is_live && strcmp(head->path, "/live") == 0) return answer_socket(s, head);
  if (strcmp(head->path, "/") != 0) return refuse(404, "There is no such page.\n");
  return is_read ? answer_page(s) : refuse(405, "The page can be read only.\n");
}

/* --- Clients ------------------------------------------------------------------------------------
 */

static void* read_all(void* user) {
  reader* r = user;
  live_clients* all = &r->server->clients;
  live_client* client = live_clients_add(all, &r->socket);
  size_t size;
  while (client && live_socket_read(&r->socket, &size))
    live_clients_hear(all, client, r->socket.text, size);
  live_socket_shut(&r->socket);
  if (client) live_clients_remove(all, client);
  pthread_mutex_lock(&r->server->lock);
  live_socket_free(&r->socket);
  r->is_done = true;
  pthread_mutex_unlock(&r->server->lock);
  return NULL;
}

/* A reader that is free, its last thread ended; null where all are busy. */
static reader* find_reader(live_server* s) {
  for (reader* r = s->readers; r < s->readers + NUM_READERS; r++) {
    if (r->is_started && !r->is_done) continue;
    if (r->is_started) pthread_join(r->thread, NULL);
    r->is_started = r->is_done = false;
    return r;
  }
  return NULL;
}

static bool take(void* user, int descriptor, const char* ahead, size_t count) {
  live_server* s = user;
  pthread_attr_t attributes;
  pthread_mutex_lock(&s->lock);
  reader* r = find_reader(s);
  if (r) {
    r->server = s;
    live_socket_init(&r->socket, descriptor, ahead, count);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, LIVE_STACK_SIZE);
    r->is_started = pthread_create(&r->thread, &attributes, read_all, r) == 0;
    pthread_attr_destroy(&attributes);
    if (!r->is_started) pthread_mutex_destroy(&r->socket.sending);
  }
  bool is_taken = r && r->is_started;
  pthread_mutex_unlock(&s->lock);
  return is_taken;
}

static void stop_readers(live_server* s) {
  pthread_mutex_lock(&s->lock);
  for (reader* r = s->readers; r < s->readers + NUM_READERS; r++)
    if (r->is_started && !r->is_done) live_socket_shut(&r->socket);
  pthread_mutex_unlock(&s->lock);
  for (reader* r = s->readers; r < s->readers + NUM_READERS; r++)
    if (r->is_started) pthread_join(r->thread, NULL);
}

/* --- Start and stop -----------------------------------------------------------------------------
 */

/* Where all addresses are listened at, the computer's name leads here. */
static void make_url(live_server* s, int port) {
  char host[200] = "";
  const char* address = s->def.address;
  bool is_any = strcmp(address, "0.0.0.0") == 0;
  if (is_any && gethostname(host, sizeof host - 1) == 0 && host[0]) address = host;
  snprintf(s->url, sizeof s->url, "http://%s:%d/%s%s", address, port,
           s->is_local ? "" : "?token=", s->is_local ? "" : s->token);
}

/* A socket that listens, its port in `place`; negative where there cannot be one. */
static int listen_at(const live_server_def* def, struct sockaddr_in* place) {
  int yes = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  socklen_t size = sizeof *place;
  *place = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)def->port)};
  inet_pton(AF_INET, def->address, &place->sin_addr);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (listener >= 0 && bind(listener, (struct sockaddr*)place, size) == 0 &&
      listen(listener, SOMAXCONN) == 0 &&
      getsockname(listener, (struct sockaddr*)place, &size) == 0)
    return listener;
  int reason = errno;
  if (listener >= 0) close(listener);
  errno = reason;
  return -1;
}

static carom_status open_lobby(live_server* s, carom_error* error) {
  struct sockaddr_in place;
  int listener = listen_at(&s->def, &place);
  const live_lobby_def def = {listener, s, answer, take};
  if (listener >= 0) s->lobby = live_lobby_start(&def);
  if (listener >= 0 && !s->lobby) close(listener);
  if (!s->lobby)
    return cli_error(error, CAROM_ERROR_FILE, "view: cannot listen at %s:%d: %s", s->def.address,
                     s->def.port, strerror(errno));
  make_url(s, ntohs(place.sin_port));
  return CAROM_OK;
}

carom_status live_server_start(const live_server_def* def, live_server** server,
                               carom_error* error) {
  live_server* s = calloc(1, sizeof *s);
  *server = s;
  if (!s) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  s->def = *def;
  s->is_local = live_guard_is_loopback(def->address);
  live_clients_init(&s->clients);
  pthread_mutex_init(&s->lock, NULL);
  if (!live_guard_make_token(s->token) || !live_guard_make_token(s->name))
    return cli_error(error, CAROM_ERROR_FILE, "view: the system gives no random numbers");
  return open_lobby(s, error);
}

void live_server_stop(live_server* s) {
  if (!s) return;
  live_lobby_stop(s->lobby);
  live_clients_close(&s->clients);
  stop_readers(s);
  live_clients_free(&s->clients);
  pthread_mutex_destroy(&s->lock);
  free(s);
}

const char* live_server_url(const live_server* s) { return s->url; }
const char* live_server_name(const live_server* s) { return s->name; }
live_clients* live_server_clients(live_server* s) { return &s->clients; }
