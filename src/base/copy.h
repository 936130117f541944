/* Copies of typed arrays. */
#ifndef CR_BASE_COPY_H
#define CR_BASE_COPY_H

#include <string.h>

/* n elements, by the type of the first; the arrays do not overlap. */
#define CR_COPY(to, from, n) memcpy((to), (from), sizeof *(to) * (size_t)(n))

#endif
