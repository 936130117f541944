/* A filter of bytes: knows comments, character sections, instructions and the parts of tags by
 * their first letters, and nothing else of XML. Bytes that may belong to such a start or end are
 * held back until it is known. */
#include "import/xml_mend.h"

#include <stdio.h>
#include <string.h>

enum {
  BEFORE,      /* all tags */
  TEXT,        /* also declarations of types, and end tags */
  MARKUP,      /* behind '<' */
  COMMENT,     /* up to "-->" */
  CHARACTERS,  /* up to "]]>" */
  INSTRUCTION, /* up to "?>" */
  TAG,         /* the name of an element, or what is between its attributes */
  NAME,        /* of an attribute */
  VALUE,       /* within its quotes */
  BEHIND,      /* right behind them */
  REFERENCE,   /* behind '&' in a text */
  INNER,       /* the same in a value */
};

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static size_t put(const char* text, char* out) {
  size_t length = 0;
  for (; text[length]; length++) out[length] = text[length];
  return length;
}

static size_t put_byte(char byte, char* out) {
  *out = byte;
  return 1;
}

static size_t release_held(cr_xml_mend* mend, char* out) {
  size_t length = (size_t)mend->num_held;
  memcpy(out, mend->held, length);
  mend->num_held = 0;
  return length;
}

/* Holds a byte and goes on elsewhere. */
static size_t hold(cr_xml_mend* mend, char byte, int within) {
  mend->held[mend->num_held++] = byte;
  mend->within = within;
  return 0;
}

static size_t pass(cr_xml_mend* mend, char byte, char* out);

static size_t pass_text(cr_xml_mend* mend, char byte, char* out) {
  if (byte == '<') return hold(mend, byte, MARKUP);
  if (byte == '&') return hold(mend, byte, REFERENCE);
  return put_byte(byte, out);
}

/* What stands before the first tag is passed over. */
static size_t pass_before(cr_xml_mend* mend, char byte, char* out) {
  if (byte == '<') return hold(mend, byte, MARKUP);
  return put_byte((unsigned char)byte > ' ' ? ' ' : byte, out);
}

/* ---- Behind '<' */

static bool is_start(const cr_xml_mend* mend, const char* start, bool whole) {
  size_t held = (size_t)mend->num_held, length = strlen(start);
  return (whole ? held == length : held < length) && memcmp(start, mend->held, held) == 0;
}

static size_t enter(cr_xml_mend* mend, int within, char* out) {
  mend->within = within;
  return release_held(mend, out);
}

/* A declaration that is not at the start gets a name that the parser passes over. */
static size_t enter_instruction(cr_xml_mend* mend, char* out) {
  char last = mend->held[mend->num_held - 1];
  bool is_late = mend->count > 6 && memcmp(mend->held, "<?xml", 5) == 0 && is_blank(last);
  if (is_late) memcpy(mend->held, "<?was", 5);
  return enter(mend, INSTRUCTION, out);
}

/* The name of an element begins. */
static size_t enter_tag(cr_xml_mend* mend, char* out) {
  mend->num_names = mend->num_again = 0;
  return enter(mend, TAG, out);
}

static size_t pass_markup(cr_xml_mend* mend, char byte, char* out) {
  static const char COMMENT_START[] = "<!--", CHARACTERS_START[] = "<![CDATA[";
  static const char DECLARATION[] = "<?xml ";
  hold(mend, byte, MARKUP);
  if (is_start(mend, COMMENT_START, true)) return enter(mend, COMMENT, out);
  if (is_start(mend, CHARACTERS_START, true)) return enter(mend, CHARACTERS, out);
  if (is_start(mend, COMMENT_START, false) || is_start(mend, CHARACTERS_START, false) ||
      is_start(mend, DECLARATION, false))
    return 0;
  if (mend->held[1] == '?') return enter_instruction(mend, out);
  bool is_name = mend->num_held == 2 && !strchr("!/<>&'\"=-. 0123456789\t\r\n", byte);
  if (is_name) return enter_tag(mend, out);
  if (byte != '<') return enter(mend, TEXT, out);
  mend->num_held--;
  size_t done = enter(mend, TEXT, out);
  return done + pass(mend, byte, out + done);
}

/* ---- What passes as it is, up to its end */

/* The next byte of a comment: of a row of dashes the last two may be its end, all else is blank. */
static size_t pass_comment(cr_xml_mend* mend, char byte, char* out) {
  if (byte == '-' && mend->num_held < 2) return hold(mend, byte, COMMENT);
  if (byte == '-') return put_byte(' ', out);
  bool is_end = byte == '>' && mend->num_held == 2;
  if (!is_end) memset(mend->held, ' ', (size_t)mend->num_held);
  hold(mend, byte, is_end ? TEXT : COMMENT);
  return release_held(mend, out);
}

/* The next byte of a character section, which "]]>" ends. */
static size_t pass_characters(cr_xml_mend* mend, char byte, char* out) {
  bool is_end = byte == '>' && mend->num_held == 2;
  if (byte == ']' && mend->num_held < 2) return hold(mend, byte, CHARACTERS);
  if (byte == ']') return put_byte(byte, out);
  hold(mend, byte, is_end ? TEXT : CHARACTERS);
  return release_held(mend, out);
}

static size_t pass_instruction(cr_xml_mend* mend, char byte, char* out) {
  if (byte == '>' && mend->last == '?') mend->within = TEXT;
  return put_byte(byte, out);
}

/* ---- Tags */

static size_t pass_tag(cr_xml_mend* mend, char byte, char* out) {
  if (byte == '>') mend->within = TEXT;
  if (byte == '"' || byte == '\'') mend->within = VALUE, mend->quote = byte;
  bool starts = is_blank(mend->last) && !is_blank(byte) && !strchr("/>='\"", byte);
  if (!starts) return put_byte(byte, out);
  mend->within = NAME;
  mend->name = 14695981039346656037u;
  return pass(mend, byte, out);
}

/* Whether the tag has an attribute of that name; it has from here on. */
static bool is_again(cr_xml_mend* mend) {
  for (int i = 0; i < mend->num_names; i++)
    if (mend->names[i] == mend->name) return true;
  if (mend->num_names < CR_XML_MEND_NAMES) mend->names[mend->num_names++] = mend->name;
  return false;
}

static size_t pass_name(cr_xml_mend* mend, char byte, char* out) {
  if (!is_blank(byte) && !strchr("=/>'\"", byte)) {
    mend->name = (mend->name ^ (unsigned char)byte) * 1099511628211u;
    return put_byte(byte, out);
  }
  size_t done = 0;
  if (is_again(mend))
    done = (size_t)sprintf(out, CR_XML_MEND_AGAIN "%d", mend->num_again++ % 10000);
  mend->within = TAG;
  return done + pass(mend, byte, out + done);
}

static size_t pass_value(cr_xml_mend* mend, char byte, char* out) {
  if (byte == '<') return put("&lt;", out);
  if (byte == '&') return hold(mend, byte, INNER);
  if (byte == mend->quote) mend->within = BEHIND;
  return put_byte(byte, out);
}

static size_t pass_behind(cr_xml_mend* mend, char byte, char* out) {
  size_t done = 0;
  mend->within = TAG;
  if (!is_blank(byte) && !strchr("/>?", byte)) {
    done = put_byte(' ', out);
    mend->last = ' ';
  }
  return done + pass(mend, byte, out + done);
}

/* ---- Behind '&' */

/* Whether what is held is a reference that XML knows by itself. */
static bool is_reference(const cr_xml_mend* mend) {
  static const char* const KNOWN[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
  if (mend->held[1] == '#') return mend->num_held > 3;
  for (int i = 0; i < 5; i++)
    if (is_start(mend, KNOWN[i], true)) return true;
  return false;
}

/* What is held is text: '&' itself, and what follows. */
static size_t release_text(cr_xml_mend* mend, char* out) {
  size_t done = put("&amp;", out), length = (size_t)mend->num_held - 1;
  memcpy(out + done, mend->held + 1, length);
  mend->num_held = 0;
  return done + length;
}

static bool goes_on(const cr_xml_mend* mend, char byte) {
  bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
  bool is_digit = byte >= '0' && byte <= '9';
  return mend->num_held < 12 && (is_letter || is_digit || (byte == '#' && mend->num_held == 1));
}

static size_t pass_reference(cr_xml_mend* mend, char byte, char* out) {
  int within = mend->within;
  if (goes_on(mend, byte)) return hold(mend, byte, within);
  mend->within = within == INNER ? VALUE : TEXT;
  if (byte == ';') {
    hold(mend, byte, mend->within);
    return is_reference(mend) ? release_held(mend, out) : release_text(mend, out);
  }
  size_t done = release_text(mend, out);
  return done + pass(mend, byte, out + done);
}

static size_t pass(cr_xml_mend* mend, char byte, char* out) {
  static size_t (*const PASS[])(cr_xml_mend*, char, char*) = {[BEFORE] = pass_before,
                                                              [TEXT] = pass_text,
                                                              [MARKUP] = pass_markup,
                                                              [COMMENT] = pass_comment,
                                                              [CHARACTERS] = pass_characters,
                                                              [TAG] = pass_tag,
                                                              [INSTRUCTION] = pass_instruction,
                                                              [NAME] = pass_name,
                                                              [VALUE] = pass_value,
                                                              [BEHIND] = pass_behind,
                                                              [REFERENCE] = pass_reference,
                                                              [INNER] = pass_reference};
  return PASS[mend->within](mend, byte, out);
}

size_t cr_xml_mend_piece(cr_xml_mend* mend, const char* piece, size_t length, char* out) {
  size_t done = 0;
  for (size_t i = 0; i < length; i++) {
    mend->count++;
    done += pass(mend, piece[i], out + done);
    mend->last = piece[i];
  }
  return done;
}

size_t cr_xml_mend_end(cr_xml_mend* mend, char* out) {
  bool is_text = mend->within == REFERENCE || mend->within == INNER;
  return is_text ? release_text(mend, out) : release_held(mend, out);
}
