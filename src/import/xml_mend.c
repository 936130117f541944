/* A filter of bytes: knows comments, character sections and declarations by their first letters,
 * and nothing else of XML. Bytes that may belong to such a start or end are held back until it is
 * known. Documents in encodings of two bytes pass unchanged: no start is found in them. */
#include "import/xml_mend.h"

#include <stdbool.h>
#include <string.h>

enum { TEXT, COMMENT, CHARACTERS };

static const char* const STARTS[] = {
    [TEXT] = "<?xml", [COMMENT] = "<!--", [CHARACTERS] = "<![CDATA["};

static size_t release_held(cr_xml_mend* mend, char* out) {
  size_t length = (size_t)mend->num_held;
  memcpy(out, mend->held, length);
  mend->num_held = 0;
  return length;
}

/* A declaration that is not at the start gets a name that the parser passes over. */
static size_t rename_declaration(cr_xml_mend* mend, char* out) {
  static const char NEUTRAL[5] = {'<', '?', 'w', 'a', 's'};
  memcpy(out, NEUTRAL, sizeof NEUTRAL);
  mend->num_held = 0;
  return sizeof NEUTRAL;
}

/* The next byte outside comments. */
static size_t pass_text(cr_xml_mend* mend, char byte, char* out) {
  size_t done = 0;
  bool is_declaration = mend->num_held == 5 && mend->held[1] == '?';
  if (is_declaration && strchr(" \t\r\n", byte) && mend->count > 6)
    done = rename_declaration(mend, out);
  mend->held[mend->num_held++] = byte;
  for (int kind = TEXT; kind <= CHARACTERS; kind++) {
    size_t length = strlen(STARTS[kind]), held = (size_t)mend->num_held;
    if (held > length || memcmp(STARTS[kind], mend->held, held) != 0) continue;
    if (held < length || kind == TEXT) return done;
    mend->within = kind;
    return done + release_held(mend, out + done);
  }
  /* The byte may itself be the start of something. */
  if (byte != '<' || mend->num_held == 1) return done + release_held(mend, out + done);
  mend->num_held--;
  done += release_held(mend, out + done);
  mend->held[mend->num_held++] = byte;
  return done;
}

/* The next byte of a comment: of a row of dashes the last two may be its end, all else is blank. */
static size_t pass_comment(cr_xml_mend* mend, char byte, char* out) {
  if (byte == '-' && mend->num_held < 2) {
    mend->held[mend->num_held++] = byte;
    return 0;
  }
  if (byte == '-') {
    *out = ' ';
    return 1;
  }
  bool is_end = byte == '>' && mend->num_held == 2;
  if (!is_end) memset(mend->held, ' ', (size_t)mend->num_held);
  if (is_end) mend->within = TEXT;
  mend->held[mend->num_held++] = byte;
  return release_held(mend, out);
}

/* The next byte of a character section, which "]]>" ends. */
static size_t pass_characters(cr_xml_mend* mend, char byte, char* out) {
  bool is_end = byte == '>' && mend->num_held == 2;
  if (byte == ']' && mend->num_held < 2) {
    mend->held[mend->num_held++] = byte;
    return 0;
  }
  size_t done = 0;
  if (byte == ']')
    out[done++] = byte;
  else
    done = release_held(mend, out);
  if (byte != ']') out[done++] = byte;
  if (is_end) mend->within = TEXT;
  return done;
}

size_t cr_xml_mend_piece(cr_xml_mend* mend, const char* piece, size_t length, char* out) {
  static size_t (*const PASS[])(cr_xml_mend*, char, char*) = {
      [TEXT] = pass_text, [COMMENT] = pass_comment, [CHARACTERS] = pass_characters};
  size_t done = 0;
  for (size_t i = 0; i < length; i++) {
    mend->count++;
    done += PASS[mend->within](mend, piece[i], out + done);
  }
  return done;
}

size_t cr_xml_mend_end(cr_xml_mend* mend, char* out) { return release_held(mend, out); }
