/* The area that the face of a surface has in common with another face: moments, against what the
 * parts of an L sum up to, and their derivatives, against differences. */
#include "geom/area_surface_tangent.h"
#include "geom/surface.h"
#include "support/shapes.h"
#include "support/solid.h"

#include <math.h>
#include <string.h>

enum { NUMBERS = 7 };

/* An L, whose top is at the height 1, under another shape. */
typedef struct pair {
  cr_hull* hull;
  cr_trisurface* surface;
  cr_shape shape[2];
  double place[2][3]; /* of both, along x and y, and their turns about z */
} pair;

static void create(pair* p, const cr_shape* other) {
  cr_mesh mesh = solid_l();
  p->hull = solid_hull(&mesh);
  assert_true(cr_mesh_weld(&mesh));
  p->surface = cr_trisurface_create_mesh(&mesh, v3_zero(), solid_allocator());
  assert_non_null(p->surface);
  cr_mesh_release(&mesh);
  p->shape[0] = (cr_shape){.type = CAROM_GEOM_MESH, .hull = p->hull, .surface = p->surface};
  p->shape[1] = other ? *other : p->shape[0];
  memset(p->place, 0, sizeof p->place);
}

static void destroy(pair* p) {
  cr_hull_destroy(p->hull, solid_allocator());
  cr_trisurface_destroy(p->surface, solid_allocator());
}

/* How both move: along x and y, about z, and by which share the second one stretches. */
typedef struct motion {
  double move[2][3], stretch[2];
} motion;

static pose place(const double* at, double height) {
  quat q = {cos(at[2] / 2), 0, 0, sin(at[2] / 2)};
  return (pose){v3_make(at[0], at[1], height), quat_to_m3(q)};
}

/* Area, center, second moments, mean distance, where both have moved by t. */
static void measure(const pair* p, const motion* m, double t, double y[NUMBERS],
                    cr_area_moments* found, cr_area_flow flow[2]) {
  cr_shape other = p->shape[1];
  double at[2][3];
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 3; i++) at[k][i] = p->place[k][i] + t * m->move[k][i];
  for (int k = 0; k < 2; k++) other.size[k] *= 1 + t * m->stretch[k];
  double top = other.type == CAROM_GEOM_BOX ? other.size[2] : other.surface ? 1 : other.size[1];
  const pose X[2] = {place(at[0], 0), place(at[1], 1 + top)};
  const cr_area_look look = {.shape = {&p->shape[0], &other},
                             .X = {&X[0], &X[1]},
                             .normal = v3_make(0, 0, 1),
                             .t = {v3_make(1, 0, 0), v3_make(0, 1, 0)},
                             .origin = v3_make(0, 0, 1),
                             .low = v3_make(-4, -4, 1),
                             .high = v3_make(4, 4, 1),
                             .reach = 1e-6};
  cr_area_moments own, change, *moments = found ? found : &own;
  assert_true(cr_area_measure_surface(&look, moments));
  if (flow) {
    cr_area_differentiate_surface(&look, moments, flow, &change);
    moments = &change;
  }
  const double all[NUMBERS] = {moments->area,      moments->center[0], moments->center[1],
                               moments->second[0], moments->second[1], moments->second[2],
                               moments->mean};
  memcpy(y, all, sizeof all);
}

/* v of a shape's points at the place x: the center moves and all turns about it and stretches. */
static cr_area_flow find_flow(const pair* p, const motion* m, int k) {
  const double *at = p->place[k], *move = m->move[k];
  double c = cos(at[2]), s = sin(at[2]), turn = move[2];
  bool is_cap = p->shape[k].type == CAROM_GEOM_CYLINDER;
  double u = k ? m->stretch[0] : 0, v = k ? is_cap ? u : m->stretch[1] : 0;
  if (is_cap) turn = 0;
  cr_area_flow f = {.by = {{c * c * u + s * s * v, c * s * (u - v) - turn},
                           {c * s * (u - v) + turn, s * s * u + c * c * v}}};
  for (int i = 0; i < 2; i++) f.at[i] = move[i] - f.by[i][0] * at[0] - f.by[i][1] * at[1];
  return f;
}

#define STEP 1e-5

/* The largest difference to differences of order six. */
static double compare(const pair* p, const motion* m) {
  static const double weight[] = {0, 3.0 / 4, -3.0 / 20, 1.0 / 60};
  cr_area_flow flow[2] = {find_flow(p, m, 0), find_flow(p, m, 1)};
  double found[NUMBERS], y[NUMBERS], sum[NUMBERS] = {0}, most = 0;
  measure(p, m, 0, found, NULL, flow);
  for (int k = 1; k <= 3; k++)
    for (int side = -1; side < 2; side += 2) {
      measure(p, m, side * k * STEP, y, NULL, NULL);
      for (int i = 0; i < NUMBERS; i++) sum[i] += side * weight[k] / STEP * y[i];
    }
  for (int i = 0; i < NUMBERS; i++) most = fmax(most, fabs(found[i] - sum[i]));
  return most;
}

/* Along directions at places of the other shape; no corner passes an edge within the differences.
 */
static void expect(const cr_shape* other) {
  static const double places[][3] = {{0.9, 0.8, 0.3}, {0.7, 0.75, 1.1}, {1.1, 0.7, 2}};
  check_random random = {8};
  pair p;
  create(&p, other);
  for (int n = 0; n < 30; n++) {
    motion m;
    memcpy(p.place[1], places[n % 3], sizeof p.place[1]);
    p.place[0][2] = 0.2 * n;
    double c = cos(0.2 * n), s = sin(0.2 * n), x = places[n % 3][0], y = places[n % 3][1];
    p.place[1][0] = c * x - s * y, p.place[1][1] = s * x + c * y, p.place[1][2] += 0.2 * n;
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < 3; i++) m.move[k][i] = check_random_uniform(&random, -1, 1);
      m.stretch[k] = other ? check_random_uniform(&random, -1, 1) : 0;
    }
    double off = compare(&p, &m);
    if (!(off < 1e-8)) fail_msg("direction %d: off by %g", n, off);
  }
  destroy(&p);
}

static void test_boxes(void** state) {
  (void)state;
  expect(&(cr_shape){.type = CAROM_GEOM_BOX, .size = {0.8, 0.45, 0.2}});
}

static void test_caps(void** state) {
  (void)state;
  expect(&(cr_shape){.type = CAROM_GEOM_CYLINDER, .size = {0.63, 0.2}});
}

static void test_surfaces(void** state) {
  (void)state;
  expect(NULL);
}

/* All of an L: two squares of half width ½ and one beside them; the distance from its center (5/6,
 * 5/6) by its triangles. */
static void test_whole(void** state) {
  (void)state;
  const cr_shape plate = {.type = CAROM_GEOM_BOX, .size = {4, 4, 0.1}};
  const motion none = {{{0}}, {0}};
  double y[NUMBERS],
      corner[2][4][2] = {{{0, 0}, {2, 0}, {2, 1}, {0, 1}}, {{0, 1}, {1, 1}, {1, 2}, {0, 2}}};
  const double center[2] = {5.0 / 6, 5.0 / 6};
  pair p;
  create(&p, &plate);
  measure(&p, &none, 0, y, NULL, NULL);
  double mean = (2 * cr_area_find_mean_distance((const double(*)[2])corner[0], 4, center) +
                 cr_area_find_mean_distance((const double(*)[2])corner[1], 4, center)) /
                3;
  const double exact[NUMBERS] = {3, center[0], center[1], 11.0 / 36, -1.0 / 9, 11.0 / 36, mean};
  for (int i = 0; i < NUMBERS; i++) check_near(y[i], exact[i], 1e-12);
  destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole),
      cmocka_unit_test(test_boxes),
      cmocka_unit_test(test_caps),
      cmocka_unit_test(test_surfaces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
