/* Nothing is kept of a frame but what a command may have: its head says how long it is before any
 * of it is read. A client that says nothing is asked whether it is there, and dropped when it does
 * not answer. */
#include "socket.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE     10000               /* ms, for something to come, or to go out */
#define LARGEST      ((uint64_t)1 << 16) /* bytes of a frame that is read past */
#define MOST_CONTROL 125                 /* bytes of a ping */

/* ---- Heads of frames */

int live_frame_read(const unsigned char* b, size_t count, live_frame_head* head) {
  if (count < 2) return 0;
  int extra = (b[1] & 127) == 127 ? 8 : (b[1] & 127) == 126 ? 2 : 0, size = 2 + extra + 4;
  if ((b[0] & 0x70) || !(b[1] & 0x80)) return -1; /* extensions; no mask */
  if (count < (size_t)size) return 0;
  *head = (live_frame_head){.opcode = b[0] & 15, .is_last = b[0] & 0x80, .size = b[1] & 127};
  if (extra) head->size = 0;
  for (int i = 0; i < extra; i++) head->size = head->size << 8 | b[2 + i];
  memcpy(head->mask, b + 2 + extra, 4);
  bool is_control = head->opcode >= LIVE_OPCODE_CLOSE;
  if (is_control && (!head->is_last || head->size > MOST_CONTROL)) return -1;
  return head->opcode > LIVE_OPCODE_PONG || (head->opcode > 2 && !is_control) ? -1 : size;
}

/* ---- A connection */

void live_socket_init(live_socket* s, int descriptor, const char* ahead, size_t count) {
  s->descriptor = descriptor;
  s->first = 0, s->num_ahead = count < sizeof s->ahead ? count : sizeof s->ahead;
  memcpy(s->ahead, ahead, s->num_ahead);
  pthread_mutex_init(&s->sending, NULL);
}

void live_socket_shut(live_socket* s) { shutdown(s->descriptor, SHUT_RDWR); }

void live_socket_free(live_socket* s) {
  close(s->descriptor);
  pthread_mutex_destroy(&s->sending);
}

/* ---- Out */

static int64_t clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool wait_for(int descriptor, short events, int64_t milliseconds) {
  struct pollfd one = {descriptor, events, 0};
  int count;
  do count = poll(&one, 1, milliseconds > 0 ? (int)milliseconds : 0);
  while (count < 0 && errno == EINTR);
  return count > 0;
}

/* Sends all, within the patience of a whole frame. */
static bool send_all(int descriptor, const unsigned char* bytes, size_t size, int64_t until) {
  while (size > 0) {
    if (!wait_for(descriptor, POLLOUT, until - clock_now())) return false;
    ssize_t sent = send(descriptor, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (sent < 0) return false;
    bytes += sent, size -= (size_t)sent;
  }
  return true;
}

bool live_socket_write(live_socket* s, live_opcode opcode, const void* bytes, size_t size) {
  unsigned char head[10] = {(unsigned char)(0x80 | opcode)};
  int extra = size > 0xffff ? 8 : size > 125 ? 2 : 0;
  head[1] = (unsigned char)(extra == 8 ? 127 : extra == 2 ? 126 : size);
  for (int i = 0; i < extra; i++)
    head[2 + i] = (unsigned char)((uint64_t)size >> 8 * (extra - 1 - i));
  pthread_mutex_lock(&s->sending);
  int64_t until = clock_now() + PATIENCE;
  bool done = send_all(s->descriptor, head, 2 + (size_t)extra, until) &&
              send_all(s->descriptor, bytes, size, until);
  pthread_mutex_unlock(&s->sending);
  if (!done) live_socket_shut(s);
  return done;
}

/* ---- In */

/* Fills `ahead` up; false at the end, and where a client does not answer when it is asked. */
static bool receive(live_socket* s) {
  memmove(s->ahead, s->ahead + s->first, s->num_ahead);
  s->first = 0;
  if (!wait_for(s->descriptor, POLLIN, PATIENCE)) {
    if (!live_socket_write(s, LIVE_OPCODE_PING, "", 0)) return false;
    if (!wait_for(s->descriptor, POLLIN, PATIENCE)) return false;
  }
  ssize_t count = recv(s->descriptor, s->ahead + s->num_ahead, sizeof s->ahead - s->num_ahead, 0);
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  s->num_ahead += (size_t)count;
  return true;
}

static bool read_head(live_socket* s, live_frame_head* head) {
  int size;
  while ((size = live_frame_read((unsigned char*)s->ahead + s->first, s->num_ahead, head)) == 0)
    if (!receive(s)) return false;
  if (size < 0 || head->size > LARGEST) return false;
  s->first += (size_t)size, s->num_ahead -= (size_t)size;
  return true;
}

/* Reads what a frame holds; of it as much as there is room for is kept. */
static bool read_content(live_socket* s, const live_frame_head* head, char* text, size_t room) {
  for (uint64_t at = 0; at < head->size;) {
    if (s->num_ahead == 0 && !receive(s)) return false;
    for (; at < head->size && s->num_ahead > 0; at++, s->first++, s->num_ahead--)
      if (at < room) text[at] = (char)(s->ahead[s->first] ^ head->mask[at % 4]);
  }
  return true;
}

/* Answers a ping; a close ends it all. */
static bool take_control(live_socket* s, const live_frame_head* head) {
  char content[MOST_CONTROL];
  if (!read_content(s, head, content, sizeof content)) return false;
  if (head->opcode == LIVE_OPCODE_PING)
    return live_socket_write(s, LIVE_OPCODE_PONG, content, (size_t)head->size);
  if (head->opcode == LIVE_OPCODE_CLOSE)
    live_socket_write(s, LIVE_OPCODE_CLOSE, content, (size_t)head->size);
  return head->opcode != LIVE_OPCODE_CLOSE;
}

/* Says why a connection ends; the code is that of RFC 6455, 7.4.1: broken rules. */
static bool give_up(live_socket* s) {
  static const char REASON[] = "\x03\xea"
                               "no message of this server's";
  live_socket_write(s, LIVE_OPCODE_CLOSE, REASON, sizeof REASON - 1);
  return false;
}

bool live_socket_read(live_socket* s, size_t* size) {
  live_frame_head head;
  bool is_begun = false, is_text = false;
  *size = 0;
  while (read_head(s, &head)) {
    if (head.opcode >= LIVE_OPCODE_CLOSE) {
      if (!take_control(s, &head)) return false;
      continue;
    }
    if ((head.opcode == LIVE_OPCODE_MORE) != is_begun) return give_up(s);
    if (!is_begun) is_text = head.opcode == LIVE_OPCODE_TEXT;
    size_t kept = *size < sizeof s->text ? *size : sizeof s->text;
    if (!read_content(s, &head, s->text + kept, sizeof s->text - kept)) return false;
    *size += (size_t)head.size;
    if (*size > LARGEST) return give_up(s);
    is_begun = !head.is_last;
    if (head.is_last && is_text) return true;
    if (head.is_last) *size = 0;
  }
  return give_up(s);
}
