/* Edges of soft surfaces against edges: a wedge on a coarse block, soft blocks edge on edge. */
#include "support/soft_scene.h"

#include <math.h>

#define DT 0.01

/* Height of a soft body's surface above (x, y), seen from above; -inf beside it. */
static double find_height(const world* w, int soft, double x, double y) {
  carom_soft_info s = carom_model_get_soft(w->model, soft);
  const double* q = world_q(w) + s.q_address;
  double highest = -INFINITY;
  for (int t = 0; t < s.num_triangles; t++) {
    const double* c[3];
    double weight[3], whole = 0, height = 0;
    for (int k = 0; k < 3; k++) c[k] = q + 3 * s.triangles[3 * t + k];
    for (int k = 0; k < 3; k++) {
      const double *a = c[(k + 1) % 3], *b = c[(k + 2) % 3];
      weight[k] = (a[0] - x) * (b[1] - y) - (b[0] - x) * (a[1] - y);
      whole += weight[k];
    }
    if (!(weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0 && whole > 0)) continue;
    for (int k = 0; k < 3; k++) height += weight[k] / whole * c[k][2];
    highest = fmax(highest, height);
  }
  return highest;
}

/* A bar with an edge down lies on a block that is coarser than it is: how deep the edge is below
 * the surface, at the most. */
static double press_wedge(int cells) {
  const double bar[3] = {0.03, 0.3, 0.03};
  carom_sim_def options = world_def(DT, CAROM_IMPLICIT);
  soft_scene s = soft_scene_create(NULL);
  carom_soft_def def = soft_block(0.2, cells, 0.1);
  def.position[0] = 0.017;
  soft_scene_add_plane(&s);
  soft_scene_add(&s, &def);
  soft_scene_add_press(&s, bar, 0.2 + 0.03 * sqrt(2) + 0.001, 2, 20, 0.25 * M_PI);
  world w = soft_scene_finish(&s, &options);
  for (int i = 0; i < 200; i++) assert_true(world_step(&w).residual <= 1e-6);
  double low = 0.201 + world_q(&w)[0], deepest = -INFINITY;
  for (int i = -9; i <= 9; i++) deepest = fmax(deepest, find_height(&w, 0, 0, 0.00985 * i) - low);
  check_near(soft_scene_sum_impulse(&w, 1, -1) / DT, -2 * 9.81, 0.01);
  world_destroy(&w);
  return deepest;
}

/* Without edges it sinks in by 0.2, 0.017, 0.018, 0.017, 0.004, 0.017 m, until nodes stop it. */
static void test_wedge(void** state) {
  (void)state;
  for (int cells = 1; cells <= 6; cells++) {
    double deep = press_wedge(cells);
    print_message("%d cells: %g m below the surface\n", cells, deep);
    assert_true(deep < 1e-5);
  }
}

/* Least or largest height of a soft body's nodes. */
static double find_extreme(const world* w, int soft, double sign) {
  carom_soft_info s = carom_model_get_soft(w->model, soft);
  double most = -INFINITY;
  for (int n = 0; n < s.num_nodes; n++)
    most = fmax(most, sign * world_q(w)[s.q_address + 3 * n + 2]);
  return sign * most;
}

/* A block turned onto an edge falls across the edge of another one that is held: neither has a node
 * nearer than a sixth of the side to where they cross, and they would sink in by that until one
 * meets the other. */
static void test_crossing(void** state) {
  (void)state;
  carom_sim_def options = world_def(DT, CAROM_IMPLICIT);
  soft_scene s = soft_scene_create(NULL);
  double side = 0.1, half = 0.5 * sqrt(2) * side;
  carom_soft_def lower = soft_block(side, 1, 0), upper = soft_block(side, 1, 2 * half + 0.001);
  lower.cells[1] = upper.cells[0] = 3;
  lower.young = upper.young = 1e6, upper.beta = lower.beta = 0.01;
  lower.quaternion[0] = upper.quaternion[0] = cos(M_PI / 8);
  lower.quaternion[2] = upper.quaternion[1] = sin(M_PI / 8);
  carom_soft held = soft_scene_add(&s, &lower);
  soft_scene_add(&s, &upper);
  carom_attachment_def hold = carom_attachment_def_default();
  hold.soft = held;
  for (int i = 0; i < 3; i++) hold.low[i] = -1, hold.high[i] = i ? 1 : 0;
  check_ok(carom_builder_add_attachment(s.builder, &hold, &s.error), &s.error);
  world w = soft_scene_finish(&s, &options);
  for (int i = 0; i < 20; i++) assert_true(world_step(&w).residual <= 1e-6);
  double rise = soft_scene_sum_impulse(&w, -1, -2) / DT;
  double sunk = find_extreme(&w, 0, 1) - find_extreme(&w, 1, -1);
  print_message("lifted by %g N, sunk by %g m\n", rise, sunk);
  check_near(rise, 9.81, 0.1);
  assert_true(sunk < 0.02 * side);
  world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_wedge), cmocka_unit_test(test_crossing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
