/* Reads any bytes as the head of a request, and as the head of a frame: the parts of the first lie
 * within it, and the second is one that a client may send. */
#include "live/http.h"
#include "live/socket.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void require(bool holds) {
  if (!holds) abort();
}

static void check_part(const char* part, const char* text, size_t size) {
  require(part >= text && part + strlen(part) < text + size);
}

static void check_head(char* text, size_t size) {
  live_request_head head;
  if (!live_http_read(text, size, &head)) return;
  check_part(head.method, text, size);
  check_part(head.path, text, size);
  if (head.query) check_part(head.query, text, size);
  require(head.path[0] == '/' && head.num_fields <= LIVE_MAX_FIELDS);
  for (int i = 0; i < head.num_fields; i++) {
    check_part(head.names[i], text, size);
    check_part(head.values[i], text, size);
    require(head.names[i][0] != '\0');
  }
  const char* key = live_http_get(&head, "Sec-WebSocket-Key");
  char answer[LIVE_KEY_SIZE];
  if (!live_http_is_upgrade(&head)) return;
  live_http_answer_key(key, answer);
  require(strlen(answer) == LIVE_KEY_SIZE - 1);
}

static void check_frame(const uint8_t* data, size_t size) {
  live_frame_head head;
  int used = live_frame_read(data, size, &head);
  require(used >= -1 && used <= LIVE_FRAME_HEAD && used <= (int)(size < 99 ? size : 99));
  if (used <= 0) return;
  require(head.opcode <= 2 || (head.opcode >= 8 && head.opcode <= 10));
  require(head.opcode < 8 || (head.is_last && head.size <= 125));
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  check_frame(data, size);
  size_t length = live_http_measure((const char*)data, size);
  char* text = malloc(size + 1);
  if (!text) return 0;
  memcpy(text, data, size);
  text[length] = '\0';
  if (length > 0) check_head(text, length);
  free(text);
  return 0;
}
