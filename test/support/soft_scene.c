#include "support/soft_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

soft_scene soft_scene_create(const double gravity[3]) {
  soft_scene s = {0};
  carom_builder_def def = carom_builder_def_default();
  if (gravity) memcpy(def.gravity, gravity, sizeof def.gravity);
  check_ok(carom_builder_create(&def, &s.builder, &s.error), &s.error);
  return s;
}

world soft_scene_finish(soft_scene* s, const carom_sim_def* options) {
  carom_model* model;
  check_ok(carom_builder_compile(s->builder, &model, &s->error), &s->error);
  carom_builder_destroy(s->builder);
  return world_create_from(model, options);
}

carom_soft_def soft_block(double side, int cells, double z) {
  carom_soft_def def = carom_soft_def_default();
  def.shape = CAROM_SOFT_BOX;
  for (int k = 0; k < 3; k++) def.size[k] = side, def.cells[k] = cells;
  def.position[2] = z;
  def.young = 1e5;
  def.poisson = 0;
  def.alpha = 10;
  return def;
}

carom_soft soft_scene_add(soft_scene* s, const carom_soft_def* def) {
  carom_soft soft;
  check_ok(carom_builder_add_soft(s->builder, def, &soft, &s->error), &s->error);
  return soft;
}

void soft_scene_add_plane(soft_scene* s) {
  carom_geom_def def = carom_geom_def_default();
  def.type = CAROM_GEOM_PLANE;
  check_ok(carom_builder_add_geom(s->builder, &def, NULL, &s->error), &s->error);
}

static carom_body add_body(soft_scene* s, carom_joint_def joint, carom_geom_type type,
                           const double size[3], double z, double mass, double turn) {
  carom_body body;
  carom_body_def def = carom_body_def_default();
  carom_geom_def geom = carom_geom_def_default();
  def.position[2] = z;
  check_ok(carom_builder_add_body(s->builder, &def, &body, &s->error), &s->error);
  joint.body = body;
  check_ok(carom_builder_add_joint(s->builder, &joint, NULL, &s->error), &s->error);
  geom.body = body, geom.type = type, geom.mass = mass;
  memcpy(geom.size, size, sizeof geom.size);
  geom.quaternion[0] = cos(0.5 * turn), geom.quaternion[2] = sin(0.5 * turn);
  check_ok(carom_builder_add_geom(s->builder, &geom, NULL, &s->error), &s->error);
  return body;
}

carom_body soft_scene_add_free(soft_scene* s, carom_geom_type type, const double size[3], double z,
                               double mass) {
  carom_joint_def joint = carom_joint_def_default();
  joint.type = CAROM_JOINT_FREE;
  return add_body(s, joint, type, size, z, mass, 0);
}

carom_body soft_scene_add_press(soft_scene* s, const double size[3], double z, double mass,
                                double damping, double turn) {
  carom_joint_def joint = carom_joint_def_default();
  joint.type = CAROM_JOINT_SLIDE;
  joint.axis[2] = 1;
  joint.damping = damping;
  return add_body(s, joint, CAROM_GEOM_BOX, size, z, mass, turn);
}

/* --- Strips -------------------------------------------------------------------------------------
 */

/* The place of the fractions u of the strip's length, width and thickness. */
static void place(const soft_strip* p, const double u[3], double x[3]) {
  double bend = p->is_ring ? 2 * M_PI : M_PI, length = bend * p->radius + 2 * p->arm;
  double along = fabs(u[0] - 0.5) * length, angle = fmin(along / p->radius, bend / 2);
  double arm = along - angle * p->radius, r = p->radius + (u[2] - 0.5) * p->thickness;
  x[0] = r * cos(angle) - arm;
  x[1] = (u[1] - 0.5) * p->width;
  x[2] = (u[0] < 0.5 ? 1 : -1) * r * sin(angle);
}

/* Six tetrahedra of a cell around its diagonal: ways from one end to the other along the axes. */
static void split_cell(const int corner[8], int* element) {
  static const int ways[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (int w = 0; w < 6; w++) {
    int at = 0, *node = element + 4 * w, odd = w >= 3;
    node[0] = corner[0];
    for (int k = 0; k < 3; k++) node[k + 1] = corner[at |= 1 << ways[w][k]];
    if (!odd) continue;
    int last = node[3];
    node[3] = node[2], node[2] = last;
  }
}

static int node_number(const soft_strip* p, int i, int j, int k) {
  int columns = p->cells[0] + !p->is_ring;
  return k + (p->cells[2] + 1) * (j + (p->cells[1] + 1) * (i % columns));
}

static void fill_nodes(const soft_strip* p, double (*node)[3]) {
  for (int i = 0; i < p->cells[0] + !p->is_ring; i++)
    for (int j = 0; j <= p->cells[1]; j++)
      for (int k = 0; k <= p->cells[2]; k++) {
        double u[3] = {(double)i / p->cells[0], (double)j / p->cells[1], (double)k / p->cells[2]};
        place(p, u, node[node_number(p, i, j, k)]);
      }
}

static void fill_elements(const soft_strip* p, int* element) {
  for (int i = 0; i < p->cells[0]; i++)
    for (int j = 0; j < p->cells[1]; j++)
      for (int k = 0; k < p->cells[2]; k++, element += 24) {
        int corner[8];
        for (int c = 0; c < 8; c++)
          corner[c] = node_number(p, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2 & 1));
        split_cell(corner, element);
      }
}

carom_soft soft_scene_add_strip(soft_scene* s, const soft_strip* p, carom_soft_def def) {
  int layer = (p->cells[1] + 1) * (p->cells[2] + 1);
  def.shape = CAROM_SOFT_MESH;
  def.num_nodes = (p->cells[0] + !p->is_ring) * layer;
  def.num_elements = 6 * p->cells[0] * p->cells[1] * p->cells[2];
  double(*node)[3] = calloc((size_t)def.num_nodes, sizeof *node);
  int* element = calloc(4 * (size_t)def.num_elements, sizeof *element);
  assert_true(node && element);
  fill_nodes(p, node);
  fill_elements(p, element);
  def.nodes = node[0], def.elements = element;
  carom_soft soft = soft_scene_add(s, &def);
  free(node);
  free(element);
  return soft;
}

double soft_scene_sum_impulse(const world* w, int first, int second) {
  int count;
  double sum = 0;
  const carom_contact* contacts = carom_sim_contacts(w->sim, &count);
  for (int i = 0; i < count; i++)
    if (contacts[i].geom1 == first && contacts[i].geom2 == second) sum += contacts[i].impulse[2];
  return sum;
}

void soft_scene_add_arm(soft_scene* s, carom_soft soft) {
  carom_body arm;
  carom_body_def body = carom_body_def_default();
  carom_joint_def joint = carom_joint_def_default();
  body.position[0] = 0.4, body.position[2] = 0.2;
  body.mass = 0.2;
  for (int k = 0; k < 3; k++) body.inertia[k] = 0.01;
  check_ok(carom_builder_add_body(s->builder, &body, &arm, &s->error), &s->error);
  joint.body = arm, joint.axis[1] = 1, joint.axis[2] = 0;
  check_ok(carom_builder_add_joint(s->builder, &joint, NULL, &s->error), &s->error);
  carom_attachment_def tie = carom_attachment_def_default();
  tie.soft = soft, tie.body = arm;
  for (int k = 0; k < 3; k++) tie.low[k] = k ? -1 : 0.1 - 1e-9, tie.high[k] = 1;
  check_ok(carom_builder_add_attachment(s->builder, &tie, &s->error), &s->error);
}
