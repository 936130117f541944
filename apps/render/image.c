/* PNG by libpng. */
#include "image.h"

#include "common/error.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

/* Four bytes a pixel to three, in place. */
static void drop_opacity(unsigned char* pixels, size_t count) {
  for (size_t i = 0; i < count; i++) memmove(pixels + 3 * i, pixels + 4 * i, 3);
}

carom_status render_image_write(const char* path, unsigned char* pixels, int width, int height,
                                bool has_opacity, carom_error* error) {
  png_image image = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)width,
                     .height = (png_uint_32)height,
                     .format = has_opacity ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB};
  if (!has_opacity) drop_opacity(pixels, (size_t)width * (size_t)height);
  FILE* file = fopen(path, "wb");
  if (!file)
    return cli_error(error, CAROM_ERROR_FILE, "%s: cannot be created: %s", path, strerror(errno));
  bool is_written = png_image_write_to_stdio(&image, file, 0, pixels, 0, NULL) != 0;
  int number = errno;
  if (fclose(file) != 0 && is_written) number = errno, is_written = false;
  if (is_written) return CAROM_OK;
  remove(path);
  return cli_error(error, CAROM_ERROR_FILE, "%s: cannot be written: %s", path, strerror(number));
}
