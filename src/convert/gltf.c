/* A recording as glTF 2.0: a root that turns z up into glTF's y up, below it a node for each body,
 * which the animation moves, and below these nodes for the geometries. */
#include "convert/gltf.h"

#include "convert/scene.h"
#include "io/encode.h"
#include "io/file.h"

#include "carom/version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- JSON ---------------------------------------------------------------------------------------
 */

int cr_gltf_add(cr_gltf* gltf, json_t* list, json_t* value) {
  if (json_array_append_new(list, value) != 0) gltf->has_failed = true;
  return (int)json_array_size(list) - 1;
}

void cr_gltf_set(cr_gltf* gltf, json_t* object, const char* key, json_t* value) {
  if (json_object_set_new(object, key, value) != 0) gltf->has_failed = true;
}

json_t* cr_gltf_make_numbers(const double* values, int count) {
  json_t* array = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(array, json_real(values[i]));
  return array;
}

json_t* cr_gltf_make_floats(const float* values, int count) {
  json_t* array = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(array, json_real((double)values[i]));
  return array;
}

json_t* cr_gltf_make_text(const char* text) {
  json_t* value = json_string(text);
  return value ? value : json_string("");
}

json_t* cr_gltf_make_accessor(const cr_gltf* gltf, cr_gltf_view view, const char* type, int count) {
  enum { FLOAT = 5126 };
  return json_pack("{s:i,s:I,s:i,s:s,s:i}", "bufferView", (int)view, "byteOffset",
                   (json_int_t)gltf->views[view].count, "componentType", FLOAT, "type", type,
                   "count", count);
}

/* --- Nodes --------------------------------------------------------------------------------------
 */

void cr_gltf_name_node(cr_gltf* g, json_t* node, const char* given, const char* kind, int index) {
  char name[32];
  snprintf(name, sizeof name, "%s%d", kind, index);
  cr_gltf_set(g, node, "name", cr_gltf_make_text(given[0] ? given : name));
  cr_gltf_set(g, node, "extras", json_pack("{s:i}", kind, index));
}

/* The node of a geometry in its body; returns its index, -1 for what is not shown. */
static int add_geom(cr_gltf* g, const carom_geom_info* geom, int index) {
  const double* q = geom->quaternion;
  const double turn[4] = {q[1], q[2], q[3], q[0]};
  int mesh = cr_gltf_add_mesh(g, geom);
  if (mesh < 0) return -1;
  json_t* node = json_object();
  cr_gltf_name_node(g, node, geom->name, "geom", index);
  cr_gltf_set(g, node, "mesh", json_integer(mesh));
  cr_gltf_set(g, node, "translation", cr_gltf_make_numbers(geom->position, 3));
  cr_gltf_set(g, node, "rotation", cr_gltf_make_numbers(turn, 4));
  return cr_gltf_add(g, g->nodes, node);
}

static void add_child(cr_gltf* g, json_t* parent, int child) {
  json_t* children = json_object_get(parent, "children");
  if (!children) {
    children = json_array();
    cr_gltf_set(g, parent, "children", children);
  }
  cr_gltf_add(g, children, json_integer(child));
}

static void add_bodies(cr_gltf* g, json_t* root) {
  for (int i = 0; i < g->job->info.num_bodies; i++) {
    carom_body_info body = carom_recording_get_body(g->job->recording, i);
    json_t* node = json_object();
    cr_gltf_name_node(g, node, body.name, "body", i);
    cr_gltf_set(g, json_object_get(node, "extras"), "mass", json_real(body.mass));
    int index = cr_gltf_add(g, g->nodes, node);
    cr_gltf_animate(g, node, i, index);
    add_child(g, root, index);
  }
}

/* Node 0 is the root, node 1 + i that of body i. */
static void add_nodes(cr_gltf* g) {
  static const double Z_TO_Y[4] = {-0.70710678118654757, 0, 0, 0.70710678118654757};
  json_t* root = json_object();
  const char* model = g->job->info.model;
  cr_gltf_set(g, root, "name", cr_gltf_make_text(model[0] ? model : "recording"));
  cr_gltf_set(g, root, "rotation", cr_gltf_make_numbers(Z_TO_Y, 4));
  cr_gltf_add(g, g->nodes, root);
  add_bodies(g, root);
  for (int i = 0; i < g->job->info.num_geoms && !g->has_failed; i++) {
    carom_geom_info geom = carom_recording_get_geom(g->job->recording, i);
    int node = add_geom(g, &geom, i);
    if (node >= 0) add_child(g, json_array_get(g->nodes, (size_t)geom.body + 1), node);
  }
  for (int i = 0; i < g->num_softs && !g->has_failed; i++) {
    int node = cr_gltf_softs_add(g, i);
    if (node >= 0) add_child(g, root, node);
  }
}

/* --- The document -------------------------------------------------------------------------------
 */

/* The views in one buffer, each from a multiple of four; none may be empty. */
static json_t* join_views(cr_gltf* g, cr_buffer* bytes) {
  static const int TARGETS[] = {34962, 34963, 0};
  static const char ZEROS[12];
  json_t* views = json_array();
  for (int i = 0; i < CR_GLTF_NUM_VIEWS; i++) {
    cr_buffer* part = &g->views[i];
    if (part->count == 0) cr_buffer_append(part, ZEROS, sizeof ZEROS);
    json_t* view = json_pack("{s:i,s:I,s:I}", "buffer", 0, "byteOffset", (json_int_t)bytes->count,
                             "byteLength", (json_int_t)part->count);
    if (TARGETS[i]) cr_gltf_set(g, view, "target", json_integer(TARGETS[i]));
    if (i == CR_GLTF_VERTICES) cr_gltf_set(g, view, "byteStride", json_integer(12));
    cr_buffer_append(bytes, part->bytes, part->count);
    cr_buffer_append(bytes, ZEROS, (4 - part->count % 4) % 4);
    g->has_failed = g->has_failed || part->out_of_memory || bytes->out_of_memory;
    cr_gltf_add(g, views, view);
  }
  return views;
}

/* Lists must not be empty. */
static void set_list(cr_gltf* g, json_t* document, const char* key, json_t* list) {
  if (json_array_size(list) > 0) cr_gltf_set(g, document, key, json_incref(list));
}

static void set_animation(cr_gltf* g, json_t* document) {
  if (json_array_size(g->channels) == 0) return;
  json_t* animation = json_pack("{s:s,s:O,s:O}", "name", "recording", "samplers", g->samplers,
                                "channels", g->channels);
  cr_gltf_set(g, document, "animations", json_pack("[o]", animation));
}

/* @param uri of the buffer, null: it follows in the file */
static json_t* make_document(cr_gltf* g, json_t* views, size_t num_bytes, const char* uri) {
  char generator[64];
  snprintf(generator, sizeof generator, "Carom %s", carom_version());
  json_t* document =
      json_pack("{s:{s:s,s:s},s:i,s:[{s:[i],s:{s:f}}]}", "asset", "version", "2.0", "generator",
                generator, "scene", 0, "scenes", "nodes", 0, "extras", "start", g->motion.start);
  set_list(g, document, "nodes", g->nodes);
  set_list(g, document, "meshes", g->meshes);
  set_list(g, document, "materials", g->materials);
  set_list(g, document, "accessors", g->accessors);
  set_list(g, document, "bufferViews", views);
  set_animation(g, document);
  json_t* buffer = json_pack("{s:I}", "byteLength", (json_int_t)num_bytes);
  if (uri) cr_gltf_set(g, buffer, "uri", json_string(uri));
  cr_gltf_set(g, document, "buffers", json_pack("[o]", buffer));
  return document;
}

/* --- Files --------------------------------------------------------------------------------------
 */

static void put_uint32(cr_file* file, uint64_t value) {
  unsigned char bytes[4];
  for (int k = 0; k < 4; k++) bytes[k] = (unsigned char)(value >> 8 * k);
  cr_file_put(file, bytes, sizeof bytes);
}

/* The binary form: a header, the JSON, the buffer; each padded to a multiple of four. */
static carom_status put_glb(cr_gltf* g, cr_file* file, const char* text, const cr_buffer* bytes,
                            carom_error* error) {
  size_t length = strlen(text), padding = (4 - length % 4) % 4;
  uint64_t whole = 12 + 8 + length + padding + 8 + bytes->count;
  if (whole > UINT32_MAX)
    return cr_error_set(error, CAROM_ERROR_UNSUPPORTED,
                        "%.300s: would have %.1f GB, glTF ends at 4 GB; ask for fewer frames",
                        g->job->path, (double)whole * 1e-9);
  cr_file_put_text(file, "glTF");
  put_uint32(file, 2);
  put_uint32(file, whole);
  put_uint32(file, length + padding);
  cr_file_put_text(file, "JSON");
  cr_file_put(file, text, length);
  cr_file_put(file, "   ", padding);
  put_uint32(file, bytes->count);
  cr_file_put(file, "BIN", 4);
  cr_file_put(file, bytes->bytes, bytes->count);
  return CAROM_OK;
}

static carom_status put_document(cr_gltf* g, cr_file* file, json_t* document,
                                 const cr_buffer* bytes, bool is_binary, carom_error* error) {
  char* text = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(17));
  carom_status status = CAROM_OK;
  if (!text || g->has_failed)
    status = cr_error_memory(error);
  else if (is_binary)
    status = put_glb(g, file, text, bytes, error);
  else
    cr_file_put_text(file, text);
  free(text);
  return status;
}

/* "data:...;base64,..." of the buffer. */
static void make_uri(cr_buffer* uri, const cr_buffer* bytes) {
  static const char HEAD[] = "data:application/octet-stream;base64,";
  cr_buffer_append(uri, HEAD, strlen(HEAD));
  cr_base64_append(uri, bytes->bytes, bytes->count);
  cr_buffer_append(uri, "", 1);
}

static carom_status put_file(cr_gltf* g, cr_file* file, carom_error* error) {
  bool is_binary = g->job->def->format == CAROM_CONVERT_GLB;
  cr_buffer bytes = {.allocator = g->job->allocator}, uri = {.allocator = g->job->allocator};
  json_t* views = join_views(g, &bytes);
  if (!is_binary) make_uri(&uri, &bytes);
  g->has_failed = g->has_failed || uri.out_of_memory;
  json_t* document = make_document(g, views, bytes.count, g->has_failed ? NULL : uri.bytes);
  carom_status status = put_document(g, file, document, &bytes, is_binary, error);
  json_decref(document), json_decref(views);
  cr_buffer_free(&bytes), cr_buffer_free(&uri);
  return status;
}

static carom_status write_all(cr_gltf* g, cr_file* file, carom_error* error) {
  CR_TRY(cr_gltf_softs_begin(g, error));
  CR_TRY(cr_gltf_motion_read(g, error));
  g->reach = cr_scene_compute_reach(g->job);
  if (!cr_surface_init(&g->surface, g->job->recording, &g->arena)) return cr_error_memory(error);
  add_nodes(g);
  return put_file(g, file, error);
}

static void destroy(cr_gltf* g) {
  const carom_allocator* a = g->job->allocator;
  cr_gltf_softs_free(g);
  cr_gltf_motion_free(g);
  cr_arena_destroy(&g->arena);
  for (int i = 0; i < CR_GLTF_NUM_VIEWS; i++) cr_buffer_free(&g->views[i]);
  cr_release(a, g->shapes, sizeof *g->shapes * (size_t)g->shapes_capacity);
  cr_release(a, g->looks, sizeof *g->looks * (size_t)g->looks_capacity);
  cr_release(a, g->pairs, sizeof *g->pairs * (size_t)g->pairs_capacity);
  json_decref(g->nodes), json_decref(g->meshes), json_decref(g->materials);
  json_decref(g->accessors), json_decref(g->samplers), json_decref(g->channels);
}

carom_status cr_convert_write_gltf(cr_convert_job* job, carom_error* error) {
  cr_file file;
  CR_TRY(cr_file_open(&file, job->path, error));
  cr_gltf g = {.job = job,
               .soft_sampler = -1,
               .nodes = json_array(),
               .meshes = json_array(),
               .materials = json_array(),
               .accessors = json_array(),
               .samplers = json_array(),
               .channels = json_array()};
  for (int i = 0; i < CR_GLTF_NUM_VIEWS; i++) g.views[i].allocator = job->allocator;
  cr_arena_init(&g.arena, job->allocator);
  carom_status status = write_all(&g, &file, error);
  destroy(&g);
  job->report.num_bytes = file.num_bytes, job->report.num_files = 1;
  carom_status closed = cr_file_close(&file, status == CAROM_OK ? error : NULL);
  return status == CAROM_OK ? closed : status;
}
