/* VTK's XML files (VTK file formats, version 1.0): the description as XML, then the arrays one
 * after another, raw and deflated in blocks. An array in blocks is
 *   number of blocks, size of a block, size of the last one if that is not full (else 0),
 *   deflated size of each (64-bit integers), the deflated blocks. */
#include "convert/vtk_xml.h"

#include "io/encode.h"
#include "io/file.h"

#include <string.h>

enum { BLOCK = 1 << 18, LEVEL = 5 };

void cr_vtk_xml_init(cr_vtk_xml* xml, const carom_allocator* allocator) {
  *xml = (cr_vtk_xml){.allocator = allocator};
  for (int i = 0; i < CR_VTK_MOST_SLOTS; i++) xml->encoded[i].allocator = allocator;
}

void cr_vtk_xml_free(cr_vtk_xml* xml) {
  for (int i = 0; i < CR_VTK_MOST_SLOTS; i++) cr_buffer_free(&xml->encoded[i]);
}

/* --- Arrays -------------------------------------------------------------------------------------
 */

static void encode(cr_buffer* out, const char* bytes, size_t size) {
  uint64_t num_blocks = (size + BLOCK - 1) / BLOCK;
  uint64_t head[3] = {num_blocks, BLOCK, size % BLOCK};
  out->count = 0;
  cr_buffer_append(out, head, sizeof head);
  size_t sizes = out->count;
  if (!cr_buffer_extend(out, sizeof(uint64_t) * num_blocks)) return;
  for (uint64_t i = 0; i < num_blocks; i++) {
    size_t start = out->count, at = i * BLOCK, part = size - at < BLOCK ? size - at : BLOCK;
    cr_deflate_append(out, bytes + at, part, LEVEL);
    uint64_t deflated = out->count - start;
    if (out->out_of_memory) return;
    memcpy(out->bytes + sizes + sizeof deflated * i, &deflated, sizeof deflated);
  }
}

/* What of an array goes into the file: of the offsets all but the first, which XML leaves out. */
static cr_vtk_array trim(const cr_vtk_mesh* mesh, int slot) {
  cr_vtk_array array = mesh->slots[slot];
  if (slot == CR_VTK_SLOT_OFFSETS) {
    array.data = (const char*)array.data + cr_vtk_type_get_size(array.type);
    array.count--;
  }
  return array;
}

static carom_status encode_all(cr_vtk_xml* xml, const cr_vtk_mesh* mesh, carom_error* error) {
  for (int i = 0; i < mesh->num_slots; i++) {
    cr_buffer* out = &xml->encoded[i];
    cr_vtk_array array = trim(mesh, i);
    if (array.is_fixed && out->count) continue;
    encode(out, array.data, cr_vtk_array_get_size(&array));
    if (out->out_of_memory) return cr_error_memory(error);
  }
  return CAROM_OK;
}

/* --- Description --------------------------------------------------------------------------------
 */

typedef struct writer {
  cr_file file;
  const cr_vtk_xml* xml;
  const cr_vtk_mesh* mesh;
} writer;

/* Arrays from one slot to another, at the places where they will stand. An array that is called
 * Normals is marked as such. */
static void put_arrays(writer* w, const char* element, int first, int end) {
  static const char* const TYPES[] = {"Float32", "Float64", "Int32", "Int64", "UInt8"};
  size_t offset = 0;
  for (int i = 0; i < first; i++) offset += w->xml->encoded[i].count;
  bool has_normals = end > first && strcmp(w->mesh->slots[first].name, "Normals") == 0;
  cr_file_print(&w->file, "      <%s%s>\n", element, has_normals ? " Normals=\"Normals\"" : "");
  for (int i = first; i < end; i++) {
    const cr_vtk_array* a = &w->mesh->slots[i];
    cr_file_print(&w->file,
                  "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                  "format=\"appended\" offset=\"%zu\"/>\n",
                  TYPES[a->type], a->name, a->components, offset);
    offset += w->xml->encoded[i].count;
  }
  cr_file_print(&w->file, "      </%s>\n", element);
}

static void put_piece(writer* w) {
  const cr_vtk_mesh* m = w->mesh;
  bool is_solid = m->kind == CR_VTK_SOLID, has_vertices = m->kind == CR_VTK_POINTS;
  const char *count = is_solid       ? "NumberOfCells"
                      : has_vertices ? "NumberOfVerts"
                                     : "NumberOfPolys",
             *cells = is_solid       ? "Cells"
                      : has_vertices ? "Verts"
                                     : "Polys";
  cr_file_print(&w->file, "    <Piece NumberOfPoints=\"%lld\" %s=\"%lld\">\n",
                (long long)m->num_points, count, (long long)m->num_cells);
  put_arrays(w, "PointData", CR_VTK_FIRST_DATA, m->num_point_slots);
  put_arrays(w, "CellData", m->num_point_slots, m->num_slots);
  put_arrays(w, "Points", CR_VTK_SLOT_POSITIONS, CR_VTK_SLOT_POSITIONS + 1);
  put_arrays(w, cells, CR_VTK_SLOT_CONNECTIVITY, is_solid ? CR_VTK_FIRST_DATA : CR_VTK_SLOT_TYPES);
  cr_file_put_text(&w->file, "    </Piece>\n");
}

static void put_all(writer* w, double time) {
  const char* type = w->mesh->kind == CR_VTK_SOLID ? "UnstructuredGrid" : "PolyData";
  cr_file_print(&w->file,
                "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" "
                "byte_order=\"LittleEndian\" header_type=\"UInt64\" "
                "compressor=\"vtkZLibDataCompressor\">\n  <%s>\n    <FieldData>\n      "
                "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                "format=\"ascii\">%.17g</DataArray>\n    </FieldData>\n",
                type, type, time);
  put_piece(w);
  cr_file_print(&w->file, "  </%s>\n  <AppendedData encoding=\"raw\">\n_", type);
  for (int i = 0; i < w->mesh->num_slots; i++)
    cr_file_put(&w->file, w->xml->encoded[i].bytes, w->xml->encoded[i].count);
  cr_file_put_text(&w->file, "\n  </AppendedData>\n</VTKFile>\n");
}

carom_status cr_vtk_xml_write(cr_vtk_xml* xml, const cr_vtk_mesh* mesh, double time,
                              const char* path, int64_t* num_bytes, carom_error* error) {
  writer w = {.xml = xml, .mesh = mesh};
  CR_TRY(encode_all(xml, mesh, error));
  CR_TRY(cr_file_open(&w.file, path, error));
  put_all(&w, time);
  *num_bytes = w.file.num_bytes;
  return cr_file_close(&w.file, error);
}
