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
#include "geom/field_rule.h"
#include "math/scalar.h"

#include <math.h>

#define THINNEST 1e-9  /* of the length: the width of what is a line */
#define LOOSE    0.01  /* of the force: what a patch's springs bear at least */
#define TOGETHER 0.866 /* cosine between directions that are one */

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

void cr_field_sum_surface(const cr_field_surface* surface, v3 fallback, cr_field_sums* sum) {
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

/* L = √C by its axes; a direction in which it is as thin as round-off has none. Sets β, too. */
static void find_axes(const double* C, const double* offset, cr_field_rings* r) {
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

/* Weights and radii for the mean distance of the area, m in units of the ring's own: W1 r1 + W2 r2
 * = m, W1 r1² + W2 r2² = 2. */
static void choose_radii(double m, cr_field_rings* r) {
  double beta = hypot(r->beta[0], r->beta[1]);
  double outer =
      scalar_clamp(beta > 0 ? 1 / beta : CR_FIELD_FARTHEST, CR_FIELD_NEAREST, CR_FIELD_FARTHEST);
  double under = outer * outer - 2 * m * outer + 2;
  double weight = under > 0 ? (2 - m * m) / under : CR_FIELD_LEAST;
  weight = scalar_clamp(weight, CR_FIELD_LEAST, fmin(2 / (outer * outer), 1 - CR_FIELD_LEAST));
  r->radius[0] = outer, r->weight[0] = weight, r->weight[1] = 1 - weight;
  r->radius[1] = sqrt(fmax(2 - weight * outer * outer, 0) / (1 - weight));
}

/* The rings' loads for the mean distance of the pressure. Nothing pulls: what is too far out of the
 * middle to be borne so moves all points by the rest. */
static void choose_loads(double m, cr_field_rings* r) {
  double beta = hypot(r->beta[0], r->beta[1]), most = fmax(r->radius[0], r->radius[1]);
  double across = r->radius[0] - r->radius[1], too_far = beta * most > 1 ? 1 / (beta * most) : 1;
  double rest[2] = {(1 - too_far) * r->beta[0], (1 - too_far) * r->beta[1]}, shift[2];
  cr_field_place_point(r, rest, shift);
  for (int a = 0; a < 2; a++) r->center[a] += shift[a], r->beta[a] *= too_far;
  beta *= too_far;
  r->load[0] = fabs(across) > 1e-3 ? (m - r->radius[1]) / (r->weight[0] * across) : 1;
  double least = beta * r->radius[0], highest = (1 - r->weight[1] * beta * r->radius[1]);
  r->load[0] = scalar_clamp(r->load[0], least, fmax(highest / r->weight[0], least));
  r->load[1] = (1 - r->weight[0] * r->load[0]) / r->weight[1];
}

void cr_field_find_rings(const cr_field_sums* sum, cr_field_rings* r) {
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
    cr_field_find_direction(i, 1, q);
    cr_field_place_point(r, q, x);
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
static void enter_points(const cr_field_pair* pair, const cr_field_sums* sum,
                         const cr_field_rings* r, cr_field_patch* patch) {
  double height = v3_dot(sum->normal, sum->lean) / sum->load;
  patch->stiffness = fmax(sum->stiffness, sum->force / pair->depth);
  v3 middle = v3_axpy(pair->place, height, sum->normal);
  for (int a = 0; a < 2; a++) middle = v3_axpy(middle, r->center[a], sum->t[a]);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < CR_FIELD_SIDES; i++) {
      double q[2], x[2];
      cr_field_find_direction(i, k ? -r->radius[k] : r->radius[k], q);
      cr_field_place_point(r, q, x);
      double load = r->load[k] + r->beta[0] * q[0] + r->beta[1] * q[1];
      cr_field_point* point = &patch->point[patch->count++];
      point->place = v3_axpy(v3_axpy(middle, x[0], sum->t[0]), x[1], sum->t[1]);
      point->share = r->weight[k] / CR_FIELD_SIDES;
      point->depth = fmax(load, 0) * sum->force / patch->stiffness;
    }
}

/* A patch of what a surface, or a part of it, does; none where it does nothing. */
static bool add_patch(const cr_field_pair* pair, const cr_field_sums* sum,
                      cr_field_patches* patches) {
  if (!(sum->force > 0 && sum->stiffness > 0 && isfinite(sum->force / sum->stiffness)))
    return false;
  cr_field_patch* patch = &patches->patch[patches->count++];
  cr_field_rings r;
  *patch = (cr_field_patch){.normal = sum->normal, .area = sum->area};
  cr_field_find_rings(sum, &r);
  enter_points(pair, sum, &r, patch);
  patch->error = r.error;
  return true;
}

/* What is looked for, and how it changes in a motion; null: that is not asked for. */
typedef struct outcome {
  cr_field_patches* patches;
  const cr_field_motion* motion;
  cr_field_patches* change;
} outcome;

/* The change of the last patch. */
static void add_change(const cr_field_pair* pair, const outcome* out, cr_field_sums_motion* sums) {
  int count = out->change->count < 0 ? -1 : out->patches->count;
  sums->depth = pair->depth, sums->ddepth = out->motion->depth;
  if (!cr_field_change_patch(sums, &out->change->patch[out->patches->count - 1])) count = -1;
  out->change->count = count;
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
static void stiffen(double depth, const cr_field_motion* motion, cr_field_surface* surface) {
  for (int i = 0; i < surface->count; i++) {
    cr_field_triangle* t = &surface->triangle[i];
    double least = (t->pressure[0] + t->pressure[1] + t->pressure[2]) / (3 * depth);
    if (motion && surface->change && least > t->slope) {
      cr_field_triangle* d = &surface->change[i];
      d->slope = (d->pressure[0] + d->pressure[1] + d->pressure[2]) / (3 * depth) -
                 least / depth * motion->depth;
    }
    t->slope = fmax(t->slope, least);
  }
}

/* A patch for each direction. What they do together is what the surface does. */
typedef struct split {
  int count, *group; /* of directions; of each triangle */
  v3 direction[CR_FIELD_PATCHES];
  cr_field_surface part;
} split;

static bool split_surface(const cr_field_pair* pair, const cr_field_surface* surface,
                          cr_arena* arena, split* s) {
  bool is_convex = !pair->body[0].shape->surface && !pair->body[1].shape->surface;
  *s = (split){.part.moves = surface->moves};
  s->group = CR_SCRATCH(arena, int, surface->count + 1);
  s->part.triangle = CR_SCRATCH(arena, cr_field_triangle, surface->count + 1);
  if (surface->moves) s->part.change = CR_SCRATCH(arena, cr_field_triangle, surface->count + 1);
  if (arena->failed) return false;
  if (is_convex) s->direction[s->count++] = pair->normal;
  for (int i = 0; i < surface->count; i++)
    s->group[i] = is_convex ? 0 : find_direction_of(&surface->triangle[i], s->direction, &s->count);
  return true;
}

static void take_part(const cr_field_surface* surface, int g, split* s) {
  s->part.count = 0;
  for (int i = 0; i < surface->count; i++) {
    if (s->group[i] != g) continue;
    if (surface->moves) s->part.change[s->part.count] = surface->change[i];
    s->part.triangle[s->part.count++] = surface->triangle[i];
  }
}

static bool add_surface(const cr_field_pair* pair, const cr_field_surface* surface, cr_arena* arena,
                        const outcome* out) {
  split s;
  bool is_convex = !pair->body[0].shape->surface && !pair->body[1].shape->surface;
  if (!split_surface(pair, surface, arena, &s)) return false;
  for (int g = 0; g < s.count; g++) {
    cr_field_sums_motion sums;
    take_part(surface, g, &s);
    cr_field_sum_surface(&s.part, s.direction[g], &sums.at);
    if (!is_convex && sums.at.stiffness * pair->depth < LOOSE * sums.at.force) {
      stiffen(pair->depth, out->motion, &s.part);
      cr_field_sum_surface(&s.part, s.direction[g], &sums.at);
    }
    if (!add_patch(pair, &sums.at, out->patches) || !out->motion) continue;
    cr_field_change_sums(&s.part, &sums.at, &sums.d);
    add_change(pair, out, &sums);
  }
  return true;
}

static void add_balls(const cr_field_pair* pair, const outcome* out, cr_field_sums_motion* sums) {
  if (!add_patch(pair, &sums->at, out->patches) || !out->motion) return;
  cr_field_change_balls(pair, out->motion, &sums->at, &sums->d);
  add_change(pair, out, sums);
}

static bool find_patches(const cr_field_pair* pair, cr_arena* arena, const outcome* out) {
  cr_field_sums_motion sums;
  out->patches->count = 0;
  if (cr_field_sum_balls(pair, &sums.at)) {
    add_balls(pair, out, &sums);
    return true;
  }
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  cr_field_surface surface;
  bool done = cr_field_find_surface(pair, out->motion, arena, &surface) &&
              add_surface(pair, &surface, arena, out);
  cr_arena_pop_scratch(arena, mark);
  return done;
}

bool cr_field_find_patches(const cr_field_pair* pair, cr_arena* arena, cr_field_patches* patches) {
  return find_patches(pair, arena, &(outcome){.patches = patches});
}

bool cr_field_differentiate(const cr_field_pair* pair, const cr_field_motion* motion,
                            cr_arena* arena, cr_field_patches* change) {
  cr_field_patches patches;
  change->count = 0;
  return find_patches(pair, arena, &(outcome){&patches, motion, change});
}
