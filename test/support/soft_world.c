/* Scenes with soft bodies; see soft_world.h. */
#include "support/soft_world.h"

#include "sim/sim.h"

#include "carom/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

carom_soft_def soft_world_box(double x, double y, double z, int nx, int ny, int nz) {
  carom_soft_def def = carom_soft_def_default();
  def.shape = CAROM_SOFT_BOX;
  def.size[0] = x, def.size[1] = y, def.size[2] = z;
  def.cells[0] = nx, def.cells[1] = ny, def.cells[2] = nz;
  def.young = 1e6;
  return def;
}

static void hold_low_end(carom_builder* builder, const carom_soft_def* def, carom_soft soft,
                         int axis) {
  carom_attachment_def attachment = carom_attachment_def_default();
  carom_error error;
  attachment.soft = soft;
  for (int k = 0; k < 3; k++) {
    attachment.low[k] = -10;
    attachment.high[k] = k == axis ? -0.5 * def->size[k] + 1e-9 : 10;
  }
  check_ok(carom_builder_add_attachment(builder, &attachment, &error), &error);
}

world soft_world_create(const carom_soft_def* def, int axis, const double gravity[3],
                        const carom_sim_def* options) {
  carom_builder_def builder_def = carom_builder_def_default();
  for (int k = 0; k < 3; k++) builder_def.gravity[k] = gravity ? gravity[k] : 0;
  carom_builder* builder;
  carom_error error;
  carom_soft soft;
  carom_model* model;
  check_ok(carom_builder_create(&builder_def, &builder, &error), &error);
  check_ok(carom_builder_add_soft(builder, def, &soft, &error), &error);
  if (axis >= 0) hold_low_end(builder, def, soft, axis);
  check_ok(carom_builder_compile(builder, &model, &error), &error);
  carom_builder_destroy(builder);
  return world_create_from(model, options);
}

world soft_world_load(const char* name, const carom_sim_def* options) {
  char path[500];
  carom_model* model;
  carom_error error;
  snprintf(path, sizeof path, CR_SOURCE_DIR "/scenes/%s", name);
  check_ok(carom_model_load(path, NULL, &model, &error), &error);
  return world_create_from(model, options);
}

void soft_world_displacement(const world* w, int soft, int axis, double at, double u[3]) {
  carom_soft_info s = carom_model_get_soft(w->model, soft);
  const double* x = world_q(w) + s.q_address;
  int count = 0;
  memset(u, 0, 3 * sizeof *u);
  for (int n = 0; n < s.num_nodes; n++) {
    if (fabs(s.nodes[3 * n + axis] - at) > 1e-9) continue;
    count++;
    for (int k = 0; k < 3; k++) u[k] += x[3 * n + k] - s.nodes[3 * n + k];
  }
  assert_true(count > 0);
  for (int k = 0; k < 3; k++) u[k] /= count;
}

/* Corners of elements of ten nodes; of those of four no node, so that each is a middle. */
static char* mark_corners(const carom_soft_info* s) {
  char* is_corner = calloc((size_t)s->num_nodes, 1);
  assert_non_null(is_corner);
  for (int e = 0; e < s->num_elements && s->nodes_per_element == 10; e++)
    for (int a = 0; a < 4; a++) is_corner[s->elements[10 * e + a]] = 1;
  return is_corner;
}

/* A face of six nodes is four triangles, and a constant load on it is borne by the middles of its
 * edges alike: those of the inner triangle, which has a quarter of its area. */
double* soft_world_face(const world* w, int axis, double at) {
  carom_soft_info s = carom_model_get_soft(w->model, 0);
  char* is_corner = mark_corners(&s);
  double* share = calloc((size_t)s.num_nodes, sizeof *share);
  assert_non_null(share);
  for (int i = 0; i < s.num_triangles; i++) {
    const int* t = s.triangles + 3 * i;
    v3 x[3];
    int inside = 0;
    for (int k = 0; k < 3; k++) {
      x[k] = v3_load(s.nodes + 3 * t[k]);
      inside += fabs(v3_get(x[k], axis) - at) < 1e-9 && !is_corner[t[k]];
    }
    double area = 0.5 * v3_norm(v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0])));
    for (int k = 0; k < 3 && inside == 3; k++)
      share[t[k]] += (s.nodes_per_element == 10 ? 4 : 1) * area / 3;
  }
  free(is_corner);
  return share;
}

void soft_world_pull(world* w, int axis, double at, const double traction[3]) {
  double* share = soft_world_face(w, axis, at);
  carom_error error;
  for (int n = 0; n < carom_model_get_soft(w->model, 0).num_nodes; n++) {
    double force[3];
    for (int k = 0; k < 3; k++) force[k] = w->sim->node_force[3 * n + k] + share[n] * traction[k];
    check_ok(carom_sim_set_node_force(w->sim, 0, n, force, &error), &error);
  }
  free(share);
}

void soft_world_face_displacement(const world* w, int axis, double at, double u[3]) {
  carom_soft_info s = carom_model_get_soft(w->model, 0);
  double *share = soft_world_face(w, axis, at), area = 0;
  memset(u, 0, 3 * sizeof *u);
  for (int n = 0; n < s.num_nodes; n++) {
    area += share[n];
    for (int k = 0; k < 3; k++)
      u[k] += share[n] * (world_q(w)[s.q_address + 3 * n + k] - s.nodes[3 * n + k]);
  }
  for (int k = 0; k < 3; k++) u[k] /= area;
  free(share);
}

void soft_world_centre(const world* w, int soft, double x[3], double v[3]) {
  carom_soft_info s = carom_model_get_soft(w->model, soft);
  const double* mass = w->model->soft.part[soft].body.mass;
  for (int k = 0; k < 3; k++) {
    x[k] = v[k] = 0;
    for (int n = 0; n < s.num_nodes; n++) {
      x[k] += mass[n] / s.mass * world_q(w)[s.q_address + 3 * n + k];
      v[k] += mass[n] / s.mass * world_v(w)[s.v_address + 3 * n + k];
    }
  }
}

/* `block` with `change` added to what belongs to each node. */
static double* change_nodes(const world* w, const double* block, int count, bool is_velocity,
                            const double change[3]) {
  double* changed = malloc(sizeof(double) * (size_t)count);
  assert_non_null(changed);
  memcpy(changed, block, sizeof(double) * (size_t)count);
  for (int s = 0; s < w->model->soft.num_parts; s++) {
    carom_soft_info info = carom_model_get_soft(w->model, s);
    int address = is_velocity ? info.v_address : info.q_address;
    for (int i = 0; i < 3 * info.num_nodes; i++) changed[address + i] += change[i % 3];
  }
  return changed;
}

void soft_world_throw(world* w, const double by[3], const double v[3]) {
  double* q = change_nodes(w, world_q(w), w->sizes.num_q, false, by);
  double* all = change_nodes(w, world_v(w), w->sizes.num_v, true, v);
  world_set(w, q, all);
  free(q), free(all);
}
