/* The areas over which contacts press, as triangles, where the state is. A patch of points that
 * stand for an area is found again: its pressure is that of an elastic foundation, linear in the
 * place and never negative, which the points tell. A pressure field has its own. */
#include "base/error.h"
#include "geom/field_surface.h"
#include "geom/patches.h"
#include "model/contact_rule.h"
#include "sim/contact/contact_area.h"
#include "sim/sense/geom_pose.h"
#include "sim/sim.h"

#include <math.h>

#define SAME_NORMAL (1 - 1e-9) /* cosine, of points of one patch */
#define MOVED       0.01 /* of the thickness: what may have come apart since the step looked */
#define THINNEST    1e-9 /* of a square of lengths: what is a line */

/* The pressure over a patch: value + slope.x. */
typedef struct foundation {
  v3 normal, t[2], origin;
  double value, slope[2]; /* Pa, Pa/m */
} foundation;

/* The points of a patch, or of a pair. */
typedef struct group {
  const carom_contact* c;
  int count;
} group;

typedef struct listing {
  carom_sim* sim;
  const double* poses; /* of the bodies */
  const foundation* on;
  bool has_failed; /* memory ran out */
} listing;

/* --- Triangles ----------------------------------------------------------------------------------
 */

static bool enter(listing* l, const v3 x[3], const double p[3]) {
  carom_sim* sim = l->sim;
  l->has_failed = !cr_reserve_one(&sim->allocator, (void**)&sim->pressed, sim->num_pressed,
                                  &sim->capacity_pressed, sizeof *sim->pressed);
  if (l->has_failed) return false;
  carom_pressure_triangle* t = &sim->pressed[sim->num_pressed++];
  for (int k = 0; k < 3; k++) v3_store(x[k], t->corner[k]), t->corner[k][3] = p[k];
  return true;
}

static double find_pressure(const foundation* on, const double* x) {
  return on->value + on->slope[0] * x[0] + on->slope[1] * x[1];
}

static v3 place(const foundation* on, const double* x) {
  return v3_axpy(v3_axpy(on->origin, x[0], on->t[0]), x[1], on->t[1]);
}

/* What of a polygon presses, as a fan about the first corner of it. */
static bool enter_polygon(void* listing_, const double (*corner)[2], int count) {
  listing* l = listing_;
  v3 x[3];
  double p[3];
  int kept = 0;
  for (int i = 0; i < count; i++) {
    const double *from = corner[i], *to = corner[i + 1 < count ? i + 1 : 0];
    double a = find_pressure(l->on, from), b = find_pressure(l->on, to), s = a / (a - b);
    const double zero[2] = {from[0] + s * (to[0] - from[0]), from[1] + s * (to[1] - from[1])};
    const bool is_kept[2] = {a >= 0, (a < 0 && b > 0) || (a > 0 && b < 0)};
    for (int k = 0; k < 2; k++) {
      if (!is_kept[k]) continue;
      int at = kept < 2 ? kept : 2;
      x[at] = place(l->on, k ? zero : from), p[at] = k ? 0 : a;
      if (++kept < 3) continue;
      if (!enter(l, x, p)) return false;
      x[1] = x[2], p[1] = p[2];
    }
  }
  return true;
}

/* --- Areas of points ----------------------------------------------------------------------------
 */

/* How far a patch goes. */
static group find_group(const carom_contact* c, int count) {
  group g = {c, 1};
  while (g.count < count && c[g.count].area > 0 && c[g.count].geom1 == c->geom1 &&
         c[g.count].geom2 == c->geom2 &&
         v3_dot(v3_load(c[g.count].normal), v3_load(c->normal)) > SAME_NORMAL)
    g.count++;
  return g;
}

/* Sums over points of 1, x, y, xx, xy, yy and of the pressure times the first three. */
typedef struct moments {
  int count;
  double even[6], loaded[3];
} moments;

static moments sum_points(const group* g, const foundation* on, double dt, bool only_loaded) {
  moments m = {0};
  for (int i = 0; i < g->count; i++) {
    const carom_contact* c = &g->c[i];
    v3 at = v3_sub(v3_load(c->position), on->origin);
    double x = v3_dot(on->t[0], at), y = v3_dot(on->t[1], at);
    double p = v3_dot(v3_load(c->impulse), on->normal) / (dt * c->area);
    if (only_loaded && !(p > 0)) continue;
    const double even[6] = {1, x, y, x * x, x * y, y * y}, loaded[3] = {p, p * x, p * y};
    for (int k = 0; k < 6; k++) m.even[k] += c->area * even[k];
    for (int k = 0; k < 3; k++) m.loaded[k] += c->area * loaded[k];
    m.count++;
  }
  return m;
}

/* The pressure by least squares; false where the points lie on a line. */
static bool fit(const moments* m, foundation* on) {
  if (m->count < 3) return false;
  double A = m->even[0], x = m->even[1] / A, y = m->even[2] / A, p = m->loaded[0] / A;
  double xx = m->even[3] - A * x * x, xy = m->even[4] - A * x * y, yy = m->even[5] - A * y * y;
  double px = m->loaded[1] - A * p * x, py = m->loaded[2] - A * p * y, det = xx * yy - xy * xy;
  if (!(det > THINNEST * (xx + yy) * (xx + yy))) return false;
  on->slope[0] = (yy * px - xy * py) / det, on->slope[1] = (xx * py - xy * px) / det;
  on->value = p - on->slope[0] * x - on->slope[1] * y;
  return true;
}

/* Points at the rim that do not press lie where the foundation has let go. */
static bool find_foundation(const group* g, const cr_manifold* m, double dt, foundation* on) {
  on->normal = m->normal, on->origin = m->points[0].a;
  v3_tangents(m->normal, &on->t[0], &on->t[1]);
  moments loaded = sum_points(g, on, dt, true), all = sum_points(g, on, dt, false);
  return loaded.count > 0 && (fit(&loaded, on) || fit(&all, on));
}

/* A pair, where it is. */
typedef struct placed {
  const cr_shape* shape[2];
  pose X[2];
} placed;

static placed place_pair(const listing* l, const group* g) {
  const int geom[2] = {g->c->geom1, g->c->geom2};
  placed p;
  for (int k = 0; k < 2; k++) {
    p.shape[k] = &l->sim->model->geom.shape[geom[k]];
    p.X[k] = cr_find_geom_pose(l->sim->model, l->poses, geom[k]);
  }
  return p;
}

/* The patch of a pair whose normal comes nearest to that of the group. */
static cr_manifold* find_manifold(const placed* p, const group* g, double margin,
                                  cr_patches* patches) {
  patches->count = 1;
  if (cr_geom_needs_patches(p->shape[0], p->shape[1]))
    cr_geom_collide_patches(p->shape[0], &p->X[0], p->shape[1], &p->X[1], margin, patches);
  else
    cr_geom_collide(p->shape[0], &p->X[0], p->shape[1], &p->X[1], margin, &patches->patch[0]);
  cr_manifold* nearest = NULL;
  for (int i = 0; i < patches->count; i++) {
    cr_manifold* m = &patches->patch[i];
    double along = v3_dot(m->normal, v3_load(g->c->normal));
    if (m->count > 0 && !(nearest && along <= v3_dot(nearest->normal, v3_load(g->c->normal))))
      nearest = m;
  }
  return nearest;
}

static void list_area(listing* l, const group* g) {
  placed p = place_pair(l, g);
  double margin = 0, size = fmin(cr_shape_compute_thickness(p.shape[0]),
                                 cr_shape_compute_thickness(p.shape[1]));
  for (int i = 0; i < g->count; i++) margin = fmax(margin, g->c[i].distance);
  margin += MOVED * size;
  cr_patches patches;
  const cr_manifold* m = find_manifold(&p, g, margin, &patches);
  foundation on;
  if (!m || !find_foundation(g, m, l->sim->dt, &on)) return;
  const cr_contact_area_pair pair = {
      {p.shape[0], p.shape[1]}, {&p.X[0], &p.X[1]}, l->sim->def.patch_error};
  l->on = &on;
  cr_contact_area_visit(&pair, m, INFINITY, enter_polygon, l);
}

/* --- Pressure fields ----------------------------------------------------------------------------
 */

static void enter_surface(listing* l, const cr_field_surface* surface, v3 origin) {
  for (int i = 0; i < surface->count && !l->has_failed; i++) {
    const cr_field_triangle* t = &surface->triangle[i];
    v3 across = v3_cross(v3_sub(t->x[1], t->x[0]), v3_sub(t->x[2], t->x[0])), x[3];
    double p[3];
    for (int k = 0; k < 3; k++) {
      int from = v3_dot(across, t->area) < 0 ? 2 - k : k;
      x[k] = v3_add(origin, t->x[from]), p[k] = t->pressure[from];
    }
    if (v3_norm2(t->area) > 0) enter(l, x, p);
  }
}

static void list_field(listing* l, const group* g) {
  carom_sim* sim = l->sim;
  const int geom[2] = {g->c->geom1, g->c->geom2};
  placed p = place_pair(l, g);
  cr_patches patches;
  bool any = find_manifold(&p, g, 0, &patches) != NULL;
  cr_field_pair pair = {.depth = 0};
  for (int i = 0; any && i < patches.count; i++)
    for (int k = 0; k < patches.patch[i].count; k++) {
      const cr_manifold_point* point = &patches.patch[i].points[k];
      if (!(-point->distance > pair.depth)) continue;
      pair.depth = -point->distance, pair.place = point->a, pair.normal = patches.patch[i].normal;
    }
  if (!(pair.depth > 0)) return;
  for (int k = 0; k < 2; k++)
    pair.body[k] = (cr_field_body){p.shape[k], &p.X[k], sim->model->contact.pressure[geom[k]]};
  cr_scratch_mark mark = cr_arena_mark_scratch(&sim->arena);
  cr_field_surface surface;
  l->has_failed = !cr_field_find_surface(&pair, NULL, &sim->arena, &surface);
  if (!l->has_failed) enter_surface(l, &surface, pair.place);
  cr_arena_pop_scratch(&sim->arena, mark);
}

/* The contacts of a pair follow each other. */
static group find_pair(const carom_contact* c, int count) {
  group g = {c, 1};
  while (g.count < count && c[g.count].geom1 == c->geom1 && c[g.count].geom2 == c->geom2) g.count++;
  return g;
}

/* --- All ----------------------------------------------------------------------------------------
 */

static group list_next(listing* l, const carom_contact* c, int count) {
  const carom_model* model = l->sim->model;
  if (!(c->area > 0) || c->geom1 < 0 || c->geom2 < 0) return (group){c, 1};
  bool has_field = cr_contact_rule_has_field(&model->geom, &model->contact, c->geom1, c->geom2);
  group g = has_field ? find_pair(c, count) : find_group(c, count);
  if (has_field)
    list_field(l, &g);
  else
    list_area(l, &g);
  return g;
}

static bool has_areas(const carom_sim* sim) {
  int i = 0;
  while (i < sim->num_contacts && !(sim->contacts[i].area > 0)) i++;
  return i < sim->num_contacts;
}

static bool list_all(listing* l) {
  carom_sim* sim = l->sim;
  if (!has_areas(sim)) return true;
  size_t size = sizeof(double) * 7 * (size_t)sim->model->body.num_bodies;
  double* poses = cr_alloc(&sim->allocator, size); /* the arena is emptied to find them */
  if (!poses) return false;
  carom_sim_compute_poses(sim, poses);
  l->poses = poses;
  for (int i = 0; i < sim->num_contacts && !l->has_failed;)
    i += list_next(l, &sim->contacts[i], sim->num_contacts - i).count;
  cr_release(&sim->allocator, poses, size);
  return !l->has_failed;
}

carom_status carom_sim_list_pressure(carom_sim* sim, const carom_pressure_triangle** triangles,
                                     int* count, carom_error* error) {
  listing l = {.sim = sim};
  *triangles = NULL, *count = 0;
  sim->num_pressed = 0;
  if (!list_all(&l)) return cr_error_memory(error);
  *triangles = sim->pressed, *count = sim->num_pressed;
  return cr_error_clear(error);
}
