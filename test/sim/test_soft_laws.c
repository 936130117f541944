/* Contact laws on soft bodies, against the numbers of rigid ones: friction at rest and in motion,
 * Hunt-Crossley dissipation. The blocks are so stiff that they move as rigid ones do. */
#include "support/soft_scene.h"
#include "support/soft_world.h"

#include <math.h>

/* A stiff block of 1 kg that hovers over a plane without friction of its own, gravity turned by
 * `slope`. */
static world make_slider(const carom_soft_def* def, double slope) {
  carom_sim_def options = world_def(0.002, CAROM_IMPLICIT);
  const double gravity[3] = {9.81 * sin(slope), 0, -9.81 * cos(slope)};
  soft_scene s = soft_scene_create(gravity);
  carom_geom_def plane = carom_geom_def_default();
  plane.type = CAROM_GEOM_PLANE, plane.friction = 0;
  assert_int_equal(carom_builder_add_geom(s.builder, &plane, NULL, &s.error), CAROM_OK);
  soft_scene_add(&s, def);
  return soft_scene_finish(&s, &options);
}

static double compute_speed(const world* w) {
  double x[3], v[3];
  soft_world_centre(w, 0, x, v);
  return v[0];
}

static carom_soft_def stiff_block(void) {
  carom_soft_def def = soft_block(0.1, 2, 0.05);
  def.size[2] = 0.02, def.position[2] = 0.01; /* flat: it does not tilt */
  def.young = 1e8, def.alpha = 0, def.beta = 1e-3;
  return def;
}

/* Between tan a = mu and mu_s a block that rests stays, and one that is pushed glides with g (sin a
 * - mu cos a); above mu_s nothing holds. */
static void test_static_friction(void** state) {
  (void)state;
  carom_soft_def def = stiff_block();
  const double mu = 0.3, still[3] = {0, 0, 0}, push[3] = {0.2, 0, 0};
  def.friction = mu, def.surface.static_friction = 0.5;
  for (int k = 0; k < 3; k++) {
    double slope = k == 2 ? atan(0.52) : atan(0.48);
    world w = make_slider(&def, slope);
    soft_world_throw(&w, still, k == 1 ? push : still);
    world_run(&w, 100);
    double before = compute_speed(&w);
    world_run(&w, 100);
    double a = (compute_speed(&w) - before) / 0.2;
    check_near(a, k == 0 ? 0 : 9.81 * (sin(slope) - mu * cos(slope)), 1e-6);
    if (k == 0) check_near(before, 0, 1e-9);
    world_destroy(&w);
  }
}

/* The coefficient falls as the block gathers speed, mu(v) = mu + (mu_s - mu) exp(-(v/v_s)²), with
 * the slip before each step: the sum of its steps is reproduced to the solver's tolerance. */
static void test_stribeck(void** state) {
  (void)state;
  carom_soft_def def = stiff_block();
  const double mu = 0.2, excess = 0.2, vs = 0.1, slope = atan(0.42), dt = 0.002;
  const double still[3] = {0, 0, 0}, push[3] = {0.01, 0, 0};
  def.friction = mu, def.surface.static_friction = mu + excess, def.surface.stribeck_speed = vs;
  world w = make_slider(&def, slope);
  soft_world_throw(&w, still, push);
  double v = push[0];
  for (int i = 0; i < 150; i++) {
    double coefficient = mu + excess * exp(-(v / vs) * (v / vs));
    v += dt * 9.81 * (sin(slope) - coefficient * cos(slope));
    world_step(&w);
  }
  /* The first steps shake the nodes until they bear their weight. */
  check_near(compute_speed(&w), v, 1e-5 * v);
  assert_true(v > 3 * vs);
  world_destroy(&w);
}

/* A block that meets the ground with f = k x (1 + d v): restitution at d v = 0.05, 0.2, 1 by ln[(1
 * + d v)/(1 - d u)] = d (v + u). The midpoint rule with the scheme's own timing errs by (w dt)²/12.
 */
static void test_hunt_crossley(void** state) {
  (void)state;
  static const double cases[3][2] = {{0.05, 0.9677385785}, {0.2, 0.8821899862}, {1, 0.59362426}};
  const double none[3] = {0, 0, 0}, down[3] = {0, 0, -1}, dt = 5e-4;
  for (int k = 0; k < 3; k++) {
    carom_sim_def options = world_def(dt, CAROM_MIDPOINT);
    options.contact = CAROM_CONTACT_SCHEME;
    soft_scene s = soft_scene_create(none);
    soft_scene_add_plane(&s);
    carom_soft_def def = soft_block(0.1, 1, 0.05 + 1e-6);
    def.young = 1e9, def.alpha = 0;
    def.stiffness = 1e6; /* Pa/m: 1e4 N/m on the face, 100 rad/s */
    def.surface.hunt_crossley = cases[k][0];
    soft_scene_add(&s, &def);
    world w = soft_scene_finish(&s, &options);
    soft_world_throw(&w, none, down);
    double x[3], v[3];
    for (int i = 0; i < 100; i++) world_step(&w);
    soft_world_centre(&w, 0, x, v);
    check_near(v[2], cases[k][1], pow(100 * dt, 2) / 12);
    assert_true(x[2] > 0.05);
    world_destroy(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_static_friction),
      cmocka_unit_test(test_stribeck),
      cmocka_unit_test(test_hunt_crossley),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
