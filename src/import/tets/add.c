/* From a mesh to a soft body of a builder. */
#include "import/tets/tets.h"
#include "model/record.h"

carom_status cr_tets_add(carom_builder* builder, const cr_soft_mesh* mesh, carom_soft_def* def,
                         carom_soft* soft, carom_error* error) {
  const carom_allocator* allocator = &builder->def.allocator;
  size_t bytes = sizeof(carom_soft_region) * (size_t)mesh->num_regions;
  carom_soft_region* regions = cr_alloc(allocator, bytes);
  if (!regions) return cr_error_memory(error);
  for (int i = 0; i < mesh->num_regions; i++) {
    const cr_soft_region* from = &mesh->region[i];
    regions[i] = (carom_soft_region){from->name, from->node, from->num_nodes, from->element,
                                     from->num_elements};
  }
  def->nodes = mesh->node[0], def->num_nodes = mesh->num_nodes;
  def->elements = mesh->element, def->num_elements = mesh->num_elements;
  def->nodes_per_element = mesh->nodes_per_element;
  def->regions = regions, def->num_regions = mesh->num_regions;
  carom_status status = carom_builder_add_soft(builder, def, soft, error);
  cr_release(allocator, regions, bytes);
  return status;
}
