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
#define END                                                                         \
  "<body pos='.01 .01 -.24'><freejoint/><geom type='sphere' size='.03' mass='60'/>" \
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

/* N s of a row; half of that is more than what a link feels. */
#define TAUT 0.6

/* The largest impulse that the next step begins with, N s. */
static double find_load(const carom_sim* sim) {
  double most = 0;
  for (int i = 0; i < sim->memory.count; i++)
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(sim->memory.records[i].impulse[k]));
  return most;
}

/* Compares after some steps by three schemes, where what hangs is taut.
 * @return at how many */
static int expect(const char* text, int steps) {
  int compared = 0;
  for (int i = 0; i < 3; i++) {
    carom_sim_def def = carom_sim_def_default();
    def.scheme = step_schemes[i], def.tolerance = 1e-13, def.sleep_share = 0;
    step_differences d = step_differences_create(text, &def, 0);
    d.keeps_memory = true;
    for (int k = 0; k < steps; k++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
    carom_sim_forget_motion(d.sim);
    bool is_taut = find_load(d.sim) > TAUT;
    if (is_taut && !step_differences_has_kink(&d) && d.found.num_held == 0) {
      step_differences_expect(&d, 1e-5, 1e-7);
      compared++;
    }
    step_differences_destroy(&d);
  }
  return compared;
}

static void test_points(void** state) {
  (void)state;
  assert_int_equal(expect(CHAIN, 20), 3);
  assert_in_range(expect(TREE, 20), 2, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_points)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
