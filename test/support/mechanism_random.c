/* Random mechanisms and random states. */
#include "support/mechanism.h"

#include <math.h>

mechanism_options mechanism_options_default(void) {
  return (mechanism_options){.num_bodies = 10,
                             .max_joints = 3,
                             .root_chance = 0.2,
                             .weld_chance = 0.15,
                             .free_chance = 0.5,
                             .ball_chance = 0.25,
                             .armature_chance = 0.5};
}

static bool draw_chance(check_random* random, double chance) {
  return check_random_uniform(random, 0, 1) < chance;
}

static v3 draw_vector(check_random* random, double scale) {
  double x = check_random_normal(random), y = check_random_normal(random);
  return v3_scale(scale, v3_make(x, y, check_random_normal(random)));
}

static quat draw_rotation(check_random* random) {
  v3 a = draw_vector(random, 1);
  return quat_normalize((quat){check_random_normal(random), a.x, a.y, a.z});
}

/* The inertia of a cloud of points: P its second moment, I = trace(P) 1 - P. */
static void draw_inertia(check_random* random, double* inertia) {
  m3 P = m3_diagonal(v3_make(1e-3, 1e-3, 1e-3));
  for (int i = 0; i < 3; i++) {
    v3 x = draw_vector(random, 0.1);
    m3 outer = m3_outer(x, x);
    P = m3_add(&P, &outer);
  }
  double trace = P.m[0][0] + P.m[1][1] + P.m[2][2];
  const double packed[6] = {trace - P.m[0][0], trace - P.m[1][1], trace - P.m[2][2],
                            -P.m[0][1],        -P.m[0][2],        -P.m[1][2]};
  for (int i = 0; i < 6; i++) inertia[i] = packed[i];
}

static mechanism_body draw_body(check_random* random, int parent) {
  mechanism_body body = {.parent = parent, .mass = check_random_uniform(random, 0.5, 3)};
  v3_store(draw_vector(random, 0.3), body.position);
  quat_store(draw_rotation(random), body.quaternion);
  v3_store(draw_vector(random, 0.1), body.com);
  draw_inertia(random, body.inertia);
  return body;
}

static mechanism_joint draw_joint(check_random* random, const mechanism_options* options, int body,
                                  carom_joint_type type) {
  mechanism_joint joint = {.type = type, .body = body};
  v3_store(draw_vector(random, 0.1), joint.anchor);
  v3_store(v3_normalize_or(draw_vector(random, 1), v3_make(0, 0, 1)), joint.axis);
  joint.reference = check_random_uniform(random, -1, 1);
  if (draw_chance(random, options->armature_chance))
    joint.armature = check_random_uniform(random, 0.01, 0.2);
  return joint;
}

/* Up to max_joints joints, at most one of them a ball (two would share an axis). */
static void draw_joints(check_random* random, const mechanism_options* options, int body,
                        mechanism_def* def) {
  int count = check_random_int(random, 1, options->max_joints);
  bool has_ball = false;
  for (int i = 0; i < count; i++) {
    carom_joint_type type = draw_chance(random, 0.7) ? CAROM_JOINT_HINGE : CAROM_JOINT_SLIDE;
    if (!has_ball && draw_chance(random, options->ball_chance)) type = CAROM_JOINT_BALL;
    has_ball = has_ball || type == CAROM_JOINT_BALL;
    mechanism_joint joint = draw_joint(random, options, body, type);
    mechanism_def_add_joint(def, &joint);
  }
}

/* Depth first: the parent is an ancestor of the last body, or that body. */
static int draw_parent(check_random* random, const mechanism_options* options,
                       const mechanism_def* def) {
  if (draw_chance(random, options->root_chance)) return 0;
  int parent = def->num_bodies - 1;
  while (parent > 0 && draw_chance(random, 0.3)) parent = def->bodies[parent].parent;
  return parent;
}

mechanism* mechanism_create_random(const mechanism_options* options, check_random* random) {
  mechanism_def def;
  mechanism_def_init(&def);
  def.keep_free_origin = options->keep_free_origin;
  for (int i = 0; i < options->num_bodies; i++) {
    mechanism_body body = draw_body(random, draw_parent(random, options, &def));
    int id = mechanism_def_add_body(&def, &body);
    bool is_last_chance = i == options->num_bodies - 1 && def.num_joints == 0;
    if (body.parent == 0 && draw_chance(random, options->free_chance)) {
      mechanism_joint joint = draw_joint(random, options, id, CAROM_JOINT_FREE);
      mechanism_def_add_joint(&def, &joint);
    } else if (is_last_chance || !draw_chance(random, options->weld_chance)) {
      draw_joints(random, options, id, &def);
    }
  }
  mechanism* result = mechanism_create(&def);
  mechanism_def_destroy(&def);
  return result;
}

void mechanism_draw_q(const mechanism* m, check_random* random, double* q) {
  const double pi = 3.141592653589793;
  for (int j = 0; j < m->model.num_joints; j++) {
    double* at = q + m->model.joint_q_start[j];
    switch ((carom_joint_type)m->model.joint_type[j]) {
    case CAROM_JOINT_FREE:
      v3_store(draw_vector(random, 1), at);
      quat_store(draw_rotation(random), at + 3);
      break;
    case CAROM_JOINT_BALL:
      quat_store(draw_rotation(random), at);
      break;
    case CAROM_JOINT_SLIDE:
      at[0] = check_random_uniform(random, -0.5, 0.5);
      break;
    case CAROM_JOINT_HINGE:
      at[0] = check_random_uniform(random, -pi, pi);
      break;
    }
  }
}

void mechanism_draw_v(const mechanism* m, check_random* random, double* v) {
  for (int k = 0; k < m->model.num_v; k++) v[k] = check_random_normal(random);
}
