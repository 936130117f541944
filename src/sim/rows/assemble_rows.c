/* Rows of contact points and of the model's constraints, over the blocks of the trees that they
 * touch, and the impulses that their solution starts from. */
#include "sim/rows/assemble_rows.h"

#include "sim/rows/constraints.h"
#include "sim/rows/contact_rows.h"
#include "sim/rows/row_values.h"
#include "sim/soft/soft_rows.h"

#include <math.h>

/* A path that was found already stays: the points of a patch have one, but for those of soft
 * bodies. */
static bool find_path(const cr_step* step, const cr_blocks* blocks, const cr_touch* t,
                      cr_path* path) {
  bool is_soft = t->spot[0] || t->spot[1], fits = true;
  if (!is_soft && path->link[0] == t->link[0] && path->link[1] == t->link[1]) return true;
  for (int k = 0; k < 2; k++) path->link[k] = is_soft ? -1 : t->link[k];
  path->count = 0;
  for (int k = 0; k < 2; k++)
    fits = fits && (t->spot[k] ? cr_path_add_spot(step, blocks, t->spot[k], path)
                               : cr_path_add_link(step, blocks, t->link[k], path));
  cr_path_finish(blocks, path);
  return fits;
}

static bool find_row_path(const cr_step* step, const cr_blocks* blocks, const cr_model_row* row,
                          cr_path* path) {
  bool fits = true;
  path->link[0] = path->link[1] = -1;
  path->count = 0;
  for (int k = 0, link; (link = cr_model_row_get_link(step->model, row, k)) >= 0; k++)
    fits = fits && (row->tie && k == 1 ? cr_soft_add_tie_path(step, blocks, row->tie - 1, path)
                                       : cr_path_add_link(step, blocks, link, path));
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

/* Rows of a point along directions[0..rows), from B less A. */
static void fill_point(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                       const cr_touch* t, const v3* directions, int rows,
                       const cr_assembly_rows* out) {
  for (int k = 0; k < 2; k++) {
    double sign = k ? 1 : -1;
    if (t->spot[k])
      cr_path_add_spot_rows(step, blocks, path, t->spot[k], sign, directions, rows, out->J,
                            out->stride);
    else
      cr_path_add_point_rows(step, blocks, path, t->link[k], cr_touch_place(t, k), sign, directions,
                             rows, out->J, out->stride);
  }
}

/* An impulse in memory, carried over to this step's length; contacts in world axes.
 * @param place see cr_contact_memory_find_near */
static bool find_impulse(const cr_step* step, const cr_contact_memory* memory, cr_contact_key key,
                         int* place, v3* impulse) {
  const cr_contact_record* record = cr_contact_memory_find_near(memory, key, place);
  if (!record || !(memory->dt > 0)) return false;
  *impulse = v3_scale(step->dt / memory->dt, v3_load(record->impulse));
  return true;
}

/* Rows of moments: the angular velocity of B less A about axes[0..count), times a length. */
static void fill_moments(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                         const cr_touch* t, const v3* axes, int count, double length, double* J,
                         int stride) {
  for (int k = 0; k < 2; k++)
    cr_path_add_angular_rows(step, blocks, path, t->link[k], k ? length : -length, axes, count, J,
                             stride);
}

/* Friction bound from the last step's normal impulse; a new contact starts from what stops gravity.
 */
static double lagged_radius(const cr_step* step, const cr_touch* t) {
  v3 impulse;
  int place = 0;
  if (find_impulse(step, &step->sim->memory, t->key, &place, &impulse))
    return t->friction * fmax(v3_dot(impulse, t->normal), 0);
  double mass = INFINITY;
  for (int k = 0; k < 2; k++)
    if (step->model->tree.link_tree[t->link[k]] >= 0)
      mass = fmin(mass, t->spot[k] ? cr_soft_spot_mass(step->model, t->spot[k])
                                   : step->model->tree.link_mass[t->link[k]]);
  return t->friction * mass * v3_norm(v3_load(step->model->force.gravity)) * step->dt * t->weight;
}

/* Number by number, where it is to stand: a copy would wait for what was written just now. */
static void describe_touch(const cr_step* step, const cr_touches* touches, int index,
                           cr_constraint* c) {
  const cr_touch* t = &touches->items[index];
  int tree = cr_step_find_tree(step, t->link[0], t->link[1]);
  c->rule = CR_ROW_CONTACT;
  c->touch = index;
  c->distance = t->distance;
  c->stiffness = t->stiffness * t->weight;
  c->dissipation = t->dissipation;
  c->theta = tree < 0 ? step->sim->theta : step->theta[tree];
  c->key = t->key;
  c->is_hit = t->is_struck && t->is_fast;
  c->moment = 0;
  c->extra = t->extra;
}

/* A contact with moments: t1 t2, torsion, perhaps rolling, n. */
static void add_moment_cone(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                            const cr_touch* t, const v3* directions, cr_assembly* assembly) {
  cr_law_kind kind = t->condim == 4 ? CR_LAW_CONTACT4 : CR_LAW_CONTACT6;
  cr_assembly_rows rows = cr_assembly_add(assembly, kind, path->block, path->count, t->friction, 0);
  int stride = rows.stride;
  fill_point(step, blocks, path, t, directions, 2, &rows);
  fill_moments(step, blocks, path, t, directions + 2, 1, t->extra->length[0], rows.J + 2 * stride,
               stride);
  if (t->condim == 6)
    fill_moments(step, blocks, path, t, directions, 2, t->extra->length[1], rows.J + 3 * stride,
                 stride);
  rows.J += (t->condim - 1) * stride;
  fill_point(step, blocks, path, t, directions + 2, 1, &rows);
}

/* Moments with a given bound, each on its own. */
static void add_lagged_moments(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                               const cr_touches* touches, int index, const v3* directions,
                               cr_assembly* assembly, cr_constraint* constraints) {
  const cr_touch* t = &touches->items[index];
  double radius = lagged_radius(step, t);
  for (uint32_t moment = 1; moment <= (t->condim == 6 ? 2u : 1u); moment++) {
    cr_constraint* c = &constraints[assembly->num_items];
    describe_touch(step, touches, index, c);
    c->rule = CR_ROW_DRY, c->moment = c->key.moment = moment;
    bool twists = moment == 1;
    cr_assembly_rows rows =
        cr_assembly_add(assembly, twists ? CR_LAW_BOUNDS : CR_LAW_DISC, path->block, path->count,
                        twists ? -radius : radius, twists ? radius : 0);
    fill_moments(step, blocks, path, t, twists ? directions + 2 : directions, twists ? 1 : 2,
                 t->extra->length[twists ? 0 : 1], rows.J, rows.stride);
  }
}

/* A contact: a cone, or its normal alone, or a disc and its normal. */
static void add_touch(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                      const cr_touches* touches, int index, cr_assembly* assembly,
                      cr_constraint* constraints) {
  const cr_touch* t = &touches->items[index];
  v3 directions[3] = {t->tangent[0], t->tangent[1], t->normal};
  cr_constraint* c = &constraints[assembly->num_items];
  describe_touch(step, touches, index, c);
  if (t->condim >= 3 && !is_lagged(step)) {
    if (t->condim > 3) {
      add_moment_cone(step, blocks, path, t, directions, assembly);
      return;
    }
    cr_assembly_rows rows =
        cr_assembly_add(assembly, CR_LAW_CONTACT, path->block, path->count, t->friction, 0);
    fill_point(step, blocks, path, t, directions, 3, &rows);
    return;
  }
  if (t->condim >= 3) {
    c->rule = CR_ROW_DRY;
    c->key.feature |= CR_KEY_FRICTION;
    cr_assembly_rows rows =
        cr_assembly_add(assembly, CR_LAW_DISC, path->block, path->count, lagged_radius(step, t), 0);
    fill_point(step, blocks, path, t, directions, 2, &rows);
  }
  if (t->condim > 3)
    add_lagged_moments(step, blocks, path, touches, index, directions, assembly, constraints);
  describe_touch(step, touches, index, &constraints[assembly->num_items]);
  cr_assembly_rows rows =
      cr_assembly_add(assembly, CR_LAW_BOUNDS, path->block, path->count, 0, INFINITY);
  fill_point(step, blocks, path, t, directions + 2, 1, &rows);
}

/* Adds to the blocks and columns that a path may have those from a link to its root. */
static void count_path(const cr_tree_model* model, int link, int* blocks, int* columns) {
  int dof = model->link_last_dof[link];
  int segment = dof < 0 ? -1 : model->dof_segment[dof];
  for (; segment >= 0; segment = model->segment_parent[segment], ++*blocks)
    *columns += model->segment_v_start[segment + 1] - model->segment_v_start[segment];
}

/* Room for a point: of soft bodies by the path itself. */
static bool reserve_touch(const cr_step* step, const cr_touch* t, cr_step_problem* out,
                          cr_path* path, cr_assembly_capacity* capacity) {
  int moments = t->condim > 3 ? t->condim - 3 : 0, blocks = 0, columns = 0;
  if (t->spot[0] || t->spot[1]) {
    if (!find_path(step, &out->blocks, t, path)) return false;
    blocks = path->count, columns = path->columns;
  } else
    for (int k = 0; k < 2; k++) count_path(&step->model->tree, t->link[k], &blocks, &columns);
  int constraints = (is_lagged(step) ? 2 : 1) + (moments ? 2 : 0);
  reserve(blocks, columns, constraints, 3 + moments, capacity);
  return true;
}

static bool reserve_row(const cr_step* step, const cr_model_row* row, cr_step_problem* out,
                        cr_path* path, cr_assembly_capacity* capacity) {
  int blocks = 0, columns = 0;
  if (row->tie) {
    if (!find_row_path(step, &out->blocks, row, path)) return false;
    blocks = path->count, columns = path->columns;
  } else
    for (int k = 0, link; (link = cr_model_row_get_link(step->model, row, k)) >= 0; k++)
      count_path(&step->model->tree, link, &blocks, &columns);
  reserve(blocks, columns, 1, 1, capacity);
  return true;
}

bool cr_assemble_rows(cr_step* step, const cr_touches* touches, const cr_model_rows* rows,
                      cr_step_problem* out, cr_assembly* assembly) {
  cr_assembly_capacity capacity = {0};
  cr_path path;
  path.count = path.columns = 0;
  path.link[0] = path.link[1] = -1;
  bool fits = true;
  for (int i = 0; i < touches->count; i++)
    if (touches->items[i].is_active)
      fits = fits && reserve_touch(step, &touches->items[i], out, &path, &capacity);
  for (int i = 0; i < rows->count; i++)
    if (rows->items[i].is_active)
      fits = fits && reserve_row(step, &rows->items[i], out, &path, &capacity);
  cr_constraint* constraints = CR_PUSH(step->problem_arena, cr_constraint, capacity.constraints);
  if (!fits || !cr_assembly_init(assembly, &out->blocks.pattern, &capacity, step->problem_arena))
    return false;
  for (int i = 0; i < touches->count; i++) {
    if (!touches->items[i].is_active) continue;
    if (!find_path(step, &out->blocks, &touches->items[i], &path)) return false;
    if (path.count) add_touch(step, &out->blocks, &path, touches, i, assembly, constraints);
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
static void set_moment_guess(const cr_step* step, const cr_constraint* c, const cr_touch* t,
                             v3 impulse, int kind, int* place, double* gamma) {
  cr_contact_impulse sum = {impulse, impulse};
  if (c->moment == 0) {
    cr_contact_key key = c->key;
    key.moment = 1, sum.moment = v3_zero();
    find_impulse(step, step->guess, key, place, &sum.moment);
  }
  cr_contact_rows_split(kind, c->moment, t, &sum, gamma);
}

void cr_assemble_guess(const cr_step* step, const cr_touches* touches, cr_step_problem* out) {
  const cr_problem* p = &out->problem;
  for (int i = 0, place = 0; i < p->num_constraints; i++) {
    const cr_constraint* c = &out->constraints[out->order[i]];
    int row = p->row[i];
    v3 impulse = v3_zero();
    out->has_guess |= find_impulse(step, step->guess, c->key, &place, &impulse);
    if (c->touch < 0) {
      out->gamma[row] = impulse.x;
      continue;
    }
    const cr_touch* t = &touches->items[c->touch];
    if (t->condim > 3)
      set_moment_guess(step, c, t, impulse, p->kind[i], &place, out->gamma + row);
    else
      cr_contact_rows_split(p->kind[i], 0, t, &(cr_contact_impulse){.force = impulse},
                            out->gamma + row);
  }
}
