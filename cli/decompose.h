/* Convex decomposition of meshes by the program coacd, for `carom_load_def.decompose`. */
#ifndef CLI_DECOMPOSE_H
#define CLI_DECOMPOSE_H

#include "carom/scene.h"

/* Runs coacd (CAROM_COACD, else what PATH has) on the mesh; no shell, and no longer than
 * CAROM_COACD_SECONDS (300). What it made of a mesh counts for all that are the same.
 * @param user is not used */
carom_status cli_decompose(void* user, const carom_decompose_input* mesh, carom_convex_parts* parts,
                           carom_error* error);

#endif
