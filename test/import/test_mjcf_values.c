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
  memcpy(carom_sim_controls(sim), x->ctrl, sizeof(double) * (size_t)sizes.num_controls);
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

/* A hinge, a slide and a ball joint in a row, with sites and a tendon. */
#define ARM(rest)                                                                        \
  "<mujoco><worldbody><body><joint name='h' axis='0 1 0' armature='.1'/><geom "          \
  "size='.1' pos='.3 0 0' mass='2'/><site name='r' pos='.1 0 0'/><body pos='.5 0 "       \
  "0'><joint name='s' type='slide' axis='0 .6 .8'/><geom size='.1' mass='1' pos='.1 .2 " \
  "0'/><body pos='.1 0 0'><joint name='b' type='ball'/><geom size='.1' pos='.2 0 .1' "   \
  "mass='.5'/><site name='e' pos='.3 0 0' euler='10 20 "                                 \
  "30'/></body></body></body></worldbody><tendon><fixed name='t'><joint joint='h' "      \
  "coef='1'/><joint joint='s' coef='-2'/></fixed></tendon>" rest

/* Controllers on a hinge, a tendon, a site that turns, a ball joint and a slide; setpoints beyond
 * half a turn count on the circle. */
static const char PIDS[] =
    ARM("<actuator><pid name='p' joint='h' kp='30' kv='2' ki='5' imax='.3' slewmax='4' "
        "input='pos vel ff' posrange='-1 1' velrange='-2 2' ffrange='-3 3' forcerange='-20 "
        "25'/><pid tendon='t' kp='9' kv='.5' ki='2' gear='-1.5'/><pid site='e' refsite='r' "
        "gear='0 0 0 0 .8 .6' kp='3' kv='.1' ki='1' input='pos'/><pid joint='b' gear='0 0 1' "
        "kp='2' input='pos ff'/><pid joint='s' kp='7' kv='1' input='vel'/><general joint='s' "
        "gaintype='pid' biastype='affine' biasprm='.5 -5 -1' gainprm='3' dyntype='pid' "
        "dynprm='.2 .1' actearly='true'/></actuator><sensor><actuatorfrc "
        "actuator='p'/></sensor></mujoco>");

static const values PIDS_VALUES[] = {
    {{-0.524, 0.088, 1.0, 0.0, 0.0, 0.0},
     {-0.52, 0.416, 0.503, -1.738, -1.947},
     {2.7, -1.925, -2.125, 3.965, -0.238, 2.692, -0.189, 1.113, -2.795, 1.079, 2.944},
     {0.019, 0.193, 0.137, -0.349, 0.207, 0.073},
     {0.0, 0.0, 0.0, 0.0, 0.0},
     {-25.504000000000005, 76.14471520000002, -3.4909917266705174e-16, 5.031049292603783,
      4.508286969452838},
     {8.460673536699792, 70.75727630007073, 912.8681906024555, 391.6269160994953,
      426.1206635215071},
     {4.0, 0.551, 2.915, 2.127317205251577, 0.10000000000000286, 0.1192},
     {12.560000000000002}},
    {{-0.397, -0.938, 0.8, 0.6, 0.0, 0.0},
     {1.462, -0.109, 0.875, 1.515, 0.857},
     {3.369, -0.84, 2.407, -0.443, 3.485, 3.031, -3.22, -2.912, -2.264, 3.724, -0.511},
     {0.101, -0.159, 0.006, -0.091, -0.119, 0.068},
     {0.0, 0.0, 0.0, 0.0, 0.0},
     {-16.30299999999999, 65.79591519999998, 4.41637585479517e-16, 6.364668369274749,
      -1.5591306625968882},
     {14.781554725375555, 57.96514847148927, -187.1351957108405, 175.02154058361816,
      -395.7007659804012},
     {4.0000000000000036, 0.506, 1.7754999999999996, 2.705538487197811, 0.10000000000000286,
      0.8191999999999999},
     {12.188000000000002}},
    {{0.169, 0.808, 0.48, 0.64, 0.6, 0.0},
     {0.728, 1.716, 1.426, 1.964, 0.685},
     {-2.695, 2.885, 3.717, 3.238, 0.553, 1.711, -2.311, 2.653, 0.588, -1.72, -3.492},
     {0.283, 0.392, -0.329, 0.24, -0.072, -0.279},
     {0.0, 0.0, 0.0, 0.0, 0.0},
     {-0.11299999999999777, 4.86399999999999, 0.433479311656657, 0.8277390665443778,
      -3.2833711985589344},
     {15.188960785287584, 9.662160703797438, -417.442840426763, 14.831475898279802,
      -390.1663908402012},
     {-4.0000000000000036, 0.0, 1.0675, 0.4853183602408937, -0.10000000000000286, 0.0},
     {10.683999999999997}},
    {{-0.412, 0.538, 0.36, -0.48, 0.8, 0.0},
     {1.491, -1.823, 0.458, -1.82, 0.874},
     {-1.352, 3.047, 3.845, 0.043, 3.988, -1.523, -3.384, 0.798, -3.749, -2.421, -0.737},
     {0.088, -0.275, -0.366, 0.294, -0.149, 0.367},
     {0.0, 0.0, 0.0, 0.0, 0.0},
     {39.282375, -50.203873200000004, -8.666191862503702, 2.022111434584199, 5.079787038421024},
     {34.383289666369215, -24.21481897465711, -2577.8049086313345, 104.07128132825699,
      -934.7554642036735},
     {-4.0000000000000036, 0.492, -2.189, 2.8779546633693416, -0.10000000000000286, -0.6872},
     {17.403}},
};

/* Motors: plain, with inductance, with all they may have, on a tendon with a controller and a
 * shaft, passive, warm. */
static const char MOTORS[] =
    ARM("<actuator><dcmotor name='m' joint='h' motorconst='.5' resistance='2' "
        "gear='3'/><dcmotor joint='h' motorconst='.5 .2' nominal='12 3 100' inductance='.01' "
        "saturation='.8'/><dcmotor joint='s' motorconst='.5' resistance='2' saturation='0 3 "
        "70' inductance='0 .02' thermal='2 0 4 .004 20 25' lugre='10 .1 .1 .2 .3' "
        "cogging='.1 7 .2' controller='40 2 3 4 .5 6' input='pos vel'/><dcmotor tendon='t' "
        "nominal='12 3 100' damping='.01' armature='.002' gear='2' controller='5 0 .1' "
        "input='vel ff voltage' ctrlrange='-2 2'/><dcmotor joint='h' motorconst='0' "
        "resistance='2' input='none' lugre='50 .5 .3 .5 .1' cogging='.2 5 1'/><dcmotor "
        "joint='b' gear='0 1 0' motorconst='.3' resistance='1' thermal='2 3 0 .01 20 "
        "25'/></actuator><sensor><actuatorfrc actuator='m'/></sensor></mujoco>");

static const values MOTORS_VALUES[] = {
    {{0.793, -0.244, 1.0, 0.0, 0.0, 0.0},
     {-0.158, 0.08, 0.576, 0.383, 0.237},
     {1.201, 4.406, 0.07, -0.688, 2.203, -2.624, -1.989, 4.778},
     {0.002, 0.004, -0.039, -0.007, 0.006, -0.038, 0.009, 0.011},
     {0.01272, -0.02544, 0.0, 0.0, 0.0},
     {-29.21163343778233, 60.05689620891576, 0.0, 1.3321747245526656, 0.0},
     {7.871885845589226, 56.20640627700116, 62.54688353000119, 231.85343671443613,
      -125.10988306000253},
     {445.3434164902526, 4.0, 0.256, 0.0032228395680000002, 0.055147026078884887, 70.0,
      -0.38266143845865697, 6.900459953401707},
     {0.35950000000000004}},
    {{-0.88, 0.255, 0.8, 0.6, 0.0, 0.0},
     {-0.135, 0.717, -0.59, 0.828, 0.952},
     {-4.778, -4.394, 1.76, 4.633, -2.489, -0.437, 0.927, -1.8},
     {-0.011, -0.015, -0.01, 0.008, -0.016, -0.01, 0.022, -0.038},
     {0.06276, -0.12552, 0.0, 0.0, 0.0},
     {23.181659280679273, -55.107084499438265, 0.0, -0.5854690268859205, 0.0},
     {2.49008233199278, -53.540900203206036, -84.22611328485914, 37.739810128214124,
      171.15159640843225},
     {-433.73952298829863, 4.0, -0.262, -0.0018979968, 1.8604201693822637, 70.0,
      -0.5818527504144049, 1.3388608385256886},
     {-1.143875}},
    {{0.139, 0.47, 0.48, 0.64, 0.6, 0.0},
     {-0.76, -1.11, 1.215, -1.045, -1.25},
     {-0.648, 1.981, -3.982, -1.78, -1.662, 3.335, -0.616, 3.555},
     {-0.026, -0.013, 0.012, 0.031, -0.004, -0.022, -0.03, 0.002},
     {-0.05840000000000001, 0.11680000000000001, 0.0, 0.0, 0.0},
     {19.460802308541076, -37.596353884825085, 0.0, 1.105264661625493, 0.0},
     {10.825762565260334, -38.314856026916694, -42.95169551929316, 155.6755700255866,
      73.8300389784416},
     {225.42207898385482, -3.999999999999999, -0.491, -0.007256259984, -0.666000503374279, -70.0,
      3.04, 4.75046260388691},
     {0.12300000000000003}},
    {{-0.618, 0.614, 0.36, -0.48, 0.8, 0.0},
     {1.354, -1.266, -0.886, 1.229, 0.568},
     {3.063, -1.547, -3.703, -2.081, 2.939, -2.288, -1.536, -0.831},
     {-0.006, -0.007, 0.034, -0.028, -0.04, 0.035, 0.03, 0.039},
     {-0.15544, 0.31088, 0.0, 0.0, 0.0},
     {32.69411201549456, -62.12182445516236, 0.0, -0.34264416074029647, 0.0},
     {10.414466648530082, -41.5546938695976, -6.918617963159848, -15.160294923671119,
      27.186606842330256},
     {-196.75829288023945, -4.0, -0.629, 0.0082493628, 3.7979999065877497, -70.0, -5.416,
      0.45024466626681514},
     {0.258}},
};

/* Inertia and damping of shafts, at the square of their gears. */
static const char SHAFTS[] =
    ARM("<actuator><motor joint='h' gear='3' armature='.01' damping='.1 .2'/><motor "
        "joint='h' gear='2' armature='.02'/><motor tendon='t' gear='.5' armature='.1' "
        "damping='.3 0 .1'/><position joint='b' gear='2 1 0' armature='.01' damping='.02' "
        "kp='3'/></actuator></mujoco>");

static const values SHAFTS_VALUES[] = {
    {{-0.131, 0.9, 1.0, 0.0, 0.0, 0.0},
     {1.71, -1.112, 0.982, 1.347, 0.652},
     {0.038, -0.422, -0.318, -0.545},
     {0.0},
     {-8.6195296126, 3.634299225200001, -0.07856, -0.10776, -0.052160000000000005},
     {-0.889, 0.318, -3.2700000000000005, -1.6350000000000002, 0.0},
     {4.28364185105636, -2.990491079761595, -75.076409566631, -23.385722238066162,
      -10.570543723880863},
     {0.0},
     {0.0}},
    {{-0.864, 0.177, 0.8, 0.6, 0.0, 0.0},
     {-0.852, 1.241, -1.82, 1.614, 0.775},
     {0.848, 0.793, 0.799, 0.154},
     {0.0},
     {3.2499587926, -2.3530631852, 0.1456, -0.12912, -0.062000000000000006},
     {4.5295, -0.799, -14.520026611038826, -7.260013305519413, 0.0},
     {27.54894691270662, 3.0927097644551402, -325.9714817051588, -126.3629193582547,
      -32.60634273456938},
     {0.0},
     {0.0}},
    {{-0.974, 0.491, 0.48, 0.64, 0.6, 0.0},
     {-1.313, -0.8, 0.652, 0.1, -0.345},
     {0.878, 0.224, -0.317, -0.495},
     {0.0},
     {4.2627282024249995, 0.04423199515000002, -0.052160000000000005, -0.008, 0.0276},
     {2.9234999999999998, 0.317, -30.489961279218264, -15.244980639609132, 0.0},
     {12.727917660463495, 6.524582332967646, -665.5652006562518, -226.4657066731776,
      -123.16044279277916},
     {0.0},
     {0.0}},
    {{0.723, -0.046, 0.36, -0.48, 0.8, 0.0},
     {1.129, -0.593, -1.211, 0.139, 1.267},
     {-0.657, 0.583, 0.844, 0.612},
     {0.0},
     {-3.794243946875, 0.9675802937499999, 0.09688000000000001, -0.011120000000000001,
      -0.10135999999999999},
     {-0.3830000000000002, -0.844, 6.146783098974942, 3.073391549487471, 0.0},
     {6.684290156023199, -2.3583742946531316, 141.9609143460651, 31.275713856304908,
      11.263374997197072},
     {0.0},
     {0.0}},
};

/* The plugin has its integral at the end of the step, and first among its states. */
static const char PLUGIN[] =
    "<mujoco><extension><plugin plugin='mujoco.pid'><instance name='one'><config key='kp' "
    "value='40'/>"
    "<config key='ki' value='8'/><config key='kd' value='3'/><config key='imax' value='4'/><config "
    "key='slewmax' value='2'/></instance></plugin></extension><worldbody><body><joint name='h' "
    "axis='0 1 0'/><geom size='.1' pos='.3 0 0' mass='2'/></body></worldbody><actuator><plugin "
    "joint='h' plugin='mujoco.pid' instance='one' actdim='2' ctrlrange='-1 1'/><plugin joint='h' "
    "plugin='mujoco.pid' forcerange='-3 3' gear='2'><config key='kp' "
    "value='4'/></plugin></actuator>"
    "</mujoco>";

static const values PLUGIN_VALUES[] = {
    {{0.3},
     {0.5},
     {2.0, -0.5},
     {0.1, 0.3},
     {0.0},
     {-6.539936},
     {-4.876730984078105},
     {0.0039999999999970615, 2.0000000000000018},
     {0.0}},
    {{-0.3},
     {1.5},
     {-0.2, 3.0},
     {0.6, -0.2},
     {0.0},
     {9.5},
     {80.44207752656021},
     {-49.999999999999986, 0.0},
     {0.0}},
};

static void test_controllers(void** state) {
  (void)state;
  CHECK(PIDS, PIDS_VALUES);
}

static void test_motors(void** state) {
  (void)state;
  CHECK(MOTORS, MOTORS_VALUES);
}

static void test_shafts(void** state) {
  (void)state;
  CHECK(SHAFTS, SHAFTS_VALUES);
}

static void test_plugin(void** state) {
  (void)state;
  CHECK(PLUGIN, PLUGIN_VALUES);
}

/* Damping in units of the critical: biasprm[2] of servos on a site that turns, a ball joint, a
 * slider-crank and a free site, of one that nothing moves (0), and of a controller on a tendon. */
static void test_damping_ratios(void** state) {
  (void)state;
  static const char RATIOS[] =
      ARM("<actuator><position site='e' refsite='r' gear='0 0 0 0 .6 .8' kp='5' dampratio='1'/>"
          "<position joint='b' gear='0 .6 .8' kp='5' dampratio='1'/><position cranksite='e' "
          "slidersite='r' cranklength='2' kp='5' dampratio='1'/><position site='e' gear='1' kp='5' "
          "dampratio='1'/><position site='e' refsite='r' gear='1' kp='5' dampratio='1'/><pid "
          "tendon='t' "
          "kp='5' dampratio='1'/></actuator></mujoco>");
  static const double EXPECTED[] = {
      -0.4364794732528527, -0.4364794732528527, -1.9392345104233941, -2.3596703477842325, 0,
      -2.3411692892106903};
  carom_model* model = scene_load(RATIOS);
  for (int a = 0; a < 6; a++) check_near(model->force.actuator_bias[3 * a + 2], EXPECTED[a], 1e-12);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_weight_borne_by_actuators),
      cmocka_unit_test(test_controllers),
      cmocka_unit_test(test_motors),
      cmocka_unit_test(test_shafts),
      cmocka_unit_test(test_plugin),
      cmocka_unit_test(test_damping_ratios),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
