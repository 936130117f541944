/* What may be read: regular files, and where they really are. */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Outputs */

static _Thread_local const char* const* outputs;
static _Thread_local int num_outputs;

void cr_file_keep_for_writing(const char* const* paths, int count) {
  outputs = paths;
  num_outputs = count;
}

static bool is_output(const struct stat* file) {
  struct stat output;
  for (int i = 0; i < num_outputs; i++)
    if (outputs[i] && stat(outputs[i], &output) == 0 && output.st_dev == file->st_dev &&
        output.st_ino == file->st_ino)
      return true;
  return false;
}

/* A name without what may stand for any folder: a scheme, steps upwards. */
static const char* skip_folders(const char* name) {
  const char* scheme = strstr(name, "://");
  if (scheme) name = scheme + 3;
  for (size_t dots; (dots = strspn(name, "./")) > 0 && name[dots - 1] == '/';) name += dots;
  return name;
}

/* Whether a path ends with the names of folders and file in `tail`. */
static bool ends_with(const char* path, const char* tail) {
  size_t whole = strlen(path), length = strlen(tail);
  return length > 0 && whole > length && path[whole - length - 1] == '/' &&
         strcmp(path + whole - length, tail) == 0;
}

bool cr_file_may_be_output(const char* name) {
  char real[PATH_MAX];
  const char *tail = skip_folders(name), *rest = strchr(tail, '/');
  bool is_named = strstr(name, "://"); /* its first part names a package, whose folder may differ */
  for (int i = 0; i < num_outputs; i++)
    if (outputs[i] && realpath(outputs[i], real) &&
        (ends_with(real, tail) || (is_named && rest && ends_with(real, rest + 1))))
      return true;
  return false;
}

/* ---- Opening */

/* Without O_NONBLOCK a pipe keeps the caller until somebody writes into it. */
FILE* cr_file_open_regular(const char* path) {
  struct stat kind;
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return NULL;
  FILE* file = NULL;
  if (fstat(descriptor, &kind) == 0 && S_ISREG(kind.st_mode) && !is_output(&kind))
    file = fdopen(descriptor, "rb");
  if (!file) close(descriptor);
  return file;
}

const char* cr_file_fault(const char* path) {
  struct stat kind;
  if (stat(path, &kind) != 0) return strerror(errno);
  if (S_ISDIR(kind.st_mode)) return "it is a folder";
  if (S_ISFIFO(kind.st_mode)) return "it is a named pipe, no regular file";
  if (S_ISSOCK(kind.st_mode)) return "it is a socket, no regular file";
  if (!S_ISREG(kind.st_mode)) return "it is a device, no regular file";
  if (is_output(&kind)) return "it is to be written, as an output";
  return access(path, R_OK) != 0 ? strerror(errno) : "memory or descriptors ran out";
}

/* ---- Places */

bool cr_file_is_special(const char* path) {
  struct stat kind;
  return stat(path, &kind) == 0 && !S_ISREG(kind.st_mode);
}

bool cr_file_lies_in(const char* path, const char* folder) {
  char real[PATH_MAX], base[PATH_MAX];
  if (!realpath(path, real)) return true;
  if (!realpath(folder[0] ? folder : ".", base)) return false;
  size_t length = strlen(base);
  if (length == 1) return true;
  return strncmp(real, base, length) == 0 && real[length] == '/';
}
