/* Sensors: what they are on, by the model's indices; their frames in the frames of links. */
#include "math/eigen3.h"
#include "model/compile.h"
#include "model/sensor_kind.h"

#include <math.h>
#include <string.h>

/* A frame in a link, and the name of what it is of. */
typedef struct placed_frame {
  int link, text;
  pose local;
} placed_frame;

static pose body_pose(const cr_compile* c, int body) {
  return (pose){c->body_position[body], quat_to_m3(c->body_quaternion[body])};
}

/* Principal axes of a body: its own where these are, else with ascending moments. */
static m3 find_principal(const cr_mass* mass) {
  const double* I = mass->inertia;
  double off = fmax(fabs(I[3]), fmax(fabs(I[4]), fabs(I[5])));
  m3 axes = m3_identity(), matrix = m3_symmetric(I);
  if (off > 1e-12 * fmax(I[0], fmax(I[1], I[2]))) m3_eigen_symmetric(&matrix, &axes);
  return axes;
}

static placed_frame place_body(const cr_compile* c, int record, bool is_inertia) {
  int body = c->body_index[record];
  pose X = body_pose(c, body);
  const cr_mass* mass = &c->body_mass[body];
  pose own = {mass->com, find_principal(mass)};
  int text = CR_AT(&c->builder->bodies, cr_body_record, record)->label.name;
  return (placed_frame){c->body_link[body], text, is_inertia ? pose_mul(&X, &own) : X};
}

static placed_frame place_site(const cr_compile* c, int site) {
  const cr_site_model* s = &c->model->site;
  int text = CR_AT(&c->builder->sites, cr_site_record, site)->label.name;
  return (placed_frame){s->link[site], text, s->local[site]};
}

static placed_frame place_frame(const cr_compile* c, const carom_frame_of* frame) {
  int geom;
  switch (frame->type) {
  case CAROM_FRAME_BODY:
  case CAROM_FRAME_INERTIA:
    return place_body(c, frame->id, frame->type == CAROM_FRAME_INERTIA);
  case CAROM_FRAME_GEOM:
    geom = c->geom_index[frame->id - 1];
    return (placed_frame){c->model->geom.link[geom], cr_geom_at(c, geom)->label.name,
                          c->model->geom.local[geom]};
  case CAROM_FRAME_SITE:
    return place_site(c, frame->id - 1);
  default:
    return (placed_frame){-1, -1, pose_identity()};
  }
}

static cr_contact_query resolve_query(const cr_compile* c, const carom_contact_query* q) {
  cr_contact_query query = {
      .site = q->site.id - 1, .num = q->num, .reduction = (int)q->reduction, .data = q->data};
  for (int k = 0; k < 2; k++) {
    query.side[k] = (int)q->side[k];
    query.index[k] = q->side[k] == CAROM_SIDE_GEOM  ? c->geom_index[q->id[k] - 1]
                     : q->side[k] == CAROM_SIDE_ANY ? -1
                                                    : c->body_index[q->id[k]];
  }
  return query;
}

/* The object's index, and the offset of its name. */
static int find_object(const cr_compile* c, const carom_sensor_def* def, int* text) {
  const carom_builder* b = c->builder;
  switch (cr_sensor_kinds[def->type].object) {
  case CR_SENSOR_ON_SCALAR_JOINT:
  case CR_SENSOR_ON_BALL_JOINT:
  case CR_SENSOR_ON_LIMITED_JOINT:
    *text = CR_AT(&b->joints, cr_joint_record, def->joint.id - 1)->label.name;
    return c->joint_index[def->joint.id - 1];
  case CR_SENSOR_ON_TENDON:
    *text = CR_AT(&b->tendons, cr_tendon_record, def->tendon.id - 1)->label.name;
    return def->tendon.id - 1;
  case CR_SENSOR_ON_ACTUATOR:
    *text = CR_AT(&b->actuators, cr_actuator_record, def->actuator.id - 1)->label.name;
    return def->actuator.id - 1;
  case CR_SENSOR_ON_SUBTREE:
    *text = CR_AT(&b->bodies, cr_body_record, def->body.id)->label.name;
    return c->body_index[def->body.id];
  case CR_SENSOR_ON_SITE:
    return def->site.id - 1;
  default:
    return -1;
  }
}

static void fill_frames(cr_compile* c, int index, const carom_sensor_def* def) {
  const cr_sensor_model* s = &c->model->sensor;
  const cr_sensor_kind* kind = &cr_sensor_kinds[def->type];
  placed_frame frames[2] = {{-1, -1, pose_identity()}, {-1, -1, pose_identity()}};
  if (kind->object == CR_SENSOR_ON_SITE) frames[0] = place_site(c, def->site.id - 1);
  if (kind->object == CR_SENSOR_ON_FRAME) frames[0] = place_frame(c, &def->frame);
  if (kind->has_reference) frames[1] = place_frame(c, &def->reference);
  /* The world is a frame like any other, but no reference. */
  if (kind->object == CR_SENSOR_ON_FRAME && frames[0].link < 0) frames[0].link = 0;
  for (int k = 0; k < 2; k++) {
    CR_SET(int, s->link, 2 * index + k, frames[k].link);
    CR_SET(pose, s->local, 2 * index + k, frames[k].local);
  }
  if (frames[0].text >= 0) CR_SET(int, s->text, index, frames[0].text);
}

void cr_compile_sensors(cr_compile* c) {
  cr_sensor_model* s = &c->model->sensor;
  memcpy(s->magnetic, c->builder->def.magnetic, sizeof s->magnetic);
  for (int i = 0; i < s->num_sensors; i++) {
    const carom_sensor_def* def = &CR_AT(&c->builder->sensors, cr_sensor_record, i)->def;
    const cr_sensor_kind* kind = &cr_sensor_kinds[def->type];
    bool is_contact = def->type == CAROM_SENSOR_CONTACT;
    int text = -1, object = find_object(c, def, &text);
    int dim = is_contact ? def->contact.num * cr_contact_query_count(def->contact.data) : kind->dim;
    CR_SET(int, s->type, i, (int)def->type);
    CR_SET(int, s->address, i, s->num_readings);
    CR_SET(int, s->object, i, object);
    CR_SET(int, s->text, i, text);
    CR_SET(double, s->cutoff, i, def->cutoff > 0 ? def->cutoff : INFINITY);
    CR_SET(double, s->sign, i, def->reversed ? -1 : 1);
    if (is_contact) CR_SET(cr_contact_query, s->contact, i, resolve_query(c, &def->contact));
    fill_frames(c, i, def);
    s->needs |= kind->needs;
    s->num_readings += dim;
  }
  CR_SET(int, s->address, s->num_sensors, s->num_readings);
}
