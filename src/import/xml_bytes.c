/* Any text as UTF-8; see xml_bytes.h. Editors write Latin-1 into files that declare UTF-8, and
 * UTF-8 under names that nobody registered; readers of the formats take bytes as they come. */
#include "import/xml_bytes.h"

#include <string.h>
#include <strings.h>

/* ---- The start of the document */

static bool is_latin_name(const char* name) {
  static const char* const NAMES[] = {"iso-8859-1", "iso8859-1",    "iso_8859-1",
                                      "latin1",     "latin-1",      "iso-8859-15",
                                      "cp1252",     "windows-1252", NULL};
  for (int i = 0; NAMES[i]; i++) {
    size_t length = strlen(NAMES[i]);
    if (strncasecmp(name, NAMES[i], length) == 0 && (name[length] == '"' || name[length] == '\''))
      return true;
  }
  return false;
}

/* Whether the declaration names an encoding whose bytes are characters. */
static bool declares_latin(const char* piece, size_t length) {
  char start[201];
  size_t count = length < sizeof start - 1 ? length : sizeof start - 1;
  memcpy(start, piece, count);
  start[count] = '\0';
  char* end = strstr(start, "?>");
  const char* name = strstr(start, "encoding");
  if (!end || !name || name > end) return false;
  name += strcspn(name, "\"'");
  return *name && is_latin_name(name + 1);
}

static bool is_wide(const char* piece, size_t length) {
  static const char STARTS[4][2] = {{'\xff', '\xfe'}, {'\xfe', '\xff'}, {'<', '\0'}, {'\0', '<'}};
  for (int i = 0; i < 4 && length >= 2; i++)
    if (memcmp(piece, STARTS[i], 2) == 0) return true;
  return false;
}

/* ---- Characters */

/* How many bytes a character has that starts so; 0: none starts so. */
static int count_bytes(unsigned char byte) {
  if (byte < 0x80) return 1;
  if (byte >= 0xc2 && byte < 0xe0) return 2;
  if (byte >= 0xe0 && byte < 0xf0) return 3;
  return byte >= 0xf0 && byte < 0xf5 ? 4 : 0;
}

/* Whether a byte may go on the character that is held: no surrogates, nothing longer than need be,
 * nothing beyond the last character. */
static bool goes_on(const cr_xml_bytes* b, unsigned char byte) {
  unsigned char first = b->held[0], low = 0x80, high = 0xbf;
  if (b->num_held == 1) {
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
  }
  bool is_none = b->num_held == 2 && first == 0xef && b->held[1] == 0xbf && byte >= 0xbe;
  return byte >= low && byte <= high && !is_none;
}

static size_t put_latin(unsigned char byte, char* out) {
  out[0] = (char)(0xc0 | byte >> 6);
  out[1] = (char)(0x80 | (byte & 0x3f));
  return 2;
}

/* Held bytes that are no character, one by one. */
static size_t release_latin(cr_xml_bytes* b, char* out) {
  size_t done = 0;
  for (int i = 0; i < b->num_held; i++) done += put_latin(b->held[i], out + done);
  b->num_held = 0;
  return done;
}

static size_t release_character(cr_xml_bytes* b, char* out) {
  static const unsigned char MARK[3] = {0xef, 0xbb, 0xbf};
  size_t length = (size_t)b->num_held;
  bool is_mark = !b->has_begun && length == 3 && memcmp(b->held, MARK, 3) == 0;
  b->num_held = 0;
  if (is_mark) return 0;
  b->has_begun = true;
  memcpy(out, b->held, length);
  return length;
}

static size_t pass(cr_xml_bytes* b, unsigned char byte, char* out) {
  size_t done = 0;
  if (b->num_held && !goes_on(b, byte)) done = release_latin(b, out);
  if (b->num_held) {
    b->held[b->num_held++] = byte;
    return done + (b->num_held < b->wanted ? 0 : release_character(b, out + done));
  }
  b->wanted = b->is_latin && byte >= 0x80 ? 0 : count_bytes(byte);
  if (b->wanted == 0) return done + put_latin(byte, out + done);
  bool is_control = byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';
  b->held[b->num_held++] = is_control ? ' ' : byte;
  return done + (b->wanted > 1 ? 0 : release_character(b, out + done));
}

size_t cr_xml_bytes_piece(cr_xml_bytes* b, const char* piece, size_t length, char* out) {
  size_t done = 0;
  if (!b->has_begun && !b->num_held) {
    b->is_wide = is_wide(piece, length);
    b->is_latin = declares_latin(piece, length);
  }
  if (b->is_wide) {
    b->has_begun = true;
    memcpy(out, piece, length);
    return length;
  }
  for (size_t i = 0; i < length && !b->has_ended; i++) {
    b->has_ended = piece[i] == '\0';
    if (!b->has_ended) done += pass(b, (unsigned char)piece[i], out + done);
  }
  return done;
}

size_t cr_xml_bytes_end(cr_xml_bytes* b, char* out) { return release_latin(b, out); }
