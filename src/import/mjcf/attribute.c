/* Reads attributes by table. Every failure names file, line, element, attribute and value. */
#include "import/mjcf/attribute.h"

#include "base/nearest.h"
#include "import/mjcf/reader.h"
#include "import/number.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* An attribute being read. */
typedef struct reading {
  cr_mjcf* m;
  const cr_xml_element* element;
  const char* name;
  const char* value;
} reading;

/* "size is '-0.1', must be positive" */
static carom_status fail(const reading* r, const char* wish) {
  cr_subject subject = cr_mjcf_subject(r->m, r->element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s is '%.60s', must be %s", r->name,
                         r->value, wish);
}

/* A word of a list, and the number it holds. */
typedef struct number {
  const char* word;
  int length;
  cr_number_kind kind;
  double value;
} number;

/* The same of one number of a list. */
static carom_status fail_number(const reading* r, const number* n, const char* wish) {
  cr_subject subject = cr_mjcf_subject(r->m, r->element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s is %.*s, must be %s", r->name,
                         n->length < 60 ? n->length : 60, n->word, wish);
}

static carom_status check_rule(const reading* r, cr_attribute_rule rule, const number* n) {
  if (n->kind == CR_NUMBER_NONE) {
    cr_subject subject = cr_mjcf_subject(r->m, r->element);
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s: '%.*s' is not a number", r->name,
                           n->length < 60 ? n->length : 60, n->word);
  }
  if (rule == CR_RULE_STIFFNESS)
    return n->value > 0 ? CAROM_OK : fail_number(r, n, "positive or inf");
  if (n->kind == CR_NUMBER_NOT_FINITE) return fail_number(r, n, "a finite number");
  if (rule == CR_RULE_POSITIVE && !(n->value > 0)) return fail_number(r, n, "positive");
  if (rule == CR_RULE_NOT_NEGATIVE && n->value < 0) return fail_number(r, n, "zero or positive");
  return CAROM_OK;
}

static carom_status check_count(const reading* r, int count, const cr_attribute* row) {
  if (count >= row->min && count <= row->max) return CAROM_OK;
  cr_subject subject = cr_mjcf_subject(r->m, r->element);
  const char* plural = count == 1 ? "" : "s";
  if (row->min == row->max)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s has %d number%s, takes %d", r->name,
                           count, plural, row->min);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s has %d number%s, takes %d to %d",
                         r->name, count, plural, row->min, row->max);
}

/* Reads as many numbers as the row takes. */
static carom_status read_numbers(const reading* r, const cr_attribute* row, double* values,
                                 int* count) {
  *count = cr_number_count_words(r->value);
  CR_TRY(check_count(r, *count, row));
  number n = {.word = r->value};
  for (int i = 0; (n.word = cr_number_word(n.word, &n.length)); n.word += n.length) {
    n.kind = cr_number_read(n.word, n.length, &n.value);
    CR_TRY(check_rule(r, row->rule, &n));
    values[i++] = n.value;
  }
  return CAROM_OK;
}

static carom_status read_list(const reading* r, const cr_attribute* row, cr_numbers* numbers) {
  int count;
  CR_TRY(read_numbers(r, row, numbers->x, &count));
  if (count > numbers->count) numbers->count = count;
  return CAROM_OK;
}

/* A whole number between two bounds. */
static carom_status read_integer(const reading* r, long long low, long long high,
                                 long long* value) {
  int length = 0;
  const char* word = cr_number_word(r->value, &length);
  const char* digits = word && (*word == '-' || *word == '+') ? word + 1 : word;
  bool is_whole =
      word && cr_number_count_words(r->value) == 1 && word + length > digits && length < 18;
  for (const char* c = digits; is_whole && c < word + length; c++)
    is_whole = *c >= '0' && *c <= '9';
  if (!is_whole) return fail(r, "a whole number");
  *value = strtoll(word, NULL, 10);
  if (*value < low || *value > high) return fail(r, "a number of 32 bits");
  return CAROM_OK;
}

/* "a, b or c" */
static void list_words(const char* const* words, char* text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; words[i] && used < size; i++) {
    const char* gap = i == 0 ? "" : words[i + 1] ? ", " : " or ";
    int written = snprintf(text + used, size - used, "%s%s", gap, words[i]);
    used += (size_t)written;
  }
}

static carom_status read_word(const reading* r, const char* const* words, int* index) {
  for (int i = 0; words[i]; i++)
    if (strcmp(words[i], r->value) == 0) {
      *index = i;
      return CAROM_OK;
    }
  char wish[200];
  list_words(words, wish, sizeof wish);
  return fail(r, wish);
}

/* --- Units --------------------------------------------------------------------------------------
 */

const char* const cr_mjcf_pressures[] = {"Pa", "kPa", "MPa", "GPa", NULL};
const char* const cr_mjcf_densities[] = {"kg/m3", "g/cm3", NULL};
const char* const cr_mjcf_lengths[] = {"m", "cm", "mm", "um", NULL};

double cr_mjcf_unit_scale(const char* unit) {
  static const struct {
    const char* unit;
    double scale;
  } UNITS[] = {{"Pa", 1},      {"kPa", 1e3}, {"MPa", 1e6}, {"GPa", 1e9}, {"kg/m3", 1},
               {"g/cm3", 1e3}, {"m", 1},     {"cm", 1e-2}, {"mm", 1e-3}, {"um", 1e-6}};
  for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++)
    if (strcmp(UNITS[i].unit, unit) == 0) return UNITS[i].scale;
  return NAN;
}

/* A number, and the unit behind it where there is one. */
static carom_status read_quantity(const reading* r, const cr_attribute* row, double* value) {
  int length, count, unit = 0;
  const char *first = cr_number_word(r->value, &length),
             *second = first ? cr_number_word(first + length, &count) : NULL;
  if (!second) return read_numbers(r, row, value, &count);
  number n = {.word = first, .length = length};
  n.kind = cr_number_read(n.word, n.length, &n.value);
  CR_TRY(check_rule(r, row->rule, &n));
  while (row->words[unit] && strcmp(row->words[unit], second) != 0) unit++;
  if (row->words[unit]) {
    *value = n.value * cr_mjcf_unit_scale(row->words[unit]);
    return CAROM_OK;
  }
  char wish[200];
  list_words(row->words, wish, sizeof wish);
  cr_subject subject = cr_mjcf_subject(r->m, r->element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s has the unit '%.60s', takes %s",
                         r->name, second, wish);
}

static carom_status read_orientation(const reading* r, const cr_attribute* row,
                                     cr_orientation* orientation, int* num_orientations) {
  cr_subject subject = cr_mjcf_subject(r->m, r->element);
  if ((*num_orientations)++ > 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s is a second orientation, takes one",
                           r->name);
  cr_orientation read = {.form = (cr_orientation_form)row->min, .is_given = true};
  int count;
  cr_attribute numbers = {.min = row->max, .max = row->max};
  CR_TRY(read_numbers(r, &numbers, read.x, &count));
  if (read.form == CR_ORIENTATION_QUAT)
    CR_TRY(cr_check_quaternion(&subject, r->name, read.x));
  else if (read.form != CR_ORIENTATION_EULER)
    CR_TRY(cr_check_direction(&subject, r->name, read.x));
  *orientation = read;
  return CAROM_OK;
}

/* True when a value that would be refused does nothing: it is the neutral word, or each of its
 * numbers is the neutral number. */
static bool is_neutral(const char* value, const char* neutral) {
  if (!neutral) return false;
  if (strcmp(value, neutral) == 0) return true;
  double wanted, given;
  int length;
  if (cr_number_read(neutral, (int)strlen(neutral), &wanted) != CR_NUMBER_FINITE) return false;
  for (const char* word = value; (word = cr_number_word(word, &length)); word += length)
    if (cr_number_read(word, length, &given) != CR_NUMBER_FINITE || given != wanted) return false;
  return true;
}

/* Reads a row's value into its field. */
static carom_status read_row(const reading* r, const cr_attribute* row, void* field,
                             int* num_orientations) {
  static const char* const FLAG_WORDS[] = {"false", "true", NULL};
  int index = 0, count;
  long long whole = 0;
  switch (row->kind) {
  case CR_ATTRIBUTE_NUMBER:
    return read_numbers(r, row, field, &count);
  case CR_ATTRIBUTE_QUANTITY:
    return read_quantity(r, row, field);
  case CR_ATTRIBUTE_NUMBERS:
    return read_list(r, row, field);
  case CR_ATTRIBUTE_INTEGER:
    CR_TRY(read_integer(r, INT32_MIN, INT32_MAX, &whole));
    *(int*)field = (int)whole;
    return CAROM_OK;
  case CR_ATTRIBUTE_BITS:
    CR_TRY(read_integer(r, INT32_MIN, UINT32_MAX, &whole));
    *(uint32_t*)field = (uint32_t)whole;
    return CAROM_OK;
  case CR_ATTRIBUTE_FLAG:
    CR_TRY(read_word(r, FLAG_WORDS, &index));
    *(bool*)field = index == 1;
    return CAROM_OK;
  case CR_ATTRIBUTE_WORD:
    return read_word(r, row->words, field);
  case CR_ATTRIBUTE_TEXT:
    *(const char**)field = r->value;
    return CAROM_OK;
  case CR_ATTRIBUTE_ORIENTATION:
    return read_orientation(r, row, field, num_orientations);
  case CR_ATTRIBUTE_NOTED:
    return cr_mjcf_remark_on(r->m, r->element, r->name, row, row->text);
  case CR_ATTRIBUTE_REFUSED:
    if (is_neutral(r->value, row->neutral)) return CAROM_OK;
    return cr_mjcf_refuse(r->m, r->element, r->name, row, row->text);
  case CR_ATTRIBUTE_ELSEWHERE:
  case CR_ATTRIBUTE_MORE:
    break;
  }
  return CAROM_OK;
}

/* Attributes of other people's namespaces, and the declarations of any. */
static bool is_foreign(const char* name) {
  const char* colon = strchr(name, ':');
  return strcmp(name, "xmlns") == 0 || (colon && strncmp(name, "carom:", 6) != 0);
}

static const cr_attribute* find_row(const cr_attribute* table, const char* name) {
  for (const cr_attribute* row = table; row->name; row++) {
    if (row->kind == CR_ATTRIBUTE_MORE) return find_row(row->more, name);
    if (strcmp(row->name, name) == 0) return row;
  }
  return NULL;
}

/* The attribute of a table that a misspelt name may mean, or null. */
static const char* find_near(const cr_attribute* table, const char* name) {
  const char* near = NULL;
  int best = 99;
  for (const cr_attribute* row = table; row->name;) {
    if (row->kind == CR_ATTRIBUTE_MORE) {
      row = row->more;
      continue;
    }
    int distance = cr_nearest_distance(name, row->name);
    if (distance < best && cr_nearest_is_close(name, distance)) best = distance, near = row->name;
    row++;
  }
  return near;
}

carom_status cr_mjcf_read_attributes(cr_mjcf* m, const cr_xml_element* element,
                                     const cr_attribute* table, void* target) {
  int num_orientations = 0;
  cr_mjcf_select_document(m, element->document);
  char nothing; /* what rows without a field point at */
  if (!target) target = &nothing;
  for (int i = 0; i < element->num_attributes; i++) {
    reading r = {m, element, element->attributes[i].name, element->attributes[i].value};
    const cr_attribute* row = find_row(table, r.name);
    if (row) {
      CR_TRY(read_row(&r, row, (char*)target + row->offset, &num_orientations));
    } else if (is_foreign(r.name)) {
      static const char TEXT[] = "not used: its prefix is not one that is read here";
      if (strncmp(r.name, "xmlns", 5) != 0)
        CR_TRY(cr_mjcf_remark_on(m, element, r.name, TEXT, TEXT));
    } else {
      cr_subject subject = cr_mjcf_subject(m, element);
      const char* near = find_near(table, r.name);
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                             "attribute '%.60s' is not known%s%s%s", r.name, near ? "; is '" : "",
                             near ? near : "", near ? "' meant?" : "");
    }
  }
  return CAROM_OK;
}

carom_status cr_mjcf_read_long(cr_mjcf* m, const cr_xml_element* element, const char* name,
                               const double** numbers, int* count) {
  *numbers = NULL;
  *count = 0;
  reading r = {m, element, name, cr_xml_get(element, name)};
  if (!r.value) return CAROM_OK;
  int wanted = cr_number_count_words(r.value);
  double* values = cr_pool_take(&m->xml.pool, (size_t)wanted * sizeof(double));
  if (!values) return cr_error_memory(m->error);
  cr_attribute any = {.min = 0, .max = INT32_MAX};
  CR_TRY(read_numbers(&r, &any, values, count));
  *numbers = values;
  return CAROM_OK;
}
