/* Gmsh's .msh, versions 2.2 and 4.1, as text (Gmsh reference manual, "File formats"). */
#include "import/tets/reader.h"
#include "soft/mesh.h"

#include <string.h>

enum { GMSH_TETRAHEDRON = 4, GMSH_TETRAHEDRON_10 = 11 };

/* Our place of Gmsh's nodes: the last two edges change places. */
static const int PLACE[CR_SOFT_QUADRATIC_NODES] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};

static int nodes_of_type(int64_t type) {
  return type == GMSH_TETRAHEDRON      ? CR_SOFT_LINEAR_NODES
         : type == GMSH_TETRAHEDRON_10 ? CR_SOFT_QUADRATIC_NODES
                                       : 0;
}

static carom_status take_nodes(cr_tets_reader* r, int count, cr_tets_found* found) {
  found->tag = CR_PUSH(r->arena, int64_t, count);
  found->node = (double(*)[3])cr_arena_push(r->arena, sizeof(double[3]) * (size_t)count);
  return r->arena->failed ? cr_error_memory(r->error) : CAROM_OK;
}

/* Room for all elements, should each be a tetrahedron with the nodes of the first. */
static carom_status read_element(cr_tets_reader* r, int nodes, int most, cr_tets_found* found) {
  if (found->nodes_per_element == 0) {
    found->nodes_per_element = nodes;
    found->element = CR_PUSH(r->arena, int64_t, (size_t)most * (size_t)nodes);
    if (!found->element) return cr_error_memory(r->error);
  }
  if (found->nodes_per_element != nodes)
    return cr_tets_refuse(r, "tetrahedra with 4 and with 10 nodes cannot stand in one mesh");
  int64_t* element = found->element + (size_t)found->num_elements++ * (size_t)nodes;
  for (int a = 0; a < nodes; a++)
    CR_TRY(cr_tets_read_int(r, "the node of an element", &element[PLACE[a]]));
  return CAROM_OK;
}

/* --- Version 2.2 ------------------------------------------------------------------------------ */

static carom_status read_nodes_2(cr_tets_reader* r, cr_tets_found* found) {
  int count = 0;
  CR_TRY(cr_tets_read_count(r, "the number of nodes", &count));
  CR_TRY(take_nodes(r, count, found));
  for (; found->num_nodes < count; found->num_nodes++) {
    CR_TRY(cr_tets_read_int(r, "the number of a node", &found->tag[found->num_nodes]));
    CR_TRY(cr_tets_read_point(r, found->node[found->num_nodes]));
  }
  return CAROM_OK;
}

static carom_status read_elements_2(cr_tets_reader* r, cr_tets_found* found) {
  int count = 0, num_tags = 0;
  CR_TRY(cr_tets_read_count(r, "the number of elements", &count));
  for (int e = 0; e < count; e++) {
    int64_t tag = 0, type = 0;
    CR_TRY(cr_tets_read_int(r, "the number of an element", &tag));
    CR_TRY(cr_tets_read_int(r, "the type of an element", &type));
    CR_TRY(cr_tets_read_count(r, "the number of tags", &num_tags));
    for (int t = 0; t < num_tags; t++) CR_TRY(cr_tets_read_int(r, "a tag", &tag));
    if (nodes_of_type(type))
      CR_TRY(read_element(r, nodes_of_type(type), count, found));
    else
      cr_tets_skip_line(r);
  }
  return CAROM_OK;
}

/* --- Version 4.1 ------------------------------------------------------------------------------ */

/* The head of a block: two or three numbers, of which the first and the last one matter, and how
 * many entries follow. */
static carom_status read_block(cr_tets_reader* r, int64_t head[3], int* count) {
  for (int k = 0; k < 3; k++) CR_TRY(cr_tets_read_int(r, "the head of a block", &head[k]));
  return cr_tets_read_count(r, "the number of entries of a block", count);
}

static carom_status read_node_block_4(cr_tets_reader* r, int total, cr_tets_found* found) {
  int64_t head[3] = {0};
  int count = 0, first = found->num_nodes;
  CR_TRY(read_block(r, head, &count));
  if (count > total - first)
    return cr_tets_refuse(r, "a block has %d nodes where %d are left of all", count, total - first);
  int num_parameters = head[2] != 0 && head[0] >= 0 && head[0] <= 3 ? (int)head[0] : 0;
  double parameter = 0;
  for (int n = first; n < first + count; n++)
    CR_TRY(cr_tets_read_int(r, "the number of a node", &found->tag[n]));
  for (int n = first; n < first + count; n++) {
    CR_TRY(cr_tets_read_point(r, found->node[n]));
    for (int k = 0; k < num_parameters; k++)
      CR_TRY(cr_tets_read_real(r, "a parameter", &parameter));
  }
  found->num_nodes += count;
  return CAROM_OK;
}

/* The totals that open a section: blocks, entries, and the range of numbers. */
static carom_status read_totals(cr_tets_reader* r, int* num_blocks, int* total) {
  int64_t range = 0;
  CR_TRY(cr_tets_read_count(r, "the number of blocks", num_blocks));
  CR_TRY(cr_tets_read_count(r, "the number of entries", total));
  for (int k = 0; k < 2; k++) CR_TRY(cr_tets_read_int(r, "the range of numbers", &range));
  return CAROM_OK;
}

static carom_status read_nodes_4(cr_tets_reader* r, cr_tets_found* found) {
  int num_blocks = 0, total = 0;
  CR_TRY(read_totals(r, &num_blocks, &total));
  CR_TRY(take_nodes(r, total, found));
  for (int b = 0; b < num_blocks; b++) CR_TRY(read_node_block_4(r, total, found));
  return CAROM_OK;
}

static carom_status read_elements_4(cr_tets_reader* r, cr_tets_found* found) {
  int num_blocks = 0, total = 0, count = 0;
  CR_TRY(read_totals(r, &num_blocks, &total));
  for (int b = 0; b < num_blocks; b++) {
    int64_t head[3] = {0}, tag = 0;
    CR_TRY(read_block(r, head, &count));
    int nodes = nodes_of_type(head[2]);
    if (nodes && count > total - found->num_elements)
      return cr_tets_refuse(r, "a block has %d elements where %d are left of all", count,
                            total - found->num_elements);
    if (!nodes) cr_tets_skip_line(r);
    for (int e = 0; e < count; e++) {
      if (!nodes) {
        cr_tets_skip_line(r);
        continue;
      }
      CR_TRY(cr_tets_read_int(r, "the number of an element", &tag));
      CR_TRY(read_element(r, nodes, total, found));
    }
  }
  return CAROM_OK;
}

carom_status cr_gmsh_read(cr_tets_reader* r, cr_tets_found* found) {
  double version = 0;
  int64_t is_binary = 0, size = 0;
  if (!cr_tets_find(r, "$MeshFormat")) return cr_tets_refuse(r, "there is no $MeshFormat");
  CR_TRY(cr_tets_read_real(r, "the version", &version));
  CR_TRY(cr_tets_read_int(r, "the file's type", &is_binary));
  CR_TRY(cr_tets_read_int(r, "the size of numbers", &size));
  if (is_binary)
    return cr_tets_refuse(r, "binary .msh files are not read; Gmsh writes text with -bin 0");
  if (version != 2.2 && version != 4.1)
    return cr_tets_refuse(r, "version %g of .msh is not read, only 2.2 and 4.1", version);
  if (!cr_tets_find(r, "$Nodes")) return cr_tets_refuse(r, "there are no $Nodes");
  CR_TRY(version < 3 ? read_nodes_2(r, found) : read_nodes_4(r, found));
  if (!cr_tets_find(r, "$Elements")) return cr_tets_refuse(r, "there are no $Elements");
  return version < 3 ? read_elements_2(r, found) : read_elements_4(r, found);
}
