/* What files of robots leave out: a trace of armature for joints that move no inertia of their own,
 * and, where a body of some mass has no inertia about an axis of its joint, that of its shapes, or
 * where nothing collides on it that of a ball of water. */
#include "base/error.h"
#include "model/compile.h"

#include <math.h>
#include <stdio.h>

#define WATER 1000 /* kg/m³ */

static carom_status note(carom_builder* builder, const cr_label* label, const char* what,
                         const char* text, carom_error* error) {
  char sentence[300];
  const cr_text* names = &builder->text;
  snprintf(sentence, sizeof sentence, "%.120s:%d: %s '%.80s': %s",
           cr_text_get(names, label->file, "model"), label->line, what,
           cr_text_get(names, label->name, ""), text);
  return carom_builder_add_note(builder, CAROM_NOTE_MAPPED, sentence, error);
}

/* Adds to a joint's armature, with a note. */
static carom_status add_armature(carom_builder* builder, int joint, double armature,
                                 carom_error* error) {
  cr_joint_record* record = CR_AT(&builder->joints, cr_joint_record, joint);
  record->def.armature += armature;
  char text[100];
  snprintf(text, sizeof text, "it moves no inertia of its own: read as with an armature of %.3g",
           armature);
  return note(builder, &record->label, "joint", text, error);
}

static carom_status keep_armature(carom_builder* builder, const double* given, carom_error* error) {
  for (int j = 0; j < builder->joints.count; j++) {
    if (given[j] > 0) CR_TRY(add_armature(builder, j, given[j], error));
  }
  return CAROM_OK;
}

/* Gives the bodies of a link that state a mass the inertia of their shapes with that mass; whether
 * there was one. */
static carom_status take_shapes(carom_builder* builder, const cr_compile* c, int link, bool* taken,
                                carom_error* error) {
  static const char TEXT[] =
      "its inertia is none about some axis: read as that of its shapes with its mass";
  for (int i = 1; i < builder->bodies.count; i++) {
    cr_body_record* record = CR_AT(&builder->bodies, cr_body_record, i);
    cr_mass shapes;
    bool is_meant = c->body_link[c->body_index[i]] == link && record->def.mass > 0;
    if (!is_meant || !cr_mass_of_shapes(builder, record, true, &shapes) || !(shapes.mass > 0))
      continue;
    cr_mass_scale(&shapes, record->def.mass / shapes.mass);
    for (int k = 0; k < 6; k++) record->def.inertia[k] = shapes.inertia[k];
    *taken = true;
    CR_TRY(note(builder, &record->label, "body", TEXT, error));
  }
  return CAROM_OK;
}

/* Gives a moment about all axes to the heaviest body of a link. */
static carom_status add_moment(carom_builder* builder, const cr_compile* c, int link, double moment,
                               carom_error* error) {
  static const char TEXT[] =
      "its inertia is none about some axis: read as with that of a ball of water of its mass";
  cr_body_record* heaviest = NULL;
  for (int i = 1; i < builder->bodies.count; i++) {
    cr_body_record* record = CR_AT(&builder->bodies, cr_body_record, i);
    bool is_part = c->body_link[c->body_index[i]] == link;
    if (is_part && (!heaviest || record->def.mass > heaviest->def.mass)) heaviest = record;
  }
  if (!heaviest) return CAROM_OK;
  for (int k = 0; k < 3; k++) heaviest->def.inertia[k] += moment;
  return note(builder, &heaviest->label, "body", TEXT, error);
}

/* What turns about its centre without inertia, and has no shape that tells its size, is as inert as
 * a ball of water of its mass: 2/5 m r² with m = 4/3 pi r³ rho. What is free gets it about all
 * axes, once; a joint as its armature. */
static carom_status take_ball(carom_builder* builder, const cr_compile* c, bool* taken,
                              carom_error* error) {
  double mass = c->link_mass[c->void_link].mass;
  double radius = cbrt(3 * mass / (4 * M_PI * WATER)), moment = 0.4 * mass * radius * radius;
  if (!(mass > 0)) return CAROM_OK;
  *taken = true;
  return c->void_joint < 0 ? add_moment(builder, c, c->void_link, moment, error)
                           : add_armature(builder, c->void_joint, moment, error);
}

/* One try; the link whose inertia is none is in c->void_link then. */
static carom_status try_armature(cr_compile* c) {
  CR_TRY(cr_compile_order(c));
  CR_TRY(cr_compile_mass(c));
  CR_TRY(cr_compile_layout(c));
  CR_TRY(cr_compile_tree(c));
  return cr_compile_given_armature(c);
}

/* Sets `again` where a link got its inertia and the rest is to be looked at anew. */
static carom_status give(carom_builder* builder, bool* again, carom_error* error) {
  cr_compile c = {.builder = builder, .error = error};
  cr_arena_init(&c.arena, &builder->def.allocator);
  *again = false;
  carom_status status = try_armature(&c), taking = CAROM_OK;
  if (status == CAROM_OK)
    status = keep_armature(builder, c.given_armature, error);
  else if (c.void_link > 0)
    taking = take_shapes(builder, &c, c.void_link, again, error);
  if (status != CAROM_OK && c.void_link > 0 && taking == CAROM_OK && !*again)
    taking = take_ball(builder, &c, again, error);
  cr_arena_destroy(&c.arena);
  carom_model_destroy(c.model);
  if (taking != CAROM_OK) return taking;
  return *again ? CAROM_OK : status;
}

carom_status cr_builder_give_inertia(carom_builder* builder, carom_error* error) {
  bool again = true;
  for (int i = 0; again && i <= builder->bodies.count; i++) CR_TRY(give(builder, &again, error));
  cr_error_clear(error);
  return CAROM_OK;
}
