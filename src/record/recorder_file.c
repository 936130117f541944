/* The file of a recording: its datasets, what it says about itself, SWMR mode from then on. */
#include "record/attachments.h"
#include "record/meshes.h"
#include "record/parts.h"
#include "record/recorder.h"
#include "record/softs.h"

#include "carom/version.h"

#define LARGEST_CHUNK    (1 << 20) /* bytes */
#define CONTACTS_A_CHUNK 1024

static cr_record_sizes count_sizes(const carom_sim* sim, const carom_recorder_def* def) {
  carom_model_sizes sizes = carom_model_get_sizes(carom_sim_model(sim));
  return (cr_record_sizes){sizes.num_q,
                           sizes.num_v,
                           sizes.num_controls,
                           sizes.num_bodies,
                           sizes.num_readings,
                           sizes.num_activations,
                           sizes.num_attachments,
                           def->joint_reactions ? sizes.num_joints : 0,
                           def->joint_reactions ? sizes.num_equalities : 0};
}

/* Sensors and attachments are there only where the model has any. */
static bool is_wanted(cr_stream_id id, const cr_record_sizes* sizes) {
  if (id == CR_STREAM_SENSORS) return sizes->num_readings > 0;
  if (id == CR_STREAM_JOINT_REACTION) return sizes->num_reacting_joints > 0;
  if (id == CR_STREAM_EQUALITY_REACTION) return sizes->num_reacting_equalities > 0;
  return id != CR_STREAM_REACTION || sizes->num_attachments > 0;
}

/* A dataset that grows by rows; other dimensions are fixed. */
static hid_t create_dataset(hid_t file, const cr_stream_spec* spec, const cr_row_shape* shape,
                            hsize_t chunk) {
  hsize_t extent[3] = {0, shape->dims[1], shape->dims[2]}, most[3], chunks[3];
  for (int k = 0; k < 3; k++) {
    bool grows = k == 0 || extent[k] == 0;
    most[k] = grows ? H5S_UNLIMITED : extent[k];
    chunks[k] = k == 0 ? chunk : grows ? 1 : extent[k];
  }
  hid_t space = H5Screate_simple(shape->rank, extent, most);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE), link = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_chunk(creation, shape->rank, chunks);
  H5Pset_create_intermediate_group(link, 1);
  hid_t dataset = H5Dcreate2(file, spec->path, cr_cell_get_file_type(spec->cell), space, link,
                             creation, H5P_DEFAULT);
  H5Pclose(link), H5Pclose(creation), H5Sclose(space);
  return dataset;
}

static bool create_stream(carom_recorder* r, cr_stream_id id, const cr_record_sizes* sizes) {
  const cr_stream_spec* spec = &cr_stream_specs[id];
  cr_record_stream* s = &r->streams[id];
  s->shape = cr_stream_compute_shape(spec, sizes);
  hsize_t chunk = id >= CR_FIRST_CONTACT_STREAM ? CONTACTS_A_CHUNK : (hsize_t)r->chunk;
  s->dataset = create_dataset(r->file, spec, &s->shape, chunk);
  return s->dataset >= 0 && cr_h5_write_text_attribute(s->dataset, "unit", spec->unit) &&
         cr_h5_write_text_attribute(s->dataset, "description", spec->text);
}

static bool write_meta(carom_recorder* r, const carom_recorder_def* def) {
  hid_t meta = H5Gcreate2(r->file, "meta", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool done =
      meta >= 0 && cr_h5_write_text_attribute(meta, "format", CR_RECORD_FORMAT) &&
      cr_h5_write_int_attribute(meta, "version", CR_RECORD_VERSION) &&
      cr_h5_write_text_attribute(meta, "library", carom_version()) &&
      cr_h5_write_text_attribute(meta, "model", carom_model_get_name(carom_sim_model(r->sim))) &&
      cr_h5_write_real_attribute(meta, "dt", carom_sim_dt(r->sim)) &&
      cr_h5_write_real_attribute(meta, "rate", def->rate) &&
      cr_h5_write_text(meta, "scene", def->scene ? def->scene : "") &&
      cr_h5_write_text(meta, "options", def->options ? def->options : "");
  if (meta >= 0) H5Gclose(meta);
  return done;
}

/* Of all that stands in the file: headers of datasets (284 bytes and more) and small blocks of
 * chunk indices stand in one page of memory, so that a write of one is whole or not there when the
 * writer is killed. */
#define ALIGNMENT 512

/* The newest file format, which SWMR needs, but none that HDF5 1.10 cannot read. */
static hid_t create_file(const char* path) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_alignment(access, 1, ALIGNMENT);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  return file;
}

static carom_status write_start(carom_recorder* r, const carom_recorder_def* def,
                                carom_error* error) {
  cr_record_sizes sizes = count_sizes(r->sim, def);
  bool done = write_meta(r, def);
  for (int id = 0; id < CR_NUM_STREAMS && done; id++)
    if (is_wanted((cr_stream_id)id, &sizes)) done = create_stream(r, (cr_stream_id)id, &sizes);
  if (!done) return cr_recorder_fail(r, "created", error);
  carom_status status = cr_parts_write(r->file, carom_sim_model(r->sim), &r->allocator);
  if (status == CAROM_OK) status = cr_meshes_write(r->file, carom_sim_model(r->sim), &r->allocator);
  if (status == CAROM_OK) status = cr_softs_write(r->file, carom_sim_model(r->sim), &r->allocator);
  if (status == CAROM_OK)
    status = cr_attachments_write(r->file, carom_sim_model(r->sim), &r->allocator);
  if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(error);
  r->is_swmr = status == CAROM_OK && H5Fflush(r->file, H5F_SCOPE_GLOBAL) >= 0 &&
               H5Fstart_swmr_write(r->file) >= 0;
  if (!r->is_swmr) return cr_recorder_fail(r, "created", error);
  int64_t none = 0;
  if (!cr_recorder_add_cells(r, CR_STREAM_OFFSET, &none) ||
      !cr_recorder_add_cells(r, CR_STREAM_AREA_OFFSET, &none))
    return cr_error_memory(error);
  CR_TRY(cr_recorder_add_frame(r, error));
  return cr_recorder_flush_all(r, error);
}

carom_status cr_recorder_create_file(carom_recorder* r, const carom_recorder_def* def,
                                     carom_error* error) {
  CR_TRY(cr_h5_check_writable(r->path, error));
  r->file = create_file(r->path);
  if (r->file < 0) return cr_recorder_fail(r, "created", error);
  return write_start(r, def, error);
}

int cr_recorder_choose_chunk(const carom_recorder_def* def, const carom_sim* sim) {
  cr_record_sizes sizes = count_sizes(sim, def);
  int wanted = def->chunk;
  size_t widest = 1;
  for (int id = 0; id < CR_FIRST_CONTACT_STREAM; id++) {
    size_t bytes = cr_stream_compute_shape(&cr_stream_specs[id], &sizes).bytes;
    widest = bytes > widest ? bytes : widest;
  }
  size_t most = LARGEST_CHUNK / widest;
  return (size_t)wanted <= most ? wanted : most > 0 ? (int)most : 1;
}
