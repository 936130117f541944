/* A batch and as many simulations side by side, which must have the same bits. */
#ifndef CR_TEST_BATCH_PAIRING_H
#define CR_TEST_BATCH_PAIRING_H

#include "support/scene.h"
#include "support/world.h"

#include "carom/batch.h"
#include "carom/parameter.h"
#include "carom/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORLDS = 13, STEPS = 60 };

/* A batch, and as many simulations as it has worlds. */
typedef struct pairing {
  carom_model* model;
  carom_batch* batch;
  carom_sim* sims[WORLDS];
  carom_model_sizes sizes;
} pairing;

static inline carom_sim_def make_def(int threads) {
  carom_sim_def def = world_def(0.004, CAROM_MIDPOINT);
  def.threads = threads;
  return def;
}

static inline carom_model* load(const char* text) {
  carom_model* model;
  carom_error error;
  check_ok(carom_model_load_string(text, strlen(text), "batch", NULL, &model, &error), &error);
  return model;
}

static inline pairing pair_up(const char* text, int threads) {
  carom_sim_def def = make_def(threads), alone = make_def(1);
  carom_error error;
  pairing p = {.model = load(text)};
  p.sizes = carom_model_get_sizes(p.model);
  check_ok(carom_batch_create(p.model, WORLDS, &def, &p.batch, &error), &error);
  for (int w = 0; w < WORLDS; w++)
    check_ok(carom_sim_create(p.model, &alone, &p.sims[w], &error), &error);
  return p;
}

static inline void part(pairing* p) {
  for (int w = 0; w < WORLDS; w++) carom_sim_destroy(p->sims[w]);
  carom_batch_destroy(p->batch);
  carom_model_destroy(p->model);
}

static inline double* row(double* rows, int w, int size) { return rows + (size_t)w * (size_t)size; }

/* Other controls for every world and step. */
static inline void control(pairing* p, int step) {
  for (int w = 0; w < WORLDS; w++)
    for (int a = 0; a < p->sizes.num_actuators; a++) {
      double u = sin(0.1 * step + 0.7 * w + a);
      row(carom_batch_controls(p->batch), w, p->sizes.num_actuators)[a] = u;
      carom_sim_controls(p->sims[w])[a] = u;
    }
}

/* Another velocity for every world, through the arrays and through carom_sim_set_state. */
static inline void push(pairing* p) {
  for (int w = 0; w < WORLDS; w++) {
    double* v = row(carom_batch_velocities(p->batch), w, p->sizes.num_v);
    for (int i = 0; i < p->sizes.num_v; i++) v[i] += 0.1 * sin(w + 2.0 * i);
    carom_sim* sim = p->sims[w];
    check_ok(carom_sim_set_state(sim, carom_sim_time(sim), NULL, v, NULL), &(carom_error){0});
  }
}

static inline void expect_same_world(pairing* p, int w) {
  int count, expected;
  const carom_contact* contacts = carom_batch_contacts(p->batch, w, &count);
  const carom_contact* of_sim = carom_sim_contacts(p->sims[w], &expected);
  assert_int_equal(count, expected);
  for (int i = 0; i < count; i++)
    assert_memory_equal(contacts[i].impulse, of_sim[i].impulse, sizeof of_sim[i].impulse);
  assert_memory_equal(row(carom_batch_coordinates(p->batch), w, p->sizes.num_q),
                      carom_sim_coordinates(p->sims[w]), sizeof(double) * (size_t)p->sizes.num_q);
  assert_memory_equal(row(carom_batch_velocities(p->batch), w, p->sizes.num_v),
                      carom_sim_velocities(p->sims[w]), sizeof(double) * (size_t)p->sizes.num_v);
  assert_true(carom_batch_times(p->batch)[w] == carom_sim_time(p->sims[w]));
}

static inline void expect_same_readings(pairing* p, int w) {
  double* readings = calloc((size_t)p->sizes.num_readings + 1, sizeof *readings);
  check_ok(carom_sim_compute_sensors(p->sims[w], readings, NULL), &(carom_error){0});
  assert_memory_equal(carom_batch_readings(p->batch) + (size_t)w * (size_t)p->sizes.num_readings,
                      readings, sizeof(double) * (size_t)p->sizes.num_readings);
  free(readings);
}

static const char* const DOLL =
    "<mujoco><worldbody><geom type='plane' size='0 0 1'/>"
    "<body pos='0 0 .4'><freejoint/><geom type='capsule' size='.1 .15'/><site name='s'/>"
    "<body pos='.1 0 -.2'><joint name='j' axis='0 1 0' range='-60 60' damping='.1'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 -.25' size='.04'/></body></body></worldbody>"
    "<actuator><motor joint='j' gear='5'/><general joint='j' dyntype='filter' dynprm='.1'/>"
    "</actuator><sensor><accelerometer site='s'/><jointpos joint='j'/></sensor>"
    "<keyframe><key name='low' qpos='0 0 .3 1 0 0 0 .2' act='.5' ctrl='.1 .2'/></keyframe>"
    "</mujoco>";

/* A copy of a model with another number. */
static inline carom_model* vary(const carom_model* model, const char* name, double value) {
  carom_builder* builder;
  carom_parameter parameter;
  carom_model* varied;
  carom_error error;
  check_ok(carom_builder_copy(carom_model_get_description(model), &builder, &error), &error);
  check_ok(carom_builder_find_parameter(builder, name, &parameter, &error), &error);
  check_ok(carom_builder_set_parameter(builder, &parameter, &value, &error), &error);
  check_ok(carom_builder_compile(builder, &varied, &error), &error);
  carom_builder_destroy(builder);
  return varied;
}

#endif
