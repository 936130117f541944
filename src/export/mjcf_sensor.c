/* MJCF: sensors, by the words of the table of kinds. */
#include "export/writer.h"
#include "model/sensor_kind.h"

#include <stdio.h>

/* The words of a frame: what it is of and its name. */
static void write_frame(cr_writer* w, const char* type, const char* name, carom_frame_of frame) {
  static const char* const WORDS[] = {NULL, "xbody", "body", "geom", "site"};
  static const cr_part PARTS[] = {CR_PART_BODY, CR_PART_BODY, CR_PART_BODY, CR_PART_GEOM,
                                  CR_PART_SITE};
  if (frame.type == CAROM_FRAME_WORLD) return;
  cr_part part = PARTS[frame.type];
  cr_write_text(w, type, WORDS[frame.type]);
  cr_write_reference(w, name, part, part == CR_PART_BODY ? frame.id : frame.id - 1);
}

static void write_side(cr_writer* w, const carom_contact_query* query, int side) {
  static const char* const WORDS[] = {NULL, "geom", "body", "subtree"};
  carom_contact_side_type type = query->side[side];
  char attribute[16];
  if (type == CAROM_SIDE_ANY) return;
  snprintf(attribute, sizeof attribute, "%s%d", WORDS[type], side + 1);
  bool is_geom = type == CAROM_SIDE_GEOM;
  int id = query->id[side];
  cr_write_reference(w, attribute, is_geom ? CR_PART_GEOM : CR_PART_BODY, is_geom ? id - 1 : id);
}

static void write_query(cr_writer* w, const carom_contact_query* query) {
  static const char* const DATA[] = {"found", "force",  "torque", "dist",
                                     "pos",   "normal", "tangent"};
  static const char* const REDUCTIONS[] = {"none", "mindist", "maxforce", "netforce"};
  char data[80] = "";
  int length = 0;
  for (int i = 0; i < 7; i++)
    if (query->data & 1u << i)
      length +=
          snprintf(data + length, sizeof data - (size_t)length, "%s%s", length ? " " : "", DATA[i]);
  write_side(w, query, 0);
  write_side(w, query, 1);
  if (query->site.id) cr_write_reference(w, "site", CR_PART_SITE, query->site.id - 1);
  cr_write_integer(w, "num", query->num);
  cr_write_text(w, "data", data);
  cr_write_text(w, "reduce", REDUCTIONS[query->reduction]);
}

static void write_object(cr_writer* w, const carom_sensor_def* def, cr_sensor_object object) {
  switch (object) {
  case CR_SENSOR_ON_NOTHING:
    break;
  case CR_SENSOR_ON_SCALAR_JOINT:
  case CR_SENSOR_ON_BALL_JOINT:
  case CR_SENSOR_ON_LIMITED_JOINT:
    cr_write_reference(w, "joint", CR_PART_JOINT, def->joint.id - 1);
    break;
  case CR_SENSOR_ON_TENDON:
    cr_write_reference(w, "tendon", CR_PART_TENDON, def->tendon.id - 1);
    break;
  case CR_SENSOR_ON_ACTUATOR:
    cr_write_reference(w, "actuator", CR_PART_ACTUATOR, def->actuator.id - 1);
    break;
  case CR_SENSOR_ON_FRAME:
    write_frame(w, "objtype", "objname", def->frame);
    write_frame(w, "reftype", "refname", def->reference);
    break;
  case CR_SENSOR_ON_SUBTREE:
    cr_write_reference(w, "body", CR_PART_BODY, def->body.id);
    break;
  case CR_SENSOR_ON_SITE:
    cr_write_reference(w, "site", CR_PART_SITE, def->site.id - 1);
    break;
  case CR_SENSOR_ON_CONTACTS:
    write_query(w, &def->contact);
    break;
  }
}

void cr_mjcf_write_sensors(cr_writer* w) {
  const carom_builder* b = w->builder;
  if (b->sensors.count == 0) return;
  static const char REVERSED[] = "force sensors that read the child's force on its parent are "
                                 "written as those of the other sign";
  for (int i = 0; i < b->sensors.count; i++)
    if (CR_AT(&b->sensors, cr_sensor_record, i)->def.reversed) {
      cr_write_remark(w, REVERSED);
      break;
    }
  cr_write_open(w, "sensor");
  for (int i = 0; i < b->sensors.count; i++) {
    const cr_sensor_record* record = CR_AT(&b->sensors, cr_sensor_record, i);
    const cr_sensor_kind* kind = &cr_sensor_kinds[record->def.type];
    const char* name = cr_text_get(&b->text, record->label.name, NULL);
    cr_write_open(w, kind->word);
    if (name) cr_write_text(w, "name", name);
    write_object(w, &record->def, kind->object);
    cr_write_number_but(w, "cutoff", record->def.cutoff, 0);
    cr_write_close(w, kind->word);
  }
  cr_write_close(w, "sensor");
}
