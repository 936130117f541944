/* One pass over the frames of a recording. */
#include "source.h"

#include "common/error.h"
#include "common/print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Values -------------------------------------------------------------------------------------
 */

static double total_energy(const carom_frame* f) {
  return f->energy[0] + f->energy[1] + f->energy[2];
}

static int count_contacts(const carom_frame* f, int index) {
  if (index == 0) return f->num_contacts;
  int count = 0;
  for (int i = 0; i < f->num_contacts; i++) count += (int)f->contacts[i].state == index - 1;
  return count;
}

/* Figures of steps, where one was taken. */
static double step_value(const carom_frame* f, plot_kind kind) {
  if (f->steps == 0) return NAN;
  switch (kind) {
  case PLOT_RESIDUAL:
    return f->residual;
  case PLOT_BOUND:
    return f->error_bound;
  case PLOT_NEWTON:
    return f->iterations;
  case PLOT_OUTER:
    return f->outer_iterations;
  case PLOT_WALL_TIME:
    return 1e3 * f->wall_time / f->steps;
  case PLOT_SLIP:
    return f->stick_slip;
  default:
    return f->substeps;
  }
}

/* Angular momentum about the centre of mass: what is left of that about the origin without c × p.
 */
static double momentum_value(const carom_frame* f, int index) {
  int i = index % 3, j = (i + 1) % 3, k = (i + 2) % 3;
  const double *c = f->com, *p = f->momentum;
  double about_origin = f->momentum[3 + i];
  if (index < 3) return p[i];
  return index < 6 ? about_origin - (c[j] * p[k] - c[k] * p[j]) : about_origin;
}

/* What of a frame is computed where channels ask for it; null: nothing does. */
typedef struct derived {
  double* twists;   /* [6 num_bodies] velocities of bodies */
  double* stress;   /* [num_softs] largest of each soft body, Pa */
  double* elements; /* [most elements of a soft body] room */
} derived;

/* The largest stress of a soft body, or of all. */
static double stress_of(const plot_source* s, const derived* d, int soft) {
  double most = 0;
  if (soft >= 0) return d->stress[soft];
  for (int i = 0; i < s->info.num_softs; i++) most = fmax(most, d->stress[i]);
  return most;
}

/* What a body does to another: force, moment, centre of pressure, normal force. */
static double pair_of(const plot_source* s, const carom_frame* f, int index) {
  int pair = index / 10, part = index % 10, n = s->info.num_bodies;
  carom_contact_sum sum = carom_recording_sum_contacts(s->recording, f, pair / n, pair % n);
  if (part < 3) return sum.force[part];
  if (part < 6) return sum.moment[part - 3];
  return part < 9 ? sum.center[part - 6] : sum.normal;
}

/* What contacts leave open: who shares forces, how many forces, the largest error of an area. */
static double doubt_of(const carom_frame* f, plot_kind kind) {
  int sharing = 0, most = 0;
  double error = 0;
  for (int i = 0; i < f->num_contacts; i++) {
    const carom_contact* c = &f->contacts[i];
    sharing += c->shared_force != 0;
    if (c->shared_force > most) most = c->shared_force;
    if (c->state != CAROM_SEPARATED) error = fmax(c->area_error, error);
  }
  return kind == PLOT_SHARING ? sharing : kind == PLOT_SHARED ? most : error;
}

static double value_of(const plot_source* s, const plot_channel* c, const carom_frame* f,
                       const derived* d) {
  const double* twists = d->twists;
  int i = c->index;
  switch (c->kind) {
  case PLOT_ENERGY:
    return f->energy[i];
  case PLOT_TOTAL:
    return total_energy(f);
  case PLOT_WORK:
    return f->actuator_work;
  case PLOT_BALANCE:
    return total_energy(f) + f->energy[3] - f->actuator_work;
  case PLOT_MOMENTUM:
    return momentum_value(f, i);
  case PLOT_CONTACTS:
    return count_contacts(f, i);
  case PLOT_SHARING:
  case PLOT_SHARED:
  case PLOT_AREAS:
    return doubt_of(f, c->kind);
  case PLOT_STEPS:
    return f->steps;
  case PLOT_Q:
    return f->q[i];
  case PLOT_V:
    return f->v[i];
  case PLOT_POSE:
    return f->poses[i];
  case PLOT_LINEAR:
    return twists[6 * (i / 3) + i % 3];
  case PLOT_ANGULAR:
    return twists[6 * (i / 3) + 3 + i % 3];
  case PLOT_STRESS:
    return stress_of(s, d, i);
  case PLOT_REACTION:
    return f->reactions[i];
  case PLOT_JOINT_REACTION:
    return f->joint_reactions[i];
  case PLOT_EQUALITY_REACTION:
    return f->equality_reactions[i];
  case PLOT_PAIR:
    return pair_of(s, f, i);
  default:
    return step_value(f, c->kind);
  }
}

double* plot_source_get(const plot_source* source, int channel) {
  return source->data + (size_t)channel * (size_t)source->info.num_frames;
}

/* --- Frames -------------------------------------------------------------------------------------
 */

static bool asks_for(const plot_channel* channels, int num_channels, plot_kind kind) {
  for (int c = 0; c < num_channels; c++)
    if (channels[c].kind == kind) return true;
  return false;
}

/* Keeps one frame's values. */
static void keep(plot_source* s, const plot_channel* channels, int num_channels,
                 const carom_frame* frame, const derived* d) {
  s->time[s->num_frames] = frame->time;
  for (int c = 0; c < num_channels; c++)
    plot_source_get(s, c)[s->num_frames] = value_of(s, &channels[c], frame, d);
  s->num_frames++;
}

static carom_status derive(plot_source* s, const carom_frame* frame, derived* d,
                           carom_error* error) {
  carom_status status = CAROM_OK;
  if (d->twists) status = carom_recording_compute_velocities(s->recording, frame, d->twists, error);
  for (int i = 0; i < s->info.num_softs && d->stress && status == CAROM_OK; i++) {
    status =
        carom_recording_compute_soft_stress(s->recording, i, frame->q, d->elements, NULL, error);
    d->stress[i] = 0;
    for (int e = 0; e < carom_recording_get_soft(s->recording, i).num_elements; e++)
      d->stress[i] = fmax(d->stress[i], d->elements[e]);
  }
  return status;
}

static carom_status read_frames(plot_source* s, const plot_channel* channels, int num_channels,
                                derived* d, carom_error* error) {
  for (int i = 0; i < s->info.num_frames; i++) {
    carom_frame frame;
    carom_status status = carom_recording_read(s->recording, i, &frame, &s->unread);
    if (status == CAROM_ERROR_OUT_OF_MEMORY) return *error = s->unread, status;
    if (status != CAROM_OK) break;
    status = derive(s, &frame, d, error);
    if (status != CAROM_OK) return status;
    keep(s, channels, num_channels, &frame, d);
  }
  s->num_unread = s->info.num_frames - s->num_frames;
  if (s->num_frames > 0) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_BAD_INPUT, "%.200s: the recording holds no frame%s%.250s",
                   s->path, s->num_unread ? " that can be read: " : "",
                   s->num_unread ? s->unread.message : "");
}

/* Balances count from the first frame. */
static void start_balances(plot_source* s, const plot_channel* channels, int num_channels) {
  for (int c = 0; c < num_channels; c++) {
    double* data = plot_source_get(s, c);
    double start = data[0];
    for (int i = 0; i < s->num_frames && channels[c].kind == PLOT_BALANCE; i++) data[i] -= start;
  }
}

static carom_status read_all(plot_source* s, const plot_channel* channels, int num_channels,
                             derived* d, carom_error* error) {
  size_t frames = (size_t)s->info.num_frames + 1;
  s->time = calloc(frames, sizeof *s->time);
  s->data = calloc(frames * ((size_t)num_channels + 1), sizeof *s->data);
  if (!s->time || !s->data) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  if (asks_for(channels, num_channels, PLOT_MOMENTUM) && !s->info.has_momentum)
    return cli_error(error, CAROM_ERROR_BAD_INPUT,
                     "%.300s: the recording is of an early version and does not say what momentum "
                     "there is",
                     s->path);
  if (asks_for(channels, num_channels, PLOT_JOINT_REACTION) && !s->info.has_joint_reactions)
    return cli_error(
        error, CAROM_ERROR_BAD_INPUT,
        "%.300s: the recording does not hold reactions of joints: carom run --reactions", s->path);
  carom_status status = read_frames(s, channels, num_channels, d, error);
  if (status == CAROM_OK) start_balances(s, channels, num_channels);
  return status;
}

static size_t count_most_elements(const plot_source* s) {
  int most = 0;
  for (int i = 0; i < s->info.num_softs; i++) {
    int count = carom_recording_get_soft(s->recording, i).num_elements;
    most = count > most ? count : most;
  }
  return (size_t)most;
}

carom_status plot_source_read(plot_source* s, const plot_channel* channels, int num_channels,
                              carom_error* error) {
  bool moves = asks_for(channels, num_channels, PLOT_LINEAR) ||
               asks_for(channels, num_channels, PLOT_ANGULAR);
  bool strains = asks_for(channels, num_channels, PLOT_STRESS);
  derived d = {0};
  if (moves) d.twists = calloc(6 * (size_t)s->info.num_bodies + 1, sizeof *d.twists);
  if (strains) d.stress = calloc((size_t)s->info.num_softs + 1, sizeof *d.stress);
  if (strains) d.elements = calloc(count_most_elements(s) + 1, sizeof *d.elements);
  bool done = (!moves || d.twists) && (!strains || (d.stress && d.elements));
  carom_status status = done ? read_all(s, channels, num_channels, &d, error)
                             : cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  free(d.twists), free(d.stress), free(d.elements);
  return status;
}

/* --- Parts --------------------------------------------------------------------------------------
 */

int plot_source_count(const plot_source* s, plot_part part) {
  const int counts[] = {s->info.num_joints, s->info.num_bodies, s->info.num_softs,
                        s->info.num_attachments,
                        s->info.has_equality_reactions ? s->info.num_equalities : 0};
  return counts[part];
}

const char* plot_source_name(const plot_source* s, plot_part part, int index) {
  switch (part) {
  case PLOT_JOINT:
    return carom_recording_get_joint(s->recording, index).name;
  case PLOT_BODY:
    return carom_recording_get_body(s->recording, index).name;
  case PLOT_SOFT:
    return carom_recording_get_soft(s->recording, index).name;
  case PLOT_EQUALITY:
    return carom_recording_get_equality(s->recording, index).name;
  default:
    return carom_recording_get_attachment(s->recording, index).name;
  }
}

/* --- Opening ------------------------------------------------------------------------------------
 */

carom_status plot_source_open(plot_source* s, const char* path, carom_error* error) {
  *s = (plot_source){.path = path};
  carom_status status = carom_recording_open(path, NULL, &s->recording, error);
  if (status == CAROM_OK) s->info = carom_recording_get_info(s->recording);
  return status;
}

void plot_source_close(plot_source* s) {
  carom_recording_close(s->recording);
  free(s->time);
  free(s->data);
  *s = (plot_source){0};
}

void plot_source_warn(const plot_source* s, const char* what) {
  if (s->info.is_open)
    cli_warn("%s: was not closed; the %s shows what there is of it", s->path, what);
  if (s->num_unread)
    cli_warn("%d frames are left out of the %s: %s", s->num_unread, what, s->unread.message);
}
