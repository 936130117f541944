/* A recording that is read: its streams, what it says of itself and of the model's parts. */
#ifndef CR_RECORD_RECORDING_H
#define CR_RECORD_RECORDING_H

#include "record/attachments.h"
#include "record/layout.h"
#include "record/meshes.h"
#include "record/parts.h"
#include "record/soft_stress.h"
#include "record/softs.h"

#include "carom/record.h"

/* Rows of a dataset as far as they are known, and a buffer. */
typedef struct cr_read_stream {
  hid_t dataset;
  cr_row_shape shape;
  hsize_t count;
  void* rows;
  size_t size; /* bytes of the buffer */
} cr_read_stream;

struct carom_recording {
  carom_allocator allocator;
  char* path;
  size_t path_size;
  hid_t file;
  cr_h5_guard guard;
  cr_record_sizes sizes;
  cr_read_stream streams[CR_NUM_STREAMS];
  carom_recording_info info;
  cr_part_table parts[CR_NUM_PARTS];
  cr_mesh_table meshes;
  carom_soft_info* softs;             /* [info.num_softs] */
  carom_attachment_info* attachments; /* [info.num_attachments] */
  cr_arena mesh_arena;                /* holds meshes, soft bodies and attachments */
  cr_stress_table stresses;
  char* texts; /* library, model, scene, options, one after the other */
  size_t texts_size;
  carom_contact* contacts;
  int capacity_contacts;
};

/* Fills the error of a damaged recording. */
carom_status cr_recording_damaged(const carom_recording* r, const char* what, carom_error* error);

/* Reads the bodies, joints and geometries. */
carom_status cr_recording_read_parts(carom_recording* r, carom_error* error);

#endif
