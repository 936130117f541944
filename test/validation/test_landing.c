/* Rigid bodies that fall on a rigid floor stay down: whatever the scheme and dt, the speed of a
 * rebound is at most a thousandth of the impact's. (A rigid contact without restitution; midpoint
 * rules without care throw bodies back with 40 to 50 %.) */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>

#define HEIGHT 0.1
#define G      9.81

typedef struct faller {
  const char* part; /* joint and geometry */
  double low;       /* m, of the body frame above its lowest point */
  double speed;     /* m/s, sideways */
} faller;

#define FREE(geom) "<freejoint name='free'/><geom " geom " friction='0.5'/>"

static const faller FALLERS[] = {
    {FREE("type='sphere' size='0.05'"), 0.05, 0},
    {FREE("type='sphere' size='0.05'"), 0.05, 1},
    {FREE("type='box' size='0.05 0.04 0.03'"), 0.03, 0},
    {FREE("type='capsule' size='0.04 0.06' euler='0 90 0'"), 0.04, 0},
    {FREE("type='cylinder' size='0.04 0.06'"), 0.06, 0},
    {FREE("type='cylinder' size='0.04 0.06' euler='90 0 0'"), 0.04, 0},
    /* The same on a slide that ends where the floor would be. */
    {"<joint type='slide' axis='0 0 1' range='-0.1 9' ref='0' limited='true'/>"
     "<geom size='0.05' contype='0' conaffinity='0'/>",
     0.05, 0},
};
enum { NUM_FALLERS = sizeof FALLERS / sizeof FALLERS[0] };

static simulation drop(const faller* f, const carom_sim_def* def) {
  char text[512];
  const double v[6] = {f->speed, 0, 0, 0, 0, 0};
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='plane' size='9 9 1'/>"
           "<body pos='0 0 %.12g'>%s</body></worldbody></mujoco>",
           f->low + HEIGHT, f->part);
  simulation s = simulation_create(text, def);
  simulation_set(&s, NULL, v);
  return s;
}

/* Falls, lands and lies for twice as long. */
static void check_landing(const faller* f, const carom_sim_def* def) {
  double impact = sqrt(2 * G * HEIGHT), fall = impact / G, highest = 0;
  simulation s = drop(f, def);
  int up = carom_model_get_sizes(s.model).num_v == 6 ? 2 : 0;
  while (carom_sim_time(s.sim) < 3 * fall) {
    simulation_step(&s);
    highest = fmax(highest, s.v[up]);
  }
  check_near(s.v[up], 0, 1e-3 * impact);
  if (highest > 1e-3 * impact)
    fail_msg("%s, scheme %d, dt %g: rebounds with %g of the speed", f->part, (int)def->scheme,
             def->dt, highest / impact);
  simulation_destroy(&s);
}

static void test_landings(void** state) {
  (void)state;
  for (int i = 0; i < NUM_FALLERS; i++)
    for (int k = 0; k < NUM_SCHEMES; k++)
      for (double dt = 1e-3; dt < 20.5e-3; dt += 1e-3) {
        carom_sim_def def = simulation_def(SCHEMES[k].scheme, dt);
        check_landing(&FALLERS[i], &def);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_landings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
