/* The words of friction laws and solvers. */
#include "words.h"

#include <stddef.h>

const char* const CLI_FRICTIONS[] = {"coulomb", "convex", "lagged", "anchored", NULL};
const char* const CLI_SOLVERS[] = {"newton", "primal", "pgs", "apgd", "ipm", NULL};
