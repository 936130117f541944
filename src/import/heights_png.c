/* Heights from PNG pictures by libpng; the one place where it is used. Its errors are long jumps
 * back into this file. */
#include "import/heights.h"

#include <png.h>
#include <setjmp.h>
#include <stdint.h>

/* What must be given back after a jump. */
typedef struct picture {
  png_structp png;
  png_infop info;
  const carom_allocator* allocator;
  cr_heights* heights;
  FILE* file;
  unsigned char* rows; /* [num_rows num_columns] */
  size_t bytes;
  bool is_out_of_memory;
} picture;

static void leave(png_structp png, png_const_charp message) {
  (void)message;
  png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message) { (void)png, (void)message; }

/* No more pixels than the file's bytes can stand for: deflate makes at most 1032 bytes of one, and
 * a byte holds at most 8 pixels. */
static bool may_hold(FILE* file, size_t pixels) {
  long here = ftell(file), end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  return here >= 0 && end >= 0 && fseek(file, here, SEEK_SET) == 0 &&
         pixels / (size_t)(8 * 1032) <= (size_t)end;
}

/* One byte of brightness for each pixel, whatever the picture has. */
static void ask_for_grey(picture* p) {
  int type = png_get_color_type(p->png, p->info);
  png_set_expand(p->png);
  png_set_strip_16(p->png);
  png_set_strip_alpha(p->png);
  if (type & PNG_COLOR_MASK_COLOR)
    png_set_rgb_to_gray(p->png, PNG_ERROR_ACTION_NONE, PNG_RGB_TO_GRAY_DEFAULT,
                        PNG_RGB_TO_GRAY_DEFAULT);
  png_set_interlace_handling(p->png);
  png_read_update_info(p->png, p->info);
}

static void read_rows(picture* p) {
  cr_heights* h = p->heights;
  png_uint_32 width = png_get_image_width(p->png, p->info);
  png_uint_32 height = png_get_image_height(p->png, p->info);
  int passes = png_set_interlace_handling(p->png);
  p->bytes = (size_t)width * height;
  if (width < 2 || height < 2 || p->bytes > CR_HEIGHTS_MAX_COUNT || !may_hold(p->file, p->bytes))
    leave(p->png, "size");
  ask_for_grey(p);
  if (png_get_rowbytes(p->png, p->info) != width) leave(p->png, "format");
  h->num_columns = (int)width, h->num_rows = (int)height;
  p->rows = cr_alloc_zero(p->allocator, p->bytes);
  p->is_out_of_memory = !p->rows || !cr_heights_reserve(h, p->allocator);
  if (p->is_out_of_memory) leave(p->png, "memory");
  for (int pass = 0; pass < passes; pass++)
    for (size_t row = 0; row < height; row++) png_read_row(p->png, p->rows + row * width, NULL);
  for (size_t row = 0; row < height; row++)
    for (size_t column = 0; column < width; column++)
      h->height[(height - 1 - row) * width + column] = p->rows[row * width + column];
}

bool cr_heights_read_png(FILE* file, const carom_allocator* allocator, cr_heights* heights,
                         bool* is_out_of_memory) {
  picture p = {.allocator = allocator, .heights = heights, .file = file};
  volatile bool done = false;
  p.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, leave, ignore);
  if (p.png) p.info = png_create_info_struct(p.png);
  *is_out_of_memory = !p.png || !p.info;
  if (p.info && setjmp(png_jmpbuf(p.png)) == 0) {
    png_set_user_limits(p.png, CR_HEIGHTS_MAX_SIDE, CR_HEIGHTS_MAX_SIDE);
    png_init_io(p.png, file);
    png_read_info(p.png, p.info);
    read_rows(&p);
    done = true;
  }
  *is_out_of_memory = *is_out_of_memory || p.is_out_of_memory;
  cr_release(allocator, p.rows, p.rows ? p.bytes : 0);
  if (p.png) png_destroy_read_struct(&p.png, &p.info, NULL);
  return done;
}
