/* The scene that a recording was made of, from the text and the command line that it keeps. */
#ifndef PLOT_SCENE_H
#define PLOT_SCENE_H

#include "carom/record.h"

/* Reads the scene: the file that the command line names where it still holds the recorded text, so
 * that files that it includes are found, else the text.
 * @param model receives it, to be destroyed by the caller; null on failure
 * @return CAROM_ERROR_BAD_INPUT also where it is another model than the recorded one */
carom_status plot_scene_load(const carom_recording* recording, carom_model** model,
                             carom_error* error);

/* The value of an option in the command line that a recording keeps: "--name VALUE" or
 * "--name=VALUE"; false where it is not there. For a flag the value is what follows. */
bool plot_scene_find_option(const char* command, const char* name, char* value, size_t size);

#endif
