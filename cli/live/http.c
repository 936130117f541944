/* Requests come from anyone: a head that is not as it must be is none. */
#include "http.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

/* ---- Heads */

size_t live_http_measure(const char* text, size_t length) {
  for (size_t i = 3; i < length; i++)
    if (memcmp(text + i - 3, "\r\n\r\n", 4) == 0) return i + 1;
  return 0;
}

/* The next line, ended by a zero in place of its end; null where there is none. */
static char* next_line(char** rest) {
  char *line = *rest, *end = strstr(line, "\r\n");
  if (!end) return NULL;
  *end = '\0';
  *rest = end + 2;
  return line;
}

static char* next_word(char** rest) {
  char* word = *rest;
  size_t length = strcspn(word, " ");
  *rest = word + length + (word[length] == ' ');
  word[length] = '\0';
  return word;
}

/* "GET /path?query HTTP/1.1" */
static bool read_first_line(char* line, live_request_head* head) {
  head->method = next_word(&line);
  char* target = next_word(&line);
  if (strncmp(line, "HTTP/1.", 7) != 0 || target[0] != '/') return false;
  char* mark = strchr(target, '?');
  if (mark) *mark = '\0';
  head->path = target;
  head->query = mark ? mark + 1 : NULL;
  return true;
}

static bool read_field(char* line, live_request_head* head) {
  char* colon = strchr(line, ':');
  if (!colon || colon == line || head->num_fields == LIVE_MAX_FIELDS) return false;
  *colon = '\0';
  if (strpbrk(line, " \t")) return false;
  char* value = colon + 1 + strspn(colon + 1, " \t");
  for (size_t n = strlen(value); n > 0 && (value[n - 1] == ' ' || value[n - 1] == '\t'); n--)
    value[n - 1] = '\0';
  head->names[head->num_fields] = line;
  head->values[head->num_fields++] = value;
  return true;
}

bool live_http_read(char* text, size_t length, live_request_head* head) {
  *head = (live_request_head){0};
  if (length < 4 || memchr(text, '\0', length)) return false;
  text[length - 2] = '\0'; /* the empty line: lines end before it */
  char *rest = text, *line = next_line(&rest);
  if (!line || !read_first_line(line, head)) return false;
  while ((line = next_line(&rest)))
    if (!read_field(line, head)) return false;
  return rest == text + length - 2;
}

const char* live_http_get(const live_request_head* head, const char* name) {
  const char* found = NULL;
  for (int i = 0; i < head->num_fields; i++) {
    if (strcasecmp(head->names[i], name) != 0) continue;
    if (found) return NULL;
    found = head->values[i];
  }
  return found;
}

/* Whether a list "a, b" has a word, in any case. */
static bool has_word(const char* list, const char* word) {
  size_t length = strlen(word);
  for (const char* at = list; at && *at;) {
    at += strspn(at, " \t,");
    size_t part = strcspn(at, " \t,");
    if (part == length && strncasecmp(at, word, length) == 0) return true;
    at += part;
  }
  return false;
}

bool live_http_is_upgrade(const live_request_head* head) {
  const char* version = live_http_get(head, "Sec-WebSocket-Version");
  const char* key = live_http_get(head, "Sec-WebSocket-Key");
  return strcmp(head->method, "GET") == 0 &&
         has_word(live_http_get(head, "Upgrade"), "websocket") &&
         has_word(live_http_get(head, "Connection"), "Upgrade") && version &&
         strcmp(version, "13") == 0 && key && strlen(key) == 24;
}

/* ---- SHA-1 (FIPS 180-4, 6.1), of short texts */

static uint32_t turn(uint32_t x, int bits) { return x << bits | x >> (32 - bits); }

static void add_block(uint32_t state[5], const unsigned char block[64]) {
  uint32_t w[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
  for (int t = 0; t < 16; t++)
    w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
           (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
  for (int t = 16; t < 80; t++) w[t] = turn(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  for (int t = 0; t < 80; t++) {
    static const uint32_t K[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t f = t < 20              ? (b & c) | (~b & d)
                 : t >= 40 && t < 60 ? (b & c) | (b & d) | (c & d)
                                     : b ^ c ^ d;
    uint32_t next = turn(a, 5) + f + e + K[t / 20] + w[t];
    e = d, d = c, c = turn(b, 30), b = a, a = next;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

/* Of 119 bytes at most. */
static void hash(const char* text, unsigned char digest[20]) {
  uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  unsigned char block[128] = {0};
  size_t length = strlen(text), end = length < 56 ? 64 : 128;
  for (size_t i = 0; i < length; i++) block[i] = (unsigned char)text[i];
  block[length] = 0x80;
  block[end - 2] = (unsigned char)(length * 8 >> 8), block[end - 1] = (unsigned char)(length * 8);
  for (size_t at = 0; at < end; at += 64) add_block(state, block + at);
  for (int i = 0; i < 20; i++) digest[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}

void live_http_answer_key(const char* key, char answer[LIVE_KEY_SIZE]) {
  static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  static const char NAME[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; /* RFC 6455, 1.3 */
  char text[64 + sizeof NAME];
  unsigned char digest[21] = {0};
  size_t length = strnlen(key, 64);
  memcpy(text, key, length);
  memcpy(text + length, NAME, sizeof NAME);
  hash(text, digest);
  for (int i = 0; i < 28; i++) {
    int bit = 6 * i, at = bit / 8;
    unsigned pair = (unsigned)digest[at] << 8 | (at < 20 ? digest[at + 1] : 0);
    answer[i] = DIGITS[pair >> (10 - bit % 8) & 63];
  }
  answer[27] = '=', answer[28] = '\0';
}
