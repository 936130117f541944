/* A soft body's contact with itself: arms of a horseshoe that sag onto each other and hold, a ring
 * squeezed flat, momentum, walls that are thin. */
#include "sim/soft/soft_sums.h"
#include "support/memory.h"
#include "support/soft_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DT      0.005
#define AT_REST 1e-3 /* m/s */

static const soft_strip HORSESHOE = {
    .radius = 0.06, .arm = 0.2, .width = 0.06, .thickness = 0.03, .cells = {24, 2, 1}};

/* Node (i, j, 0), on the inside of the strip, the last of a soft body in q. */
static const double* inner_node(const world* w, const soft_strip* p, int i, int j) {
  int columns = p->cells[0] + !p->is_ring, across = p->cells[1] + 1, through = p->cells[2] + 1;
  const double* x = world_q(w) + w->sizes.num_q - 3 * columns * across * through;
  return x + 3 * (through * (j + across * (i % columns)));
}

/* The least height of inner nodes of the upper half above the inner surface of the lower half,
 * which is taken along its edges from cell to cell, but where it is bent; below zero they are
 * through each other. */
static double find_gap(const world* w, const soft_strip* p) {
  double least = INFINITY;
  int half = p->cells[0] / 2;
  for (int j = 1; j < p->cells[1]; j++)
    for (int i = 0; i <= half; i++)
      for (int m = half; m < p->cells[0]; m++) {
        bool is_bent = m - i < 4 || (p->is_ring && i + p->cells[0] - m < 4);
        if (is_bent) continue;
        const double* x = inner_node(w, p, i, j);
        const double *a = inner_node(w, p, m, j), *b = inner_node(w, p, m + 1, j);
        double t = (x[0] - a[0]) / (b[0] - a[0]);
        if (t >= 0 && t <= 1) least = fmin(least, x[2] - a[2] - t * (b[2] - a[2]));
      }
  return least;
}

/* What presses the body's two sides on each other: half of all vertical impulses, since nodes of
 * either side press on the other, N s. */
static double find_press(const world* w) {
  int count;
  double sum = 0;
  const carom_contact* contacts = carom_sim_contacts(w->sim, &count);
  for (int i = 0; i < count; i++)
    if (contacts[i].geom1 < 0) sum += 0.5 * fabs(contacts[i].impulse[2]);
  return sum;
}

static carom_soft_def horseshoe_def(void) {
  carom_soft_def def = carom_soft_def_default();
  def.young = 3e4, def.poisson = 0.3, def.alpha = 10, def.beta = 0.005;
  def.position[2] = HORSESHOE.radius + 0.5 * HORSESHOE.thickness;
  return def;
}

/* The world in which a horseshoe lies on its lower arm, on the ground. */
static world lay_horseshoe(bool touches_itself, const carom_sim_def* options) {
  soft_scene s = soft_scene_create(NULL);
  carom_soft_def def = horseshoe_def();
  def.self_contact = touches_itself;
  soft_scene_add_plane(&s);
  soft_scene_add_strip(&s, &HORSESHOE, def);
  return soft_scene_finish(&s, options);
}

/* Steps it to rest.
 * @param residual receives the largest
 * @return the least gap of all steps */
static double settle(world* w, const soft_strip* strip, double* residual) {
  double least = INFINITY, worst = 0;
  for (int i = 0; carom_sim_time(w->sim) < 2; i++) {
    worst = fmax(worst, world_step(w).residual);
    least = fmin(least, find_gap(w, strip));
  }
  for (int i = 0; i < w->sizes.num_v; i++) assert_true(fabs(world_v(w)[i]) < AT_REST);
  *residual = worst;
  return least;
}

/* What comes nearer within a step is linearised at the free motion, which opens contacts by a part
 * of the thickness at the most: what that leaves is of second order, a hundredth here. */

/* The upper arm sags onto the lower one and rests there; without self-contact it goes through. */
static void test_horseshoe(void** state) {
  (void)state;
  carom_sim_def options = world_def(DT, CAROM_IMPLICIT);
  for (int touches = 0; touches < 2; touches++) {
    world w = lay_horseshoe(touches, &options);
    double residual, least = settle(&w, &HORSESHOE, &residual), press = find_press(&w) / DT;
    assert_true(residual <= 1e-6);
    print_message("self-contact %d: gap %g m, pressed by %g N\n", touches, least, press);
    assert_true(touches ? least > -0.01 * HORSESHOE.thickness && press > 1
                        : least < -0.02 && press == 0);
    world_destroy(&w);
  }
}

/* A press squeezes a ring flat: its inner walls meet and bear what bending does not. */
static void test_ring(void** state) {
  (void)state;
  if (check_repeats(100) < 100)
    skip(); /* a minute under sanitizers, where the horseshoe is enough */
  const soft_strip ring = {
      .radius = 0.08, .width = 0.06, .thickness = 0.03, .cells = {24, 2, 1}, .is_ring = true};
  const double slab[3] = {0.2, 0.2, 0.01};
  for (int touches = 0; touches < 2; touches++) {
    carom_sim_def options = world_def(DT, CAROM_IMPLICIT);
    soft_scene s = soft_scene_create(NULL);
    carom_soft_def def = horseshoe_def();
    def.position[2] = ring.radius + 0.5 * ring.thickness;
    def.self_contact = touches;
    soft_scene_add_plane(&s);
    soft_scene_add_strip(&s, &ring, def);
    soft_scene_add_press(&s, slab, 2 * def.position[2] + 0.0101, 2, 50, 0);
    world w = soft_scene_finish(&s, &options);
    double residual, least = settle(&w, &ring, &residual), press = find_press(&w) / DT;
    assert_true(residual <= 1e-6);
    double ground = soft_scene_sum_impulse(&w, 0, -1) / DT;
    print_message("self-contact %d: gap %g m, pressed by %g N\n", touches, least, press);
    double weight = (2 + carom_model_get_soft(w.model, 0).mass) * 9.81;
    check_near(ground, weight, 50 * AT_REST); /* its damping may still bear that */
    assert_true(touches ? least > -0.01 * ring.thickness && press > 1
                        : least < -0.01 && press == 0);
    world_destroy(&w);
  }
}

/* Velocities of arms that approach each other with slip across and along, m/s, at rest q. */
static void clap(const world* w, double height) {
  double* v = calloc((size_t)w->sizes.num_v, sizeof *v);
  assert_non_null(v);
  for (int n = 0; n < w->sizes.num_v / 3; n++) {
    const double* x = world_q(w) + 3 * n;
    double side = x[2] > height ? 1 : -1, along = fmin(x[0], 0);
    v[3 * n] = 0.3 * side, v[3 * n + 1] = -0.2 * side * along, v[3 * n + 2] = 3 * side * along;
  }
  carom_error error;
  check_ok(carom_sim_set_state(w->sim, 0, NULL, v, &error), &error);
  free(v);
}

/* About the centre of mass. */
static v3 own_spin(const cr_soft_sums* s) {
  return v3_sub(s->angular_momentum, v3_scale(1 / s->mass, v3_cross(s->moment, s->momentum)));
}

static void check_vector(v3 actual, v3 expected, double tolerance) {
  for (int k = 0; k < 3; k++) check_near(v3_get(actual, k), v3_get(expected, k), tolerance);
}

/* Arms that clap together in free fall, with friction. Where the step looks at the forces and
 * distances of its start, every impulse acts on both sides at one place, so that it changes neither
 * momentum, to round-off, about the centre of mass. */
static void test_momentum(void** state) {
  (void)state;
  carom_sim_def options = world_def(0.001, CAROM_SYMPLECTIC);
  options.contact = CAROM_CONTACT_SCHEME;
  soft_scene s = soft_scene_create(NULL);
  carom_soft_def def = horseshoe_def();
  def.alpha = def.beta = 0;
  def.stiffness = 1e6, def.dissipation = 0.002, def.friction = 0.5;
  soft_scene_add_strip(&s, &HORSESHOE, def);
  world w = soft_scene_finish(&s, &options);
  clap(&w, def.position[2]);
  cr_soft_sums start = cr_soft_sum_state(w.model, world_q(&w), world_v(&w));
  int touching = 0;
  for (int i = 0; i < 200; i++) {
    carom_step_report report = world_step(&w);
    touching += report.contacts > 0;
    assert_int_equal(report.impact_islands, 0); /* it would be taken by another scheme */
  }
  cr_soft_sums end = cr_soft_sum_state(w.model, world_q(&w), world_v(&w));
  v3 fallen = v3_make(0, 0, start.mass * -9.81 * 0.2);
  assert_true(touching > 50);
  check_vector(end.momentum, v3_add(start.momentum, fallen), 1e-13);
  check_vector(own_spin(&end), own_spin(&start), 1e-14);
  world_destroy(&w);
}

/* Points nearer than the thickness of the skin at rest do not push: a strip whose skin is thicker
 * than its cells lies still, and its arms keep the distance of two skins. */
static void test_skin(void** state) {
  (void)state;
  const double none[3] = {0, 0, 0};
  carom_sim_def options = world_def(DT, CAROM_IMPLICIT);
  for (int k = 0; k < 2; k++) {
    soft_scene s = soft_scene_create(k ? NULL : none);
    carom_soft_def def = horseshoe_def();
    def.radius = k ? 0.005 : 0.02;
    def.position[2] += def.radius;
    if (k) soft_scene_add_plane(&s);
    soft_scene_add_strip(&s, &HORSESHOE, def);
    world w = soft_scene_finish(&s, &options);
    double residual;
    if (k)
      check_near(settle(&w, &HORSESHOE, &residual), 2 * def.radius, 0.01 * HORSESHOE.thickness);
    else
      for (int i = 0; i < 5; i++) assert_int_equal(world_step(&w).contacts, 0);
    world_destroy(&w);
  }
}

/* A warm step takes no memory while the arms meet, and gives the same bits on any number of
 * threads. */
static void test_memory(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_sim_def options = world_def(DT, CAROM_IMPLICIT);
  world one = lay_horseshoe(true, &options);
  options.threads = 4;
  options.allocator = check_memory_hooks(&memory);
  world w = lay_horseshoe(true, &options);
  world_state start = world_save(&w);
  for (int i = 0; i < 2; i++) {
    world_run(&w, 40);
    world_restore(&w, &start);
  }
  int before = memory.num_allocations;
  world_run(&w, 40);
  assert_int_equal(memory.num_allocations, before);
  world_run(&one, 40);
  world_expect_twins(&one, &w);
  free(start.bytes);
  world_destroy(&one);
  world_destroy(&w);
  check_memory_expect_empty(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_horseshoe), cmocka_unit_test(test_ring),
      cmocka_unit_test(test_momentum),  cmocka_unit_test(test_skin),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
