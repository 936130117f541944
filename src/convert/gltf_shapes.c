/* Meshes of glTF: a shape for each kind and size of geometries, a material for each colour, a mesh
 * for each pair of them. */
#include "base/copy.h"
#include "convert/gltf.h"

#include <math.h>
#include <string.h>

/* --- Shapes -------------------------------------------------------------------------------------
 */

/* Points with their range, or normals. */
static int add_vectors(cr_gltf* g, const double (*values)[3], int count, bool with_range) {
  float least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
  json_t* accessor = cr_gltf_make_accessor(g, CR_GLTF_VERTICES, "VEC3", count);
  for (int i = 0; i < count; i++) {
    float vector[3];
    for (int k = 0; k < 3; k++) {
      vector[k] = (float)values[i][k];
      least[k] = fminf(least[k], vector[k]), most[k] = fmaxf(most[k], vector[k]);
    }
    cr_buffer_append(&g->views[CR_GLTF_VERTICES], vector, sizeof vector);
  }
  if (with_range) {
    cr_gltf_set(g, accessor, "min", cr_gltf_make_floats(least, 3));
    cr_gltf_set(g, accessor, "max", cr_gltf_make_floats(most, 3));
  }
  return cr_gltf_add(g, g->accessors, accessor);
}

/* Of 16 bits, or of 32 where there are more points. What follows starts at a multiple of four
 * bytes. */
static int add_indices(cr_gltf* g, const cr_surface* s) {
  enum { UINT16 = 5123, UINT32 = 5125 };
  static const char ZEROS[4] = {0};
  bool is_short = s->num_points <= UINT16_MAX;
  json_t* accessor = cr_gltf_make_accessor(g, CR_GLTF_INDICES, "SCALAR", 3 * s->num_triangles);
  cr_gltf_set(g, accessor, "componentType", json_integer(is_short ? UINT16 : UINT32));
  for (int i = 0; i < s->num_triangles; i++) {
    uint32_t whole[3];
    uint16_t half[3];
    for (int k = 0; k < 3; k++) half[k] = (uint16_t)(whole[k] = (uint32_t)s->triangles[i][k]);
    if (is_short)
      cr_buffer_append(&g->views[CR_GLTF_INDICES], half, sizeof half);
    else
      cr_buffer_append(&g->views[CR_GLTF_INDICES], whole, sizeof whole);
  }
  cr_buffer_append(&g->views[CR_GLTF_INDICES], ZEROS, -g->views[CR_GLTF_INDICES].count % 4);
  return cr_gltf_add(g, g->accessors, accessor);
}

static void fill_shape(cr_gltf* g, cr_gltf_shape* shape, const carom_geom_info* geom) {
  cr_surface* s = &g->surface;
  cr_surface_make(geom, g->reach, s);
  shape->positions = add_vectors(g, (const double(*)[3])s->points, s->num_points, true);
  shape->normals = add_vectors(g, (const double(*)[3])s->normals, s->num_points, false);
  shape->indices = add_indices(g, s);
}

/* Room for one more in a list that is searched. */
static bool reserve(cr_gltf* g, void** items, int count, int* capacity, size_t size) {
  bool done = cr_reserve_one(g->job->allocator, items, count, capacity, size);
  g->has_failed = g->has_failed || !done;
  return done;
}

static bool has_shape(const cr_gltf_shape* a, const cr_gltf_shape* b) {
  bool same = a->type == b->type && a->mesh == b->mesh;
  for (int k = 0; k < 3; k++) same = same && a->size[k] == b->size[k];
  return same;
}

static int find_shape(cr_gltf* g, const carom_geom_info* geom) {
  static const int NUM_SIZES[] = {2, 1, 2, 2, 3, 3, 3, 3};
  cr_gltf_shape key = {.type = geom->type, .mesh = geom->mesh};
  CR_COPY(key.size, geom->size, NUM_SIZES[geom->type]);
  for (int i = 0; i < g->num_shapes; i++)
    if (has_shape(&g->shapes[i], &key)) return i;
  if (!reserve(g, (void**)&g->shapes, g->num_shapes, &g->shapes_capacity, sizeof key)) return 0;
  fill_shape(g, &key, geom);
  g->shapes[g->num_shapes] = key;
  return g->num_shapes++;
}

/* --- Materials ----------------------------------------------------------------------------------
 */

/* Recorded colours are sRGB, those of materials linear. */
double cr_gltf_linearise(float part) {
  double x = fmin(fmax((double)part, 0), 1);
  return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static json_t* make_material(cr_gltf* g, const cr_gltf_material* look) {
  double alpha = fmin(fmax((double)look->rgba[3], 0), 1);
  double colour[4] = {cr_gltf_linearise(look->rgba[0]), cr_gltf_linearise(look->rgba[1]),
                      cr_gltf_linearise(look->rgba[2]), alpha};
  json_t *material = json_object(), *surface = json_object();
  cr_gltf_set(g, surface, "baseColorFactor", cr_gltf_make_numbers(colour, 4));
  cr_gltf_set(g, surface, "metallicFactor", json_integer(0));
  cr_gltf_set(g, surface, "roughnessFactor", json_real(0.625));
  cr_gltf_set(g, material, "pbrMetallicRoughness", surface);
  if (alpha < 1) cr_gltf_set(g, material, "alphaMode", json_string("BLEND"));
  if (look->is_plane) cr_gltf_set(g, material, "doubleSided", json_true());
  return material;
}

static bool has_look(const cr_gltf_material* a, const cr_gltf_material* b) {
  bool same = a->is_plane == b->is_plane;
  for (int k = 0; k < 4; k++) same = same && a->rgba[k] == b->rgba[k];
  return same;
}

static int find_look(cr_gltf* g, const carom_geom_info* geom) {
  cr_gltf_material key = {.is_plane = geom->type == CAROM_GEOM_PLANE};
  memcpy(key.rgba, geom->rgba, sizeof key.rgba);
  for (int i = 0; i < g->num_looks; i++)
    if (has_look(&g->looks[i], &key)) return i;
  if (!reserve(g, (void**)&g->looks, g->num_looks, &g->looks_capacity, sizeof key)) return 0;
  cr_gltf_add(g, g->materials, make_material(g, &key));
  g->looks[g->num_looks] = key;
  return g->num_looks++;
}

/* --- Meshes -------------------------------------------------------------------------------------
 */

static json_t* make_mesh(cr_gltf* g, const cr_gltf_shape* shape, int material) {
  static const char* const NAMES[] = {"plane", "sphere",    "capsule", "cylinder",
                                      "box",   "ellipsoid", "mesh",    "height field"};
  json_t *mesh = json_object(), *primitive = json_object(), *attributes = json_object();
  json_t* primitives = json_array();
  cr_gltf_set(g, attributes, "POSITION", json_integer(shape->positions));
  cr_gltf_set(g, attributes, "NORMAL", json_integer(shape->normals));
  cr_gltf_set(g, primitive, "attributes", attributes);
  cr_gltf_set(g, primitive, "indices", json_integer(shape->indices));
  cr_gltf_set(g, primitive, "material", json_integer(material));
  cr_gltf_add(g, primitives, primitive);
  cr_gltf_set(g, mesh, "name", json_string(NAMES[shape->type]));
  cr_gltf_set(g, mesh, "primitives", primitives);
  return mesh;
}

int cr_gltf_add_mesh(cr_gltf* g, const carom_geom_info* geom) {
  if (geom->group >= CR_GLTF_FIRST_HIDDEN_GROUP || !(geom->rgba[3] > 0)) return -1;
  cr_gltf_mesh key = {find_shape(g, geom), find_look(g, geom)};
  if (g->has_failed) return -1;
  for (int i = 0; i < g->num_pairs; i++)
    if (g->pairs[i].shape == key.shape && g->pairs[i].material == key.material) return i;
  if (!reserve(g, (void**)&g->pairs, g->num_pairs, &g->pairs_capacity, sizeof key)) return -1;
  cr_gltf_add(g, g->meshes, make_mesh(g, &g->shapes[key.shape], key.material));
  g->pairs[g->num_pairs] = key;
  return g->num_pairs++;
}
