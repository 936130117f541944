/* Soft bodies as meshes of glTF with morph targets: what positions, normals and colours differ by
 * from those of the first frame. Weights go linearly from one target to the next, so that nodes go
 * straight. Colours are those of von Mises' stress, up to the recording's range. */
#include "base/copy.h"
#include "convert/gltf.h"

#include "carom/soft.h"

#include <math.h>

enum { MOST_MOMENTS = 121, MOST_BYTES = 64 << 20 }; /* of all soft bodies */

static const char* const ATTRIBUTES[CR_GLTF_NUM_ATTRIBUTES] = {"POSITION", "NORMAL", "COLOR_0"};

/* --- Beginning ----------------------------------------------------------------------------------
 */

static bool list_vertices(cr_gltf* g, cr_gltf_soft* s) {
  size_t corners = 3 * (size_t)s->info.num_triangles;
  int* work = CR_PUSH(&g->arena, int, s->info.num_nodes);
  s->corners = CR_PUSH(&g->arena, int, corners);
  s->nodes = CR_PUSH(&g->arena, int, corners);
  s->stress = CR_PUSH(&g->arena, double, s->info.num_nodes);
  if (g->arena.failed) return false;
  s->num_vertices = carom_soft_list_vertices(&s->info, s->corners, s->nodes, work);
  s->normals = CR_PUSH(&g->arena, double, 3 * (size_t)s->num_vertices);
  s->first = CR_PUSH(&g->arena, cr_gltf_vertex, s->num_vertices);
  s->now = CR_PUSH(&g->arena, cr_gltf_vertex, s->num_vertices);
  return !g->arena.failed;
}

static void add_indices(cr_gltf* g, cr_gltf_soft* s) {
  enum { UINT32 = 5125 };
  int count = 3 * s->info.num_triangles;
  json_t* accessor = cr_gltf_make_accessor(g, CR_GLTF_INDICES, "SCALAR", count);
  cr_gltf_set(g, accessor, "componentType", json_integer(UINT32));
  for (int c = 0; c < count; c++) {
    unsigned char bytes[4];
    for (int k = 0; k < 4; k++) bytes[k] = (unsigned char)((unsigned)s->corners[c] >> 8 * k);
    cr_buffer_append(&g->views[CR_GLTF_INDICES], bytes, sizeof bytes);
  }
  s->indices = cr_gltf_add(g, g->accessors, accessor);
}

/* Every frame, or as many evenly spread ones as fit. */
static bool choose_moments(cr_gltf* g, size_t num_vertices) {
  int frames = g->job->num_frames;
  size_t each = sizeof(cr_gltf_vertex) * (num_vertices ? num_vertices : 1);
  size_t fits = MOST_BYTES / each;
  int most = fits < 2 ? 2 : fits < MOST_MOMENTS ? (int)fits : MOST_MOMENTS;
  g->moment_stride = frames <= most ? 1 : (frames - 2) / (most - 1) + 1;
  g->moments = CR_PUSH(&g->arena, float, frames / g->moment_stride + 2);
  return !g->arena.failed;
}

carom_status cr_gltf_softs_begin(cr_gltf* g, carom_error* error) {
  int count = g->job->info.num_softs;
  size_t num_vertices = 0;
  if (count == 0) return CAROM_OK;
  CR_TRY(carom_recording_compute_stress_range(g->job->recording, &g->most_stress, error));
  g->softs = CR_PUSH(&g->arena, cr_gltf_soft, count);
  for (int i = 0; g->softs && i < count; i++) {
    g->softs[i] = (cr_gltf_soft){.info = carom_recording_get_soft(g->job->recording, i),
                                 .targets = json_array()};
    g->num_softs++;
    if (!list_vertices(g, &g->softs[i])) return cr_error_memory(error);
    add_indices(g, &g->softs[i]);
    num_vertices += (size_t)g->softs[i].num_vertices;
  }
  return g->softs && choose_moments(g, num_vertices) ? CAROM_OK : cr_error_memory(error);
}

void cr_gltf_softs_free(cr_gltf* g) {
  for (int i = 0; i < g->num_softs; i++)
    json_decref(g->softs[i].targets), json_decref(g->softs[i].attributes);
}

/* --- Moments ------------------------------------------------------------------------------------
 */

static carom_status look(cr_gltf* g, int index, const carom_frame* frame, carom_error* error) {
  cr_gltf_soft* s = &g->softs[index];
  const double* x = frame->q + s->info.q_address;
  for (int i = 0; i < 3 * s->info.num_nodes; i++)
    if (!isfinite(x[i]))
      return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                          "the frame at %g s holds a node that is not finite", frame->time);
  CR_TRY(carom_recording_compute_soft_stress(g->job->recording, index, frame->q, NULL, s->stress,
                                             error));
  carom_soft_compute_normals(&s->info, s->corners, s->num_vertices, x, s->normals);
  for (int i = 0; i < s->num_vertices; i++) {
    float(*v)[3] = s->now[i].at, rgb[3];
    carom_soft_get_colour(s->stress[s->nodes[i]] / g->most_stress, rgb);
    for (size_t k = 0; k < 3; k++) {
      v[0][k] = (float)x[3 * (size_t)s->nodes[i] + k];
      v[1][k] = (float)s->normals[3 * (size_t)i + k];
      v[2][k] = (float)cr_gltf_linearise(rgb[k]);
    }
  }
  return CAROM_OK;
}

/* Appends an attribute of all vertices, less that of the first frame where it is of a target. */
static int add_attribute(cr_gltf* g, const cr_gltf_soft* s, int attribute, bool is_target) {
  float least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
  json_t* accessor = cr_gltf_make_accessor(g, CR_GLTF_VERTICES, "VEC3", s->num_vertices);
  for (int i = 0; i < s->num_vertices; i++) {
    float value[3];
    for (int k = 0; k < 3; k++) {
      value[k] = s->now[i].at[attribute][k] - (is_target ? s->first[i].at[attribute][k] : 0);
      least[k] = fminf(least[k], value[k]), most[k] = fmaxf(most[k], value[k]);
    }
    cr_buffer_append(&g->views[CR_GLTF_VERTICES], value, sizeof value);
  }
  if (attribute == 0) {
    cr_gltf_set(g, accessor, "min", cr_gltf_make_floats(least, 3));
    cr_gltf_set(g, accessor, "max", cr_gltf_make_floats(most, 3));
  }
  return cr_gltf_add(g, g->accessors, accessor);
}

static void add_moment(cr_gltf* g, cr_gltf_soft* s) {
  bool is_target = g->num_moments > 0;
  json_t* attributes = json_object();
  for (int k = 0; k < CR_GLTF_NUM_ATTRIBUTES; k++)
    cr_gltf_set(g, attributes, ATTRIBUTES[k], json_integer(add_attribute(g, s, k, is_target)));
  if (is_target)
    cr_gltf_add(g, s->targets, attributes);
  else
    s->attributes = attributes;
  if (!is_target) CR_COPY(s->first, s->now, s->num_vertices);
}

carom_status cr_gltf_softs_take(cr_gltf* g, const carom_frame* frame, int number, float time,
                                carom_error* error) {
  bool is_taken = number % (g->num_softs ? g->moment_stride : 1) == 0;
  if (g->num_softs == 0 || (!is_taken && number != g->job->num_frames - 1)) return CAROM_OK;
  for (int i = 0; i < g->num_softs; i++) CR_TRY(look(g, i, frame, error));
  for (int i = 0; i < g->num_softs; i++) add_moment(g, &g->softs[i]);
  g->moments[g->num_moments++] = time;
  return CAROM_OK;
}

/* --- Nodes --------------------------------------------------------------------------------------
 */

/* White, which the colours of the vertices dye. */
static int add_material(cr_gltf* g, const cr_gltf_soft* s) {
  float alpha = fminf(fmaxf(s->info.rgba[3], 0), 1);
  json_t* material =
      json_pack("{s:{s:[i,i,i,f],s:i,s:f}}", "pbrMetallicRoughness", "baseColorFactor", 1, 1, 1,
                (double)alpha, "metallicFactor", 0, "roughnessFactor", 0.625);
  if (alpha < 1) cr_gltf_set(g, material, "alphaMode", json_string("BLEND"));
  return cr_gltf_add(g, g->materials, material);
}

static int add_mesh(cr_gltf* g, const cr_gltf_soft* s) {
  json_t* primitive = json_pack("{s:O,s:i,s:i}", "attributes", s->attributes, "indices", s->indices,
                                "material", add_material(g, s));
  json_t *mesh = json_object(), *weights = json_array();
  for (int i = 1; i < g->num_moments; i++) json_array_append_new(weights, json_integer(0));
  if (g->num_moments > 1) {
    cr_gltf_set(g, primitive, "targets", json_incref(s->targets));
    cr_gltf_set(g, mesh, "weights", json_incref(weights));
  }
  json_decref(weights);
  cr_gltf_set(g, mesh, "name", json_string("soft body"));
  cr_gltf_set(g, mesh, "primitives", json_pack("[o]", primitive));
  return cr_gltf_add(g, g->meshes, mesh);
}

/* Weights of all moments: of the first none, of each other its own target alone. */
static int add_weights(cr_gltf* g) {
  int targets = g->num_moments - 1;
  json_t* accessor = cr_gltf_make_accessor(g, CR_GLTF_MOTION, "SCALAR", g->num_moments * targets);
  for (int moment = 0; moment < g->num_moments; moment++)
    for (int target = 1; target <= targets; target++) {
      float weight = moment == target ? 1 : 0;
      cr_buffer_append(&g->views[CR_GLTF_MOTION], &weight, sizeof weight);
    }
  return cr_gltf_add(g, g->accessors, accessor);
}

/* All soft bodies share times and weights. */
static void animate(cr_gltf* g, int node) {
  if (g->num_moments < 2) return;
  if (g->soft_sampler < 0) {
    int times = cr_gltf_add_values(g, "SCALAR", g->moments, g->num_moments, 1);
    json_t* sampler = json_pack("{s:i,s:i,s:s}", "input", times, "output", add_weights(g),
                                "interpolation", "LINEAR");
    g->soft_sampler = cr_gltf_add(g, g->samplers, sampler);
  }
  cr_gltf_add(g, g->channels,
              json_pack("{s:i,s:{s:i,s:s}}", "sampler", g->soft_sampler, "target", "node", node,
                        "path", "weights"));
}

int cr_gltf_softs_add(cr_gltf* g, int index) {
  const cr_gltf_soft* s = &g->softs[index];
  if (s->info.group >= CR_GLTF_FIRST_HIDDEN_GROUP || !(s->info.rgba[3] > 0) || !s->attributes)
    return -1;
  json_t* node = json_object();
  cr_gltf_name_node(g, node, s->info.name, "soft", index);
  cr_gltf_set(g, json_object_get(node, "extras"), "stress", json_real(g->most_stress));
  cr_gltf_set(g, node, "mesh", json_integer(add_mesh(g, s)));
  int added = cr_gltf_add(g, g->nodes, node);
  animate(g, added);
  return added;
}
