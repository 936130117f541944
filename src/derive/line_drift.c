/* Of a straight part between points that are d apart, with the relative velocity u and acceleration
 * a where v does not change,
 *
 *   c = (d · a + |u|² - r²) / L,      L = |d|, r = d · u / L.
 *
 * A point p of a link with the velocity V and the acceleration A has, of a motion that moves the
 * link by the twist T and its velocity and acceleration by dV and dA (tree/rnea_derivatives.h),
 *
 *   dp = T_p,    du = dV_p + w × dp,    da = dA_p + dw × u + w × du + α × dp. */
#include "derive/line_drift.h"

#include "sim/tree/lines.h"

void cr_line_drift_look(cr_step_tangent* t) {
  const cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  const cr_tree_motion motion = {
      &step->kinematics, &step->velocities, step->v_f, NULL, {v3_zero(), NULL}};
  for (int i = 0; i < model->num_trees; i++) cr_tree_describe_motion(model, i, &motion, &t->rnea);
}

/* How a link moves. */
typedef struct link_change {
  sv T, dV, dA;
} link_change;

static bool moves(const cr_tree_model* tree, int dof, int link) {
  int k = tree->link_last_dof[link];
  while (k > dof) k = tree->dof_parent[k];
  return k == dof;
}

static link_change change_link(const cr_step_tangent* t, const cr_drift_motion* m, int link) {
  const cr_step* step = t->step;
  const cr_tree_model* tree = &step->model->tree;
  sv V = step->velocities.link_V[link], A = t->rnea.scratch->a[link], own[2], T;
  bool is_its = m->in ? cr_tree_carries(tree, m->in, link) : moves(tree, m->dof, link);
  if (!is_its) return (link_change){sv_zero(), sv_zero(), sv_zero()};
  if (m->by == CR_DRIFT_BY_V) {
    sv S = step->kinematics.S[m->dof];
    return (link_change){sv_zero(), S, sv_add(t->rnea.turn[m->dof], sv_cross_motion(S, V))};
  }
  T = m->in ? m->in->S : step->kinematics.S[m->dof];
  if (m->in) {
    const cr_tree_motion motion = {
        &step->kinematics, &step->velocities, step->v_f, NULL, {v3_zero(), NULL}};
    cr_rnea_tangents rnea = t->rnea;
    cr_tree_find_insertion_motion(tree, &motion, &rnea, m->in, own);
  } else {
    own[0] = t->rnea.drift[m->dof], own[1] = t->rnea.fall[m->dof];
  }
  sv dA = sv_add(sv_add(sv_cross_motion(T, A), own[1]), sv_cross_motion(own[0], V));
  return (link_change){T, sv_add(sv_cross_motion(T, V), own[0]), dA};
}

/* Place, velocity and acceleration of a point of a link, or how they move. */
typedef struct course {
  v3 p, u, a;
} course;

static course subtract(course x, course y) {
  return (course){v3_sub(x.p, y.p), v3_sub(x.u, y.u), v3_sub(x.a, y.a)};
}

static course find_course(const cr_step_tangent* t, const cr_drift_motion* m,
                          const cr_line_point* at, course* change) {
  const cr_step* step = t->step;
  int link = at->link, tree = step->model->tree.link_tree[link];
  course c = {pose_point(&step->kinematics.link_pose[link], at->local.p), v3_zero(), v3_zero()};
  *change = (course){v3_zero(), v3_zero(), v3_zero()};
  if (tree < 0) return c;
  v3 arm = v3_sub(c.p, step->kinematics.origin[tree]);
  sv V = step->velocities.link_V[link], A = t->rnea.scratch->a[link];
  link_change by = change_link(t, m, link);
  c.u = sv_point_velocity(V, arm);
  c.a = v3_add(sv_point_velocity(A, arm), v3_cross(V.ang, c.u));
  change->p = sv_point_velocity(by.T, arm);
  change->u = v3_add(sv_point_velocity(by.dV, arm), v3_cross(V.ang, change->p));
  change->a = v3_add(sv_point_velocity(by.dA, arm), v3_cross(A.ang, change->p));
  change->a = v3_add(change->a, v3_cross(by.dV.ang, c.u));
  change->a = v3_add(change->a, v3_cross(V.ang, change->u));
  return c;
}

static double move_part(const cr_step_tangent* t, const cr_drift_motion* m,
                        const cr_line_point* p) {
  course way[2], first = find_course(t, m, &p[0], &way[0]),
                 last = find_course(t, m, &p[1], &way[1]);
  course x = subtract(last, first), dx = subtract(way[1], way[0]);
  double L = v3_norm(x.p);
  if (p[0].link == p[1].link || L < CR_LINE_SHORT) return 0;
  double r = v3_dot(x.p, x.u) / L, dL = v3_dot(x.p, dx.p) / L;
  double dr = (v3_dot(dx.p, x.u) + v3_dot(x.p, dx.u) - r * dL) / L;
  double c = (v3_dot(x.p, x.a) + v3_norm2(x.u) - r * r) / L;
  return (v3_dot(dx.p, x.a) + v3_dot(x.p, dx.a) + 2 * v3_dot(x.u, dx.u) - 2 * r * dr - c * dL) / L;
}

double cr_line_drift_move(const cr_step_tangent* t, int line, const cr_drift_motion* motion) {
  const cr_line_model* model = &t->step->model->force.line;
  const cr_line_point* end = model->point + model->point_start[line + 1];
  double sum = 0, share = 1;
  for (const cr_line_point* p = model->point + model->point_start[line]; p < end; p++) {
    if (p->kind == CR_POINT_PULLEY) share = 1 / p->divisor;
    if (p->kind != CR_POINT_SITE || p + 1 >= end || p[1].kind != CR_POINT_SITE) continue;
    sum += share * move_part(t, motion, p);
  }
  return sum;
}
