/* Which joints of blocks open, hinge or slide. A joint keeps the points where its bodies touched,
 * in the frames of both; d = x2 - x1 of a point says how far these have parted since: its part
 * along the normal, which goes with the first body, is the opening, the rest the slide. */
#include "carom/mechanism.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "sim/sim.h"

#include <math.h>

#define NEAREST \
  0.1 /* of the opening: points that have parted by no more than this beside the least */

typedef struct joint_point {
  int joint;
  v3 x[2];   /* m, in the bodies' frames */
  v3 normal; /* in the first body's */
} joint_point;

typedef struct joint_start {
  int bodies[2];
  quat turn; /* of the second body against the first */
} joint_start;

struct carom_mechanism {
  carom_allocator allocator;
  int num_bodies, num_joints, num_points;
  size_t capacity; /* of joints and points */
  joint_start* joint;
  joint_point* point;
  double* poses; /* [7 num_bodies] scratch */
};

static size_t poses_size(const carom_mechanism* m) {
  return sizeof(double) * 7 * (size_t)m->num_bodies;
}

static pose pose_of(const carom_mechanism* m, int body) {
  const double* at = m->poses + 7 * body;
  return (pose){v3_load(at), quat_to_m3(quat_normalize(quat_load(at + 3)))};
}

static quat turn_of(const carom_mechanism* m, const int bodies[2]) {
  quat a = quat_normalize(quat_load(m->poses + 7 * bodies[0] + 3));
  quat b = quat_normalize(quat_load(m->poses + 7 * bodies[1] + 3));
  return quat_mul(b, quat_conjugate(a));
}

/* --- The joints as they are ---------------------------------------------------------------------
 */

/* The joint of two bodies, which may be new. */
static int find_joint(carom_mechanism* m, const int bodies[2]) {
  for (int j = m->num_joints - 1; j >= 0; j--)
    if (m->joint[j].bodies[0] == bodies[0] && m->joint[j].bodies[1] == bodies[1]) return j;
  m->joint[m->num_joints] = (joint_start){{bodies[0], bodies[1]}, turn_of(m, bodies)};
  return m->num_joints++;
}

static void add_point(carom_mechanism* m, const carom_sim* sim, const carom_contact* c) {
  if (c->geom1 < 0 || c->geom2 < 0) return;
  const int* body = sim->model->geom.body;
  bool is_turned = body[c->geom1] > body[c->geom2];
  const int bodies[2] = {body[is_turned ? c->geom2 : c->geom1],
                         body[is_turned ? c->geom1 : c->geom2]};
  const pose X[2] = {pose_of(m, bodies[0]), pose_of(m, bodies[1])};
  v3 at = v3_load(c->position), normal = v3_scale(is_turned ? -1 : 1, v3_load(c->normal));
  m->point[m->num_points++] =
      (joint_point){find_joint(m, bodies),
                    {pose_inverse_point(&X[0], at), pose_inverse_point(&X[1], at)},
                    m3_tmulv(&X[0].R, normal)};
}

static carom_status start(carom_mechanism* m, carom_sim* sim, carom_error* error) {
  const carom_contact* contacts;
  int count;
  CR_TRY(carom_sim_compute_contacts(sim, &contacts, &count, error));
  m->capacity = (size_t)count + 1;
  m->joint = cr_alloc(&m->allocator, sizeof *m->joint * m->capacity);
  m->point = cr_alloc(&m->allocator, sizeof *m->point * m->capacity);
  m->poses = cr_alloc(&m->allocator, poses_size(m));
  if (!m->joint || !m->point || !m->poses) return cr_error_memory(error);
  carom_sim_compute_poses(sim, m->poses);
  for (int i = 0; i < count; i++) add_point(m, sim, &contacts[i]);
  return cr_error_clear(error);
}

carom_status carom_mechanism_create(carom_sim* sim, const carom_allocator* allocator,
                                    carom_mechanism** mechanism, carom_error* error) {
  carom_allocator own = cr_allocator_resolve(allocator);
  carom_mechanism* m = cr_alloc_zero(&own, sizeof *m);
  *mechanism = NULL;
  if (!m) return cr_error_memory(error);
  m->allocator = own;
  m->num_bodies = sim->model->body.num_bodies;
  carom_status status = start(m, sim, error);
  if (status == CAROM_OK)
    *mechanism = m;
  else
    carom_mechanism_destroy(m);
  return status;
}

void carom_mechanism_destroy(carom_mechanism* m) {
  if (!m) return;
  carom_allocator allocator = m->allocator;
  cr_release(&allocator, m->joint, sizeof *m->joint * m->capacity);
  cr_release(&allocator, m->point, sizeof *m->point * m->capacity);
  cr_release(&allocator, m->poses, poses_size(m));
  cr_release(&allocator, m, sizeof *m);
}

int carom_mechanism_count(const carom_mechanism* mechanism) { return mechanism->num_joints; }

/* --- What they have done ------------------------------------------------------------------------
 */

/* How far the bodies have parted at a point. */
typedef struct parting {
  double opening, slide;
  v3 place; /* of the first body's */
} parting;

static parting find_parting(const carom_mechanism* m, const joint_point* p) {
  const int* bodies = m->joint[p->joint].bodies;
  const pose X[2] = {pose_of(m, bodies[0]), pose_of(m, bodies[1])};
  v3 place = pose_point(&X[0], p->x[0]), d = v3_sub(pose_point(&X[1], p->x[1]), place);
  v3 normal = m3_mulv(&X[0].R, p->normal);
  double opening = v3_dot(d, normal);
  return (parting){opening, v3_norm(v3_axpy(d, -opening, normal)), place};
}

/* By which the second body has turned against the first. */
static void find_turn(const carom_mechanism* m, int joint, carom_block_joint* out) {
  const joint_start* j = &m->joint[joint];
  v3 turn = quat_log(quat_mul(turn_of(m, j->bodies), quat_conjugate(j->turn)));
  out->angle = v3_norm(turn);
  v3_store(out->angle > 0 ? v3_scale(1 / out->angle, turn) : v3_zero(), out->axis);
}

static void find_joint_motion(const carom_mechanism* m, int joint, double tolerance,
                              carom_block_joint* out) {
  double least = INFINITY, most = -INFINITY, count = 0;
  v3 center = v3_zero();
  *out = (carom_block_joint){
      {m->joint[joint].bodies[0], m->joint[joint].bodies[1]}, 0, 0, 0, 0, {0}, {0}};
  for (int i = 0; i < m->num_points; i++) {
    if (m->point[i].joint != joint) continue;
    double opening = find_parting(m, &m->point[i]).opening;
    least = fmin(least, opening), most = fmax(most, opening);
  }
  for (int i = 0; i < m->num_points; i++) {
    if (m->point[i].joint != joint) continue;
    parting p = find_parting(m, &m->point[i]);
    if (p.opening > least + NEAREST * (most - least)) continue;
    center = v3_add(center, p.place), count++;
    out->slide = fmax(out->slide, p.slide);
  }
  v3_store(v3_scale(1 / count, center), out->center);
  out->opening = fmax(most, 0);
  find_turn(m, joint, out);
  if (least > tolerance) out->motion = CAROM_JOINT_OPENED;
  if (least <= tolerance && most - least > tolerance) out->motion |= CAROM_JOINT_HINGED;
  if (least <= tolerance && out->slide > tolerance) out->motion |= CAROM_JOINT_SLID;
}

carom_status carom_mechanism_find(const carom_mechanism* m, carom_sim* sim, double tolerance,
                                  carom_block_joint* joints, carom_error* error) {
  if (sim->model->body.num_bodies != m->num_bodies)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "mechanism: made of %d bodies, the simulation has %d", m->num_bodies,
                        sim->model->body.num_bodies);
  carom_sim_compute_poses(sim, m->poses);
  for (int j = 0; j < m->num_joints; j++) find_joint_motion(m, j, tolerance, &joints[j]);
  return cr_error_clear(error);
}
