/* How fast the bodies of a recording move, and their momentum. A recording holds poses, joints and
 * joint velocities, masses and inertias; the velocities of bodies follow from these. */
#ifndef CLI_PLOT_MOTION_H
#define CLI_PLOT_MOTION_H

#include "carom/record.h"

/* Of a body, world frame. */
typedef struct plot_twist {
  double linear[3];  /* m/s, of the body frame's origin */
  double angular[3]; /* rad/s */
} plot_twist;

typedef struct plot_motion plot_motion;

/* Makes room for the motions of a recording.
 * @param path of the recording, for sentences
 * @param reference [num_q] coordinates of the reference configuration; null: zero. They matter to
 * bodies that hang on several joints
 * @return CAROM_ERROR_BAD_INPUT where the recording does not say what its bodies and joints are */
carom_status plot_motion_create(carom_recording* recording, const char* path,
                                const double* reference, plot_motion** motion, carom_error* error);

/* Null is allowed. */
void plot_motion_destroy(plot_motion* motion);

/* Computes the motion of a frame. */
void plot_motion_update(plot_motion* motion, const carom_frame* frame);

/* Velocities of a body. */
const plot_twist* plot_motion_twist(const plot_motion* motion, int body);

/* Momentum of everything that can move, [9]: linear, kg m/s; angular about its centre of mass and
 * about the world's origin, kg m²/s. */
const double* plot_motion_momentum(const plot_motion* motion);

#endif
