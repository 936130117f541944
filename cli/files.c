/* Reads files. */
#include "files.h"

#include <stdio.h>
#include <stdlib.h>

char* cli_read_file(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (!file) return NULL;
  long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  rewind(file);
  char* bytes = length >= 0 ? calloc((size_t)length + 1, 1) : NULL;
  if (bytes && fread(bytes, 1, (size_t)length, file) != (size_t)length) {
    free(bytes);
    bytes = NULL;
  }
  fclose(file);
  if (bytes && size) *size = (size_t)length;
  return bytes;
}
