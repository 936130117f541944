/* Pressure fields: resultants of the points against closed forms, series of two, continuity where a
 * box rolls over its edge, and patches that have no area. Lengths in m, moduli in Pa.
 *
 * On a rigid plane, at the depth d and with the thickness H (half the least width):
 *   box of the face A      p = E depth / H with the least depth of all faces: the prism A d less a
 *                          rim in which the sides are nearer, a frustum: per corner d³/3 more,
 *                          F = E / H (A d - P d² / 2 + 4 d³ / 3)  with the perimeter P = 4 (a + b)
 *                          (∫ min(d, distance to the side) over 2a x 2b)
 *   ball of the radius R   F = 2π E ∫ (1 - ρ/R) ρ dρ from c = R - d to R
 *                            = 2π E (R²/6 - c²/2 + c³ / (3R)) = 2π E (d²/2 - d³ / (3R))
 *   mantle of the length l F = l E ∫ (1 - √(x² + c²) / R) dx, |x| < a = √(R² - c²)
 *                            = l E (2a - a - c²/R asinh(a/c))
 * and a rigid ball in half a space of E per layer L has F = E/L π d² (R - d/3), its volume. */
#include "geom/collide.h"
#include "geom/field.h"
#include "geom/field_surface.h"
#include "support/check.h"

#include <math.h>

#define PI 3.14159265358979323846
#define E  1e6

static const cr_shape plane = {.type = CAROM_GEOM_PLANE};
static const cr_shape ball = {.type = CAROM_GEOM_SPHERE, .size = {0.1}};
static const cr_shape round_ball = {.type = CAROM_GEOM_ELLIPSOID, .size = {0.1, 0.1, 0.1}};
static const cr_shape egg = {.type = CAROM_GEOM_ELLIPSOID, .size = {0.1, 0.08, 0.06}};
static const cr_shape capsule = {.type = CAROM_GEOM_CAPSULE, .size = {0.1, 0.2}};
static const cr_shape cylinder = {.type = CAROM_GEOM_CYLINDER, .size = {0.1, 0.2}};
static const cr_shape box = {.type = CAROM_GEOM_BOX, .size = {0.1, 0.2, 0.05}};
static const double depths[] = {1e-6, 1e-4, 1e-3, 1e-2};
enum { NUM_DEPTHS = sizeof depths / sizeof *depths };

static const pose ground = {{0, 0, 0}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

static pose place(double z, v3 axis, double angle) {
  return (pose){v3_make(0.3, -0.2, z), quat_to_m3(quat_from_axis_angle(axis, angle))};
}

/* Force on B, its moment about the world's origin, and the patches, of which convex bodies have
 * one.
 */
typedef struct result {
  v3 force, moment;
  cr_field_patch patch;
  cr_field_patches all;
} result;

static void add_force(const cr_field_patch* patch, result* r) {
  double shares = 0;
  for (int i = 0; i < patch->count; i++) {
    const cr_field_point* point = &patch->point[i];
    assert_true(point->share > 0 && point->depth >= 0);
    v3 f = v3_scale(patch->stiffness * point->share * point->depth, patch->normal);
    r->force = v3_add(r->force, f);
    r->moment = v3_add(r->moment, v3_cross(point->place, f));
    shares += point->share;
  }
  if (patch->count) check_near(shares, 1, 1e-12);
}

static result press(const cr_field_pair* pair) {
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  result r = {0};
  assert_true(cr_field_find_patches(pair, &arena, &r.all));
  cr_arena_destroy(&arena);
  for (int i = 0; i < r.all.count; i++) add_force(&r.all.patch[i], &r);
  if (r.all.count) r.patch = r.all.patch[0];
  return r;
}

static result touch(cr_field_body a, cr_field_body b) {
  cr_manifold m;
  int deepest = 0, count = cr_geom_collide(a.shape, a.X, b.shape, b.X, 1, &m);
  for (int i = 1; i < count; i++)
    if (m.points[i].distance < m.points[deepest].distance) deepest = i;
  const cr_field_pair pair = {{a, b}, m.normal, m.points[deepest].a, -m.points[deepest].distance};
  return press(&pair);
}

static result touch_plane(const cr_shape* shape, const pose* X) {
  return touch((cr_field_body){&plane, &ground, INFINITY}, (cr_field_body){shape, X, E});
}

static double ball_force(double radius, double d) {
  return 2 * PI * E * d * d * (0.5 - d / (3 * radius));
}

/* What friction takes from a spin about the normal through the middle of the patch, per N. */
static double find_lever(const result* r, v3 middle) {
  double sum = 0;
  for (int i = 0; i < r->patch.count; i++) {
    v3 at = v3_sub(r->patch.point[i].place, middle);
    at = v3_axpy(at, -v3_dot(at, r->patch.normal), r->patch.normal);
    sum += r->patch.stiffness * r->patch.point[i].share * r->patch.point[i].depth * v3_norm(at);
  }
  return sum / v3_norm(r->force);
}

static void check_over(const result* r, v3 at) {
  check_near(r->moment.y / -r->force.z, at.x, 1e-9);
  check_near(r->moment.x / r->force.z, at.y, 1e-9);
  check_near(r->patch.normal.z, 1, 1e-12);
}

/* A ball is exact; a round ellipsoid faceted on the spot, as good at a micrometre as at a
 * centimetre. */
static void test_balls(void** state) {
  (void)state;
  for (int i = 0; i < NUM_DEPTHS; i++) {
    double d = depths[i], a = sqrt(0.01 - (0.1 - d) * (0.1 - d));
    pose X = place(0.1 - d, v3_make(0.6, 0, 0.8), 1.1);
    result r = touch_plane(&ball, &X), same = touch_plane(&round_ball, &X);
    print_message("ball %g m deep: %.5f of the closed form\n", d, r.force.z / ball_force(0.1, d));
    check_near(r.force.z / ball_force(0.1, d), 1, 1e-10);
    check_near(same.force.z / r.force.z, 1, 1.2e-3);
    check_over(&r, X.p);
    check_over(&same, X.p);
    assert_true(r.patch.error < 1e-9);
    check_near(r.patch.area / (PI * a * a), 1, 1e-9);
    check_near(same.patch.area / r.patch.area, 1, 0.01);
    check_near(same.patch.stiffness / r.patch.stiffness, 1, 2e-3 + d / 0.1);
    check_near(find_lever(&same, X.p) / find_lever(&r, X.p), 1, 5e-3);
    /* the mean of r under 1 - r²/a² over a disc is 8/15 a; deep down the profile differs */
    if (d < 2e-3) check_near(find_lever(&r, X.p) / (8.0 / 15 * a), 1, 5e-3);
    if (d < 2e-3) check_near(r.patch.stiffness / (PI * E * a * a / 0.1), 1, 1e-2);
    result soft =
        touch((cr_field_body){&plane, &ground, E / 0.1}, (cr_field_body){&ball, &X, INFINITY});
    check_near(soft.force.z / (E / 0.1 * PI * d * d * (0.1 - d / 3)), 1, 1e-9);
  }
}

/* Two balls, and a ball and a plane: the closed form against the same in facets, soft or rigid,
 * alike or not, with slopes as differences tell. */
static void test_two_balls(void** state) {
  (void)state;
  static const double inf = INFINITY, radii[] = {0.1, 0.03, 0.4};
  const double moduli[][2] = {{E, E}, {E, inf}, {inf, E}, {E, 30 * E}, {1e-3 * E, E}};
  for (int k = 0; k < 5; k++)
    for (int n = 0; n < 4; n++)
      for (double d = 1e-5; d < 0.02; d *= 8) {
        bool flat = n == 3;
        const cr_shape other = {.type = flat ? CAROM_GEOM_PLANE : CAROM_GEOM_SPHERE,
                                .size = {flat ? 0 : radii[n]}};
        const cr_shape round = {.type = flat ? CAROM_GEOM_PLANE : CAROM_GEOM_ELLIPSOID,
                                .size = {other.size[0], other.size[0], other.size[0]}};
        double far = 0.1 + other.size[0], scale = flat ? 10 : 1, force[3];
        result r[3], same = {0};
        for (int i = 0; i < 3; i++) {
          pose X = place(0, v3_make(1, 0, 0), 0), Y = place(far - d, v3_make(1, 0, 0), 0);
          Y.p.z += (i - 1) * 1e-4 * d;
          cr_field_body a = {&other, &X, moduli[k][0] * scale}, b = {&ball, &Y, moduli[k][1]};
          r[i] = touch(a, b), force[i] = r[i].force.z;
          a.shape = &round, b.shape = &round_ball;
          if (i == 1) same = touch(a, b);
        }
        check_near(same.force.z / force[1], 1, 5e-3);
        check_near(r[1].patch.stiffness / ((force[0] - force[2]) / (2e-4 * d)), 1, 1e-6);
        if (d < 2e-5) check_near(same.patch.stiffness / r[1].patch.stiffness, 1, 0.02);
        check_near(same.patch.area / r[1].patch.area, 1, 0.016);
        check_near(find_lever(&same, v3_make(0.3, -0.2, 0)) /
                       find_lever(&r[1], v3_make(0.3, -0.2, 0)),
                   1, 0.013);
        check_near(r[1].patch.point[3].place.z, same.patch.point[3].place.z, 1e-2 * d);
      }
}

static void test_mantles(void** state) {
  (void)state;
  for (int i = 0; i < NUM_DEPTHS; i++) {
    double d = depths[i], c = 0.1 - d, a = sqrt(0.01 - c * c);
    double mantle = 0.4 * E * (a - c * c / 0.1 * asinh(a / c));
    pose X = place(c, v3_make(1, 0, 0), PI / 2);
    result r = touch_plane(&capsule, &X);
    check_near(r.force.z / (mantle + ball_force(0.1, d)), 1, 1e-3);
    check_over(&r, X.p);
    /* of the cylinder the caps are nearer than the mantle in a rim of d at most */
    r = touch_plane(&cylinder, &X);
    check_near(r.force.z / mantle, 1, 1e-4 + 2.1 * d);
    check_over(&r, X.p);
    X = place(0.3 - d, v3_make(0, 0, 1), 0.4);
    r = touch_plane(&capsule, &X);
    check_near(r.force.z / ball_force(0.1, d), 1, 1.2e-3);
  }
}

/* Forces are in proportion to the modulus, however soft or stiff. */
static void test_moduli(void** state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    pose X = place(i ? 0.1 - 1e-3 : 0.05 - 1e-3, v3_make(0, 0, 1), 0.4);
    double first = 0;
    for (double modulus = 1e-3; modulus < 1e16; modulus *= 100) {
      result r = touch((cr_field_body){&plane, &ground, INFINITY},
                       (cr_field_body){i ? &ball : &box, &X, modulus});
      if (first == 0) first = r.force.z / modulus;
      check_near(r.force.z / modulus / first, 1, 1e-12);
    }
  }
}

/* The same as a prism with a rim. */
static double box_force(double a, double b, double thickness, double d) {
  return E / thickness * (4 * a * b * d - 2 * (a + b) * d * d + 4 * d * d * d / 3);
}

static void test_faces(void** state) {
  (void)state;
  for (int i = 0; i < NUM_DEPTHS; i++) {
    double d = depths[i];
    pose X = place(0.05 - d, v3_make(0, 0, 1), 0.4), Y = place(0.2 - d, v3_make(0, 0, 1), 0.3);
    result r = touch_plane(&box, &X);
    check_near(r.force.z / box_force(0.1, 0.2, 0.05, d), 1, 1e-9);
    check_over(&r, X.p);
    assert_true(r.patch.error < 1e-6);
    /* ∫ min(d, R - ρ) over a disc is that over the cylinder's cap: π d (R² - R d + d²/3) */
    r = touch_plane(&cylinder, &Y);
    check_near(r.force.z / (E / 0.1 * PI * d * (0.01 - 0.1 * d + d * d / 3)), 1, 1e-3);
    if (d < 2e-3) check_near(find_lever(&r, Y.p) / (0.2 / 3), 1, 1e-3 + 10 * d);
  }
}

/* Mean of |x - c| under the pressure of a square's face of the half widths a, b, or under 1 - r²/a²
 * or 1 over a disc, by the midpoint rule. */
static double integrate(double a, double b, int kind, const double* c) {
  enum { N = 300 };
  double sum = 0, whole = 0;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) {
      double x = a * ((2 * i + 1.0) / N - 1), y = b * ((2 * k + 1.0) / N - 1);
      double r2 = (x * x + y * y) / (a * a), p = kind == 0   ? 1
                                                 : r2 > 1    ? 0
                                                 : kind == 1 ? 1
                                                             : 1 - r2;
      sum += p * hypot(x - c[0], y - c[1]), whole += p;
    }
  return sum / whole;
}

/* The power that friction takes where the body turns about any point: the support function of the
 * limit surface of force and moment. */
static void test_limit_surface(void** state) {
  (void)state;
  const cr_shape square = {.type = CAROM_GEOM_BOX, .size = {0.1, 0.1, 0.05}};
  const cr_shape coin = {.type = CAROM_GEOM_CYLINDER, .size = {0.1, 0.05}};
  const cr_shape* shapes[] = {&square, &box, &coin, &ball};
  const double d = 1e-5, size[4][2] = {{0.1, 0.1}, {0.1, 0.2}, {0.1, 0.1}, {0, 0}};
  for (int n = 0; n < 4; n++) {
    pose X = place((n == 3 ? 0.1 : 0.05) - d, v3_make(0, 0, 1), 0);
    result r = touch_plane(shapes[n], &X);
    double a = n == 3 ? sqrt(0.01 - (0.1 - d) * (0.1 - d)) : size[n][0];
    double b = n == 3 ? a : size[n][1], worst = 0;
    for (int k = 0; k < 8; k++)
      for (double far = 0.1 * b; far < 10 * b; far *= 1.7) {
        const double c[2] = {far * cos(0.2 + k * PI / 4), far * sin(0.2 + k * PI / 4)};
        double exact = integrate(a, b, n < 2 ? 0 : n - 1, c);
        double found = find_lever(&r, v3_add(X.p, v3_make(c[0], c[1], 0)));
        worst = fmax(worst, fabs(found / exact - 1));
      }
    print_message("limit surface off by %.4f at most\n", worst);
    assert_true(worst < 0.017);
  }
}

/* Two boxes face to face on 0.2 x 0.4: both moduli in series, E1 E2 / (E1 + E2) d / H; the faces'
 * rim, where side faces press on side faces, is left out: it is some d wide. */
static void test_series(void** state) {
  (void)state;
  static const double moduli[] = {1e3, 1e6, 3e8, 1e12};
  const double d = 1e-6;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) {
      pose X = place(0, v3_make(0, 0, 1), 0), Y = place(0.1 - d, v3_make(0, 0, 1), 0);
      result r = touch((cr_field_body){&box, &X, moduli[i]}, (cr_field_body){&box, &Y, moduli[k]});
      double both = moduli[i] * (moduli[k] / (moduli[i] + moduli[k]));
      check_near(r.force.z / (both * d / 0.05 * 0.08), 1, 1e-4);
      double slope = r.force.z / (r.patch.stiffness * d);
      check_near(slope, 1, 1e-4);
    }
}

/* Between two pyramids that face each other pressure and slope are those of springs in series. */
static void test_slopes(void** state) {
  (void)state;
  static const double moduli[] = {1e3, 1e6, 3e8, 1e12};
  const double d = 1e-3;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) {
      pose X = place(0, v3_make(0, 0, 1), 0), Y = place(0.1 - d, v3_make(0, 0, 1), 0);
      const cr_field_pair pair = {{{&box, &X, moduli[i]}, {&box, &Y, moduli[k]}},
                                  v3_make(0, 0, 1),
                                  v3_make(0.3, -0.2, 0.05),
                                  d};
      cr_arena arena;
      cr_arena_init(&arena, NULL);
      cr_field_surface surface;
      assert_true(cr_field_find_surface(&pair, NULL, &arena, &surface));
      const cr_field_triangle* largest = &surface.triangle[0];
      for (int t = 1; t < surface.count; t++)
        if (v3_norm2(surface.triangle[t].area) > v3_norm2(largest->area))
          largest = &surface.triangle[t];
      double both = moduli[i] * (moduli[k] / (moduli[i] + moduli[k]));
      check_near(largest->slope / (both / 0.05), 1, 1e-12);
      for (int n = 0; n < 3; n++) check_near(largest->pressure[n] / (both * d / 0.05), 1, 1e-12);
      cr_arena_destroy(&arena);
    }
}

/* The stiffer a body the nearer it is to a rigid one. */
static void test_rigid_limit(void** state) {
  (void)state;
  pose X = place(0.05 - 1e-3, v3_make(0.8, 0.6, 0), 0.1), Y = place(0, v3_make(0, 0, 1), 0.3);
  const cr_shape* shapes[] = {&box, &egg, &ball, &cylinder};
  for (int i = 0; i < 4; i++) {
    pose at = X;
    at.p.z += i == 2 ? 0.1 : i == 3 ? 0.2 : 0.05;
    result rigid = touch((cr_field_body){&box, &Y, INFINITY}, (cr_field_body){shapes[i], &at, E});
    result stiff = touch((cr_field_body){&box, &Y, 1e9 * E}, (cr_field_body){shapes[i], &at, E});
    assert_true(rigid.patch.count > 0);
    check_near(stiff.force.z / rigid.force.z, 1, 1e-6);
  }
}

/* A mesh of a cube has the pyramids of the box. */
static void test_mesh(void** state) {
  (void)state;
  double x[24];
  for (int i = 0; i < 24; i++) x[i] = (i / 3 >> i % 3 & 1) ? 0.1 : -0.1;
  cr_hull* hull;
  carom_error error;
  const carom_allocator allocator = cr_allocator_resolve(NULL);
  const cr_shape cube = {.type = CAROM_GEOM_BOX, .size = {0.1, 0.1, 0.1}};
  assert_int_equal(cr_hull_create(x, 8, &allocator, &hull, &error), CAROM_OK);
  const cr_shape mesh = {.type = CAROM_GEOM_MESH, .size = {0.1, 0.1, 0.1}, .hull = hull};
  check_near(cr_field_find_thickness(&mesh), 0.1, 1e-15);
  for (int i = 0; i < 8; i++) {
    pose X = place(0.1 * (1 + 0.2 * i) - 1e-3, v3_make(0.8, 0.6, 0), 0.12 * i);
    result a = touch_plane(&cube, &X), b = touch_plane(&mesh, &X);
    if (a.patch.count == 0) assert_int_equal(b.patch.count, 0);
    check_near(v3_norm(v3_sub(a.force, b.force)), 0, 1e-9 * fmax(v3_norm(a.force), 1));
    check_near(v3_norm(v3_sub(a.moment, b.moment)), 0, 1e-9 * fmax(v3_norm(a.moment), 1));
  }
  cr_hull_destroy(hull, &allocator);
}

/* The lowest point of a box that is turned about x. */
static double find_height(const cr_shape* shape, double angle) {
  return shape->size[1] * fabs(sin(angle)) + shape->size[2] * fabs(cos(angle));
}

/* Over an edge, and over two with a face between: whatever is soft, however small a move, no jump;
 * by 1 mm the force changes as the geometry does. */
static void test_rolling(void** state) {
  (void)state;
  const double inf = INFINITY, moduli[3][2] = {{inf, E}, {E / 0.05, inf}, {E / 0.05, E}};
  for (int k = 0; k < 3; k++)
    for (int i = -40; i <= 400; i++) {
      double angle = i * 0.005, force[2];
      v3 moment[2];
      for (int j = 0; j < 2; j++) {
        double by = angle + (j ? 1e-9 : -1e-9);
        pose X = place(find_height(&box, by) - 2e-3, v3_make(1, 0, 0), by);
        result r = touch((cr_field_body){&plane, &ground, moduli[k][0]},
                         (cr_field_body){&box, &X, moduli[k][1]});
        force[j] = v3_norm(r.force), moment[j] = r.moment;
      }
      check_near(force[1] / force[0], 1, 1e-5);
      check_near(v3_norm(v3_sub(moment[1], moment[0])) / force[0], 0, 1e-5);
    }
}

/* A soft box is pushed over the edge of a rigid one in steps of 1 mm: half of it leaves 200 steps
 * after the first, and no step changes the force by more than what it leaves behind. */
static void test_edge(void** state) {
  (void)state;
  double before = 0;
  for (int i = 0; i < 250; i++) {
    pose X = place(0, v3_make(0, 0, 1), 0), Y = place(0.1 - 1e-3, v3_make(0, 0, 1), 0);
    Y.p.y += i * 1e-3;
    result r = touch((cr_field_body){&box, &X, INFINITY}, (cr_field_body){&box, &Y, E});
    double force = v3_norm(r.force);
    if (i) assert_true(fabs(force - before) < 0.0026 * 2 * box_force(0.1, 0.2, 0.05, 1e-3));
    before = force;
  }
}

/* A soft box rolls over the edge of a rigid one, and a rigid one over a soft edge, from the upper
 * face to the side, by 1 mm of its half length a step: there is no jump anywhere, whatever small
 * move about each place, and from one step to the next the force changes as evenly as the overlap
 * does. */
static void test_edge_rolling(void** state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    double before[2] = {0, 0}, most = 0;
    for (int i = 5; i <= 152; i++) {
      double force[2];
      for (int j = 0; j < 2; j++) {
        double angle = i * 0.01 + (j ? 1e-9 : -1e-9), c = cos(angle), s = sin(angle);
        v3 edge = v3_make(0.3, -0.2 + 0.2, 0.05), up = v3_make(0, s, c);
        pose X = place(0, v3_make(0, 0, 1), 0), Y = place(0, v3_make(1, 0, 0), -angle);
        Y.p = v3_axpy(edge, 0.05 - 1e-3, up);
        result r = touch((cr_field_body){&box, &X, k ? E : INFINITY},
                         (cr_field_body){&box, &Y, k ? INFINITY : E});
        force[j] = v3_norm(r.force);
      }
      check_near(force[1] / force[0], 1, 1e-5);
      most = fmax(most, force[0]);
      if (i > 25 && i < 132) check_near(force[0] - 2 * before[0] + before[1], 0, 0.01 * most);
      before[1] = before[0], before[0] = force[0];
    }
  }
}

/* Lines and points of contact give nothing or next to it, never a number that is none. */
static void test_degenerate(void** state) {
  (void)state;
  const cr_shape* shapes[] = {&ball, &egg, &capsule, &cylinder, &box};
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 5; k++)
      for (double d = 1e-18; d < 0.06; d *= 100) {
        pose X = place(0, v3_make(0, 0, 1), 0.1 * i), Y = place(0, v3_make(0, 0.6, 0.8), 0.3 * k);
        v3 a, b, n;
        Y.p = v3_add(Y.p, v3_make(0.4, 0.4, 0.5));
        double gap = cr_geom_compute_distance(shapes[i], &X, shapes[k], &Y, &a, &b, &n);
        Y.p = v3_axpy(Y.p, -gap - d, n);
        result r = touch((cr_field_body){shapes[i], &X, E}, (cr_field_body){shapes[k], &Y, 2 * E});
        assert_true(isfinite(v3_norm(r.force)) && isfinite(v3_norm(r.moment)));
        if (d < 1e-7) assert_true(v3_norm(r.force) < 1e-4);
        if (d > 1e-4) assert_true(r.patch.count > 0 && v3_dot(r.force, n) > 0);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_balls),        cmocka_unit_test(test_two_balls),
      cmocka_unit_test(test_mantles),      cmocka_unit_test(test_moduli),
      cmocka_unit_test(test_faces),        cmocka_unit_test(test_limit_surface),
      cmocka_unit_test(test_series),       cmocka_unit_test(test_slopes),
      cmocka_unit_test(test_rigid_limit),  cmocka_unit_test(test_mesh),
      cmocka_unit_test(test_rolling),      cmocka_unit_test(test_edge),
      cmocka_unit_test(test_edge_rolling), cmocka_unit_test(test_degenerate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
