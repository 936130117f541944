/* A patch as two rings of springs. Of the pressure p over the surface and its slope k by a shift,
 *
 *   F = ∫ p n dA,  M = ∫ x × p n dA,  K = ∫ k dA,  c = ∫ k x dA / K,  C = ∫ k (x - c)(x - c)ᵀ dA /
 * K
 *
 * along and across the direction of F. With L = √C the points c + L q, q on rings of the radii r1
 * and r2 with the weights W1 and W2, have K, c and C where W1 r1² + W2 r2² = 2. The force at a
 * point is F w (ρ + β·q): β = L⁻¹ (e - c) puts it at the centre of pressure e, W1 ρ1 + W2 ρ2 = 1.
 * What is left, W1 / W2 and ρ1 / ρ2, is chosen for the mean distance from c, once of the area and
 * once of the pressure: the moment that friction has in a spin.
 *
 * All convex areas of even stiffness reach as far as r = √2 to all sides (Kannan, Lovász and
 * Simonovits 1995), and a line as far as √3, so that rings between press where the pressure, linear
 * in the place, does. */
#include "geom/field.h"

#include "geom/area.h"
#include "geom/field_sums.h"
#include "geom/field_surface.h"
#include "math/scalar.h"

#include <math.h>

#define NEAREST  1.4142135623730951 /* radii of the outer ring: least, */
#define FARTHEST 1.7320508075688772 /* and most */
#define THINNEST 1e-9               /* of the length: the width of what is a line */
#define LEAST    0.05               /* weight of the outer ring */
#define LOOSE    0.01               /* of the force: what a patch's springs bear at least */
#define TOGETHER 0.866              /* cosine between directions that are one */

static void add_force(const cr_field_triangle* t, v3* force, cr_field_sums* sum) {
  double area = v3_norm(t->area);
  if (!(area > 0)) return;
  double p = t->pressure[0] + t->pressure[1] + t->pressure[2];
  v3 x = v3_add(v3_add(t->x[0], t->x[1]), t->x[2]), lean = v3_scale(p, x);
  for (int i = 0; i < 3; i++) lean = v3_axpy(lean, t->pressure[i], t->x[i]);
  lean = v3_scale(area / 12, lean);
  sum->load += area * p / 3;
  sum->lean = v3_add(sum->lean, lean);
  *force = v3_axpy(*force, p / 3, t->area);
  sum->moment = v3_add(sum->moment, v3_cross(lean, v3_scale(1 / area, t->area)));
}

/* Along the force. A triangle counts by the part of its stiffness against a shift along it. */
static void add_stiffness(const cr_field_triangle* t, cr_field_sums* sum) {
  double area = v3_norm(t->area), along = v3_dot(t->area, sum->normal);
  if (!(area > 0)) return;
  sum->area += fmax(along, 0);
  double k = t->slope * along * (along / area), x[3][2], total[2] = {0, 0};
  for (int i = 0; i < 3; i++)
    for (int a = 0; a < 2; a++) total[a] += x[i][a] = v3_dot(sum->t[a], t->x[i]);
  sum->stiffness += k;
  for (int a = 0; a < 2; a++) sum->first[a] += k / 3 * total[a];
  for (int a = 0, at = 0; a < 2; a++)
    for (int b = a; b < 2; b++, at++) {
      double s = total[a] * total[b];
      for (int i = 0; i < 3; i++) s += x[i][a] * x[i][b];
      sum->second[at] += k / 12 * s;
    }
}

/* ∫ |x - c| dA of a triangle across the normal, exact; and by its corners' and sides' middles,
 * with the pressure or without. */
static void add_levers(const cr_field_triangle* t, const double* center, cr_field_sums* sum) {
  double x[6][2], p[6], size[6], even = 0, loaded = 0;
  for (int i = 0; i < 3; i++) {
    for (int a = 0; a < 2; a++) x[i][a] = v3_dot(sum->t[a], t->x[i]) - center[a];
    p[i] = t->pressure[i];
  }
  for (int i = 0; i < 3; i++) {
    int k = (i + 1) % 3;
    for (int a = 0; a < 2; a++) x[3 + i][a] = (x[i][a] + x[k][a]) / 2;
    p[3 + i] = (p[i] + p[k]) / 2;
  }
  for (int i = 0; i < 6; i++) size[i] = hypot(x[i][0], x[i][1]);
  double along = v3_dot(t->area, sum->normal), area = v3_norm(t->area), mean = 0;
  for (int i = 3; i < 6; i++) even += size[i] / 3, loaded += p[i] * size[i] / 3, mean += p[i] / 3;
  const double zero[2] = {0, 0};
  double exact = cr_area_find_mean_distance((const double(*)[2])x, 3, zero);
  if (!(exact > 0)) exact = even;
  sum->lever[0] += t->slope * along * (along / area) * exact;
  sum->lever[1] += area * (loaded + mean * (exact - even));
}

static void find_sums(const cr_field_surface* surface, v3 fallback, cr_field_sums* sum) {
  *sum = (cr_field_sums){0};
  v3 force = v3_zero();
  for (int i = 0; i < surface->count; i++) add_force(&surface->triangle[i], &force, sum);
  sum->force = v3_norm(force);
  sum->normal = v3_normalize_or(force, fallback);
  v3_tangents(sum->normal, &sum->t[0], &sum->t[1]);
  for (int i = 0; i < surface->count; i++) add_stiffness(&surface->triangle[i], sum);
  const double center[2] = {sum->first[0] / sum->stiffness, sum->first[1] / sum->stiffness};
  for (int i = 0; i < surface->count && sum->stiffness > 0; i++)
    if (v3_norm2(surface->triangle[i].area) > 0) add_levers(&surface->triangle[i], center, sum);
}

/* Where the springs are, across the normal, and what a point at q bears. */
typedef struct rings {
  double center[2];      /* m, c */
  double L[2][2];        /* m */
  double beta[2];        /* of q */
  double radius[2];      /* of q */
  double weight[2];      /* of a ring */
  double load[2];        /* rho */
  double mean_direction; /* m: of |L q| over a ring of radius 1 */
  double error;
} rings;

/* L = √C by its axes; a direction in which it is as thin as round-off has none. Sets β, too. */
static void find_axes(const double* C, const double* offset, rings* r) {
  double mean = (C[0] + C[2]) / 2, half = hypot((C[0] - C[2]) / 2, C[1]);
  double angle = half > 0 ? 0.5 * atan2(C[1], (C[0] - C[2]) / 2) : 0;
  const double axis[2][2] = {{cos(angle), sin(angle)}, {-sin(angle), cos(angle)}};
  double length[2] = {sqrt(fmax(mean + half, 0)), sqrt(fmax(mean - half, 0))};
  if (length[1] < THINNEST * length[0]) length[1] = 0;
  for (int a = 0; a < 2; a++) {
    r->beta[a] = 0;
    for (int b = 0; b < 2; b++)
      r->L[a][b] = length[0] * axis[0][a] * axis[0][b] + length[1] * axis[1][a] * axis[1][b];
  }
  for (int k = 0; k < 2; k++) {
    double along = axis[k][0] * offset[0] + axis[k][1] * offset[1];
    for (int a = 0; a < 2 && length[k] > 0; a++) r->beta[a] += along / length[k] * axis[k][a];
  }
}

/* An odd number of directions; those of the inner ring are opposite. So |q.u| is nearly the same on
 * the mean whatever the unit vector u, and the same for both rings: of a strip, too. */
static void find_direction(int i, double radius, double* q) {
  double angle = i * (6.283185307179586 / CR_FIELD_SIDES);
  q[0] = radius * cos(angle), q[1] = radius * sin(angle);
}

static void place_point(const rings* r, const double* q, double* x) {
  for (int a = 0; a < 2; a++) x[a] = r->L[a][0] * q[0] + r->L[a][1] * q[1];
}

/* Weights and radii for the mean distance of the area, m in units of the ring's own: W1 r1 + W2 r2
 * = m, W1 r1² + W2 r2² = 2. */
static void choose_radii(double m, rings* r) {
  double beta = hypot(r->beta[0], r->beta[1]);
  double outer = scalar_clamp(beta > 0 ? 1 / beta : FARTHEST, NEAREST, FARTHEST);
  double under = outer * outer - 2 * m * outer + 2;
  double weight = under > 0 ? (2 - m * m) / under : LEAST;
  weight = scalar_clamp(weight, LEAST, fmin(2 / (outer * outer), 1 - LEAST));
  r->radius[0] = outer, r->weight[0] = weight, r->weight[1] = 1 - weight;
  r->radius[1] = sqrt(fmax(2 - weight * outer * outer, 0) / (1 - weight));
}

/* The rings' loads for the mean distance of the pressure. Nothing pulls: what is too far out of the
 * middle to be borne so moves all points by the rest. */
static void choose_loads(double m, rings* r) {
  double beta = hypot(r->beta[0], r->beta[1]), most = fmax(r->radius[0], r->radius[1]);
  double across = r->radius[0] - r->radius[1], too_far = beta * most > 1 ? 1 / (beta * most) : 1;
  double rest[2] = {(1 - too_far) * r->beta[0], (1 - too_far) * r->beta[1]}, shift[2];
  place_point(r, rest, shift);
  for (int a = 0; a < 2; a++) r->center[a] += shift[a], r->beta[a] *= too_far;
  beta *= too_far;
  r->load[0] = fabs(across) > 1e-3 ? (m - r->radius[1]) / (r->weight[0] * across) : 1;
  double least = beta * r->radius[0], highest = (1 - r->weight[1] * beta * r->radius[1]);
  r->load[0] = scalar_clamp(r->load[0], least, fmax(highest / r->weight[0], least));
  r->load[1] = (1 - r->weight[0] * r->load[0]) / r->weight[1];
}

static void find_rings(const cr_field_sums* sum, rings* r) {
  double K = sum->stiffness, offset[2], C[3];
  v3 to = v3_scale(1 / sum->force, v3_cross(sum->normal, sum->moment));
  for (int a = 0; a < 2; a++) {
    r->center[a] = sum->first[a] / K;
    offset[a] = v3_dot(sum->t[a], to) - r->center[a];
  }
  for (int a = 0, at = 0; a < 2; a++)
    for (int b = a; b < 2; b++, at++) C[at] = sum->second[at] / K - r->center[a] * r->center[b];
  find_axes(C, offset, r);
  r->mean_direction = 0;
  for (int i = 0; i < CR_FIELD_SIDES; i++) {
    double q[2], x[2];
    find_direction(i, 1, q);
    place_point(r, q, x);
    r->mean_direction += hypot(x[0], x[1]) / CR_FIELD_SIDES;
  }
  double unit = r->mean_direction > 0 ? r->mean_direction : 1,
         wanted = sum->lever[1] / sum->load / unit;
  choose_radii(sum->lever[0] / K / unit, r);
  choose_loads(wanted, r);
  double found = 0;
  for (int k = 0; k < 2; k++) found += r->weight[k] * r->load[k] * r->radius[k];
  r->error = wanted > 0 ? fabs(found / wanted - 1) : 0;
}

/* Springs are no longer than the overlap is deep: what presses along the normal, where pressures do
 * not change by a shift, has a force but no stiffness. */
static void enter_points(const cr_field_pair* pair, const cr_field_sums* sum, const rings* r,
                         cr_field_patch* patch) {
  double height = v3_dot(sum->normal, sum->lean) / sum->load;
  patch->stiffness = fmax(sum->stiffness, sum->force / pair->depth);
  v3 middle = v3_axpy(pair->place, height, sum->normal);
  for (int a = 0; a < 2; a++) middle = v3_axpy(middle, r->center[a], sum->t[a]);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < CR_FIELD_SIDES; i++) {
      double q[2], x[2];
      find_direction(i, k ? -r->radius[k] : r->radius[k], q);
      place_point(r, q, x);
      double load = r->load[k] + r->beta[0] * q[0] + r->beta[1] * q[1];
      cr_field_point* point = &patch->point[patch->count++];
      point->place = v3_axpy(v3_axpy(middle, x[0], sum->t[0]), x[1], sum->t[1]);
      point->share = r->weight[k] / CR_FIELD_SIDES;
      point->depth = fmax(load, 0) * sum->force / patch->stiffness;
    }
}

/* A patch of what a surface, or a part of it, does; none where it does nothing. */
static void add_patch(const cr_field_pair* pair, const cr_field_sums* sum,
                      cr_field_patches* patches) {
  if (!(sum->force > 0 && sum->stiffness > 0 && isfinite(sum->force / sum->stiffness))) return;
  cr_field_patch* patch = &patches->patch[patches->count++];
  rings r;
  *patch = (cr_field_patch){.normal = sum->normal, .area = sum->area};
  find_rings(sum, &r);
  enter_points(pair, sum, &r, patch);
  patch->error = r.error;
}

/* The directions in which a surface presses: the first triangle that none of those before it comes
 * near to begins another one, while there is room. The rest goes to the nearest. */
static int find_direction_of(const cr_field_triangle* t, v3* direction, int* count) {
  v3 n = v3_normalize_or(t->area, v3_zero());
  int nearest = 0;
  double most = -INFINITY;
  for (int g = 0; g < *count; g++) {
    double along = v3_dot(n, direction[g]);
    if (along > most) most = along, nearest = g;
  }
  if (most >= TOGETHER || *count == CR_FIELD_PATCHES) return nearest;
  direction[*count] = n;
  return (*count)++;
}

/* What presses along the normal, where pressures do not change by a shift, has springs as long as
 * the overlap is deep. */
static void stiffen(cr_field_surface* surface, double depth) {
  for (int i = 0; i < surface->count; i++) {
    cr_field_triangle* t = &surface->triangle[i];
    t->slope = fmax(t->slope, (t->pressure[0] + t->pressure[1] + t->pressure[2]) / (3 * depth));
  }
}

/* A patch for each direction. What they do together is what the surface does. */
static bool split_surface(const cr_field_pair* pair, const cr_field_surface* surface,
                          cr_arena* arena, cr_field_patches* patches) {
  v3 direction[CR_FIELD_PATCHES];
  int count = 0, *group = CR_SCRATCH(arena, int, surface->count + 1);
  cr_field_surface part = {0, 0, CR_SCRATCH(arena, cr_field_triangle, surface->count + 1)};
  if (arena->failed) return false;
  for (int i = 0; i < surface->count; i++)
    group[i] = find_direction_of(&surface->triangle[i], direction, &count);
  for (int g = 0; g < count; g++) {
    part.count = 0;
    for (int i = 0; i < surface->count; i++)
      if (group[i] == g) part.triangle[part.count++] = surface->triangle[i];
    cr_field_sums sum;
    find_sums(&part, direction[g], &sum);
    if (sum.stiffness * pair->depth < LOOSE * sum.force) {
      stiffen(&part, pair->depth);
      find_sums(&part, direction[g], &sum);
    }
    add_patch(pair, &sum, patches);
  }
  return true;
}

bool cr_field_find_patches(const cr_field_pair* pair, cr_arena* arena, cr_field_patches* patches) {
  cr_field_sums sum;
  patches->count = 0;
  if (cr_field_sum_balls(pair, &sum)) {
    add_patch(pair, &sum, patches);
    return true;
  }
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  cr_field_surface surface;
  bool is_convex = !pair->body[0].shape->surface && !pair->body[1].shape->surface;
  bool done = cr_field_find_surface(pair, arena, &surface);
  if (done && is_convex) {
    find_sums(&surface, pair->normal, &sum);
    add_patch(pair, &sum, patches);
  } else if (done) {
    done = split_surface(pair, &surface, arena, patches);
  }
  cr_arena_pop_scratch(arena, mark);
  return done;
}
