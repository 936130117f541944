/* glTF 2.0 before assimp reads it: its nodes must be trees, its numbers lie in its buffers, and
 * what it makes of them must fit a mesh. Materials, images and animations are not looked at. */
#include "base/error.h"
#include "import/mesh/scene.h"
#include "io/file.h"
#include "io/json.h"

#include <jansson.h>
#include <string.h>

#define GLB_MAGIC 0x46546c67u /* "glTF" */
#define GLB_JSON  0x4e4f534au /* "JSON" */

/* A file as its JSON. */
typedef struct document {
  const cr_mesh_source* source;
  carom_error* error;
  json_t *root, *nodes, *meshes, *accessors, *views, *buffers;
} document;

static carom_status refuse(const document* d, const char* list, size_t index, const char* what) {
  return cr_error_set(d->error, CAROM_ERROR_BAD_INPUT, "%.200s: %s[%zu]: %s", d->source->name, list,
                      index, what);
}

/* A whole number that is not negative, `otherwise` where there is none, -1 for anything else. */
static json_int_t read_size(const json_t* object, const char* key, json_int_t otherwise) {
  const json_t* value = json_object_get(object, key);
  if (!value) return otherwise;
  return json_is_integer(value) && json_integer_value(value) >= 0 ? json_integer_value(value) : -1;
}

static bool is_index(json_int_t index, const json_t* list) {
  return index >= 0 && (size_t)index < json_array_size(list);
}

/* ---- Buffers, views and accessors */

/* Says of a buffer's file why it will not be opened; where it is not there, assimp will. */
static carom_status check_buffer_file(const document* d, size_t i, const char* uri) {
  char path[4096], text[160];
  const char *name = d->source->name, *slash = strrchr(name, '/');
  int folder = slash ? (int)(slash - name) + 1 : 0;
  if (!uri || strncmp(uri, "data:", 5) == 0) return CAROM_OK;
  int length = snprintf(path, sizeof path, "%.*s%s", folder, name, uri);
  if (length >= (int)sizeof path) return refuse(d, "buffers", i, "its uri is too long");
  bool is_inside = cr_scene_may_open(name, path);
  if (is_inside && !cr_file_is_special(path)) return CAROM_OK;
  snprintf(text, sizeof text, "file '%.60s' %s%.60s", uri,
           is_inside ? "cannot be opened: " : "lies outside the scene's folder",
           is_inside ? cr_file_fault(path) : "");
  return refuse(d, "buffers", i, text);
}

static carom_status check_buffers(const document* d) {
  json_int_t most = (json_int_t)CR_SCENE_MAX_BYTES;
  size_t i;
  json_t* item;
  json_array_foreach(d->buffers, i, item) {
    json_int_t length = read_size(item, "byteLength", -1);
    if (length < 0 || length > most)
      return refuse(d, "buffers", i, "byteLength must be a number up to 134217728");
    CR_TRY(check_buffer_file(d, i, json_string_value(json_object_get(item, "uri"))));
  }
  json_array_foreach(d->views, i, item) {
    json_int_t buffer = read_size(item, "buffer", -1), start = read_size(item, "byteOffset", 0);
    json_int_t length = read_size(item, "byteLength", -1);
    if (!is_index(buffer, d->buffers) || start < 0 || length < 0 || start > most || length > most)
      return refuse(d, "bufferViews", i, "buffer, byteOffset and byteLength must be in range");
    const json_t* held = json_array_get(d->buffers, (size_t)buffer);
    if (start + length > read_size(held, "byteLength", 0))
      return refuse(d, "bufferViews", i, "it does not lie in its buffer");
  }
  return CAROM_OK;
}

/* Bytes of one element, 0 where the words are none of the format's. */
static json_int_t element_size(const json_t* accessor) {
  static const struct {
    const char* type;
    int count;
  } TYPES[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
               {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
  static const int SIZES[] = {1, 1, 2, 2, 0, 4, 4}; /* of component types 5120 to 5126 */
  json_int_t component = read_size(accessor, "componentType", -1);
  const char* type = json_string_value(json_object_get(accessor, "type"));
  if (!type || component < 5120 || component > 5126) return 0;
  for (size_t k = 0; k < sizeof TYPES / sizeof TYPES[0]; k++)
    if (strcmp(type, TYPES[k].type) == 0) return SIZES[component - 5120] * TYPES[k].count;
  return 0;
}

static carom_status check_accessor(const document* d, size_t i, const json_t* accessor) {
  json_int_t view = read_size(accessor, "bufferView", -1), size = element_size(accessor);
  json_int_t count = read_size(accessor, "count", -1), start = read_size(accessor, "byteOffset", 0);
  if (json_object_get(accessor, "sparse"))
    return refuse(d, "accessors", i, "sparse accessors are not read");
  if (!is_index(view, d->views) || size == 0)
    return refuse(d, "accessors", i, "bufferView, componentType and type must be there");
  const json_t* held = json_array_get(d->views, (size_t)view);
  json_int_t length = read_size(held, "byteLength", 0), stride = read_size(held, "byteStride", 0);
  if (count < 1 || count > CR_MESH_MAX_VERTICES || start < 0 || start > length || stride < 0 ||
      stride > 252 || (stride > 0 && stride < size))
    return refuse(d, "accessors", i, "count, byteOffset and byteStride must be in range");
  if (start + (count - 1) * (stride ? stride : size) + size > length)
    return refuse(d, "accessors", i, "it does not lie in its view");
  return CAROM_OK;
}

/* ---- Meshes */

static json_int_t count_of(const document* d, json_int_t accessor) {
  return read_size(json_array_get(d->accessors, (size_t)accessor), "count", 0);
}

/* Adds the corners that a primitive makes; strips and fans make up to three of one vertex. */
static carom_status check_primitive(const document* d, size_t mesh, const json_t* primitive,
                                    json_int_t* corners) {
  json_t *attributes = json_object_get(primitive, "attributes"), *value;
  json_int_t vertices = read_size(attributes, "POSITION", 0);
  json_int_t indices = read_size(primitive, "indices", vertices);
  const char* key;
  json_object_foreach(attributes, key, value) {
    if (!json_is_integer(value) || !is_index(json_integer_value(value), d->accessors))
      return refuse(d, "meshes", mesh, "an attribute names no accessor");
  }
  if (!is_index(indices, d->accessors) && json_object_get(primitive, "indices"))
    return refuse(d, "meshes", mesh, "indices name no accessor");
  *corners += 3 * (is_index(indices, d->accessors) ? count_of(d, indices) : 0);
  if (*corners <= 9 * (json_int_t)CR_MESH_MAX_TRIANGLES) return CAROM_OK;
  return refuse(d, "meshes", mesh, "there are more than 8000000 triangles");
}

/* Primitives of all meshes; data that several of them use count for each. */
static carom_status check_meshes(const document* d) {
  json_int_t corners = 0;
  size_t i, k;
  json_t *mesh, *primitive;
  json_array_foreach(d->meshes, i, mesh) {
    json_array_foreach(json_object_get(mesh, "primitives"), k, primitive)
        CR_TRY(check_primitive(d, i, primitive, &corners));
  }
  return CAROM_OK;
}

/* ---- Nodes */

/* Every node has at most one parent, and no scene begins with one that has: then all that scenes
 * hold are trees. */
static carom_status check_parents(const document* d, char* has_parent) {
  size_t i, k;
  json_t *node, *child;
  json_array_foreach(d->nodes, i, node) {
    json_array_foreach(json_object_get(node, "children"), k, child) {
      json_int_t index = json_is_integer(child) ? json_integer_value(child) : -1;
      if (!is_index(index, d->nodes)) return refuse(d, "nodes", i, "a child is no node");
      if (has_parent[index]++) return refuse(d, "nodes", (size_t)index, "it has two parents");
    }
  }
  json_array_foreach(json_object_get(d->root, "scenes"), i, node) {
    json_array_foreach(json_object_get(node, "nodes"), k, child) {
      json_int_t index = json_is_integer(child) ? json_integer_value(child) : -1;
      if (!is_index(index, d->nodes)) return refuse(d, "scenes", i, "a node is not there");
      if (has_parent[index]) return refuse(d, "scenes", i, "a node has a parent");
    }
  }
  return CAROM_OK;
}

static carom_status check_depth(const document* d, json_int_t node, int depth) {
  size_t k;
  json_t* child;
  if (depth > CR_SCENE_MAX_DEPTH)
    return refuse(d, "nodes", (size_t)node, "nodes stand in nodes more than 200 deep");
  json_array_foreach(json_object_get(json_array_get(d->nodes, (size_t)node), "children"), k, child)
      CR_TRY(check_depth(d, json_integer_value(child), depth + 1));
  return CAROM_OK;
}

/* The meshes of nodes are there, and no node stands too deep. */
static carom_status check_uses(const document* d, const char* has_parent) {
  size_t i;
  json_t* node;
  json_array_foreach(d->nodes, i, node) {
    if (!has_parent[i]) CR_TRY(check_depth(d, (json_int_t)i, 0));
    if (json_object_get(node, "mesh") && !is_index(read_size(node, "mesh", -1), d->meshes))
      return refuse(d, "nodes", i, "mesh names none");
  }
  return CAROM_OK;
}

static carom_status check_nodes(const document* d) {
  size_t count = json_array_size(d->nodes);
  if (count > CR_SCENE_MAX_NODES)
    return refuse(d, "nodes", CR_SCENE_MAX_NODES, "there are more than 100000");
  carom_allocator allocator = cr_allocator_resolve(NULL);
  char* has_parent = cr_alloc_zero(&allocator, count + 1);
  if (!has_parent) return cr_error_memory(d->error);
  carom_status status = check_parents(d, has_parent);
  if (status == CAROM_OK) status = check_uses(d, has_parent);
  cr_release(&allocator, has_parent, count + 1);
  return status;
}

/* ---- The file */

static carom_status check_document(document* d) {
  size_t i;
  json_t* accessor;
  const char* version =
      json_string_value(json_object_get(json_object_get(d->root, "asset"), "version"));
  if (!version || strncmp(version, "2.", 2) != 0)
    return cr_error_set(d->error, CAROM_ERROR_UNSUPPORTED,
                        "%.200s: its version is '%.20s', glTF of version 2 is read",
                        d->source->name, version ? version : "");
  d->nodes = json_object_get(d->root, "nodes");
  d->meshes = json_object_get(d->root, "meshes");
  d->accessors = json_object_get(d->root, "accessors");
  d->views = json_object_get(d->root, "bufferViews");
  d->buffers = json_object_get(d->root, "buffers");
  CR_TRY(check_buffers(d));
  json_array_foreach(d->accessors, i, accessor) CR_TRY(check_accessor(d, i, accessor));
  CR_TRY(check_meshes(d));
  return check_nodes(d);
}

static uint32_t read_word(const char* bytes) {
  const unsigned char* b = (const unsigned char*)bytes;
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* The text: all of a .gltf file, the first chunk of a .glb file. */
static carom_status find_text(const document* d, const char** text, size_t* length) {
  const cr_mesh_source* s = d->source;
  *text = s->bytes, *length = s->size;
  if (s->size < 4 || read_word(s->bytes) != GLB_MAGIC) return CAROM_OK;
  bool is_whole = s->size >= 20 && read_word(s->bytes + 4) == 2 &&
                  read_word(s->bytes + 8) == s->size && read_word(s->bytes + 16) == GLB_JSON &&
                  read_word(s->bytes + 12) <= s->size - 20;
  if (!is_whole)
    return cr_error_set(d->error, CAROM_ERROR_BAD_INPUT,
                        "%.200s: it is no whole GLB file of version 2", s->name);
  *text = s->bytes + 20;
  *length = read_word(s->bytes + 12);
  return CAROM_OK;
}

carom_status cr_gltf_check(const cr_mesh_source* source, carom_error* error) {
  document d = {.source = source, .error = error};
  json_error_t fault;
  const char* text;
  size_t length;
  CR_TRY(find_text(&d, &text, &length));
  if (!cr_json_is_shallow(text, length, CR_JSON_FILE_DEPTH))
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "%.200s: lists and objects stand in each other more than %d deep",
                        source->name, CR_JSON_FILE_DEPTH);
  d.root = json_loadb(text, length, JSON_DISABLE_EOF_CHECK, &fault);
  if (!d.root)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "%.200s:%d: %.160s", source->name, fault.line,
                        fault.text);
  carom_status status = check_document(&d);
  json_decref(d.root);
  return status;
}
