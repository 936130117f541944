/* Pictures as PNG files. */
#ifndef RENDER_IMAGE_H
#define RENDER_IMAGE_H

#include "carom/status.h"

#include <stdbool.h>

/* Writes a PNG file; nothing is left of one that cannot be written.
 * @param pixels [4 width height] red, green, blue, opacity, sRGB, rows from the top; changed
 * @param has_opacity whether the file says how opaque pixels are */
carom_status render_image_write(const char* path, unsigned char* pixels, int width, int height,
                                bool has_opacity, carom_error* error);

#endif
