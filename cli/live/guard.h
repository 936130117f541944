/* Who may see a page: whoever knows the token, and pages of the server's own only. */
#ifndef LIVE_GUARD_H
#define LIVE_GUARD_H

#include <stdbool.h>
#include <stddef.h>

enum { LIVE_TOKEN_SIZE = 33 }; /* 128 bits as text, and a zero */

/* Fills a text with random hexadecimal digits of the system's source; false where it gives none. */
bool live_guard_make_token(char token[LIVE_TOKEN_SIZE]);

/* Whether an address is of this computer alone. */
bool live_guard_is_loopback(const char* address);

/* Whether a query, "a=b&token=...", has the token; takes as long whatever the difference. */
bool live_guard_has_token(const char* query, const char* token);

/* Whether a Host header, "name" or "name:port", is a name of this computer alone: other names may
 * have been made to lead here (DNS rebinding). */
bool live_guard_is_local_host(const char* host);

/* Whether an Origin header is of a page that the same host served. */
bool live_guard_is_same_origin(const char* origin, const char* host);

#endif
