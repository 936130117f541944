/* Default values of every definition. */
#include "model/record.h"

#include <math.h>

carom_builder_def carom_builder_def_default(void) {
  return (carom_builder_def){.cookie = CR_COOKIE(builder),
                             .gravity = {0, 0, -9.81},
                             .magnetic = {0, -0.5, 0},
                             .timestep = 0.002,
                             .inertia_source = CAROM_INERTIA_AUTO,
                             .contact_stiffness = INFINITY,
                             .contact_dissipation = NAN,
                             .rest_speed = 0.01,
                             .patches = CAROM_PATCHES_AREA,
                             .patch_error = 0.1};
}

carom_body_def carom_body_def_default(void) {
  return (carom_body_def){.cookie = CR_COOKIE(body), .quaternion = {1, 0, 0, 0}, .mass = NAN};
}

carom_joint_def carom_joint_def_default(void) {
  return (carom_joint_def){.cookie = CR_COOKIE(joint),
                           .type = CAROM_JOINT_HINGE,
                           .limit_stiffness = INFINITY,
                           .limit_dissipation = NAN,
                           .spring_reference = NAN,
                           .speed_limit = INFINITY};
}

#define DEFAULT_TORSION 0.005  /* m, MJCF's */
#define DEFAULT_ROLLING 0.0001 /* m, likewise */
#define STRIBECK_SPEED  0.01   /* m/s */

carom_geom_def carom_geom_def_default(void) {
  return (carom_geom_def){.cookie = CR_COOKIE(geom),
                          .type = CAROM_GEOM_SPHERE,
                          .quaternion = {1, 0, 0, 0},
                          .mass = NAN,
                          .density = 1000,
                          .gives_mass = true,
                          .contype = 1,
                          .conaffinity = 1,
                          .condim = 3,
                          .friction = 1,
                          .stiffness = NAN,
                          .dissipation = NAN,
                          .modulus = INFINITY,
                          .layer = NAN,
                          .surface = {.torsional_friction = DEFAULT_TORSION,
                                      .rolling_friction = DEFAULT_ROLLING,
                                      .static_friction = NAN,
                                      .stribeck_speed = STRIBECK_SPEED},
                          .rgba = {0.5f, 0.5f, 0.5f, 1},
                          .fluid_coefficients = {0.5, 0.25, 1.5, 1, 1}};
}

carom_site_def carom_site_def_default(void) {
  return (carom_site_def){.cookie = CR_COOKIE(site),
                          .type = CAROM_GEOM_SPHERE,
                          .quaternion = {1, 0, 0, 0},
                          .size = {0.005, 0.005, 0.005},
                          .rgba = {0.5f, 0.5f, 0.5f, 1}};
}

carom_mesh_def carom_mesh_def_default(void) {
  return (carom_mesh_def){.cookie = CR_COOKIE(mesh), .convex = true};
}

carom_height_field_def carom_height_field_def_default(void) {
  return (carom_height_field_def){.cookie = CR_COOKIE(height_field)};
}

carom_soft_def carom_soft_def_default(void) {
  return (carom_soft_def){.cookie = CR_COOKIE(soft),
                          .quaternion = {1, 0, 0, 0},
                          .cells = {1, 1, 1},
                          .nodes_per_element = 4,
                          .poisson = 0.3,
                          .density = 1000,
                          .mass = NAN,
                          .contype = 1,
                          .conaffinity = 1,
                          .condim = 3,
                          .friction = 1,
                          .stiffness = INFINITY,
                          .dissipation = NAN,
                          .surface = {.static_friction = NAN, .stribeck_speed = STRIBECK_SPEED},
                          .self_contact = true,
                          .rgba = {0.5f, 0.5f, 0.5f, 1}};
}

carom_attachment_def carom_attachment_def_default(void) {
  return (carom_attachment_def){
      .cookie = CR_COOKIE(attachment), .stiffness = INFINITY, .dissipation = NAN};
}

carom_pair_def carom_pair_def_default(void) {
  return (carom_pair_def){.cookie = CR_COOKIE(pair),
                          .friction = NAN,
                          .margin = NAN,
                          .gap = NAN,
                          .stiffness = NAN,
                          .dissipation = NAN,
                          .surface = {NAN, NAN, NAN, NAN, NAN, NAN, NAN}};
}

carom_spring_def carom_spring_def_default(void) {
  return (carom_spring_def){.cookie = CR_COOKIE(spring), .rest_length = NAN};
}

carom_tendon_def carom_tendon_def_default(void) {
  return (carom_tendon_def){.cookie = CR_COOKIE(tendon),
                            .limit_stiffness = INFINITY,
                            .limit_dissipation = NAN,
                            .rest = {NAN, NAN}};
}

carom_actuator_def carom_actuator_def_default(void) {
  static const carom_muscle MUSCLE = {.range = {0.75, 1.05},
                                      .force = -1,
                                      .scale = 200,
                                      .low = 0.5,
                                      .high = 1.6,
                                      .speed = 1.5,
                                      .passive = 1.3,
                                      .eccentric = 1.2};
  return (carom_actuator_def){.cookie = CR_COOKIE(actuator),
                              .gear = 1,
                              .gain = 1,
                              .muscle_gain = MUSCLE,
                              .muscle_bias = MUSCLE,
                              .length_range = {NAN, NAN},
                              .time_constant = {1, 0, 0},
                              .damping_ratio = NAN};
}

carom_equality_def carom_equality_def_default(void) {
  return (carom_equality_def){.cookie = CR_COOKIE(equality),
                              .type = CAROM_EQUALITY_CONNECT,
                              .active = true,
                              .anchor2 = {NAN, NAN, NAN},
                              .distance = NAN,
                              .relative_position = {NAN, NAN, NAN},
                              .relative_quaternion = {1, 0, 0, 0},
                              .polynomial = {0, 1, 0, 0, 0},
                              .stiffness = INFINITY,
                              .dissipation = NAN};
}

carom_keyframe_def carom_keyframe_def_default(void) {
  return (carom_keyframe_def){.cookie = CR_COOKIE(keyframe)};
}
