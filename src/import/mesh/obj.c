/* Wavefront OBJ: vertices and polygons; of polygons a fan of triangles is made. Groups, normals and
 * texture coordinates have no part here; materials, lines and curves are counted. */
#include "base/error.h"
#include "import/mesh/line.h"

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

static carom_status read_line(cr_line_reader* reader, cr_line_word word, cr_mesh* mesh,
                              cr_mesh_ignored* ignored) {
  static const char* const MATERIALS[] = {"mtllib", "usemtl", "usemap", "maplib", NULL};
  static const char* const LINES[] = {"l",      "p",    "curv", "curv2", "surf", "vp",
                                      "cstype", "parm", "trim", "hole",  "scrv", "sp",
                                      "end",    "deg",  "con",  "bmat",  "step", NULL};
  static const char* const NAMES[] = {"vt",         "vn",        "g",     "o",        "s",
                                      "mg",         "lod",       "bevel", "c_interp", "d_interp",
                                      "shadow_obj", "trace_obj", "ctech", "stech",    NULL};
  if (word.text[0] != '#') {
    if (cr_line_word_is(word, "v")) {
      CR_TRY(read_vertex(reader, mesh));
    } else if (cr_line_word_is(word, "f")) {
      CR_TRY(read_face(reader, mesh));
    } else if (is_one_of(word, MATERIALS)) {
      ignored->materials++;
    } else if (is_one_of(word, LINES)) {
      ignored->lines++;
    } else if (!is_one_of(word, NAMES)) {
      return cr_line_fail(reader, "the word", word, "is none of an OBJ file");
    }
  }
  if (word.text[0] == '#') {
    while (reader->at < reader->end && *reader->at != '\n') reader->at++;
    return CAROM_OK;
  }
  while (cr_line_word_next(reader).length > 0) continue;
  return CAROM_OK;
}

carom_status cr_obj_read(const cr_mesh_source* source, cr_mesh* mesh, cr_mesh_ignored* ignored,
                         carom_error* error) {
  cr_line_reader reader = cr_line_reader_make(source, error);
  cr_line_word word;
  while (cr_line_next(&reader, &word)) CR_TRY(read_line(&reader, word, mesh, ignored));
  return CAROM_OK;
}
