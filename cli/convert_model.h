/* `carom convert` of a model. */
#ifndef CLI_CONVERT_MODEL_H
#define CLI_CONVERT_MODEL_H

#include "carom/scene.h"

/* Reads a scene and writes it in a format; what the format does not hold is said on stderr. Returns
 * the exit code. */
int cli_convert_model(const char* input, const char* output, const carom_load_def* load,
                      carom_write_format format);

#endif
