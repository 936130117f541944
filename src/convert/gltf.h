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
  CR_GLTF_INDICES,  /* uint32 of soft bodies, then uint16 */
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

/* Positions, normals, colours. */
enum { CR_GLTF_NUM_ATTRIBUTES = 3 };

/* A vertex of a soft body's surface at a moment. */
typedef struct cr_gltf_vertex {
  float at[CR_GLTF_NUM_ATTRIBUTES][3];
} cr_gltf_vertex;

/* A soft body; arrays in the arena. */
typedef struct cr_gltf_soft {
  carom_soft_info info;
  int num_vertices, indices;    /* `indices`: accessor */
  int *corners, *nodes;         /* [3 num_triangles] vertices; their nodes */
  double *normals, *stress;     /* [3 num_vertices]; [num_nodes] Pa */
  cr_gltf_vertex *first, *now;  /* [num_vertices] */
  json_t *attributes, *targets; /* of the first moment; of the others */
} cr_gltf_soft;

/* MJCF viewers hide groups from here on at first. */
enum { CR_GLTF_FIRST_HIDDEN_GROUP = 3 };

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
  cr_gltf_soft* softs; /* [num_softs] */
  float* moments; /* [num_moments] s, that have targets: each `moment_stride`th frame, the last */
  int num_softs, num_moments, moment_stride;
  int soft_sampler;   /* of all of them; -1: none yet */
  double most_stress; /* Pa, the range of colours */
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

/* A part of a colour of sRGB, from 0 to 1, as light. */
double cr_gltf_linearise(float part);

/* Names a node, and gives it its number in `extras`. */
void cr_gltf_name_node(cr_gltf* gltf, json_t* node, const char* given, const char* kind, int index);

/* Values of an animation as an accessor; single ones, which are times, with their range. */
int cr_gltf_add_values(cr_gltf* gltf, const char* type, const float* values, int count,
                       int components);

/* Lists the soft bodies, before any frame and any mesh. To be freed also when it fails. */
carom_status cr_gltf_softs_begin(cr_gltf* gltf, carom_error* error);

/* Takes a frame's surfaces, if it is one that is kept.
 * @param number among the chosen frames; @param time s, from the first one on */
carom_status cr_gltf_softs_take(cr_gltf* gltf, const carom_frame* frame, int number, float time,
                                carom_error* error);

/* Adds the node of a soft body; returns its index, -1 for what is not shown. */
int cr_gltf_softs_add(cr_gltf* gltf, int index);
void cr_gltf_softs_free(cr_gltf* gltf);

/* Reads the poses of all chosen frames, and soft bodies. */
carom_status cr_gltf_motion_read(cr_gltf* gltf, carom_error* error);

/* Sets place and turn of a body's node, and animates them where they change. */
void cr_gltf_animate(cr_gltf* gltf, json_t* node, int body, int node_index);
void cr_gltf_motion_free(cr_gltf* gltf);

#endif
