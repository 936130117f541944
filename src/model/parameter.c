/* Parameters by name: found in the table of fields, read from definitions, and set through the
 * checks of what is added. */
#include "carom/parameter.h"

#include "base/assert.h"
#include "base/nearest.h"
#include "model/kind.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Names --------------------------------------------------------------------------------------
 */

#define LONGEST 200

/* "KIND.PART.FIELD[i]" taken apart; of the model `part` is empty. */
typedef struct parts {
  const char* name;
  char text[LONGEST];
  const char *kind, *part, *field;
  int index; /* -1: none */
} parts;

static carom_status refuse(carom_error* error, const char* name, const char* what) {
  return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "parameter '%.200s': %s", name, what);
}

static carom_status take_index(parts* p, const char* name, carom_error* error) {
  char* bracket = strrchr(p->text, '[');
  p->index = -1;
  if (!bracket) return CAROM_OK;
  char* end;
  long value = strtol(bracket + 1, &end, 10);
  bool is_number = isdigit((unsigned char)bracket[1]) && strcmp(end, "]") == 0;
  if (!is_number || value > INT_MAX) return refuse(error, name, "[ ] must hold a number, from 0");
  p->index = (int)value;
  *bracket = '\0';
  return CAROM_OK;
}

static carom_status take_apart(const char* name, parts* p, carom_error* error) {
  p->name = name;
  if (strlen(name) >= LONGEST) return refuse(error, name, "no name is as long");
  snprintf(p->text, sizeof p->text, "%s", name);
  CR_TRY(take_index(p, name, error));
  char *first = strchr(p->text, '.'), *last = strrchr(p->text, '.');
  if (!first) return refuse(error, name, "must be KIND.NAME.FIELD, or model.FIELD");
  *first = *last = '\0';
  p->kind = p->text;
  p->part = first == last ? "" : first + 1;
  p->field = last + 1;
  return CAROM_OK;
}

/* The known word that is nearest to one that is not known; more freely than in files, whose words
 * may mean something to others. */
typedef struct search {
  const char *word, *best;
  int distance;
} search;

static void look_at(search* s, const char* known) {
  int distance = cr_nearest_distance(s->word, known);
  bool is_close = distance <= 2 && 2 * distance < (int)strlen(s->word);
  if (distance >= s->distance || !is_close) return;
  s->best = known;
  s->distance = distance;
}

/* "there is no WHAT 'WORD'; the nearest is 'BEST'" */
static carom_status refuse_word(carom_error* error, const char* name, const char* what,
                                const search* s) {
  char sentence[400];
  int length = snprintf(sentence, sizeof sentence, "there is no %s '%.80s'", what, s->word);
  if (s->best)
    snprintf(sentence + length, sizeof sentence - (size_t)length, "; the nearest is '%.80s'",
             s->best);
  return refuse(error, name, sentence);
}

static carom_status find_kind(const parts* p, int* kind, carom_error* error) {
  search s = {p->kind, NULL, INT_MAX};
  for (*kind = 0; *kind < CR_NUM_KINDS; (*kind)++) {
    if (strcmp(cr_kinds[*kind].word, p->kind) == 0) return CAROM_OK;
    look_at(&s, cr_kinds[*kind].word);
  }
  return refuse_word(error, p->name, "kind", &s);
}

static carom_status find_field(const parts* p, int kind, int* row, carom_error* error) {
  search s = {p->field, NULL, INT_MAX};
  for (*row = 0; *row < cr_num_fields; (*row)++) {
    if (cr_fields[*row].kind != kind) continue;
    if (strcmp(cr_fields[*row].word, p->field) == 0) return CAROM_OK;
    look_at(&s, cr_fields[*row].word);
  }
  char what[60];
  snprintf(what, sizeof what, "parameter of a %s", cr_kinds[kind].word);
  return refuse_word(error, p->name, what, &s);
}

static const char* get_name(const carom_builder* b, const cr_kind* kind, const cr_list* list,
                            int index) {
  const char* record = (const char*)list->items + (size_t)index * list->size;
  const cr_label* label = (const cr_label*)(const void*)(record + kind->label);
  return cr_text_get(&b->text, label->name, "");
}

/* A whole number that stands for a name. */
static bool read_number(const char* word, int* number) {
  char* end;
  long value = strtol(word, &end, 10);
  *number = (int)value;
  return isdigit((unsigned char)word[0]) && *end == '\0' && value <= INT_MAX;
}

static carom_status find_part(const carom_builder* b, const parts* p, int kind, int* id,
                              carom_error* error) {
  const cr_kind* k = &cr_kinds[kind];
  const cr_list* list = (const cr_list*)(const void*)((const char*)b + k->list);
  int first = kind == CR_OF_BODY;
  *id = k->part >= 0 ? cr_name_find(&b->names, &b->text, k->part, p->part) : -1;
  for (int i = 0; k->part < 0 && i < list->count && *id < 0; i++)
    if (p->part[0] && strcmp(get_name(b, k, list, i), p->part) == 0) *id = i;
  if (*id < 0 && (!read_number(p->part, id) || *id >= list->count)) *id = -1;
  if (*id >= first) {
    *id += k->first_id;
    return CAROM_OK;
  }
  search s = {p->part, NULL, INT_MAX};
  for (int i = first; i < list->count; i++) look_at(&s, get_name(b, k, list, i));
  return refuse_word(error, p->name, k->word, &s);
}

carom_status carom_builder_find_parameter(const carom_builder* builder, const char* name,
                                          carom_parameter* parameter, carom_error* error) {
  parts p = {.kind = "", .part = "", .field = "", .index = -1};
  int kind, row, id = 0;
  cr_error_clear(error);
  if (!builder || !name || !parameter)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "parameter: the %s is null",
                        !builder ? "builder"
                        : !name  ? "name"
                                 : "result");
  *parameter = (carom_parameter){0};
  CR_TRY(take_apart(name, &p, error));
  CR_TRY(find_kind(&p, &kind, error));
  if ((kind == CR_OF_MODEL) != (p.part[0] == '\0'))
    return refuse(error, name,
                  kind == CR_OF_MODEL ? "must be model.FIELD" : "must be KIND.NAME.FIELD");
  CR_TRY(find_field(&p, kind, &row, error));
  if (kind != CR_OF_MODEL) CR_TRY(find_part(builder, &p, kind, &id, error));
  const cr_field* field = &cr_fields[row];
  if (p.index >= field->count)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "parameter '%.200s': [ ] is %d, must be less than %d", name, p.index,
                        field->count);
  *parameter = (carom_parameter){.count = p.index < 0 ? field->count : 1,
                                 .unit = field->unit,
                                 .row = row,
                                 .part = id,
                                 .first = p.index < 0 ? 0 : p.index};
  return CAROM_OK;
}

int carom_parameter_count_fields(void) { return cr_num_fields; }

carom_parameter_field carom_parameter_get_field(int row) {
  CR_ASSERT(row >= 0 && row < cr_num_fields);
  const cr_field* f = &cr_fields[row];
  return (carom_parameter_field){cr_kinds[f->kind].word, f->word, f->unit, f->count};
}

/* --- Values -------------------------------------------------------------------------------------
 */

static double read_value(const cr_definition* def, const cr_field* field, int i) {
  const char* at = (const char*)def + field->offset;
  switch (field->type) {
  case CR_FIELD_INT:
    return ((const int*)(const void*)at)[i];
  case CR_FIELD_BOOL:
    return ((const bool*)(const void*)at)[i];
  default:
    return ((const double*)(const void*)at)[i];
  }
}

static carom_status write_value(const cr_subject* subject, cr_definition* def,
                                const cr_field* field, int i, double value) {
  char* at = (char*)def + field->offset;
  if (field->type == CR_FIELD_DOUBLE) {
    ((double*)(void*)at)[i] = value;
    return CAROM_OK;
  }
  bool is_truth = field->type == CR_FIELD_BOOL;
  bool fits = is_truth ? value == 0 || value == 1 : fabs(value) <= INT_MAX && value == rint(value);
  if (!fits)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "%s is %.9g, must be %s", field->word,
                           value, is_truth ? "0 or 1" : "a whole number");
  if (is_truth)
    ((bool*)(void*)at)[i] = value != 0;
  else
    ((int*)(void*)at)[i] = (int)value;
  return CAROM_OK;
}

static carom_status check_arguments(const carom_builder* builder, const carom_parameter* parameter,
                                    const double* values, carom_error* error) {
  cr_error_clear(error);
  if (!builder || !parameter || !values)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "parameter: the %s null",
                        !builder     ? "builder is"
                        : !parameter ? "parameter is"
                                     : "values are");
  bool is_one = parameter->row >= 0 && parameter->row < cr_num_fields && parameter->first >= 0 &&
                parameter->count > 0 &&
                parameter->count <= cr_fields[parameter->row].count - parameter->first;
  return is_one ? CAROM_OK
                : cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                               "parameter: it is none that was found by a name");
}

/* The definition as it was given, and with what follows from shapes. */
static carom_status load(const carom_builder* builder, const carom_parameter* parameter,
                         cr_definition* given, cr_definition* resolved, carom_error* error) {
  int kind = cr_fields[parameter->row].kind;
  if (kind == CR_OF_MODEL) {
    given->builder = resolved->builder = carom_builder_get_options(builder);
    return CAROM_OK;
  }
  void* record;
  CR_TRY(cr_kind_get(builder, kind, parameter->part, given, error));
  memcpy(resolved, given, cr_kinds[kind].def_size);
  cr_kind_begin(builder, kind, parameter->part, &record, error);
  if (cr_kinds[kind].resolve) cr_kinds[kind].resolve(builder, record, resolved);
  return CAROM_OK;
}

carom_status carom_builder_get_parameter(const carom_builder* builder,
                                         const carom_parameter* parameter, double* values,
                                         carom_error* error) {
  cr_definition given, resolved;
  CR_TRY(check_arguments(builder, parameter, values, error));
  CR_TRY(load(builder, parameter, &given, &resolved, error));
  for (int i = 0; i < parameter->count; i++)
    values[i] = read_value(&resolved, &cr_fields[parameter->row], parameter->first + i);
  return CAROM_OK;
}

static bool has_values(const cr_definition* def, const carom_parameter* parameter,
                       const double* values) {
  for (int i = 0; i < parameter->count; i++) {
    double own = read_value(def, &cr_fields[parameter->row], parameter->first + i);
    if (own != values[i] && !(isnan(own) && isnan(values[i]))) return false;
  }
  return true;
}

carom_status carom_builder_set_parameter(carom_builder* builder, const carom_parameter* parameter,
                                         const double* values, carom_error* error) {
  cr_definition def, resolved;
  void* record = NULL;
  CR_TRY(check_arguments(builder, parameter, values, error));
  CR_TRY(load(builder, parameter, &def, &resolved, error));
  if (has_values(&resolved, parameter, values)) return CAROM_OK;
  const cr_field* field = &cr_fields[parameter->row];
  const cr_kind* kind = &cr_kinds[field->kind];
  cr_addition change = {.builder = builder, .subject = {.kind = kind->word, .error = error}};
  if (field->kind != CR_OF_MODEL)
    change = cr_kind_begin(builder, field->kind, parameter->part, &record, error);
  if (kind->make_way) CR_TRY(kind->make_way(&change, &resolved, field->word, &def));
  for (int i = 0; i < parameter->count; i++)
    CR_TRY(write_value(&change.subject, &def, field, parameter->first + i, values[i]));
  if (field->kind == CR_OF_MODEL) return carom_builder_set_options(builder, &def.builder, error);
  return cr_kind_set(builder, field->kind, parameter->part, &def, error);
}
