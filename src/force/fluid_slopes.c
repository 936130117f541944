/* How the forces of fluid.c move with the velocity. With the normal n = Q v, Q the squares of what
 * the axes show to the flow, the area facing it is pi |n| / sqrt(n·v). */
#include "force/fluid.h"
#include "force/fluid_flow.h"

#include <math.h>

enum { ANG, LIN = 3 };

static void add_block(m3 X, int row, int column, cr_fluid_slopes* out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out->by[row + i][column + j] += X.m[i][j];
}

/* --- Box ----------------------------------------------------------------------------------------
 */

static void find_box(const cr_fluid_model* f, const double* size, sv V, cr_fluid_slopes* out) {
  cr_box_drag drag = cr_fluid_find_box_drag(f, size);
  for (int i = 0; i < 3; i++) {
    double lin = 2 * v3_get(drag.linear, i), ang = 2 * v3_get(drag.angular, i);
    double v = v3_get(V.lin, i), w = v3_get(V.ang, i);
    out->by[LIN + i][LIN + i] = -(lin * fabs(v) + drag.stokes_linear);
    out->by[ANG + i][ANG + i] = -(ang * fabs(w) + drag.stokes_angular);
    out->linear_by[i].m[i][i] = v == 0 ? 0 : copysign(lin, v);
    out->angular_by[i].m[i][i] = w == 0 ? 0 : copysign(ang, w);
  }
}

/* --- Ellipsoid ----------------------------------------------------------------------------------
 */

/* a I + b x xᵀ / |x|² with a = a0 + s and b = s of the same growth s, which moves by `by`. */
static void find_growth(double a, double s, v3 x, v3 by, m3* out) {
  double size = v3_norm(x);
  v3 n = v3_normalize_or(x, v3_zero());
  for (int k = 0; k < 3; k++) {
    double ds = v3_get(by, k);
    v3 e = v3_set(v3_zero(), k, 1);
    v3 dn = size > 0 ? v3_scale(1 / size, v3_axpy(e, -v3_get(n, k), n)) : v3_zero();
    m3 nn = m3_outer(n, n), turn = m3_outer(dn, n), back = m3_outer(n, dn);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double own = (a > 0 && i == j ? ds : 0) + (s > 0 ? ds * nn.m[i][j] : 0);
        out[k].m[i][j] = own + fmax(s, 0) * (turn.m[i][j] + back.m[i][j]);
      }
  }
}

/* Gradients of what the flow shows, by v. */
typedef struct flow_slopes {
  v3 area, circulation; /* of the area facing the flow, and of it times the cosine */
  v3 speed;
  m3 normal;
} flow_slopes;

static flow_slopes find_flow_slopes(const double* s, const cr_flow* x, v3 v) {
  v3 Q = v3_make(s[1] * s[1] * s[2] * s[2], s[2] * s[2] * s[0] * s[0], s[0] * s[0] * s[1] * s[1]);
  flow_slopes d = {.normal = m3_diagonal(Q)};
  double along = v3_dot(x->normal, v), across = v3_norm2(x->normal);
  if (!(x->area > 0) || !(x->speed > 0)) return d;
  d.speed = v3_scale(1 / x->speed, v);
  v3 by_along = v3_scale(1 / along, x->normal); /* half the gradient of its logarithm */
  v3 by_across = v3_scale(1 / across, v3_mul(Q, x->normal));
  d.area = v3_scale(x->area, v3_sub(by_across, by_along));
  v3 own = v3_axpy(v3_sub(by_along, by_across), -1 / x->speed, d.speed);
  d.circulation = v3_scale(x->cosine * x->area, own);
  return d;
}

/* An ellipsoid in the flow. */
typedef struct ellipsoid {
  const cr_fluid_model* f;
  int part;
  cr_flow x;
  flow_slopes d;
  sv V;
} ellipsoid;

/* Drag, and the damping that it is. */
static void add_drag(const ellipsoid* e, cr_fluid_slopes* out) {
  const cr_fluid_model* f = e->f;
  const double* c = f->coefficient + CR_FLUID_NUM_COEFFICIENTS * e->part;
  const cr_flow* x = &e->x;
  const flow_slopes* d = &e->d;
  sv V = e->V;
  double linear, angular, rho = f->density;
  cr_fluid_find_drag(f, c, x, V, &linear, &angular);
  double thin = c[CR_FLUID_SLENDER_DRAG], blunt = c[CR_FLUID_BLUNT_DRAG] - thin;
  double area = blunt * x->area + thin * x->largest;
  v3 by_v = v3_scale(rho, v3_axpy(v3_scale(area, d->speed), blunt * x->speed, d->area));
  v3 M = v3_mul(x->moment, V.ang);
  double turn = v3_norm(M);
  v3 by_w = turn > 0 ? v3_scale(rho / turn, v3_mul(x->moment, M)) : v3_zero();
  m3 own = m3_outer(v3_neg(V.lin), by_v), spin = m3_outer(v3_neg(V.ang), by_w);
  for (int i = 0; i < 3; i++) own.m[i][i] -= linear, spin.m[i][i] -= angular;
  add_block(own, LIN, LIN, out), add_block(spin, ANG, ANG, out);
  find_growth(linear, rho * x->speed * area, V.lin, by_v, out->linear_by);
  find_growth(angular, rho * turn, V.ang, by_w, out->angular_by);
}

/* Lift, and what the added mass does to a moving frame. */
static void add_lift(const ellipsoid* of, cr_fluid_slopes* out) {
  const cr_fluid_model* f = of->f;
  const double* c = f->coefficient + CR_FLUID_NUM_COEFFICIENTS * of->part;
  const double* added = f->added + 6 * of->part;
  const cr_flow* x = &of->x;
  const flow_slopes* d = &of->d;
  sv V = of->V;
  double rho = f->density, kutta = c[CR_FLUID_KUTTA_LIFT] * rho;
  double magnus = c[CR_FLUID_MAGNUS_LIFT] * rho * x->volume;
  v3 p = v3_mul(v3_load(added), V.lin), L = v3_mul(v3_load(added + 3), V.ang);
  v3 around = v3_cross(x->normal, V.lin);
  v3 swirl = v3_scale(kutta * x->cosine * x->area, around);
  for (int k = 0; k < 3; k++) {
    v3 e = v3_set(v3_zero(), k, 1);
    v3 dp = v3_scale(added[k], e), dL = v3_scale(added[3 + k], e);
    v3 dn = m3_mulv(&d->normal, e);
    v3 turned = v3_add(v3_cross(dn, V.lin), v3_cross(x->normal, e));
    v3 dswirl = v3_axpy(v3_scale(kutta * x->cosine * x->area, turned),
                        kutta * v3_get(d->circulation, k), around);
    v3 of_v = v3_add(v3_add(v3_cross(dswirl, V.lin), v3_cross(swirl, e)), v3_cross(dp, V.ang));
    of_v = v3_axpy(of_v, magnus, v3_cross(V.ang, e));
    v3 of_w = v3_axpy(v3_cross(p, e), magnus, v3_cross(e, V.lin));
    v3 turn_v = v3_add(v3_cross(dp, V.lin), v3_cross(p, e));
    v3 turn_w = v3_add(v3_cross(dL, V.ang), v3_cross(L, e));
    for (int i = 0; i < 3; i++) {
      out->by[LIN + i][LIN + k] += v3_get(of_v, i), out->by[LIN + i][ANG + k] += v3_get(of_w, i);
      out->by[ANG + i][LIN + k] += v3_get(turn_v, i);
      out->by[ANG + i][ANG + k] += v3_get(turn_w, i);
    }
  }
}

cr_fluid_slopes cr_fluid_find_slopes(const cr_fluid_model* f, int part, sv V) {
  cr_fluid_slopes out = {.force = cr_fluid_compute_force(f, part, V)};
  const double *size = f->size + 3 * part, *c = f->coefficient + CR_FLUID_NUM_COEFFICIENTS * part;
  cr_fluid_compute_damping(f, part, V, &out.linear, &out.angular);
  if (!f->is_ellipsoid[part]) {
    find_box(f, size, V, &out);
    return out;
  }
  ellipsoid e = {.f = f, .part = part, .x = cr_fluid_find_flow(size, c, V), .V = V};
  e.d = find_flow_slopes(size, &e.x, V.lin);
  add_drag(&e, &out);
  add_lift(&e, &out);
  return out;
}
