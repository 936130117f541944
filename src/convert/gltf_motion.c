/* Poses of bodies as an animation of glTF: linear between the frames; of a quaternion and its
 * opposite, which turn alike, the one that is nearer to the frame before. What does not change has
 * no channel. */
#include "convert/gltf.h"

#include <math.h>

static size_t count_numbers(const cr_gltf* g, size_t components) {
  return (size_t)g->job->info.num_bodies * (size_t)g->motion.capacity * components;
}

/* --- Reading ------------------------------------------------------------------------------------
 */

static void store_pose(cr_gltf_motion* m, int body, const double* pose) {
  size_t at = (size_t)body * (size_t)m->capacity + (size_t)m->count;
  float *place = m->translations + 3 * at, *turn = m->rotations + 4 * at;
  const double quaternion[4] = {pose[4], pose[5], pose[6], pose[3]};
  double product = 0;
  for (int k = 0; k < 4 && m->count > 0; k++) product += (double)turn[k - 4] * quaternion[k];
  for (int k = 0; k < 3; k++) place[k] = (float)pose[k];
  for (int k = 0; k < 4; k++) turn[k] = (float)(product < 0 ? -quaternion[k] : quaternion[k]);
}

/* JSON has no numbers that are not finite. */
static carom_status check_frame(const cr_gltf* g, const carom_frame* frame, carom_error* error) {
  bool is_finite = isfinite(frame->time);
  for (int i = 0; i < 7 * g->job->info.num_bodies; i++)
    is_finite = is_finite && isfinite(frame->poses[i]);
  if (is_finite) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                      "the frame at %g s holds a pose that is not finite", frame->time);
}

/* Times must ascend also as floats: a frame that is too near to the one before is left out. */
static carom_status visit(void* gltf, const carom_frame* frame, int number, carom_error* error) {
  cr_gltf* g = gltf;
  cr_gltf_motion* m = &g->motion;
  CR_TRY(check_frame(g, frame, error));
  if (number == 0) m->start = frame->time;
  float time = (float)(frame->time - m->start);
  if (m->count > 0 && !(time > m->times[m->count - 1])) return CAROM_OK;
  m->times[m->count] = time;
  for (int body = 0; body < g->job->info.num_bodies; body++)
    store_pose(m, body, frame->poses + 7 * body);
  m->count++;
  return cr_gltf_softs_take(g, frame, number, time, error);
}

carom_status cr_gltf_motion_read(cr_gltf* g, carom_error* error) {
  const carom_allocator* a = g->job->allocator;
  cr_gltf_motion* m = &g->motion;
  m->capacity = g->job->num_frames;
  m->times = cr_alloc(a, sizeof(float) * (size_t)m->capacity);
  m->translations = cr_alloc(a, sizeof(float) * count_numbers(g, 3));
  m->rotations = cr_alloc(a, sizeof(float) * count_numbers(g, 4));
  if (!m->times || !m->translations || !m->rotations) return cr_error_memory(error);
  return cr_convert_each_frame(g->job, visit, g, error);
}

void cr_gltf_motion_free(cr_gltf* g) {
  const carom_allocator* a = g->job->allocator;
  cr_release(a, g->motion.times, sizeof(float) * (size_t)g->motion.capacity);
  cr_release(a, g->motion.translations, sizeof(float) * count_numbers(g, 3));
  cr_release(a, g->motion.rotations, sizeof(float) * count_numbers(g, 4));
}

/* --- Animation ----------------------------------------------------------------------------------
 */

int cr_gltf_add_values(cr_gltf* g, const char* type, const float* values, int count,
                       int components) {
  json_t* accessor = cr_gltf_make_accessor(g, CR_GLTF_MOTION, type, count);
  cr_buffer_append(&g->views[CR_GLTF_MOTION], values,
                   sizeof *values * (size_t)count * (size_t)components);
  if (components == 1) {
    cr_gltf_set(g, accessor, "min", cr_gltf_make_floats(values, 1));
    cr_gltf_set(g, accessor, "max", cr_gltf_make_floats(values + count - 1, 1));
  }
  return cr_gltf_add(g, g->accessors, accessor);
}

/* The accessor of the times, which all samplers share. */
static int find_times(cr_gltf* g) {
  json_t* first = json_array_get(g->samplers, 0);
  if (first) return (int)json_integer_value(json_object_get(first, "input"));
  return cr_gltf_add_values(g, "SCALAR", g->motion.times, g->motion.count, 1);
}

static void add_channel(cr_gltf* g, int node, const char* path, const float* values,
                        int components) {
  json_t *sampler = json_object(), *channel = json_object(), *target = json_object();
  cr_gltf_set(g, sampler, "input", json_integer(find_times(g)));
  cr_gltf_set(g, sampler, "output",
              json_integer(cr_gltf_add_values(g, components == 3 ? "VEC3" : "VEC4", values,
                                              g->motion.count, components)));
  cr_gltf_set(g, sampler, "interpolation", json_string("LINEAR"));
  cr_gltf_set(g, target, "node", json_integer(node));
  cr_gltf_set(g, target, "path", json_string(path));
  cr_gltf_set(g, channel, "sampler", json_integer(cr_gltf_add(g, g->samplers, sampler)));
  cr_gltf_set(g, channel, "target", target);
  cr_gltf_add(g, g->channels, channel);
}

static void animate(cr_gltf* g, json_t* node, int node_index, const char* path, const float* values,
                    int components) {
  bool changes = false;
  for (int i = components; i < components * g->motion.count && !changes; i++)
    changes = values[i] != values[i - components];
  cr_gltf_set(g, node, path, cr_gltf_make_floats(values, components));
  if (changes) add_channel(g, node_index, path, values, components);
}

void cr_gltf_animate(cr_gltf* g, json_t* node, int body, int node_index) {
  size_t at = (size_t)body * (size_t)g->motion.capacity;
  animate(g, node, node_index, "translation", g->motion.translations + 3 * at, 3);
  animate(g, node, node_index, "rotation", g->motion.rotations + 4 * at, 4);
}
