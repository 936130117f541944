/* From a file to a checked mesh: the form is found from the content, the file's numbers of nodes
 * are looked up, and nodes that no tetrahedron has are left out. */
#include "import/tets/reader.h"
#include "import/tets/tets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_FILE ((long)1 << 30)

/* A node's number in the file and its place there. */
typedef struct tagged {
  int64_t tag;
  int place;
} tagged;

static int compare_tags(const void* a, const void* b) {
  const tagged *x = a, *y = b;
  if (x->tag != y->tag) return x->tag < y->tag ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

#define REFUSE(r, format, ...) \
  cr_error_set((r)->error, CAROM_ERROR_BAD_INPUT, "%.180s: " format, (r)->name, ##__VA_ARGS__)

static carom_status sort_tags(cr_tets_reader* r, const cr_tets_found* found, tagged** sorted) {
  tagged* all = CR_PUSH(r->arena, tagged, found->num_nodes);
  if (!all) return cr_error_memory(r->error);
  for (int n = 0; n < found->num_nodes; n++) all[n] = (tagged){found->tag ? found->tag[n] : n, n};
  qsort(all, (size_t)found->num_nodes, sizeof *all, compare_tags);
  for (int n = 1; n < found->num_nodes; n++)
    if (all[n].tag == all[n - 1].tag)
      return REFUSE(r, "two nodes have the number %lld", (long long)all[n].tag);
  *sorted = all;
  return CAROM_OK;
}

static int find_place(const tagged* sorted, int count, int64_t tag) {
  int low = 0, high = count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (sorted[middle].tag < tag)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && sorted[low].tag == tag ? sorted[low].place : -1;
}

/* Turns the elements' numbers into places; `number` [num_nodes] receives the numbers of the nodes
 * that are used, in order, and -1 for the others. Returns how many are used through `num_used`. */
static carom_status number_nodes(cr_tets_reader* r, cr_tets_found* found, int* number,
                                 int* num_used) {
  tagged* sorted = NULL;
  CR_TRY(sort_tags(r, found, &sorted));
  for (int n = 0; n < found->num_nodes; n++) number[n] = -1;
  int count = found->num_elements * found->nodes_per_element;
  for (int k = 0; k < count; k++) {
    int place = find_place(sorted, found->num_nodes, found->element[k]);
    if (place < 0)
      return REFUSE(r, "tetrahedron %d names node %lld, which is not there",
                    k / found->nodes_per_element, (long long)found->element[k]);
    found->element[k] = place;
    number[place] = 0;
  }
  *num_used = 0;
  for (int n = 0; n < found->num_nodes; n++)
    if (number[n] == 0) number[n] = (*num_used)++;
  return CAROM_OK;
}

static carom_status make_mesh(cr_tets_reader* r, cr_tets_found* found,
                              const carom_allocator* allocator, cr_soft_mesh* mesh) {
  int num_used = 0, *number = CR_PUSH(r->arena, int, found->num_nodes);
  if (!number) return cr_error_memory(r->error);
  if (found->num_elements == 0)
    return REFUSE(r, "there are no tetrahedra: a soft body needs a mesh of its volume");
  CR_TRY(number_nodes(r, found, number, &num_used));
  CR_TRY(cr_soft_mesh_create(mesh, num_used, found->num_elements, found->nodes_per_element,
                             allocator, r->error));
  for (int n = 0; n < found->num_nodes; n++)
    if (number[n] >= 0) memcpy(mesh->node[number[n]], found->node[n], sizeof found->node[n]);
  for (int k = 0; k < found->num_elements * found->nodes_per_element; k++)
    mesh->element[k] = number[found->element[k]];
  return CAROM_OK;
}

static carom_status check(const cr_tets_reader* r, cr_soft_mesh* mesh) {
  carom_status status = cr_soft_mesh_check(mesh, r->error);
  if (status == CAROM_OK) return status;
  cr_soft_mesh_destroy(mesh);
  char text[300];
  snprintf(text, sizeof text, "%.299s", r->error->message);
  return cr_error_set(r->error, status, "%.180s: %s", r->name, text);
}

static carom_status read_any(cr_tets_reader* r, const carom_allocator* allocator,
                             cr_soft_mesh* mesh) {
  cr_tets_found found = {0};
  if (strncmp(r->text, "# vtk DataFile", 14) == 0)
    CR_TRY(cr_vtk_read(r, &found));
  else if (cr_tets_find(r, "$MeshFormat"))
    CR_TRY(cr_gmsh_read(r, &found));
  else
    return REFUSE(r, "is neither a .msh file of Gmsh nor a legacy .vtk file");
  CR_TRY(make_mesh(r, &found, allocator, mesh));
  return check(r, mesh);
}

carom_status cr_tets_load_memory(const char* name, const void* data, size_t size,
                                 const carom_allocator* allocator, cr_soft_mesh* mesh,
                                 carom_error* error) {
  carom_error unused;
  cr_arena arena;
  *mesh = (cr_soft_mesh){0};
  cr_arena_init(&arena, allocator);
  cr_tets_reader r = {.name = name, .arena = &arena, .error = error ? error : &unused};
  char* text = CR_PUSH(&arena, char, size + 1);
  carom_status status = cr_error_memory(r.error);
  if (text) {
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    r.text = r.at = text;
    r.end = text + strlen(text);
    status = read_any(&r, allocator, mesh);
  }
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
  FILE* file = fopen(path, "rb");
  if (!file)
    return cr_error_set(error, CAROM_ERROR_FILE, "%.300s: cannot be opened: %s", path,
                        strerror(errno));
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
