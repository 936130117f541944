/* The reach of endless planes; velocities of bodies.
 *
 * v_b = v_parent + ω_parent × (p_b - p_parent) + Σ ω_j × (p_b - a_j), ω_b = ω_parent + Σ ω_j, with
 * the axes a body's joints have in the world. Where a body has several joints the axis of one is
 * that before those after it have turned, so they are undone from the last to the first. */
#include "convert/scene.h"

#include "convert/surface.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

/* --- Reach --------------------------------------------------------------------------------------
 */

typedef struct box {
  double least[3], most[3];
} box;

static void widen(box* b, const cr_convert_job* job, const double* poses) {
  for (int i = 0; i < job->info.num_geoms; i++) {
    carom_geom_info geom = carom_recording_get_geom(job->recording, i);
    const double* body = poses + 7 * geom.body;
    v3 at = v3_add(v3_load(body), quat_rotate(quat_load(body + 3), v3_load(geom.position)));
    double radius = cr_geom_compute_radius(&geom), place[3];
    v3_store(at, place);
    for (int k = 0; k < 3; k++) {
      b->least[k] = fmin(b->least[k], place[k] - radius);
      b->most[k] = fmax(b->most[k], place[k] + radius);
    }
  }
}

double cr_scene_compute_reach(cr_convert_job* job) {
  box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  double square = 0;
  for (int end = 0; end < 2; end++) {
    carom_frame frame;
    if (cr_convert_read_end(job, end, &frame)) widen(&b, job, frame.poses);
  }
  for (int k = 0; k < 3; k++) square += (b.most[k] - b.least[k]) * (b.most[k] - b.least[k]) / 4;
  return isfinite(square) && square > 0 ? 6 * sqrt(square) : 1;
}

/* --- Velocities ---------------------------------------------------------------------------------
 */

/* A body on the way back through its joints. */
typedef struct walk {
  v3 origin; /* of the body as it is */
  v3 p;      /* origin and ... */
  quat R;    /* ... turn of the frame before the joints that were undone */
  v3 v, w;   /* what the joints add */
} walk;

/* A joint that turns: its angular velocity and the turn that it made, in the frame. */
static void undo_turn(walk* k, const carom_joint_info* joint, v3 rate, quat turn) {
  v3 anchor = v3_load(joint->anchor);
  v3 at = v3_add(k->p, quat_rotate(k->R, anchor)), w = quat_rotate(k->R, rate);
  k->w = v3_add(k->w, w);
  k->v = v3_add(k->v, v3_cross(w, v3_sub(k->origin, at)));
  k->R = quat_mul(k->R, quat_conjugate(turn));
  k->p = v3_sub(at, quat_rotate(k->R, anchor));
}

/* @param reference the coordinate at which the joint has done nothing yet */
static void undo_joint(walk* k, const carom_joint_info* joint, double reference, const double* q,
                       const double* v) {
  v3 axis = v3_load(joint->axis);
  switch (joint->type) {
  case CAROM_JOINT_FREE:
    k->v = v3_add(k->v, v3_load(v));
    k->w = v3_add(k->w, quat_rotate(k->R, v3_load(v + 3)));
    break;
  case CAROM_JOINT_BALL:
    undo_turn(k, joint, v3_load(v), quat_load(q));
    break;
  case CAROM_JOINT_HINGE:
    undo_turn(k, joint, v3_scale(*v, axis), quat_from_axis_angle(axis, *q - reference));
    break;
  case CAROM_JOINT_SLIDE:
    k->v = v3_axpy(k->v, *v, quat_rotate(k->R, axis));
    k->p = v3_axpy(k->p, reference - *q, quat_rotate(k->R, axis));
    break;
  }
}

/* What the joints of bodies add; those of one body stand together. */
static void compute_own(const cr_convert_job* job, const carom_frame* frame, double* twists) {
  walk k = {.w = v3_zero()};
  for (int j = job->info.num_joints - 1, body = -1; j >= 0; j--) {
    carom_joint_info info = carom_recording_get_joint(job->recording, j);
    const double* place = frame->poses + 7 * info.body;
    if (info.body != body)
      k = (walk){.origin = v3_load(place), .p = v3_load(place), .R = quat_load(place + 3)};
    body = info.body;
    undo_joint(&k, &info, carom_recording_get_reference(job->recording, j),
               frame->q + info.q_address, frame->v + info.v_address);
    v3_store(k.v, twists + 6 * body);
    v3_store(k.w, twists + 6 * body + 3);
  }
}

static void add_parent(const cr_convert_job* job, const carom_frame* frame, int body,
                       double* twists) {
  int parent = carom_recording_get_body(job->recording, body).parent;
  if (parent < 0 || parent >= body) return;
  v3 w = v3_load(twists + 6 * parent + 3), v = v3_load(twists + 6 * parent);
  v3 arm = v3_sub(v3_load(frame->poses + 7 * body), v3_load(frame->poses + 7 * parent));
  double* own = twists + 6 * body;
  v3_store(v3_add(v3_load(own), v3_add(v, v3_cross(w, arm))), own);
  v3_store(v3_add(v3_load(own + 3), w), own + 3);
}

void cr_scene_compute_twists(const cr_convert_job* job, const carom_frame* frame, double* twists) {
  int num_bodies = job->info.num_bodies;
  memset(twists, 0, sizeof *twists * 6 * (size_t)num_bodies);
  compute_own(job, frame, twists);
  for (int body = 1; body < num_bodies; body++) add_parent(job, frame, body, twists);
}
