/* Reading a recording: rows of its streams, one frame at a time. A file that was not closed opens
 * as HDF5's readers of a growing file do; of frames, only those count whose rows are all there. */
#include "record/recording.h"

#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "record/layout.h"

#include "carom/record.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

carom_status cr_recording_damaged(const carom_recording* r, const char* what, carom_error* error) {
  return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "%.300s: the recording is damaged: %s", r->path,
                      what);
}

/* --- Rows ---------------------------------------------------------------------------------------
 */

static bool reserve(carom_recording* r, cr_read_stream* s, size_t bytes) {
  if (bytes <= s->size) return true;
  void* rows = cr_alloc(&r->allocator, bytes);
  if (!rows) return false;
  cr_release(&r->allocator, s->rows, s->size);
  s->rows = rows, s->size = bytes;
  return true;
}

/* Reads rows into the stream's buffer. */
static carom_status read_rows(carom_recording* r, cr_stream_id id, hsize_t start, hsize_t count,
                              carom_error* error) {
  cr_read_stream* s = &r->streams[id];
  const cr_stream_spec* spec = &cr_stream_specs[id];
  if (!reserve(r, s, s->shape.bytes * count)) return cr_error_memory(error);
  if (cr_stream_read_rows(s->dataset, spec, &s->shape, start, count, s->rows)) return CAROM_OK;
  char text[320];
  snprintf(text, sizeof text, "/%s cannot be read: %s", spec->path, r->guard.reason);
  return cr_recording_damaged(r, text, error);
}

static bool has_stream(const carom_recording* r, int id) { return r->streams[id].dataset >= 0; }

static bool has_areas(const carom_recording* r) {
  return has_stream(r, CR_STREAM_AREA_OFFSET) && has_stream(r, CR_STREAM_TRIANGLE);
}

static const double* reals(const carom_recording* r, cr_stream_id id) {
  return has_stream(r, id) ? r->streams[id].rows : NULL;
}

static double real(const carom_recording* r, cr_stream_id id) { return reals(r, id)[0]; }

static int integer(const carom_recording* r, cr_stream_id id) {
  return ((const int32_t*)r->streams[id].rows)[0];
}

/* --- Frames -------------------------------------------------------------------------------------
 */

/* Contacts and triangles of a frame lie between its offset and the next.
 * @param id of the offsets */
static carom_status read_offsets(carom_recording* r, cr_stream_id id, hsize_t index,
                                 int64_t offsets[2], carom_error* error) {
  bool of_areas = id == CR_STREAM_AREA_OFFSET;
  int first = of_areas ? CR_STREAM_TRIANGLE : CR_FIRST_CONTACT_STREAM;
  int end = of_areas ? CR_NUM_STREAMS : CR_END_CONTACT_STREAM;
  CR_TRY(read_rows(r, id, index, 2, error));
  memcpy(offsets, r->streams[id].rows, 2 * sizeof *offsets);
  if (offsets[0] < 0 || offsets[0] > offsets[1] || offsets[1] - offsets[0] > INT_MAX)
    return cr_recording_damaged(
        r, of_areas ? "/areas/offset does not ascend" : "/contacts/offset does not ascend", error);
  for (int k = first; k < end; k++)
    if (has_stream(r, k) && (hsize_t)offsets[1] > (hsize_t)r->streams[k].count)
      return cr_recording_damaged(r,
                                  of_areas ? "/areas/offset leads beyond the triangles"
                                           : "/contacts/offset leads beyond the contacts",
                                  error);
  return CAROM_OK;
}

static bool reserve_contacts(carom_recording* r, int count) {
  if (count <= r->capacity_contacts) return true;
  size_t size = sizeof(carom_contact) * (size_t)count;
  carom_contact* contacts = cr_alloc(&r->allocator, size);
  if (!contacts) return false;
  cr_release(&r->allocator, r->contacts, sizeof(carom_contact) * (size_t)r->capacity_contacts);
  r->contacts = contacts, r->capacity_contacts = count;
  return true;
}

static void copy_contact(carom_recording* r, int i) {
  carom_contact* c = &r->contacts[i];
  const int32_t* geoms = r->streams[CR_STREAM_GEOM].rows;
  const int8_t* states = r->streams[CR_STREAM_STATE].rows;
  c->geom1 = geoms[2 * i], c->geom2 = geoms[2 * i + 1];
  memcpy(c->position, reals(r, CR_STREAM_POINT) + 3 * i, sizeof c->position);
  memcpy(c->normal, reals(r, CR_STREAM_NORMAL) + 3 * i, sizeof c->normal);
  memcpy(c->impulse, reals(r, CR_STREAM_IMPULSE) + 3 * i, sizeof c->impulse);
  c->distance = reals(r, CR_STREAM_DISTANCE)[i];
  c->slip = reals(r, CR_STREAM_SLIP)[i];
  c->state = (carom_contact_state)states[i];
  const int32_t* shared =
      has_stream(r, CR_STREAM_SHARED) ? r->streams[CR_STREAM_SHARED].rows : NULL;
  c->shared_force = shared ? shared[i] : 0;
  c->is_undetermined = c->shared_force != 0;
  const double* moments = reals(r, CR_STREAM_MOMENT);
  memset(c->moment, 0, sizeof c->moment);
  if (moments) memcpy(c->moment, moments + 3 * i, sizeof c->moment);
  c->area = has_stream(r, CR_STREAM_AREA) ? reals(r, CR_STREAM_AREA)[i] : 0;
  bool has_error = has_stream(r, CR_STREAM_AREA_ERROR);
  c->area_error = has_error ? reals(r, CR_STREAM_AREA_ERROR)[i] : 0;
}

static carom_status read_contacts(carom_recording* r, hsize_t index, carom_frame* frame,
                                  carom_error* error) {
  int64_t offsets[2];
  CR_TRY(read_offsets(r, CR_STREAM_OFFSET, index, offsets, error));
  int count = (int)(offsets[1] - offsets[0]);
  if (!reserve_contacts(r, count)) return cr_error_memory(error);
  for (int id = CR_FIRST_CONTACT_STREAM; id < CR_END_CONTACT_STREAM; id++)
    if (has_stream(r, id))
      CR_TRY(read_rows(r, (cr_stream_id)id, (hsize_t)offsets[0], (hsize_t)count, error));
  for (int i = 0; i < count; i++) copy_contact(r, i);
  frame->num_contacts = count;
  frame->contacts = r->contacts;
  return CAROM_OK;
}

static carom_status read_areas(carom_recording* r, hsize_t index, carom_frame* frame,
                               carom_error* error) {
  int64_t offsets[2];
  if (!has_areas(r)) return CAROM_OK;
  CR_TRY(read_offsets(r, CR_STREAM_AREA_OFFSET, index, offsets, error));
  frame->num_triangles = (int)(offsets[1] - offsets[0]);
  CR_TRY(
      read_rows(r, CR_STREAM_TRIANGLE, (hsize_t)offsets[0], (hsize_t)frame->num_triangles, error));
  frame->triangles = r->streams[CR_STREAM_TRIANGLE].rows;
  return CAROM_OK;
}

static carom_status read_frame(carom_recording* r, hsize_t index, carom_frame* frame,
                               carom_error* error) {
  for (int id = 0; id < CR_STREAM_AREA_OFFSET; id++)
    if (has_stream(r, id)) CR_TRY(read_rows(r, (cr_stream_id)id, index, 1, error));
  *frame = (carom_frame){.time = real(r, CR_STREAM_TIME),
                         .q = reals(r, CR_STREAM_Q),
                         .v = reals(r, CR_STREAM_V),
                         .ctrl = reals(r, CR_STREAM_CTRL),
                         .act = reals(r, CR_STREAM_ACT),
                         .poses = reals(r, CR_STREAM_POSE),
                         .energy = reals(r, CR_STREAM_ENERGY),
                         .com = reals(r, CR_STREAM_COM),
                         .momentum = reals(r, CR_STREAM_MOMENTUM),
                         .sensors = reals(r, CR_STREAM_SENSORS),
                         .reactions = r->info.num_attachments ? reals(r, CR_STREAM_REACTION) : NULL,
                         .joint_reactions = reals(r, CR_STREAM_JOINT_REACTION),
                         .equality_reactions = reals(r, CR_STREAM_EQUALITY_REACTION),
                         .steps = integer(r, CR_STREAM_STEPS),
                         .substeps = integer(r, CR_STREAM_SUBSTEPS),
                         .iterations = integer(r, CR_STREAM_ITERATIONS),
                         .outer_iterations = integer(r, CR_STREAM_OUTER_ITERATIONS),
                         .error_bound = real(r, CR_STREAM_BOUND),
                         .residual = real(r, CR_STREAM_RESIDUAL),
                         .stick_slip = real(r, CR_STREAM_STICK_SLIP),
                         .actuator_work = real(r, CR_STREAM_WORK),
                         .wall_time = real(r, CR_STREAM_WALL_TIME)};
  CR_TRY(read_contacts(r, index, frame, error));
  return read_areas(r, index, frame, error);
}

carom_status carom_recording_read(carom_recording* recording, int index, carom_frame* frame,
                                  carom_error* error) {
  if (index < 0 || index >= recording->info.num_frames)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "%.300s: there is no frame %d, the recording has %d", recording->path,
                        index, recording->info.num_frames);
  cr_h5_begin(&recording->guard);
  carom_status status = read_frame(recording, (hsize_t)index, frame, error);
  cr_h5_end(&recording->guard);
  return status == CAROM_OK ? cr_error_clear(error) : status;
}

carom_status carom_recording_read_times(carom_recording* recording, int first, int count,
                                        double* times, carom_error* error) {
  if (first < 0 || count < 0 || first > recording->info.num_frames - count)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "%.300s: there are no frames %d to %d, the recording has %d",
                        recording->path, first, first + count - 1, recording->info.num_frames);
  if (count == 0) return cr_error_clear(error);
  cr_h5_begin(&recording->guard);
  carom_status status = read_rows(recording, CR_STREAM_TIME, (hsize_t)first, (hsize_t)count, error);
  cr_h5_end(&recording->guard);
  if (status != CAROM_OK) return status;
  memcpy(times, reals(recording, CR_STREAM_TIME), sizeof *times * (size_t)count);
  return cr_error_clear(error);
}

/* --- Counting -----------------------------------------------------------------------------------
 */

/* Rows that the bytes of a stream can be, of those that it declares. */
static hsize_t find_rows(const cr_read_stream* s, hsize_t declared) {
  if (s->shape.cells == 0) return declared;
  hsize_t stored = cr_h5_count_stored(s->dataset) / s->shape.cells;
  return declared < stored ? declared : stored;
}

/* Rows of a stream, whose columns must be those of the model. */
static carom_status count_rows(carom_recording* r, cr_stream_id id, carom_error* error) {
  cr_read_stream* s = &r->streams[id];
  hsize_t extent[H5S_MAX_RANK] = {0};
  hid_t space = H5Dget_space(s->dataset);
  int rank = space >= 0 ? H5Sget_simple_extent_dims(space, extent, NULL) : -1;
  if (space >= 0) H5Sclose(space);
  bool fits = rank == s->shape.rank;
  for (int k = 1; k < s->shape.rank && fits; k++) fits = extent[k] == s->shape.dims[k];
  s->count = fits ? find_rows(s, extent[0]) : 0;
  if (fits) return CAROM_OK;
  char text[128];
  snprintf(text, sizeof text, "/%s has not the columns that it should", cr_stream_specs[id].path);
  return cr_recording_damaged(r, text, error);
}

/* The most of so many frames whose contacts are among the first so many; of a file that was cut off
 * these are a few less than all. */
static carom_status find_frames(carom_recording* r, hsize_t frames, hsize_t contacts,
                                carom_error* error) {
  hsize_t low = 0, high = frames, middle = frames;
  int64_t offsets[2] = {0, 0};
  while (low < high) {
    CR_TRY(read_offsets(r, CR_STREAM_OFFSET, middle - 1, offsets, error));
    if ((hsize_t)offsets[1] <= contacts)
      low = middle;
    else
      high = middle - 1;
    middle = high - (high - low) / 2;
  }
  if (low > 0) CR_TRY(read_offsets(r, CR_STREAM_OFFSET, low - 1, offsets, error));
  r->info.num_frames = (int)low;
  r->info.num_contacts = low > 0 ? offsets[1] : 0;
  bool has_any = low > 0 && has_areas(r);
  if (has_any) CR_TRY(read_offsets(r, CR_STREAM_AREA_OFFSET, low - 1, offsets, error));
  r->info.num_triangles = has_any ? offsets[1] : 0;
  return CAROM_OK;
}

/* Frames whose rows are all there. */
static carom_status count_frames(carom_recording* r, carom_error* error) {
  hsize_t frames = INT_MAX, contacts = INT64_MAX;
  for (int id = 0; id < CR_NUM_STREAMS; id++) {
    if (!has_stream(r, id)) continue;
    CR_TRY(count_rows(r, (cr_stream_id)id, error));
    hsize_t count = r->streams[id].count;
    if (id == CR_STREAM_OFFSET || id == CR_STREAM_AREA_OFFSET) count -= count > 0;
    hsize_t* least = id < CR_FIRST_CONTACT_STREAM ? &frames : &contacts;
    if (id < CR_END_CONTACT_STREAM && count < *least) *least = count;
  }
  return find_frames(r, frames, contacts, error);
}

static carom_status read_times(carom_recording* r, carom_error* error) {
  r->info.start = r->info.end = NAN;
  if (r->info.num_frames == 0) return CAROM_OK;
  CR_TRY(read_rows(r, CR_STREAM_TIME, 0, 1, error));
  r->info.start = real(r, CR_STREAM_TIME);
  CR_TRY(read_rows(r, CR_STREAM_TIME, (hsize_t)r->info.num_frames - 1, 1, error));
  r->info.end = real(r, CR_STREAM_TIME);
  return CAROM_OK;
}

static carom_status look_again(carom_recording* r, carom_error* error) {
  for (int id = 0; id < CR_NUM_STREAMS; id++)
    if (has_stream(r, id) && H5Drefresh(r->streams[id].dataset) < 0)
      return cr_recording_damaged(r, "it cannot be followed", error);
  CR_TRY(count_frames(r, error));
  return read_times(r, error);
}

carom_status carom_recording_refresh(carom_recording* recording, carom_error* error) {
  cr_h5_begin(&recording->guard);
  carom_status status = look_again(recording, error);
  cr_h5_end(&recording->guard);
  return status == CAROM_OK ? cr_error_clear(error) : status;
}

/* --- Opening ------------------------------------------------------------------------------------
 */

/* The strings of /meta, into one block. */
static carom_status read_texts(carom_recording* r, hid_t meta, carom_error* error) {
  long lengths[4] = {cr_h5_measure_text_attribute(meta, "library"),
                     cr_h5_measure_text_attribute(meta, "model"), cr_h5_measure_text(meta, "scene"),
                     cr_h5_measure_text(meta, "options")};
  for (int i = 0; i < 4; i++) {
    if (lengths[i] < 0) return cr_recording_damaged(r, "/meta is not complete", error);
    r->texts_size += (size_t)lengths[i] + 1;
  }
  r->texts = cr_alloc_zero(&r->allocator, r->texts_size);
  if (!r->texts) return cr_error_memory(error);
  char* at[4] = {r->texts};
  for (int i = 1; i < 4; i++) at[i] = at[i - 1] + lengths[i - 1] + 1;
  if (!cr_h5_read_text_attribute(meta, "library", lengths[0], at[0]) ||
      !cr_h5_read_text_attribute(meta, "model", lengths[1], at[1]) ||
      !cr_h5_read_text(meta, "scene", lengths[2], at[2]) ||
      !cr_h5_read_text(meta, "options", lengths[3], at[3]))
    return cr_recording_damaged(r, "/meta cannot be read", error);
  r->info.library = at[0], r->info.model = at[1], r->info.scene = at[2], r->info.options = at[3];
  return CAROM_OK;
}

static carom_status read_meta(carom_recording* r, carom_error* error) {
  hid_t meta = H5Gopen2(r->file, "meta", H5P_DEFAULT);
  char format[sizeof CR_RECORD_FORMAT] = "";
  bool is_ours = meta >= 0 && cr_h5_measure_text_attribute(meta, "format") == (long)sizeof format &&
                 cr_h5_read_text_attribute(meta, "format", (long)sizeof format - 1, format) &&
                 strcmp(format, CR_RECORD_FORMAT) == 0 &&
                 cr_h5_read_int_attribute(meta, "version", &r->info.version);
  carom_status status;
  if (!is_ours)
    status = cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                          "%.300s: is an HDF5 file, but no recording of Carom", r->path);
  else if (r->info.version != CR_RECORD_VERSION)
    status = cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                          "%.300s: the recording's format has version %d, this program reads "
                          "version %d",
                          r->path, r->info.version, CR_RECORD_VERSION);
  else if (!cr_h5_read_real_attribute(meta, "dt", &r->info.dt) ||
           !cr_h5_read_real_attribute(meta, "rate", &r->info.rate))
    status = cr_recording_damaged(r, "/meta is not complete", error);
  else
    status = read_texts(r, meta, error);
  if (meta >= 0) H5Gclose(meta);
  return status;
}

/* The second dimension of a dataset. */
static int count_columns(const carom_recording* r, cr_stream_id id) {
  hsize_t extent[H5S_MAX_RANK] = {0};
  if (r->streams[id].dataset < 0) return 0;
  hid_t space = H5Dget_space(r->streams[id].dataset);
  if (space < 0) return 0;
  H5Sget_simple_extent_dims(space, extent, NULL);
  H5Sclose(space);
  return extent[1] <= INT_MAX ? (int)extent[1] : 0;
}

static carom_status open_streams(carom_recording* r, carom_error* error) {
  for (int id = 0; id < CR_NUM_STREAMS; id++) {
    cr_read_stream* s = &r->streams[id];
    bool is_left_out =
        cr_stream_is_optional(id) && !cr_h5_exists(r->file, cr_stream_specs[id].path);
    s->dataset =
        is_left_out ? H5I_INVALID_HID : H5Dopen2(r->file, cr_stream_specs[id].path, H5P_DEFAULT);
    if (s->dataset >= 0 || is_left_out) continue;
    char text[128];
    snprintf(text, sizeof text, "there is no /%s", cr_stream_specs[id].path);
    return cr_recording_damaged(r, text, error);
  }
  r->sizes = (cr_record_sizes){count_columns(r, CR_STREAM_Q),
                               count_columns(r, CR_STREAM_V),
                               count_columns(r, CR_STREAM_CTRL),
                               count_columns(r, CR_STREAM_POSE),
                               count_columns(r, CR_STREAM_SENSORS),
                               count_columns(r, CR_STREAM_ACT),
                               count_columns(r, CR_STREAM_REACTION),
                               count_columns(r, CR_STREAM_JOINT_REACTION),
                               count_columns(r, CR_STREAM_EQUALITY_REACTION)};
  for (int id = 0; id < CR_NUM_STREAMS; id++)
    r->streams[id].shape = cr_stream_compute_shape(&cr_stream_specs[id], &r->sizes);
  r->info.num_q = r->sizes.num_q, r->info.num_v = r->sizes.num_v;
  r->info.num_readings = r->sizes.num_readings;
  r->info.num_ctrl = r->sizes.num_ctrl, r->info.num_bodies = r->sizes.num_bodies;
  r->info.num_act = r->sizes.num_act;
  r->info.has_joint_reactions = has_stream(r, CR_STREAM_JOINT_REACTION);
  r->info.has_equality_reactions = has_stream(r, CR_STREAM_EQUALITY_REACTION);
  r->info.has_momentum = has_stream(r, CR_STREAM_COM) && has_stream(r, CR_STREAM_MOMENTUM);
  return CAROM_OK;
}

/* Opens a closed file as it is, and one that was not closed as readers of a growing file do. */
static carom_status open_file(carom_recording* r, carom_error* error) {
  FILE* file = cr_file_open_regular(r->path);
  if (!file)
    return cr_error_set(error, CAROM_ERROR_FILE, "%.300s: cannot be opened: %s", r->path,
                        cr_file_fault(r->path));
  fclose(file);
  if (!cr_h5_is_file(r->path))
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "%.300s: is no HDF5 file, so no recording of Carom", r->path);
  r->file = cr_h5_open(r->path, H5F_ACC_RDONLY, &r->guard);
  if (r->file < 0 && !r->guard.is_refused) {
    r->file = cr_h5_open(r->path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, &r->guard);
    r->info.is_open = true;
  }
  if (r->file >= 0) return CAROM_OK;
  if (!r->guard.is_refused) return cr_recording_damaged(r, r->guard.reason, error);
  return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "%.300s: %s", r->path, r->guard.reason);
}

static carom_status open_all(carom_recording* r, carom_error* error) {
  CR_TRY(open_file(r, error));
  CR_TRY(read_meta(r, error));
  CR_TRY(open_streams(r, error));
  CR_TRY(cr_recording_read_parts(r, error));
  CR_TRY(count_frames(r, error));
  return read_times(r, error);
}

static carom_status make(const char* path, const carom_allocator* hooks,
                         carom_recording** recording, carom_error* error) {
  carom_allocator allocator = cr_allocator_resolve(hooks);
  carom_recording* r = cr_alloc_zero(&allocator, sizeof *r);
  if (!r) return cr_error_memory(error);
  *recording = r;
  r->allocator = allocator;
  r->file = H5I_INVALID_HID;
  cr_arena_init(&r->mesh_arena, &allocator);
  r->path_size = strlen(path) + 1;
  r->path = cr_alloc(&allocator, r->path_size);
  if (!r->path) return cr_error_memory(error);
  memcpy(r->path, path, r->path_size);
  cr_h5_begin(&r->guard);
  carom_status status = open_all(r, error);
  cr_h5_end(&r->guard);
  return status;
}

carom_status carom_recording_open(const char* path, const carom_allocator* allocator,
                                  carom_recording** recording, carom_error* error) {
  if (!path || !recording)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "recording: an argument is null");
  *recording = NULL;
  carom_recording* made = NULL;
  carom_status status = make(path, allocator, &made, error);
  if (status == CAROM_OK)
    *recording = made;
  else
    carom_recording_close(made);
  return status == CAROM_OK ? cr_error_clear(error) : status;
}

void carom_recording_close(carom_recording* r) {
  if (!r) return;
  carom_allocator allocator = r->allocator;
  cr_h5_begin(&r->guard);
  if (r->file >= 0) H5Fclose(r->file);
  cr_h5_end(&r->guard);
  for (int id = 0; id < CR_NUM_STREAMS; id++)
    cr_release(&allocator, r->streams[id].rows, r->streams[id].size);
  for (int kind = 0; kind < CR_NUM_PARTS; kind++)
    cr_parts_free(&allocator, (cr_part_kind)kind, &r->parts[kind]);
  cr_stress_table_free(&r->stresses);
  cr_arena_destroy(&r->mesh_arena);
  cr_release(&allocator, r->contacts, sizeof(carom_contact) * (size_t)r->capacity_contacts);
  cr_release(&allocator, r->texts, r->texts_size);
  cr_release(&allocator, r->path, r->path_size);
  cr_release(&allocator, r, sizeof *r);
}

carom_recording_info carom_recording_get_info(const carom_recording* recording) {
  return recording->info;
}
