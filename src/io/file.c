/* Bytes and text into a file. */
#include "io/file.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

static void keep_failure(cr_file* file) {
  if (!file->failure) file->failure = errno ? errno : EIO;
}

carom_status cr_file_open(cr_file* file, const char* path, carom_error* error) {
  *file = (cr_file){.path = path, .stream = fopen(path, "wb")};
  if (file->stream) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_FILE, "%.300s: cannot be created: %s", path,
                      strerror(errno));
}

void cr_file_put(cr_file* file, const void* bytes, size_t count) {
  if (file->failure || count == 0) return;
  file->num_bytes += (int64_t)count;
  if (fwrite(bytes, 1, count, file->stream) != count) keep_failure(file);
}

void cr_file_put_text(cr_file* file, const char* text) { cr_file_put(file, text, strlen(text)); }

void cr_file_print(cr_file* file, const char* format, ...) {
  va_list arguments;
  if (file->failure) return;
  va_start(arguments, format);
  int count = vfprintf(file->stream, format, arguments);
  va_end(arguments);
  if (count < 0) keep_failure(file);
  file->num_bytes += count > 0 ? count : 0;
}

carom_status cr_file_close(cr_file* file, carom_error* error) {
  if (fclose(file->stream) != 0) keep_failure(file);
  if (!file->failure) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_FILE, "%.300s: cannot be written: %s", file->path,
                      strerror(file->failure));
}
