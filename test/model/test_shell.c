/* Geometries whose mass is on their surface: masses and moments of MuJoCo. */
#include "support/scene.h"

#include <stdio.h>

/* body_mass and body_inertia of MuJoCo 4.0.0 for <geom shellinertia="true" density="30"/>, nine
 * digits. It takes an ellipsoid's moments as the difference of two solids 1e-6 m apart, we its
 * limit. */
static void test_masses(void** state) {
  (void)state;
  static const struct {
    const char* geom;
    double mass, inertia[3], tolerance;
  } ROWS[] = {
      {"type='sphere' size='.1'", 3.76991118, {0.0251327412, 0.0251327412, 0.0251327412}, 1e-9},
      {"type='capsule' size='.1 .2'", 11.3097336, {0.389557489, 0.389557489, 0.100530965}, 1e-9},
      {"type='cylinder' size='.1 .2'", 9.42477796, {0.218340689, 0.218340689, 0.0848230016}, 1e-9},
      {"type='box' size='.1 .2 .3'", 26.4, {1.624, 1.264, 0.728}, 1e-12},
      {"type='ellipsoid' size='.1 .2 .3'", 14.69158, {0.542255246, 0.422050997, 0.243080428}, 1e-5},
      {"type='box' size='.1 .2 .3' mass='2'", 2, {0.123030303, 0.0957575758, 0.0551515152}, 1e-9},
  };
  for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><body><freejoint/><geom shellinertia='true' density='30' "
             "pos='.1 .2 .3' %s/></body></worldbody></mujoco>",
             ROWS[i].geom);
    carom_model* model = scene_load(text);
    carom_body_info b = carom_model_get_body(model, 1);
    const double com[3] = {.1, .2, .3};
    check_near(b.mass, ROWS[i].mass, 5e-9 * b.mass); /* nine digits */
    check_near_array(b.com, com, 3, 1e-15);
    check_near_array(b.inertia, ROWS[i].inertia, 3, ROWS[i].tolerance);
    carom_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_masses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
