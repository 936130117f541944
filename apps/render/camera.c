/* Cameras: three quarters from the front, as near as what moves allows. */
#include "camera.h"

#include "common/error.h"

#include <stdlib.h>

enum { NUM_TIMES = 16 };
#define FILL  0.86 /* of the picture that the box takes */
#define STRAY 0.02 /* the part of all boxes that is left out on each side */
#define FIXED 1.4  /* how much wider the picture may become for fixed things */

/* --- What moves ---------------------------------------------------------------------------------
 */

/* Boxes of what moves, at some times. */
typedef struct box_list {
  render_box* items; /* [capacity] */
  int count, capacity;
} box_list;

/* Where nothing that is seen moves, of what there is; without any, of the bodies' frames. */
static void add_boxes(const render_scene* scene, const render_track* track, box_list* list) {
  int before = list->count;
  const double* poses = track->poses;
  for (int i = 0; i < scene->num_geoms && list->count < list->capacity; i++) {
    const render_geom* geom = &scene->geoms[i];
    if (geom->type == CAROM_GEOM_PLANE || (scene->reach > 0 && !scene->moves[geom->body])) continue;
    if (render_geom_box(geom, poses, &list->items[list->count])) list->count++;
  }
  for (int i = 0; i < scene->softs.count && list->count < list->capacity; i++)
    if (render_soft_find_box(&scene->softs.items[i], track, &list->items[list->count]))
      list->count++;
  if (list->count > before) return;
  for (int body = 0; body < scene->num_bodies && list->count < list->capacity; body++) {
    const double* place = poses + 7 * (size_t)body;
    if (!isfinite(place[0] + place[1] + place[2])) continue;
    render_box* box = &list->items[list->count++];
    memcpy(box->low, place, sizeof box->low);
    memcpy(box->high, place, sizeof box->high);
  }
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* One side of all boxes along an axis, but for the stray ones. */
static double find_side(const box_list* list, int axis, bool is_high, double* sides) {
  for (int i = 0; i < list->count; i++)
    sides[i] = is_high ? list->items[i].high[axis] : list->items[i].low[axis];
  qsort(sides, (size_t)list->count, sizeof *sides, compare);
  int stray = (int)(STRAY * list->count);
  return sides[is_high ? list->count - 1 - stray : stray];
}

static bool unite(const box_list* list, render_box* box) {
  double* sides = malloc(sizeof *sides * ((size_t)list->count + 1));
  *box = (render_box){{0}, {0}};
  for (int axis = 0; sides && list->count && axis < 3; axis++) {
    box->low[axis] = find_side(list, axis, false, sides);
    box->high[axis] = find_side(list, axis, true, sides);
  }
  free(sides);
  return sides != NULL;
}

/* Takes in fixed things that make the box little wider, such as the walls of a bin. */
static void widen(const render_scene* scene, const double* poses, render_box* box) {
  double most = FIXED * render_box_radius(box);
  for (int i = 0; i < scene->num_geoms; i++) {
    const render_geom* geom = &scene->geoms[i];
    render_box own, both = *box;
    if (geom->type == CAROM_GEOM_PLANE || scene->moves[geom->body]) continue;
    if (!render_geom_box(geom, poses, &own)) continue;
    for (int k = 0; k < 3; k++) {
      both.low[k] = fmin(box->low[k], own.low[k]);
      both.high[k] = fmax(box->high[k], own.high[k]);
    }
    if (render_box_radius(&both) <= most) *box = both;
  }
}

carom_status render_camera_survey(const render_scene* scene, render_track* track, double from,
                                  double to, render_box* box, carom_error* error) {
  int times = to > from ? NUM_TIMES : 1;
  box_list list = {.capacity = times * (scene->num_geoms + scene->softs.count + scene->num_bodies)};
  list.items = malloc(sizeof *list.items * ((size_t)list.capacity + 1));
  carom_status status = list.items ? CAROM_OK : CAROM_ERROR_OUT_OF_MEMORY;
  for (int i = times - 1; status == CAROM_OK && i >= 0; i--) {
    status =
        render_track_seek(track, times > 1 ? from + (to - from) * i / (times - 1) : from, error);
    if (status == CAROM_OK) add_boxes(scene, track, &list);
  }
  if (list.items && !unite(&list, box)) status = CAROM_ERROR_OUT_OF_MEMORY;
  free(list.items);
  if (status == CAROM_ERROR_OUT_OF_MEMORY) return cli_error(error, status, "out of memory");
  if (status == CAROM_OK) widen(scene, track->poses, box);
  return status;
}

/* --- Setting up ---------------------------------------------------------------------------------
 */

/* Unit vector from the middle to the camera. */
static void find_direction(const render_camera_def* def, double direction[3]) {
  double azimuth = def->azimuth * M_PI / 180, elevation = def->elevation * M_PI / 180;
  direction[0] = cos(elevation) * cos(azimuth);
  direction[1] = cos(elevation) * sin(azimuth);
  direction[2] = sin(elevation);
}

static double find_tangent(const render_camera_def* def) {
  return tan(0.5 * def->angle * M_PI / 180);
}

/* A corner of a box as a camera at a middle sees it: to the right, up, and towards it. */
static void see_corner(const render_matrix* look, const render_box* box, const double middle[3],
                       int corner, double seen[3]) {
  double at[3];
  for (int k = 0; k < 3; k++) at[k] = (corner >> k & 1 ? box->high : box->low)[k] - middle[k];
  for (int k = 0; k < 3; k++)
    seen[k] = look->at[k] * at[0] + look->at[4 + k] * at[1] + look->at[8 + k] * at[2];
}

/* The least distance at which all corners of the box are in the picture. */
static double find_distance(const render_camera_def* def, const render_matrix* look,
                            const render_box* box, const double middle[3]) {
  double tangent = FILL * find_tangent(def), distance = 0, seen[3];
  for (int corner = 0; corner < 8; corner++) {
    see_corner(look, box, middle, corner, seen);
    distance = fmax(distance, seen[2] + fabs(seen[0]) / (tangent * def->aspect));
    distance = fmax(distance, seen[2] + fabs(seen[1]) / tangent);
  }
  return distance;
}

/* Moves the middle aside and up until there is as much room on opposite sides of the picture. */
static void centre(const render_matrix* look, const render_box* box, double distance,
                   double middle[3]) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, seen[3];
  for (int corner = 0; corner < 8; corner++) {
    see_corner(look, box, middle, corner, seen);
    for (int k = 0; k < 2; k++) {
      double place = seen[k] / fmax(distance - seen[2], 1e-3 * distance);
      low[k] = fmin(low[k], place);
      high[k] = fmax(high[k], place);
    }
  }
  for (int k = 0; k < 3; k++)
    for (int side = 0; side < 2; side++)
      middle[k] += 0.5 * (low[side] + high[side]) * distance * look->at[4 * k + side];
}

/* Where to look and from how far, so that the box fills the picture. */
static void fit(const render_camera_def* def, const render_box* box, render_camera* camera) {
  double direction[3];
  const double origin[3] = {0, 0, 0};
  find_direction(def, direction);
  render_matrix look = render_matrix_look(direction, origin);
  double least = 0.5 * camera->radius;
  double distance = fmax(find_distance(def, &look, box, camera->middle), least);
  for (int i = 0; i < 4 && !def->has_middle; i++) {
    centre(&look, box, distance, camera->middle);
    distance = fmax(find_distance(def, &look, box, camera->middle), least);
  }
  camera->distance = def->distance > 0 ? def->distance : distance;
}

static void place_eye(const render_camera_def* def, render_camera* camera) {
  double direction[3];
  find_direction(def, direction);
  for (int k = 0; k < 3; k++) camera->eye[k] = camera->middle[k] + camera->distance * direction[k];
}

void render_camera_set(const render_camera_def* def, const render_box* box, render_camera* camera) {
  for (int k = 0; k < 3; k++)
    camera->middle[k] = def->has_middle ? def->middle[k] : 0.5 * (box->low[k] + box->high[k]);
  camera->radius = render_box_radius(box) > 1e-6 ? render_box_radius(box) : 1;
  camera->azimuth = def->azimuth * M_PI / 180;
  fit(def, box, camera);
  place_eye(def, camera);
}

void render_camera_update(const render_camera_def* def, const double* poses,
                          render_camera* camera) {
  const double* place = poses + 7 * (size_t)def->follow;
  if (def->follow < 0 || !isfinite(place[0] + place[1] + place[2])) return;
  memcpy(camera->middle, place, sizeof camera->middle);
  place_eye(def, camera);
}

double render_camera_pixel(const render_camera_def* def, const render_camera* camera, int height) {
  return 2 * camera->distance * find_tangent(def) / height;
}

render_matrix render_camera_clip(const render_camera_def* def, const render_camera* camera) {
  double eye[3], origin[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++) eye[k] = camera->eye[k] - camera->middle[k];
  double far = camera->distance + 80 * fmax(camera->radius, camera->distance);
  render_matrix look = render_matrix_look(eye, origin);
  render_matrix perspective =
      render_matrix_perspective(find_tangent(def), def->aspect, 0.02 * camera->distance, far);
  return render_matrix_multiply(&perspective, &look);
}
