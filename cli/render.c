/* `carom render`: pictures of a recording, one, numbered, or as a movie. Nothing is written before
 * the recording is read and the first picture is drawn. */
#include "render.h"

#include "common/files.h"
#include "interrupt.h"
#include "options.h"
#include "page.h"
#include "progress.h"
#include "render/context.h"
#include "render/image.h"
#include "render/legend.h"
#include "render/marks.h"
#include "render/movie.h"
#include "render/painter.h"
#include "state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Everything that pictures take. */
typedef struct studio {
  const render_options* options;
  render_plan plan;
  render_track track;
  render_scene scene;
  render_trails trails;
  render_camera_def camera;
  render_context context;
  render_painter* painter;
  render_view view;
  render_legend legend;
  unsigned char* pixels;          /* [4 width height] */
  double start, step;             /* s, of the first picture, between two */
  int count, done;                /* pictures */
  double mark_size, force_length; /* m; m/N */
  double line;                    /* m, the least radius of lines that are seen well */
  carom_error unread;             /* why the pictures end before their time; empty: they do not */
} studio;

/* --- Times --------------------------------------------------------------------------------------
 */

/* A time that was asked for, or one that stands for none. */
static carom_status choose_time(const studio* s, const char* option, double asked, double otherwise,
                                double* time, carom_error* error) {
  const carom_recording_info* info = &s->track.info;
  double slack = 1e-9 * fmax(1, fmax(fabs(info->start), fabs(info->end)));
  *time = isnan(asked) ? otherwise : fmin(fmax(asked, info->start), info->end);
  if (isnan(asked) || fabs(asked - *time) <= slack) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_BAD_INPUT,
                   "%s: --%s is %g s, outside the recording, which goes from %g s to %g s",
                   s->options->recording, option, asked, info->start, info->end);
}

static carom_status choose_times(studio* s, carom_error* error) {
  const render_options* o = s->options;
  const carom_recording_info* info = &s->track.info;
  double end;
  s->count = 1;
  if (s->plan.kind == RENDER_PICTURE)
    return choose_time(s, "time", o->time, info->end, &s->start, error);
  carom_status status = choose_time(s, "from", o->from, info->start, &s->start, error);
  if (status == CAROM_OK) status = choose_time(s, "to", o->to, info->end, &end, error);
  if (status != CAROM_OK) return status;
  if (end < s->start)
    return cli_error(error, CAROM_ERROR_BAD_INPUT, "%s: --to is %g s, before --from, %g s",
                     o->recording, end, s->start);
  s->step = (isnan(o->speed) ? 1 : o->speed) / (isnan(o->fps) ? 30 : o->fps);
  double count = floor((end - s->start) / s->step * (1 + 1e-12) + 1e-9) + 1;
  s->count = (int)count;
  if (count <= 1e7) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_BAD_INPUT, "%s: that would be %g pictures; see --speed",
                   o->recording, count);
}

static double time_of(const studio* s, int index) {
  return fmin(s->start + index * s->step, s->track.info.end);
}

/* --- Setting up ---------------------------------------------------------------------------------
 */

static carom_status find_body(const studio* s, const char* name, int* found, carom_error* error) {
  for (int body = 0; s->track.info.has_parts && body < s->track.info.num_bodies; body++)
    if (strcmp(carom_recording_get_body(s->track.recording, body).name, name) == 0) {
      *found = body;
      return CAROM_OK;
    }
  return cli_error(error, CAROM_ERROR_BAD_INPUT, "%s: there is no body '%s' to follow",
                   s->options->recording, name);
}

static carom_status set_camera(studio* s, carom_error* error) {
  const render_options* o = s->options;
  render_box box;
  s->camera = (render_camera_def){.azimuth = o->azimuth,
                                  .elevation = o->elevation,
                                  .distance = o->distance,
                                  .angle = o->angle,
                                  .has_middle = s->plan.has_look_at,
                                  .follow = -1,
                                  .aspect = (double)s->plan.width / s->plan.height};
  memcpy(s->camera.middle, s->plan.look_at, sizeof s->camera.middle);
  carom_status status = o->follow ? find_body(s, o->follow, &s->camera.follow, error) : CAROM_OK;
  double end = o->follow ? s->start : time_of(s, s->count - 1);
  if (status == CAROM_OK)
    status = render_camera_survey(&s->scene, &s->track, s->start, end, &box, error);
  if (status != CAROM_OK) return status;
  render_camera_set(&s->camera, &box, &s->view.camera);
  double radius = s->view.camera.radius;
  s->line = 0.8 * render_camera_pixel(&s->camera, &s->view.camera, s->plan.height);
  s->mark_size = s->scene.reach > 0 ? fmin(radius, 6 * s->scene.reach) : radius;
  return CAROM_OK;
}

/* A round number at or above a length: 1, 2 or 5 times a power of ten. */
static double round_length(double length) {
  static const double FACTORS[] = {1, 2, 5, 10};
  double power = pow(10, floor(log10(length)));
  int i = 0;
  while (i < 3 && FACTORS[i] * power < length) i++;
  return FACTORS[i] * power;
}

static carom_status set_view(studio* s, carom_error* error) {
  carom_status status = CAROM_OK;
  s->view.scene = &s->scene;
  s->view.poses = s->track.poses;
  s->view.is_transparent = s->plan.is_transparent;
  s->view.grid = round_length(s->view.camera.radius / 4);
  render_linear(s->plan.top, s->view.top);
  render_linear(s->plan.bottom, s->view.bottom);
  if (s->options->contacts) {
    double force;
    status = render_typical_force(&s->track, &force, error);
    s->force_length = 0.15 * s->mark_size / force * s->options->force_scale;
  }
  if (status == CAROM_OK && s->options->pressure)
    status = render_pressure_create(&s->track, &s->view.pressure, error);
  double from = s->plan.kind == RENDER_PICTURE ? s->track.info.start : s->start;
  if (status == CAROM_OK && s->options->trails)
    status = render_trails_create(&s->scene, &s->track, from, time_of(s, s->count - 1), &s->trails,
                                  error);
  return status;
}

/* The bar of colours, where there are such. */
static carom_status set_legend(studio* s, carom_error* error) {
  const render_soft_look* look = &s->scene.softs.look;
  if (!look->by_stress || s->scene.softs.count == 0) return CAROM_OK;
  return render_legend_create(s->plan.width, s->plan.height, look->least, look->most, &s->legend,
                              error);
}

static carom_status set_up(studio* s, carom_error* error) {
  render_soft_look look = {s->plan.by_stress, s->plan.stress[0], s->plan.stress[1]};
  carom_status status = render_track_open(s->options->recording, &s->track, error);
  if (status == CAROM_OK)
    status = render_scene_create(s->track.recording, s->options->all_groups, s->options->no_planes,
                                 &look, &s->scene, error);
  if (status == CAROM_OK) status = choose_times(s, error);
  if (status == CAROM_OK) status = set_camera(s, error);
  if (status == CAROM_OK) status = set_view(s, error);
  if (status == CAROM_OK) status = set_legend(s, error);
  if (status != CAROM_OK) return status;
  s->pixels = malloc(4 * (size_t)s->plan.width * (size_t)s->plan.height);
  if (!s->pixels) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  status = render_context_create(&s->context, error);
  if (status != CAROM_OK) return status;
  return render_painter_create(s->plan.width, s->plan.height, s->options->samples, &s->scene,
                               &s->painter, error);
}

static void tear_down(studio* s) {
  render_painter_destroy(s->painter);
  render_context_destroy(&s->context);
  for (int layer = 0; layer < RENDER_NUM_LAYERS; layer++)
    render_solids_free(&s->view.layers[layer]);
  render_pressure_free(&s->view.pressure);
  render_legend_free(&s->legend);
  free(s->pixels);
  render_trails_free(&s->trails);
  render_scene_free(&s->scene);
  render_track_close(&s->track);
}

/* --- Pictures -----------------------------------------------------------------------------------
 */

/* The areas count from the middle of the view, where their one instance stands. */
static carom_status add_pressure(studio* s, carom_error* error) {
  static const double UNSCALED[3] = {1, 1, 1};
  static const float WHITE[4] = {1, 1, 1, 1};
  render_view* view = &s->view;
  double pose[7] = {[3] = 1};
  memcpy(pose, view->camera.middle, sizeof view->camera.middle);
  int shape = RENDER_NUM_SHAPES + s->scene.num_meshes + s->scene.softs.count;
  render_solids_add(&view->layers[RENDER_MARKS], shape, pose, UNSCALED, 0, WHITE, RENDER_PLAIN, 0);
  return render_pressure_place(&view->pressure, &s->track, view->camera.middle, error);
}

static carom_status draw(studio* s, double time, carom_error* error) {
  const render_options* o = s->options;
  render_view* view = &s->view;
  carom_status status = render_track_seek(&s->track, time, error);
  if (status == CAROM_OK) status = render_softs_place(&s->scene.softs, &s->track, error);
  if (status != CAROM_OK) return status;
  render_camera_update(&s->camera, s->track.poses, &view->camera);
  view->clip = render_camera_clip(&s->camera, &view->camera);
  for (int layer = 0; layer < RENDER_NUM_LAYERS; layer++)
    render_solids_clear(&view->layers[layer], view->camera.middle, o->samples);
  render_scene_add(&s->scene, s->track.poses, &view->layers[RENDER_BODIES]);
  if (o->trails)
    render_trails_add(&s->trails, &s->track, time, fmax(0.006 * s->mark_size, s->line),
                      &view->layers[RENDER_TRAILS]);
  if (o->contacts)
    render_add_contacts(&s->track, s->mark_size, s->force_length, s->line,
                        &view->layers[RENDER_MARKS]);
  if (o->frames || s->scene.num_geoms + s->scene.softs.count == 0)
    render_add_frames(&s->track, 0.2 * s->mark_size, s->line, &view->layers[RENDER_MARKS]);
  if (o->pressure) status = add_pressure(s, error);
  if (status != CAROM_OK) return status;
  status = render_painter_draw(s->painter, view, s->pixels, error);
  if (status == CAROM_OK) render_legend_add(&s->legend, s->plan.width, s->pixels);
  return status;
}

/* The first picture must be there; later ones that cannot be read end the rest. */
static carom_status draw_next(studio* s, bool* is_drawn, carom_error* error) {
  carom_status status = draw(s, time_of(s, s->done), error);
  *is_drawn = status == CAROM_OK;
  if (status != CAROM_ERROR_BAD_INPUT || s->done == 0) return status;
  s->unread = *error;
  return CAROM_OK;
}

static carom_status write_image(studio* s, carom_error* error) {
  char name[RENDER_LONGEST_NAME];
  const char* path = s->options->output;
  if (s->plan.kind == RENDER_SEQUENCE) {
    render_number_name(path, s->done, name);
    path = name;
  }
  return render_image_write(path, s->pixels, s->plan.width, s->plan.height, s->plan.is_transparent,
                            error);
}

/* All pictures, to files or to a movie. */
static carom_status write_all(studio* s, render_movie* movie, carom_error* error) {
  carom_status status = CAROM_OK;
  bool is_drawn = true;
  bool is_quiet = s->options->quiet || s->plan.kind == RENDER_PICTURE;
  cli_progress progress = cli_progress_start(is_quiet, s->start, time_of(s, s->count - 1));
  while (s->done < s->count && !cli_caught_signal()) {
    status = draw_next(s, &is_drawn, error);
    if (status == CAROM_OK && is_drawn)
      status = movie ? render_movie_add(movie, s->pixels, error) : write_image(s, error);
    if (status != CAROM_OK || !is_drawn) break;
    cli_progress_update(&progress, time_of(s, s->done), -1);
    s->done++;
  }
  cli_progress_finish(&progress);
  return status;
}

static carom_status make_movie(studio* s, carom_error* error) {
  render_movie movie;
  carom_error own;
  double rate = isnan(s->options->fps) ? 30 : s->options->fps;
  carom_status status =
      render_movie_start(s->options->output, s->plan.width, s->plan.height, rate, &movie, error);
  if (status != CAROM_OK) return status;
  status = write_all(s, &movie, error);
  carom_status finished = render_movie_finish(&movie, &own);
  if (s->done == 0) remove(s->options->output);
  if (s->done == 0 || status != CAROM_OK || finished == CAROM_OK) return status;
  *error = own;
  return finished;
}

/* --- Words --------------------------------------------------------------------------------------
 */

static void print_camera(const studio* s) {
  const render_camera* c = &s->view.camera;
  cli_print("camera --azimuth %g --elevation %g --distance %.6g --look-at %.6g,%.6g,%.6g\n",
            s->options->azimuth, s->options->elevation, c->distance, c->middle[0], c->middle[1],
            c->middle[2]);
}

static void print_report(const studio* s) {
  const char* path = s->options->output;
  struct stat file;
  double size = stat(path, &file) == 0 ? 1e-6 * (double)file.st_size : 0;
  cli_print("%s: ", path);
  if (s->plan.kind == RENDER_PICTURE)
    cli_print("%d by %d, at %.6g s", s->plan.width, s->plan.height, s->start);
  else
    cli_print("%d pictures of %d by %d, from %.6g s to %.6g s", s->done, s->plan.width,
              s->plan.height, s->start, time_of(s, s->done - 1));
  if (s->plan.kind != RENDER_SEQUENCE) cli_print(", %.2f MB", size);
  cli_print("; ");
  print_camera(s);
}

static int conclude(const studio* s) {
  const char* path = s->options->output;
  if (s->track.info.is_open)
    cli_warn("%s: was not closed; what there is of it is shown", s->options->recording);
  if (s->unread.message[0])
    cli_warn("%s: ends at %g s: %s", path, time_of(s, s->done - 1), s->unread.message);
  if (s->done > 0 && !s->options->quiet) print_report(s);
  int code = cli_finish_output(EXIT_FINE);
  if (s->done == s->count || !cli_caught_signal()) return code;
  return cli_fail(128 + cli_caught_signal(), "%s: interrupted after %d of %d pictures", path,
                  s->done, s->count);
}

static int execute(studio* s) {
  carom_error error;
  cli_catch_signals();
  carom_status status = set_up(s, &error);
  if (status == CAROM_OK)
    status = s->plan.kind == RENDER_MOVIE ? make_movie(s, &error) : write_all(s, NULL, &error);
  int code = status == CAROM_OK ? conclude(s) : cli_fail_with(&error);
  tear_down(s);
  return code;
}

int render_run(int argc, char** argv) {
  render_options options = {.size = "1280x720",
                            .time = NAN,
                            .from = NAN,
                            .to = NAN,
                            .fps = NAN,
                            .speed = NAN,
                            .azimuth = -60,
                            .elevation = 25,
                            .angle = 30,
                            .force_scale = 1,
                            .background = "light",
                            .soft_colours = "stress",
                            .samples = -1};
  studio s = {.options = &options};
  int code = cli_parse(&cli_render, argc, argv, &options, &options.recording);
  if (code >= 0) return code;
  code = render_make_plan(&options, &s.plan);
  if (code >= 0) return code;
  if (options.samples < 0) options.samples = s.plan.kind == RENDER_MOVIE ? 16 : 64;
  if (cli_is_same_file(options.recording, options.output))
    return cli_fail(EXIT_INPUT, "%s: is read by this command, and not overwritten", options.output);
  return execute(&s);
}
