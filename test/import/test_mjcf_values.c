/* Forces, accelerations, rates of activations and readings of MJCF's actuators at given states,
 * beside MuJoCo 4.0.0. */
#include "support/scene.h"

#include "carom/dynamics.h"
#include "carom/sim.h"

#include <string.h>

enum { MOST = 16 };

/* A state of a scene, and what MuJoCo has there: qfrc_passive, qfrc_actuator, qacc, act_dot,
 * sensordata. */
typedef struct values {
  double q[MOST], v[MOST], ctrl[MOST], act[MOST];
  double passive[MOST], actuation[MOST], a[MOST], rates[MOST], readings[MOST];
} values;

static void check_values(carom_dynamics* d, carom_model_sizes sizes, const values* x) {
  carom_error error;
  double got[MOST];
  check_ok(carom_dynamics_set(d, x->q, x->v, x->ctrl, &error), &error);
  check_ok(carom_dynamics_set_activations(d, x->act, &error), &error);
  carom_dynamics_compute_passive(d, got);
  check_near_array(got, x->passive, sizes.num_v, 1e-11);
  carom_dynamics_compute_actuation(d, got);
  check_near_array(got, x->actuation, sizes.num_v, 1e-10);
  check_ok(carom_dynamics_compute_forward(d, NULL, true, got, &error), &error);
  check_near_array(got, x->a, sizes.num_v, 1e-8);
  carom_dynamics_compute_activation_rates(d, got);
  check_near_array(got, x->rates, sizes.num_activations, 1e-10);
  check_ok(carom_dynamics_compute_sensors(d, got, &error), &error);
  check_near_array(got, x->readings, sizes.num_readings, 1e-8);
}

/* An explicit step accelerates so too: a difference of velocities over dt. */
static void check_step(carom_sim* sim, carom_model_sizes sizes, const values* x) {
  carom_error error;
  carom_step_report report;
  double got[MOST];
  check_ok(carom_sim_set_state(sim, 0, x->q, x->v, &error), &error);
  memcpy(carom_sim_controls(sim), x->ctrl, sizeof(double) * (size_t)sizes.num_actuators);
  memcpy(carom_sim_activations(sim), x->act, sizeof(double) * (size_t)sizes.num_activations);
  check_ok(carom_sim_compute_acceleration(sim, got, &report, &error), &error);
  check_near_array(got, x->a, sizes.num_v, 1e-8);
}

static void check_scene(const char* text, const values* cases, size_t count) {
  carom_model* model = scene_load(text);
  carom_model_sizes sizes = carom_model_get_sizes(model);
  carom_sim_def def = carom_sim_def_default();
  carom_dynamics* d;
  carom_sim* sim;
  carom_error error;
  def.dt = 0.002, def.scheme = CAROM_EXPLICIT, def.disable_contacts = true;
  check_ok(carom_dynamics_create(model, NULL, &d, &error), &error);
  check_ok(carom_sim_create(model, &def, &sim, &error), &error);
  for (size_t i = 0; i < count; i++) {
    check_values(d, sizes, &cases[i]);
    check_step(sim, sizes, &cases[i]);
  }
  carom_sim_destroy(sim);
  carom_dynamics_destroy(d);
  carom_model_destroy(model);
}

#define CHECK(text, cases) check_scene((text), (cases), sizeof(cases) / sizeof(cases)[0])

/* What bears weight counts among what actuators do, within the joint's bound: a hinge and a slide
 * on it beyond their bounds and within, a ball joint without one. */
static const char WEIGHT[] =
    "<mujoco><worldbody><body gravcomp='.7'><joint name='h' axis='0 1 0' actuatorgravcomp='true' "
    "actuatorfrcrange='-3 4'/><geom size='.1' pos='.3 0 0' mass='2'/><body pos='.5 0 0' "
    "gravcomp='1'><joint name='s' type='slide' axis='0 .6 .8' actuatorfrcrange='-20 5' "
    "actuatorgravcomp='true'/><geom size='.1' mass='1' pos='.1 .2 0'/><body pos='.1 0 0' "
    "gravcomp='.4'><joint type='ball' actuatorgravcomp='true' damping='.1'/><geom size='.1' "
    "pos='.2 0 .1' mass='.5'/></body></body></body></worldbody><actuator><motor joint='h'/>"
    "<motor joint='s' gear='2'/></actuator><sensor><jointactuatorfrc joint='h'/>"
    "<jointactuatorfrc joint='s'/></sensor></mujoco>";

static const values WEIGHTS[] = {
    {{0.3, 0.1, 1.0, 0.0, 0.0, 0.0},
     {0.1, 0.2, 0.3, -0.4, 0.5},
     {1.0, -2.0},
     {0.0},
     {0.0, 0.0, -0.03, 0.04000000000000001, -0.05},
     {-3.0, 4.996976919989308, 0.0, -0.4328551028798426, 0.0},
     {24.496921893180502, 8.088603366418853, -12.60525551879395, -32.97699883874641,
      -29.859488962412335},
     {0.0},
     {-3.0, 4.996976919989308}},
    {{0.3, 0.1, 0.8, 0.6, 0.0, 0.0},
     {0.1, 0.2, 0.3, -0.4, 0.5},
     {-9.0, -8.0},
     {0.0},
     {0.0, 0.0, -0.03, 0.04000000000000001, -0.05},
     {-3.0, -7.003023080010692, -0.17993953839978616, -0.16294579528016345, 0.3598790767995724},
     {6.947057430794775, -12.114955178313998, -39.940477361196486, 19.105626905909556,
      31.607329855955953},
     {0.0},
     {-3.0, -7.003023080010692}},
    {{1.3, -0.1, 0.8, 0.0, -0.6, 0.0},
     {-1.0, 0.2, 1.3, -0.4, 0.5},
     {3.0, -9.0},
     {0.0},
     {0.0, 0.0, -0.13, 0.04000000000000001, -0.05},
     {0.520977209575264, -15.480803031545085, 0.0, -0.39491694708301983, 0.0},
     {-17.522748111453865, -23.726070472869125, -88.88822645133598, 45.02161431412775,
      22.476452902672133},
     {0.0},
     {0.520977209575264, -15.480803031545085}},
};

static void test_weight_borne_by_actuators(void** state) {
  (void)state;
  CHECK(WEIGHT, WEIGHTS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_weight_borne_by_actuators),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
