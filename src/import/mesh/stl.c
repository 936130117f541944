/* STL: triangles one by one, in text or in little-endian single precision.
 *
 * A binary file has 80 bytes of anything (often beginning with "solid"), a count, and 50 bytes for
 * each triangle; a file of just that size is one. Normals are not read: the order of the corners
 * says where a triangle looks. */
#include "base/error.h"
#include "import/mesh/line.h"
#include "import/mesh/little.h"

#define HEADER   84
#define TRIANGLE 50

/* Adds a triangle with three vertices of its own. */
static carom_status add_triangle(double corner[3][3], cr_mesh* mesh, carom_error* error) {
  int first = mesh->num_vertices;
  for (int i = 0; i < 3; i++)
    if (!cr_mesh_add_vertex(mesh, corner[i])) return cr_error_memory(error);
  return cr_mesh_add_triangle(mesh, first, first + 1, first + 2) ? CAROM_OK
                                                                 : cr_error_memory(error);
}

/* A text that begins as one with "solid", but is not. */
static carom_status refuse_cut(const cr_mesh_source* source, uint32_t count, double wanted,
                               carom_error* error) {
  return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                      "%.200s: it has %zu bytes and no triangle in text, but the %u triangles that "
                      "it announces take %.0f: it is cut, or no STL file",
                      source->name, source->size, count, wanted);
}

static carom_status read_binary(const cr_mesh_source* source, uint32_t count, cr_mesh* mesh,
                                carom_error* error) {
  for (uint32_t f = 0; f < count; f++) {
    const char* at = source->bytes + HEADER + (size_t)f * TRIANGLE + 12; /* behind the normal */
    double corner[3][3];
    for (int i = 0; i < 9; i++) {
      corner[i / 3][i % 3] = cr_little_single(at + 4 * (size_t)i);
      if (!isfinite(corner[i / 3][i % 3]))
        return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                            "%.200s: triangle %u: coordinate is %g, must be a finite number",
                            source->name, f + 1, corner[i / 3][i % 3]);
    }
    CR_TRY(add_triangle(corner, mesh, error));
  }
  return CAROM_OK;
}

static carom_status refuse_count(const cr_mesh_source* source, double count, carom_error* error) {
  return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                      "%.200s: it has %.0f triangles, at most %d are "
                      "accepted",
                      source->name, count, CR_MESH_MAX_TRIANGLES);
}

/* Words of the text that say nothing that is not known. */
static bool is_structure(cr_line_word word) {
  static const char* const WORDS[] = {"solid", "facet", "outer", "endsolid", NULL};
  for (int i = 0; WORDS[i]; i++)
    if (cr_line_word_is(word, WORDS[i])) return true;
  return false;
}

static carom_status skip_line(cr_line_reader* reader) {
  while (reader->at < reader->end && *reader->at != '\n') reader->at++;
  return CAROM_OK;
}

/* One line of the text; corners gather until their loop ends. */
static carom_status read_line(cr_line_reader* reader, cr_line_word word, double corner[3][3],
                              int* num_corners, cr_mesh* mesh) {
  if (cr_line_word_is(word, "vertex")) {
    if (*num_corners == 3)
      return cr_line_fail(reader, "a fourth", word, "in a facet, which has three");
    return cr_line_read_position(reader, "coordinate", corner[(*num_corners)++]);
  }
  if (cr_line_word_is(word, "endfacet") || cr_line_word_is(word, "endloop")) {
    bool is_loop = word.length == 7;
    if (is_loop != (*num_corners == 3))
      return cr_line_fail(reader, "the facet ends with", word, "without three vertices");
    if (!is_loop) return CAROM_OK;
    *num_corners = 0;
    if (mesh->num_triangles >= CR_MESH_MAX_TRIANGLES)
      return refuse_count(reader->source, mesh->num_triangles + 1.0, reader->error);
    return add_triangle(corner, mesh, reader->error);
  }
  if (is_structure(word)) return skip_line(reader);
  return cr_line_fail(reader, "the word", word, "is none of an STL file");
}

static carom_status read_text(const cr_mesh_source* source, cr_mesh* mesh, carom_error* error) {
  cr_line_reader reader = cr_line_reader_make(source, error);
  cr_line_word word;
  double corner[3][3];
  int num_corners = 0;
  while (cr_line_next(&reader, &word)) CR_TRY(read_line(&reader, word, corner, &num_corners, mesh));
  if (num_corners == 0) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "%.200s:%d: the file ends within a facet",
                      source->name, reader.number);
}

static bool begins_as_text(const cr_mesh_source* source) {
  size_t i = source->size >= 3 && memcmp(source->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (i < source->size && strchr(" \t\r\n", source->bytes[i]) && source->bytes[i]) i++;
  return source->size - i >= 5 && memcmp(source->bytes + i, "solid", 5) == 0;
}

carom_status cr_stl_read(const cr_mesh_source* source, cr_mesh* mesh, carom_error* error) {
  uint32_t count = source->size >= HEADER ? cr_little_word(source->bytes + 80) : 0;
  double wanted = HEADER + (double)count * TRIANGLE, size = (double)source->size;
  if (source->size >= HEADER && wanted == size) {
    if (count > CR_MESH_MAX_TRIANGLES) return refuse_count(source, count, error);
    return read_binary(source, count, mesh, error);
  }
  if (begins_as_text(source)) {
    CR_TRY(read_text(source, mesh, error));
    bool is_cut = mesh->num_triangles == 0 && source->size > HEADER;
    return is_cut ? refuse_cut(source, count, wanted, error) : CAROM_OK;
  }
  if (source->size < HEADER)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "%.200s: it has %zu bytes, an STL file has 84 at least or begins with "
                        "'solid'",
                        source->name, source->size);
  return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                      "%.200s: it has %zu bytes, but the %u triangles that it announces take %.0f",
                      source->name, source->size, count, wanted);
}
