/* Rows of contact points and of the model's constraints, over the blocks of the trees that they
 * touch, and the impulses that their solution starts from. */
#include "sim/rows/assemble_rows.h"

#include "sim/mover.h"
#include "sim/rows/compliance.h"
#include "sim/rows/constraints.h"
#include "sim/rows/contact_rows.h"
#include "sim/rows/recovery.h"
#include "sim/rows/row_values.h"

#include <math.h>

static bool add_point(const cr_step* step, const cr_blocks* blocks, const cr_mover_point* point,
                      cr_path* path) {
  return cr_mover_of_link(step->model, point->link)->add_path(step, blocks, point, path);
}

/* A path that was found already stays: the points of a patch between links have one. */
static bool find_path(const cr_step* step, const cr_blocks* blocks, const cr_contact_point* point,
                      cr_path* path) {
  bool is_known = true, fits = true;
  for (int k = 0; k < 2; k++)
    is_known = is_known && path->link[k] == point->link[k] &&
               path->barycentric[k] == point->barycentric[k];
  if (is_known) return true;
  path->count = 0;
  for (int k = 0; k < 2; k++) {
    cr_mover_point on = cr_contact_point_on(point, k);
    path->link[k] = on.link, path->barycentric[k] = on.barycentric;
    fits = fits && add_point(step, blocks, &on, path);
  }
  cr_path_finish(blocks, path);
  for (int k = 0; k < 2; k++) path->side[k] = cr_path_find_side(step, blocks, path, path->link[k]);
  return fits;
}

/* The k-th point of a row, where it has a place of its own. */
static cr_mover_point row_point(const cr_model_row* row, int link, int k) {
  return (cr_mover_point){.link = link, .barycentric = k == 1 ? row->barycentric : NULL};
}

static bool find_row_path(const cr_step* step, const cr_blocks* blocks, const cr_model_row* row,
                          cr_path* path) {
  bool fits = true;
  path->link[0] = path->link[1] = -1;
  path->count = 0;
  for (int k = 0, link; (link = cr_model_row_get_link(step->model, row, k)) >= 0; k++) {
    cr_mover_point point = row_point(row, link, k);
    fits = fits && add_point(step, blocks, &point, path);
  }
  cr_path_finish(blocks, path);
  return fits;
}

static bool is_lagged(const cr_step* step) {
  return step->sim->def.friction == CAROM_FRICTION_LAGGED;
}

/* Adds the room that one constraint on a path of so many blocks and columns may need. */
static void reserve(int blocks, int columns, int constraints, int rows,
                    cr_assembly_capacity* capacity) {
  capacity->constraints += constraints;
  capacity->rows += rows;
  capacity->block_references += constraints * blocks;
  capacity->J += (int64_t)rows * cr_assembly_stride(columns);
}

/* What makes the constraints of points on one path. */
typedef struct maker {
  const cr_step* step;
  const cr_blocks* blocks;
  const cr_path* path;
  const cr_contact_points* points;
  cr_assembly* assembly;
  cr_constraint* constraints; /* in the order of addition */
} maker;

/* Rows of a point along directions[0..rows), from B less A. */
static void fill_point(const maker* m, const cr_contact_point* point, const v3* directions,
                       int rows, const cr_assembly_rows* out) {
  for (int k = 0; k < 2; k++) {
    const cr_path_side* side = &m->path->side[k];
    if (side->is_still) continue;
    if (side->is_free && rows == 3) {
      cr_path_set_free_rows(side, k ? 1 : -1, directions, cr_contact_point_place(point, k), out->J,
                            out->stride);
      continue;
    }
    cr_mover_point on = cr_contact_point_on(point, k);
    cr_point_rows at = {k ? 1 : -1, directions, rows, out->J, out->stride};
    cr_mover_of_link(m->step->model, on.link)->add_rows(m->step, m->blocks, m->path, &on, &at);
  }
}

/* The impulse of a record, which may be null, carried over to this step's length.
 * @return the record, null where there is no impulse */
static const cr_contact_record* take_impulse(const cr_step* step, const cr_contact_memory* memory,
                                             const cr_contact_record* record, v3* impulse) {
  if (!record || !(memory->dt > 0)) return NULL;
  *impulse = v3_scale(step->dt / memory->dt, v3_load(record->impulse));
  return record;
}

/* An impulse in memory; contacts in world axes.
 * @param place see cr_contact_memory_find_near
 * @return its record, or null */
static const cr_contact_record* find_impulse(const cr_step* step, const cr_contact_memory* memory,
                                             cr_contact_key key, int* place, v3* impulse) {
  return take_impulse(step, memory, cr_contact_memory_find_near(memory, key, place), impulse);
}

/* Rows of moments: the angular velocity of B less A, by rows whose sign is a length. */
static void fill_moments(const maker* m, const cr_contact_point* point, cr_point_rows rows) {
  for (int k = 0; k < 2; k++) {
    cr_point_rows of = rows;
    of.sign = k ? rows.sign : -rows.sign;
    cr_path_add_angular_rows(m->step, m->blocks, m->path, point->link[k], &of);
  }
}

/* Friction bound from the last step's normal impulse; a new contact starts from what stops gravity.
 */
static double lagged_radius(const cr_step* step, const cr_contact_point* point) {
  v3 impulse;
  int place = 0;
  if (find_impulse(step, &step->sim->memory, point->key, &place, &impulse))
    return point->friction * fmax(v3_dot(impulse, point->normal), 0);
  double mass = INFINITY;
  for (int k = 0; k < 2; k++) {
    cr_mover_point on = cr_contact_point_on(point, k);
    if (step->model->tree.link_tree[on.link] >= 0)
      mass = fmin(mass, cr_mover_of_link(step->model, on.link)->find_mass(step->model, &on));
  }
  return point->friction * mass * v3_norm(v3_load(step->model->force.gravity)) * step->dt *
         point->weight;
}

/* Number by number, where it is to stand: a copy would wait for what was written just now. */
static void describe_point(const cr_step* step, const cr_contact_points* points, int index,
                           cr_constraint* c) {
  const cr_contact_point* point = &points->items[index];
  int tree = cr_step_find_tree(step, point->link[0], point->link[1]);
  c->rule = CR_ROW_CONTACT;
  c->point = index;
  c->distance = point->distance;
  c->stiffness = point->stiffness * point->weight;
  c->dissipation = point->dissipation;
  c->theta = tree < 0 ? step->sim->theta : step->theta[tree];
  c->key = point->key;
  c->is_hit = point->is_impact && point->is_fast;
  c->moment = 0;
  c->extra = point->extra;
}

/* The constraint that is added next, of a point. */
static cr_constraint* describe_next(const maker* m, int index) {
  cr_constraint* c = &m->constraints[m->assembly->num_items];
  describe_point(m->step, m->points, index, c);
  return c;
}

/* Of a point of an area what it counts over the mean; 0 of others. */
static double relative_weight(const cr_contact_point* point) {
  return point->is_area ? point->weight * point->count : 0;
}

/* A contact with moments: t1 t2, torsion, perhaps rolling, n. */
static void add_moment_cone(const maker* m, const cr_contact_point* point, const v3* directions) {
  cr_law_kind kind = point->condim == 4 ? CR_LAW_CONTACT4 : CR_LAW_CONTACT6;
  cr_assembly_rows rows = cr_assembly_add(m->assembly, kind, m->path->block, m->path->count,
                                          point->friction, relative_weight(point));
  const double* length = point->extra->length;
  int stride = rows.stride;
  fill_point(m, point, directions, 2, &rows);
  fill_moments(m, point,
               (cr_point_rows){length[0], directions + 2, 1, rows.J + 2 * stride, stride});
  if (point->condim == 6)
    fill_moments(m, point, (cr_point_rows){length[1], directions, 2, rows.J + 3 * stride, stride});
  rows.J += (point->condim - 1) * stride;
  fill_point(m, point, directions + 2, 1, &rows);
}

/* Moments with a given bound, each on its own. */
static void add_lagged_moments(const maker* m, int index, const v3* directions) {
  const cr_contact_point* point = &m->points->items[index];
  double radius = lagged_radius(m->step, point);
  for (uint32_t moment = 1; moment <= (point->condim == 6 ? 2u : 1u); moment++) {
    cr_constraint* c = describe_next(m, index);
    c->rule = CR_ROW_DRY, c->moment = c->key.moment = moment;
    bool twists = moment == 1;
    cr_assembly_rows rows =
        cr_assembly_add(m->assembly, twists ? CR_LAW_BOUNDS : CR_LAW_DISC, m->path->block,
                        m->path->count, twists ? -radius : radius, twists ? radius : 0);
    fill_moments(m, point,
                 (cr_point_rows){point->extra->length[twists ? 0 : 1],
                                 twists ? directions + 2 : directions, twists ? 1 : 2, rows.J,
                                 rows.stride});
  }
}

/* A contact: a cone, or its normal alone, or a disc and its normal. */
static void add_contact(const maker* m, int index) {
  const cr_contact_point* point = &m->points->items[index];
  const cr_path* path = m->path;
  v3 directions[3] = {point->tangent[0], point->tangent[1], point->normal};
  cr_constraint* c = describe_next(m, index);
  if (point->condim >= 3 && !is_lagged(m->step)) {
    if (point->condim > 3) {
      add_moment_cone(m, point, directions);
      return;
    }
    cr_assembly_rows rows = cr_assembly_add(m->assembly, CR_LAW_CONTACT, path->block, path->count,
                                            point->friction, relative_weight(point));
    fill_point(m, point, directions, 3, &rows);
    return;
  }
  if (point->condim >= 3) {
    c->rule = CR_ROW_DRY;
    c->key.feature |= CR_KEY_FRICTION;
    cr_assembly_rows rows = cr_assembly_add(m->assembly, CR_LAW_DISC, path->block, path->count,
                                            lagged_radius(m->step, point), 0);
    fill_point(m, point, directions, 2, &rows);
  }
  if (point->condim > 3) add_lagged_moments(m, index, directions);
  describe_next(m, index);
  cr_assembly_rows rows =
      cr_assembly_add(m->assembly, CR_LAW_BOUNDS, path->block, path->count, 0, INFINITY);
  fill_point(m, point, directions + 2, 1, &rows);
}

static void count_path(const cr_step* step, const cr_mover_point* point, int* blocks,
                       int* columns) {
  cr_mover_of_link(step->model, point->link)->count_path(step->model, point, blocks, columns);
}

/* Whether the points lie on one path: those of a patch between links do. */
static bool share_path(const cr_contact_point* a, const cr_contact_point* b) {
  bool same = a != NULL;
  for (int k = 0; k < 2 && same; k++)
    same = a->link[k] == b->link[k] && a->barycentric[k] == b->barycentric[k];
  return same;
}

/* Room for the points. */
static void reserve_points(const cr_step* step, const cr_contact_points* points,
                           cr_assembly_capacity* capacity) {
  int forces = is_lagged(step) ? 2 : 1, blocks = 0, columns = 0;
  const cr_contact_point* last = NULL;
  for (int i = 0; i < points->count; i++) {
    const cr_contact_point* point = &points->items[i];
    if (!point->is_active) continue;
    if (!share_path(last, point)) {
      blocks = columns = 0;
      for (int k = 0; k < 2; k++) {
        cr_mover_point on = cr_contact_point_on(point, k);
        count_path(step, &on, &blocks, &columns);
      }
    }
    last = point;
    int moments = point->condim > 3 ? point->condim - 3 : 0;
    reserve(blocks, columns, forces + (moments ? 2 : 0), 3 + moments, capacity);
  }
}

static void reserve_row(const cr_step* step, const cr_model_row* row,
                        cr_assembly_capacity* capacity) {
  int blocks = 0, columns = 0;
  for (int k = 0, link; (link = cr_model_row_get_link(step->model, row, k)) >= 0; k++) {
    cr_mover_point point = row_point(row, link, k);
    count_path(step, &point, &blocks, &columns);
  }
  reserve(blocks, columns, 1, 1, capacity);
}

bool cr_assemble_rows(cr_step* step, const cr_contact_points* points, const cr_model_rows* rows,
                      cr_step_problem* out, cr_assembly* assembly) {
  cr_assembly_capacity capacity = {0};
  cr_path path;
  path.count = path.columns = 0;
  path.link[0] = path.link[1] = -1;
  path.barycentric[0] = path.barycentric[1] = NULL;
  reserve_points(step, points, &capacity);
  for (int i = 0; i < rows->count; i++)
    if (rows->items[i].is_active) reserve_row(step, &rows->items[i], &capacity);
  cr_constraint* constraints = CR_PUSH(step->problem_arena, cr_constraint, capacity.constraints);
  if (!cr_assembly_init(assembly, &out->blocks.pattern, &capacity, step->problem_arena))
    return false;
  const maker m = {step, &out->blocks, &path, points, assembly, constraints};
  for (int i = 0; i < points->count; i++) {
    if (!points->items[i].is_active) continue;
    if (!find_path(step, &out->blocks, &points->items[i], &path)) return false;
    if (path.count) add_contact(&m, i);
  }
  for (int i = 0; i < rows->count; i++) {
    if (!rows->items[i].is_active) continue;
    if (!find_row_path(step, &out->blocks, &rows->items[i], &path)) return false;
    if (path.count)
      cr_model_row_add(step, &out->blocks, &path, &rows->items[i], assembly,
                       &constraints[assembly->num_items]);
  }
  out->constraints = constraints;
  out->num_constraints = assembly->num_items;
  return true;
}

/* --- Warm start ---------------------------------------------------------------------------------
 */

/* Of a contact with moments, which stand in a record of their own where its force is not alone. */
static void set_moment_guess(const cr_step* step, const cr_constraint* c,
                             const cr_contact_point* point, v3 impulse, int kind, int* place,
                             double* gamma) {
  cr_contact_impulse sum = {impulse, impulse};
  if (c->moment == 0) {
    cr_contact_key key = c->key;
    key.moment = 1, sum.moment = v3_zero();
    find_impulse(step, step->guess, key, place, &sum.moment);
  }
  cr_contact_rows_split(kind, c->moment, point, &sum, gamma);
}

/* The record that a constraint starts from, or null; that of a point may have been found already.
 */
static const cr_contact_record* find_guess(const cr_step* step, const cr_contact_points* points,
                                           const cr_constraint* c, int* place, v3* impulse) {
  const cr_contact_record* known = c->point < 0 ? NULL : points->items[c->point].record;
  bool is_it =
      known && step->guess == &step->sim->memory && cr_contact_key_compare(known->key, c->key) == 0;
  return is_it ? take_impulse(step, step->guess, known, impulse)
               : find_impulse(step, step->guess, c->key, place, impulse);
}

void cr_assemble_guess(const cr_step* step, const cr_contact_points* points, cr_step_problem* out) {
  const cr_problem* p = &out->problem;
  for (int i = 0, place = 0; i < p->num_constraints; i++) {
    const cr_constraint* c = &out->constraints[out->order[i]];
    int row = p->row[i];
    v3 impulse = v3_zero();
    const cr_contact_record* record = find_guess(step, points, c, &place, &impulse);
    out->has_guess |= record != NULL;
    cr_recovery_ease(out, i, record ? record->recovery : 1);
    const cr_contact_point* point = c->point < 0 ? NULL : &points->items[c->point];
    if (!point)
      out->gamma[row] = impulse.x;
    else if (point->condim > 3)
      set_moment_guess(step, c, point, impulse, p->kind[i], &place, out->gamma + row);
    else
      cr_contact_rows_split(p->kind[i], 0, point, &(cr_contact_impulse){.force = impulse},
                            out->gamma + row);
  }
}
