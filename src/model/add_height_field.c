/* Height fields of a builder: checked, and made surfaces. */
#include "model/record.h"

#include <stdint.h>

/* Of all cells together, so that triangles are counted in an int with room to spare. */
#define MAX_HEIGHTS 100000000

static carom_status check_field(const cr_subject* subject, const carom_height_field_def* def) {
  CR_TRY(cr_check_choice(subject, "num_columns", def->num_columns, 2, MAX_HEIGHTS));
  CR_TRY(cr_check_choice(subject, "num_rows", def->num_rows, 2, MAX_HEIGHTS));
  int64_t count = (int64_t)def->num_columns * def->num_rows;
  if (count > MAX_HEIGHTS)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "it has %lld heights, at most %d are accepted", (long long)count,
                           MAX_HEIGHTS);
  CR_TRY(cr_check_positive(subject, "size[0]", def->size[0]));
  CR_TRY(cr_check_positive(subject, "size[1]", def->size[1]));
  CR_TRY(cr_check_not_negative(subject, "base", def->base));
  return def->heights ? cr_check_finite(subject, "heights", def->heights, (int)count) : CAROM_OK;
}

/* The surface; without heights it is flat. */
static cr_trisurface* make_surface(const carom_height_field_def* def,
                                   const carom_allocator* allocator) {
  size_t bytes = (size_t)def->num_columns * (size_t)def->num_rows * sizeof(double);
  double* zeros = def->heights ? NULL : cr_alloc_zero(allocator, bytes);
  const double* heights = def->heights ? def->heights : zeros;
  if (!heights) return NULL;
  cr_trisurface* surface = cr_trisurface_create_grid(heights, def->num_columns, def->num_rows,
                                                     def->size, def->base, allocator);
  cr_release(allocator, zeros, bytes);
  return surface;
}

void cr_height_field_release(cr_height_field_record* field, const carom_allocator* allocator) {
  if (!cr_share_leave(field->share, allocator)) return;
  cr_trisurface_destroy(field->surface, allocator);
  cr_mesh_release(&field->shown);
}

carom_status carom_builder_add_height_field(carom_builder* builder,
                                            const carom_height_field_def* def,
                                            carom_height_field* field, carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("height field", builder, error);
  cr_addition addition = {
      builder,
      &builder->height_fields,
      -1,
      {"height field", def->name, def->source, builder->height_fields.count + 1, error}};
  CR_TRY(CR_ADDITION_BEGIN(&addition, def, height_field));
  CR_TRY(check_field(&addition.subject, def));
  const carom_allocator* allocator = &builder->def.allocator;
  cr_height_field_record record = {.share = cr_share_create(allocator),
                                   .surface = make_surface(def, allocator)};
  cr_mesh_init(&record.shown, allocator);
  int index = 0;
  bool is_made = record.share && record.surface && cr_show_height_field(&record, allocator);
  carom_status status = is_made ? cr_addition_finish(&addition, &record, &record.label, &index)
                                : cr_error_memory(error);
  if (status != CAROM_OK) {
    cr_height_field_release(&record, allocator);
    return status;
  }
  if (field) field->id = index + 1;
  return CAROM_OK;
}

const cr_height_field_record* cr_geom_height_field(const carom_builder* builder,
                                                   const carom_geom_def* def) {
  return CR_AT(&builder->height_fields, cr_height_field_record, def->height_field.id - 1);
}
