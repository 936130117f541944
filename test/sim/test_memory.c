/* Memory of simulations: a warm step takes none, any allocation may fail, and a step that fails for
 * want of memory leaves the state as it was. */
#include "support/memory.h"
#include "support/scene.h"
#include "support/world.h"

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
};
enum { NUM_WAYS = sizeof WAYS / sizeof WAYS[0] };

static carom_sim_def def_of_way(const struct way* way, check_memory* memory) {
  carom_sim_def def = world_def(0.004, way->scheme);
  def.contact = way->contact;
  def.friction = way->friction;
  def.solver = way->solver;
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
  for (int i = 0; i < NUM_WAYS; i++) check_second_run(WORLD_MACHINE, &WAYS[i], 200);
}

static void test_warm_pile(void** state) {
  (void)state;
  char* pile = world_write_pile(16);
  for (int i = 0; i < NUM_WAYS; i++) check_second_run(pile, &WAYS[i], 120);
  free(pile);
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

enum { FIRST_STEPS = 3 };

/* Everything from the text to the first steps, through the hooks. The box of the machine stands in
 * the floor, so that the first step has contacts. */
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
  double q[64];
  if (sim) {
    memcpy(q, carom_model_get_reference(model), sizeof(double) * 64);
    q[2] = 0.08;
    status = carom_sim_set_state(sim, 0, q, NULL, error);
  }
  for (int i = 0; i < FIRST_STEPS && status == CAROM_OK; i++)
    status = carom_sim_step(sim, NULL, error);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return status;
}
