/* The problem of the next step: it is the one that the step solves, and asking for it changes
 * nothing. */
#include "support/simulation.h"

#include "carom/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A box on the ground and a hinge at its limit with dry friction. */
static const char SCENE[] =
    "<mujoco model='scene'><worldbody><geom type='plane' size='1 1 1'/>"
    "<body name='box' pos='0 0 0.1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "<body name='arm' pos='2 0 1'><joint name='elbow' axis='0 1 0' limited='true' range='-10 10' "
    "frictionloss='0.1'/><geom type='capsule' size='.05 .2'/></body></worldbody></mujoco>";

static carom_problem* compute(simulation* s) {
  carom_error error;
  carom_problem* p;
  check_ok(carom_sim_compute_problem(s->sim, &p, &error), &error);
  return p;
}

static void* save(simulation* s, size_t* size) {
  *size = carom_sim_state_size(s->sim);
  void* state = malloc(*size);
  carom_sim_save(s->sim, state);
  return state;
}

/* Midpoint: the box's velocities in the problem are those of the step's end. */
static void test_is_that_of_the_step(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_IMPLICIT, 0.005);
  def.tolerance = 1e-10;
  simulation s = simulation_create(SCENE, &def);
  const double push[7] = {0.3, 0.1, 0, 0, 0, 0, 0};
  simulation_set(&s, NULL, push);
  for (int i = 0; i < 5; i++) {
    carom_problem* p = compute(&s);
    assert_non_null(p);
    assert_string_equal(carom_problem_get_name(p), "scene");
    assert_true(carom_problem_get_dt(p) == 0.005);
    assert_true((carom_problem_get_guess(p) != NULL) == (i > 0));
    carom_error error;
    carom_solution* solution;
    carom_solve_def how = carom_solve_def_default();
    how.friction = CAROM_FRICTION_COULOMB, how.tolerance = 1e-10;
    check_ok(carom_problem_solve(p, &how, &solution, &error), &error);
    simulation_step(&s);
    assert_int_equal(carom_problem_get_sizes(p).num_contacts, s.report.contacts);
    assert_int_equal(carom_problem_get_sizes(p).num_constraints, s.report.constraints);
    /* The box moves without turning: its largest velocity is that of its origin. */
    double most = 0;
    const double* v = carom_solution_get_v(solution);
    for (int k = 0; k < carom_problem_get_sizes(p).num_unknowns; k++) most = fmax(most, v[k]);
    check_near(most, s.v[0], 1e-7);
    carom_solution_destroy(solution);
    carom_problem_destroy(p);
  }
  simulation_destroy(&s);
}

static void test_changes_nothing(void** state) {
  (void)state;
  simulation s = simulation_create(SCENE, NULL);
  for (int i = 0; i < 3; i++) simulation_step(&s);
  size_t size, again;
  void* before = save(&s, &size);
  carom_problem_destroy(compute(&s));
  void* after = save(&s, &again);
  assert_int_equal(size, again);
  assert_memory_equal(before, after, size);
  free(before), free(after);
  simulation_destroy(&s);
}

static void test_nothing_constrains(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>", NULL);
  assert_null(compute(&s));
  simulation_destroy(&s);
}

static void test_bad_controls(void** state) {
  (void)state;
  carom_error error;
  carom_problem* p;
  simulation s = simulation_create(
      "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody>"
      "<actuator><motor joint='j'/></actuator></mujoco>",
      NULL);
  carom_sim_controls(s.sim)[0] = NAN;
  assert_int_equal(carom_sim_compute_problem(s.sim, &p, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_null(p);
  assert_int_equal(carom_sim_compute_problem(NULL, &p, &error), CAROM_ERROR_INVALID_ARGUMENT);
  simulation_destroy(&s);
}

/* Constraints in the order of the problem: with as many rows as what they stand for has, contacts
 * at places and along normals that the next step's have, and with Jacobians of those. */
static void test_origins(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 0.005);
  def.sleep_share = 0;
  simulation s = simulation_create(
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
      "<body name='box' pos='0 0 0.1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
      "<body pos='2 0 1'><joint name='elbow' axis='0 1 0' range='-10 10' frictionloss='0.1'/>"
      "<geom type='capsule' size='.05 .2' pos='.1 0 0'/></body>"
      "<body name='bob' pos='4 0 1'><freejoint/><geom size='.1'/></body></worldbody>"
      "<actuator><position joint='elbow' kp='30' forcerange='-1 1'/></actuator>"
      "<equality><connect body1='bob' anchor='0 0 .1'/></equality></mujoco>",
      &def);
  simulation_run_until(&s, 0.2);
  int count, num_contacts, seen[8] = {0}, found = 0;
  carom_problem* p = compute(&s);
  const carom_constraint_origin* origin = carom_sim_get_problem_origins(s.sim, &count);
  carom_problem_sizes sizes = carom_problem_get_sizes(p);
  assert_int_equal(count, sizes.num_constraints);
  simulation_step(&s);
  const carom_contact* contact = carom_sim_contacts(s.sim, &num_contacts);
  for (int i = 0; i < count; i++) {
    carom_constraint_info info = carom_problem_get_constraint(p, i);
    seen[origin[i].kind]++;
    bool is_contact = origin[i].kind == CAROM_ORIGIN_CONTACT;
    assert_int_equal(info.num_rows, is_contact ? 3 : 1);
    assert_int_equal(info.kind == CAROM_CONSTRAINT_CONTACT, is_contact);
    if (origin[i].kind == CAROM_ORIGIN_EQUALITY) assert_in_range(origin[i].row, 0, 2);
    for (int k = 0; is_contact && k < num_contacts; k++)
      found += memcmp(contact[k].position, origin[i].position, sizeof origin[i].position) == 0 &&
               memcmp(contact[k].normal, origin[i].normal, sizeof origin[i].normal) == 0 &&
               contact[k].geom1 == origin[i].geoms[0] && contact[k].geom2 == origin[i].geoms[1];
  }
  assert_int_equal(num_contacts, 7); /* four corners, and three points within */
  assert_int_equal(seen[CAROM_ORIGIN_CONTACT], num_contacts);
  assert_int_equal(found, num_contacts);
  assert_int_equal(seen[CAROM_ORIGIN_JOINT_LIMIT], 1);
  assert_int_equal(seen[CAROM_ORIGIN_EQUALITY], 3);
  assert_int_equal(seen[CAROM_ORIGIN_JOINT_FRICTION], 1);
  assert_int_equal(seen[CAROM_ORIGIN_ACTUATOR], 1);
  carom_problem_destroy(p);
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_is_that_of_the_step), cmocka_unit_test(test_changes_nothing),
      cmocka_unit_test(test_nothing_constrains), cmocka_unit_test(test_origins),
      cmocka_unit_test(test_bad_controls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
