/* Writing a recording frame by frame. Contacts go out before the frames that refer to them, and
 * every dataset is flushed, so that at any moment the file holds all chunks but the one in memory.
 */
#include "record/recorder.h"

#include "base/cookie.h"
#include "base/copy.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

carom_recorder_def carom_recorder_def_default(void) {
  return (carom_recorder_def){.cookie = CR_COOKIE(recorder), .chunk = 64};
}

carom_status cr_recorder_fail(carom_recorder* r, const char* what, carom_error* error) {
  r->has_failed = r->is_unwritable = true;
  return cr_error_set(error, CAROM_ERROR_FILE, "%.250s: cannot be %s: %s", r->path, what,
                      r->guard.reason);
}

/* --- Rows ---------------------------------------------------------------------------------------
 */

/* Room for one more row, or null. */
static void* add_row(carom_recorder* r, cr_record_stream* s) {
  size_t bytes = s->shape.bytes ? s->shape.bytes : 1;
  if (!cr_reserve_one(&r->allocator, (void**)&s->rows, s->count, &s->capacity, bytes)) return NULL;
  return s->rows + bytes * (size_t)s->count++;
}

/* Appends a row of reals, integers or bytes; false when memory ran out. */
bool cr_recorder_add_cells(carom_recorder* r, cr_stream_id id, const void* cells) {
  cr_record_stream* s = &r->streams[id];
  void* row = add_row(r, s);
  if (row && s->shape.bytes) memcpy(row, cells, s->shape.bytes);
  return row != NULL;
}

static bool add_real(carom_recorder* r, cr_stream_id id, double value) {
  return cr_recorder_add_cells(r, id, &value);
}

static bool add_int(carom_recorder* r, cr_stream_id id, int value) {
  int32_t cell = value;
  return cr_recorder_add_cells(r, id, &cell);
}

static carom_status flush_stream(carom_recorder* r, cr_stream_id id, carom_error* error) {
  cr_record_stream* s = &r->streams[id];
  if (s->count == 0) return CAROM_OK;
  hsize_t extent[3] = {s->written + (hsize_t)s->count, s->shape.dims[1], s->shape.dims[2]};
  if (H5Dset_extent(s->dataset, extent) < 0 ||
      !cr_stream_write_rows(s->dataset, &cr_stream_specs[id], &s->shape, s->written,
                            (hsize_t)s->count, s->rows) ||
      H5Dflush(s->dataset) < 0)
    return cr_recorder_fail(r, "written", error);
  s->written += (hsize_t)s->count;
  s->count = 0;
  return CAROM_OK;
}

/* Contacts, then frames, and their times last. */
carom_status cr_recorder_flush_all(carom_recorder* r, carom_error* error) {
  if (r->has_failed)
    return cr_error_set(error, CAROM_ERROR_FILE, "%.250s: could not be written before", r->path);
  for (int id = CR_NUM_STREAMS - 1; id >= 0; id--) CR_TRY(flush_stream(r, (cr_stream_id)id, error));
  return cr_error_clear(error);
}

/* --- Frames -------------------------------------------------------------------------------------
 */

static bool add_contact(carom_recorder* r, const carom_contact* c) {
  int32_t geoms[2] = {c->geom1, c->geom2};
  int8_t state = (int8_t)c->state;
  int32_t shared = c->shared_force;
  return cr_recorder_add_cells(r, CR_STREAM_GEOM, geoms) &&
         cr_recorder_add_cells(r, CR_STREAM_POINT, c->position) &&
         cr_recorder_add_cells(r, CR_STREAM_NORMAL, c->normal) &&
         cr_recorder_add_cells(r, CR_STREAM_IMPULSE, c->impulse) &&
         add_real(r, CR_STREAM_DISTANCE, c->distance) && add_real(r, CR_STREAM_SLIP, c->slip) &&
         cr_recorder_add_cells(r, CR_STREAM_STATE, &state) &&
         cr_recorder_add_cells(r, CR_STREAM_MOMENT, c->moment) &&
         add_real(r, CR_STREAM_AREA, c->area) && add_real(r, CR_STREAM_AREA_ERROR, c->area_error) &&
         cr_recorder_add_cells(r, CR_STREAM_SHARED, &shared);
}

static bool add_contacts(carom_recorder* r) {
  int count;
  const carom_contact* contacts = carom_sim_contacts(r->sim, &count);
  for (int i = 0; i < count; i++)
    if (!add_contact(r, &contacts[i])) return false;
  r->num_contacts += count;
  return cr_recorder_add_cells(r, CR_STREAM_OFFSET, &r->num_contacts);
}

static bool add_areas(carom_recorder* r) {
  const carom_pressure_triangle* triangles;
  int count;
  if (carom_sim_list_pressure(r->sim, &triangles, &count, NULL) != CAROM_OK) return false;
  for (int i = 0; i < count; i++)
    if (!cr_recorder_add_cells(r, CR_STREAM_TRIANGLE, triangles[i].corner)) return false;
  r->num_triangles += count;
  return cr_recorder_add_cells(r, CR_STREAM_AREA_OFFSET, &r->num_triangles);
}

static bool add_state(carom_recorder* r) {
  carom_energy energy = carom_sim_compute_energy(r->sim);
  double energies[4] = {energy.kinetic, energy.potential, energy.elastic, r->figures.dissipated};
  double* poses = add_row(r, &r->streams[CR_STREAM_POSE]);
  if (!poses) return false;
  carom_sim_compute_poses(r->sim, poses);
  return add_real(r, CR_STREAM_TIME, carom_sim_time(r->sim)) &&
         cr_recorder_add_cells(r, CR_STREAM_Q, carom_sim_coordinates(r->sim)) &&
         cr_recorder_add_cells(r, CR_STREAM_V, carom_sim_velocities(r->sim)) &&
         cr_recorder_add_cells(r, CR_STREAM_CTRL, carom_sim_controls(r->sim)) &&
         cr_recorder_add_cells(r, CR_STREAM_ACT, carom_sim_activations(r->sim)) &&
         cr_recorder_add_cells(r, CR_STREAM_ENERGY, energies);
}

static bool add_motion(carom_recorder* r) {
  double com[3], momentum[6];
  carom_error ignored;
  const double *q = carom_sim_coordinates(r->sim), *v = carom_sim_velocities(r->sim);
  if (carom_dynamics_set(r->dynamics, q, v, NULL, &ignored) != CAROM_OK) return false;
  carom_dynamics_compute_com(r->dynamics, com);
  carom_dynamics_compute_momentum(r->dynamics, momentum, momentum + 3);
  return cr_recorder_add_cells(r, CR_STREAM_COM, com) &&
         cr_recorder_add_cells(r, CR_STREAM_MOMENTUM, momentum);
}

/* Force and moment of each attachment. */
static bool add_reactions(carom_recorder* r) {
  int count = carom_model_get_sizes(carom_sim_model(r->sim)).num_attachments;
  if (count == 0) return true;
  double* row = add_row(r, &r->streams[CR_STREAM_REACTION]);
  if (row) carom_sim_compute_reactions(r->sim, row);
  return row != NULL;
}

static int count_joints(const carom_recorder* r) {
  return carom_model_get_sizes(carom_sim_model(r->sim)).num_joints;
}

/* Force and moment of each joint, where that is wanted. */
static bool add_joint_reactions(carom_recorder* r) {
  int count = count_joints(r);
  if (!r->joints || count == 0) return true;
  double* row = add_row(r, &r->streams[CR_STREAM_JOINT_REACTION]);
  if (!row || carom_sim_compute_joint_reactions(r->sim, r->joints, NULL) != CAROM_OK) return false;
  for (int j = 0; j < count; j++, row += 6) {
    CR_COPY(row, r->joints[j].on_body.force, 3);
    CR_COPY(row + 3, r->joints[j].on_body.moment, 3);
  }
  return true;
}

static int count_equalities(const carom_recorder* r) {
  return carom_model_get_sizes(carom_sim_model(r->sim)).num_equalities;
}

/* Force and moment of each equality, or what acts along the first of two that it couples. */
static bool add_equality_reactions(carom_recorder* r) {
  int count = count_equalities(r);
  if (!r->equalities || count == 0) return true;
  double* row = add_row(r, &r->streams[CR_STREAM_EQUALITY_REACTION]);
  if (!row || carom_sim_compute_equality_reactions(r->sim, r->equalities, NULL) != CAROM_OK)
    return false;
  for (int i = 0; i < count; i++) carom_equality_reaction_store(&r->equalities[i], row + 6 * i);
  return true;
}

/* Last of a frame: where no step led to the state, one is tried, which empties the contacts. */
static bool add_sensors(carom_recorder* r) {
  if (carom_model_get_sizes(carom_sim_model(r->sim)).num_readings == 0) return true;
  double* readings = add_row(r, &r->streams[CR_STREAM_SENSORS]);
  return readings && carom_sim_compute_sensors(r->sim, readings, NULL) == CAROM_OK;
}

static bool add_figures(carom_recorder* r) {
  const cr_record_figures* f = &r->figures;
  return add_int(r, CR_STREAM_STEPS, f->steps) && add_int(r, CR_STREAM_SUBSTEPS, f->substeps) &&
         add_int(r, CR_STREAM_ITERATIONS, f->iterations) &&
         add_int(r, CR_STREAM_OUTER_ITERATIONS, f->outer_iterations) &&
         add_real(r, CR_STREAM_BOUND, f->error_bound) &&
         add_real(r, CR_STREAM_RESIDUAL, f->residual) &&
         add_real(r, CR_STREAM_STICK_SLIP, f->stick_slip) &&
         add_real(r, CR_STREAM_WORK, f->actuator_work) &&
         add_real(r, CR_STREAM_WALL_TIME, f->wall_time);
}

carom_status cr_recorder_add_frame(carom_recorder* r, carom_error* error) {
  if (!add_contacts(r) || !add_areas(r) || !add_state(r) || !add_figures(r) || !add_motion(r) ||
      !add_reactions(r) || !add_joint_reactions(r) || !add_equality_reactions(r) ||
      !add_sensors(r)) {
    r->has_failed = true;
    return cr_error_memory(error);
  }
  r->figures = (cr_record_figures){.dissipated = r->figures.dissipated,
                                   .actuator_work = r->figures.actuator_work};
  r->num_frames++;
  r->has_news = false;
  return r->streams[CR_STREAM_TIME].count < r->chunk ? cr_error_clear(error)
                                                     : cr_recorder_flush_all(r, error);
}

static void add_report(cr_record_figures* f, const carom_step_report* report, double wall_time) {
  f->steps++;
  f->substeps = int_max(f->substeps, report->substeps);
  f->iterations = int_max(f->iterations, report->iterations);
  f->outer_iterations = int_max(f->outer_iterations, report->outer_iterations);
  f->error_bound = fmax(f->error_bound, report->error_bound);
  f->residual = fmax(f->residual, report->residual);
  f->stick_slip = fmax(f->stick_slip, report->stick_slip);
  f->wall_time += wall_time;
  f->dissipated += report->dissipated;
  f->actuator_work += report->actuator_work;
}

/* Frame k of a rate belongs to the first step that ends at or after start + k / rate. */
static bool is_due(const carom_recorder* r) {
  if (r->rate == 0) return true;
  return (carom_sim_time(r->sim) - r->start) * r->rate > r->num_frames - 1e-6;
}

carom_status carom_recorder_append(carom_recorder* recorder, const carom_step_report* report,
                                   double wall_time, carom_error* error) {
  add_report(&recorder->figures, report, wall_time);
  recorder->has_news = true;
  if (!is_due(recorder)) return cr_error_clear(error);
  cr_h5_begin(&recorder->guard);
  carom_status status = cr_recorder_add_frame(recorder, error);
  cr_h5_end(&recorder->guard);
  return status;
}

carom_status carom_recorder_flush(carom_recorder* recorder, carom_error* error) {
  cr_h5_begin(&recorder->guard);
  carom_status status = cr_recorder_flush_all(recorder, error);
  cr_h5_end(&recorder->guard);
  return status;
}

int carom_recorder_count(const carom_recorder* recorder) { return recorder->num_frames; }

/* --- Creation -----------------------------------------------------------------------------------
 */

static carom_status check_def(const carom_recorder_def* def, carom_error* error) {
  CR_TRY(CR_CHECK_COOKIE(def, recorder, "recorder", error));
  if (!(def->rate >= 0) || isinf(def->rate))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "recorder: rate is %g, must be 0 or more", def->rate);
  if (def->chunk < 1)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "recorder: chunk is %d, must be 1 or more", def->chunk);
  return CAROM_OK;
}

static carom_status make(carom_sim* sim, const char* path, const carom_recorder_def* def,
                         carom_recorder** recorder, carom_error* error) {
  carom_allocator allocator = cr_allocator_resolve(&def->allocator);
  carom_recorder* r = cr_alloc_zero(&allocator, sizeof *r);
  if (!r) return cr_error_memory(error);
  *recorder = r;
  r->allocator = allocator;
  r->sim = sim;
  r->file = H5I_INVALID_HID;
  r->rate = def->rate;
  r->start = carom_sim_time(sim);
  r->chunk = cr_recorder_choose_chunk(def, sim);
  r->path_size = strlen(path) + 1;
  r->path = cr_alloc(&allocator, r->path_size);
  if (!r->path) return cr_error_memory(error);
  memcpy(r->path, path, r->path_size);
  if (def->joint_reactions) {
    r->joints = cr_alloc(&allocator, sizeof *r->joints * (size_t)count_joints(r));
    r->equalities = cr_alloc(&allocator, sizeof *r->equalities * (size_t)count_equalities(r));
    if (!r->joints || !r->equalities) return cr_error_memory(error);
  }
  CR_TRY(carom_dynamics_create(carom_sim_model(sim), &allocator, &r->dynamics, error));
  cr_h5_begin(&r->guard);
  carom_status status = cr_recorder_create_file(r, def, error);
  cr_h5_end(&r->guard);
  return status;
}

static void destroy(carom_recorder* r) {
  carom_allocator allocator = r->allocator;
  carom_dynamics_destroy(r->dynamics);
  cr_release(&allocator, r->joints, sizeof *r->joints * (size_t)count_joints(r));
  cr_release(&allocator, r->equalities, sizeof *r->equalities * (size_t)count_equalities(r));
  for (int id = 0; id < CR_NUM_STREAMS; id++) {
    cr_record_stream* s = &r->streams[id];
    size_t bytes = s->shape.bytes ? s->shape.bytes : 1;
    cr_release(&allocator, s->rows, bytes * (size_t)s->capacity);
  }
  cr_release(&allocator, r->path, r->path_size);
  cr_release(&allocator, r, sizeof *r);
}

/* Closes the file with all its datasets; frees the recorder. */
static carom_status finish(carom_recorder* r, carom_error* error) {
  carom_status status = CAROM_OK;
  cr_h5_begin(&r->guard);
  if (r->file >= 0 && r->is_unwritable && r->is_swmr) cr_h5_abandon(r->file);
  if (r->file >= 0 && H5Fclose(r->file) < 0) status = cr_recorder_fail(r, "closed", error);
  cr_h5_end(&r->guard);
  destroy(r);
  return status;
}

carom_status carom_recorder_create(carom_sim* sim, const char* path, const carom_recorder_def* def,
                                   carom_recorder** recorder, carom_error* error) {
  carom_recorder_def chosen = def ? *def : carom_recorder_def_default();
  if (!sim || !path || !recorder)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "recorder: an argument is null");
  *recorder = NULL;
  CR_TRY(check_def(&chosen, error));
  carom_recorder* made = NULL;
  carom_status status = make(sim, path, &chosen, &made, error);
  if (status == CAROM_OK)
    *recorder = made;
  else if (made)
    finish(made, NULL);
  return status;
}

carom_status carom_recorder_close(carom_recorder* recorder, carom_error* error) {
  if (!recorder) return cr_error_clear(error);
  cr_h5_begin(&recorder->guard);
  carom_status status = CAROM_OK;
  if (recorder->has_news && !recorder->has_failed) status = cr_recorder_add_frame(recorder, error);
  if (status == CAROM_OK) status = cr_recorder_flush_all(recorder, error);
  cr_h5_end(&recorder->guard);
  carom_status closed = finish(recorder, status == CAROM_OK ? error : NULL);
  if (status != CAROM_OK) return status;
  return closed == CAROM_OK ? cr_error_clear(error) : closed;
}
