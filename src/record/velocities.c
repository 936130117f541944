/* Velocities of bodies, from those of the joints:
 *
 * v_b = v_parent + ω_parent × (p_b - p_parent) + Σ ω_j × (p_b - a_j), ω_b = ω_parent + Σ ω_j, with
 * the axes a body's joints have in the world. Where a body has several joints the axis of one is
 * that before those after it have turned, so they are undone from the last to the first. */
#include "base/error.h"
#include "math/quat.h"
#include "record/recording.h"

#include <string.h>

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

/* Takes back a way along an axis of `scale` times the coordinate, and its velocity. */
static void undo_way(walk* k, v3 axis, double scale, double back, double v) {
  v3 direction = quat_rotate(k->R, axis);
  k->v = v3_axpy(k->v, scale * v, direction);
  k->p = v3_axpy(k->p, scale * back, direction);
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
  case CAROM_JOINT_HINGE: /* a screw: its way along the axis first, which its turn leaves alone */
    undo_way(k, axis, joint->pitch / (2 * M_PI), reference - *q, *v);
    undo_turn(k, joint, v3_scale(*v, axis), quat_from_axis_angle(axis, *q - reference));
    break;
  case CAROM_JOINT_SLIDE:
    undo_way(k, axis, 1, reference - *q, *v);
    break;
  }
}

/* What the joints of bodies add; those of one body stand together. */
static void compute_own(const carom_recording* r, const carom_frame* frame, double* twists) {
  walk k = {.w = v3_zero()};
  for (int j = r->info.num_joints - 1, body = -1; j >= 0; j--) {
    carom_joint_info info = carom_recording_get_joint(r, j);
    const double* place = frame->poses + 7 * info.body;
    if (info.body != body)
      k = (walk){.origin = v3_load(place), .p = v3_load(place), .R = quat_load(place + 3)};
    body = info.body;
    undo_joint(&k, &info, carom_recording_get_reference(r, j), frame->q + info.q_address,
               frame->v + info.v_address);
    v3_store(k.v, twists + 6 * body);
    v3_store(k.w, twists + 6 * body + 3);
  }
}

static void add_parent(const carom_recording* r, const carom_frame* frame, int body,
                       double* twists) {
  int parent = carom_recording_get_body(r, body).parent;
  if (parent < 0) return;
  v3 w = v3_load(twists + 6 * parent + 3), v = v3_load(twists + 6 * parent);
  v3 arm = v3_sub(v3_load(frame->poses + 7 * body), v3_load(frame->poses + 7 * parent));
  double* own = twists + 6 * body;
  v3_store(v3_add(v3_load(own), v3_add(v, v3_cross(w, arm))), own);
  v3_store(v3_add(v3_load(own + 3), w), own + 3);
}

carom_status carom_recording_compute_velocities(const carom_recording* recording,
                                                const carom_frame* frame, double* twists,
                                                carom_error* error) {
  if (!recording->info.has_parts)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "%.300s: the recording is of an early version and does not say what its "
                        "bodies and joints are, which velocities follow from",
                        recording->path);
  int num_bodies = recording->info.num_bodies;
  memset(twists, 0, sizeof *twists * 6 * (size_t)num_bodies);
  compute_own(recording, frame, twists);
  for (int body = 1; body < num_bodies; body++) add_parent(recording, frame, body, twists);
  return CAROM_OK;
}
