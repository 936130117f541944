/* Anchored friction: a stuck contact is a spring of k_t = 0.82 k along the surface with the
 * dissipation time of the normal, and Coulomb's law holds for what slips beyond it.
 *
 * At rest a body is in balance with its contacts to the solver's tolerance, so that displacements
 * are load / k_t to that tolerance. A stuck block on two slides is a linear oscillator that the
 * contact takes by the implicit Euler rule, whatever the scheme: its factor of a step is known. */
#include "support/limit_surface.h"
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G       9.81
#define MASS    2.0
#define K       1e5
#define K_T     (0.82 * K)
#define MU      0.6
#define DT      2e-3
#define LOAD    (MASS * G)
#define REACH   (MU * LOAD / K_T) /* m, displacement at which the block slides */
#define BALANCE (2 * 1e-6)        /* the solver's tolerance, twice, as in test_sink.c */

/* A block that cannot turn, on a plane, at its height of rest; gravity tilted by an angle. */
static simulation start_block(double angle, double dissipation, const carom_sim_def* def) {
  char text[1024];
  double weight = LOAD * cos(angle);
  snprintf(text, sizeof text,
           "<mujoco><option gravity='%.17g 0 %.17g'/><worldbody>"
           "<geom type='plane' size='9 9 1' friction='%g'/><body name='block' pos='0 0 0.03'>"
           "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
           "<joint type='slide' axis='0 0 1'/><geom type='box' size='0.06 0.05 0.03' mass='%g' "
           "friction='%g' carom:stiffness='%g' carom:dissipation='%g'/></body></worldbody>"
           "<keyframe><key qpos='0 0 %.17g'/></keyframe></mujoco>",
           G * sin(angle), -G * cos(angle), MU, MASS, MU, K, dissipation, -weight / K);
  return simulation_create(text, def);
}

static carom_sim_def make_def(void) {
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, DT);
  def.friction = CAROM_FRICTION_ANCHORED;
  return def;
}

static void pull(const simulation* s, double force) {
  const double f[3] = {force, 0, 0}, zero[3] = {0};
  carom_error error;
  check_ok(carom_sim_set_wrench(s->sim, simulation_find_body(s, "block"), f, zero, &error), &error);
}

/* Steps in which the pull grows or falls evenly. */
static void pull_slowly(simulation* s, double from, double to, int steps) {
  for (int i = 1; i <= steps; i++) {
    pull(s, from + (to - from) * i / steps);
    simulation_step(s);
  }
}

static void run_steps(simulation* s, int steps) {
  for (int i = 0; i < steps; i++) simulation_step(s);
}

static int count_contacts(const simulation* s, carom_contact_state state) {
  int count, found = 0;
  const carom_contact* contacts = carom_sim_contacts(s->sim, &count);
  for (int i = 0; i < count; i++) found += contacts[i].state == state;
  return found;
}

/* --- Stuck --------------------------------------------------------------------------------------
 */

/* On a slope the block gives way by m g sin a / k_t, with any scheme and timing, and stays there.
 */
static void check_slope(const carom_sim_def* def) {
  double angle = 0.4, shift = LOAD * sin(angle) / K_T;
  simulation s = start_block(angle, 0.01, def);
  simulation_run_until(&s, 1);
  double start = s.q[0];
  check_near(start, shift, BALANCE * shift);
  for (int i = 2; i <= 10; i++) {
    simulation_run_until(&s, i);
    check_near(s.q[0], start, 1e-12);
    assert_int_equal(count_contacts(&s, CAROM_STICKING), 8);
  }
  double normal = LOAD * cos(angle) / K;
  check_near(carom_sim_compute_energy(s.sim).elastic,
             0.5 * K * normal * normal + 0.5 * K_T * shift * shift, 4 * BALANCE * LOAD * LOAD / K);
  simulation_destroy(&s);
}

static void test_slope(void** state) {
  (void)state;
  for (int i = 0; i < NUM_SCHEMES; i++)
    for (int timing = 0; timing < 2; timing++) {
      carom_sim_def def = make_def();
      def.scheme = SCHEMES[i].scheme;
      def.contact = (carom_contact_timing)timing;
      check_slope(&def);
    }
}

/* A free box turns a little as its load moves downhill, and then creeps nowhere either. */
static void test_no_creep(void** state) {
  (void)state;
  carom_sim_def def = make_def();
  simulation s = simulation_create(
      "<mujoco><worldbody><frame euler='0 20 0'><geom type='plane' size='9 9 1' friction='0.6'/>"
      "<body pos='0 0 0.03'><freejoint/><geom type='box' size='0.06 0.05 0.03' mass='2' "
      "friction='0.6' carom:stiffness='1e5'/></body></frame></worldbody></mujoco>",
      &def);
  simulation_run_until(&s, 1);
  double start[7];
  memcpy(start, s.q, sizeof start);
  for (int i = 2; i <= 10; i++) {
    simulation_run_until(&s, i);
    check_near_array(s.q, start, 7, 1e-12);
    assert_true(s.report.stick_slip <= 1e-12);
  }
  simulation_destroy(&s);
}

/* Pulled short of sliding it gives way by F / k_t; let go, it comes back to where it was. */
static void test_elastic_return(void** state) {
  (void)state;
  carom_sim_def def = make_def();
  simulation s = start_block(0, 0.01, &def);
  double force = 0.5 * MU * LOAD;
  pull(&s, force);
  simulation_run_until(&s, 1);
  check_near(s.q[0], force / K_T, BALANCE * force / K_T);
  pull(&s, 0);
  simulation_run_until(&s, 2);
  check_near(s.q[0], 0, BALANCE * force / K_T);
  simulation_destroy(&s);
}

/* Without damping the block swings at w = sqrt(k_t / m). A step of the implicit rule multiplies
 * v - i w u by 1 / (1 - i w dt): v is v0 (1 + w² dt²)^(-n/2) cos(n atan(w dt)), and the frequency
 * is low by w² dt²/3. */
static void check_oscillator(double dt, carom_scheme scheme) {
  carom_sim_def def = make_def();
  def.scheme = scheme;
  def.dt = dt;
  simulation s = start_block(0, 0, &def);
  double w = sqrt(K_T / MASS), a = w * dt, v0 = 0.4 * w * REACH;
  const double v[3] = {v0, 0, 0};
  simulation_set(&s, NULL, v);
  for (int n = 1; n <= 200; n++) {
    simulation_step(&s);
    check_near(s.v[0], v0 * pow(1 + a * a, -0.5 * n) * cos(n * atan(a)), BALANCE * v0);
  }
  check_near(atan(a) / dt, w, w * a * a / 3);
  simulation_destroy(&s);
}

static void test_oscillator(void** state) {
  (void)state;
  for (double dt = 2e-3; dt > 1e-4; dt *= 0.5) {
    check_oscillator(dt, CAROM_MIDPOINT);
    check_oscillator(dt, CAROM_IMPLICIT);
  }
}

/* --- Slip ---------------------------------------------------------------------------------------
 */

/* It sticks up to mu m g and slides beyond with (F - mu m g) / m, stretched by mu m g / k_t. */
static void test_stick_slip(void** state) {
  (void)state;
  carom_sim_def def = make_def();
  simulation s = start_block(0, 0.01, &def);
  double bound = MU * LOAD;
  pull_slowly(&s, 0, 0.99 * bound, 500);
  run_steps(&s, 500);
  check_near(s.q[0], 0.99 * REACH, BALANCE * REACH);
  assert_int_equal(count_contacts(&s, CAROM_STICKING), 8);
  pull_slowly(&s, 0.99 * bound, 1.2 * bound, 50);
  run_steps(&s, 200);
  double v0 = s.v[0];
  run_steps(&s, 100);
  assert_int_equal(count_contacts(&s, CAROM_SLIDING), 8);
  check_near((s.v[0] - v0) / (100 * DT), 0.2 * MU * G, 4 * BALANCE * MU * G);
  int count;
  const carom_contact* contacts = carom_sim_contacts(s.sim, &count);
  for (int i = 0; i < count; i++) {
    check_near(-contacts[i].impulse[0], MU * contacts[i].impulse[2], 1e-6 * MU * LOAD * DT);
    check_near(contacts[i].slip, s.v[0], 1e-4 * s.v[0]);
  }
  double energy = 0.5 * LOAD * LOAD / K + 0.5 * bound * REACH;
  check_near(carom_sim_compute_energy(s.sim).elastic, energy, 4 * BALANCE * energy);
  simulation_destroy(&s);
}

/* A block that is thrown slides, stops, swings back by what the contact is stretched. All its
 * energy is dissipated, no step gives any. With stiffer tangents it stops where Coulomb's law
 * stops it: twice the stretch apart at most, and what a step's sampling of the stop gives. */
static double throw_block(double ratio, carom_friction friction) {
  carom_sim_def def = make_def();
  def.friction = friction;
  def.tangent_ratio = ratio;
  simulation s = start_block(0, 0.01, &def);
  const double v[3] = {1, 0, 0};
  simulation_set(&s, NULL, v);
  double start = simulation_compute_energy(&s), dissipated = 0, elastic = 0.5 * LOAD * LOAD / K;
  for (int i = 0; i < 500; i++) {
    simulation_step(&s);
    assert_true(s.report.dissipated >= -BALANCE * start);
    dissipated += s.report.dissipated;
  }
  check_near(simulation_compute_energy(&s) + dissipated, start, 1e-12 * start);
  check_near(carom_sim_compute_energy(s.sim).elastic, elastic, 1e-4 * elastic);
  check_near(s.v[0], 0, 1e-6);
  double x = s.q[0];
  simulation_destroy(&s);
  return x;
}

static void test_stiffer(void** state) {
  (void)state;
  double exact = throw_block(1, CAROM_FRICTION_COULOMB);
  for (double ratio = 0.82; ratio < 1e6; ratio *= 10)
    check_near(throw_block(ratio, CAROM_FRICTION_ANCHORED), exact,
               2 * MU * LOAD / (ratio * K) + 0.5 * MU * G * DT * DT);
  check_near(throw_block(INFINITY, CAROM_FRICTION_ANCHORED), exact, 0);
}

/* --- Frames -------------------------------------------------------------------------------------
 */

/* Speed that a ball gains in a second on a slope. */
static double roll(carom_friction friction) {
  carom_sim_def def = make_def();
  def.friction = friction;
  simulation s = simulation_create(
      "<mujoco><option gravity='1 0 -9.81'/><worldbody>"
      "<geom type='plane' size='9 9 1' friction='0.6'/><body pos='0 0 0.05'><freejoint/>"
      "<geom size='0.05' mass='2' friction='0.6' carom:stiffness='1e5' carom:dissipation='0.01'/>"
      "</body></worldbody></mujoco>",
      &def);
  simulation_run_until(&s, 1);
  double v0 = s.v[0];
  for (int i = 0; i < 500; i++) {
    simulation_step(&s);
    assert_true(s.report.stick_slip <= 1e-6);
  }
  double gained = s.v[0] - v0;
  simulation_destroy(&s);
  return gained;
}

/* A ball that rolls carries its displacement along and gains what it gains without: 5/7 g sin a of
 * a ball that sinks by s = m g / k, which makes 1 / (1 + 2/5 (1 - s / r)^-2) of the 5/7. */
static void test_rolling(void** state) {
  (void)state;
  double stiff = roll(CAROM_FRICTION_COULOMB), anchored = roll(CAROM_FRICTION_ANCHORED);
  double lever = 1 - LOAD / K / 0.05;
  check_near(anchored, stiff, BALANCE);
  check_near(anchored, 1 / (1 + 0.4 / (lever * lever)), G * DT * DT / 0.05);
}

/* A block on a turntable that is so heavy that its speed stays. */
static simulation start_turntable(double w, double dt, carom_friction friction,
                                  carom_patches patches) {
  carom_sim_def def = make_def();
  def.dt = dt;
  def.friction = friction, def.patches = patches;
  simulation s = simulation_create(
      "<mujoco><worldbody><body name='table'><joint name='table' axis='0 0 1'/>"
      "<geom type='cylinder' size='1 0.1' mass='1e9' friction='0.6'/></body>"
      "<body pos='0.5 0 0.128038'><freejoint name='block'/><geom type='box' size='0.06 0.05 0.03' "
      "mass='2' friction='0.6' carom:stiffness='1e4' carom:dissipation='0.02'/></body>"
      "</worldbody></mujoco>",
      &def);
  int v = simulation_find_v(&s, "block");
  double velocities[7] = {0};
  velocities[simulation_find_v(&s, "table")] = w;
  velocities[v + 1] = 0.5 * w, velocities[v + 5] = w;
  simulation_set(&s, NULL, velocities);
  return s;
}

static double compute_radius(const simulation* s) {
  const double* x = s->q + simulation_find_q(s, "block");
  return hypot(x[0], x[1]);
}

/* The displacement turns with the table, through more than a revolution: m w² r / k_t outwards of
 * where the block would be without. A step sees the table's angle to w dt; and as velocities of the
 * end of a step carry through half of it, whatever turns moves outwards by w² dt/2 of its radius a
 * second, the block in both cases, and what it is stretched by twice as fast. */
static void check_turntable(carom_patches patches) {
  const double w = 2, dt = 5e-4;
  simulation stiff = start_turntable(w, dt, CAROM_FRICTION_COULOMB, patches);
  simulation anchored = start_turntable(w, dt, CAROM_FRICTION_ANCHORED, patches);
  for (int i = 2; i <= 4; i++) {
    simulation_run_until(&stiff, i);
    simulation_run_until(&anchored, i);
    double r = compute_radius(&anchored), shift = MASS * w * w * r / (0.82 * 1e4);
    check_near(r - compute_radius(&stiff), shift, (w * dt + 0.5 * w * w * dt * i) * shift);
    assert_true(anchored.report.stick_slip <= 1e-12);
  }
  simulation_destroy(&stiff);
  simulation_destroy(&anchored);
}

static void test_turntable(void** state) {
  (void)state;
  check_turntable(CAROM_PATCHES_CORNERS);
  check_turntable(CAROM_PATCHES_AREA);
}

/* --- A patch that changes ------------------------------------------------------------------------
 */

/* What a patch on a plane is made of. */
typedef struct ground {
  const char* name;
  const char* of_box;
  carom_patches patches;
} ground;

static const ground grounds[] = {
    {"corners", "carom:stiffness='1e5'", CAROM_PATCHES_CORNERS},
    {"area", "carom:stiffness='1e5'", CAROM_PATCHES_AREA},
    {"pressure", "carom:modulus='2.5e5'", CAROM_PATCHES_CORNERS},
};
enum { NUM_GROUNDS = sizeof grounds / sizeof *grounds };

static simulation start_free(const ground* on, double dt) {
  char text[1024];
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
  def.friction = CAROM_FRICTION_ANCHORED, def.patches = on->patches, def.sleep_share = 0;
  def.tolerance = 1e-10;
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='plane' size='9 9 1' friction='0.6'/><body name='block' "
           "pos='0 0 0.03'><freejoint/><geom type='box' size='0.05 0.05 0.03' mass='2' "
           "friction='0.6' %s/></body></worldbody></mujoco>",
           on->of_box);
  return simulation_create(text, &def);
}

static double find_yaw(const simulation* s) { return 2 * atan2(s->q[6], s->q[3]); }

static void load(const simulation* s, const double* force, const double* torque) {
  carom_error error;
  int body = simulation_find_body(s, "block");
  check_ok(carom_sim_set_wrench(s->sim, body, force, torque, &error), &error);
}

/* A twisted and pulled box is rocked to and fro: the pressure and its points move, shares change.
 * It settles within a few turns and stays. */
static void test_rocking(void** state) {
  (void)state;
  for (int k = 0; k < NUM_GROUNDS; k++) {
    simulation s = start_free(&grounds[k], DT);
    double yaw = 0, at[2] = {0, 0};
    for (int turn = 0; turn < 12; turn++) {
      for (int i = 0; i < 500; i++) {
        double rock = turn ? 0.15 * LOAD * 0.05 * sin(2 * M_PI * i / 500) : 0;
        const double force[3] = {0.1 * MU * LOAD, 0, 0};
        const double torque[3] = {0.8 * rock, 0.6 * rock, 0.2 * MU * LOAD * 0.03};
        load(&s, force, torque);
        simulation_step(&s);
      }
      if (turn == 5) yaw = find_yaw(&s), at[0] = s.q[0], at[1] = s.q[1];
    }
    print_message("%s: turned by %.7f rad, %.2g of it in six turns\n", grounds[k].name,
                  find_yaw(&s), find_yaw(&s) / yaw - 1);
    check_near(find_yaw(&s) / yaw, 1, 1e-5);
    check_near(hypot(s.q[0] - at[0], s.q[1] - at[1]), 0, 1e-4 * hypot(at[0], at[1]));
    simulation_destroy(&s);
  }
}

/* The corners of a twisted box go on as an area, whose other points are new: they have the turn of
 * the corners, so that the box rests where it would had it been an area from the start. */
static void test_new_points(void** state) {
  (void)state;
  double yaw[2];
  for (int k = 0; k < 2; k++) {
    simulation s = start_free(&grounds[1 - k], DT), other = start_free(&grounds[1], DT);
    const double zero[3] = {0}, torque[3] = {0, 0, 0.2 * MU * LOAD * 0.03};
    carom_error error;
    load(&s, zero, torque);
    run_steps(&s, 1000);
    size_t size = carom_sim_state_size(s.sim);
    void* saved = malloc(size);
    carom_sim_save(s.sim, saved);
    check_ok(carom_sim_restore(other.sim, saved, size, &error), &error);
    load(&other, zero, torque);
    run_steps(&other, 1000);
    yaw[k] = find_yaw(&other);
    free(saved);
    simulation_destroy(&s), simulation_destroy(&other);
  }
  print_message("turned by %.9f rad, %.9f from the start\n", yaw[1], yaw[0]);
  check_near(yaw[1] / yaw[0], 1, 1e-5);
}

/* Pull and twist together grow to a share of what uniform pressure bears; whether it slips then. */
static bool slips(const ground* on, double d, double share) {
  double F, M;
  limit_surface_of_square(0.05, d, &F, &M);
  simulation s = start_free(on, DT);
  for (int i = 0; i < 1500; i++) {
    double part = share * MU * LOAD * fmin(i / 1000.0, 1);
    const double force[3] = {part * F, 0, 0}, torque[3] = {0, -part * F * 0.03, part * M};
    load(&s, force, torque);
    simulation_step(&s);
  }
  bool is_off = hypot(s.v[0], 0.05 * s.v[5]) > 1e-2;
  simulation_destroy(&s);
  return is_off;
}

/* What sticks begins to slip at the limit surface: the torque about y takes the force down to the
 * plane, so that the pressure stays even. */
static void test_limit_surface(void** state) {
  (void)state;
  for (int k = 1; k < NUM_GROUNDS; k++)
    for (double d = 0.002; d < 0.2; d *= 2.5) {
      double margin = k == 1 ? 0.03 : 0.02;
      print_message("%s, about a point %g m away\n", grounds[k].name, d);
      assert_false(slips(&grounds[k], d, 1 - margin));
      assert_true(slips(&grounds[k], d, 1 + margin));
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slope),          cmocka_unit_test(test_rocking),
      cmocka_unit_test(test_new_points),

      cmocka_unit_test(test_limit_surface),  cmocka_unit_test(test_no_creep),
      cmocka_unit_test(test_elastic_return), cmocka_unit_test(test_oscillator),
      cmocka_unit_test(test_stick_slip),     cmocka_unit_test(test_stiffer),
      cmocka_unit_test(test_rolling),        cmocka_unit_test(test_turntable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
