/* Derivatives of steps with tight rows, whose geometric stiffness is a part of A, against
 * differences of steps that begin with the same forces. */
#include "sim/sim.h"
#include "support/step_differences.h"

#include <math.h>

/* A heavy ball below two light links. */
#define START                                                                           \
  "<mujoco><option gravity='-4 1 -9' timestep='0.003'/><default><geom contype='0'"      \
  " conaffinity='0' type='capsule' size='.008' mass='0.04'/></default><worldbody><site" \
  " name='top'/>"
#define END                                                                                     \
  "<body name='ball' pos='.01 .01 -.24'><freejoint/><geom type='sphere' size='.03' mass='60'/>" \
  "<site name='ball'/></body></worldbody>"

/* Each link is free. */
static const char CHAIN[] =
    START "<body><freejoint/><geom fromto='0 0 0 .01 0 -.12'/><site name='a0'/>"
          "<site name='b0' pos='.01 0 -.12'/></body>"
          "<body pos='.01 0 -.12'><freejoint/><geom fromto='0 0 0 0 .01 -.12'/><site name='a1'/>"
          "<site name='b1' pos='0 .01 -.12'/></body>" END
          "<equality><connect site1='top' site2='a0'/><connect site1='b0' site2='a1'/>"
          "<connect site1='b1' site2='ball'/></equality></mujoco>";

/* A tree with joints that move where the force acts against a link. */
static const char TREE[] =
    START "<body><joint axis='.1 1 0'/><joint axis='1 0 .2' pos='0 .01 .01'/>"
          "<geom fromto='0 0 0 .01 0 -.12'/><body pos='.01 0 -.12'>"
          "<joint type='slide' axis='1 .3 .2' stiffness='1e5' damping='100'/>"
          "<joint type='ball' pos='0 .01 0'/><geom fromto='0 0 0 0 .01 -.12'/>"
          "<site name='b1' pos='0 .01 -.12'/></body></body>" END
          "<equality><connect site1='b1' site2='ball'/></equality></mujoco>";

/* By strings of a fixed length between bodies that are free. */
static const char DISTANCES[] = START
    "<body name='upper' pos='.01 .01 -.02'><freejoint/><geom type='sphere' size='.03'/></body>"
    "<body name='lower' pos='.01 .01 -.14'><freejoint/><geom type='sphere' size='.03'/></body>" END
    "<equality>"
    "<carom:distance body1='world' body2='upper' anchor='.01 .01 .1' carom:anchor2='.002 0 .01'"
    " distance='.110018'/>"
    "<carom:distance body1='upper' body2='lower' anchor='0 0 -.01' carom:anchor2='0 .002 .01'"
    " distance='.10002'/>"
    "<carom:distance body1='lower' body2='ball' anchor='.001 0 -.01' carom:anchor2='0 0 0'"
    " distance='.090006'/></equality></mujoco>";

/* By one between links of a tree. */
static const char INNER[] = START
    "<body><joint axis='.1 1 0'/><joint axis='1 0 .2' pos='0 .01 .01'/>"
    "<geom fromto='0 0 0 .01 0 -.12'/><body name='lower' pos='.01 0 -.12'><joint type='ball'/>"
    "<geom fromto='0 0 0 0 .01 -.12'/><body name='inner' pos='0 .01 -.12'>"
    "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
    "<joint type='slide' axis='0 0 1'/><geom type='sphere' size='.03' mass='60'/></body>"
    "</body></body>" END "<equality><carom:distance body1='lower' body2='inner' anchor='0 .01 -.1'"
    " carom:anchor2='0 0 0' distance='.02'/></equality></mujoco>";

/* By a tendon through sites and a pulley. */
static const char TENDON[] = START
    "<site name='above' pos='.01 .01 .1'/><site name='beside' pos='.03 .02 0'/>"
    "<body pos='.01 .01 -.1'><freejoint/><geom type='sphere' size='.03'/>"
    "<site name='a0' pos='.002 0 .01'/><site name='b0' pos='0 .001 -.01'/></body>" END
    "<tendon><spatial limited='true' range='0 .19'><site site='above'/><site site='a0'/>"
    "</spatial><spatial limited='true' range='0 .1601'><site site='b0'/><site site='ball'/>"
    "<pulley divisor='8'/><site site='beside'/><site site='ball'/></spatial></tendon></mujoco>";

/* N s of a row; half of that is more than what a link feels. */
#define TAUT 0.6

/* The largest impulse that the next step begins with, N s. */
static double find_load(const carom_sim* sim) {
  double most = 0;
  for (int i = 0; i < sim->memory.count; i++)
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(sim->memory.records[i].impulse[k]));
  return most;
}

/* Compares after some steps, when what hangs is taut. */
static void expect(const char* text, carom_scheme scheme, int steps) {
  carom_sim_def def = carom_sim_def_default();
  def.scheme = scheme, def.tolerance = 1e-13, def.sleep_share = 0;
  step_differences d = step_differences_create(text, &def, 0);
  d.keeps_memory = true;
  for (int k = 0; k < steps; k++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
  carom_sim_forget_motion(d.sim);
  assert_true(find_load(d.sim) > TAUT);
  step_differences_expect(&d, 1e-5, 1e-7);
  assert_int_equal(d.found.num_kinks, 0);
  assert_int_equal(d.found.num_held, 0);
  step_differences_destroy(&d);
}

static void test_points(void** state) {
  (void)state;
  for (int i = 0; i < 3; i++) expect(CHAIN, step_schemes[i], 20);
  for (int i = 1; i < 3; i++) expect(TREE, step_schemes[i], 20);
}

static void test_strings(void** state) {
  (void)state;
  expect(DISTANCES, CAROM_SYMPLECTIC, 5);
  expect(DISTANCES, CAROM_IMPLICIT, 30);
  expect(INNER, CAROM_MIDPOINT, 45);
  expect(INNER, CAROM_SYMPLECTIC, 35);
  expect(INNER, CAROM_IMPLICIT, 10);
  expect(TENDON, CAROM_SYMPLECTIC, 15);
  expect(TENDON, CAROM_IMPLICIT, 10);
}

/* A tendon around a body leaves it where that is held. */
static void test_wound(void** state) {
  (void)state;
  static const char TEXT[] =
      START "<site name='above' pos='-.2 .01 .1'/>"
            "<geom name='drum' type='cylinder' pos='-.13 .01 -.03' euler='90 0 0' size='.05 .1'/>"
            "<body pos='.01 .01 -.1'><freejoint/><geom type='sphere' size='.03'/>"
            "<site name='a0' pos='0 0 .01'/><site name='b0' pos='0 0 -.01'/></body>" END
            "<tendon><spatial limited='true' range='0 .283'><site site='above'/><geom geom='drum'/>"
            "<site site='a0'/></spatial><spatial limited='true' range='0 .13'><site site='b0'/>"
            "<site site='ball'/></spatial></tendon></mujoco>";
  carom_sim_def def = carom_sim_def_default();
  step_differences d = step_differences_create(TEXT, &def, 0);
  for (int k = 0; k < 50; k++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
  assert_true(find_load(d.sim) > TAUT);
  assert_false(step_differences_has_kink(&d));
  assert_int_equal(d.found.num_held, 1); /* the straight part that is tight */
  step_differences_destroy(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_points), cmocka_unit_test(test_strings),
                                     cmocka_unit_test(test_wound)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
