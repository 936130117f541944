/* A poll over all connections. None of them is waited for, none holds more than a place. */
#include "lobby.h"

#include "../progress.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { NUM_PLACES = 256 };

/* s */
#define TIME_TO_ASK   2.0  /* for a whole head to come */
#define TIME_TO_TAKE  30.0 /* for a page to be taken, by the slowest */
#define TIME_TO_LEAVE 0.5  /* for a client to read what it was told */

typedef enum stage { FREE, ASKS, TAKES, LEAVES } stage;

typedef struct place {
  stage stage;
  int descriptor;
  double came, until; /* s, wall time */
  char* head;         /* [LIVE_HEAD_SIZE] */
  size_t count;       /* bytes of it */
  char start[700];    /* of the answer */
  size_t start_size, sent;
  const char* body;
  size_t body_size;
} place;

struct live_lobby {
  live_lobby_def def;
  pthread_t thread;
  int wake[2]; /* a pipe whose end tells the thread to stop */
  place places[NUM_PLACES];
};

/* ---- Places */

static void leave(place* p) {
  if (p->stage == FREE) return;
  close(p->descriptor);
  free(p->head);
  *p = (place){0};
}

/* Who has been here longest goes. */
static place* dismiss_oldest(live_lobby* lobby) {
  place* oldest = NULL;
  for (place* p = lobby->places; p < lobby->places + NUM_PLACES; p++)
    if (p->stage != FREE && (!oldest || p->came < oldest->came)) oldest = p;
  if (oldest) leave(oldest);
  return oldest;
}

static place* find_place(live_lobby* lobby) {
  for (place* p = lobby->places; p < lobby->places + NUM_PLACES; p++)
    if (p->stage == FREE) return p;
  return dismiss_oldest(lobby);
}

/* Takes one connection in; false where there is none, or no descriptor for it: then the oldest
 * gives way. */
static bool admit(live_lobby* lobby) {
  int descriptor = accept(lobby->def.listener, NULL, NULL), yes = 1;
  if (descriptor < 0 && (errno == EMFILE || errno == ENFILE)) dismiss_oldest(lobby);
  if (descriptor < 0) return false;
  place* p = find_place(lobby);
  *p = (place){.stage = ASKS, .descriptor = descriptor, .came = cli_wall_time()};
  p->until = p->came + TIME_TO_ASK;
  p->head = malloc(LIVE_HEAD_SIZE);
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (!p->head) leave(p);
  return true;
}

/* ---- Answers */

/* Sends what the socket takes; then the client is given a moment to read it, since closing with
 * bytes unread would take it back. */
static void send_more(place* p) {
  while (p->stage == TAKES) {
    bool is_start = p->sent < p->start_size;
    size_t at = is_start ? p->sent : p->sent - p->start_size;
    size_t left = (is_start ? p->start_size : p->body_size) - at;
    if (left == 0) {
      shutdown(p->descriptor, SHUT_WR);
      p->stage = LEAVES, p->until = cli_wall_time() + TIME_TO_LEAVE;
      return;
    }
    ssize_t sent = send(p->descriptor, (is_start ? p->start : p->body) + at, left, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) leave(p);
    if (sent < 0) return;
    p->sent += (size_t)sent;
  }
}

/* The socket is answered, and somebody else's from here on. */
static void hand_on(live_lobby* lobby, place* p, size_t head_size) {
  ssize_t sent = send(p->descriptor, p->start, p->start_size, MSG_NOSIGNAL);
  bool is_taken =
      sent == (ssize_t)p->start_size && fcntl(p->descriptor, F_SETFL, 0) == 0 &&
      lobby->def.take(lobby->def.user, p->descriptor, p->head + head_size, p->count - head_size);
  if (!is_taken) {
    leave(p);
    return;
  }
  free(p->head);
  *p = (place){0};
}

static void write_start(place* p, const live_answer* a) {
  int size = a->is_socket
                 ? snprintf(p->start, sizeof p->start, "HTTP/1.1 101 Switching Protocols\r\n%s\r\n",
                            a->fields)
                 : snprintf(p->start, sizeof p->start,
                            "HTTP/1.1 %d %s\r\n%sContent-Length: %zu\r\nConnection: "
                            "close\r\n\r\n",
                            a->code, a->code == 200 ? "OK" : "Refused", a->fields, a->size);
  p->start_size = (size_t)size;
}

static void answer(live_lobby* lobby, place* p, size_t head_size) {
  static const char BAD[] = "This is no request of a browser.\n";
  live_request_head head;
  char* copy = malloc(head_size + 1);
  live_answer a = {.code = 400, .fields = "", .body = BAD, .size = sizeof BAD - 1};
  if (copy) {
    memcpy(copy, p->head, head_size);
    copy[head_size] = '\0';
    if (live_http_read(copy, head_size, &head)) a = lobby->def.answer(lobby->def.user, &head);
  }
  bool is_head = copy && strncmp(p->head, "HEAD ", 5) == 0;
  free(copy);
  write_start(p, &a);
  p->body = a.body, p->body_size = is_head ? 0 : a.size;
  p->stage = TAKES, p->until = cli_wall_time() + TIME_TO_TAKE;
  if (a.is_socket)
    hand_on(lobby, p, head_size);
  else
    send_more(p);
}

/* ---- Requests */

static void hear(live_lobby* lobby, place* p) {
  char unread[4096];
  bool asks = p->stage == ASKS;
  ssize_t count = asks ? recv(p->descriptor, p->head + p->count, LIVE_HEAD_SIZE - p->count, 0)
                       : recv(p->descriptor, unread, sizeof unread, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    leave(p);
    return;
  }
  if (!asks) return;
  p->count += (size_t)count;
  size_t size = live_http_measure(p->head, p->count);
  if (size > 0)
    answer(lobby, p, size);
  else if (p->count == LIVE_HEAD_SIZE)
    leave(p);
}

static void attend(live_lobby* lobby, place* p, int events) {
  if (p->stage == TAKES && (events & (POLLOUT | POLLERR | POLLHUP)))
    send_more(p);
  else if (events & (POLLIN | POLLERR | POLLHUP))
    hear(lobby, p);
}

/* ---- The thread */

/* Fills the list of what is waited for; its length. */
static int list_descriptors(live_lobby* lobby, struct pollfd* list, place** of) {
  int count = 0;
  double now = cli_wall_time();
  list[count++] = (struct pollfd){lobby->wake[0], POLLIN, 0};
  list[count++] = (struct pollfd){lobby->def.listener, POLLIN, 0};
  for (place* p = lobby->places; p < lobby->places + NUM_PLACES; p++) {
    if (p->stage != FREE && now > p->until) leave(p);
    if (p->stage == FREE) continue;
    of[count] = p;
    list[count++] = (struct pollfd){p->descriptor, p->stage == TAKES ? POLLOUT : POLLIN, 0};
  }
  return count;
}

static void* attend_all(void* user) {
  live_lobby* lobby = user;
  static const int REST = 100; /* ms, between looks at the clock */
  struct pollfd list[NUM_PLACES + 2];
  place* of[NUM_PLACES + 2];
  for (;;) {
    int count = list_descriptors(lobby, list, of);
    if (poll(list, (nfds_t)count, count > 2 ? REST : -1) < 0) continue;
    if (list[0].revents) return NULL;
    for (int i = 2; i < count; i++)
      if (list[i].revents) attend(lobby, of[i], list[i].revents);
    for (int k = 0; k < 16 && list[1].revents && admit(lobby); k++) continue;
  }
}

live_lobby* live_lobby_start(const live_lobby_def* def) {
  live_lobby* lobby = calloc(1, sizeof *lobby);
  if (!lobby) return NULL;
  lobby->def = *def;
  if (pipe(lobby->wake) != 0) {
    free(lobby);
    return NULL;
  }
  for (int k = 0; k < 2; k++) fcntl(lobby->wake[k], F_SETFD, FD_CLOEXEC);
  if (pthread_create(&lobby->thread, NULL, attend_all, lobby) == 0) return lobby;
  close(lobby->wake[0]), close(lobby->wake[1]);
  free(lobby);
  return NULL;
}

void live_lobby_stop(live_lobby* lobby) {
  if (!lobby) return;
  close(lobby->wake[1]);
  pthread_join(lobby->thread, NULL);
  for (int i = 0; i < NUM_PLACES; i++) leave(&lobby->places[i]);
  close(lobby->wake[0]);
  close(lobby->def.listener);
  free(lobby);
}
