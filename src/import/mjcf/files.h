/* How the files that an MJCF document names are opened. */
#ifndef CR_IMPORT_MJCF_FILES_H
#define CR_IMPORT_MJCF_FILES_H

#include <stdio.h>

/* Opens included files; null members: the C library. Tests and fuzzers bring their own. */
typedef struct cr_mjcf_files {
  FILE* (*open)(void* user, const char* path); /* null: the file is not there */
  void* user;
} cr_mjcf_files;

#endif
