/* Broad phase, pair parameters, narrow phase: the search for contact points. */
#include "sim/contact/contacts.h"

#include "base/copy.h"
#include "geom/patches.h"
#include "math/scalar.h"
#include "model/contact_rule.h"
#include "sim/contact/contact_field.h"
#include "sim/contact/contact_patches.h"
#include "sim/contact/rolling.h"
#include "sim/sleep.h"
#include "sim/soft/soft_surface.h"

#include <string.h>

#define LEAST_PAIRS 128 /* of a part: 0.3 to 0.5 us each */

/* --- Poses and reach ----------------------------------------------------------------------------
 */

typedef cr_scan scan;

/* How far a geometry may move within the step. */
static double find_reach(const scan* s, int geom, int link) {
  double radius = cr_shape_compute_bounding_radius(&s->step->model->geom.shape[geom]);
  bool hangs = s->step->model->tree.link_tree[link] < 0;
  if (hangs && !s->step->sim->num_driven) return 0;
  double spin = v3_norm(hangs ? cr_driven_find(s->step->sim, link).ang : s->lin->link[link].ang);
  double speed = v3_norm(cr_contact_find_velocity(s->step, s->lin->link, link, s->poses[geom].p)) +
                 spin * radius;
  if (hangs) return s->step->dt * speed + s->beyond;
  return s->step->dt * (speed + s->g_dt + s->step->sim->ahead) + s->beyond;
}

/* What is fixed in the world stands where it stood. */
static void place_geoms(scan* s) {
  const cr_geom_model* geoms = &s->step->model->geom;
  for (int i = 0; i < s->step->sim->num_moving_geoms; i++) {
    int g = s->step->sim->moving_geom[i], link = geoms->link[g];
    s->poses[g] = pose_mul(&s->step->kinematics.link_pose[link], &geoms->local[g]);
    s->reach[g] = find_reach(s, g, link);
  }
}

/* What was loaded in the last step is looked for as far as it has parted since, however little
 * moves. A state that was restored may hold records of anything. */
static void widen_reach(scan* s) {
  const cr_contact_memory* memory = &s->step->sim->memory;
  const cr_geom_model* geoms = &s->step->model->geom;
  for (int i = 0; i < memory->count; i++) {
    const cr_contact_record* record = &memory->records[i];
    uint64_t geom1 = record->key.pair >> 32, geom2 = record->key.pair & UINT32_MAX;
    uint64_t most = (uint64_t)geoms->num_geoms;
    if (!(record->gap > 0) || geom1 >= most || geom2 >= most) continue;
    uint64_t moving = geoms->link[geom1] > 0 ? geom1 : geom2;
    if (geoms->link[moving] == 0) continue;
    double travel = find_reach(s, (int)moving, geoms->link[moving]);
    s->reach[moving] = scalar_max(s->reach[moving], travel + record->gap);
  }
}

/* --- Pair parameters ----------------------------------------------------------------------------
 */

/* A pair that the scene lists has its own values, any other what its geometries make of it. */
static cr_contact_values find_values(const carom_model* model, const cr_geom_pair* pair) {
  const cr_contact_model* c = &model->contact;
  int p = pair->pair;
  if (p < 0) return cr_contact_rule_mix(&model->geom, c, pair->geom1, pair->geom2);
  return (cr_contact_values){.condim = c->pair_condim[p],
                             .friction = c->pair_friction[p],
                             .margin = model->geom.pair_margin[p],
                             .gap = c->pair_gap[p],
                             .stiffness = c->pair_stiffness[p],
                             .dissipation = c->pair_dissipation[p]};
}

/* --- Narrow phase
 * ----------------------------------------------------------------------------------
 */

static bool has_field(const scan* s, const cr_geom_pair* pair) {
  const carom_model* model = s->step->model;
  return cr_contact_rule_has_field(&model->geom, &model->contact, pair->geom1, pair->geom2);
}

/* What gives way over an area has the points of all of it, also where a body has lifted a little:
 * what these count would otherwise fall to the others at once, and the body would rock for ever. */
static double find_more(const scan* s, const cr_geom_pair* pair, const cr_contact_values* values) {
  if (s->patches != CAROM_PATCHES_AREA || isinf(values->stiffness) || has_field(s, pair)) return 0;
  double depth = cr_contact_find_depth(s->step->model, (const int[]){pair->geom1, pair->geom2});
  return isinf(depth) ? 0 : depth;
}

static bool is_within(const cr_manifold* manifold, double margin) {
  for (int i = 0; i < manifold->count; i++)
    if (manifold->points[i].distance <= margin) return true;
  return false;
}

static bool add_patches(scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                        double margin) {
  const cr_shape* shape = s->step->model->geom.shape;
  cr_patches patches;
  cr_geom_collide_patches(&shape[pair->geom1], &s->poses[pair->geom1], &shape[pair->geom2],
                          &s->poses[pair->geom2], margin + find_more(s, pair, values), &patches);
  if (has_field(s, pair)) return cr_scan_add_field(s, pair, values, patches.patch, patches.count);
  for (int i = 0; i < patches.count; i++)
    if (is_within(&patches.patch[i], margin) &&
        !cr_scan_add_patch(s, pair, values, &patches.patch[i]))
      return false;
  return true;
}

static bool add_near(scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                     double margin) {
  const cr_geom_model* geoms = &s->step->model->geom;
  const cr_shape *a = &geoms->shape[pair->geom1], *b = &geoms->shape[pair->geom2];
  if (cr_geom_needs_patches(a, b)) return add_patches(s, pair, values, margin);
  cr_manifold manifold;
  cr_collide_query query = {.a = a, .b = b, .margin = margin + find_more(s, pair, values)};
  query.Xa = &s->poses[pair->geom1];
  query.Xb = &s->poses[pair->geom2];
  query.memory =
      cr_pair_memories_find(&s->step->sim->pair_memories, geoms->shape, pair->geom1, pair->geom2);
  cr_geom_collide_pair(&query, &manifold);
  if (has_field(s, pair)) return cr_scan_add_field(s, pair, values, &manifold, 1);
  return !is_within(&manifold, margin) || cr_scan_add_patch(s, pair, values, &manifold);
}

/* What is fast is looked at where it meets; what does not meet passes by. */
static bool add_pair(scan* s, const cr_geom_pair* pair) {
  cr_contact_values values = find_values(s->step->model, pair);
  double margin = values.margin + s->reach[pair->geom1] + s->reach[pair->geom2];
  if (s->lists || !cr_sweep_is_needed(s, pair)) return add_near(s, pair, &values, margin);
  cr_sweep_hit hit;
  cr_sweep_outcome outcome = cr_sweep_find(s, pair, &hit);
  if (outcome == CR_SWEEP_HIT) {
    if (has_field(s, pair)) values.stiffness = INFINITY; /* it is struck before it gives way */
    return cr_scan_add_hit(s, pair, &values, &hit);
  }
  s->passes = outcome == CR_SWEEP_NONE;
  bool done = add_near(s, pair, &values, margin);
  s->passes = false;
  return done;
}

/* --- Pairs --------------------------------------------------------------------------------------
 */

/* Pairs [first, end) of those within reach. */
static bool add_pairs(scan* s, const cr_geom_pair* pairs, int first, int end) {
  const int* link = s->step->model->geom.link;
  if (!cr_contact_points_grow(s->step, s->points, end - first + CR_MANIFOLD_MAX)) return false;
  for (int i = first; i < end; i++) {
    bool sleeps = cr_sleep_has_pair(s->step->sim, link[pairs[i].geom1], link[pairs[i].geom2]);
    if ((!sleeps || !s->leaves_sleeping) && !add_pair(s, &pairs[i])) return false;
  }
  return true;
}

/* Parts of the pairs, each with points of its own. */
typedef struct pair_parts {
  const scan* scan;
  const cr_geom_pair* pairs;
  cr_contact_points* found; /* [parts] */
} pair_parts;

static bool add_part(void* data, int index, int first, int end, cr_arena* arena) {
  const pair_parts* p = data;
  cr_step step = *p->scan->step;
  step.arena = arena;
  scan s = *p->scan;
  s.step = &step, s.points = &p->found[index];
  return add_pairs(&s, p->pairs, first, end);
}

/* The points of all parts, one after the other. */
static bool join_parts(scan* s, const cr_contact_points* found, int parts) {
  int count = 0;
  for (int k = 0; k < parts; k++) count += found[k].count;
  if (!cr_contact_points_grow(s->step, s->points, count)) return false;
  for (int k = 0; k < parts; k++) {
    int first = s->points->count;
    cr_contact_point* point = s->points->items + first;
    if (found[k].count) CR_COPY(point, found[k].items, found[k].count);
    for (int i = 0; i < found[k].count; i++) point[i].first += first;
    s->points->count += found[k].count;
  }
  return true;
}

/* Polyhedra share a memory of pairs, and surfaces take memory that has to last. */
static int count_parts(const scan* s, int num_pairs) {
  bool is_apart = s->step->model->contact.is_plain && !s->step->sim->pair_memories.items;
  return is_apart ? cr_solve_workers_count_parts(s->step->sim->workers, num_pairs, LEAST_PAIRS) : 1;
}

static bool add_all_pairs(scan* s, const cr_geom_pair* pairs, int num_pairs) {
  int parts = count_parts(s, num_pairs);
  if (parts == 1) return add_pairs(s, pairs, 0, num_pairs);
  cr_scratch_mark mark = cr_arena_mark_scratch(s->step->arena);
  pair_parts p = {s, pairs, CR_SCRATCH(s->step->arena, cr_contact_points, parts)};
  if (s->step->arena->failed) return false;
  memset(p.found, 0, sizeof *p.found * (size_t)parts);
  bool done =
      cr_solve_workers_run(s->step->sim->workers, parts, num_pairs, add_part, &p, s->step->arena) &&
      join_parts(s, p.found, parts);
  cr_arena_pop_scratch(s->step->arena, mark);
  return done;
}

/* Poses of what moves and how far each geometry may move. */
static void init_scan(scan* s) {
  s->g_dt = v3_norm(v3_load(s->step->model->force.gravity)) * s->step->dt;
  s->poses = s->step->sim->geom_pose;
  s->reach = s->step->sim->geom_reach;
  place_geoms(s);
  widen_reach(s);
}

/* All points of pairs that are within reach of each other. */
static bool find_points(scan* s) {
  cr_step* step = s->step;
  cr_geom_pair* pairs;
  int num_pairs;
  if (cr_broadphase_find_pairs(step->sim->broadphase, s->poses, s->reach, step->arena, &pairs,
                               &num_pairs) != CAROM_OK)
    return false;
  return add_all_pairs(s, pairs, num_pairs);
}

static bool find_all(scan* s) {
  return (!s->step->sim->broadphase || find_points(s)) && cr_scan_soft(s);
}

static bool find(cr_step* step, const cr_motion* lin, const cr_motion* start, double beyond,
                 cr_contact_points* points) {
  points->count = 0;
  if (!step->sim->has_contacts) return true;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  scan s = {.step = step,
            .lin = lin,
            .start = start,
            .soft_reach = -1,
            .beyond = beyond,
            .leaves_sleeping = true,
            .patches = step->sim->def.patches,
            .points = points};
  init_scan(&s);
  /* Mostly about as many as in the last step. */
  bool done = cr_rolling_foresee(step, &s.rolling) &&
              cr_contact_points_grow(step, points, step->sim->memory.count + CR_MANIFOLD_MAX) &&
              find_all(&s);
  cr_arena_pop_scratch(step->arena, mark);
  return done;
}

bool cr_contact_points_find(cr_step* step, const cr_motion* lin, const cr_motion* start,
                            cr_contact_points* points) {
  return find(step, lin, start, 0, points);
}

bool cr_contact_points_find_beyond(cr_step* step, const cr_motion* lin, const cr_motion* start,
                                   double beyond, cr_contact_points* points) {
  *points = (cr_contact_points){0};
  bool done = find(step, lin, start, beyond, points);
  for (int i = 0; i < step->sim->num_moving_geoms && step->sim->has_contacts; i++)
    step->sim->geom_reach[step->sim->moving_geom[i]] -= beyond;
  return done;
}

bool cr_contact_points_list(cr_step* step, const cr_motion* motion, double reach,
                            carom_patches patches, cr_contact_points* points) {
  *points = (cr_contact_points){0};
  if (!step->sim->has_contacts) return true;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  scan s = {.step = step,
            .lin = motion,
            .start = motion,
            .soft_reach = 0.5 * reach,
            .lists = true,
            .patches = patches,
            .points = points};
  const cr_geom_model* geoms = &step->model->geom;
  init_scan(&s);
  for (int g = 0; g < geoms->num_geoms; g++) s.reach[g] = 0.5 * reach;
  bool done = find_all(&s);
  for (int g = 0; g < geoms->num_geoms; g++)
    if (geoms->link[g] == 0) s.reach[g] = 0;
  cr_arena_pop_scratch(step->arena, mark);
  return done;
}
