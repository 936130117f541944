/* Soft bodies in contact, against closed forms: weight on the ground, sag of a column, friction;
 * with nodes eliminated and without. */
#include "sim/sim.h"
#include "support/memory.h"
#include "support/soft_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Vertical impulse of all contacts, on their second body. */
static double sum_impulse(const world* w) {
  int count;
  double sum = 0;
  const carom_contact* contacts = carom_sim_contacts(w->sim, &count);
  for (int i = 0; i < count; i++) sum += contacts[i].impulse[2];
  return sum;
}

/* A block rests on the ground: the ground bears its weight, and its top sinks by rho g h²/2E, with
 * the lumped masses of `cells` layers exactly so. */
static void test_rest(void** state) {
  (void)state;
  for (int scheme = CAROM_IMPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
    carom_sim_def options = world_def(0.01, (carom_scheme)scheme);
    soft_scene s = soft_scene_create(NULL);
    carom_soft_def def = soft_block(0.2, 3, 0.1);
    def.condim = 1, def.friction = 0;
    soft_scene_add_plane(&s);
    soft_scene_add(&s, &def);
    world w = soft_scene_finish(&s, &options);
    world_run(&w, 300);
    carom_step_report report = world_step(&w);
    print_message("%d contacts, %d iterations, free %d\n", report.contacts, report.iterations,
                  report.free_iterations);
    check_near(sum_impulse(&w), 8 * 9.81 * 0.01, 1e-4);
    double top = 0, bottom = 0;
    for (int n = 0; n < 16; n++) {
      bottom += world_q(&w)[3 * n + 2] / 16;
      top += world_q(&w)[3 * (48 + n) + 2] / 16;
    }
    check_near(bottom, 0, 1e-6);
    check_near(0.2 - top, 1000 * 9.81 * 0.2 * 0.2 / (2 * 1e5), 2e-5);
    world_destroy(&w);
  }
}

/* The same numbers whether the nodes that nothing touches are eliminated or not, in one problem
 * with a jointed arm that a node is tied to and a ball that lies on the block. */
static void run_twins(bool keeps_nodes, double* q) {
  carom_sim_def options = world_def(0.005, CAROM_MIDPOINT);
  const double ball[3] = {0.06, 0, 0};
  options.tolerance = 1e-10;
  soft_scene s = soft_scene_create(NULL);
  carom_soft_def def = soft_block(0.2, 2, 0.1);
  soft_scene_add_plane(&s);
  carom_soft soft = soft_scene_add(&s, &def);
  soft_scene_add_free(&s, CAROM_GEOM_SPHERE, ball, 0.262, 0.5);
  soft_scene_add_arm(&s, soft);
  world w = soft_scene_finish(&s, &options);
  w.sim->keeps_nodes = keeps_nodes;
  for (int i = 0; i < 10; i++) {
    carom_step_report report = world_step(&w);
    assert_true(report.contacts > 0);
  }
  memcpy(q, world_q(&w), sizeof(double) * (size_t)w.sizes.num_q);
  world_destroy(&w);
}

static void test_schur(void** state) {
  (void)state;
  double reduced[200], full[200];
  const int num_q = 8 + 3 * 27;
  run_twins(false, reduced);
  run_twins(true, full);
  for (int i = 0; i < num_q; i++) check_near(reduced[i], full[i], 1e-8);
}

/* A soft block on a slope (gravity turned): it rests below tan a = mu, and glides beyond with
 * g (sin a - mu cos a). */
static void test_slope(void** state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    carom_sim_def options = world_def(0.005, CAROM_IMPLICIT);
    double slope = 0.3, mu = k ? 0.2 : 0.4;
    const double gravity[3] = {9.81 * sin(slope), 0, -9.81 * cos(slope)};
    soft_scene s = soft_scene_create(gravity);
    carom_soft_def soft = soft_block(0.1, 2, 0.05);
    soft.young = 1e6, soft.friction = mu, soft.alpha = 0, soft.beta = 0.01;
    carom_geom_def plane = carom_geom_def_default();
    plane.type = CAROM_GEOM_PLANE, plane.friction = 0;
    assert_int_equal(carom_builder_add_geom(s.builder, &plane, NULL, &s.error), CAROM_OK);
    soft_scene_add(&s, &soft);
    world w = soft_scene_finish(&s, &options);
    world_run(&w, 200);
    double before = 0, after = 0;
    for (int n = 0; n < 27; n++) before += world_v(&w)[3 * n] / 27;
    world_run(&w, 100);
    for (int n = 0; n < 27; n++) after += world_v(&w)[3 * n] / 27;
    double expected = k ? 9.81 * (sin(slope) - mu * cos(slope)) : 0;
    check_near((after - before) / 0.5, expected, 1e-3);
    if (!k) check_near(after, 0, 1e-4);
    world_destroy(&w);
  }
}

/* Shapes of every kind lie on a soft slab, and a slab on a slab: nothing falls through, and the
 * ground bears the weight of both. */
static void test_shapes(void** state) {
  (void)state;
  static const struct {
    carom_geom_type type;
    double size[3], height;
  } shapes[] = {{CAROM_GEOM_SPHERE, {0.05, 0, 0}, 0.05},
                {CAROM_GEOM_BOX, {0.04, 0.03, 0.02}, 0.02},
                {CAROM_GEOM_CYLINDER, {0.05, 0.03, 0}, 0.03},
                {CAROM_GEOM_ELLIPSOID, {0.05, 0.05, 0.04}, 0.04},
                {CAROM_GEOM_CAPSULE, {0.04, 0.02, 0}, 0.06}};
  for (int k = 0; k < 6; k++) {
    carom_sim_def options = world_def(0.01, CAROM_IMPLICIT);
    soft_scene s = soft_scene_create(NULL);
    carom_soft_def slab = soft_block(0.3, 4, 0.05);
    slab.size[2] = 0.1, slab.cells[2] = 2, slab.beta = 0.01;
    soft_scene_add_plane(&s);
    soft_scene_add(&s, &slab);
    if (k < 5) {
      soft_scene_add_free(&s, shapes[k].type, shapes[k].size, 0.101 + shapes[k].height, 1);
    } else {
      carom_soft_def upper = soft_block(0.1, 2, 0.151);
      upper.beta = 0.01;
      soft_scene_add(&s, &upper);
    }
    world w = soft_scene_finish(&s, &options);
    world_run(&w, 100);
    double weight = (9 + 1) * 9.81 * 0.01, low = INFINITY;
    int count;
    const carom_contact* contacts = carom_sim_contacts(w.sim, &count);
    double ground = 0;
    for (int i = 0; i < count; i++)
      if (contacts[i].geom1 == 0) ground += contacts[i].impulse[2];
    for (int n = 0; n < w.sizes.num_soft_nodes; n++)
      low = fmin(low, world_q(&w)[w.sizes.num_q - 3 * n - 1]);
    print_message("shape %d: %d contacts, ground %.4f of %.4f, low %g\n", k, count, ground, weight,
                  low);
    check_near(ground, weight, 0.02 * weight);
    assert_true(low > -1e-4);
    if (k < 5) assert_true(world_q(&w)[2] > 0.08);
    world_destroy(&w);
  }
}

/* Contact with a pressure per depth of its own sinks by the mean pressure over it. */
static void test_compliance(void** state) {
  (void)state;
  carom_sim_def options = world_def(0.01, CAROM_IMPLICIT);
  soft_scene s = soft_scene_create(NULL);
  carom_soft_def def = soft_block(0.2, 2, 0.1);
  def.young = 1e7, def.stiffness = 1e6, def.condim = 1, def.friction = 0;
  soft_scene_add_plane(&s);
  soft_scene_add(&s, &def);
  world w = soft_scene_finish(&s, &options);
  world_run(&w, 300);
  double bottom = 0;
  const double share[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
  for (int n = 0; n < 9; n++) bottom += share[n] / 16 * world_q(&w)[3 * n + 2];
  check_near(bottom, -8 * 9.81 / 0.04 / 1e6, 2e-5);
  world_destroy(&w);
}

/* Two soft bodies sink into each other by the pressure over that of both layers in series, whatever
 * their meshes: nodes of either press with half their areas. Nodes of the lower one share out an
 * area 7² pitch² where the upper block has 0.2² m²; and edges that cross its rim have half of their
 * third of two triangles each. */
static void test_series(void** state) {
  (void)state;
  const double pitch = 0.31 / 12, weight = 8 * 9.81, k = 1e6 * 3e6 / (1e6 + 3e6);
  carom_sim_def options = world_def(0.01, CAROM_IMPLICIT);
  soft_scene s = soft_scene_create(NULL);
  carom_soft_def lower = soft_block(0.31, 12, 0.02), upper = soft_block(0.2, 3, 0.1401);
  lower.size[2] = 0.04, lower.cells[2] = 1;
  lower.young = upper.young = 1e8;
  lower.stiffness = 1e6, upper.stiffness = 3e6;
  lower.condim = upper.condim = 1;
  soft_scene_add_plane(&s);
  soft_scene_add(&s, &lower);
  soft_scene_add(&s, &upper);
  world w = soft_scene_finish(&s, &options);
  for (int i = 0; i < 120; i++) assert_int_equal(world_step(&w).substeps, 1);
  const double *q = world_q(&w), *bottom = q + 3 * 2 * 13 * 13;
  double sunk = 0;
  int under = 0;
  for (int n = 13 * 13; n < 2 * 13 * 13; n++)
    if (fabs(q[3 * n]) < 0.1 && fabs(q[3 * n + 1]) < 0.1) sunk += q[3 * n + 2], under++;
  assert_int_equal(under, 49);
  sunk /= under;
  for (int n = 0; n < 16; n++) sunk -= bottom[3 * n + 2] / 16;
  int count, crossings = -16 - 49;
  const carom_contact* contacts = carom_sim_contacts(w.sim, &count);
  for (int i = 0; i < count; i++) crossings += contacts[i].geom1 < 0;
  double area = 0.5 * 0.04 + (0.5 * 49 + crossings / 6.0) * pitch * pitch;
  check_near(sunk, weight / (k * area), 0.01 * weight / (k * area));
  world_destroy(&w);
}

/* A warm step takes no memory: neither at rest nor while the nodes that touch change. */
static void test_memory(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_sim_def options = world_def(0.01, CAROM_IMPLICIT);
  options.allocator = check_memory_hooks(&memory);
  const double ball[3] = {0.04, 0, 0};
  soft_scene s = soft_scene_create(NULL);
  carom_soft_def def = soft_block(0.2, 3, 0.1);
  soft_scene_add_plane(&s);
  soft_scene_add(&s, &def);
  soft_scene_add_free(&s, CAROM_GEOM_SPHERE, ball, 0.241, 0.5);
  world w = soft_scene_finish(&s, &options);
  world_state start = world_save(&w);
  world_run(&w, 60);
  world_restore(&w, &start);
  world_run(&w, 60);
  world_restore(&w, &start);
  int before = memory.num_allocations;
  world_run(&w, 60);
  assert_int_equal(memory.num_allocations, before);
  free(start.bytes);
  world_destroy(&w);
  check_memory_expect_empty(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest),       cmocka_unit_test(test_schur),
      cmocka_unit_test(test_slope),      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_compliance), cmocka_unit_test(test_series),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
