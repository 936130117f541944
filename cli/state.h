/* State files: {"q": [...], "v": [...], "ctrl": [...], "act": [], "time": s}, or what `carom run
 * --json` prints, of which "final" is taken; or what `carom run --save-state` wrote, bytes of
 * carom_sim_save, with which a simulation goes on to the bit. */
#ifndef CLI_STATE_H
#define CLI_STATE_H

#include "common/error.h"

#include "carom/sim.h"

#include <stddef.h>

/* Reads a state file and sets what it holds in the simulation.
 * @param sim left as it was on failure
 * @return CAROM_ERROR_FILE or CAROM_ERROR_BAD_INPUT with a sentence that names file and key */
carom_status cli_state_load(const char* path, carom_sim* sim, carom_error* error);

/* The same of a file's bytes; they need not end with a zero. Those with a zero among them are no
 * JSON, but of carom_sim_save. */
carom_status cli_state_read(const char* text, size_t length, const char* path, carom_sim* sim,
                            carom_error* error);

/* Writes what carom_sim_save saves. A file of that name stays as it was where writing fails.
 * @return CAROM_ERROR_FILE with a sentence that names the file */
carom_status cli_state_save(const char* path, const carom_sim* sim, carom_error* error);

/* Energies of the state. They are no numbers where memory ran out for a moment, and asked for once
 * more then. */
carom_energy cli_compute_energy(carom_sim* sim);

/* Sets the keyframe of a name.
 * @param scene file that the sentence names */
carom_status cli_keyframe_set(const char* name, const char* scene, carom_sim* sim,
                              carom_error* error);

#endif
