/* Movies, by the program ffmpeg. */
#ifndef RENDER_MOVIE_H
#define RENDER_MOVIE_H

#include "carom/status.h"

#include <sys/types.h>

typedef struct render_movie {
  const char* path;
  int pipe; /* to ffmpeg's standard input; -1: none */
  pid_t process;
  size_t size; /* bytes of a picture */
} render_movie;

/* Starts ffmpeg.
 * @param width even, as is `height`
 * @param rate pictures a second
 * @return CAROM_ERROR_FILE where it cannot be started */
carom_status render_movie_start(const char* path, int width, int height, double rate,
                                render_movie* movie, carom_error* error);

/* Adds a picture. Where ffmpeg has ended, so has the movie, with its error.
 * @param pixels [4 width height] red, green, blue, -, sRGB, rows from the top */
carom_status render_movie_add(render_movie* movie, const unsigned char* pixels, carom_error* error);

/* Waits for ffmpeg to finish the file; nothing where that was done.
 * @return CAROM_ERROR_FILE where it did not; the file is removed */
carom_status render_movie_finish(render_movie* movie, carom_error* error);

#endif
