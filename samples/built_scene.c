/* Builds a scene in code: a box slides down a slope and comes to rest on the floor. */
#include "carom/carom.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static carom_error error;

static void check(carom_status status) {
  if (status == CAROM_OK) return;
  fprintf(stderr, "%s\n", error.message);
  exit(1);
}

/* A plane of the world, turned about y. */
static void add_plane(carom_builder* builder, const char* name, double angle) {
  carom_geom_def plane = carom_geom_def_default();
  plane.name = name, plane.type = CAROM_GEOM_PLANE, plane.friction = 0.3;
  plane.quaternion[0] = cos(angle / 2), plane.quaternion[2] = sin(angle / 2);
  check(carom_builder_add_geom(builder, &plane, NULL, &error));
}

static carom_model* build(void) {
  carom_builder* builder;
  carom_model* model;
  check(carom_builder_create(NULL, &builder, &error));
  add_plane(builder, "floor", 0), add_plane(builder, "slope", 0.5);

  carom_body_def body = carom_body_def_default();
  body.name = "box", body.position[0] = -2, body.position[2] = 1.2;
  carom_body box;
  check(carom_builder_add_body(builder, &body, &box, &error));
  carom_joint_def joint = carom_joint_def_default();
  joint.body = box, joint.type = CAROM_JOINT_FREE;
  check(carom_builder_add_joint(builder, &joint, NULL, &error));
  carom_geom_def geom = carom_geom_def_default(); /* its density gives the body's mass */
  geom.body = box, geom.type = CAROM_GEOM_BOX, geom.friction = 0.3;
  geom.size[0] = 0.1, geom.size[1] = 0.1, geom.size[2] = 0.05; /* m, half lengths */
  check(carom_builder_add_geom(builder, &geom, NULL, &error));

  check(carom_builder_compile(builder, &model, &error));
  carom_builder_destroy(builder); /* the model does not need it */
  return model;
}

int main(void) {
  carom_model* model = build();
  carom_sim* sim;
  check(carom_sim_create(model, NULL, &sim, &error));
  for (int step = 0; step <= 2000; step++, check(carom_sim_step(sim, NULL, &error))) {
    const double *q = carom_sim_coordinates(sim), *v = carom_sim_velocities(sim);
    if (step % 400 == 0)
      printf("%.1f s: at %.2f, %.2f m, %.2f m/s ahead\n", carom_sim_time(sim), q[0], q[2], v[0]);
  }
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return 0;
}
