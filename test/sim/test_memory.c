/* Memory of simulations: a warm step takes none, any allocation may fail, and a step that fails for
 * want of memory leaves the state as it was. */
#include "support/memory.h"
#include "support/scene.h"
#include "support/world.h"

#include "carom/scene.h"

#include <stdlib.h>
#include <string.h>

/* --- Warm steps ---------------------------------------------------------------------------------
 */

/* Ways through a step that take memory of their own. */
static const struct way {
  carom_scheme scheme;
  carom_contact_timing contact;
  carom_friction friction;
  carom_solver solver;
  int relinearise;
} WAYS[] = {
    {CAROM_MIDPOINT, CAROM_CONTACT_IMPLICIT, CAROM_FRICTION_COULOMB, CAROM_SOLVER_NEWTON, 0},
    {CAROM_MIDPOINT, CAROM_CONTACT_SCHEME, CAROM_FRICTION_COULOMB, CAROM_SOLVER_NEWTON, 1},
    {CAROM_IMPLICIT, CAROM_CONTACT_IMPLICIT, CAROM_FRICTION_CONVEX, CAROM_SOLVER_NEWTON, 0},
    {CAROM_SYMPLECTIC, CAROM_CONTACT_IMPLICIT, CAROM_FRICTION_CONVEX, CAROM_SOLVER_PRIMAL, 0},
    {CAROM_EXPLICIT, CAROM_CONTACT_IMPLICIT, CAROM_FRICTION_LAGGED, CAROM_SOLVER_NEWTON, 0},
    {CAROM_MIDPOINT, CAROM_CONTACT_IMPLICIT, CAROM_FRICTION_ANCHORED, CAROM_SOLVER_NEWTON, 0},
    {CAROM_MIDPOINT, CAROM_CONTACT_IMPLICIT, CAROM_FRICTION_CONVEX, CAROM_SOLVER_PGS, 0},
    {CAROM_MIDPOINT, CAROM_CONTACT_IMPLICIT, CAROM_FRICTION_CONVEX, CAROM_SOLVER_APGD, 0},
    {CAROM_MIDPOINT, CAROM_CONTACT_IMPLICIT, CAROM_FRICTION_CONVEX, CAROM_SOLVER_IPM, 0},
};
enum { NUM_WAYS = sizeof WAYS / sizeof WAYS[0] };

static carom_sim_def def_of_way(const struct way* way, check_memory* memory) {
  carom_sim_def def = world_def(0.004, way->scheme);
  def.contact = way->contact;
  def.friction = way->friction;
  def.solver = way->solver;
  /* What the comparison solvers reach on every step of a pile. */
  if (way->solver > CAROM_SOLVER_PRIMAL) def.tolerance = 1e-3;
  def.relinearise = way->relinearise;
  def.allocator = check_memory_hooks(memory);
  return def;
}

/* Runs, goes back to the start and runs again: whatever the steps need is there the second time.
 * The two sets of analyses that take turns meet the other's steps in between. */
static void check_second_run(const char* text, const struct way* way, int steps) {
  check_memory memory = check_memory_make();
  carom_sim_def def = def_of_way(way, &memory);
  world w = world_create(text, &def);
  world_state start = world_save(&w);
  int largest = 0, smallest = 1000000;
  world_run(&w, steps);
  world_step(&w);
  world_restore(&w, &start);
  world_run(&w, steps);
  int warm = memory.num_allocations;
  world_restore(&w, &start);
  for (int i = 0; i < steps; i++) {
    int contacts = world_step(&w).contacts;
    largest = contacts > largest ? contacts : largest;
    smallest = contacts < smallest ? contacts : smallest;
  }
  assert_int_equal(memory.num_allocations, warm);
  assert_true(largest >= smallest + 5);
  free(start.bytes);
  world_destroy(&w);
  check_memory_expect_empty(&memory);
}

static void test_warm_machine(void** state) {
  (void)state;
  for (int i = 0; i < check_repeats(NUM_WAYS); i++) check_second_run(WORLD_MACHINE, &WAYS[i], 200);
}

static void test_warm_pile(void** state) {
  (void)state;
  char* pile = world_write_pile(16);
  for (int i = 0; i < check_repeats(NUM_WAYS); i++) check_second_run(pile, &WAYS[i], 120);
  free(pile);
}

/* Bodies whose inside has a pressure: cells and polygons are scratch. */
static void test_warm_fields(void** state) {
  (void)state;
  static const char SCENE[] =
      "<mujoco><default><geom carom:modulus='1e6'/></default><worldbody><geom type='plane' "
      "size='9 9 1' carom:layer='0.1'/><body pos='0 0 0.3'><freejoint/><geom type='box' "
      "size='0.1 0.08 0.05'/></body><body pos='0.05 0 0.5'><freejoint/><geom size='0.08'/></body>"
      "<body pos='0 0.05 0.8' euler='20 30 0'><freejoint/><geom type='cylinder' size='0.08 0.05'/>"
      "</body><body pos='0.3 0 0.2' euler='80 0 0'><freejoint/><geom type='capsule' "
      "size='0.05 0.1' carom:modulus='inf'/></body></worldbody></mujoco>";
  for (int i = 0; i < check_repeats(NUM_WAYS); i++) check_second_run(SCENE, &WAYS[i], 200);
}

/* What is read between steps takes nothing either, once it was read before. */
static void test_warm_queries(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_sim_def def = def_of_way(&WAYS[0], &memory);
  world w = world_create(WORLD_MACHINE, &def);
  double* poses = calloc((size_t)w.sizes.num_bodies, 7 * sizeof(double));
  world_run(&w, 100);
  for (int pass = 0, warm = 0; pass < 3; pass++) {
    const carom_contact* contacts;
    int count;
    if (pass == 1) warm = memory.num_allocations;
    carom_sim_compute_energy(w.sim);
    carom_sim_compute_poses(w.sim, poses);
    check_ok(carom_sim_compute_contacts(w.sim, &contacts, &count, NULL), &(carom_error){0});
    assert_true(count > 0);
    if (pass == 2) assert_int_equal(memory.num_allocations, warm);
  }
  free(poses);
  world_destroy(&w);
}

/* --- Failing allocations ------------------------------------------------------------------------
 */

enum { FIRST_STEPS = 3, MOST_ALLOCATIONS = 3000 };

/* The box of the machine put into the floor, so that the first step has contacts. */
static void sink_box(carom_sim* sim) {
  double q[64];
  int num_q = carom_model_get_sizes(carom_sim_model(sim)).num_q;
  assert_in_range(num_q, 8, 64);
  memcpy(q, carom_sim_coordinates(sim), sizeof(double) * (size_t)num_q);
  q[2] = 0.08;
  assert_int_equal(carom_sim_set_state(sim, 0, q, NULL, NULL), CAROM_OK);
}

/* Everything from the text to the first steps, through the hooks. */
static carom_status live(const carom_allocator* hooks, carom_error* error) {
  carom_load_def load = carom_load_def_default();
  carom_sim_def def = carom_sim_def_default();
  load.allocator = def.allocator = *hooks;
  carom_model* model = NULL;
  carom_sim* sim = NULL;
  carom_status status = carom_model_load_string(WORLD_MACHINE, strlen(WORLD_MACHINE), "machine",
                                                &load, &model, error);
  if (status == CAROM_OK) status = carom_sim_create(model, &def, &sim, error);
  assert_true((status == CAROM_OK) == (sim != NULL));
  if (sim) sink_box(sim);
  for (int i = 0; i < FIRST_STEPS && status == CAROM_OK; i++)
    status = carom_sim_step(sim, NULL, error);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return status;
}

/* Every allocation of a life fails in turn: the status says so, and nothing is lost. */
static void test_every_allocation_fails(void** state) {
  (void)state;
  carom_status status = CAROM_ERROR_OUT_OF_MEMORY;
  int i = 0;
  for (; status != CAROM_OK; i++) {
    check_memory memory = check_memory_make();
    carom_allocator hooks = check_memory_hooks(&memory);
    carom_error error = {0};
    memory.fail_at = i;
    status = live(&hooks, &error);
    if (status != CAROM_OK && (status != CAROM_ERROR_OUT_OF_MEMORY || i > MOST_ALLOCATIONS))
      fail_msg("allocation %d: status %d, %s", i, (int)status, error.message);
    check_memory_expect_empty(&memory);
  }
  assert_true(i > 50);
}

/* A machine that never took a step; `hurried`: with one iteration of each of the solver's methods
 * and a tolerance that takes more, so that attempts fail and the step is tried again in parts. */
typedef struct cold {
  check_memory memory;
  carom_allocator hooks;
  carom_sim* sim;
} cold;

static void cold_init(cold* c, const carom_model* model, bool hurried) {
  *c = (cold){.memory = check_memory_make()};
  c->hooks = check_memory_hooks(&c->memory);
  carom_sim_def def = carom_sim_def_default();
  carom_error error;
  def.allocator = c->hooks;
  if (hurried) {
    def.friction = CAROM_FRICTION_CONVEX;
    def.max_iterations = 1;
    def.tolerance = 1e-12;
  }
  check_ok(carom_sim_create(model, &def, &c->sim, &error), &error);
  sink_box(c->sim);
}

static void cold_destroy(cold* c) {
  carom_sim_destroy(c->sim);
  check_memory_expect_empty(&c->memory);
}

static world_state save(const cold* c) { return world_save(&(world){.sim = c->sim}); }

/* What a call that takes memory does to a cold machine. */
typedef carom_status call(carom_sim* sim, carom_step_report* report);

static carom_status call_step(carom_sim* sim, carom_step_report* report) {
  return carom_sim_step(sim, report, NULL);
}

static carom_status call_acceleration(carom_sim* sim, carom_step_report* report) {
  double a[64];
  return carom_sim_compute_acceleration(sim, a, report, NULL);
}

/* The first call with every allocation failing in turn leaves the state as it was; the next one,
 * with memory, does what it does on a machine that never lacked any. */
static void check_call(const carom_model* model, bool hurried, call* run) {
  cold healthy, c;
  carom_step_report first, later;
  cold_init(&healthy, model, hurried);
  world_state before = save(&healthy);
  assert_int_equal(run(healthy.sim, &first), CAROM_OK);
  assert_int_equal(first.substeps > 1, hurried && run == call_step);
  world_state after = save(&healthy);
  int i = 0;
  for (carom_status status = CAROM_ERROR_OUT_OF_MEMORY; status != CAROM_OK; i++) {
    cold_init(&c, model, hurried);
    c.memory.fail_at = c.memory.num_allocations + i;
    status = run(c.sim, NULL);
    assert_true(status == CAROM_OK || status == CAROM_ERROR_OUT_OF_MEMORY);
    if (status != CAROM_OK) {
      world_state now = save(&c);
      world_expect_same(&now, &before);
      free(now.bytes);
      c.memory.fail_at = -1;
      assert_int_equal(run(c.sim, &later), CAROM_OK);
      assert_int_equal(later.outcome, first.outcome);
      assert_int_equal(later.substeps, first.substeps);
    }
    world_state now = save(&c);
    world_expect_same(&now, &after);
    free(now.bytes);
    cold_destroy(&c);
  }
  assert_in_range(i, 4, MOST_ALLOCATIONS);
  free(before.bytes), free(after.bytes);
  cold_destroy(&healthy);
}

static void test_state_survives(void** state) {
  (void)state;
  carom_model* model = scene_load(WORLD_MACHINE);
  check_call(model, false, call_step);
  check_call(model, true, call_step);
  check_call(model, false, call_acceleration);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_warm_machine),
      cmocka_unit_test(test_warm_pile),
      cmocka_unit_test(test_warm_fields),
      cmocka_unit_test(test_warm_queries),
      cmocka_unit_test(test_every_allocation_fails),
      cmocka_unit_test(test_state_survives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
