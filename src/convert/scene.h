/* What of a recording's scene several formats need: the reach of endless planes, velocities of
 * bodies. */
#ifndef CR_CONVERT_SCENE_H
#define CR_CONVERT_SCENE_H

#include "convert/job.h"

/* Half the width at which endless planes are drawn, m: they reach past all geometries of the first
 * and the last frame by six times the radius of these. */
double cr_scene_compute_reach(cr_convert_job* job);

/* Velocities of the bodies of a frame, from those of the joints.
 * @param twists [6 num_bodies] velocity of the frame's origin, m/s; angular velocity, rad/s; both
 * in the world frame */
void cr_scene_compute_twists(const cr_convert_job* job, const carom_frame* frame, double* twists);

#endif
