/* What pictures of soft bodies take: surfaces, normals, means at nodes against closed forms, and
 * colours whose steps look alike. */
#include "support/check.h"

#include "carom/builder.h"
#include "carom/soft.h"

#include <math.h>
#include <stdlib.h>

static carom_error error;

static carom_model* make(carom_soft_shape shape, int cells, bool quadratic) {
  carom_builder* builder;
  carom_model* model;
  carom_soft soft;
  check_ok(carom_builder_create(NULL, &builder, &error), &error);
  carom_soft_def def = carom_soft_def_default();
  def.shape = shape, def.young = 1e5, def.quadratic = quadratic;
  def.size[0] = 0.4, def.size[1] = 0.6, def.size[2] = 0.8;
  if (shape == CAROM_SOFT_BALL) def.size[0] = def.size[1] = def.size[2] = 1;
  for (int k = 0; k < 3; k++) def.cells[k] = cells;
  check_ok(carom_builder_add_soft(builder, &def, &soft, &error), &error);
  check_ok(carom_builder_compile(builder, &model, &error), &error);
  carom_builder_destroy(builder);
  return model;
}

/* Of n³ cells all nodes but (n - 1)³ are on the surface: those with a coordinate at a side. */
static void expect_surface_of_box(bool quadratic) {
  carom_model* model = make(CAROM_SOFT_BOX, 3, quadratic);
  carom_soft_info soft = carom_model_get_soft(model, 0);
  int* nodes = malloc(sizeof *nodes * (size_t)soft.num_nodes);
  int count = carom_soft_list_surface(&soft, nodes), at = 0;
  for (int n = 0; n < soft.num_nodes; n++) {
    const double *x = soft.nodes + 3 * n, half[3] = {0.2, 0.3, 0.4};
    bool is_outside = false;
    for (int k = 0; k < 3; k++) is_outside = is_outside || fabs(x[k]) > half[k] - 1e-9;
    if (!is_outside) continue;
    assert_true(at < count);
    assert_int_equal(nodes[at++], n);
  }
  assert_int_equal(at, count);
  if (!quadratic) assert_int_equal(count, 4 * 4 * 4 - 2 * 2 * 2);
  free(nodes);
  carom_model_destroy(model);
}

static void test_surface(void** state) {
  (void)state;
  expect_surface_of_box(false);
  expect_surface_of_box(true);
}

/* The vertices of a surface at rest, and their normals. */
typedef struct skin {
  carom_model* model;
  carom_soft_info soft;
  int *corners, *nodes, count;
  double* normals;
} skin;

static skin make_skin(carom_soft_shape shape, int cells) {
  skin s = {.model = make(shape, cells, false)};
  s.soft = carom_model_get_soft(s.model, 0);
  size_t corners = 3 * (size_t)s.soft.num_triangles;
  int* work = malloc(sizeof *work * (size_t)s.soft.num_nodes);
  s.corners = malloc(sizeof *s.corners * corners);
  s.nodes = malloc(sizeof *s.nodes * corners);
  s.normals = malloc(sizeof *s.normals * 3 * corners);
  s.count = carom_soft_list_vertices(&s.soft, s.corners, s.nodes, work);
  for (size_t c = 0; c < corners; c++) assert_int_equal(s.nodes[s.corners[c]], s.soft.triangles[c]);
  carom_soft_compute_normals(&s.soft, s.corners, s.count, s.soft.nodes, s.normals);
  free(work);
  return s;
}

static void free_skin(skin* s) {
  free(s->corners), free(s->nodes), free(s->normals);
  carom_model_destroy(s->model);
}

/* Normals of a ball are its radii, the nearer the finer it is; no node has two. */
static double worst_normal_of_ball(int cells) {
  skin s = make_skin(CAROM_SOFT_BALL, cells);
  int* surface = malloc(sizeof *surface * (size_t)s.soft.num_nodes);
  assert_int_equal(s.count, carom_soft_list_surface(&s.soft, surface));
  double worst = 0;
  for (int i = 0; i < s.count; i++) {
    const double *x = s.soft.nodes + 3 * s.nodes[i], *normal = s.normals + 3 * i;
    assert_int_equal(s.nodes[i], surface[i]);
    for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(normal[k] - x[k] / 0.5));
  }
  free(surface);
  free_skin(&s);
  return worst;
}

static void test_normals_of_a_ball(void** state) {
  (void)state;
  double coarse = worst_normal_of_ball(8), fine = worst_normal_of_ball(16);
  assert_true(coarse < 0.2 && fine < 0.6 * coarse);
}

/* A box has three normals at its corners, two at its edges, and all are its faces'. */
static void test_normals_of_a_box(void** state) {
  (void)state;
  const double half[3] = {0.2, 0.3, 0.4};
  skin s = make_skin(CAROM_SOFT_BOX, 3);
  int expected = 0;
  for (int n = 0; n < s.soft.num_nodes; n++)
    for (int k = 0; k < 3; k++) expected += fabs(s.soft.nodes[3 * n + k]) > half[k] - 1e-9;
  assert_int_equal(s.count, expected);
  for (int i = 0; i < s.count; i++)
    for (int k = 0; k < 3; k++) {
      double x = s.soft.nodes[3 * s.nodes[i] + k], normal = s.normals[3 * i + k];
      assert_true(fabs(normal) < 1e-12 || fabs(normal - x / half[k]) < 1e-9);
    }
  free_skin(&s);
}

/* Volumes of the elements add up at all their nodes; means keep constants and stay in bounds. */
static void expect_means(bool quadratic) {
  carom_model* model = make(CAROM_SOFT_BOX, 3, quadratic);
  carom_soft_info soft = carom_model_get_soft(model, 0);
  double *volumes = malloc(sizeof *volumes * (size_t)soft.num_nodes), sum = 0;
  double* values = malloc(sizeof *values * (size_t)soft.num_elements);
  double* means = malloc(sizeof *means * (size_t)soft.num_nodes);
  carom_soft_compute_volumes(&soft, volumes);
  for (int n = 0; n < soft.num_nodes; n++) sum += volumes[n];
  check_near(sum, soft.nodes_per_element * soft.volume, 1e-12 * sum);
  for (int e = 0; e < soft.num_elements; e++) values[e] = 7;
  carom_soft_compute_means(&soft, volumes, values, means);
  for (int n = 0; n < soft.num_nodes; n++) check_near(means[n], 7, 1e-13 * 7);
  /* One element alone: at its nodes its share of the volume, elsewhere nothing. */
  for (int e = 0; e < soft.num_elements; e++) values[e] = e == 4;
  carom_soft_compute_means(&soft, volumes, values, means);
  sum = 0;
  for (int n = 0; n < soft.num_nodes; n++) {
    bool is_own = false;
    for (int k = 0; k < soft.nodes_per_element; k++)
      is_own = is_own || soft.elements[4 * soft.nodes_per_element + k] == n;
    assert_true(is_own ? means[n] > 0 && means[n] <= 1 + 1e-12 : means[n] == 0);
    sum += means[n] * volumes[n] / soft.nodes_per_element;
  }
  double cell = 0.4 * 0.6 * 0.8 / 27; /* an element has a third or a sixth of a cell */
  assert_true(fabs(sum - cell / 3) < 1e-12 || fabs(sum - cell / 6) < 1e-12);
  free(volumes), free(values), free(means);
  carom_model_destroy(model);
}

static void test_means(void** state) {
  (void)state;
  expect_means(false);
  expect_means(true);
}

/* Oklab of sRGB (Ottosson 2020). */
static void get_lab(double part, double lab[3]) {
  static const double CONES[3][3] = {{0.4122214708, 0.5363325363, 0.0514459929},
                                     {0.2119034982, 0.6806995451, 0.1073969566},
                                     {0.0883024619, 0.2817188376, 0.6299787005}};
  static const double OPPONENTS[3][3] = {{0.2104542553, 0.7936177850, -0.0040720468},
                                         {1.9779984951, -2.4285922050, 0.4505937099},
                                         {0.0259040371, 0.7827717662, -0.8086757660}};
  float rgb[3];
  double linear[3], cone[3];
  carom_soft_get_colour(part, rgb);
  for (int k = 0; k < 3; k++) {
    double c = (double)rgb[k];
    linear[k] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
  }
  for (int i = 0; i < 3; i++)
    cone[i] = cbrt(CONES[i][0] * linear[0] + CONES[i][1] * linear[1] + CONES[i][2] * linear[2]);
  for (int i = 0; i < 3; i++)
    lab[i] = OPPONENTS[i][0] * cone[0] + OPPONENTS[i][1] * cone[1] + OPPONENTS[i][2] * cone[2];
}

/* Steps of a sixteenth are as long as each other, but for the rounding of the table to 8 bits
 * (half a step of 255 in three channels, at most 0.004 in Oklab), and each is lighter. */
static void test_colours_are_even(void** state) {
  (void)state;
  double before[3], total = 0, lengths[16];
  get_lab(0, before);
  for (int i = 1; i <= 16; i++) {
    double lab[3];
    get_lab(i / 16.0, lab);
    assert_true(lab[0] > before[0] + 0.02);
    lengths[i - 1] =
        sqrt(pow(lab[0] - before[0], 2) + pow(lab[1] - before[1], 2) + pow(lab[2] - before[2], 2));
    total += lengths[i - 1];
    for (int k = 0; k < 3; k++) before[k] = lab[k];
  }
  for (int i = 0; i < 16; i++) check_near(lengths[i], total / 16, 0.004);
}

static void test_colours_outside(void** state) {
  (void)state;
  float low[3], high[3], rgb[3];
  carom_soft_get_colour(0, low);
  carom_soft_get_colour(1, high);
  carom_soft_get_colour(-INFINITY, rgb);
  assert_memory_equal(rgb, low, sizeof rgb);
  const double tops[] = {1.5, INFINITY, NAN};
  for (int i = 0; i < 3; i++) {
    carom_soft_get_colour(tops[i], rgb);
    assert_memory_equal(rgb, high, sizeof rgb);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_surface),          cmocka_unit_test(test_normals_of_a_ball),
      cmocka_unit_test(test_normals_of_a_box), cmocka_unit_test(test_means),
      cmocka_unit_test(test_colours_are_even), cmocka_unit_test(test_colours_outside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
