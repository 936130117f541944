/* Equality constraints in link frames. What is not given is taken at the reference configuration.
 */
#include "model/compile.h"

#include <math.h>
#include <string.h>

/* A body of a constraint: its link, and its frame in the link and in the world. */
typedef struct end {
  int link;
  pose local, world;
} end;

static end find_end(const cr_compile* c, carom_body handle) {
  int body = c->body_index[handle.id], link = c->body_link[body];
  pose local = {c->body_position[body], quat_to_m3(c->body_quaternion[body])};
  return (end){link, local, pose_mul(&c->link_world[link], &local)};
}

/* The point, fixed in end `a`, that is `x` in the frame of end `b` at the reference. */
static v3 carry_point(const end* b, v3 x, const end* a) {
  return pose_inverse_point(&a->world, pose_point(&b->world, x));
}

/* The two points that coincide, in body frames. */
static void find_anchors(const carom_equality_def* def, const end* a, const end* b, v3* p1,
                         v3* p2) {
  bool is_given = !isnan(def->anchor2[0]);
  *p2 = is_given ? v3_load(def->anchor2) : v3_zero();
  bool is_connect = def->type == CAROM_EQUALITY_CONNECT;
  if (is_connect || def->type == CAROM_EQUALITY_DISTANCE) {
    *p1 = v3_load(def->anchor1);
    if (!is_given && is_connect) *p2 = carry_point(a, *p1, b);
    return;
  }
  bool is_posed = !isnan(def->relative_position[0]);
  *p1 = is_posed ? v3_load(def->relative_position) : carry_point(b, *p2, a);
}

/* Orientation of link 2 in link 1 when the bodies are as the weld wants them. */
static quat find_relative(const carom_equality_def* def, const end* a, const end* b) {
  m3 relative; /* of body 2 in body 1 */
  if (isnan(def->relative_position[0]))
    relative = pose_relative(&a->world, &b->world).R;
  else
    relative = quat_to_m3(cr_quat_unit(def->relative_quaternion));
  m3 back = m3_transpose(&b->local.R);
  m3 turned = m3_mul(&a->local.R, &relative);
  m3 links = m3_mul(&turned, &back);
  return quat_from_m3(&links);
}

static carom_status fill_bodies(cr_compile* c, int index, const cr_equality_record* record) {
  const cr_equality_model* e = &c->model->equality;
  const carom_equality_def* def = &record->def;
  end a = find_end(c, def->body1), b = find_end(c, def->body2);
  if (a.link == b.link) {
    cr_subject subject =
        cr_label_subject(c->builder, &record->label, "equality", index + 1, c->error);
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "body1 and body2 belong to one rigid body");
  }
  v3 p1, p2;
  find_anchors(def, &a, &b, &p1, &p2);
  CR_SET(int, e->link, 2 * index, a.link);
  CR_SET(int, e->link, 2 * index + 1, b.link);
  v3_store(pose_point(&a.local, p1), CR_FILL(double, e->anchor) + 6 * index);
  v3_store(pose_point(&b.local, p2), CR_FILL(double, e->anchor) + 6 * index + 3);
  double apart = v3_norm(v3_sub(pose_point(&a.world, p1), pose_point(&b.world, p2)));
  CR_SET(double, e->distance, index, isnan(def->distance) ? apart : def->distance);
  if (def->type == CAROM_EQUALITY_DISTANCE && !(apart > 0)) {
    cr_subject subject =
        cr_label_subject(c->builder, &record->label, "equality", index + 1, c->error);
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "its points coincide at the reference configuration, so that their "
                           "distance has no direction; connect them");
  }
  quat relative = def->type == CAROM_EQUALITY_WELD ? find_relative(def, &a, &b) : quat_identity();
  quat_store(relative, CR_FILL(double, e->relative_quaternion) + 4 * index);
  return CAROM_OK;
}

static void fill_joints(cr_compile* c, int index, const carom_equality_def* def) {
  const cr_equality_model* e = &c->model->equality;
  int joint2 = def->joint2.id;
  CR_SET(int, e->joint, 2 * index, c->joint_index[def->joint1.id - 1]);
  CR_SET(int, e->joint, 2 * index + 1, joint2 ? c->joint_index[joint2 - 1] : -1);
  memcpy(CR_FILL(double, e->polynomial) + 5 * index, def->polynomial, sizeof def->polynomial);
}

static void fill_tendons(cr_compile* c, int index, const carom_equality_def* def) {
  const cr_equality_model* e = &c->model->equality;
  CR_SET(int, e->tendon, 2 * index, def->tendon1.id - 1);
  CR_SET(int, e->tendon, 2 * index + 1, def->tendon2.id - 1);
  memcpy(CR_FILL(double, e->polynomial) + 5 * index, def->polynomial, sizeof def->polynomial);
}

carom_status cr_compile_equalities(cr_compile* c) {
  const cr_equality_model* e = &c->model->equality;
  for (int i = 0; i < e->num_equalities; i++) {
    const cr_equality_record* record = CR_AT(&c->builder->equalities, cr_equality_record, i);
    const carom_equality_def* def = &record->def;
    CR_SET(int, e->type, i, (int)def->type);
    CR_SET(int, e->active, i, def->active);
    CR_SET(double, e->stiffness, i, def->stiffness);
    CR_SET(double, e->dissipation, i, def->dissipation);
    CR_SET(int, e->joint, 2 * i, -1);
    CR_SET(int, e->joint, 2 * i + 1, -1);
    CR_SET(int, e->tendon, 2 * i, -1);
    CR_SET(int, e->tendon, 2 * i + 1, -1);
    quat_store(quat_identity(), CR_FILL(double, e->relative_quaternion) + 4 * i);
    if (def->type == CAROM_EQUALITY_JOINT)
      fill_joints(c, i, def);
    else if (def->type == CAROM_EQUALITY_TENDON)
      fill_tendons(c, i, def);
    else
      CR_TRY(fill_bodies(c, i, record));
  }
  return CAROM_OK;
}
