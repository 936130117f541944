/* What of a recording's scene several formats need: the reach of endless planes. */
#ifndef CR_CONVERT_SCENE_H
#define CR_CONVERT_SCENE_H

#include "convert/job.h"

/* Half the width at which endless planes are drawn, m: they reach past all geometries of the first
 * and the last frame by six times the radius of these. */
double cr_scene_compute_reach(cr_convert_job* job);

#endif
