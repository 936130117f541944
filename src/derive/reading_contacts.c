/* Touch, contacts and range finders. Forces are impulses over dt, at the places that contacts had
 * in the step (force_tangent.h). A ray from o along d that meets a surface with the normal n at the
 * distance s moves by n · (dx - do - s dd) / (n · d), dx the way of the surface there. */
#include "derive/force_tangent.h"
#include "derive/geom_parameters.h"
#include "derive/readings.h"
#include "geom/ray.h"
#include "model/sensor_kind.h"

#include <math.h>
#include <string.h>

/* --- Contacts -----------------------------------------------------------------------------------
 */

const cr_contact_move* cr_reading_move_contact(const cr_readings* r, const cr_reading_direction* d,
                                               int i) {
  return &r->forces->contacts[(size_t)d->column * (size_t)r->forces->num_contacts + (size_t)i];
}

double cr_touch_differentiate(const cr_readings* r, const cr_reading_direction* d, int sensor) {
  double sum = 0;
  for (int i = 0; i < r->s.num_contacts; i++) {
    const carom_contact* c = &r->s.contacts[i];
    const cr_contact_move* by = cr_reading_move_contact(r, d, i);
    if (!cr_sensing_touches(&r->s, sensor, c)) continue;
    sum += v3_dot(by->force, v3_load(c->normal)) + v3_dot(v3_load(c->impulse), by->normal);
  }
  return sum / r->step.dt;
}

/* How the tangents that go with a normal do (v3_tangents). */
static void move_tangents(v3 n, v3 dn, v3* dt1, v3* dt2) {
  double sign = copysign(1, n.z), a = -1 / (sign + n.z), da = a * a * dn.z;
  double db = (dn.x * n.y + n.x * dn.y) * a + n.x * n.y * da;
  *dt1 = v3_make(sign * (2 * n.x * dn.x * a + n.x * n.x * da), sign * db, -sign * dn.x);
  *dt2 = v3_make(db, 2 * n.y * dn.y * a + n.y * n.y * da, -dn.y);
}

/* A contact's axes, and how they turn. */
typedef struct axes {
  v3 e[3], de[3];
} axes;

static axes find_axes(v3 normal, v3 turn) {
  axes x = {.e = {normal}, .de = {turn}};
  v3_tangents(normal, &x.e[1], &x.e[2]);
  move_tangents(normal, turn, &x.de[1], &x.de[2]);
  return x;
}

static v3 in_axes(const axes* x, v3 f, v3 df) {
  double out[3];
  for (int i = 0; i < 3; i++) out[i] = v3_dot(df, x->e[i]) + v3_dot(f, x->de[i]);
  return v3_load(out);
}

static cr_contact_place move_place(const cr_readings* r, const cr_reading_direction* d, int i,
                                   int sign) {
  const carom_contact* c = &r->s.contacts[i];
  const cr_contact_move* by = cr_reading_move_contact(r, d, i);
  double scale = sign / r->step.dt;
  axes x = find_axes(v3_scale(sign, v3_load(c->normal)), v3_scale(sign, by->normal));
  cr_contact_place p = {.distance = by->distance, .point = by->position};
  p.normal = x.de[0], p.tangent = x.de[1];
  p.force = in_axes(&x, v3_scale(scale, v3_load(c->impulse)), v3_scale(scale, by->force));
  p.torque = in_axes(&x, v3_scale(scale, v3_load(c->moment)), v3_scale(scale, by->moment));
  return p;
}

/* Sums over contacts, and how they move. */
typedef struct net {
  v3 force, moment, middle, dforce, dmoment, dmiddle;
  double weight, dweight;
} net;

static void add_contact(const cr_readings* r, const cr_reading_direction* d, int i, int sign,
                        net* n) {
  const carom_contact* c = &r->s.contacts[i];
  const cr_contact_move* by = cr_reading_move_contact(r, d, i);
  double scale = sign / r->step.dt;
  v3 f = v3_scale(scale, v3_load(c->impulse)), df = v3_scale(scale, by->force);
  v3 at = v3_load(c->position), torque = v3_scale(scale, v3_load(c->moment));
  v3 dtorque = v3_scale(scale, by->moment);
  double size = v3_norm(f), dsize = size > 0 ? v3_dot(f, df) / size : 0;
  n->force = v3_add(n->force, f), n->dforce = v3_add(n->dforce, df);
  n->moment = v3_add(n->moment, v3_add(v3_cross(at, f), torque));
  v3 turned = v3_add(v3_cross(by->position, f), v3_cross(at, df));
  n->dmoment = v3_add(n->dmoment, v3_add(turned, dtorque));
  n->middle = v3_axpy(n->middle, size, at);
  n->dmiddle = v3_add(n->dmiddle, v3_axpy(v3_scale(dsize, at), size, by->position));
  n->weight += size, n->dweight += dsize;
}

static cr_contact_place move_net(const cr_readings* r, const cr_reading_direction* d,
                                 const cr_contact_query* q) {
  net n = {.weight = 0};
  cr_contact_place p = {.found = 0};
  for (int i = 0; i < r->s.num_contacts; i++) {
    int sign = cr_sensing_match(&r->s, q, &r->s.contacts[i]);
    if (sign) add_contact(r, d, i, sign, &n);
  }
  v3 point = n.middle;
  p.force = n.dforce, p.point = n.dmiddle;
  if (n.weight > 0) {
    point = v3_scale(1 / n.weight, n.middle);
    p.point = v3_scale(1 / n.weight, v3_axpy(n.dmiddle, -n.dweight, point));
  }
  p.torque = v3_sub(n.dmoment, v3_add(v3_cross(p.point, n.force), v3_cross(point, n.dforce)));
  return p;
}

void cr_contacts_differentiate(const cr_readings* r, const cr_reading_direction* d, int sensor,
                               double* out) {
  const cr_contact_query* q = &r->step.model->sensor.contact[sensor];
  const cr_sensing* s = &r->s;
  int width = cr_contact_query_count(q->data), last = -1;
  double after = -INFINITY;
  memset(out, 0, sizeof *out * (size_t)width * (size_t)q->num);
  for (int k = 0; k < q->num; k++) {
    last = cr_sensing_find_next(s, q, after, last);
    if (last < 0) return;
    after = cr_sensing_rank(q, &s->contacts[last]);
    int sign = cr_sensing_match(s, q, &s->contacts[last]);
    bool is_net = q->reduction == CAROM_CONTACT_NET;
    cr_contact_place p = is_net ? move_net(r, d, q) : move_place(r, d, last, sign);
    cr_contact_place_write(&p, q->data, out + (size_t)k * (size_t)width);
    if (is_net) return;
  }
}

/* What a number of a geometry does to a point of its surface with the normal n. */
static v3 move_shape(const cr_readings* r, const cr_theta_column* theta, const pose* G, v3 at,
                     v3 n) {
  if (theta->kind == CR_THETA_SIZE) return cr_geom_theta_move_surface(&r->step, theta, at, n);
  cr_geom_move move = cr_geom_theta_move_frame(&r->step, theta);
  return v3_add(move.way, v3_cross(move.turn, v3_sub(at, G->p)));
}

/* --- Rays ---------------------------------------------------------------------------------------
 */

double cr_range_differentiate(const cr_readings* r, const cr_reading_direction* d, int sensor) {
  const carom_model* m = r->step.model;
  double s;
  int g = cr_sensing_find_range(&r->s, sensor, &s);
  if (g < 0) return 0;
  pose X = cr_sensing_find_pose(&r->s, sensor, 0);
  pose G = pose_mul(&r->place.kinematics.link_pose[m->geom.link[g]], &m->geom.local[g]);
  v3 along = m3_column(&X.R, 2), at = v3_axpy(X.p, s, along);
  v3 n = m3_mulv(&G.R, cr_ray_find_normal(&m->geom.shape[g], pose_inverse_point(&G, X.p),
                                          m3_tmulv(&G.R, along)));
  double slope = v3_dot(n, along);
  if (slope == 0) return 0; /* it grazes */
  v3 way = cr_reading_move_point(r, d, m->geom.link[g], at);
  if (d->theta && cr_theta_is_of_shape(d->theta) && d->theta->index == g)
    way = v3_add(way, move_shape(r, d->theta, &G, at, n));
  v3 from = cr_reading_move_point(r, d, m->sensor.link[2 * sensor], X.p);
  v3 turn = v3_cross(d->twist[m->sensor.link[2 * sensor]].ang, along);
  return v3_dot(n, v3_sub(way, v3_axpy(from, s, turn))) / slope;
}
