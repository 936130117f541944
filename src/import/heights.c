/* Heights from files: which kind it is, and MuJoCo's binary form. */
#include "import/heights.h"

#include "base/error.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static size_t bytes_of(const cr_heights* h) {
  return (size_t)h->num_columns * (size_t)h->num_rows * sizeof *h->height;
}

bool cr_heights_reserve(cr_heights* heights, const carom_allocator* allocator) {
  heights->height = cr_alloc_zero(allocator, bytes_of(heights));
  return heights->height != NULL;
}

void cr_heights_release(cr_heights* heights, const carom_allocator* allocator) {
  cr_release(allocator, heights->height, heights->height ? bytes_of(heights) : 0);
  heights->height = NULL;
}

static carom_status fail(const char* name, const char* what, carom_error* error) {
  return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "%.200s: %s", name, what);
}

static bool is_size(int32_t count) { return count >= 2 && count <= CR_HEIGHTS_MAX_SIDE; }

/* Whether as many heights stand in what is left of the file. */
static bool holds(FILE* file, int64_t count) {
  long here = ftell(file), end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  return here >= 0 && end >= here && fseek(file, here, SEEK_SET) == 0 &&
         (end - here) / (long)sizeof(float) >= count;
}

/* Numbers are of the machine's byte order, as their writer left them. */
static carom_status read_binary(FILE* file, const char* name, const carom_allocator* allocator,
                                cr_heights* heights, carom_error* error) {
  int32_t size[2] = {0};
  if (fread(size, sizeof *size, 2, file) != 2)
    return fail(name, "the file is neither a PNG nor has it two numbers to begin with", error);
  if (!is_size(size[0]) || !is_size(size[1]) || (int64_t)size[0] * size[1] > CR_HEIGHTS_MAX_COUNT)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "%.200s: it has %d rows and %d columns, must be between 2 and %d", name,
                        size[0], size[1], CR_HEIGHTS_MAX_SIDE);
  if (!holds(file, (int64_t)size[0] * size[1]))
    return fail(name, "the file ends before all heights are read", error);
  heights->num_rows = size[0], heights->num_columns = size[1];
  if (!cr_heights_reserve(heights, allocator)) return cr_error_memory(error);
  size_t count = bytes_of(heights) / sizeof *heights->height;
  for (size_t i = 0; i < count; i++) {
    float height;
    if (fread(&height, sizeof height, 1, file) != 1) return fail(name, "cannot be read", error);
    if (!isfinite(height)) return fail(name, "a height is not a finite number", error);
    heights->height[i] = (double)height;
  }
  return CAROM_OK;
}

carom_status cr_heights_read(FILE* file, const char* name, const carom_allocator* allocator,
                             cr_heights* heights, carom_error* error) {
  static const unsigned char SIGNATURE[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  unsigned char start[8] = {0};
  *heights = (cr_heights){0};
  size_t count = fread(start, 1, sizeof start, file);
  if (fseek(file, 0, SEEK_SET) != 0)
    return cr_error_set(error, CAROM_ERROR_FILE, "%.200s: cannot be read", name);
  if (count < sizeof start || memcmp(start, SIGNATURE, sizeof start) != 0)
    return read_binary(file, name, allocator, heights, error);
  bool is_out_of_memory = false;
  if (cr_heights_read_png(file, allocator, heights, &is_out_of_memory)) return CAROM_OK;
  if (is_out_of_memory) return cr_error_memory(error);
  return fail(name, "the PNG is damaged, has fewer than 2 rows or columns, or is too large", error);
}
