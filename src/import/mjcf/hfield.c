/* <hfield>: read when a geometry first needs it. Heights, from a file or the element, are brought
 * to the range from 0 to 1 and multiplied by size[2]; none are flat ground. */
#include "base/copy.h"
#include "import/heights.h"
#include "import/mjcf/body.h"

#include <math.h>
#include <string.h>

const cr_attribute cr_mjcf_hfield_table[] = {
    CR_ELSEWHERE("name"),
    CR_ELSEWHERE("elevation"),
    CR_FIELD("file", CR_ATTRIBUTE_TEXT, cr_mjcf_hfield, file),
    CR_FIELD("nrow", CR_ATTRIBUTE_INTEGER, cr_mjcf_hfield, num_rows),
    CR_FIELD("ncol", CR_ATTRIBUTE_INTEGER, cr_mjcf_hfield, num_columns),
    CR_NUMBERS("size", cr_mjcf_hfield, size, 4, 4),
    CR_NOTED("content_type", "the file itself says what it is"),
    CR_END,
};

carom_status cr_mjcf_read_hfield(cr_mjcf* m, const cr_xml_element* element) {
  cr_mjcf_hfield field = {.element = element};
  CR_TRY(cr_mjcf_read_attributes(m, element, cr_mjcf_hfield_table, &field));
  cr_subject subject = cr_mjcf_subject(m, element);
  field.name = cr_mjcf_asset_name(m, element, field.file);
  if (!field.name || !field.name[0])
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "attributes 'name' and 'file' are missing");
  if (field.size.count < 4)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'size' is missing");
  if (cr_name_find(&m->names, &m->text, CR_MJCF_NAME_HFIELD, field.name) >= 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "the name '%.60s' is used twice",
                           field.name);
  int index = m->hfields.count;
  if (!cr_list_push(&m->hfields, &m->allocator, &field)) return cr_error_memory(m->error);
  return cr_mjcf_add_name(m, CR_MJCF_NAME_HFIELD, field.name, index);
}

static carom_status read_file(cr_mjcf* m, const cr_mjcf_hfield* field, cr_heights* heights) {
  FILE* file;
  char* path;
  carom_error error;
  CR_TRY(cr_mjcf_open_asset(m, field->element, field->file, &file, &path));
  carom_status status = cr_heights_read(file, path, &m->allocator, heights, &error);
  fclose(file);
  if (status == CAROM_OK) return status;
  if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(m->error);
  cr_subject subject = cr_mjcf_subject(m, field->element);
  return cr_subject_fail(&subject, status, "%s", error.message);
}

/* Heights of the element; its first row is that of greatest y. */
static carom_status read_inline(cr_mjcf* m, const cr_mjcf_hfield* field, cr_heights* heights) {
  const double* elevation;
  int count, columns = field->num_columns, rows = field->num_rows;
  cr_subject subject = cr_mjcf_subject(m, field->element);
  CR_TRY(cr_check_choice(&subject, "nrow", rows, 2, CR_HEIGHTS_MAX_SIDE));
  CR_TRY(cr_check_choice(&subject, "ncol", columns, 2, CR_HEIGHTS_MAX_SIDE));
  CR_TRY(cr_mjcf_read_long(m, field->element, "elevation", &elevation, &count));
  if ((double)columns * rows > CR_HEIGHTS_MAX_COUNT)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "nrow and ncol make %.9g heights, at most %d are accepted",
                           (double)columns * rows, CR_HEIGHTS_MAX_COUNT);
  if (elevation && count != columns * rows)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "elevation has %d numbers, must be %d (nrow times ncol)", count,
                           columns * rows);
  heights->num_columns = columns, heights->num_rows = rows;
  if (!cr_heights_reserve(heights, &m->allocator)) return cr_error_memory(m->error);
  size_t width = (size_t)columns;
  for (size_t r = 0; r < (size_t)rows && elevation; r++)
    CR_COPY(heights->height + ((size_t)rows - 1 - r) * width, elevation + r * width, width);
  return CAROM_OK;
}

/* From what the file has to metres. */
static void scale(cr_heights* heights, double most) {
  size_t count = (size_t)heights->num_columns * (size_t)heights->num_rows;
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    low = fmin(low, heights->height[i]);
    high = fmax(high, heights->height[i]);
  }
  double factor = high > low ? most / (high - low) : most;
  for (size_t i = 0; i < count; i++) heights->height[i] = factor * (heights->height[i] - low);
}

static carom_status add_field(cr_mjcf* m, cr_mjcf_hfield* field, cr_heights* heights) {
  CR_TRY(field->file ? read_file(m, field, heights) : read_inline(m, field, heights));
  scale(heights, field->size.x[2]);
  carom_height_field_def def = carom_height_field_def_default();
  def.source = cr_mjcf_source(field->element);
  def.name = field->name;
  def.num_columns = heights->num_columns;
  def.num_rows = heights->num_rows;
  def.heights = heights->height;
  memcpy(def.size, field->size.x, sizeof def.size);
  def.base = field->size.x[3];
  return carom_builder_add_height_field(m->builder, &def, &field->handle, m->error);
}

carom_status cr_mjcf_use_hfield(cr_mjcf* m, const cr_xml_element* geom, const char* name,
                                carom_height_field* handle) {
  cr_subject subject = cr_mjcf_subject(m, geom);
  if (!name)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'hfield' is missing");
  int index = cr_name_find(&m->names, &m->text, CR_MJCF_NAME_HFIELD, name);
  if (index < 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "hfield is '%.60s', no height field has this name", name);
  cr_mjcf_hfield* field = CR_AT(&m->hfields, cr_mjcf_hfield, index);
  if (field->handle.id == 0) {
    cr_heights heights = {0};
    carom_status status = add_field(m, field, &heights);
    cr_heights_release(&heights, &m->allocator);
    CR_TRY(status);
  }
  *handle = field->handle;
  return CAROM_OK;
}
