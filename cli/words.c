/* The words of schemes, friction laws and solvers. */
#include "words.h"

#include <stddef.h>
#include <string.h>

const char* const CLI_SCHEMES[] = {"explicit", "symplectic", "implicit", "midpoint", NULL};
const char* const CLI_FRICTIONS[] = {"coulomb", "convex", "lagged", "anchored", NULL};
const char* const CLI_SOLVERS[] = {"newton", "primal", "pgs", "apgd", "ipm", NULL};

int cli_find_word(const char* const* words, const char* word) {
  for (int i = 0; words[i]; i++)
    if (strcmp(words[i], word) == 0) return i;
  return -1;
}

const char* const CLI_JOINT_TYPES[] = {"free", "ball", "slide", "hinge", NULL};
const char* const CLI_GEOM_TYPES[] = {"plane",     "sphere", "capsule", "cylinder", "box",
                                      "ellipsoid", "mesh",   "hfield",  NULL};
const char* const CLI_EQUALITY_TYPES[] = {"connect", "weld", "joint", "tendon", "distance", NULL};
const char* const CLI_SOFT_LAWS[] = {"corotated",       "linear",      "fixed corotated",
                                     "St V.-Kirchhoff", "Neo-Hookean", NULL};
const char* const CLI_NOTE_KINDS[] = {"ignored", "mapped", "unused", NULL};
