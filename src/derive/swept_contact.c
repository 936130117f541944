/* A geometry that moves on with the velocity u of its centre and the spin w for the time s is at
 * x + s u, turned by E = exp(s w). By displacements (a turn t and a way) where the step looks, and
 * by changes of u, w and s it is displaced there by
 *
 *   E t + J d(s w),      way + s du + ds u,
 *
 * J the exponential's left Jacobian, which leaves w as it is. Where the deepest points are to be
 * apart by a given way the time answers to what else moves their distance. */
#include "derive/swept_contact.h"

#include <math.h>

/* --- Where they are -----------------------------------------------------------------------------
 */

sv cr_swept_find_velocity(const cr_step* step, int link, const double* v) {
  const cr_tree_model* model = &step->model->tree;
  sv sum = sv_zero();
  for (int i = model->link_last_dof[link]; i >= 0; i = model->dof_parent[i])
    sum = sv_add(sum, sv_scale(v[i], step->kinematics.S[i]));
  return sum;
}

static v3 find_arm(const cr_step* step, int geom) {
  int tree = step->model->tree.link_tree[step->model->geom.link[geom]];
  return v3_sub(step->sim->geom_pose[geom].p, step->kinematics.origin[tree]);
}

void cr_swept_pair_find(const cr_step* step, const cr_contact_point* point, cr_swept_pair* out) {
  out->step = step, out->point = point;
  out->time = point->meeting - cr_contact_find_theta(step, point->link).q * step->dt;
  out->is_start = point->meeting == 0;
  for (int k = 0; k < 2; k++) {
    int geom = point->geom[k], link = point->link[k];
    cr_swept* of = &out->of[k];
    *of = (cr_swept){&step->model->geom.shape[geom], step->sim->geom_pose[geom], v3_zero(),
                     v3_zero()};
    sv V = cr_driven_find(step->sim, link);
    if (step->model->tree.link_tree[link] >= 0) {
      V = cr_swept_find_velocity(step, link, step->v_lin);
      of->linear = sv_point_velocity(V, find_arm(step, geom));
    } else {
      of->linear = cr_driven_find_at(step, link, of->X.p);
    }
    of->spin = V.ang;
    out->X[k] = cr_swept_place(of, out->time);
  }
}

/* --- How they move ------------------------------------------------------------------------------
 */

/* The exponential's left Jacobian times x: (sin a / a) x + (1 - cos a) / a² r × x + (1 - sin a / a)
 * (r · x) r / a², a = |r|. */
static v3 apply_jacobian(v3 r, v3 x) {
  double a2 = v3_norm2(r), a = sqrt(a2);
  double s = a > 1e-4 ? sin(a) / a : 1 - a2 / 6;
  double c = a > 1e-4 ? 2 * sin(0.5 * a) * sin(0.5 * a) / a2 : 0.5 - a2 / 24;
  double t = a > 1e-2 ? (1 - s) / a2 : 1.0 / 6 - a2 / 120;
  v3 along = v3_scale(t * v3_dot(r, x), r);
  return v3_add(v3_axpy(v3_scale(s, x), c, v3_cross(r, x)), along);
}

static m3 find_turn(const cr_swept_pair* pair, int k) {
  return quat_to_m3(quat_exp(v3_scale(pair->time, pair->of[k].spin)));
}

/* Of geometry k where they meet, at the same time. */
static void move_on(const cr_swept_pair* pair, const cr_contact_column* column, int k,
                    cr_swept_move* out) {
  const cr_step* step = pair->step;
  const cr_row_motion* lin = column->star;
  int geom = pair->point->geom[k], link = pair->point->link[k];
  m3 E = find_turn(pair, k);
  v3 turn = v3_load(out->now[k]), way = v3_load(out->now[k] + 3), du, dw = v3_zero();
  if (step->model->tree.link_tree[link] < 0) {
    du = v3_cross(cr_driven_find(step->sim, link).ang, way);
  } else {
    sv V = lin->link[link], dV = sv_cross_motion(column->twist[link], V);
    dV = sv_add(dV, sv_add(lin->link_drift[link], lin->link_change[link]));
    dw = dV.ang;
    du = v3_add(sv_point_velocity(dV, find_arm(step, geom)), v3_cross(V.ang, way));
  }
  v3 r = v3_scale(pair->time, pair->of[k].spin);
  v3_store(v3_axpy(m3_mulv(&E, turn), pair->time, apply_jacobian(r, dw)), out->then[k]);
  v3_store(v3_axpy(way, pair->time, du), out->then[k] + 3);
}

/* What a displacement of both does to a distance. */
static double move_distance(const cr_point_tangent* tangent, double move[2][6]) {
  double sum = 0;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 6; i++) sum += tangent->distance[k][i] * move[k][i];
  return sum;
}

void cr_swept_pair_move(const cr_swept_pair* pair, const cr_contact_column* column,
                        const cr_point_tangent* deepest, cr_swept_move* out) {
  double later[2][6];
  for (int k = 0; k < 2; k++) {
    move_on(pair, column, k, out);
    v3_store(pair->of[k].spin, later[k]);
    v3_store(pair->of[k].linear, later[k] + 3);
  }
  out->time = 0;
  if (!pair->is_start)
    out->time = -move_distance(deepest, out->then) / move_distance(deepest, later);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 6; i++) out->then[k][i] += out->time * later[k][i];
}

/* How fast both part by prescription where a point has them, along its normal, and its change. */
static double find_push(const cr_step* step, const cr_contact_point* point, const cr_row_change* by,
                        double* change) {
  double push = *change = 0;
  for (int k = 0; k < 2 && step->sim->num_driven; k++) {
    if (step->model->tree.link_tree[point->link[k]] >= 0) continue;
    v3 u = cr_driven_find_at(step, point->link[k], point->ahead[k]);
    v3 du = v3_cross(cr_driven_find(step->sim, point->link[k]).ang, by->place[k]);
    push += (k ? 1 : -1) * v3_dot(point->normal, u);
    *change += (k ? 1 : -1) * (v3_dot(by->axis, u) + v3_dot(point->normal, du));
  }
  return push;
}

double cr_swept_pair_carry(const cr_swept_pair* pair, const cr_contact_point* point,
                           const cr_row_change* by, double time, const cr_contact_column* column) {
  const cr_step* step = pair->step;
  const cr_row_shape row = {.kind = CR_ROW_OF_POINT,
                            .link = {point->link[0], point->link[1]},
                            .axis = point->normal,
                            .place = {point->ahead[0], point->ahead[1]}};
  cr_row_change change = *by;
  cr_row_carry(step, &row, column->twist, &change);
  double pushes, push = find_push(step, point, by, &pushes);
  double v1 = cr_row_rate_change(step, &row, &change, column->star) + pushes;
  double v0 = cr_row_rate_change(step, &row, &change, column->v0) + pushes;
  cr_theta theta = cr_contact_find_theta(step, point->link);
  return theta.q * step->dt * (theta.vq * v1 + (1 - theta.vq) * v0) - point->meeting * v1 -
         time * (cr_row_find_rate(step, &row, column->star) + push);
}

v3 cr_swept_move_place(const cr_swept_pair* pair, const cr_swept_move* move, int k,
                       const cr_swept_place_move* place) {
  m3 E = find_turn(pair, k);
  v3 then = v3_sub(place->x, pair->X[k].p), now = v3_sub(place->now, pair->of[k].X.p);
  v3 carried = v3_add(v3_load(move->then[k] + 3), v3_cross(v3_load(move->then[k]), then));
  v3 own = m3_tmulv(&E, v3_sub(place->dx, carried));
  return v3_add(own, v3_add(v3_load(move->now[k] + 3), v3_cross(v3_load(move->now[k]), now)));
}
