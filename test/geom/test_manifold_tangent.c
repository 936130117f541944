/* Derivatives of manifolds: against extrapolated central differences of the narrow phase wherever
 * the parts in contact stay the same, against closed forms, and where the parts change. */
#include "geom/manifold_tangent.h"
#include "geom/point.h"
#include "geom/surface.h"
#include "geom/triangle.h"
#include "support/shapes.h"
#include "support/solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Bodies ------------------------------------------------------------------------------------
 */

/* Types of shapes, and a mesh that is not convex. */
enum { FIELD = CAROM_GEOM_HEIGHT_FIELD, SOLID, NUM_KINDS };

typedef struct bodies {
  cr_hull *hull, *solid_hull;
  cr_trisurface *field, *solid;
} bodies;

static cr_hull* make_hull(check_random* random) {
  enum { COUNT = 30 };
  double points[3 * COUNT];
  carom_error error;
  cr_hull* hull;
  solid_points_on_sphere(random, COUNT, points);
  for (int i = 0; i < COUNT; i++) points[3 * i] *= 0.8, points[3 * i + 1] *= 0.6;
  check_ok(cr_hull_create(points, COUNT, solid_allocator(), &hull, &error), &error);
  return hull;
}

static bodies make_bodies(check_random* random) {
  enum { COLUMNS = 15, ROWS = 12 };
  double height[COLUMNS * ROWS], half[2] = {7, 5.5};
  cr_mesh l = solid_l();
  bodies all = {.hull = make_hull(random), .solid_hull = solid_hull(&l)};
  for (int i = 0; i < COLUMNS * ROWS; i++) height[i] = check_random_uniform(random, -0.3, 0.3);
  all.field = cr_trisurface_create_grid(height, COLUMNS, ROWS, half, 1, solid_allocator());
  all.solid = cr_trisurface_create_mesh(&l, v3_zero(), solid_allocator());
  cr_mesh_release(&l);
  assert_non_null(all.field);
  assert_non_null(all.solid);
  return all;
}

static void destroy_bodies(bodies* all) {
  cr_hull_destroy(all->hull, solid_allocator());
  cr_hull_destroy(all->solid_hull, solid_allocator());
  cr_trisurface_destroy(all->field, solid_allocator());
  cr_trisurface_destroy(all->solid, solid_allocator());
}

static cr_shape make_shape(check_random* random, int kind, const bodies* all) {
  if (kind == CAROM_GEOM_MESH) return (cr_shape){.type = CAROM_GEOM_MESH, .hull = all->hull};
  if (kind == FIELD) return (cr_shape){.type = CAROM_GEOM_HEIGHT_FIELD, .surface = all->field};
  if (kind == SOLID)
    return (cr_shape){.type = CAROM_GEOM_MESH, .hull = all->solid_hull, .surface = all->solid};
  return check_random_shape(random, (carom_geom_type)kind, 0.3, 1);
}

/* A pair, and how differences are taken of it. */
typedef struct pair_case {
  check_body body[2];
  double margin;
  double step;      /* the first one */
  double noise;     /* of the narrow phase's normals over the last step */
  bool is_polished; /* nearest points are sought to the last digit */
} pair_case;

static cr_collide_query query_of(const pair_case* c) {
  return (cr_collide_query){&c->body[0].shape, &c->body[1].shape, &c->body[0].X,
                            &c->body[1].X,     c->margin,         NULL};
}

static bool is_round(int kind) {
  return kind == CAROM_GEOM_CYLINDER || kind == CAROM_GEOM_ELLIPSOID;
}

/* Whether the search for the normal ends before the last digits, when the overlap can shrink by no
 * more than 1e-10 or 1e-12 of the thickness: the normal is then known to the root of that. */
static bool is_rough(int a, int b) {
  if (a > b) return is_rough(b, a);
  if (a == CAROM_GEOM_PLANE || (a == CAROM_GEOM_SPHERE && b < CAROM_GEOM_MESH)) return false;
  return b >= CAROM_GEOM_ELLIPSOID && (is_round(a) || is_round(b));
}

enum { LEVELS = 4 }; /* of differences */

/* B is moved along the normal until the distance is about what is wanted. */
static void make_case(check_random* random, const int kind[2], const bodies* all, pair_case* c) {
  *c = (pair_case){.margin = 0.2, .step = 4e-4};
  for (int s = 0; s < 2; s++) {
    c->body[s].shape = make_shape(random, kind[s], all);
    c->body[s].X = (pose){check_random_direction(random), check_random_rotation(random)};
  }
  for (int s = 0; s < 2; s++) { /* over the field, not beside it */
    if (kind[s] != FIELD) continue;
    v3 at = v3_make(check_random_uniform(random, -4, 4), check_random_uniform(random, -4, 4), 1);
    c->body[1 - s].X.p = pose_point(&c->body[s].X, at);
  }
  bool is_surface = kind[0] >= FIELD || kind[1] >= FIELD, rough = is_rough(kind[0], kind[1]);
  double wanted = check_random_uniform(random, -0.15, 0.15);
  if (rough) wanted += copysign(0.01, wanted); /* a short vector's direction is known less well */
  for (int i = 0; i < (is_surface ? 3 : 1); i++) {
    v3 a, b, n;
    double distance = cr_geom_compute_distance(&c->body[0].shape, &c->body[0].X, &c->body[1].shape,
                                               &c->body[1].X, &a, &b, &n);
    if (isnan(distance)) return;
    c->body[1].X.p = v3_axpy(c->body[1].X.p, wanted - distance, n);
  }
  c->is_polished = rough && !is_surface && wanted > 0;
  if (rough && !c->is_polished) {
    c->step = is_surface ? 1e-2 : 2e-3;
    c->noise = (is_surface ? 5e-5 : 4e-6) / (c->step / (1 << (LEVELS - 1)));
  }
}

/* --- Differences -------------------------------------------------------------------------------
 */

/* Numbers of a manifold: the normal, and a, b and the distance of each point. */
enum { MAX_NUMBERS = 3 + 7 * CR_MANIFOLD_MAX };

static void list_numbers(const cr_manifold* m, double* at) {
  v3_store(m->normal, at);
  for (int i = 0; i < m->count; i++) {
    v3_store(m->points[i].a, at + 3 + 7 * i);
    v3_store(m->points[i].b, at + 6 + 7 * i);
    at[9 + 7 * i] = m->points[i].distance;
  }
}

static void list_column(const cr_manifold_tangent* t, int side, int j, double* at) {
  v3_store(t->normal[side][j], at);
  for (int i = 0; i < t->count; i++) {
    v3_store(t->points[i].a[side][j], at + 3 + 7 * i);
    v3_store(t->points[i].b[side][j], at + 6 + 7 * i);
    at[9 + 7 * i] = t->points[i].distance[side][j];
  }
}

static pose displace(const pose* X, int j, double h) {
  pose moved = *X;
  v3 axis = v3_set(v3_zero(), j % 3, 1);
  m3 turn = quat_to_m3(quat_from_axis_angle(axis, h));
  if (j >= 3)
    moved.p = v3_axpy(X->p, h, axis);
  else
    moved.R = m3_mul(&turn, &X->R);
  return moved;
}

/* The nearest point of a hull to a point outside, both in its frame. */
static v3 project_on_hull(const cr_hull* hull, v3 x) {
  v3 best = v3_zero();
  double least = INFINITY, weight[3];
  for (int f = 0; f < hull->num_faces; f++) {
    const int *vertex = hull->face_vertex + hull->face_start[f],
              *end = hull->face_vertex + hull->face_start[f + 1];
    for (int i = 2; vertex + i < end; i++) {
      v3 corner[3] = {cr_hull_vertex(hull, vertex[0]), cr_hull_vertex(hull, vertex[i - 1]),
                      cr_hull_vertex(hull, vertex[i])};
      v3 at = cr_triangle_find_nearest(corner, x, weight);
      double distance = v3_norm2(v3_sub(x, at));
      if (distance < least) least = distance, best = at;
    }
  }
  return best;
}

static v3 project(const check_body* body, v3 x) {
  v3 gradient;
  if (body->shape.type == CAROM_GEOM_MESH)
    return pose_point(&body->X, project_on_hull(body->shape.hull, pose_inverse_point(&body->X, x)));
  double d = cr_point_distance(&body->shape, pose_inverse_point(&body->X, x), &gradient);
  return v3_axpy(x, -d, m3_mulv(&body->X.R, gradient));
}

/* Nearest points of shapes that are apart, by projecting back and forth: what the narrow phase
 * would find of ellipsoids if its search went on to the last digit. */
static void polish(const pair_case* c, const pose X[2], cr_manifold* m) {
  cr_manifold_point* point = &m->points[0];
  check_body body[2] = {c->body[0], c->body[1]};
  for (int s = 0; s < 2; s++) body[s].X = X[s];
  double moved = 1;
  for (int i = 0; i < 5000 && moved > 1e-16; i++) {
    v3 a = project(&body[0], point->b), b = project(&body[1], a);
    moved = v3_norm(v3_sub(a, point->a)) + v3_norm(v3_sub(b, point->b));
    point->a = a;
    point->b = b;
  }
  v3 between = v3_sub(point->b, point->a);
  point->distance = v3_norm(between);
  m->normal = v3_scale(1 / point->distance, between);
}

/* Whether two manifolds have the same points: by their codes, and by places, since points of one
 * code need not be of one part. Codes of surfaces depend on the triangle. */
static bool is_same(const pair_case* c, const cr_manifold* m, const cr_manifold* base, double h) {
  bool has_codes = !c->body[0].shape.surface && !c->body[1].shape.surface;
  if (m->count != base->count || v3_dot(m->normal, base->normal) < 0.9) return false;
  for (int i = 0; i < m->count; i++) {
    double moved = v3_norm(v3_sub(m->points[i].a, base->points[i].a));
    if (has_codes && m->points[i].feature != base->points[i].feature) return false;
    if (moved > 300 * fabs(h)) return false;
  }
  return true;
}

/* The numbers of the pair where one of its shapes is displaced. */
static bool collide_displaced(const pair_case* c, const cr_manifold* base, const int column[2],
                              double h, double* at) {
  pose X[2] = {c->body[0].X, c->body[1].X};
  cr_manifold m;
  X[column[0]] = displace(&X[column[0]], column[1], h);
  cr_geom_collide(&c->body[0].shape, &X[0], &c->body[1].shape, &X[1], c->margin, &m);
  if (!is_same(c, &m, base, h)) return false;
  if (c->is_polished) polish(c, X, &m);
  list_numbers(&m, at);
  return true;
}

/* Central differences with steps h, h/2, ..., extrapolated to none (Richardson); what the last
 * extrapolation changed is their error. False where the points change. */
static bool differentiate(const pair_case* c, const cr_manifold* base, const int column[2],
                          double* value, double* error) {
  double table[LEVELS][MAX_NUMBERS], more[MAX_NUMBERS], less[MAX_NUMBERS], h = c->step;
  int n = 3 + 7 * base->count;
  for (int l = 0; l < LEVELS; l++, h /= 2) {
    if (!collide_displaced(c, base, column, h, more)) return false;
    if (!collide_displaced(c, base, column, -h, less)) return false;
    for (int i = 0; i < n; i++) table[l][i] = (more[i] - less[i]) / (2 * h);
  }
  for (int i = 0; i < n; i++) {
    double before = 0;
    for (int k = 1; k < LEVELS; k++) {
      before = table[LEVELS - 1][i];
      for (int l = LEVELS - 1; l >= k; l--)
        table[l][i] += (table[l][i] - table[l - 1][i]) / (pow(4, k) - 1);
    }
    value[i] = table[LEVELS - 1][i];
    error[i] = fabs(value[i] - before);
  }
  return true;
}

/* --- All pairs ---------------------------------------------------------------------------------
 */

/* What became of the cases of a pair of kinds. */
typedef struct tally {
  int cases, refused, kinked, changed, vague, compared;
  double worst; /* difference, of those that noise does not limit */
} tally;

static double find_kink(const cr_manifold_tangent* t) {
  double kink = t->kink;
  for (int i = 0; i < t->count; i++) kink = fmin(kink, t->points[i].kink);
  return kink;
}

/* The largest difference of a column in terms of its largest number (at least 1), and the largest
 * error of the differences. */
static void compare_column(const double* column, const double* value, const double* error,
                           int count, double worst[2]) {
  double scale = 1;
  for (int i = 0; i < count; i++) scale = fmax(scale, fabs(column[i]));
  for (int i = 0; i < count; i++) {
    worst[0] = fmax(worst[0], fabs(value[i] - column[i]) / scale);
    worst[1] = fmax(worst[1], error[i] / scale);
  }
}

/* Differences that are known to 1e-8 are compared, and agree to 1e-7: or to what is known of the
 * normal. */
static void compare_case(const pair_case* c, tally* t) {
  cr_manifold base;
  cr_manifold_tangent tangent;
  cr_collide_query query = query_of(c);
  double value[MAX_NUMBERS], error[MAX_NUMBERS], column[MAX_NUMBERS] = {0}, worst[2] = {0};
  if (!cr_geom_collide_pair(&query, &base) || (c->is_polished && base.count > 1)) return;
  cr_manifold_compute_tangent(&query, &base, &tangent);
  t->cases++;
  t->refused += tangent.obstacle != NULL;
  if (tangent.obstacle) return;
  bool is_kinked = find_kink(&tangent) < 5 * c->step;
  t->kinked += is_kinked;
  for (int i = 0; i < 12 && !is_kinked; i++) {
    int at[2] = {i / 6, i % 6};
    if (!differentiate(c, &base, at, value, error)) {
      t->changed++;
      return;
    }
    list_column(&tangent, at[0], at[1], column);
    compare_column(column, value, error, 3 + 7 * base.count, worst);
  }
  bool is_vague = worst[1] > 1e-8 + c->noise;
  t->vague += is_vague;
  if (is_kinked || is_vague) return;
  t->compared++;
  if (c->noise == 0) t->worst = fmax(t->worst, worst[0]);
  check_near(worst[0], 0, 1e-7 + c->noise);
}

static bool have_contacts(int a, int b) {
  bool has_plane = a == CAROM_GEOM_PLANE || b == CAROM_GEOM_PLANE;
  bool has_field = a == FIELD || b == FIELD;
  return !(has_plane && has_field) && !(a == b && (has_plane || has_field));
}

/* Convex pairs are never refused. Of surfaces some points of prisms' edges are. */
static void check_pair(check_random* random, const int kind[2], const bodies* all, int num_cases) {
  tally t = {0};
  for (int i = 0; i < num_cases; i++) {
    pair_case c;
    make_case(random, kind, all, &c);
    compare_case(&c, &t);
  }
  bool is_surface = kind[0] >= FIELD || kind[1] >= FIELD;
  print_message("%d %d: %d refused, %d at kinks, %d changed, %d vague, %d compared, %.1e apart\n",
                kind[0], kind[1], t.refused, t.kinked, t.changed, t.vague, t.compared, t.worst);
  if (!is_surface) assert_int_equal(t.refused, 0);
  assert_true(t.compared >= (is_surface ? 0.25 : 0.5) * t.cases);
}

static void test_pairs(void** state) {
  (void)state;
  check_random random = {3535};
  int num_cases = check_repeats(40);
  bodies all = make_bodies(&random);
  for (int a = 0; a < NUM_KINDS; a++)
    for (int b = 0; b < NUM_KINDS; b++)
      if (have_contacts(a, b)) check_pair(&random, (int[2]){a, b}, &all, num_cases);
  destroy_bodies(&all);
}

/* --- Closed forms ------------------------------------------------------------------------------
 */

static check_body make_body(carom_geom_type type, v3 size, v3 place) {
  check_body body = {.shape = {.type = type}, .X = {place, m3_identity()}};
  v3_store(size, body.shape.size);
  return body;
}

static pair_case pair_of(check_body a, check_body b, double margin) {
  return (pair_case){.body = {a, b}, .margin = margin, .step = 4e-4};
}

static void compute(const pair_case* c, cr_manifold* m, cr_manifold_tangent* t) {
  cr_collide_query query = query_of(c);
  assert_true(cr_geom_collide_pair(&query, m) > 0);
  cr_manifold_compute_tangent(&query, m, t);
}

static void check_near_v3(v3 actual, v3 expected, double tolerance) {
  check_near(v3_norm(v3_sub(actual, expected)), 0, tolerance);
}

/* dn = (I - n n^T) dp / L with L between the centres, da = r dn, dd = n.dp. */
static void test_spheres(void** state) {
  (void)state;
  check_random random = {1};
  for (int i = 0; i < check_repeats(1000); i++) {
    double ra = check_random_uniform(&random, 0.1, 1), rb = check_random_uniform(&random, 0.1, 1);
    double between = (ra + rb) * check_random_uniform(&random, 0.5, 1.2);
    v3 place = v3_scale(between, check_random_direction(&random));
    pair_case c = pair_of(make_body(CAROM_GEOM_SPHERE, v3_make(ra, 0, 0), v3_zero()),
                          make_body(CAROM_GEOM_SPHERE, v3_make(rb, 0, 0), place), 1);
    cr_manifold m;
    cr_manifold_tangent t;
    compute(&c, &m, &t);
    assert_null(t.obstacle);
    for (int j = 0; j < 3; j++) {
      v3 dp = v3_set(v3_zero(), j, 1), n = m.normal;
      v3 dn = v3_scale(1 / between, v3_axpy(dp, -v3_dot(n, dp), n));
      check_near_v3(t.normal[1][3 + j], dn, 1e-13 / between);
      check_near_v3(t.normal[0][3 + j], v3_neg(dn), 1e-13 / between);
      check_near_v3(t.normal[1][j], v3_zero(), 1e-13);
      check_near_v3(t.points[0].a[1][3 + j], v3_scale(ra, dn), 1e-12);
      check_near_v3(t.points[0].b[1][3 + j], v3_axpy(dp, -rb, dn), 1e-12);
      check_near(t.points[0].distance[1][3 + j], v3_get(n, j), 1e-13);
      check_near(t.points[0].distance[1][j], 0, 1e-13);
    }
  }
}

/* A sphere that rolls on a plane: its point stays under the centre whichever way it turns; where
 * the plane turns about y by t the point goes along with the normal. */
static void test_sphere_on_plane(void** state) {
  (void)state;
  pair_case c = pair_of(make_body(CAROM_GEOM_PLANE, v3_zero(), v3_zero()),
                        make_body(CAROM_GEOM_SPHERE, v3_make(0.5, 0, 0), v3_make(2, 0, 0.4)), 1);
  cr_manifold m;
  cr_manifold_tangent t;
  compute(&c, &m, &t);
  assert_null(t.obstacle);
  for (int j = 0; j < 3; j++) check_near_v3(t.points[0].b[1][j], v3_zero(), 0);
  check_near_v3(t.normal[0][1], v3_make(1, 0, 0), 1e-15);
  check_near_v3(t.points[0].b[0][1], v3_make(-0.5, 0, 0), 1e-15);
  check_near_v3(t.points[0].a[0][1], v3_make(-0.4, 0, -2), 1e-15); /* below the centre, turned */
  check_near(t.points[0].distance[0][1], 2, 1e-15);
  assert_true(isinf(t.kink));
}

/* --- Order -------------------------------------------------------------------------------------
 */

/* What (B, A) has is that of (A, B) with the roles changed. */
static void test_order(void** state) {
  (void)state;
  check_random random = {2};
  bodies all = make_bodies(&random);
  for (int i = 0; i < check_repeats(2000); i++) {
    int kind[2] = {check_random_int(&random, 0, SOLID), check_random_int(&random, 0, SOLID)};
    pair_case c;
    cr_manifold m, mirrored;
    cr_manifold_tangent t, other;
    if (!have_contacts(kind[0], kind[1])) continue;
    make_case(&random, kind, &all, &c);
    cr_collide_query query = query_of(&c);
    if (!cr_geom_collide_pair(&query, &m)) continue;
    mirrored = m;
    cr_manifold_mirror(&mirrored);
    cr_manifold_compute_tangent(&query, &m, &t);
    query = (cr_collide_query){query.b, query.a, query.Xb, query.Xa, query.margin, NULL};
    cr_manifold_compute_tangent(&query, &mirrored, &other);
    assert_int_equal(!t.obstacle, !other.obstacle);
    for (int j = 0; j < 12 && !t.obstacle && find_kink(&t) > 1e-3; j++) {
      int s = j / 6, k = j % 6;
      double scale = (is_rough(kind[0], kind[1]) ? 1e-6 : 1e-10) * (1 + v3_norm(t.normal[s][k]));
      check_near_v3(t.normal[s][k], v3_neg(other.normal[1 - s][k]), scale);
      for (int p = 0; p < t.count; p++)
        check_near_v3(t.points[p].a[s][k], other.points[p].b[1 - s][k], 10 * scale);
    }
  }
  destroy_bodies(&all);
}

/* --- At rest, and at kinks ---------------------------------------------------------------------
 */

/* A box flush on a plane or a larger box: the normal is the lower face's whichever way they tilt,
 * and nothing is near. */
static void test_box_at_rest(void** state) {
  (void)state;
  check_body box = make_body(CAROM_GEOM_BOX, v3_make(0.3, 0.2, 0.1), v3_make(0.1, 0.2, 0.099));
  check_body ground[2] = {
      make_body(CAROM_GEOM_PLANE, v3_zero(), v3_zero()),
      make_body(CAROM_GEOM_BOX, v3_make(2, 2, 0.5), v3_make(0, 0, -0.5)),
  };
  for (int i = 0; i < 2; i++) {
    tally t = {0};
    pair_case c = pair_of(ground[i], box, 0.01);
    compare_case(&c, &t);
    assert_int_equal(t.compared, 1);
    c = pair_of(box, ground[i], 0.01);
    compare_case(&c, &t);
    assert_int_equal(t.compared, 2);
  }
}

/* One-sided derivatives along a column differ. */
static bool has_sides(const pair_case* c, const int column[2]) {
  double before[MAX_NUMBERS] = {0}, after[MAX_NUMBERS] = {0}, at[MAX_NUMBERS] = {0};
  double h = 1e-6, most = 0;
  cr_manifold base;
  cr_collide_query query = query_of(c);
  cr_geom_collide_pair(&query, &base);
  list_numbers(&base, at);
  if (!collide_displaced(c, &base, column, h, after)) return true;
  if (!collide_displaced(c, &base, column, -h, before)) return true;
  for (int i = 0; i < 3 + 7 * base.count; i++)
    most = fmax(most, fabs(after[i] + before[i] - 2 * at[i]) / h);
  return most > 1e-3;
}

/* What lies on a line or in balance is at a kink: a capsule or cylinder on its side, a cylinder on
 * its cap, equal boxes on each other, a sphere over an edge's end. */
static void test_kinks(void** state) {
  (void)state;
  const double root = 0.70710678118654752440;
  m3 lying = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
  check_body plane = make_body(CAROM_GEOM_PLANE, v3_zero(), v3_zero());
  check_body box = make_body(CAROM_GEOM_BOX, v3_make(1, 1, 1), v3_make(0, 0, -1));
  check_body capsule = make_body(CAROM_GEOM_CAPSULE, v3_make(0.2, 0.5, 0), v3_make(0, 0, 0.2));
  check_body cylinder = make_body(CAROM_GEOM_CYLINDER, v3_make(0.2, 0.5, 0), v3_make(0, 0, 0.5));
  check_body equal = make_body(CAROM_GEOM_BOX, v3_make(1, 1, 1), v3_make(0, 0, 1));
  check_body sphere =
      make_body(CAROM_GEOM_SPHERE, v3_make(0.2, 0, 0), v3_make(1 + 0.2 * root, 1, 0.2 * root));
  capsule.X.R = lying;
  pair_case cases[] = {pair_of(plane, capsule, 0.01), pair_of(plane, cylinder, 0.01),
                       pair_of(box, equal, 0.01), pair_of(box, sphere, 0.01)};
  for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
    cr_manifold m;
    cr_manifold_tangent t;
    bool is_sided = false;
    compute(&cases[i], &m, &t);
    assert_null(t.obstacle);
    check_near(find_kink(&t), 0, 1e-9);
    for (int j = 0; j < 12; j++) is_sided |= has_sides(&cases[i], (int[2]){j / 6, j % 6});
    assert_true(is_sided);
  }
}

/* Of two like boxes edge over edge both ends are nearest. One glides along the other: the normal
 * keeps to z along the edges and turns by 1 / distance across them. */
static void test_parallel_edges(void** state) {
  (void)state;
  const double root = 0.70710678118654752440;
  m3 turned = {{{root, 0, root}, {0, 1, 0}, {-root, 0, root}}};
  check_body low = make_body(CAROM_GEOM_BOX, v3_make(1, 1, 1), v3_zero());
  check_body high = make_body(CAROM_GEOM_BOX, v3_make(1, 1, 1), v3_make(0, 0, 4 * root + 0.01));
  low.X.R = high.X.R = turned;
  pair_case c = pair_of(low, high, 1);
  cr_manifold m;
  cr_manifold_tangent t;
  compute(&c, &m, &t);
  assert_null(t.obstacle);
  check_near(t.kink, 0, 1e-9);
  check_near_v3(t.normal[1][3], v3_make(100, 0, 0), 1e-9);
  check_near_v3(t.normal[1][4], v3_zero(), 1e-9);
  check_near_v3(t.normal[1][5], v3_zero(), 1e-9);
}

/* A capsule along another one, some of it beside the other: all distances have one derivative, and
 * where one end or the other becomes the nearest the normal has the mean of both. */
static void test_parallel_capsules(void** state) {
  (void)state;
  const double h = 1e-6;
  check_body low = make_body(CAROM_GEOM_CAPSULE, v3_make(0.2, 0.5, 0), v3_zero());
  check_body high = make_body(CAROM_GEOM_CAPSULE, v3_make(0.2, 0.5, 0), v3_make(0.39, 0, 0.3));
  pair_case c = pair_of(low, high, 1);
  cr_manifold m, moved[2];
  cr_manifold_tangent t;
  compute(&c, &m, &t);
  assert_null(t.obstacle);
  assert_int_equal(m.count, 2);
  check_near(find_kink(&t), 0, 1e-9);
  for (int j = 0; j < 6; j++) {
    for (int i = 0; i < 2; i++) {
      pose X = displace(&high.X, j, i ? -h : h);
      cr_geom_collide(&low.shape, &low.X, &high.shape, &X, 1, &moved[i]);
      double before = m.points[0].distance + m.points[1].distance;
      double after = moved[i].points[0].distance + moved[i].points[1].distance;
      double expected = t.points[0].distance[1][j] + t.points[1].distance[1][j];
      check_near((after - before) / (i ? -h : h), expected, 1e-5);
    }
    v3 mean = v3_scale(0.5 / h, v3_sub(moved[0].normal, moved[1].normal));
    if (j != 0) check_near_v3(t.normal[1][j], mean, 1e-5); /* 0: where they cross is what counts */
  }
}

/* Where nearest points are not unique there is no derivative, and a clause that says so. */
static void test_obstacles(void** state) {
  (void)state;
  check_body sphere = make_body(CAROM_GEOM_SPHERE, v3_make(0.2, 0, 0), v3_zero());
  check_body capsule = make_body(CAROM_GEOM_CAPSULE, v3_make(0.2, 0.5, 0), v3_zero());
  pair_case cases[2] = {pair_of(sphere, sphere, 1), pair_of(sphere, capsule, 1)};
  for (int i = 0; i < 2; i++) {
    cr_manifold m;
    cr_manifold_tangent t;
    compute(&cases[i], &m, &t);
    assert_non_null(t.obstacle);
    assert_non_null(strstr(t.obstacle, "unique"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pairs),           cmocka_unit_test(test_spheres),
      cmocka_unit_test(test_sphere_on_plane), cmocka_unit_test(test_order),
      cmocka_unit_test(test_box_at_rest),     cmocka_unit_test(test_kinks),
      cmocka_unit_test(test_parallel_edges),  cmocka_unit_test(test_parallel_capsules),
      cmocka_unit_test(test_obstacles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
