/* Elements, attributes and names; see writer.h. */
#include "export/writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Elements */

static void finish_tag(cr_writer* w) {
  if (w->is_open) cr_file_put_text(&w->file, ">\n");
  w->is_open = false;
}

static void indent(cr_writer* w) {
  for (int i = 0; i < w->depth && i < 40; i++) cr_file_put_text(&w->file, "  ");
}

void cr_write_open(cr_writer* w, const char* name) {
  finish_tag(w);
  indent(w);
  cr_file_print(&w->file, "<%s", name);
  w->is_open = true;
  w->depth++;
}

void cr_write_close(cr_writer* w, const char* name) {
  w->depth--;
  if (w->is_open) {
    cr_file_put_text(&w->file, "/>\n");
    w->is_open = false;
    return;
  }
  indent(w);
  cr_file_print(&w->file, "</%s>\n", name);
}

/* ---- Attributes */

/* What XML would take for something else. */
static const char* find_escape(char c) {
  switch (c) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '"':
    return "&quot;";
  case '\n':
    return "&#10;";
  case '\t':
    return "&#9;";
  case '\r':
    return "&#13;";
  }
  return NULL;
}

void cr_write_text(cr_writer* w, const char* name, const char* value) {
  cr_file_print(&w->file, " %s=\"", name);
  for (; *value; value++) {
    const char* escape = find_escape(*value);
    if (escape)
      cr_file_put_text(&w->file, escape);
    else
      cr_file_put(&w->file, value, 1);
  }
  cr_file_put_text(&w->file, "\"");
}

/* The shortest of 15 to 17 digits that reads back to the same number. */
static void put_number(cr_writer* w, double value) {
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  for (char* c = text; *c; c++)
    if (*c == ',') *c = '.'; /* some locales */
  cr_file_put_text(&w->file, text);
}

void cr_write_numbers(cr_writer* w, const char* name, const double* values, int count) {
  cr_file_print(&w->file, " %s=\"", name);
  for (int i = 0; i < count; i++) {
    if (i) cr_file_put_text(&w->file, " ");
    put_number(w, values[i]);
  }
  cr_file_put_text(&w->file, "\"");
}

void cr_write_number(cr_writer* w, const char* name, double value) {
  cr_write_numbers(w, name, &value, 1);
}

void cr_write_integer(cr_writer* w, const char* name, int64_t value) {
  cr_file_print(&w->file, " %s=\"%" PRId64 "\"", name, value);
}

void cr_write_number_but(cr_writer* w, const char* name, double value, double usual) {
  if (value != usual && !(isnan(value) && isnan(usual))) cr_write_number(w, name, value);
}

void cr_write_powers(cr_writer* w, const char* name, double first, const double more[2]) {
  const double all[3] = {first, more[0], more[1]};
  int count = more[1] != 0 ? 3 : more[0] != 0 ? 2 : first != 0 ? 1 : 0;
  if (count) cr_write_numbers(w, name, all, count);
}

void cr_write_vector_but_zero(cr_writer* w, const char* name, const double* x) {
  if (x[0] != 0 || x[1] != 0 || x[2] != 0) cr_write_numbers(w, name, x, 3);
}

void cr_write_quaternion_but_one(cr_writer* w, const char* name, const double* q) {
  if (q[1] != 0 || q[2] != 0 || q[3] != 0) cr_write_numbers(w, name, q, 4);
}

void cr_write_remark(cr_writer* w, const char* text) {
  for (int i = 0; i < w->num_told; i++)
    if (w->told[i] == text) return;
  if (w->num_told < CR_MAX_REMARKS) w->told[w->num_told++] = text;
  if (w->def->remark) w->def->remark(w->def->user, text);
}

/* ---- Names */

const cr_list* cr_writer_list(const cr_writer* w, cr_part part) {
  const carom_builder* b = w->builder;
  switch (part) {
  case CR_PART_BODY:
    return &b->bodies;
  case CR_PART_JOINT:
    return &b->joints;
  case CR_PART_GEOM:
    return &b->geoms;
  case CR_PART_SITE:
    return &b->sites;
  case CR_PART_TENDON:
    return &b->tendons;
  case CR_PART_ACTUATOR:
    return &b->actuators;
  default:
    return NULL;
  }
}

static const cr_label* find_label(const cr_writer* w, cr_part part, int record) {
  const carom_builder* b = w->builder;
  switch (part) {
  case CR_PART_BODY:
    return &CR_AT(&b->bodies, cr_body_record, record)->label;
  case CR_PART_JOINT:
    return &CR_AT(&b->joints, cr_joint_record, record)->label;
  case CR_PART_GEOM:
    return &CR_AT(&b->geoms, cr_geom_record, record)->label;
  case CR_PART_SITE:
    return &CR_AT(&b->sites, cr_site_record, record)->label;
  case CR_PART_TENDON:
    return &CR_AT(&b->tendons, cr_tendon_record, record)->label;
  default:
    return &CR_AT(&b->actuators, cr_actuator_record, record)->label;
  }
}

static const char* own_name(const cr_writer* w, cr_part part, int record) {
  const char* name = cr_text_get(&w->builder->text, find_label(w, part, record)->name, "");
  return strlen(name) < CR_NAME_ROOM ? name : "";
}

cr_part_name cr_writer_name(const cr_writer* w, cr_part part, int record) {
  static const char* const KINDS[CR_NUM_PARTS] = {
      [CR_PART_BODY] = "body", [CR_PART_JOINT] = "joint",       [CR_PART_GEOM] = "geom",
      [CR_PART_SITE] = "site", [CR_PART_ACTUATOR] = "actuator", [CR_PART_TENDON] = "tendon"};
  const carom_builder* b = w->builder;
  cr_part_name name;
  const char* own = own_name(w, part, record);
  snprintf(name.text, sizeof name.text, "%s", own);
  for (int i = 0; !own[0] && i < 1000; i++) {
    snprintf(name.text, sizeof name.text, "%s_%d%.*s", KINDS[part], record + (part != CR_PART_BODY),
             i < 200 ? i : 200,
             "________________________________________________________________________________"
             "________________________________________________________________________________"
             "________________________________________");
    if (cr_name_find(&b->names, &b->text, (int)part, name.text) < 0) break;
  }
  return name;
}

void cr_write_reference(cr_writer* w, const char* attribute, cr_part part, int record) {
  cr_part_name name = cr_writer_name(w, part, record);
  cr_write_text(w, attribute, name.text);
}

void cr_write_name(cr_writer* w, cr_part part, int record) {
  bool has_own = own_name(w, part, record)[0] != '\0';
  if (has_own || (w->named[part] && w->named[part][record]))
    cr_write_reference(w, "name", part, record);
}
