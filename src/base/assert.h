/* Checks for our own bugs; never for user input. Off in release builds. */
#ifndef CR_BASE_ASSERT_H
#define CR_BASE_ASSERT_H

#ifdef CR_ENABLE_ASSERT
#include <stdio.h>
#include <stdlib.h>
#define CR_ASSERT(condition)                                                            \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                          \
    }                                                                                   \
  } while (0)
#else
#define CR_ASSERT(condition) ((void)sizeof(condition))
#endif

#endif
