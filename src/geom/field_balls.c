/* Two balls press on each other along a surface of revolution. Where the pressure is p the radii
 * have shrunk to r = R - p / s, with the slope s = E / R (none of a rigid one), and the circle on
 * which both meet has, for centres D apart, the height z and the radius ρ
 *
 *   z = (D² + ra² - rb²) / 2D,   ρ² = ra² - z² = o (rb + D - ra) (ra + z) / 2D,  o = ra + rb - D
 *
 * and of a plane, with h = R - depth, ρ² = o (r + h + p / s), which is the limit of large balls.
 * With F = ∫ p dA across the axis, and the stiffness k = dp / d(shift) beside a place,
 *
 *   F = π ∫ ρ² dp,   K = π ∫ ∂ρ²/∂(shift) dp,   ∂ρ²/∂(shift) = 2 z (1 - z / D),
 *
 * and its second moment likewise with ρ² / 2. With p = P (1 - s²) all are smooth in s, and Gauss'
 * rule of eight points is exact for what is a polynomial. */
#include "geom/field_rule.h"

#include <math.h>

#define NUM_NODES 8

/* Of Gauss' rule on [-1, 1], both signs. */
static const double NODES[NUM_NODES / 2][2] = {{0.1834346424956498, 0.3626837833783620},
                                               {0.5255324099163290, 0.3137066458778873},
                                               {0.7966664774136267, 0.2223810344533745},
                                               {0.9602898564975363, 0.1012285362903763}};

/* Both bodies from the first along the axis; 1 / s of what is rigid is 0. */
typedef struct axis {
  double radius[2]; /* m; inf: a plane */
  double give[2];   /* m/Pa: 1 / s */
  double overlap;   /* m */
} axis;

/* The circle at a pressure. */
typedef struct circle {
  double pressure;  /* Pa */
  double height[2]; /* m, from both centres; of a plane from its surface, into it */
  double square;    /* m²: ρ² */
  double growth;    /* m: ∂ρ²/∂(shift) */
  double narrowing; /* m²/Pa: -∂ρ²/∂p */
} circle;

/* A ball beside a plane. */
static circle find_on_plane(const axis* x, int ball, double p, double left) {
  double r = x->radius[ball] - x->give[ball] * p, sunk = x->give[!ball] * p;
  double h = x->radius[ball] - x->overlap + sunk;
  circle c = {.pressure = p, .square = left * (r + h), .growth = 2 * h};
  c.narrowing = 2 * (r * x->give[ball] + h * x->give[!ball]);
  c.height[ball] = h, c.height[!ball] = sunk;
  return c;
}

/* @param left what is left of the overlap at this pressure */
static circle find_circle(const axis* x, double p, double left) {
  if (isinf(x->radius[0])) return find_on_plane(x, 1, p, left);
  if (isinf(x->radius[1])) return find_on_plane(x, 0, p, left);
  double D = x->radius[0] + x->radius[1] - x->overlap;
  double ra = x->radius[0] - x->give[0] * p, rb = x->radius[1] - x->give[1] * p;
  double z = (D + (ra - rb) * (ra + rb) / D) / 2, turn = (rb * x->give[1] - ra * x->give[0]) / D;
  circle c = {p, {z, D - z}, left * (rb + D - ra) / (2 * D) * (ra + z), 2 * z * (1 - z / D), 0};
  c.narrowing = 2 * (ra * x->give[0] + z * turn);
  return c;
}

static bool find_axis(const cr_field_pair* pair, axis* x) {
  int balls = 0;
  for (int k = 0; k < 2; k++) {
    const cr_field_body* body = &pair->body[k];
    bool is_ball = body->shape->type == CAROM_GEOM_SPHERE;
    if (!is_ball && body->shape->type != CAROM_GEOM_PLANE) return false;
    balls += is_ball;
    x->radius[k] = is_ball ? body->shape->size[0] : INFINITY;
    x->give[k] = (is_ball ? x->radius[k] : 1) / body->pressure;
  }
  x->overlap = pair->depth;
  return balls > 0;
}

/* Heights along the axis are from the surface of A where its ball or plane ends. */
static bool add_circle(const axis* x, const circle* c, double dp, cr_field_sums* sums,
                       double* height) {
  bool is_between = c->square > 0 && c->growth > 0 && c->narrowing > 0;
  double rho = sqrt(c->square), k = M_PI * c->growth * dp,
         load = M_PI * c->pressure * c->narrowing * dp;
  double at = isinf(x->radius[0]) ? -c->height[0] : c->height[0] - x->radius[0];
  sums->force += M_PI * c->square * dp, sums->load += load;
  *height += load * at;
  sums->stiffness += k, sums->second[0] += k * c->square / 2;
  sums->lever[0] += k * rho, sums->lever[1] += load * rho;
  return is_between;
}

/* From sums about a point of the axis to the pair's place. */
static void place_sums(const cr_field_pair* pair, const axis* x, double height,
                       cr_field_sums* sums) {
  const cr_field_body* ball = &pair->body[isinf(x->radius[0])];
  v3 middle = v3_sub(ball->X->p, pair->place);
  double at[2], along = v3_dot(pair->normal, middle);
  along += isinf(x->radius[0]) ? x->overlap - x->radius[1] : x->radius[0];
  sums->normal = pair->normal;
  v3_tangents(sums->normal, &sums->t[0], &sums->t[1]);
  sums->lean = v3_scale(height + along * sums->load, sums->normal);
  for (int a = 0; a < 2; a++) {
    at[a] = v3_dot(sums->t[a], middle);
    sums->first[a] = sums->stiffness * at[a];
    sums->lean = v3_axpy(sums->lean, sums->load * at[a], sums->t[a]);
    sums->moment = v3_axpy(sums->moment, sums->force * at[a], v3_cross(sums->t[a], sums->normal));
  }
  double even = sums->second[0];
  sums->second[0] = even + sums->first[0] * at[0];
  sums->second[1] = sums->first[0] * at[1];
  sums->second[2] = even + sums->first[1] * at[1];
}

bool cr_field_sum_balls(const cr_field_pair* pair, cr_field_sums* sums) {
  axis x;
  *sums = (cr_field_sums){0};
  if (!find_axis(pair, &x)) return false;
  double most = x.overlap / (x.give[0] + x.give[1]), height = 0;
  for (int k = 0; k < 2; k++)
    if (!(x.give[k] * most < x.radius[k])) return false;
  for (int i = 0; i < NUM_NODES; i++) {
    double s = (1 + (i % 2 ? -1 : 1) * NODES[i / 2][0]) / 2, p = most * (1 - s * s);
    circle c = find_circle(&x, p, x.overlap * s * s);
    if (!add_circle(&x, &c, most * s * NODES[i / 2][1], sums, &height)) return false;
  }
  circle rim = find_circle(&x, 0, x.overlap);
  sums->area = M_PI * rim.square;
  place_sums(pair, &x, height, sums);
  return true;
}

/* --- How they change ----------------------------------------------------------------------------
 *
 * By the overlap, both radii and by how much each gives; a d before a name is its change. Of two
 * axes and two circles the second is the change of the first. */

/* A number and its change. */
typedef struct moved {
  double at, d;
} moved;

/* How far a body is sunk in: its give times the pressure. */
static moved find_sunk(const axis x[2], int k, moved p) {
  return (moved){x[0].give[k] * p.at, x[1].give[k] * p.at + x[0].give[k] * p.d};
}

/* The radius that is left of a ball. */
static moved find_left(const axis x[2], int k, moved p) {
  moved sunk = find_sunk(x, k, p);
  return (moved){x->radius[k] - sunk.at, x[1].radius[k] - sunk.d};
}

static void change_on_plane(const axis x[2], int ball, moved p, moved left, circle of[2]) {
  moved r = find_left(x, ball, p), sunk = find_sunk(x, !ball, p);
  double h = of->height[ball], dh = x[1].radius[ball] + sunk.d - x[1].overlap;
  of[1].square = left.d * (r.at + h) + left.at * (dh + r.d);
  of[1].growth = 2 * dh;
  of[1].narrowing = 2 * (r.at * x[1].give[ball] + r.d * x->give[ball] + h * x[1].give[!ball] +
                         dh * x->give[!ball]);
  of[1].height[ball] = dh, of[1].height[!ball] = sunk.d;
}

static void change_circle(const axis x[2], moved p, moved left, circle of[2]) {
  of[1] = (circle){.pressure = p.d};
  if (isinf(x->radius[0]) || isinf(x->radius[1])) {
    change_on_plane(x, isinf(x->radius[0]), p, left, of);
    return;
  }
  moved a = find_left(x, 0, p), b = find_left(x, 1, p);
  double D = x->radius[0] + x->radius[1] - x->overlap, z = of->height[0];
  double dD = x[1].radius[0] + x[1].radius[1] - x[1].overlap;
  double ga = x->give[0], gb = x->give[1], dga = x[1].give[0], dgb = x[1].give[1];
  double ra = a.at, rb = b.at, turn = (rb * gb - ra * ga) / D;
  double dturn = (rb * dgb + b.d * gb - ra * dga - a.d * ga - turn * dD) / D;
  double dz = dD * (1 - (ra - rb) * (ra + rb) / (D * D)) / 2 + (ra * a.d - rb * b.d) / D;
  double part = (rb + D - ra) / (2 * D), dpart = (dD + b.d - a.d) / (2 * D) - part / D * dD;
  of[1].height[0] = dz, of[1].height[1] = dD - dz;
  of[1].square = left.d * part * (ra + z) + left.at * (dpart * (ra + z) + part * (dz + a.d));
  of[1].growth = 2 * dz * (1 - 2 * z / D) + 2 * z * z / (D * D) * dD;
  of[1].narrowing = 2 * (ra * dga + a.d * ga + dz * turn + z * dturn);
}

/* As add_circle() does. */
static void add_circle_change(const axis x[2], const circle of[2], moved dp, cr_field_sums* out,
                              double* dheight) {
  const circle *c = &of[0], *d = &of[1];
  double rho = sqrt(c->square), drho = d->square / (2 * rho), load = c->pressure * c->narrowing;
  double k = M_PI * c->growth * dp.at, dk = M_PI * (d->growth * dp.at + c->growth * dp.d);
  double dload = d->pressure * c->narrowing + c->pressure * d->narrowing;
  dload = M_PI * (dload * dp.at + load * dp.d), load *= M_PI * dp.at;
  bool is_on_plane = isinf(x->radius[0]);
  double at = is_on_plane ? -c->height[0] : c->height[0] - x->radius[0];
  double dat = is_on_plane ? -d->height[0] : d->height[0] - x[1].radius[0];
  out->force += M_PI * (d->square * dp.at + c->square * dp.d), out->load += dload;
  *dheight += dload * at + load * dat;
  out->stiffness += dk, out->second[0] += (dk * c->square + k * d->square) / 2;
  out->lever[0] += dk * rho + k * drho, out->lever[1] += dload * rho + load * drho;
}

/* As place_sums() does; the height and the even second moment are those of the axis. */
static void place_changes(const cr_field_pair* pair, const cr_field_motion* motion,
                          const cr_field_sums* sums, double dheight, cr_field_sums* out) {
  int ball = pair->body[0].shape->type == CAROM_GEOM_PLANE;
  v3 n = pair->normal, dn = motion->normal, dt[2], dmiddle = motion->way[ball];
  v3 middle = v3_sub(pair->body[ball].X->p, pair->place);
  double K = sums->stiffness, dK = out->stiffness, F = sums->force, load = sums->load, at[2], d[2];
  double radius = pair->body[ball].shape->size[0], tall = v3_dot(n, sums->lean);
  double along = v3_dot(n, middle) + (ball ? pair->depth - radius : radius);
  double dradius = motion->size[ball][0];
  double dalong = v3_dot(dn, middle) + v3_dot(n, dmiddle);
  dalong += ball ? motion->depth - dradius : dradius;
  cr_field_change_tangents(n, dn, dt);
  out->normal = dn;
  double dtall = dheight + dalong * load + along * out->load;
  out->lean = v3_axpy(v3_scale(dtall, n), tall, dn);
  for (int a = 0; a < 2; a++) {
    v3 t = sums->t[a], turned = v3_add(v3_cross(dt[a], n), v3_cross(t, dn));
    at[a] = v3_dot(t, middle), d[a] = v3_dot(dt[a], middle) + v3_dot(t, dmiddle);
    out->first[a] = dK * at[a] + K * d[a];
    v3 lean = v3_axpy(v3_scale(out->load * at[a] + load * d[a], t), load * at[a], dt[a]);
    out->lean = v3_add(out->lean, lean);
    v3 moment = v3_axpy(v3_scale(out->force * at[a] + F * d[a], v3_cross(t, n)), F * at[a], turned);
    out->moment = v3_add(out->moment, moment);
  }
  double even = out->second[0];
  for (int a = 0, i = 0; a < 2; a++)
    for (int b = a; b < 2; b++, i++)
      out->second[i] = (a == b ? even : 0) + dK * at[a] * at[b] + K * (d[a] * at[b] + at[a] * d[b]);
}

void cr_field_change_balls(const cr_field_pair* pair, const cr_field_motion* motion,
                           const cr_field_sums* sums, cr_field_sums* change) {
  axis x[2] = {{.overlap = 0}, {.overlap = motion->depth}};
  double dheight = 0;
  *change = (cr_field_sums){0};
  if (!find_axis(pair, x)) return;
  for (int k = 0; k < 2; k++) {
    bool is_ball = isfinite(x->radius[k]);
    x[1].radius[k] = is_ball ? motion->size[k][0] : 0;
    x[1].give[k] = x[1].radius[k] / pair->body[k].pressure - x->give[k] * motion->pressure[k];
  }
  double give = x->give[0] + x->give[1], dgive = x[1].give[0] + x[1].give[1];
  moved most = {x->overlap / give, (x[1].overlap - x->overlap / give * dgive) / give};
  circle of[2];
  for (int i = 0; i < NUM_NODES; i++) {
    double s = (1 + (i % 2 ? -1 : 1) * NODES[i / 2][0]) / 2, by = s * NODES[i / 2][1];
    moved p = {most.at * (1 - s * s), most.d * (1 - s * s)};
    moved left = {x->overlap * s * s, x[1].overlap * s * s};
    of[0] = find_circle(x, p.at, left.at);
    change_circle(x, p, left, of);
    add_circle_change(x, of, (moved){most.at * by, most.d * by}, change, &dheight);
  }
  of[0] = find_circle(x, 0, x->overlap);
  change_circle(x, (moved){0, 0}, (moved){x->overlap, x[1].overlap}, of);
  change->area = M_PI * of[1].square;
  place_changes(pair, motion, sums, dheight, change);
}
