/* Derivatives of manifolds: against extrapolated central differences of the narrow phase wherever
 * the parts in contact stay the same, and against closed forms. */
#include "geom/manifold_tangent.h"
#include "geom/point.h"
#include "geom/surface.h"
#include "geom/triangle.h"
#include "support/shapes.h"
#include "support/solid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = 4 };

/* Numbers of a manifold: the normal, and a, b and the distance of each point. */
enum { MAX_NUMBERS = 3 + 7 * CR_MANIFOLD_MAX };

static int list_numbers(const cr_manifold* m, double* at) {
  int n = 0;
  v3_store(m->normal, at), n = 3;
  for (int i = 0; i < m->count; i++, n += 7) {
    v3_store(m->points[i].a, at + n);
    v3_store(m->points[i].b, at + n + 3);
    at[n + 6] = m->points[i].distance;
  }
  return n;
}

static void list_column(const cr_manifold_tangent* t, int side, int j, double* at) {
  int n = 3;
  v3_store(t->normal[side][j], at);
  for (int i = 0; i < t->count; i++, n += 7) {
    v3_store(t->points[i].a[side][j], at + n);
    v3_store(t->points[i].b[side][j], at + n + 3);
    at[n + 6] = t->points[i].distance[side][j];
  }
}

static pose displace(const pose* X, int j, double h) {
  pose moved = *X;
  if (j >= 3) {
    moved.p = v3_axpy(X->p, h, v3_set(v3_zero(), j - 3, 1));
    return moved;
  }
  m3 turn = quat_to_m3(quat_from_axis_angle(v3_set(v3_zero(), j, 1), h));
  moved.R = m3_mul(&turn, &X->R);
  return moved;
}

typedef struct pair_case {
  check_body body[2];
  double margin;
  double step;      /* of differences, the first one */
  bool is_polished; /* nearest points are sought to the last digit */
} pair_case;

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

static bool collide_displaced(const pair_case* c, const cr_manifold* base, int side, int j,
                              double h, double* at) {
  pose X[2] = {c->body[0].X, c->body[1].X};
  cr_manifold m;
  X[side] = displace(&X[side], j, h);
  cr_geom_collide(&c->body[0].shape, &X[0], &c->body[1].shape, &X[1], c->margin, &m);
  if (getenv("CHANGED") && (m.count != base->count || v3_dot(m.normal, base->normal) < 0.9))
    printf("   count %d not %d, n %g d %g %g\n", m.count, base->count,
           v3_dot(m.normal, base->normal), m.points[0].distance, base->points[0].distance);
  if (m.count != base->count || v3_dot(m.normal, base->normal) < 0.9) return false;
  for (int i = 0; i < m.count; i++)
    if (getenv("CHANGED") && ((!(c->body[0].shape.surface || c->body[1].shape.surface) &&
                               m.points[i].feature != base->points[i].feature) ||
                              v3_norm(v3_sub(m.points[i].a, base->points[i].a)) > 300 * fabs(h)))
      printf("   point %d of %d: %x not %x; %g %g h %g\n", i, m.count, m.points[i].feature,
             base->points[i].feature, m.points[i].distance,
             v3_norm(v3_sub(m.points[i].a, base->points[i].a)), h);
  for (int i = 0; i < m.count; i++)
    if ((!(c->body[0].shape.surface || c->body[1].shape.surface) &&
         m.points[i].feature != base->points[i].feature) ||
        v3_norm(v3_sub(m.points[i].a, base->points[i].a)) > 300 * fabs(h))
      return false; /* another part, or one of the same name */
  if (c->is_polished) polish(c, X, &m);
  list_numbers(&m, at);
  return true;
}

/* Central differences with steps h, h/2, ..., extrapolated to none (Richardson); what the last
 * extrapolation changed is their error. False where the features change. */
static bool differentiate(const pair_case* c, const cr_manifold* base, int side, int j, double h,
                          double* value, double* error) {
  static double table[LEVELS][MAX_NUMBERS], more[MAX_NUMBERS], less[MAX_NUMBERS];
  int n = 3 + 7 * base->count;
  for (int l = 0; l < LEVELS; l++, h /= 2) {
    if (!collide_displaced(c, base, side, j, h, more)) return false;
    if (!collide_displaced(c, base, side, j, -h, less)) return false;
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

typedef struct tally {
  int cases, refused, kinked, changed, compared, wrong;
  double worst, worst_clean;
  const char* obstacle;
} tally;

static void compare_case(const pair_case* c, tally* t) {
  cr_manifold base;
  cr_manifold_tangent tangent;
  cr_collide_query query = {&c->body[0].shape, &c->body[1].shape, &c->body[0].X,
                            &c->body[1].X,     c->margin,         NULL};
  if (!cr_geom_collide_pair(&query, &base)) return;
  cr_manifold_compute_tangent(&query, &base, &tangent);
  t->cases++;
  if (tangent.obstacle) {
    t->refused++;
    t->obstacle = tangent.obstacle;
    if (getenv("REFUSED")) {
      printf("  %s: count %d", tangent.obstacle, base.count);
      for (int i = 0; i < base.count; i++)
        printf(" %x:%.4g", base.points[i].feature, base.points[i].distance);
      v3 l = m3_tmulv(&c->body[0].X.R, base.normal), k = m3_tmulv(&c->body[1].X.R, base.normal);
      printf(" n in A %g %g %g in B %g %g %g\n", l.x, l.y, l.z, k.x, k.y, k.z);
    }
    return;
  }
  if (c->is_polished && (base.count > 1 || base.points[0].distance < 0.02)) return;
  double kink = tangent.kink;
  for (int i = 0; i < tangent.count; i++) kink = fmin(kink, tangent.points[i].kink);
  if (kink < 0.01) {
    t->kinked++;
    return;
  }
  double value[MAX_NUMBERS], error[MAX_NUMBERS], column[MAX_NUMBERS];
  double worst = 0, worst_error = 0;
  for (int side = 0; side < 2; side++)
    for (int j = 0; j < 6; j++) {
      if (!differentiate(c, &base, side, j, c->step, value, error)) {
        t->changed++;
        return;
      }
      list_column(&tangent, side, j, column);
      double scale = 1;
      for (int i = 0; i < 3 + 7 * base.count; i++) scale = fmax(scale, fabs(column[i]));
      for (int i = 0; i < 3 + 7 * base.count; i++) {
        double d = fabs(value[i] - column[i]) / scale;
        if (d > worst) worst = d, worst_error = error[i] / scale;
      }
    }
  t->compared++;
  t->worst = fmax(t->worst, worst);
  if (worst > 1e-7 && worst > 10 * worst_error) {
    t->wrong++;
    if (getenv("SHOW") && t->wrong <= atoi(getenv("SHOW"))) {
      printf("  wrong: %g (error %g) count %d kink %g d %g features", worst, worst_error,
             base.count, kink, base.points[0].distance);
      for (int i = 0; i < base.count; i++)
        printf(" %x:%.4g", base.points[i].feature, base.points[i].distance);
      printf("\n");
      for (int side = 0; side < 2; side++)
        for (int j = 0; j < 6; j++) {
          differentiate(c, &base, side, j, c->step, value, error);
          list_column(&tangent, side, j, column);
          for (int i = 0; i < 3 + 7 * base.count; i++)
            if (fabs(value[i] - column[i]) > 1e-6 + 10 * error[i])
              printf("    side %d col %d number %d: %g not %g\n", side, j, i, column[i], value[i]);
        }
    }
  } else
    t->worst_clean = fmax(t->worst_clean, worst);
}

static cr_hull* random_hull(check_random* random, int count, double size) {
  double* points = malloc((size_t)count * 3 * sizeof *points);
  carom_error error;
  cr_hull* hull;
  solid_points_on_sphere(random, count, points);
  for (int i = 0; i < 3 * count; i++) points[i] *= size * (i % 3 == 0 ? 1 : i % 3 == 1 ? 0.7 : 0.5);
  check_ok(cr_hull_create(points, count, solid_allocator(), &hull, &error), &error);
  free(points);
  return hull;
}

/* An L: the prism of height 2 over (0,0) (2,0) (2,1) (1,1) (1,2) (0,2), so that no two triangles
 * meet but along whole sides. It is the union of two boxes. */
static cr_mesh make_l(void) {
  static const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  static const int cap[4][3] = {{0, 1, 3}, {1, 2, 3}, {0, 3, 5}, {3, 4, 5}};
  cr_mesh mesh;
  cr_mesh_init(&mesh, solid_allocator());
  for (int i = 0; i < 12; i++) {
    double x[3] = {outline[i % 6][0], outline[i % 6][1], i < 6 ? -1 : 1};
    assert_true(cr_mesh_add_vertex(&mesh, x));
  }
  for (int i = 0; i < 4; i++) {
    assert_true(cr_mesh_add_triangle(&mesh, cap[i][0], cap[i][2], cap[i][1]));
    assert_true(cr_mesh_add_triangle(&mesh, cap[i][0] + 6, cap[i][1] + 6, cap[i][2] + 6));
  }
  for (int i = 0; i < 6; i++) {
    int next = (i + 1) % 6;
    assert_true(cr_mesh_add_triangle(&mesh, i, next, next + 6));
    assert_true(cr_mesh_add_triangle(&mesh, i, next + 6, i + 6));
  }
  return mesh;
}

enum { FIELD = CAROM_GEOM_HEIGHT_FIELD, SOLID, NUM_KINDS };

typedef struct bodies {
  cr_hull *hull, *solid_hull;
  cr_trisurface *field, *solid;
} bodies;

static cr_shape random_shape(check_random* random, int kind, const bodies* all) {
  if (kind == CAROM_GEOM_MESH) return (cr_shape){.type = CAROM_GEOM_MESH, .hull = all->hull};
  if (kind == FIELD) return (cr_shape){.type = CAROM_GEOM_HEIGHT_FIELD, .surface = all->field};
  if (kind == SOLID)
    return (cr_shape){.type = CAROM_GEOM_MESH, .hull = all->solid_hull, .surface = all->solid};
  return check_random_shape(random, (carom_geom_type)kind, 0.3, 1);
}

static bool is_round(int kind) {
  return kind == CAROM_GEOM_CYLINDER || kind == CAROM_GEOM_ELLIPSOID;
}

/* Whether the search for the normal ends before the last digits; see collide_support.c. */
static bool is_rough(int a, int b) {
  if (a == CAROM_GEOM_PLANE || b == CAROM_GEOM_PLANE) return false;
  if (a == CAROM_GEOM_SPHERE && b < CAROM_GEOM_MESH) return false;
  if (b == CAROM_GEOM_SPHERE && a < CAROM_GEOM_MESH) return false;
  bool is_searched = a >= CAROM_GEOM_ELLIPSOID || b >= CAROM_GEOM_ELLIPSOID;
  return is_searched && (is_round(a) || is_round(b));
}

/* B is moved along the normal until the distance is what is wanted. */
static void make_case(check_random* random, int kind_a, int kind_b, const bodies* all,
                      pair_case* c) {
  int kind[2] = {kind_a, kind_b};
  for (int s = 0; s < 2; s++) {
    check_body* body = &c->body[s];
    body->shape = random_shape(random, kind[s], all);
    body->X = (pose){check_random_direction(random), check_random_rotation(random)};
  }
  for (int s = 0; s < 2; s++) { /* over the field, not beside it */
    if (kind[s] != FIELD) continue;
    v3 at = v3_make(check_random_uniform(random, -4, 4), check_random_uniform(random, -4, 4), 1);
    c->body[1 - s].X.p = pose_point(&c->body[s].X, at);
  }
  c->margin = 0.2;
  c->step = 4e-4;
  bool is_rough_pair = is_rough(kind_a, kind_b);
  c->is_polished = is_rough_pair && kind_a < FIELD && kind_b < FIELD;
  if (is_rough_pair && !c->is_polished) c->step = 1e-2;
  double wanted = check_random_uniform(random, -0.15, 0.15);
  v3 a, b, n;
  for (int i = 0; i < 3; i++) {
    double distance = cr_geom_compute_distance(&c->body[0].shape, &c->body[0].X, &c->body[1].shape,
                                               &c->body[1].X, &a, &b, &n);
    if (isnan(distance)) return;
    c->body[1].X.p = v3_axpy(c->body[1].X.p, wanted - distance, n);
    if (kind_a < FIELD && kind_b < FIELD) break;
  }
}

static bodies make_bodies(check_random* random) {
  enum { COLUMNS = 15, ROWS = 12 };
  double height[COLUMNS * ROWS], half[2] = {7, 5.5};
  cr_mesh l = make_l();
  bodies all = {.hull = random_hull(random, 30, 0.8), .solid_hull = solid_hull(&l)};
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

static void test_pairs(void** state) {
  (void)state;
  check_random random = {3535};
  int num_cases = check_repeats(getenv("CASES") ? atoi(getenv("CASES")) : 300);
  int from = getenv("FROM") ? atoi(getenv("FROM")) : 0;
  bodies all = make_bodies(&random);
  for (int a = 0; a < NUM_KINDS; a++)
    for (int b = a == 0; b < NUM_KINDS; b++) {
      if ((a == 0 && b == FIELD) || (a == FIELD && b == 0) || (a == FIELD && b == FIELD)) continue;
      if (a < from && b < from) continue;
      if (getenv("ONLY") && a * 10 + b != atoi(getenv("ONLY"))) continue;
      tally t = {0};
      for (int i = 0; i < num_cases; i++) {
        pair_case c;
        make_case(&random, a, b, &all, &c);
        compare_case(&c, &t);
      }
      printf("%d %d %-10s %-10s cases %4d refused %4d kinked %4d changed %4d compared %4d wrong "
             "%4d worst "
             "%8.1e clean %8.1e %s\n",
             a, b, check_type_name(a), check_type_name(b), t.cases, t.refused, t.kinked, t.changed,
             t.compared, t.wrong, t.worst, t.worst_clean, t.obstacle ? t.obstacle : "");
    }
  destroy_bodies(&all);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
