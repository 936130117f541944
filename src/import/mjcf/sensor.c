/* <sensor>: instruments by their words in the table of kinds. Those that are not had here are left
 * out by name, and so are those on parts that are left out: readings change no motion. */
#include "import/mjcf/class.h"
#include "model/sensor_kind.h"

#include <string.h>

typedef struct cr_mjcf_sensor {
  double cutoff;
  const char *joint, *tendon, *actuator, *body, *site;
  const char *objname, *refname;
  int objtype, reftype; /* of FRAMES; -1: not given */
  const char *geom[2], *side[2], *subtree[2];
  const char* data;
  int num, reduce;
} cr_mjcf_sensor;

static const char* const FRAMES[] = {"body", "xbody", "geom", "site", "camera", NULL};
static const char* const REDUCTIONS[] = {"none", "mindist", "maxforce", "netforce", NULL};
enum { FRAME_CAMERA = 4 };

/* Of every sensor. */
static const cr_attribute COMMON[] = {
    CR_ELSEWHERE("name"),
    CR_NUMBER("cutoff", cr_mjcf_sensor, cutoff, CR_RULE_NOT_NEGATIVE),
    CR_NOTED("noise", "readings have no noise"),
    CR_NOTED("user", "it is for the programs of the file's author"),
    CR_NOTED("nsample", "readings are not delayed"),
    CR_NOTED("interp", "readings are not delayed"),
    CR_NOTED("delay", "readings are not delayed"),
    CR_NOTED("interval", "readings are not delayed"),
    CR_END,
};

static const cr_attribute ON_JOINT[] = {
    CR_FIELD("joint", CR_ATTRIBUTE_TEXT, cr_mjcf_sensor, joint),
    CR_MORE(COMMON),
};

static const cr_attribute ON_TENDON[] = {
    CR_FIELD("tendon", CR_ATTRIBUTE_TEXT, cr_mjcf_sensor, tendon),
    CR_MORE(COMMON),
};

static const cr_attribute ON_ACTUATOR[] = {
    CR_FIELD("actuator", CR_ATTRIBUTE_TEXT, cr_mjcf_sensor, actuator),
    CR_MORE(COMMON),
};

static const cr_attribute ON_FRAME[] = {
    CR_WORD("objtype", cr_mjcf_sensor, objtype, FRAMES),
    CR_FIELD("objname", CR_ATTRIBUTE_TEXT, cr_mjcf_sensor, objname),
    CR_WORD("reftype", cr_mjcf_sensor, reftype, FRAMES),
    CR_FIELD("refname", CR_ATTRIBUTE_TEXT, cr_mjcf_sensor, refname),
    CR_MORE(COMMON),
};

static const cr_attribute ON_SUBTREE[] = {
    CR_FIELD("body", CR_ATTRIBUTE_TEXT, cr_mjcf_sensor, body),
    CR_MORE(COMMON),
};

#define NO_CAMERA "range finders look from sites along their z axes only"

static const cr_attribute ON_SITE[] = {
    CR_FIELD("site", CR_ATTRIBUTE_TEXT, cr_mjcf_sensor, site),
    CR_NOTED("data", NO_CAMERA),
    CR_ELSEWHERE("camera"),
    CR_MORE(COMMON),
};

static const cr_attribute ON_CONTACTS[] = {
    CR_FIELD("geom1", CR_ATTRIBUTE_TEXT, cr_mjcf_sensor, geom[0]),
    CR_FIELD("geom2", CR_ATTRIBUTE_TEXT, cr_mjcf_sensor, geom[1]),
    CR_FIELD("body1", CR_ATTRIBUTE_TEXT, cr_mjcf_sensor, side[0]),
    CR_FIELD("body2", CR_ATTRIBUTE_TEXT, cr_mjcf_sensor, side[1]),
    CR_FIELD("subtree1", CR_ATTRIBUTE_TEXT, cr_mjcf_sensor, subtree[0]),
    CR_FIELD("subtree2", CR_ATTRIBUTE_TEXT, cr_mjcf_sensor, subtree[1]),
    CR_FIELD("site", CR_ATTRIBUTE_TEXT, cr_mjcf_sensor, site),
    CR_FIELD("num", CR_ATTRIBUTE_INTEGER, cr_mjcf_sensor, num),
    CR_FIELD("data", CR_ATTRIBUTE_TEXT, cr_mjcf_sensor, data),
    CR_WORD("reduce", cr_mjcf_sensor, reduce, REDUCTIONS),
    CR_MORE(COMMON),
};

/* By cr_sensor_object. */
static const cr_attribute* const TABLES[] = {
    [CR_SENSOR_ON_NOTHING] = COMMON,      [CR_SENSOR_ON_SCALAR_JOINT] = ON_JOINT,
    [CR_SENSOR_ON_BALL_JOINT] = ON_JOINT, [CR_SENSOR_ON_LIMITED_JOINT] = ON_JOINT,
    [CR_SENSOR_ON_TENDON] = ON_TENDON,    [CR_SENSOR_ON_ACTUATOR] = ON_ACTUATOR,
    [CR_SENSOR_ON_FRAME] = ON_FRAME,      [CR_SENSOR_ON_SUBTREE] = ON_SUBTREE,
    [CR_SENSOR_ON_SITE] = ON_SITE,        [CR_SENSOR_ON_CONTACTS] = ON_CONTACTS};

/* --- Names --------------------------------------------------------------------------------------
 */

/* What a sensor names: an attribute, its value, and where the handle's id goes. */
typedef struct reference {
  const char *attribute, *name;
  cr_part part;
  int32_t* id;
} reference;

/* Sets the handle; `is_there` becomes false, with a note, where the part is left out. */
static carom_status resolve(cr_mjcf* m, const cr_xml_element* element, const reference* r,
                            bool* is_there) {
  static const char LEFT_OUT[] = "left out, because the part that it is on is left out";
  cr_subject subject = cr_mjcf_subject(m, element);
  if (!r->name)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute '%s' is missing",
                           r->attribute);
  int kind = CR_MJCF_NAME_LEFT_OUT + (int)r->part, index;
  if (cr_mjcf_find_part(m, r->part, r->name) < 0 &&
      cr_name_find(&m->names, &m->text, kind, r->name) >= 0) {
    *is_there = false;
    return cr_mjcf_note(m, element, LEFT_OUT);
  }
  CR_TRY(cr_mjcf_resolve(m, element, r->attribute, r->name, r->part, &index));
  *r->id = r->part == CR_PART_BODY ? index : index + 1;
  return CAROM_OK;
}

static carom_status set_frame(cr_mjcf* m, const cr_xml_element* element, const char* attribute,
                              int type, const char* name, carom_frame_of* frame, bool* is_there) {
  static const struct {
    carom_frame_type type;
    cr_part part;
  } KINDS[] = {{CAROM_FRAME_INERTIA, CR_PART_BODY},
               {CAROM_FRAME_BODY, CR_PART_BODY},
               {CAROM_FRAME_GEOM, CR_PART_GEOM},
               {CAROM_FRAME_SITE, CR_PART_SITE}};
  if (type == FRAME_CAMERA) {
    *is_there = false;
    return cr_mjcf_note(m, element, "left out: frames of cameras are not supported");
  }
  frame->type = KINDS[type].type;
  reference r = {attribute, name, KINDS[type].part, &frame->id};
  return resolve(m, element, &r, is_there);
}

static carom_status set_frames(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_sensor* s,
                               carom_sensor_def* def, bool* is_there) {
  cr_subject subject = cr_mjcf_subject(m, element);
  if (s->objtype < 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'objtype' is missing");
  if ((s->reftype < 0) != !s->refname)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute '%s' is missing",
                           s->reftype < 0 ? "reftype" : "refname");
  CR_TRY(set_frame(m, element, "objname", s->objtype, s->objname, &def->frame, is_there));
  if (s->reftype < 0 || !*is_there) return CAROM_OK;
  return set_frame(m, element, "refname", s->reftype, s->refname, &def->reference, is_there);
}

/* --- Contact sensors ----------------------------------------------------------------------------
 */

/* Words of `data`, in the order of the bits, which the file keeps too. */
static carom_status read_data(const cr_subject* subject, const char* text, unsigned* data) {
  static const char* const WORDS[] = {"found", "force",  "torque", "dist",
                                      "pos",   "normal", "tangent"};
  enum { NUM_WORDS = sizeof WORDS / sizeof WORDS[0] };
  int next = 0;
  *data = 0;
  for (size_t length; text += strspn(text, " \t\r\n"), length = strcspn(text, " \t\r\n");
       text += length) {
    while (next < NUM_WORDS &&
           (strlen(WORDS[next]) != length || strncmp(WORDS[next], text, length) != 0))
      next++;
    if (next == NUM_WORDS)
      return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                             "data has '%.*s', must be of found, force, torque, dist, pos, normal, "
                             "tangent, in this order",
                             (int)(length < 60 ? length : 60), text);
    *data |= 1u << next++;
  }
  return CAROM_OK;
}

static carom_status set_side(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_sensor* s,
                             int k, carom_contact_query* query, bool* is_there) {
  static const char* const NAMES[2][3] = {{"geom1", "body1", "subtree1"},
                                          {"geom2", "body2", "subtree2"}};
  const char* values[3] = {s->geom[k], s->side[k], s->subtree[k]};
  bool is_given = false;
  for (int i = 0; i < 3 && *is_there; i++) {
    if (!values[i]) continue;
    cr_subject subject = cr_mjcf_subject(m, element);
    if (is_given)
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                             "%s is given beside another one of this side", NAMES[k][i]);
    is_given = true;
    query->side[k] = (carom_contact_side_type)((int)CAROM_SIDE_GEOM + i);
    reference r = {NAMES[k][i], values[i], i == 0 ? CR_PART_GEOM : CR_PART_BODY, &query->id[k]};
    CR_TRY(resolve(m, element, &r, is_there));
  }
  return CAROM_OK;
}

static carom_status set_contacts(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_sensor* s,
                                 carom_contact_query* query, bool* is_there) {
  cr_subject subject = cr_mjcf_subject(m, element);
  for (int k = 0; k < 2; k++) CR_TRY(set_side(m, element, s, k, query, is_there));
  reference site = {"site", s->site, CR_PART_SITE, &query->site.id};
  if (s->site && *is_there) CR_TRY(resolve(m, element, &site, is_there));
  if (s->data) CR_TRY(read_data(&subject, s->data, &query->data));
  query->num = s->num;
  query->reduction = (carom_contact_reduction)s->reduce;
  return CAROM_OK;
}

/* --- All ----------------------------------------------------------------------------------------
 */

static carom_status set_object(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_sensor* s,
                               carom_sensor_def* def, bool* is_there) {
  const reference joint = {"joint", s->joint, CR_PART_JOINT, &def->joint.id};
  const reference tendon = {"tendon", s->tendon, CR_PART_TENDON, &def->tendon.id};
  const reference actuator = {"actuator", s->actuator, CR_PART_ACTUATOR, &def->actuator.id};
  const reference body = {"body", s->body, CR_PART_BODY, &def->body.id};
  const reference site = {"site", s->site, CR_PART_SITE, &def->site.id};
  switch (cr_sensor_kinds[def->type].object) {
  case CR_SENSOR_ON_SCALAR_JOINT:
  case CR_SENSOR_ON_BALL_JOINT:
  case CR_SENSOR_ON_LIMITED_JOINT:
    return resolve(m, element, &joint, is_there);
  case CR_SENSOR_ON_TENDON:
    return resolve(m, element, &tendon, is_there);
  case CR_SENSOR_ON_ACTUATOR:
    return resolve(m, element, &actuator, is_there);
  case CR_SENSOR_ON_SUBTREE:
    return resolve(m, element, &body, is_there);
  case CR_SENSOR_ON_SITE:
    return resolve(m, element, &site, is_there);
  case CR_SENSOR_ON_FRAME:
    return set_frames(m, element, s, def, is_there);
  case CR_SENSOR_ON_CONTACTS:
    return set_contacts(m, element, s, &def->contact, is_there);
  case CR_SENSOR_ON_NOTHING:
    break;
  }
  return CAROM_OK;
}

static carom_status read_sensor(cr_mjcf* m, const cr_xml_element* element, carom_sensor_type type) {
  cr_mjcf_sensor sensor = {.objtype = -1, .reftype = -1, .num = 1};
  CR_TRY(cr_mjcf_read_attributes(m, element, TABLES[cr_sensor_kinds[type].object], &sensor));
  CR_TRY(cr_mjcf_expect_no_children(m, element));
  if (type == CAROM_SENSOR_RANGEFINDER && cr_xml_get(element, "camera"))
    return cr_mjcf_note(m, element, "left out: " NO_CAMERA);
  carom_sensor_def def = carom_sensor_def_default();
  def.name = cr_xml_get(element, "name");
  def.source = cr_mjcf_source(element);
  def.type = type;
  def.cutoff = sensor.cutoff;
  bool is_there = true;
  CR_TRY(set_object(m, element, &sensor, &def, &is_there));
  return is_there ? carom_builder_add_sensor(m->builder, &def, NULL, m->error) : CAROM_OK;
}

/* The type with an element's word; -1: none. */
static int find_type(const char* word) {
  for (int i = 0; i < CR_NUM_SENSOR_KINDS; i++)
    if (strcmp(cr_sensor_kinds[i].word, word) == 0) return i;
  return -1;
}

static bool is_left_out(const char* word) {
  static const char* const WORDS[] = {"distance",      "normal",     "fromto",
                                      "camprojection", "insidesite", "tactile",
                                      "user",          "plugin",     NULL};
  for (int i = 0; WORDS[i]; i++)
    if (strcmp(WORDS[i], word) == 0) return true;
  return false;
}

carom_status cr_mjcf_read_sensor(cr_mjcf* m, const cr_xml_element* section) {
  for (const cr_xml_element* child = section->first_child; child; child = child->next) {
    int type = find_type(child->name);
    if (type >= 0)
      CR_TRY(read_sensor(m, child, (carom_sensor_type)type));
    else if (is_left_out(child->name))
      CR_TRY(cr_mjcf_note(m, child, "left out: sensors of this kind are not supported"));
    else
      return cr_mjcf_unknown_element(m, child);
  }
  return CAROM_OK;
}
