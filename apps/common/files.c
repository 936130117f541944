/* Reads files, and tells them apart. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Reading */

static const char* name_kind(const struct stat* kind) {
  if (S_ISDIR(kind->st_mode)) return "it is a folder";
  if (S_ISFIFO(kind->st_mode)) return "it is a named pipe, no regular file";
  if (S_ISSOCK(kind->st_mode)) return "it is a socket, no regular file";
  return "it is a device, no regular file";
}

/* Without O_NONBLOCK a pipe keeps the caller until somebody writes into it. */
FILE* cli_open_input(const char* path, const char** why) {
  struct stat kind;
  const char* unused;
  if (!why) why = &unused;
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  bool is_open = descriptor >= 0 && fstat(descriptor, &kind) == 0;
  bool is_regular = is_open && S_ISREG(kind.st_mode);
  FILE* file = is_regular ? fdopen(descriptor, "rb") : NULL;
  *why = is_open && !is_regular ? name_kind(&kind) : strerror(errno);
  if (descriptor >= 0 && !file) close(descriptor);
  return file;
}

char* cli_read_file(const char* path, size_t* size) {
  FILE* file = cli_open_input(path, NULL);
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

/* ---- Telling files apart */

/* The real path that a file has, or will have once it is made; false where its folder is not
 * there. */
static bool resolve(const char* path, char real[PATH_MAX]) {
  char folder[PATH_MAX];
  if (realpath(path, real)) return true;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  int length = slash ? (int)(slash - path) + 1 : 0;
  if (snprintf(folder, sizeof folder, "%.*s.", length, path) >= (int)sizeof folder) return false;
  if (!realpath(folder, real)) return false;
  size_t used = strlen(real);
  return snprintf(real + used, PATH_MAX - used, "/%s", name) < (int)(PATH_MAX - used);
}

bool cli_is_same_file(const char* a, const char* b) {
  struct stat s, t;
  char real_a[PATH_MAX], real_b[PATH_MAX];
  bool has_a = stat(a, &s) == 0, has_b = stat(b, &t) == 0;
  if (has_a && has_b) return s.st_dev == t.st_dev && s.st_ino == t.st_ino;
  if (has_a != has_b) return false;
  return resolve(a, real_a) && resolve(b, real_b) && strcmp(real_a, real_b) == 0;
}

/* Several outputs may go nowhere. */
static bool is_regular_or_new(const char* path) {
  struct stat kind;
  return stat(path, &kind) != 0 || S_ISREG(kind.st_mode);
}

carom_status cli_check_files(const cli_files* files, carom_error* error) {
  for (int i = 0; i < files->num_outputs; i++) {
    const char* output = files->outputs[i];
    for (int k = 0; k < files->num_inputs && output; k++)
      if (files->inputs[k] && cli_is_same_file(files->inputs[k], output))
        return cli_error(error, CAROM_ERROR_BAD_INPUT,
                         "%s: is read by this command, and not overwritten", output);
    for (int k = 0; k < i && output; k++)
      if (files->outputs[k] && cli_is_same_file(files->outputs[k], output) &&
          is_regular_or_new(output))
        return cli_error(error, CAROM_ERROR_BAD_INPUT, "%s: is named for two outputs", output);
  }
  return CAROM_OK;
}
