/* The head of a request (RFC 9112), as far as a page and a WebSocket need it. */
#ifndef LIVE_HTTP_H
#define LIVE_HTTP_H

#include <stdbool.h>
#include <stddef.h>

enum {
  LIVE_HEAD_SIZE = 8192, /* bytes of a head, the most that is read */
  LIVE_MAX_FIELDS = 64,  /* lines of it */
  LIVE_KEY_SIZE = 29,    /* what answers a WebSocket's key, and a zero */
};

/* Parts of the head; all of them point into it. */
typedef struct live_request_head {
  const char *method, *path, *query; /* `query` may be null */
  const char *names[LIVE_MAX_FIELDS], *values[LIVE_MAX_FIELDS];
  int num_fields;
} live_request_head;

/* Bytes of the head with its empty line; 0 where it has not come to its end. */
size_t live_http_measure(const char* text, size_t length);

/* Takes a whole head apart, in place; false where it is none. */
bool live_http_read(char* text, size_t length, live_request_head* head);

/* The value of a field, whatever the case of its name; null where there is none, or two. */
const char* live_http_get(const live_request_head* head, const char* name);

/* Whether the head asks for a WebSocket (RFC 6455, 4.2.1). */
bool live_http_is_upgrade(const live_request_head* head);

/* What answers the key of one: base64 of a SHA-1. */
void live_http_answer_key(const char* key, char answer[LIVE_KEY_SIZE]);

#endif
