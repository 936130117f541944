/* The geometries of a recording as what is drawn. */
#include "scene.h"

#include "common/error.h"
#include "vector.h"

#include <stdlib.h>

#define EDGE \
  0.04 /* radius of the rounded edges of boxes and cylinders, of the smallest half size */

/* --- Making -------------------------------------------------------------------------------------
 */

static void find_moving(const carom_recording* recording, const carom_recording_info* info,
                        bool* moves) {
  for (int i = 0; i < info->num_joints; i++)
    moves[carom_recording_get_joint(recording, i).body] = true;
  for (int body = 1; body < info->num_bodies; body++) {
    int parent = info->has_parts ? carom_recording_get_body(recording, body).parent : 0;
    moves[body] |= !info->has_parts || (parent > 0 && parent < body && moves[parent]);
  }
}

static double half_diagonal(const render_geom* geom) {
  const double* s = geom->size;
  switch (geom->type) {
  case CAROM_GEOM_BOX:
  case CAROM_GEOM_MESH:
  case CAROM_GEOM_HEIGHT_FIELD:
    return sqrt(render_dot(s, s));
  case CAROM_GEOM_ELLIPSOID:
    return fmax(s[0], fmax(s[1], s[2]));
  case CAROM_GEOM_CYLINDER:
    return hypot(s[0], s[1]);
  case CAROM_GEOM_CAPSULE:
    return s[0] + s[1];
  case CAROM_GEOM_SPHERE:
  case CAROM_GEOM_PLANE:
    break;
  }
  return s[0];
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Half diagonal at rest. */
static double measure_soft(const carom_soft_info* soft) {
  render_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (size_t n = 0; n < (size_t)soft->num_nodes; n++)
    for (size_t k = 0; k < 3; k++) {
      box.low[k] = fmin(box.low[k], soft->nodes[3 * n + k]);
      box.high[k] = fmax(box.high[k], soft->nodes[3 * n + k]);
    }
  return render_box_radius(&box);
}

static bool measure(render_scene* s) {
  int count = 0;
  double* reaches = malloc(sizeof *reaches * ((size_t)(s->num_geoms + s->softs.count) + 1));
  if (!reaches) return false;
  for (int i = 0; i < s->num_geoms; i++)
    if (s->moves[s->geoms[i].body] && s->geoms[i].type != CAROM_GEOM_PLANE)
      reaches[count++] = half_diagonal(&s->geoms[i]);
  for (int i = 0; i < s->softs.count; i++) reaches[count++] = measure_soft(&s->softs.items[i].info);
  qsort(reaches, (size_t)count, sizeof *reaches, compare);
  s->reach = count ? reaches[count / 2] : 0;
  free(reaches);
  return true;
}

/* Planes in MJCF's default colour, which no one chose, are drawn lighter: they fill the picture. */
static bool is_plain(const carom_geom_info* info) {
  const float* c = info->rgba;
  return info->type == CAROM_GEOM_PLANE && c[0] == 0.5F && c[1] == 0.5F && c[2] == 0.5F;
}

static render_geom convert(const carom_geom_info* info) {
  static const float PAPER[3] = {0.86F, 0.865F, 0.87F};
  render_geom geom = {.type = info->type, .body = info->body, .mesh = info->mesh};
  memcpy(geom.pose, info->position, sizeof info->position);
  memcpy(geom.pose + 3, info->quaternion, sizeof info->quaternion);
  memcpy(geom.size, info->size, sizeof info->size);
  render_linear(is_plain(info) ? PAPER : info->rgba, geom.colour);
  geom.colour[3] = info->rgba[3];
  return geom;
}

carom_status render_scene_create(carom_recording* recording, bool all_groups, bool no_planes,
                                 const render_soft_look* look, render_scene* s,
                                 carom_error* error) {
  carom_recording_info info = carom_recording_get_info(recording);
  *s = (render_scene){
      .recording = recording, .num_meshes = info.num_meshes, .num_bodies = info.num_bodies};
  s->geoms = calloc((size_t)info.num_geoms + 1, sizeof *s->geoms);
  s->moves = calloc((size_t)info.num_bodies + 1, sizeof *s->moves);
  bool is_made = s->geoms && s->moves;
  carom_status status = render_softs_create(recording, all_groups, look, &s->softs, error);
  if (status != CAROM_OK) return status;
  for (int i = 0; is_made && i < info.num_geoms; i++) {
    carom_geom_info geom = carom_recording_get_geom(recording, i);
    bool is_hidden = geom.rgba[3] <= 0 || (geom.group >= 3 && !all_groups) ||
                     (geom.type == CAROM_GEOM_PLANE && no_planes);
    if (!is_hidden) s->geoms[s->num_geoms++] = convert(&geom);
  }
  if (is_made) find_moving(recording, &info, s->moves);
  if (is_made && measure(s)) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
}

void render_scene_free(render_scene* s) {
  render_softs_free(&s->softs);
  free(s->geoms);
  free(s->moves);
}

/* --- Drawing ------------------------------------------------------------------------------------
 */

static double smallest(double a, double b, double c) { return fmin(fmin(a, b), c); }

static void add_geom(const render_geom* geom, const double pose[7], int key, render_solids* out) {
  static const double UNSCALED[3] = {1, 1, 1};
  const double* s = geom->size;
  double core[3] = {0, 0, s[1]}, edge;
  switch (geom->type) {
  case CAROM_GEOM_SPHERE:
    core[2] = 0;
    render_solids_add(out, RENDER_BALL, pose, core, s[0], geom->colour, RENDER_OCTANTS, key);
    break;
  case CAROM_GEOM_CAPSULE:
    render_solids_add(out, RENDER_BALL, pose, core, s[0], geom->colour, RENDER_QUARTERS, key);
    break;
  case CAROM_GEOM_CYLINDER:
    edge = EDGE * fmin(s[0], s[1]);
    core[0] = core[1] = s[0] - edge;
    core[2] = s[1] - edge;
    render_solids_add(out, RENDER_CYLINDER, pose, core, edge, geom->colour, RENDER_QUARTERS, key);
    break;
  case CAROM_GEOM_ELLIPSOID:
    render_solids_add(out, RENDER_ELLIPSOID, pose, s, 0, geom->colour, RENDER_OCTANTS, key);
    break;
  case CAROM_GEOM_MESH:
  case CAROM_GEOM_HEIGHT_FIELD:
    if (geom->mesh >= 0) {
      render_solids_add(out, RENDER_NUM_SHAPES + geom->mesh, pose, UNSCALED, 0, geom->colour,
                        RENDER_PLAIN, key);
      break;
    } /* else its bounds */
    /* fall through */
  case CAROM_GEOM_BOX:
    edge = EDGE * smallest(s[0], s[1], s[2]);
    for (int k = 0; k < 3; k++) core[k] = s[k] - edge;
    render_solids_add(out, RENDER_BOX, pose, core, edge, geom->colour, RENDER_PLAIN, key);
    break;
  case CAROM_GEOM_PLANE:
    break;
  }
}

void render_scene_add(const render_scene* s, const double* poses, render_solids* solids) {
  for (int i = 0; i < s->num_geoms; i++) {
    double pose[7];
    render_pose_compose(poses + 7 * (size_t)s->geoms[i].body, s->geoms[i].pose, pose);
    add_geom(&s->geoms[i], pose, i, solids);
  }
  render_softs_add(&s->softs, RENDER_NUM_SHAPES + s->num_meshes, solids);
}

/* --- Boxes --------------------------------------------------------------------------------------
 */

/* Half width of a geometry along an axis, given in its own frame. */
static double half_width(const render_geom* geom, const double axis[3]) {
  const double* s = geom->size;
  switch (geom->type) {
  case CAROM_GEOM_ELLIPSOID:
    return hypot(hypot(s[0] * axis[0], s[1] * axis[1]), s[2] * axis[2]);
  case CAROM_GEOM_BOX:
  case CAROM_GEOM_MESH:
  case CAROM_GEOM_HEIGHT_FIELD:
    return s[0] * fabs(axis[0]) + s[1] * fabs(axis[1]) + s[2] * fabs(axis[2]);
  case CAROM_GEOM_CYLINDER:
    return s[0] * hypot(axis[0], axis[1]) + s[1] * fabs(axis[2]);
  case CAROM_GEOM_CAPSULE:
    return s[0] + s[1] * fabs(axis[2]);
  case CAROM_GEOM_SPHERE:
  case CAROM_GEOM_PLANE:
    break;
  }
  return s[0];
}

bool render_geom_box(const render_geom* geom, const double* poses, render_box* box) {
  double pose[7], rotation[9];
  render_pose_compose(poses + 7 * (size_t)geom->body, geom->pose, pose);
  render_rotation(pose + 3, rotation);
  for (int k = 0; k < 3; k++) {
    double half = half_width(geom, rotation + 3 * k);
    box->low[k] = pose[k] - half;
    box->high[k] = pose[k] + half;
    if (!isfinite(box->low[k]) || !isfinite(box->high[k])) return false;
  }
  return true;
}
