/* Wavefront MTL: the diffuse colour and the opacity of each material; nothing else is used. */
#include "import/mesh/line.h"
#include "import/mesh/scene.h"
#include "import/number.h"
#include "io/file.h"

#include <string.h>

#define MAX_BYTES     ((size_t)1 << 24) /* of a file */
#define MAX_MATERIALS 100000

struct cr_obj_material {
  char name[64];
  uint64_t hash; /* of the whole name */
  double rgba[4];
};

static uint64_t hash_name(const char* name, int length) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int i = 0; i < length; i++) hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3u;
  return hash;
}

void cr_obj_materials_init(cr_obj_materials* materials, const carom_allocator* allocator) {
  *materials = (cr_obj_materials){.allocator = *allocator};
}

void cr_obj_materials_release(cr_obj_materials* materials) {
  cr_release(&materials->allocator, materials->items,
             (size_t)materials->capacity * sizeof *materials->items);
  carom_allocator allocator = materials->allocator;
  cr_obj_materials_init(materials, &allocator);
}

static bool begin_material(cr_obj_materials* m, cr_line_word name) {
  void* items = m->items;
  bool fits = cr_reserve_one(&m->allocator, &items, m->count, &m->capacity, sizeof *m->items);
  m->items = items;
  if (!fits) return false;
  struct cr_obj_material* item = &m->items[m->count++];
  *item = (struct cr_obj_material){.hash = hash_name(name.text, name.length),
                                   .rgba = {0.8, 0.8, 0.8, 1}};
  snprintf(item->name, sizeof item->name, "%.*s", name.length, name.text);
  return true;
}

/* A number; `other` where the word is none. */
static double read_number(cr_line_reader* reader, double other) {
  cr_line_word word = cr_line_word_next(reader);
  double value;
  bool is_number =
      word.length > 0 && cr_number_read(word.text, word.length, &value) == CR_NUMBER_FINITE;
  return is_number && value >= 0 && value <= 1 ? value : other;
}

static bool read_line(cr_obj_materials* m, cr_line_reader* reader, cr_line_word word) {
  double* rgba = m->count ? m->items[m->count - 1].rgba : NULL;
  if (cr_line_word_is(word, "newmtl"))
    return m->count >= MAX_MATERIALS || begin_material(m, cr_line_word_next(reader));
  if (rgba && cr_line_word_is(word, "Kd"))
    for (int k = 0; k < 3; k++) rgba[k] = read_number(reader, rgba[k]);
  if (rgba && cr_line_word_is(word, "d")) rgba[3] = read_number(reader, rgba[3]);
  if (rgba && cr_line_word_is(word, "Tr")) rgba[3] = 1 - read_number(reader, 1 - rgba[3]);
  return true;
}

bool cr_obj_materials_read(cr_obj_materials* materials, const char* bytes, size_t size) {
  carom_error error;
  const cr_mesh_source source = {.name = "materials", .bytes = bytes, .size = size};
  cr_line_reader reader = cr_line_reader_make(&source, &error);
  cr_line_word word;
  while (cr_line_next(&reader, &word)) {
    if (!read_line(materials, &reader, word)) return false;
    while (cr_line_word_next(&reader).length > 0) continue;
  }
  return true;
}

bool cr_obj_materials_load(cr_obj_materials* materials, const char* main_path, const char* name,
                           int length) {
  const char* slash = strrchr(main_path, '/');
  int folder = slash ? (int)(slash - main_path) + 1 : 0;
  char path[1024];
  carom_error error;
  cr_mesh_bytes bytes = {0};
  if (folder + length >= (int)sizeof path || name[0] == '/') return true;
  snprintf(path, sizeof path, "%.*s%.*s", folder, main_path, length, name);
  FILE* file = cr_scene_may_open(main_path, path) ? cr_file_open_regular(path) : NULL;
  if (!file) return true;
  carom_status status =
      cr_mesh_bytes_read(file, path, MAX_BYTES, &materials->allocator, &bytes, &error);
  fclose(file);
  bool done = status == CAROM_OK ? cr_obj_materials_read(materials, bytes.data, bytes.size)
                                 : status != CAROM_ERROR_OUT_OF_MEMORY;
  cr_mesh_bytes_release(&bytes, &materials->allocator);
  return done;
}

uint32_t cr_obj_materials_find(const cr_obj_materials* materials, const char* name, int length) {
  uint64_t hash = hash_name(name, length);
  for (int i = 0; i < materials->count; i++)
    if (materials->items[i].hash == hash &&
        strncmp(materials->items[i].name, name, (size_t)length < 63 ? (size_t)length : 63) == 0)
      return cr_mesh_mix_paint(materials->items[i].rgba);
  return 0;
}
