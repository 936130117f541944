/* DataArrays (VTK user's guide, "XML file formats"): text, base64 within the element, or base64 or
 * raw behind it. Bytes begin with their number; packed ones with the number of blocks, the size of
 * blocks and of the last one (0: whole), and the packed size of each, then come the blocks. */
#include "import/tets/vtu_array.h"

#include "import/number.h"
#include "io/encode.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_PACKED 1100 /* times that zlib can shrink bytes, from above */

carom_status cr_vtu_refuse(const cr_vtu_file* file, const cr_xml_element* element,
                           const char* format, ...) {
  char text[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return cr_error_set(file->r->error, CAROM_ERROR_BAD_INPUT, "%.180s:%d: %s", file->r->name,
                      element->line, text);
}

carom_status cr_vtu_read_number(const cr_vtu_file* file, const cr_xml_element* element,
                                const char* name, int64_t none, int64_t* value) {
  const char* text = cr_xml_get(element, name);
  double number = -1;
  *value = none;
  if (!text) return CAROM_OK;
  if (cr_number_read(text, (int)strnlen(text, 100), &number) != CR_NUMBER_FINITE ||
      !(number >= 0 && number < 1e15) || number != floor(number))
    return cr_vtu_refuse(file, element, "%s is '%.40s', must be a whole number from 0 on", name,
                         text);
  *value = (int64_t)number;
  return CAROM_OK;
}

static bool is_attribute(const cr_xml_element* element, const char* name, const char* value) {
  const char* given = cr_xml_get(element, name);
  return given && strcmp(given, value) == 0;
}

carom_status cr_vtu_read_root(cr_vtu_file* file, const cr_xml_element* root) {
  uint16_t one = 1;
  unsigned char low;
  memcpy(&low, &one, 1);
  const char* compressor = cr_xml_get(root, "compressor");
  file->word = is_attribute(root, "header_type", "UInt64") ? 8 : 4;
  file->r->is_swapped = is_attribute(root, "byte_order", "BigEndian") == (low == 1);
  file->is_compressed = compressor != NULL;
  if (!compressor || strcmp(compressor, "vtkZLibDataCompressor") == 0) return CAROM_OK;
  return cr_vtu_refuse(file, root, "compressor '%.40s' is not read, only vtkZLibDataCompressor",
                       compressor);
}

/* --- Bytes that may stand in base64 -------------------------------------------------------------
 */

typedef struct source {
  const char *at, *end;
  bool is_base64;
  unsigned char held[3]; /* of the last group, from `first` on */
  int first, count;
} source;

/* The next four digits; a group with padding ends what was encoded in one piece, and another may
 * follow. */
static bool refill(source* s) {
  char digits[4];
  int filled = 0;
  for (; filled < 4 && s->at < s->end; s->at++)
    if (!strchr(" \t\r\n", *s->at)) digits[filled++] = *s->at;
  s->first = 0;
  s->count = filled == 4 ? cr_base64_decode_group(digits, s->held) : 0;
  return s->count > 0;
}

/* False where the bytes end before. */
static bool take(source* s, void* to, size_t size) {
  unsigned char* bytes = to;
  if (!s->is_base64) {
    if ((size_t)(s->end - s->at) < size) return false;
    memcpy(bytes, s->at, size);
    s->at += size;
    return true;
  }
  for (size_t k = 0; k < size; k++) {
    if (s->first >= s->count && !refill(s)) return false;
    bytes[k] = s->held[s->first++];
  }
  return true;
}

static size_t bytes_left(const source* s) { return (size_t)(s->end - s->at) + 3; }

static bool take_word(source* s, const cr_vtu_file* file, uint64_t* value) {
  unsigned char bytes[8];
  uint64_t sum = 0;
  if (!take(s, bytes, file->word)) return false;
  uint16_t one = 1;
  unsigned char low;
  memcpy(&low, &one, 1);
  bool is_big = (low == 1) == file->r->is_swapped;
  for (size_t k = 0; k < file->word; k++) sum = sum << 8 | bytes[is_big ? k : file->word - 1 - k];
  *value = sum;
  return true;
}

/* --- Arrays -------------------------------------------------------------------------------------
 */

static carom_status refuse_damaged(const cr_vtu_file* file, const cr_xml_element* array) {
  return cr_vtu_refuse(file, array, "the bytes of the array '%.40s' are damaged or end early",
                       cr_xml_get(array, "Name") ? cr_xml_get(array, "Name") : "");
}

static carom_status take_room(const cr_vtu_file* file, size_t size, char** bytes) {
  *bytes = cr_arena_push(file->r->arena, size + 1);
  if (!*bytes) return cr_error_memory(file->r->error);
  (*bytes)[size] = '\0';
  return CAROM_OK;
}

static carom_status read_plain(const cr_vtu_file* file, const cr_xml_element* array, source* s,
                               cr_tets_reader* values) {
  uint64_t size = 0;
  char* bytes;
  if (!take_word(s, file, &size) || size > bytes_left(s)) return refuse_damaged(file, array);
  CR_TRY(take_room(file, size, &bytes));
  if (!take(s, bytes, size)) return refuse_damaged(file, array);
  values->text = values->at = bytes;
  values->end = bytes + size;
  return CAROM_OK;
}

/* What stands in front of packed blocks. */
typedef struct packing {
  uint64_t num_blocks, block_size, last_size;
  uint64_t* packed; /* [num_blocks] */
  uint64_t size;    /* of all, unpacked */
} packing;

static carom_status read_packing(const cr_vtu_file* file, const cr_xml_element* array, source* s,
                                 packing* p) {
  uint64_t sum = 0;
  size_t most = bytes_left(s);
  if (!take_word(s, file, &p->num_blocks) || !take_word(s, file, &p->block_size) ||
      !take_word(s, file, &p->last_size) || p->num_blocks > most)
    return refuse_damaged(file, array);
  p->packed = CR_PUSH(file->r->arena, uint64_t, p->num_blocks);
  if (!p->packed) return cr_error_memory(file->r->error);
  for (uint64_t b = 0; b < p->num_blocks; b++) {
    if (!take_word(s, file, &p->packed[b]) || p->packed[b] > most)
      return refuse_damaged(file, array);
    sum += p->packed[b];
  }
  if (p->last_size == 0) p->last_size = p->block_size;
  uint64_t limit = MOST_PACKED * (sum + 1);
  if (p->num_blocks > 0 &&
      (p->last_size > limit || (p->num_blocks > 1 && p->block_size > limit / (p->num_blocks - 1))))
    return refuse_damaged(file, array);
  p->size = p->num_blocks ? (p->num_blocks - 1) * p->block_size + p->last_size : 0;
  return CAROM_OK;
}

static carom_status read_packed(const cr_vtu_file* file, const cr_xml_element* array, source* s,
                                cr_tets_reader* values) {
  packing p = {0};
  char *bytes, *packed;
  CR_TRY(read_packing(file, array, s, &p));
  CR_TRY(take_room(file, p.size, &bytes));
  values->text = values->at = bytes;
  values->end = bytes + p.size;
  for (uint64_t b = 0; b < p.num_blocks; b++) {
    CR_TRY(take_room(file, p.packed[b], &packed));
    size_t size = b + 1 < p.num_blocks ? p.block_size : p.last_size;
    if (!take(s, packed, p.packed[b])) return refuse_damaged(file, array);
    carom_status status = cr_inflate(&file->r->arena->allocator, packed, p.packed[b], bytes, size);
    if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(file->r->error);
    if (status != CAROM_OK) return refuse_damaged(file, array);
    bytes += size;
  }
  return CAROM_OK;
}

static carom_status find_type(const cr_vtu_file* file, const cr_xml_element* array,
                              cr_tets_type* type) {
  static const char* const NAMES[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                      "UInt32", "Int64", "UInt64", "Float32", "Float64"};
  const char* name = cr_xml_get(array, "type");
  for (int k = 0; name && k < CR_TETS_NO_TYPE; k++)
    if (strcmp(NAMES[k], name) == 0) {
      *type = (cr_tets_type)k;
      return CAROM_OK;
    }
  return cr_vtu_refuse(file, array, "numbers of type '%.40s' are not read", name ? name : "");
}

/* Where the bytes of an array begin: within it, or behind all. */
static carom_status find_source(const cr_vtu_file* file, const cr_xml_element* array, source* s) {
  const char* text = array->text ? array->text : "";
  int64_t offset = 0;
  *s = (source){.at = text, .end = text + strlen(text), .is_base64 = true};
  if (!is_attribute(array, "format", "appended")) return CAROM_OK;
  CR_TRY(cr_vtu_read_number(file, array, "offset", 0, &offset));
  if (!file->appended || offset > file->appended_end - file->appended)
    return cr_vtu_refuse(file, array, "offset is %lld, which is not in AppendedData",
                         (long long)offset);
  *s = (source){.at = file->appended + offset,
                .end = file->appended_end,
                .is_base64 = file->appended_is_base64};
  return CAROM_OK;
}

carom_status cr_vtu_open_array(const cr_vtu_file* file, const cr_xml_element* array,
                               cr_tets_reader* values, cr_tets_type* type) {
  source s;
  *values = *file->r;
  values->line = array->line;
  values->is_binary = !is_attribute(array, "format", "ascii");
  values->text = values->at = array->text ? array->text : "";
  values->end = values->text + strlen(values->text);
  CR_TRY(find_type(file, array, type));
  if (!values->is_binary) return CAROM_OK;
  CR_TRY(find_source(file, array, &s));
  return file->is_compressed ? read_packed(file, array, &s, values)
                             : read_plain(file, array, &s, values);
}
