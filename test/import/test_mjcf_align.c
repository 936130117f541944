/* Free bodies aligned with their principal axes: coordinates as MuJoCo's, the same bodies in space.
 */
#include "support/check.h"

#include "carom/scene.h"

#include <math.h>
#include <string.h>

#define SCENE(all, two)                                                                            \
  "<mujoco><compiler alignfree='" all "'/>\n"                                                      \
  "<asset><mesh name='w' vertex='0 0 0 .3 0 0 0 .2 0 0 0 .1 .3 .1 .05'/></asset>\n"                \
  "<worldbody>\n"                                                                                  \
  "<body name='two' pos='1 0 0' euler='10 20 30'><freejoint name='two' align='" two                \
  "'/><geom name='g1' size='.1' pos='.1 .2 .3'/><geom name='g2' type='box' size='.1 .2 .05' "      \
  "pos='-.1 0 .1' euler='0 30 40'/><site name='s' pos='.5 0 0' euler='0 0 10'/></body>\n"          \
  "<frame pos='0 0 3' euler='0 45 0'><body name='one' pos='0 1 0'><joint type='free'/><geom "      \
  "type='box' size='.1 .2 .05' pos='-.1 0 .1' euler='0 30 40'/></body></frame>\n"                  \
  "<body name='mesh' pos='0 1 0'><freejoint/><geom type='mesh' mesh='w' pos='1 1 1' euler='30 40 " \
  "50'/><site pos='1 1 1'/></body>\n"                                                              \
  "<body name='diag'><freejoint/><inertial mass='2' pos='.1 .2 .3' diaginertia='.1 .2 .25' "       \
  "euler='10 50 20'/><geom name='gd' size='.1'/></body>\n"                                         \
  "<body name='full'><freejoint/><inertial mass='2' pos='.1 .2 .3' fullinertia='.3 .2 .25 .02 "    \
  "-.03 .01'/><geom size='.1'/></body>\n"                                                          \
  "<body name='no' pos='4 4 4'><freejoint align='false'/><geom size='.1' pos='.1 .2 "              \
  ".3'/></body>\n"                                                                                 \
  "<body name='kid' pos='4 4 5'><freejoint/><geom size='.1' pos='.1 .2 .3'/><body name='k'><geom " \
  "size='.1'/></body></body>\n"                                                                    \
  "</worldbody>\n"                                                                                 \
  "</mujoco>\n"

/* mjModel.qpos0 of MuJoCo 4.0.0 for SCENE, printed with nine decimals: a body of two geometries,
 * of one, of one mesh, with principal and with full moments; one that says no, one with a child.
 * Its Jacobi rotations end at 1.4e-6 rad, to which the axes of the first differ. */
static const double QPOS0[7][7] = {
    {0.999970334, 0.012040408, 0.184464705, 0.412783716, 0.713017336, -0.555023907, 0.114735978},
    {0.0, 1.0, 3.141421356, 0.74550828, 0.208208671, 0.572048623, 0.271342823},
    {1.038806045, 2.105310053, 1.070306097, -0.518477861, 0.711946318, 0.127327629, 0.456180691},
    {0.1, 0.2, 0.3, 0.882746466, 0.150897526, 0.400897526, 0.193053845},
    {0.1, 0.2, 0.3, 0.79928218, 0.562201194, 0.202053359, -0.06520931},
    {4.0, 4.0, 4.0, 1.0, 0.0, 0.0, 0.0},
    {4.0, 4.0, 5.0, 1.0, 0.0, 0.0, 0.0}};

static carom_model* load(const char* text) {
  carom_model* model;
  carom_error error;
  carom_load_def def = carom_load_def_default();
  check_ok(carom_model_load_string(text, strlen(text), "scene.xml", &def, &model, &error), &error);
  return model;
}

static void test_coordinates(void** state) {
  (void)state;
  carom_model* model = load(SCENE("true", "auto"));
  const double* q = carom_model_get_reference(model);
  assert_int_equal(carom_model_get_sizes(model).num_q, 49);
  for (int i = 0; i < 7; i++) check_near_array(q + 7 * i, QPOS0[i], 7, 1e-6);
  carom_model_destroy(model);
}

/* One body by its own attribute, and the others not. */
static void test_attribute(void** state) {
  (void)state;
  carom_model* model = load(SCENE("false", "true"));
  const double* q = carom_model_get_reference(model);
  check_near_array(q, QPOS0[0], 7, 1e-6);
  check_near(q[7 + 3], cos(M_PI / 8), 1e-15);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_coordinates),
      cmocka_unit_test(test_attribute),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
