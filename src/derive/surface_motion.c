#include "derive/surface_motion.h"

/* How the drift and the twist of what touches change: a belt's velocity turns with its shape, and
 * is that at the point. */
static void differentiate_drift(const cr_step* step, const cr_surface_rows* rows, v3* drift,
                                v3* twist) {
  const cr_contact_point* point = rows->point;
  const cr_tree_model* model = &step->model->tree;
  *drift = *twist = v3_zero();
  for (int k = 0; k < 2 && step->model->contact.num_moving; k++) {
    int link = point->link[k], tree = link < model->num_links ? model->link_tree[link] : -1;
    if (point->geom[k] < 0) continue;
    const double* given = step->model->contact.velocity + 6 * (size_t)point->geom[k];
    const pose* X = &step->sim->geom_pose[point->geom[k]];
    v3 turn = m3_mulv(&X->R, v3_load(given + 3)), way = m3_mulv(&X->R, v3_load(given));
    v3 arm = v3_sub(rows->place, X->p), spin = v3_zero(), moved = rows->moved;
    if (tree >= 0) {
      spin = rows->twist[link].ang;
      v3 centre = v3_sub(X->p, step->kinematics.origin[tree]);
      moved = v3_sub(rows->moved, sv_point_velocity(rows->twist[link], centre));
    }
    v3 dturn = v3_cross(spin, turn);
    v3 change = v3_add(v3_cross(spin, way), v3_add(v3_cross(dturn, arm), v3_cross(turn, moved)));
    *drift = v3_axpy(*drift, k ? 1 : -1, change);
    *twist = v3_axpy(*twist, k ? 1 : -1, dturn);
  }
}

double cr_surface_motion_subtract(const cr_step* step, const cr_surface_rows* rows, double* d) {
  const cr_contact_extra* extra = rows->point->extra;
  if (!extra || (!extra->drifts && !extra->is_driven)) return 0;
  v3 n = rows->point->normal, drift, twist;
  v3 motion = extra->is_driven ? v3_cross(extra->turn, rows->moved) : v3_zero();
  differentiate_drift(step, rows, &drift, &twist);
  for (int r = 0; r < rows->rows; r++) {
    const cr_row_shape* row = &rows->shape[r];
    bool is_moment = row->kind == CR_ROW_OF_MOMENT, is_normal = v3_dot(row->axis, n) > 0.5;
    bool drifts = extra->drifts && is_normal == is_moment;
    v3 u = v3_zero(), du = v3_zero();
    if (extra->is_driven) u = is_moment ? extra->turn : extra->motion;
    if (extra->is_driven && !is_moment) du = motion;
    if (drifts) u = v3_add(u, is_moment ? extra->twist : extra->drift);
    if (drifts) du = v3_add(du, is_moment ? twist : drift);
    double moved = v3_dot(rows->change[r].axis, u) + v3_dot(row->axis, du);
    d[r] += is_moment ? row->length * moved : moved;
  }
  return v3_dot(rows->normal, extra->motion) + v3_dot(n, motion);
}
