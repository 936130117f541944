/* The public entry: scene files in, models out. */
#include "import/mjcf/load.h"

#include "base/error.h"
#include "model/record.h"

carom_load_def carom_load_def_default(void) { return (carom_load_def){.cookie = CR_COOKIE_LOAD}; }

/* Arguments that both entries share; `options` receives the definition to use. */
static carom_status check_arguments(const void* input, const carom_load_def* def,
                                    carom_model** model, carom_load_def* options,
                                    carom_error* error) {
  cr_error_clear(error);
  if (!input || !model)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "load: the %s is null",
                        input ? "result" : "input");
  *model = NULL;
  *options = def ? *def : carom_load_def_default();
  if (options->cookie == CR_COOKIE_LOAD) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                      "load: the definition was not made by carom_load_def_default()");
}

carom_status carom_model_load(const char* path, const carom_load_def* def, carom_model** model,
                              carom_error* error) {
  carom_load_def options;
  CR_TRY(check_arguments(path, def, model, &options, error));
  return cr_mjcf_load(path, NULL, 0, &options, NULL, model, error);
}

carom_status carom_model_load_string(const char* text, size_t length, const char* name,
                                     const carom_load_def* def, carom_model** model,
                                     carom_error* error) {
  carom_load_def options;
  CR_TRY(check_arguments(text, def, model, &options, error));
  return cr_mjcf_load(name ? name : "text", text, length, &options, NULL, model, error);
}
