/* A part of a body feels a force f(V) of its velocity V relative to the fluid, both in its own
 * axes, along which it has six rows: V_i = J_i v - e_i · wind, where the link carries the axes e
 * along. f_i is a force along J_i whose rate is that of all six, - dV · d f_i / dV. A has the
 * damping's two blocks D, as a sum over rows along e_i and e_i + e_j,
 *
 *   D = Σ_i (D_ii - Σ_j≠i D_ij) e_i e_iᵀ + Σ_i<j D_ij (e_i + e_j) (e_i + e_j)ᵀ. */
#include "derive/fluid_tangent.h"

#include "derive/row_forces.h"
#include "force/fluid.h"
#include "sim/tree/external.h"
#include "sim/tree/lines.h"

#include <string.h>

enum { ANG, LIN = 3 };

/* A part, its rows along its axes, and how the six velocities move. */
typedef struct maker {
  cr_step_tangent* t;
  int part, link;
  pose place;
  cr_fluid_slopes slopes;
  cr_row_force rows[6];
} maker;

/* --- Rows ---------------------------------------------------------------------------------------
 */

static cr_row_force* next_row(const maker* m) {
  cr_row_forces* all = m->t->row_forces;
  cr_row_force* p = &all->items[all->count++];
  *p = (cr_row_force){.tree = m->t->step->model->tree.link_tree[m->link], .is_external = true};
  return p;
}

/* The row along an axis of the part, translating or turning. */
static bool find_line(const maker* m, int block, v3 axis, cr_line_tangent* line) {
  cr_line_place at = cr_step_line_place(m->t->step);
  v3 e = m3_mulv(&m->place.R, axis);
  const cr_line_wrench wrench = {m->link, false, m->place.p, block == LIN ? e : v3_zero(),
                                 block == LIN ? v3_zero() : e};
  return cr_line_tangent_of_wrench(&at, &wrench, m->t->arena, line);
}

/* The wind turns back as the axes turn. */
static void add_wind(const maker* m, v3 axis, cr_row_force* p) {
  const cr_step* step = m->t->step;
  v3 e = m3_mulv(&m->place.R, axis), wind = v3_load(step->model->force.fluid.wind);
  for (int j = 0; j < p->line.n; j++)
    p->rate.by_q[j] -= v3_dot(v3_cross(step->kinematics.S[p->line.dof[j]].ang, e), wind);
}

static bool find_rows(maker* m) {
  for (int i = 0; i < 6; i++) {
    cr_row_force* p = &m->rows[i];
    v3 axis = v3_set(v3_zero(), i % 3, 1);
    *p = (cr_row_force){.tree = m->t->step->model->tree.link_tree[m->link]};
    if (!find_line(m, i < LIN ? ANG : LIN, axis, &p->line) || !cr_row_force_find_ways(m->t, p))
      return false;
    if (i >= LIN) add_wind(m, axis, p);
  }
  return true;
}

/* A rate that is a sum of the six. */
static bool sum_rates(const maker* m, const double by[6], cr_row_force_way* out) {
  int n = m->rows[0].line.n;
  double *J = CR_PUSH(m->t->arena, double, n), *by_q = CR_PUSH(m->t->arena, double, n);
  if (m->t->arena->failed) return false;
  for (int j = 0; j < n; j++) {
    J[j] = by_q[j] = 0;
    for (int i = 0; i < 6; i++) {
      J[j] += by[i] * m->rows[i].line.J[j];
      by_q[j] += by[i] * m->rows[i].rate.by_q[j];
    }
  }
  *out = (cr_row_force_way){by_q, J, m->rows[0].rate.by_v, m->rows[0].rate.by_v0};
  return true;
}

/* --- Force and damping --------------------------------------------------------------------------
 */

static bool add_force(const maker* m, int i) {
  const sv* f = &m->slopes.force;
  cr_row_force* p = next_row(m);
  double by[6];
  for (int k = 0; k < 6; k++) by[k] = -m->slopes.by[i][k];
  p->line = m->rows[i].line, p->length = m->rows[i].length;
  p->force = i < LIN ? v3_get(f->ang, i) : v3_get(f->lin, i - LIN);
  p->damping = 1;
  return sum_rates(m, by, &p->rate);
}

/* What a row along e_i (i == j) or e_i + e_j weighs of a block. */
static double find_share(const m3* D, int i, int j) {
  if (i != j) return D->m[i][j];
  return D->m[i][i] - D->m[i][(i + 1) % 3] - D->m[i][(i + 2) % 3];
}

static bool add_damping(const maker* m, int block, int i, int j) {
  const cr_step* step = m->t->step;
  double h = step->dt * step->theta[m->rows[0].tree].v, by[6] = {0}, most = 0;
  const m3* D = block == LIN ? &m->slopes.linear : &m->slopes.angular;
  const m3* D_by = block == LIN ? m->slopes.linear_by : m->slopes.angular_by;
  for (int k = 0; k < 3; k++) {
    by[block + k] = h * find_share(&D_by[k], i, j);
    most += by[block + k] * by[block + k];
  }
  double weight = h * find_share(D, i, j);
  if (weight == 0 && most == 0) return true;
  cr_row_force* p = next_row(m);
  v3 axis = v3_set(v3_set(v3_zero(), i, 1), j, 1);
  p->length = m->rows[block].length;
  p->weight = weight, p->weight_by[1] = 1;
  return find_line(m, block, axis, &p->line) && sum_rates(m, by, &p->rate);
}

bool cr_fluid_rows_add(cr_step_tangent* t, int part) {
  const cr_step* step = t->step;
  const cr_fluid_model* fluid = &step->model->force.fluid;
  cr_fluid_tangent* at = &t->fluids[part];
  at->V = cr_external_find_part_velocity(step->model, part, &step->kinematics, &step->velocities,
                                         &at->place);
  maker m = {.t = t, .part = part, .link = fluid->link[part], .place = at->place};
  m.slopes = cr_fluid_find_slopes(fluid, part, at->V);
  if (!find_rows(&m)) return false;
  for (int i = 0; i < 6; i++)
    if (!add_force(&m, i)) return false;
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++)
      if (!add_damping(&m, ANG, i, j) || !add_damping(&m, LIN, i, j)) return false;
  return true;
}

/* --- Parameters ---------------------------------------------------------------------------------
 */

bool cr_theta_is_of_fluid(const cr_theta_column* theta) {
  return theta->kind == CR_THETA_FLUID_DENSITY || theta->kind == CR_THETA_FLUID_VISCOSITY ||
         theta->kind == CR_THETA_WIND;
}

/* A part alone in a fluid of a unit of what its forces are linear in and nothing of the other.
 * @param added [6] receives its added masses */
static cr_fluid_model make_unit(const cr_fluid_model* fluid, int part, const cr_theta_column* theta,
                                double* added) {
  cr_fluid_model unit = {.density = theta->kind == CR_THETA_FLUID_DENSITY,
                         .viscosity = theta->kind == CR_THETA_FLUID_VISCOSITY,
                         .num_parts = 1,
                         .is_ellipsoid = fluid->is_ellipsoid + part,
                         .size = fluid->size + 3 * part,
                         .coefficient = fluid->coefficient + CR_FLUID_NUM_COEFFICIENTS * part,
                         .added = added};
  cr_fluid_compute_added_mass(unit.size, added);
  for (int i = 0; i < 6; i++) added[i] *= unit.density;
  return unit;
}

/* How V moves with a unit of the wind. */
static v3 find_headwind(const cr_fluid_tangent* at, const cr_theta_column* theta) {
  return m3_tmulv(&at->place.R, v3_set(v3_zero(), theta->element, -1));
}

sv cr_fluid_theta_find_force(const cr_fluid_model* fluid, int part, const cr_fluid_tangent* at,
                             const cr_theta_column* theta) {
  if (theta->kind != CR_THETA_WIND) {
    double added[6];
    cr_fluid_model unit = make_unit(fluid, part, theta, added);
    return cr_fluid_compute_force(&unit, 0, at->V);
  }
  cr_fluid_slopes s = cr_fluid_find_slopes(fluid, part, at->V);
  v3 dv = find_headwind(at, theta);
  double f[6];
  for (int i = 0; i < 6; i++)
    f[i] = s.by[i][LIN] * dv.x + s.by[i][LIN + 1] * dv.y + s.by[i][LIN + 2] * dv.z;
  return (sv){v3_load(f), v3_load(f + 3)};
}

/* Of the damping's two blocks. */
static void find_damping_slope(const cr_fluid_model* fluid, int part, const cr_fluid_tangent* at,
                               const cr_theta_column* theta, m3 D[2]) {
  if (theta->kind != CR_THETA_WIND) {
    double added[6];
    cr_fluid_model unit = make_unit(fluid, part, theta, added);
    cr_fluid_compute_damping(&unit, 0, at->V, &D[1], &D[0]);
    return;
  }
  cr_fluid_slopes s = cr_fluid_find_slopes(fluid, part, at->V);
  v3 dv = find_headwind(at, theta);
  memset(D, 0, 2 * sizeof *D);
  for (int k = 0; k < 3; k++) {
    m3 moved = m3_scale(v3_get(dv, k), &s.linear_by[k]);
    D[1] = m3_add(&D[1], &moved);
  }
}

/* Unit motion of a dof at a part, in its axes. */
static sv motion_at(const cr_step* step, int dof, const pose* place) {
  int tree = step->model->tree.link_tree[step->model->tree.dof_link[dof]];
  v3 point = cr_tree_dof_point_velocity(&step->kinematics, tree, dof, place->p);
  return (sv){m3_tmulv(&place->R, step->kinematics.S[dof].ang), m3_tmulv(&place->R, point)};
}

static void add_wrench(const cr_step* step, int part, const pose* place, sv f, double* out) {
  const cr_tree_model* model = &step->model->tree;
  int link = step->model->force.fluid.link[part];
  for (int k = model->link_last_dof[link]; k >= 0; k = model->dof_parent[k])
    out[k] += sv_dot(motion_at(step, k, place), f);
}

void cr_fluid_theta_add_balance(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                                double* dm) {
  const cr_step* step = t->step;
  const cr_fluid_model* fluid = &step->model->force.fluid;
  if (!cr_external_is_in_fluid(step->model, tree)) return;
  for (int i = fluid->tree_start[tree]; i < fluid->tree_start[tree + 1]; i++) {
    const cr_fluid_tangent* at = &t->fluids[i];
    sv f = cr_fluid_theta_find_force(fluid, i, at, theta);
    add_wrench(step, i, &at->place, (sv){v3_scale(-step->dt, f.ang), v3_scale(-step->dt, f.lin)},
               dm);
  }
}

void cr_fluid_theta_add_matrix(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                               const double* x, double* out) {
  const cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  const cr_fluid_model* fluid = &step->model->force.fluid;
  double h = step->dt * step->theta[tree].v;
  if (!cr_external_is_in_fluid(step->model, tree)) return;
  for (int i = fluid->tree_start[tree]; i < fluid->tree_start[tree + 1]; i++) {
    const cr_fluid_tangent* at = &t->fluids[i];
    m3 D[2];
    sv X = sv_zero();
    find_damping_slope(fluid, i, at, theta, D);
    for (int k = model->link_last_dof[fluid->link[i]]; k >= 0; k = model->dof_parent[k])
      X = sv_axpy(X, x[k], motion_at(step, k, &at->place));
    sv f = {v3_scale(h, m3_mulv(&D[0], X.ang)), v3_scale(h, m3_mulv(&D[1], X.lin))};
    add_wrench(step, i, &at->place, f, out);
  }
}
