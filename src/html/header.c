/* The header of a page's data: the model's parts, the steps of numbers, the curves of joints. */
#include "html/header.h"

#include "carom/soft.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- JSON ---------------------------------------------------------------------------------------
 */

static void append_text(cr_html_text* t, const char* text) {
  cr_buffer_append(t, text, strlen(text));
}

/* A string; bytes that JSON has no room for are escaped. */
static void put_string(cr_html_text* t, const char* text) {
  char escaped[8];
  append_text(t, "\"");
  for (; *text; text++) {
    unsigned char byte = (unsigned char)*text;
    bool is_plain = byte >= ' ' && byte != '"' && byte != '\\';
    if (is_plain) {
      cr_buffer_append(t, text, 1);
    } else {
      snprintf(escaped, sizeof escaped, "\\u%04x", byte);
      append_text(t, escaped);
    }
  }
  append_text(t, "\"");
}

static void put_number(cr_html_text* t, double value) {
  char digits[32] = "null";
  if (isfinite(value)) snprintf(digits, sizeof digits, "%.17g", value);
  append_text(t, digits);
}

/* A key; a comma before it but at the start of an object. */
static void put_key(cr_html_text* t, const char* key) {
  if (t->count && t->bytes[t->count - 1] != '{') append_text(t, ",");
  append_text(t, "\"");
  append_text(t, key);
  append_text(t, "\":");
}

static void set_string(cr_html_text* t, const char* key, const char* text) {
  put_key(t, key);
  put_string(t, text);
}

static void set_number(cr_html_text* t, const char* key, double value) {
  put_key(t, key);
  put_number(t, value);
}

static void set_numbers(cr_html_text* t, const char* key, const double* values, int count) {
  put_key(t, key);
  for (int i = 0; i < count; i++) {
    append_text(t, i ? "," : "[");
    put_number(t, values[i]);
  }
  append_text(t, "]");
}

/* Of places to be drawn six digits show. */
static void set_places(cr_html_text* t, const char* key, const double* values, int count) {
  char digits[32];
  put_key(t, key);
  append_text(t, "[");
  for (int i = 0; i < count; i++) {
    snprintf(digits, sizeof digits, i ? ",%.6g" : "%.6g", values[i]);
    append_text(t, digits);
  }
  append_text(t, "]");
}

static void set_indices(cr_html_text* t, const char* key, const int* values, int count) {
  char digits[16];
  put_key(t, key);
  append_text(t, "[");
  for (int i = 0; i < count; i++) {
    snprintf(digits, sizeof digits, i ? ",%d" : "%d", values[i]);
    append_text(t, digits);
  }
  append_text(t, "]");
}

static void begin_item(cr_html_text* t, int index) { append_text(t, index ? ",{" : "{"); }

/* --- Parts --------------------------------------------------------------------------------------
 */

static void put_body(cr_html_text* t, const carom_recording* recording, int index) {
  carom_body_info body = carom_recording_get_body(recording, index);
  begin_item(t, index);
  set_string(t, "name", body.name);
  set_number(t, "parent", body.parent);
  set_number(t, "mass", body.mass);
  set_numbers(t, "com", body.com, 3);
  append_text(t, "}");
}

static void put_joint(cr_html_text* t, const carom_recording* recording, int index) {
  static const char* const TYPES[] = {"free", "ball", "slide", "hinge"};
  carom_joint_info joint = carom_recording_get_joint(recording, index);
  begin_item(t, index);
  set_string(t, "name", joint.name);
  set_string(t, "type", TYPES[joint.type]);
  set_number(t, "body", joint.body);
  set_number(t, "q", joint.q_address);
  set_number(t, "v", joint.v_address);
  set_numbers(t, "anchor", joint.anchor, 3);
  set_numbers(t, "axis", joint.axis, 3);
  set_number(t, "reference", carom_recording_get_reference(recording, index));
  append_text(t, "}");
}

static void put_geom(cr_html_text* t, const carom_recording* recording, int index) {
  static const char* const TYPES[] = {"plane", "sphere",    "capsule", "cylinder",
                                      "box",   "ellipsoid", "mesh",    "mesh"};
  carom_geom_info geom = carom_recording_get_geom(recording, index);
  bool is_bare = geom.type >= CAROM_GEOM_MESH && geom.mesh < 0; /* its bounds are drawn */
  double rgba[4];
  for (int k = 0; k < 4; k++) rgba[k] = (double)geom.rgba[k];
  begin_item(t, index);
  set_string(t, "name", geom.name);
  set_string(t, "type", is_bare ? "box" : TYPES[geom.type]);
  if (geom.mesh >= 0) set_number(t, "mesh", geom.mesh);
  set_number(t, "body", geom.body);
  set_number(t, "group", geom.group);
  set_numbers(t, "size", geom.size, 3);
  set_numbers(t, "position", geom.position, 3);
  set_numbers(t, "quaternion", geom.quaternion, 4);
  set_numbers(t, "rgba", rgba, 4);
  set_number(t, "friction", geom.friction);
  append_text(t, "}");
}

static void put_mesh(cr_html_text* t, const carom_recording* recording, int index) {
  carom_mesh_info mesh = carom_recording_get_mesh(recording, index);
  begin_item(t, index);
  set_places(t, "vertices", mesh.vertices, 3 * mesh.num_vertices);
  set_indices(t, "triangles", mesh.triangles, 3 * mesh.num_triangles);
  append_text(t, "}");
}

typedef void (*put_part)(cr_html_text* t, const carom_recording* recording, int index);

static void set_parts(cr_html_text* t, const char* key, const carom_recording* recording, int count,
                      put_part put) {
  put_key(t, key);
  append_text(t, "[");
  for (int i = 0; i < count; i++) put(t, recording, i);
  append_text(t, "]");
}

static void put_actuator(cr_html_text* t, const carom_recording* recording, int index) {
  carom_actuator_info actuator = carom_recording_get_actuator(recording, index);
  begin_item(t, index);
  set_string(t, "name", actuator.name);
  set_number(t, "joint", actuator.joint);
  set_number(t, "control", actuator.control);
  append_text(t, "}");
}

static void set_channels(cr_html_text* t, const cr_html_survey* s) {
  static const char* const SOURCES[] = {"q", "v", "ctrl"};
  put_key(t, "channels");
  append_text(t, "[");
  for (int i = 0; i < s->num_channels; i++) {
    const cr_html_channel* c = &s->channels[i];
    begin_item(t, i);
    set_string(t, "of", SOURCES[c->source]);
    set_number(t, c->source == CR_HTML_CTRL ? "actuator" : "joint", c->owner);
    set_number(t, "component", c->component);
    set_number(t, "step", c->step);
    append_text(t, "}");
  }
  append_text(t, "]");
}

/* --- Soft bodies --------------------------------------------------------------------------------
 */

static void put_soft(cr_html_text* t, const cr_html_soft* s, int index) {
  double rgba[4];
  for (int k = 0; k < 4; k++) rgba[k] = (double)s->info.rgba[k];
  begin_item(t, index);
  set_string(t, "name", s->info.name);
  set_number(t, "group", s->info.group);
  set_number(t, "friction", s->info.friction);
  set_number(t, "mass", s->info.mass);
  set_number(t, "young", s->info.young);
  set_numbers(t, "rgba", rgba, 4);
  set_number(t, "nodes", s->num_surface);
  set_number(t, "step", s->step);
  set_indices(t, "vertices", s->vertices, s->num_vertices);
  set_indices(t, "triangles", s->corners, 3 * s->info.num_triangles);
  append_text(t, "}");
}

/* The colours of stress from none to the most that they tell apart, sRGB. */
static void set_colours(cr_html_text* t) {
  enum { STEPS = 32 };
  double colours[3 * (STEPS + 1)];
  for (int i = 0; i <= STEPS; i++) {
    float rgb[3];
    carom_soft_get_colour((double)i / STEPS, rgb);
    for (int k = 0; k < 3; k++) colours[3 * i + k] = (double)rgb[k];
  }
  set_places(t, "stressColours", colours, 3 * (STEPS + 1));
}

static void set_softs(cr_html_text* t, const cr_html_softs* softs) {
  put_key(t, "softs");
  append_text(t, "[");
  for (int i = 0; i < softs->count; i++) put_soft(t, &softs->items[i], i);
  append_text(t, "]");
  set_number(t, "stressMost", softs->most_stress);
  set_number(t, "stressStep", softs->stress_step);
  set_colours(t);
}

/* --- The header ---------------------------------------------------------------------------------
 */

/* A note of a list that is `*count` notes long. */
static void put_note(cr_html_text* t, int* count, const char* note) {
  if ((*count)++ > 0) append_text(t, ",");
  put_string(t, note);
}

static void set_notes(cr_html_text* t, const cr_html_survey* s) {
  char note[700];
  int count = 0;
  put_key(t, "notes");
  append_text(t, "[");
  if (s->info.is_open)
    put_note(t, &count,
             "The recording was not closed: it is being written, or its writer was killed. What "
             "there is of it is shown.");
  if (s->num_unread) {
    snprintf(note, sizeof note, "%d frames at the end cannot be read and are left out: %s",
             s->num_unread, s->unread.message);
    put_note(t, &count, note);
  }
  append_text(t, "]");
}

void cr_html_make_header(cr_html_text* t, const cr_html_survey* s,
                         const carom_recording* recording) {
  append_text(t, "{");
  set_number(t, "format", 5);
  set_string(t, "library", s->info.library);
  set_string(t, "model", s->info.model);
  set_string(t, "options", s->info.options);
  set_number(t, "dt", s->info.dt);
  set_number(t, "frames", s->num_frames);
  set_number(t, "live", s->is_live);
  set_number(t, "numQ", s->softs.count ? s->softs.items[0].info.q_address : s->info.num_q);
  set_number(t, "numV", s->softs.count ? s->softs.items[0].info.v_address : s->info.num_v);
  set_number(t, "numCtrl", s->info.num_ctrl);
  set_number(t, "positionStep", s->position_step);
  set_number(t, "rotationStep", s->rotation_step);
  set_number(t, "forceStep", s->force_step);
  set_number(t, "areaStep", s->area_step);
  set_number(t, "pressureStep", s->pressure_step);
  set_number(t, "mostPressure", s->largest_pressure);
  set_notes(t, s);
  set_parts(t, "bodies", recording, s->info.num_bodies, put_body);
  set_parts(t, "joints", recording, s->info.num_joints, put_joint);
  set_parts(t, "geoms", recording, s->info.num_geoms, put_geom);
  set_parts(t, "meshes", recording, s->info.num_meshes, put_mesh);
  set_parts(t, "actuators", recording, s->info.num_actuators, put_actuator);
  set_channels(t, s);
  set_softs(t, &s->softs);
  append_text(t, "}");
}
