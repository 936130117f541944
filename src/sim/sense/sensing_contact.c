/* Readings of touch, range finders and contact sensors. */
#include "geom/ray.h"
#include "model/sensor_kind.h"
#include "sim/sense/sensing.h"

#include <math.h>
#include <string.h>

/* --- Rays ---------------------------------------------------------------------------------------
 */

/* Distance along a ray of the world to a shape at a pose. */
static double cast(const cr_shape* shape, const pose* X, v3 from, v3 direction) {
  return cr_ray_cast(shape, pose_inverse_point(X, from), m3_tmulv(&X->R, direction));
}

int cr_sensing_find_range(const cr_sensing* s, int sensor, double* distance) {
  const carom_model* m = s->model;
  pose X = cr_sensing_find_pose(s, sensor, 0);
  v3 direction = m3_column(&X.R, 2);
  int own = m->site.body[m->sensor.object[sensor]], nearest = -1;
  *distance = INFINITY;
  for (int g = 0; g < m->geom.num_geoms; g++) {
    bool is_seen = m->geom.body[g] != own && m->visual.rgba[4 * g + 3] != 0;
    if (!is_seen) continue;
    pose G = pose_mul(&s->kinematics->link_pose[m->geom.link[g]], &m->geom.local[g]);
    double at = cast(&m->geom.shape[g], &G, X.p, direction);
    if (at < *distance) *distance = at, nearest = g;
  }
  return nearest;
}

double cr_sensing_read_range(const cr_sensing* s, int sensor) {
  double distance;
  return cr_sensing_find_range(s, sensor, &distance) < 0 ? -1 : distance;
}

int cr_sensing_touches(const cr_sensing* s, int sensor, const carom_contact* c) {
  const carom_model* m = s->model;
  int site = m->sensor.object[sensor], body = m->site.body[site];
  bool is_first = cr_sensing_body_of(s, c->geom1) == body;
  if (!is_first && cr_sensing_body_of(s, c->geom2) != body) return 0;
  v3 normal = v3_load(c->normal), outward = is_first ? normal : v3_neg(normal);
  pose X = cr_sensing_find_pose(s, sensor, 0);
  if (!(v3_dot(v3_load(c->impulse), normal) > 0)) return 0;
  if (!isfinite(cast(&m->site.shape[site], &X, v3_load(c->position), outward))) return 0;
  return is_first ? 1 : -1;
}

double cr_sensing_read_touch(const cr_sensing* s, int sensor) {
  double sum = 0;
  for (int i = 0; i < s->num_contacts; i++) {
    const carom_contact* c = &s->contacts[i];
    if (!cr_sensing_touches(s, sensor, c)) continue;
    sum += v3_dot(v3_load(c->impulse), v3_load(c->normal)) / s->memory->dt;
  }
  return sum;
}

/* --- Contact sensors ----------------------------------------------------------------------------
 */

static bool is_on_side(const cr_sensing* s, const cr_contact_query* q, int side, int geom) {
  int body = cr_sensing_body_of(s, geom), index = q->index[side];
  switch ((carom_contact_side_type)q->side[side]) {
  case CAROM_SIDE_ANY:
    return true;
  case CAROM_SIDE_GEOM:
    return geom == index;
  case CAROM_SIDE_BODY:
    return body == index;
  case CAROM_SIDE_SUBTREE:
    while (body > index) body = s->model->body.parent[body];
    return body == index;
  }
  return false;
}

int cr_sensing_match(const cr_sensing* s, const cr_contact_query* q, const carom_contact* c) {
  const carom_model* m = s->model;
  if (q->site >= 0) {
    pose X = pose_mul(&s->kinematics->link_pose[m->site.link[q->site]], &m->site.local[q->site]);
    v3 at = pose_inverse_point(&X, v3_load(c->position));
    cr_ray_span span = cr_ray_find_span(&m->site.shape[q->site], at, v3_make(0, 0, 1));
    if (!(span.in <= 0 && span.out >= 0)) return 0;
  }
  if (is_on_side(s, q, 0, c->geom1) && is_on_side(s, q, 1, c->geom2)) return 1;
  return is_on_side(s, q, 0, c->geom2) && is_on_side(s, q, 1, c->geom1) ? -1 : 0;
}

/* What comes first has the smaller number. */
double cr_sensing_rank(const cr_contact_query* q, const carom_contact* c) {
  if (q->reduction == CAROM_CONTACT_NEAREST_FIRST) return c->distance;
  if (q->reduction == CAROM_CONTACT_LARGEST_FIRST) return -v3_norm(v3_load(c->impulse));
  return 0;
}

static double* store(v3 x, double* out) {
  v3_store(x, out);
  return out + 3;
}

void cr_contact_place_write(const cr_contact_place* p, unsigned data, double* out) {
  if (data & CAROM_CONTACT_FOUND) *out++ = p->found;
  if (data & CAROM_CONTACT_FORCE) out = store(p->force, out);
  if (data & CAROM_CONTACT_TORQUE) out = store(p->torque, out);
  if (data & CAROM_CONTACT_DISTANCE) *out++ = p->distance;
  if (data & CAROM_CONTACT_POINT) out = store(p->point, out);
  if (data & CAROM_CONTACT_NORMAL) out = store(p->normal, out);
  if (data & CAROM_CONTACT_TANGENT) v3_store(p->tangent, out);
}

static cr_contact_place describe(const cr_sensing* s, const carom_contact* c, int sign, int found) {
  cr_contact_place p = {.found = found, .distance = c->distance, .point = v3_load(c->position)};
  v3 force = v3_scale(sign / s->memory->dt, v3_load(c->impulse)), t2;
  p.normal = v3_scale(sign, v3_load(c->normal));
  v3_tangents(p.normal, &p.tangent, &t2);
  p.force = v3_make(v3_dot(force, p.normal), v3_dot(force, p.tangent), v3_dot(force, t2));
  v3 torque = v3_scale(sign / s->memory->dt, v3_load(c->moment));
  p.torque = v3_make(v3_dot(torque, p.normal), v3_dot(torque, p.tangent), v3_dot(torque, t2));
  return p;
}

/* The sum of all forces, at their middle weighted with them. */
static cr_contact_place describe_net(const cr_sensing* s, const cr_contact_query* q, int found) {
  cr_contact_place p = {.found = found, .normal = v3_make(1, 0, 0), .tangent = v3_make(0, 1, 0)};
  v3 moment = v3_zero();
  double weight = 0;
  for (int i = 0; i < s->num_contacts; i++) {
    const carom_contact* c = &s->contacts[i];
    int sign = cr_sensing_match(s, q, c);
    if (!sign) continue;
    v3 force = v3_scale(sign / s->memory->dt, v3_load(c->impulse)), at = v3_load(c->position);
    p.force = v3_add(p.force, force);
    p.point = v3_axpy(p.point, v3_norm(force), at);
    v3 torque = v3_scale(sign / s->memory->dt, v3_load(c->moment));
    moment = v3_add(moment, v3_add(v3_cross(at, force), torque));
    weight += v3_norm(force);
  }
  if (weight > 0) p.point = v3_scale(1 / weight, p.point);
  p.torque = v3_sub(moment, v3_cross(p.point, p.force));
  return p;
}

int cr_sensing_find_next(const cr_sensing* s, const cr_contact_query* q, double after, int number) {
  int best = -1;
  double best_rank = INFINITY;
  for (int i = 0; i < s->num_contacts; i++) {
    double r = cr_sensing_rank(q, &s->contacts[i]);
    bool follows = r > after || (r == after && i > number);
    if (!follows || (best >= 0 && r >= best_rank) || !cr_sensing_match(s, q, &s->contacts[i]))
      continue;
    best = i, best_rank = r;
  }
  return best;
}

void cr_sensing_read_contacts(const cr_sensing* s, int sensor, double* out) {
  const cr_contact_query* q = &s->model->sensor.contact[sensor];
  int width = cr_contact_query_count(q->data), found = 0;
  memset(out, 0, sizeof *out * (size_t)width * (size_t)q->num);
  for (int i = 0; i < s->num_contacts; i++) found += cr_sensing_match(s, q, &s->contacts[i]) != 0;
  if (found > 0 && q->reduction == CAROM_CONTACT_NET) {
    cr_contact_place p = describe_net(s, q, found);
    cr_contact_place_write(&p, q->data, out);
    return;
  }
  double after = -INFINITY;
  for (int k = 0, last = -1; k < q->num && k < found; k++) {
    last = cr_sensing_find_next(s, q, after, last);
    if (last < 0) return;
    after = cr_sensing_rank(q, &s->contacts[last]);
    cr_contact_place p =
        describe(s, &s->contacts[last], cr_sensing_match(s, q, &s->contacts[last]), found);
    cr_contact_place_write(&p, q->data, out + (size_t)k * (size_t)width);
  }
}
