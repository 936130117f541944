/* The reach of endless planes. */
#include "convert/scene.h"

#include "convert/surface.h"
#include "math/quat.h"

#include <math.h>

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
