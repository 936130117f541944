/* glTF 2.0 in the making: its lists as JSON, and the bytes that they point to. */
#ifndef CR_CONVERT_GLTF_H
#define CR_CONVERT_GLTF_H

#include "convert/job.h"
#include "convert/surface.h"
#include "io/buffer.h"

#include <jansson.h>
#include <stdint.h>

/* The views of the one buffer, in its order. */
typedef enum cr_gltf_view {
  CR_GLTF_VERTICES, /* float x y z */
  CR_GLTF_INDICES,  /* uint16 */
  CR_GLTF_MOTION,   /* float */
  CR_GLTF_NUM_VIEWS
} cr_gltf_view;

typedef struct cr_gltf_shape {
  carom_geom_type type;
  double size[3];
  int mesh;                        /* of the recording; -1: none */
  int positions, normals, indices; /* accessors */
} cr_gltf_shape;

typedef struct cr_gltf_material {
  float rgba[4];
  bool is_plane; /* seen from both sides */
} cr_gltf_material;

typedef struct cr_gltf_mesh {
  int shape, material;
} cr_gltf_mesh;

/* Poses by body, then by frame, as floats. */
typedef struct cr_gltf_motion {
  int count, capacity; /* frames */
  float* times;        /* [capacity] s, from the first frame on */
  float* translations; /* [num_bodies, capacity, 3] */
  float* rotations;    /* [num_bodies, capacity, 4] x y z w */
  double start;        /* s, of the first frame */
} cr_gltf_motion;

typedef struct cr_gltf {
  cr_convert_job* job;
  bool has_failed; /* memory ran out */
  json_t *nodes, *meshes, *materials, *accessors, *samplers, *channels;
  cr_buffer views[CR_GLTF_NUM_VIEWS];
  cr_gltf_shape* shapes;
  cr_gltf_material* looks;
  cr_gltf_mesh* pairs;
  int num_shapes, shapes_capacity, num_looks, looks_capacity, num_pairs, pairs_capacity;
  double reach;   /* of endless planes, m */
  cr_arena arena; /* holds the next */
  cr_surface surface;
  cr_gltf_motion motion;
} cr_gltf;

/* Appends to a list, which takes the value over; returns its index. */
int cr_gltf_add(cr_gltf* gltf, json_t* list, json_t* value);

/* Sets a value, which the object takes over. */
void cr_gltf_set(cr_gltf* gltf, json_t* object, const char* key, json_t* value);

json_t* cr_gltf_make_numbers(const double* values, int count);
json_t* cr_gltf_make_floats(const float* values, int count);

/* Text; empty where it is no UTF-8. */
json_t* cr_gltf_make_text(const char* text);

/* An accessor of the values that are appended next to a view.
 * @param type "SCALAR", "VEC3", "VEC4" */
json_t* cr_gltf_make_accessor(const cr_gltf* gltf, cr_gltf_view view, const char* type, int count);

/* The mesh of a geometry: shapes and colours that were there before are shared.
 * @return its index; -1 for what is not shown */
int cr_gltf_add_mesh(cr_gltf* gltf, const carom_geom_info* geom);

/* Reads the poses of all chosen frames. */
carom_status cr_gltf_motion_read(cr_gltf* gltf, carom_error* error);

/* Sets place and turn of a body's node, and animates them where they change. */
void cr_gltf_animate(cr_gltf* gltf, json_t* node, int body, int node_index);
void cr_gltf_motion_free(cr_gltf* gltf);

#endif
