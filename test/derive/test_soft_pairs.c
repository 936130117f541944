/* Derivatives of steps in which soft bodies touch each other or themselves, against differences. */
#include "sim/sim.h"
#include "sim/soft/soft_surface.h"
#include "support/parameter_differences.h"
#include "support/soft_differences.h"

#include <math.h>

/* Edges that cross. */
static int count_crossings(const step_differences* d) {
  const cr_contact_memory* memory = &d->sim->memory;
  int sum = 0;
  for (int i = 0; i < memory->count; i++)
    sum += (memory->records[i].key.feature & CR_SOFT_EDGES) != 0;
  return sum;
}

/* Points of soft bodies that are within each other, by what gives way. */
static int count_overlaps(const step_differences* d) {
  int count, sum = 0;
  const carom_contact* c = carom_sim_contacts(d->sim, &count);
  for (int i = 0; i < count; i++) sum += c[i].geom1 < 0 && c[i].distance < -1e-6;
  return sum;
}

/* Compares the step from where it is, of bodies that touch. */
static void expect_pairs(step_differences* d, const char* const* names, int count) {
  const double none[3] = {0, 0, 0};
  for (int touched = 0; touched < 3;) {
    assert_int_equal(carom_sim_step(d->sim, NULL, NULL), 0);
    touched += soft_differences_is_touched(d);
    assert_true(carom_sim_time(d->sim) < 1);
  }
  soft_differences_expect(d, 1e-6, 0.02, none, 4e-7);
  parameter_differences_expect(d, names, count, 1e-5);
  assert_int_equal(carom_sim_restore(d->sim, d->state, d->size, NULL), 0);
  assert_int_equal(carom_sim_step(d->sim, NULL, NULL), 0);
}

/* How the upper block is turned, about x and z, and what friction is by. */
typedef struct stack {
  double tilt, turn;
  bool crosses;
  carom_friction friction;
} stack;

/* A block falls on another one that stands on the floor. */
static void expect_stack(const stack* how, carom_scheme scheme, double stiffness) {
  static const char* const NAMES[] = {"soft.block.young", "soft.upper.density",
                                      "soft.block.friction", "soft.block.stiffness",
                                      "soft.upper.dissipation"};
  const double gravity[3] = {0, 0, -50};
  soft_scene s = soft_scene_create(gravity);
  carom_soft_def block = soft_differences_block(CAROM_SOFT_LINEAR), upper = block;
  double *q = upper.quaternion, c = cos(how->turn / 2), z = sin(how->turn / 2);
  block.friction = 0.5, upper.friction = 0.3;
  upper.name = "upper", upper.size[0] = 0.07, upper.size[1] = 0.05, upper.size[2] = 0.06;
  block.young = 5e5, upper.young = 3e5, block.beta = upper.beta = 2e-3;
  block.stiffness = upper.stiffness = stiffness;
  block.dissipation = upper.dissipation = 0.01, upper.dissipation = 0.02;
  block.position[2] = 0.5 * block.size[2] + 1e-4;
  q[0] = c * cos(how->tilt / 2), q[1] = c * sin(how->tilt / 2);
  q[2] = z * sin(how->tilt / 2), q[3] = z * cos(how->tilt / 2);
  double reach = upper.size[2] * fabs(cos(how->tilt)) + upper.size[1] * fabs(sin(how->tilt));
  upper.position[0] = 0.013, upper.position[1] = how->crosses ? -0.052 : -0.007;
  upper.position[2] = block.size[2] + 0.5 * reach + 2e-4;
  soft_scene_add(&s, &block);
  soft_scene_add(&s, &upper);
  soft_scene_add_plane(&s);
  carom_sim_def def = soft_differences_def(scheme, 2e-3);
  def.friction = how->friction;
  step_differences d = soft_differences_finish(&s, &def);
  expect_pairs(&d, NAMES, isinf(stiffness) ? 3 : 5);
  int crossings = count_crossings(&d), overlaps = count_overlaps(&d);
  print_message("%d edges cross, %d overlaps\n", crossings, overlaps);
  assert_true((crossings > 0) == how->crosses && (overlaps > 0) == how->crosses);
  step_differences_destroy(&d);
}

/* The arms of a horseshoe come together, one of which is held: points against its own surface. */
static void test_self(void** state) {
  (void)state;
  static const soft_strip HORSESHOE = {
      .radius = 0.03, .arm = 0.1, .width = 0.05, .thickness = 0.02, .cells = {6, 1, 1}};
  static const char* const NAMES[] = {"soft.horseshoe.density", "soft.horseshoe.friction"};
  for (int i = 0; i < 2; i++) {
    const double gravity[3] = {0, 3, -50};
    soft_scene s = soft_scene_create(gravity);
    carom_soft_def def = carom_soft_def_default();
    def.name = "horseshoe", def.law = CAROM_SOFT_LINEAR, def.young = 3e4, def.poisson = 0.3;
    def.beta = 5e-3, def.self_contact = true, def.position[2] = 0.1;
    if (i) def.stiffness = 1e6, def.dissipation = 0.01;
    carom_soft soft = soft_scene_add_strip(&s, &HORSESHOE, def);
    carom_attachment_def hold = carom_attachment_def_default();
    hold.soft = soft;
    for (int k = 0; k < 3; k++) hold.low[k] = -10, hold.high[k] = 10;
    hold.high[2] = -0.01;
    check_ok(carom_builder_add_attachment(s.builder, &hold, &s.error), &s.error);
    carom_sim_def options = soft_differences_def(i ? CAROM_MIDPOINT : CAROM_IMPLICIT, 2e-3);
    options.friction = CAROM_FRICTION_CONVEX;
    step_differences d = soft_differences_finish(&s, &options);
    expect_pairs(&d, NAMES, 2);
    assert_true(count_overlaps(&d) > count_crossings(&d));
    step_differences_destroy(&d);
  }
}

static void test_stacks(void** state) {
  (void)state;
  static const stack STACKS[] = {{0.02, 0.3, true, CAROM_FRICTION_CONVEX},
                                 {0.02, 0.3, true, CAROM_FRICTION_LAGGED},
                                 {0.3, 0.2, false, CAROM_FRICTION_CONVEX},
                                 {0.3, 0.2, false, CAROM_FRICTION_LAGGED},
                                 {0.6, 1.2, true, CAROM_FRICTION_CONVEX}};
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 2; k++)
      expect_stack(&STACKS[i], k ? CAROM_MIDPOINT : CAROM_IMPLICIT, k ? 2e6 : INFINITY);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_stacks), cmocka_unit_test(test_self)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
