/* Pages: a recording as one file for a browser (`carom view`, `carom run --html`). */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "cli.h"

/* Writes the page of a recording.
 * @param name of the recording
 * @param rate frames per simulated second at most; 0: all
 * @param quiet says nothing of what was written
 * @return exit code, after a sentence where something went wrong */
int cli_page_write(const char* name, const char* path, double rate, bool quiet);

/* Whether a file starts as HDF5 files do: a recording or a contact problem, no scene. */
bool cli_is_hdf5(const char* path);

#endif
