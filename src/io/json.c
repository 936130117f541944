/* Brackets are counted; see json.h. */
#include "io/json.h"

bool cr_json_is_shallow(const char* text, size_t length, int most) {
  bool is_string = false;
  int depth = 0;
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    if (is_string) {
      if (c == '\\') i++;
      is_string = c != '"';
      continue;
    }
    is_string = c == '"';
    if ((c == '[' || c == '{') && ++depth > most) return false;
    if ((c == ']' || c == '}') && depth > 0) depth--;
  }
  return true;
}
