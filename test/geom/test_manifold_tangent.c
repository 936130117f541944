/* Derivatives of manifolds: against extrapolated central differences of the narrow phase wherever
 * the parts in contact stay the same, and against closed forms. */
#include "geom/manifold_tangent.h"
#include "support/shapes.h"
#include "support/solid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUM_TYPES = CAROM_GEOM_MESH + 1, LEVELS = 4 };

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
} pair_case;

static bool collide_displaced(const pair_case* c, const cr_manifold* base, int side, int j,
                              double h, double* at) {
  pose X[2] = {c->body[0].X, c->body[1].X};
  cr_manifold m;
  X[side] = displace(&X[side], j, h);
  cr_geom_collide(&c->body[0].shape, &X[0], &c->body[1].shape, &X[1], c->margin, &m);
  if (m.count != base->count || v3_dot(m.normal, base->normal) < 0.9) return false;
  for (int i = 0; i < m.count; i++)
    if (m.points[i].feature != base->points[i].feature ||
        v3_norm(v3_sub(m.points[i].a, base->points[i].a)) > 300 * fabs(h))
      return false; /* another part, or one of the same name */
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
      if (!differentiate(c, &base, side, j, 4e-4, value, error)) {
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
          differentiate(c, &base, side, j, 4e-4, value, error);
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

/* B is moved along the normal until the distance is what is wanted. */
static void make_case(check_random* random, int type_a, int type_b, const cr_hull* hull,
                      pair_case* c) {
  int type[2] = {type_a, type_b};
  for (int s = 0; s < 2; s++) {
    check_body* body = &c->body[s];
    body->shape = (cr_shape){.type = (carom_geom_type)type[s], .hull = hull};
    if (type[s] != CAROM_GEOM_MESH)
      body->shape = check_random_shape(random, (carom_geom_type)type[s], 0.3, 1);
    body->X = (pose){check_random_direction(random), check_random_rotation(random)};
  }
  c->margin = 0.2;
  double wanted = check_random_uniform(random, -0.15, 0.15);
  v3 a, b, n;
  double distance = cr_geom_compute_distance(&c->body[0].shape, &c->body[0].X, &c->body[1].shape,
                                             &c->body[1].X, &a, &b, &n);
  c->body[1].X.p = v3_axpy(c->body[1].X.p, wanted - distance, n);
}

static void test_pairs(void** state) {
  (void)state;
  check_random random = {3535};
  int num_cases = check_repeats(getenv("CASES") ? atoi(getenv("CASES")) : 300);
  cr_hull* hull = random_hull(&random, 30, 0.8);
  for (int a = 0; a < NUM_TYPES; a++)
    for (int b = a == 0; b < NUM_TYPES; b++) {
      tally t = {0};
      for (int i = 0; i < num_cases; i++) {
        pair_case c;
        make_case(&random, a, b, hull, &c);
        compare_case(&c, &t);
      }
      printf(
          "%-10s %-10s cases %4d refused %4d kinked %4d changed %4d compared %4d wrong %4d worst "
          "%8.1e clean %8.1e %s\n",
          check_type_name(a), check_type_name(b), t.cases, t.refused, t.kinked, t.changed,
          t.compared, t.wrong, t.worst, t.worst_clean, t.obstacle ? t.obstacle : "");
    }
  cr_hull_destroy(hull, solid_allocator());
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
