/* Soft bodies against published and closed forms, by the simulator run to rest or in time: the
 * patch test, the energy of nonlinear materials. */
#include "support/soft_world.h"

#include <math.h>
#include <stdlib.h>

/* --- Patch test ---------------------------------------------------------------------------------
 */

/* Holds the six faces of a box, one layer at an edge after the other. */
static void hold_outside(carom_builder* builder, const carom_soft_def* def, carom_soft soft) {
  carom_error error;
  double inner[3];
  for (int i = 0; i < 3; i++) inner[i] = 0.5 * def->size[i] - 1e-9;
  for (int side = 0; side < 6; side++) {
    carom_attachment_def face = carom_attachment_def_default();
    face.soft = soft;
    for (int i = 0; i < 3; i++) {
      /* Axes before this one have their ends already. */
      double end = i < side / 2 ? inner[i] - 1e-9 : 10;
      face.low[i] = -end, face.high[i] = end;
    }
    if (side % 2)
      face.low[side / 2] = inner[side / 2];
    else
      face.high[side / 2] = -inner[side / 2];
    check_ok(carom_builder_add_attachment(builder, &face, &error), &error);
  }
}

static void test_patch(void** state) {
  (void)state;
  static const double F[3][3] = {{1.1, 0.05, 0}, {-0.02, 0.95, 0.1}, {0.03, 0, 1.02}};
  for (int k = 0; k < 8; k++) {
    static const carom_soft_law laws[] = {CAROM_SOFT_COROTATED, CAROM_SOFT_FIXED_COROTATED,
                                          CAROM_SOFT_ST_VENANT_KIRCHHOFF, CAROM_SOFT_NEO_HOOKEAN};
    carom_builder* builder;
    carom_error error;
    carom_soft soft;
    carom_model* model;
    carom_soft_def def = soft_world_box(1, 2, 1.5, 3, 3, 3);
    carom_builder_def none = carom_builder_def_default();
    none.gravity[2] = 0;
    def.law = laws[k / 2], def.quadratic = k % 2, def.beta = 0.1;
    check_ok(carom_builder_create(&none, &builder, &error), &error);
    check_ok(carom_builder_add_soft(builder, &def, &soft, &error), &error);
    hold_outside(builder, &def, soft);
    check_ok(carom_builder_compile(builder, &model, &error), &error);
    carom_builder_destroy(builder);
    carom_sim_def options = world_def(1, CAROM_IMPLICIT);
    world w = world_create_from(model, &options);
    carom_soft_info s = carom_model_get_soft(model, 0);
    double* q = malloc(sizeof(double) * (size_t)w.sizes.num_q);
    double* exact = malloc(sizeof(double) * (size_t)w.sizes.num_q);
    assert_true(q && exact);
    check_random random = {7};
    for (int n = 0; n < s.num_nodes; n++)
      for (int i = 0; i < 3; i++) {
        const double* X = s.nodes + 3 * n;
        exact[3 * n + i] = F[i][0] * X[0] + F[i][1] * X[1] + F[i][2] * X[2];
        double off = s.held[n] ? 0 : check_random_uniform(&random, -0.02, 0.02);
        q[3 * n + i] = exact[3 * n + i] + off;
      }
    world_set(&w, q, NULL);
    world_run(&w, 20);
    check_near_array(world_q(&w), exact, w.sizes.num_q, 1e-12);
    free(q), free(exact);
    world_destroy(&w);
  }
}

/* --- Energy -------------------------------------------------------------------------------------
 */

/* The energy of a body that is stretched and let go, over 0.06 s: how far it strays. */
static double energy_band(carom_soft_law law, double dt) {
  carom_sim_def options = world_def(dt, CAROM_MIDPOINT);
  carom_soft_def def = soft_world_box(0.4, 0.2, 0.1, 4, 2, 1);
  def.law = law;
  world w = soft_world_create(&def, -1, NULL, &options);
  double* q = malloc(sizeof(double) * (size_t)w.sizes.num_q);
  assert_non_null(q);
  for (int i = 0; i < w.sizes.num_q; i++) q[i] = world_q(&w)[i] * (i % 3 == 0 ? 1.1 : 1);
  world_set(&w, q, NULL);
  free(q);
  double start = world_energy(&w), worst = 0;
  for (int i = 0; i < (int)round(0.06 / dt); i++) {
    world_run(&w, 1);
    worst = fmax(worst, fabs(world_energy(&w) / start - 1));
  }
  world_destroy(&w);
  return worst;
}

/* The midpoint rule keeps it within a band that falls with dt². */
static void test_energy(void** state) {
  (void)state;
  if (check_repeats(100) < 100) skip();
  static const carom_soft_law laws[] = {CAROM_SOFT_COROTATED, CAROM_SOFT_FIXED_COROTATED,
                                        CAROM_SOFT_ST_VENANT_KIRCHHOFF, CAROM_SOFT_NEO_HOOKEAN};
  for (int k = 0; k < 4; k++) {
    double coarse = energy_band(laws[k], 2.5e-4), fine = energy_band(laws[k], 1.25e-4);
    print_message("law %d: energy within %.2e, %.2e\n", (int)laws[k], coarse, fine);
    assert_true(log2(coarse / fine) > 1.7);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_patch),
      cmocka_unit_test(test_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
