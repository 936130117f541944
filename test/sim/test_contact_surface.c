/* Areas of contacts as triangles: as large as the face, at the pressure m g / A, without holes. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define G 9.81

/* A body of 2 kg at rest on a plane. */
static simulation rest(const char* geom, double height, carom_patches patches) {
  char text[600];
  snprintf(text, sizeof text,
           "<mujoco xmlns:carom='c'><option gravity='0 0 -9.81'/><worldbody><geom type='plane' "
           "size='9 9 1'/><body pos='.3 -.2 %.9g'><freejoint/><geom mass='2' %s/></body>"
           "</worldbody></mujoco>",
           height, geom);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 1e-3);
  def.patches = patches, def.sleep_share = 0;
  simulation s = simulation_create(text, &def);
  for (int i = 0; i < 300; i++) simulation_step(&s);
  return s;
}

typedef struct total {
  int count;
  double area, force; /* m², N */
  double far;         /* m: the farthest corner from the body's axis */
} total;

static total sum(const simulation* s) {
  int count;
  const carom_contact* contacts = carom_sim_contacts(s->sim, &count);
  carom_pressure_triangle* t = calloc(2 * (size_t)count + 1, sizeof *t);
  total sum = {.count = carom_contacts_list_pressure(contacts, count, 1e-3, t)};
  assert_true(sum.count <= 2 * count);
  for (int i = 0; i < sum.count; i++) {
    const double(*x)[3] = t[i].position;
    double area =
        ((x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[1][1] - x[0][1]) * (x[2][0] - x[0][0])) / 2;
    assert_true(area > 0);
    sum.area += area;
    sum.force += area * (t[i].pressure[0] + t[i].pressure[1] + t[i].pressure[2]) / 3;
    for (int k = 0; k < 3; k++) {
      assert_true(t[i].contact[k] >= 0 && t[i].contact[k] < count);
      sum.far = fmax(sum.far, hypot(x[k][0] - s->q[0], x[k][1] - s->q[1]));
    }
  }
  free(t);
  return sum;
}

static void check_total(const char* geom, double height, carom_patches patches, double area,
                        double tolerance) {
  simulation s = rest(geom, height, patches);
  total t = sum(&s);
  print_message("%s: %d triangles, area %.6f of the face, force %.6f of the weight\n", geom,
                t.count, t.area / area, t.force / (2 * G));
  check_near(t.area / area, 1, tolerance);
  check_near(t.force / (2 * G), 1, 2 * tolerance);
  simulation_destroy(&s);
}

static void test_areas(void** state) {
  (void)state;
  check_total("type='box' size='.1 .1 .05'", 0.05, CAROM_PATCHES_AREA, 0.04, 1e-6);
  check_total("type='box' size='.2 .1 .05'", 0.05, CAROM_PATCHES_AREA, 0.08, 1e-6);
  check_total("type='cylinder' size='.1 .05'", 0.05, CAROM_PATCHES_AREA, M_PI * 0.01, 1e-6);
  simulation s = rest("type='box' size='.1 .1 .05'", 0.05, CAROM_PATCHES_AREA);
  check_near(sum(&s).far, 0.1 * sqrt(2), 1e-6);
  simulation_destroy(&s);
}

/* What the points of a pressure field span is made as large as its patch. */
static void test_fields(void** state) {
  (void)state;
  check_total("type='box' size='.1 .1 .05' carom:modulus='1e6'", 0.05, CAROM_PATCHES_CORNERS, 0.04,
              2e-3);
  check_total("type='cylinder' size='.1 .05' carom:modulus='1e6'", 0.05, CAROM_PATCHES_CORNERS,
              M_PI * 0.01, 0.01);
}

/* Corners stand for no area. */
static void test_none(void** state) {
  (void)state;
  simulation s = rest("type='box' size='.1 .1 .05'", 0.05, CAROM_PATCHES_CORNERS);
  assert_int_equal(sum(&s).count, 0);
  assert_int_equal(carom_contacts_list_pressure(NULL, 0, 1, NULL), 0);
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_areas),
      cmocka_unit_test(test_fields),
      cmocka_unit_test(test_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
