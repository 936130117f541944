/* Checks of what a browser says of itself. A page of another site can open a connection to this
 * computer, but it cannot hide where it comes from. */
#include "guard.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

bool live_guard_make_token(char token[LIVE_TOKEN_SIZE]) {
  unsigned char bytes[(LIVE_TOKEN_SIZE - 1) / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
  for (size_t i = 0; i < sizeof bytes; i++)
    snprintf(token + 2 * i, LIVE_TOKEN_SIZE - 2 * i, "%02x", bytes[i]);
  return true;
}

bool live_guard_is_loopback(const char* address) {
  struct in_addr four;
  struct in6_addr six;
  if (inet_pton(AF_INET, address, &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  return inet_pton(AF_INET6, address, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

static bool is_equal(const char* a, size_t length, const char* token) {
  unsigned difference = length != strlen(token);
  for (size_t i = 0; token[i]; i++)
    difference |= (unsigned char)token[i] ^ (unsigned char)(i < length ? a[i] : 0);
  return difference == 0;
}

bool live_guard_has_token(const char* query, const char* token) {
  static const char KEY[] = "token=";
  for (const char* at = query; at; at = strchr(at, '&')) {
    if (*at == '&') at++;
    if (strncmp(at, KEY, sizeof KEY - 1) != 0) continue;
    at += sizeof KEY - 1;
    return is_equal(at, strcspn(at, "&"), token);
  }
  return false;
}

/* Characters of a host before its port; an IPv6 address stands in brackets. */
static size_t name_length(const char* host) {
  const char* end = host[0] == '[' ? strchr(host, ']') : NULL;
  return end ? (size_t)(end - host) + 1 : strcspn(host, ":");
}

bool live_guard_is_local_host(const char* host) {
  char name[64];
  if (!host) return false;
  size_t length = name_length(host), start = host[0] == '[';
  if (length >= sizeof name || length <= 2 * start) return false;
  snprintf(name, sizeof name, "%.*s", (int)(length - 2 * start), host + start);
  return strcasecmp(name, "localhost") == 0 || live_guard_is_loopback(name);
}

bool live_guard_is_same_origin(const char* origin, const char* host) {
  static const char SCHEME[] = "http://", SECURE[] = "https://";
  if (!origin || !host) return false;
  if (strncasecmp(origin, SCHEME, sizeof SCHEME - 1) == 0)
    return strcasecmp(origin + sizeof SCHEME - 1, host) == 0;
  return strncasecmp(origin, SECURE, sizeof SECURE - 1) == 0 &&
         strcasecmp(origin + sizeof SECURE - 1, host) == 0;
}
