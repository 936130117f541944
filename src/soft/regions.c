/* Named parts of a mesh. A region is one block: its name, nodes and elements. */
#include "soft/regions.h"

#include "base/copy.h"

#include <stdio.h>
#include <string.h>

static size_t region_bytes(const cr_soft_region* region) {
  return sizeof(int) * ((size_t)region->num_nodes + (size_t)region->num_elements) +
         strlen(region->name) + 1;
}

/* The block begins with the nodes. */
static void release_region(const cr_soft_mesh* mesh, const cr_soft_region* region) {
  cr_release(&mesh->allocator, (void*)region->node, region_bytes(region));
}

static bool copy_region(const cr_soft_mesh* mesh, const cr_soft_region* from, cr_soft_region* to) {
  size_t nodes = (size_t)from->num_nodes, elements = (size_t)from->num_elements;
  int* block = cr_alloc(&mesh->allocator, region_bytes(from));
  if (!block) return false;
  char* name = (char*)(block + nodes + elements);
  if (nodes) CR_COPY(block, from->node, nodes);
  if (elements) CR_COPY(block + nodes, from->element, elements);
  memcpy(name, from->name, strlen(from->name) + 1);
  *to = (cr_soft_region){name, from->num_nodes, from->num_elements, block, block + nodes};
  return true;
}

carom_status cr_soft_mesh_add_region(cr_soft_mesh* mesh, const cr_soft_region* region,
                                     carom_error* error) {
  if (cr_soft_mesh_find_region(mesh, region->name))
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "mesh: two regions have the name '%.100s'",
                        region->name);
  if (!cr_reserve_one(&mesh->allocator, (void**)&mesh->region, mesh->num_regions,
                      &mesh->region_capacity, sizeof *mesh->region) ||
      !copy_region(mesh, region, &mesh->region[mesh->num_regions]))
    return cr_error_memory(error);
  mesh->num_regions++;
  return cr_error_clear(error);
}

void cr_soft_regions_release(cr_soft_mesh* mesh) {
  for (int i = 0; i < mesh->num_regions; i++) release_region(mesh, &mesh->region[i]);
  cr_release(&mesh->allocator, mesh->region, sizeof *mesh->region * (size_t)mesh->region_capacity);
}

const cr_soft_region* cr_soft_mesh_find_region(const cr_soft_mesh* mesh, const char* name) {
  for (int i = 0; i < mesh->num_regions; i++)
    if (strcmp(mesh->region[i].name, name) == 0) return &mesh->region[i];
  return NULL;
}

void cr_soft_mesh_list_regions(const cr_soft_mesh* mesh, char* text, size_t size) {
  static const char MORE[] = " ...";
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < mesh->num_regions; i++) {
    size_t count = strlen(mesh->region[i].name) + (i ? 4 : 2);
    bool is_last = i + 1 == mesh->num_regions;
    if (used + count + (is_last ? 1 : sizeof MORE) > size) {
      snprintf(text + used, size - used, "%s", MORE);
      return;
    }
    snprintf(text + used, size - used, "%s'%s'", i ? ", " : "", mesh->region[i].name);
    used += count;
  }
}

/* --- Ten nodes ----------------------------------------------------------------------------------
 */

/* Marks the nodes of a region, with those in the middle of edges whose ends are both in it. */
static void mark_nodes(const cr_soft_mesh* quadratic, const cr_soft_region* region, char* is_in) {
  memset(is_in, 0, (size_t)quadratic->num_nodes);
  for (int k = 0; k < region->num_nodes; k++) is_in[region->node[k]] = 1;
  for (int e = 0; e < quadratic->num_elements; e++) {
    const int* node = quadratic->element + (size_t)e * CR_SOFT_QUADRATIC_NODES;
    for (int k = 0; k < 6; k++)
      if (is_in[node[cr_soft_edge[k][0]]] && is_in[node[cr_soft_edge[k][1]]])
        is_in[node[CR_SOFT_LINEAR_NODES + k]] = 1;
  }
}

carom_status cr_soft_regions_refine(const cr_soft_mesh* linear, cr_soft_mesh* quadratic,
                                    carom_error* error) {
  size_t count = (size_t)quadratic->num_nodes;
  char* is_in = cr_alloc(&linear->allocator, count);
  int* node = cr_alloc(&linear->allocator, sizeof(int) * count);
  carom_status status = is_in && node ? CAROM_OK : cr_error_memory(error);
  for (int i = 0; is_in && node && i < linear->num_regions && status == CAROM_OK; i++) {
    cr_soft_region region = linear->region[i];
    mark_nodes(quadratic, &region, is_in);
    region.node = node, region.num_nodes = 0;
    for (int n = 0; n < quadratic->num_nodes; n++)
      if (is_in[n]) node[region.num_nodes++] = n;
    status = cr_soft_mesh_add_region(quadratic, &region, error);
  }
  cr_release(&linear->allocator, is_in, count);
  cr_release(&linear->allocator, node, sizeof(int) * count);
  if (status != CAROM_OK) cr_soft_mesh_destroy(quadratic);
  return status;
}
