/* Wavefront OBJ: vertices and polygons, which are cut into triangles (polygon.h). Objects, or
 * groups where there are none, are kept apart; normals and texture coordinates have no part here;
 * materials give colours where these are wanted; lines and curves are counted. */
#include "base/error.h"
#include "import/mesh/line.h"
#include "import/mesh/polygon.h"

#include <string.h>

/* A word of a face: "7", "7/1", "7//3", "-1/2/3"; its first number, which counts from 1, or from
 * the end of what has been read. */
static carom_status read_corner(const cr_line_reader* reader, cr_line_word word, int num_vertices,
                                int* vertex) {
  bool is_negative = word.text[0] == '-';
  int i = is_negative, value = 0;
  for (; i < word.length && word.text[i] >= '0' && word.text[i] <= '9'; i++) {
    if (value > CR_MESH_MAX_VERTICES) break;
    value = 10 * value + (word.text[i] - '0');
  }
  bool ends = i == word.length || word.text[i] == '/';
  if (!ends || i == (int)is_negative)
    return cr_line_fail(reader, "corner", word, "does not begin with the number of a vertex");
  *vertex = is_negative ? num_vertices - value : value - 1;
  if (*vertex >= 0 && *vertex < num_vertices) return CAROM_OK;
  char rest[80];
  snprintf(rest, sizeof rest, "names none of the %d vertices above it", num_vertices);
  return cr_line_fail(reader, "corner", word, rest);
}

static carom_status read_face(cr_line_reader* reader, cr_mesh* mesh) {
  int first = 0, before = 0, count = 0, vertex = 0;
  cr_line_word word;
  while ((word = cr_line_word_next(reader)).length > 0 && word.text[0] != '#') {
    CR_TRY(read_corner(reader, word, mesh->num_vertices, &vertex));
    if (count == 0) first = vertex;
    if (count >= 2) {
      if (mesh->num_triangles >= CR_MESH_MAX_TRIANGLES)
        return cr_line_fail(reader, "corner", word, "is of a triangle too many: 8000000 are read");
      if (!cr_mesh_add_triangle(mesh, first, before, vertex)) return cr_error_memory(reader->error);
    }
    before = vertex;
    count++;
  }
  cr_mesh_cut_polygon(mesh, count);
  if (count >= 3) return CAROM_OK;
  return cr_line_fail(reader, "the face before", word, "has fewer than three corners");
}

static carom_status read_vertex(cr_line_reader* reader, cr_mesh* mesh) {
  double position[3];
  CR_TRY(cr_line_read_position(reader, "coordinate", position));
  if (mesh->num_vertices >= CR_MESH_MAX_VERTICES)
    return cr_line_fail(reader, "the vertex", (cr_line_word){"", 0},
                        "is one too many: 24000000 are read");
  return cr_mesh_add_vertex(mesh, position) ? CAROM_OK : cr_error_memory(reader->error);
}

static bool is_one_of(cr_line_word word, const char* const* words) {
  for (; *words; words++)
    if (cr_line_word_is(word, *words)) return true;
  return false;
}

/* --- Names --------------------------------------------------------------------------------------
 */

/* What is known of a file while it is read. */
typedef struct obj {
  cr_line_reader* reader;
  cr_mesh* mesh;
  cr_mesh_ignored* ignored;
  cr_obj_materials materials;
  bool is_wanted;   /* faces here are taken */
  bool has_objects; /* it has named one, so that groups are parts of objects */
} obj;

/* A new object or group; the faces of others are passed over where only one is wanted. A file with
 * objects is kept apart by these, one without by its groups. */
static carom_status read_name(obj* o, bool is_object) {
  const char* wanted = o->reader->source->object;
  bool is_named = false;
  for (cr_line_word w; (w = cr_line_word_next(o->reader)).length > 0;)
    is_named = is_named || (wanted && cr_line_word_is(w, wanted));
  if (is_object && !o->has_objects) o->mesh->num_parts = 0;
  o->has_objects = o->has_objects || is_object;
  if (wanted) o->is_wanted = is_named || (!is_object && o->has_objects && o->is_wanted);
  if (wanted || o->has_objects != is_object) return CAROM_OK;
  return cr_mesh_begin_part(o->mesh) ? CAROM_OK : cr_error_memory(o->reader->error);
}

/* Every file that a line of materials names. */
static carom_status read_library(obj* o) {
  o->ignored->materials++;
  if (!o->reader->source->has_colours) return CAROM_OK;
  for (cr_line_word w; (w = cr_line_word_next(o->reader)).length > 0;)
    if (!cr_obj_materials_load(&o->materials, o->reader->source->name, w.text, w.length))
      return cr_error_memory(o->reader->error);
  return CAROM_OK;
}

static carom_status use_material(obj* o) {
  o->ignored->materials++;
  if (!o->reader->source->has_colours) return CAROM_OK;
  cr_line_word word = cr_line_word_next(o->reader);
  o->mesh->brush = cr_obj_materials_find(&o->materials, word.text, word.length);
  return CAROM_OK;
}

/* --- Lines --------------------------------------------------------------------------------------
 */

/* A line that places nothing. */
static carom_status read_other(obj* o, cr_line_word word) {
  static const char* const MATERIALS[] = {"usemap", "maplib", NULL};
  static const char* const LINES[] = {"l",      "p",    "curv", "curv2", "surf", "vp",
                                      "cstype", "parm", "trim", "hole",  "scrv", "sp",
                                      "end",    "deg",  "con",  "bmat",  "step", NULL};
  static const char* const NAMES[] = {"vt",    "vn",       "s",        "mg",         "lod",
                                      "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj",
                                      "ctech", "stech",    NULL};
  if (is_one_of(word, MATERIALS))
    o->ignored->materials++;
  else if (is_one_of(word, LINES))
    o->ignored->lines++;
  else if (!is_one_of(word, NAMES))
    return cr_line_fail(o->reader, "the word", word, "is none of an OBJ file");
  return CAROM_OK;
}

static carom_status read_word(obj* o, cr_line_word word) {
  if (cr_line_word_is(word, "v")) return read_vertex(o->reader, o->mesh);
  if (cr_line_word_is(word, "f")) return o->is_wanted ? read_face(o->reader, o->mesh) : CAROM_OK;
  if (cr_line_word_is(word, "o")) return read_name(o, true);
  if (cr_line_word_is(word, "g")) return read_name(o, false);
  if (cr_line_word_is(word, "mtllib")) return read_library(o);
  if (cr_line_word_is(word, "usemtl")) return use_material(o);
  return read_other(o, word);
}

static carom_status read_line(obj* o, cr_line_word word) {
  cr_line_reader* reader = o->reader;
  if (word.text[0] == '#') {
    while (reader->at < reader->end && *reader->at != '\n') reader->at++;
    return CAROM_OK;
  }
  CR_TRY(read_word(o, word));
  while (cr_line_word_next(reader).length > 0) continue;
  return CAROM_OK;
}

/* Vertices of other objects stay where only one is wanted; no face names them. */
static carom_status drop_others(const cr_mesh_source* source, cr_mesh* mesh, carom_error* error) {
  if (mesh->num_triangles == 0)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "%.200s: there is no object or group '%.60s' with faces", source->name,
                        source->object);
  cr_mesh kept;
  cr_mesh_init(&kept, &mesh->allocator);
  bool done = cr_mesh_add_range(&kept, mesh, 0, mesh->num_triangles) && cr_mesh_weld(&kept);
  cr_mesh_release(done ? mesh : &kept);
  if (done) *mesh = kept;
  return done ? CAROM_OK : cr_error_memory(error);
}

carom_status cr_obj_read(const cr_mesh_source* source, cr_mesh* mesh, cr_mesh_ignored* ignored,
                         carom_error* error) {
  cr_line_reader reader = cr_line_reader_make(source, error);
  obj o = {.reader = &reader, .mesh = mesh, .ignored = ignored, .is_wanted = !source->object};
  carom_status status = CAROM_OK;
  cr_line_word word;
  cr_obj_materials_init(&o.materials, &mesh->allocator);
  while (status == CAROM_OK && cr_line_next(&reader, &word)) status = read_line(&o, word);
  cr_obj_materials_release(&o.materials);
  mesh->brush = 0;
  if (status == CAROM_OK && source->object) status = drop_others(source, mesh, error);
  return status;
}
