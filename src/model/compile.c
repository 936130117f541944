/* From a builder to a model: the passes in their order. */
#include "model/compile.h"

#include <stdio.h>

static carom_status run_passes(cr_compile* c) {
  CR_TRY(cr_compile_order(c));
  CR_TRY(cr_compile_mass(c));
  CR_TRY(cr_compile_layout(c));
  CR_TRY(cr_compile_tree(c));
  CR_TRY(cr_compile_forces(c));
  CR_TRY(cr_compile_geoms(c));
  cr_compile_sites(c);
  cr_compile_fluid(c);
  CR_TRY(cr_compile_lines(c));
  CR_TRY(cr_compile_softs(c));
  cr_compile_sensors(c);
  CR_TRY(cr_compile_equalities(c));
  CR_TRY(cr_compile_keyframes(c));
  cr_compile_names(c);
  CR_TRY(cr_compile_mass_matrix(c));
  return cr_compile_muscles(c);
}

carom_status carom_builder_compile(const carom_builder* builder, carom_model** model,
                                   carom_error* error) {
  cr_error_clear(error);
  if (!builder || !model)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "model: the %s is null",
                        builder ? "result" : "builder");
  *model = NULL;
  cr_compile c = {.builder = builder, .error = error};
  cr_arena_init(&c.arena, &builder->def.allocator);
  carom_status status = run_passes(&c);
  cr_arena_destroy(&c.arena);
  if (status == CAROM_OK) status = carom_builder_copy(builder, &c.model->description, error);
  if (status == CAROM_OK)
    *model = c.model;
  else
    carom_model_destroy(c.model);
  return status;
}

carom_status cr_builder_finish(carom_builder* builder, carom_model** model, carom_error* error) {
  carom_status status = carom_builder_compile(builder, model, error);
  carom_builder_destroy(builder);
  return status;
}
