/* A scene in, its description out. */
#include "convert_model.h"

#include "cli.h"

#include "carom/scene.h"

static void print_remark(void* user, const char* sentence) {
  cli_warn("%s: %s", *(const char* const*)user, sentence);
}

int cli_convert_model(const char* input, const char* output, const carom_load_def* load,
                      carom_write_format format) {
  carom_builder* builder;
  carom_error error;
  carom_write_def def = carom_write_def_default();
  def.format = format;
  def.remark = print_remark;
  def.user = &output;
  carom_load_def reading = *load;
  reading.outputs = &output, reading.num_outputs = 1;
  if (carom_builder_load(input, &reading, &builder, &error) != CAROM_OK)
    return cli_fail_with(&error);
  carom_status status = carom_builder_write(builder, output, &def, &error);
  carom_builder_destroy(builder);
  return status == CAROM_OK ? cli_finish_output(EXIT_FINE) : cli_fail_with(&error);
}
