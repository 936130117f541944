/* The public entry: a description compiled, to know its masses, then written in a format. */
#include "base/cookie.h"
#include "export/writer.h"

#include "carom/scene.h"

#include <string.h>

carom_write_def carom_write_def_default(void) {
  return (carom_write_def){.cookie = CR_COOKIE(write)};
}

/* ---- What needs a name because another part says it */

static void mark(cr_writer* w, cr_part part, int handle) {
  if (handle > 0) w->named[part][part == CR_PART_BODY ? handle : handle - 1] = true;
}

static void mark_relations(cr_writer* w) {
  const carom_builder* b = w->builder;
  for (int i = 0; i < b->pairs.count; i++) {
    const carom_pair_def* pair = &CR_AT(&b->pairs, cr_pair_record, i)->def;
    mark(w, CR_PART_GEOM, pair->geom1.id), mark(w, CR_PART_GEOM, pair->geom2.id);
  }
  for (int i = 0; i < b->excludes.count; i++) {
    const cr_exclude_record* exclude = CR_AT(&b->excludes, cr_exclude_record, i);
    mark(w, CR_PART_BODY, exclude->body1), mark(w, CR_PART_BODY, exclude->body2);
  }
  for (int i = 0; i < b->equalities.count; i++) {
    const carom_equality_def* e = &CR_AT(&b->equalities, cr_equality_record, i)->def;
    mark(w, CR_PART_BODY, e->body1.id), mark(w, CR_PART_BODY, e->body2.id);
    mark(w, CR_PART_JOINT, e->joint1.id), mark(w, CR_PART_JOINT, e->joint2.id);
    mark(w, CR_PART_TENDON, e->tendon1.id), mark(w, CR_PART_TENDON, e->tendon2.id);
  }
}

static void mark_forces(cr_writer* w) {
  const carom_builder* b = w->builder;
  for (int i = 0; i < b->tendon_terms.count; i++)
    mark(w, CR_PART_JOINT, CR_AT(&b->tendon_terms, carom_tendon_term, i)->joint.id);
  for (int i = 0; i < b->tendon_points.count; i++) {
    const carom_tendon_point* p = CR_AT(&b->tendon_points, carom_tendon_point, i);
    mark(w, CR_PART_SITE, p->site.id), mark(w, CR_PART_SITE, p->side_site.id);
    mark(w, CR_PART_GEOM, p->geom.id);
  }
  for (int i = 0; i < b->actuators.count; i++) {
    const carom_actuator_def* a = &CR_AT(&b->actuators, cr_actuator_record, i)->def;
    mark(w, CR_PART_JOINT, a->joint.id), mark(w, CR_PART_TENDON, a->tendon.id);
    mark(w, CR_PART_SITE, a->site.id), mark(w, CR_PART_SITE, a->reference_site.id);
    mark(w, CR_PART_SITE, a->slider_site.id), mark(w, CR_PART_SITE, a->crank_site.id);
  }
}

static void mark_frame(cr_writer* w, carom_frame_of frame) {
  static const cr_part PARTS[] = {CR_PART_BODY, CR_PART_BODY, CR_PART_BODY, CR_PART_GEOM,
                                  CR_PART_SITE};
  if (frame.type != CAROM_FRAME_WORLD) mark(w, PARTS[frame.type], frame.id);
}

static void mark_sensed(cr_writer* w) {
  for (int i = 0; i < w->builder->sensors.count; i++) {
    const carom_sensor_def* def = &CR_AT(&w->builder->sensors, cr_sensor_record, i)->def;
    mark(w, CR_PART_JOINT, def->joint.id), mark(w, CR_PART_TENDON, def->tendon.id);
    mark(w, CR_PART_ACTUATOR, def->actuator.id), mark(w, CR_PART_BODY, def->body.id);
    mark(w, CR_PART_SITE, def->site.id), mark(w, CR_PART_SITE, def->contact.site.id);
    mark_frame(w, def->frame), mark_frame(w, def->reference);
    for (int k = 0; k < 2; k++) {
      bool is_geom = def->contact.side[k] == CAROM_SIDE_GEOM;
      mark(w, is_geom ? CR_PART_GEOM : CR_PART_BODY, def->contact.id[k]);
    }
  }
}

/* ---- Memory */

/* Bodies stand in the model depth first, children in the order of their addition. */
static void number_bodies(cr_writer* w) {
  int count = 0, body = 0;
  while (body >= 0) {
    const cr_body_record* record = CR_AT(&w->builder->bodies, cr_body_record, body);
    w->body_index[body] = count++;
    int next = record->first_child;
    while (next < 0 && body > 0) {
      record = CR_AT(&w->builder->bodies, cr_body_record, body);
      next = record->next;
      body = record->def.parent.id;
    }
    body = next;
  }
}

static carom_status init_writer(cr_writer* w) {
  const carom_allocator* allocator = &w->builder->def.allocator;
  for (int part = 0; part < CR_NUM_PARTS; part++) {
    const cr_list* list = cr_writer_list(w, (cr_part)part);
    if (!list) continue;
    w->named[part] = cr_alloc_zero(allocator, (size_t)list->count + 1);
    if (!w->named[part]) return cr_error_memory(w->error);
  }
  size_t bodies = (size_t)w->builder->bodies.count;
  w->body_index = cr_alloc_zero(allocator, bodies * sizeof *w->body_index);
  if (!w->body_index) return cr_error_memory(w->error);
  number_bodies(w);
  mark_relations(w);
  mark_forces(w);
  mark_sensed(w);
  return CAROM_OK;
}

static void destroy_writer(cr_writer* w) {
  const carom_allocator* allocator = &w->builder->def.allocator;
  for (int part = 0; part < CR_NUM_PARTS; part++) {
    const cr_list* list = cr_writer_list(w, (cr_part)part);
    if (list && w->named[part]) cr_release(allocator, w->named[part], (size_t)list->count + 1);
  }
  size_t bodies = (size_t)w->builder->bodies.count;
  if (w->body_index) cr_release(allocator, w->body_index, bodies * sizeof *w->body_index);
}

/* ---- The file */

static carom_write_format find_format(const char* path, carom_write_format format) {
  const char* dot = strrchr(path, '.');
  if (format != CAROM_WRITE_AUTO) return format;
  return dot && strcmp(dot, ".urdf") == 0 ? CAROM_WRITE_URDF : CAROM_WRITE_MJCF;
}

static carom_status write_file(cr_writer* w, const char* path) {
  CR_TRY(init_writer(w));
  CR_TRY(cr_file_open(&w->file, path, w->error));
  bool is_urdf = find_format(path, w->def->format) == CAROM_WRITE_URDF;
  carom_status status = is_urdf ? cr_write_urdf(w) : cr_write_mjcf(w);
  carom_error ignored;
  carom_status closed = cr_file_close(&w->file, status == CAROM_OK ? w->error : &ignored);
  return status == CAROM_OK ? closed : status;
}

carom_status carom_builder_write(const carom_builder* builder, const char* path,
                                 const carom_write_def* def, carom_error* error) {
  cr_error_clear(error);
  carom_write_def options = def ? *def : carom_write_def_default();
  if (!builder || !path)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "write: the %s is null",
                        builder ? "path" : "builder");
  CR_TRY(CR_CHECK_COOKIE(&options, write, "write", error));
  carom_model* model;
  CR_TRY(carom_builder_compile(builder, &model, error));
  cr_writer w = {.builder = builder, .model = model, .error = error, .def = &options};
  carom_status status = write_file(&w, path);
  destroy_writer(&w);
  carom_model_destroy(model);
  return status;
}
