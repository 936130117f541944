/* From a file to a checked mesh: the form is found from the content, the file's numbers of nodes
 * are looked up, and nodes that no tetrahedron has are left out. */
#include "import/tets/tag.h"
#include "import/tets/tets.h"
#include "io/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_FILE ((long)1 << 30)

#define REFUSE(r, format, ...) \
  cr_error_set((r)->error, CAROM_ERROR_BAD_INPUT, "%.180s: " format, (r)->name, ##__VA_ARGS__)

/* What the numbers of a file have become. */
typedef struct numbering {
  const cr_tets_tag* sorted;
  int* number;       /* [num_nodes found] in the mesh; -1: no tetrahedron has it */
  int64_t* node_tag; /* [num_used] the file's numbers of the mesh's nodes */
  int num_used;
} numbering;

/* Numbers the nodes that are used, in their order. */
static carom_status number_nodes(cr_tets_reader* r, cr_tets_found* found, numbering* n) {
  int count = found->num_elements * found->nodes_per_element;
  for (int i = 0; i < found->num_nodes; i++) n->number[i] = -1;
  for (int k = 0; k < count; k++) {
    int place = cr_tets_find_place(n->sorted, found->num_nodes, found->element[k]);
    if (place < 0)
      return REFUSE(r, "element %lld names node %lld, which is not there",
                    (long long)found->element_tag[k / found->nodes_per_element],
                    (long long)found->element[k]);
    found->element[k] = place;
    n->number[place] = 0;
  }
  for (int i = 0; i < found->num_nodes; i++) {
    if (n->number[i] < 0) continue;
    n->node_tag[n->num_used] = found->tag ? found->tag[i] : i;
    n->number[i] = n->num_used++;
  }
  return CAROM_OK;
}

static carom_status make_numbering(cr_tets_reader* r, cr_tets_found* found, numbering* n) {
  cr_tets_tag* sorted = NULL;
  *n = (numbering){.number = CR_PUSH(r->arena, int, found->num_nodes),
                   .node_tag = CR_PUSH(r->arena, int64_t, found->num_nodes)};
  if (r->arena->failed) return cr_error_memory(r->error);
  if (found->num_elements == 0 && found->num_triangles > 0)
    return REFUSE(
        r,
        "there are no tetrahedra, only flat elements (%d): a soft body needs a mesh of its "
        "volume, not of its surface",
        found->num_triangles);
  if (found->num_elements == 0)
    return REFUSE(r, "there are no tetrahedra: a soft body needs a mesh of its volume");
  CR_TRY(cr_tets_sort_tags(r, found, &sorted));
  n->sorted = sorted;
  return number_nodes(r, found, n);
}

static carom_status make_mesh(cr_tets_reader* r, const cr_tets_found* found, const numbering* n,
                              const carom_allocator* allocator, cr_soft_mesh* mesh) {
  CR_TRY(cr_soft_mesh_create(mesh, n->num_used, found->num_elements, found->nodes_per_element,
                             allocator, r->error));
  for (int i = 0; i < found->num_nodes; i++)
    if (n->number[i] >= 0) memcpy(mesh->node[n->number[i]], found->node[i], sizeof *found->node);
  for (int k = 0; k < found->num_elements * found->nodes_per_element; k++)
    mesh->element[k] = n->number[found->element[k]];
  return CAROM_OK;
}

/* --- Regions ------------------------------------------------------------------------------------
 */

static int compare_marks(const void* a, const void* b) {
  const cr_tets_mark *x = a, *y = b;
  if (x->region != y->region) return x->region < y->region ? -1 : 1;
  if (x->is_element != y->is_element) return x->is_element ? -1 : 1;
  return (x->item > y->item) - (x->item < y->item);
}

/* Marks by the mesh's numbers, in order of regions; those of nodes that are left out go. */
static void translate_marks(const cr_tets_found* found, const numbering* n, cr_list* marks) {
  int kept = 0;
  for (int i = 0; i < marks->count; i++) {
    cr_tets_mark mark = *CR_AT(marks, cr_tets_mark, i);
    if (!mark.is_element) {
      int place = cr_tets_find_place(n->sorted, found->num_nodes, mark.item);
      mark.item = place < 0 ? -1 : n->number[place];
    }
    if (mark.item >= 0) *CR_AT(marks, cr_tets_mark, kept++) = mark;
  }
  marks->count = kept;
  if (kept) qsort(marks->items, (size_t)kept, sizeof(cr_tets_mark), compare_marks);
}

/* Room for the nodes and elements of one region. */
typedef struct gathering {
  char* is_in; /* [num_nodes] */
  int *node, *element;
} gathering;

/* One region from its marks; the nodes of its elements belong to it. */
static carom_status add_region(cr_tets_reader* r, const char* name, const cr_tets_mark* mark,
                               int count, const gathering* g, cr_soft_mesh* mesh) {
  cr_soft_region region = {.name = name, .node = g->node, .element = g->element};
  memset(g->is_in, 0, (size_t)mesh->num_nodes);
  for (int i = 0; i < count; i++) {
    if (!mark[i].is_element) {
      g->is_in[mark[i].item] = 1;
      continue;
    }
    int e = (int)mark[i].item;
    if (region.num_elements && g->element[region.num_elements - 1] == e) continue;
    g->element[region.num_elements++] = e;
    for (int a = 0; a < mesh->nodes_per_element; a++)
      g->is_in[mesh->element[(size_t)e * (size_t)mesh->nodes_per_element + (size_t)a]] = 1;
  }
  for (int n = 0; n < mesh->num_nodes; n++)
    if (g->is_in[n]) g->node[region.num_nodes++] = n;
  return cr_soft_mesh_add_region(mesh, &region, r->error);
}

/* Names without anything of the mesh stay as empty regions. */
static carom_status add_regions(cr_tets_reader* r, cr_tets_found* found, const numbering* n,
                                cr_soft_mesh* mesh) {
  gathering g = {CR_PUSH(r->arena, char, mesh->num_nodes), CR_PUSH(r->arena, int, mesh->num_nodes),
                 CR_PUSH(r->arena, int, mesh->num_elements)};
  if (r->arena->failed) return cr_error_memory(r->error);
  translate_marks(found, n, &found->marks);
  static const cr_tets_mark NONE[1] = {{0}};
  const cr_tets_mark* mark = found->marks.count ? found->marks.items : NONE;
  for (int region = 0, first = 0, end; region < found->regions.count; region++, first = end) {
    for (end = first; end < found->marks.count && mark[end].region == region;) end++;
    CR_TRY(add_region(r, *CR_AT(&found->regions, const char*, region), mark + first, end - first,
                      &g, mesh));
  }
  return CAROM_OK;
}

/* --- The whole ----------------------------------------------------------------------------------
 */

static carom_status check(const cr_tets_reader* r, const cr_tets_found* found, const numbering* n,
                          const cr_soft_mesh* mesh) {
  cr_soft_numbers numbers = {n->node_tag, found->element_tag};
  carom_status status = cr_soft_mesh_check(mesh, &numbers, r->error);
  if (status == CAROM_OK || status == CAROM_ERROR_OUT_OF_MEMORY) return status;
  char text[300];
  snprintf(text, sizeof text, "%.299s", r->error->message);
  return cr_error_set(r->error, status, "%.180s: %s", r->name, text);
}

static carom_status finish(cr_tets_reader* r, cr_tets_found* found,
                           const carom_allocator* allocator, cr_soft_mesh* mesh) {
  numbering n;
  CR_TRY(make_numbering(r, found, &n));
  CR_TRY(make_mesh(r, found, &n, allocator, mesh));
  carom_status status = check(r, found, &n, mesh);
  if (status == CAROM_OK) status = add_regions(r, found, &n, mesh);
  if (status != CAROM_OK) cr_soft_mesh_destroy(mesh);
  return status;
}

static bool is_xml(const cr_tets_reader* r) {
  const char* c = r->text;
  while (*c == ' ' || *c == '\n' || *c == '\r' || *c == '\t') c++;
  return *c == '<';
}

static carom_status read_any(cr_tets_reader* r, cr_tets_found* found) {
  if (strncmp(r->text, "# vtk DataFile", 14) == 0) return cr_vtk_read(r, found);
  if (is_xml(r)) return cr_vtu_read(r, found);
  if (cr_tets_find(r, "$MeshFormat")) return cr_gmsh_read(r, found);
  return REFUSE(r, "is neither a .msh file of Gmsh nor a .vtk or .vtu file");
}

static carom_status read_all(cr_tets_reader* r, const carom_allocator* allocator,
                             cr_soft_mesh* mesh) {
  cr_tets_found found = {.regions = CR_LIST_INIT(const char*), .marks = CR_LIST_INIT(cr_tets_mark)};
  carom_status status = read_any(r, &found);
  if (status == CAROM_OK) status = finish(r, &found, allocator, mesh);
  cr_list_release(&found.regions, &r->arena->allocator);
  cr_list_release(&found.marks, &r->arena->allocator);
  return status;
}

carom_status cr_tets_load_memory(const char* name, const void* data, size_t size,
                                 const carom_allocator* allocator, cr_soft_mesh* mesh,
                                 carom_error* error) {
  carom_error unused;
  cr_arena arena;
  *mesh = (cr_soft_mesh){0};
  cr_arena_init(&arena, allocator);
  cr_tets_reader r = {.name = name, .arena = &arena, .error = error ? error : &unused};
  carom_status status = cr_tets_open(&r, data, size);
  if (status == CAROM_OK) status = read_all(&r, allocator, mesh);
  if (status == CAROM_OK) cr_error_clear(r.error);
  cr_arena_destroy(&arena);
  return status;
}

static carom_status read_file(FILE* file, const char* path, cr_arena* arena, char** data,
                              size_t* size, carom_error* error) {
  long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  rewind(file);
  if (length < 0 || length > LARGE_FILE)
    return cr_error_set(error, CAROM_ERROR_FILE, "%.180s: is no file that can be read", path);
  *size = (size_t)length;
  *data = CR_PUSH(arena, char, length);
  if (!*data) return cr_error_memory(error);
  if (fread(*data, 1, *size, file) != *size)
    return cr_error_set(error, CAROM_ERROR_FILE, "%.180s: cannot be read: %s", path,
                        strerror(errno));
  return CAROM_OK;
}

carom_status cr_tets_load(const char* path, const carom_allocator* allocator, cr_soft_mesh* mesh,
                          carom_error* error) {
  *mesh = (cr_soft_mesh){0};
  FILE* file = cr_file_open_regular(path);
  if (!file)
    return cr_error_set(error, CAROM_ERROR_FILE, "%.300s: cannot be opened: %s", path,
                        cr_file_fault(path));
  cr_arena arena;
  char* data = NULL;
  size_t size = 0;
  cr_arena_init(&arena, allocator);
  carom_status status = read_file(file, path, &arena, &data, &size, error);
  fclose(file);
  if (status == CAROM_OK) status = cr_tets_load_memory(path, data, size, allocator, mesh, error);
  cr_arena_destroy(&arena);
  return status;
}
