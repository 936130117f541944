/* Gmsh's .msh, versions 2.2 and 4.1, as text and as bytes (Gmsh reference manual, "File formats").
 * Physical groups are regions: of solids their elements, of what is flatter its nodes. Where a
 * surface is asked for, its triangles are kept and solids passed over. */
#include "import/tets/gmsh_groups.h"
#include "import/tets/gmsh_kind.h"
#include "import/tets/reader.h"
#include "soft/mesh.h"

/* Our place of Gmsh's nodes: the last two edges change places. */
static const int PLACE[CR_SOFT_QUADRATIC_NODES] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};

typedef struct gmsh {
  cr_tets_reader* r;
  cr_tets_found* found;
  cr_gmsh_groups groups;
  cr_tets_type index; /* of the numbers of nodes and elements */
  int most;           /* elements that the section has */
} gmsh;

/* An element that has been read. */
typedef struct element {
  int64_t tag;
  const cr_gmsh_kind* kind;
  int64_t node[CR_GMSH_MOST_NODES];
} element;

static carom_status take_nodes(cr_tets_reader* r, int count, cr_tets_found* found) {
  found->tag = CR_PUSH(r->arena, int64_t, count);
  found->node = (double(*)[3])cr_arena_push(r->arena, sizeof(double[3]) * (size_t)count);
  return r->arena->failed ? cr_error_memory(r->error) : CAROM_OK;
}

static carom_status find_kind(const gmsh* g, int64_t type, const cr_gmsh_kind** kind) {
  *kind = cr_gmsh_find_kind(type);
  if (*kind) return CAROM_OK;
  return cr_tets_refuse(g->r, "elements of type %lld are not known", (long long)type);
}

static bool is_tetrahedron(const cr_gmsh_kind* kind) {
  return kind->nodes == CR_SOFT_LINEAR_NODES || kind->nodes == CR_SOFT_QUADRATIC_NODES;
}

static carom_status keep_triangle(const gmsh* g, const element* e) {
  if (e->kind->dimension != 2) return CAROM_OK;
  if (e->kind->nodes != 3)
    return cr_tets_refuse(g->r,
                          "element %lld is %s with %d nodes; a surface is made of triangles with 3",
                          (long long)e->tag, e->kind->name, e->kind->nodes);
  const cr_tets_triangle triangle = {e->tag, {e->node[0], e->node[1], e->node[2]}};
  return cr_list_push(g->found->triangles, &g->r->arena->allocator, &triangle)
             ? CAROM_OK
             : cr_error_memory(g->r->error);
}

/* The nodes of an element whose number and kind are known; a tetrahedron is kept, or a triangle. */
static carom_status read_element(const gmsh* g, element* e) {
  int64_t* node = NULL;
  for (int a = 0; a < e->kind->nodes; a++)
    CR_TRY(cr_tets_read_int(g->r, g->index, "the node of an element", &e->node[a]));
  if (g->found->triangles) return keep_triangle(g, e);
  g->found->num_triangles += e->kind->dimension == 2;
  if (e->kind->dimension < 3) return CAROM_OK;
  if (!is_tetrahedron(e->kind))
    return cr_tets_refuse(g->r,
                          "element %lld is %s with %d nodes; a soft body is made of tetrahedra "
                          "with 4 or 10",
                          (long long)e->tag, e->kind->name, e->kind->nodes);
  CR_TRY(cr_tets_add_element(g->r, g->found, e->kind->nodes, g->most, e->tag, &node));
  for (int a = 0; a < e->kind->nodes; a++) node[PLACE[a]] = e->node[a];
  return CAROM_OK;
}

/* The element that was read last belongs to a region. */
static carom_status mark_element(const gmsh* g, const element* e, int region) {
  cr_tets_mark mark = {region, e->kind->dimension == 3, g->found->num_elements - 1};
  if (g->found->triangles) return CAROM_OK;
  if (mark.is_element) return cr_tets_mark_item(g->r, g->found, mark);
  for (int a = 0; a < e->kind->nodes; a++) {
    mark.item = e->node[a];
    CR_TRY(cr_tets_mark_item(g->r, g->found, mark));
  }
  return CAROM_OK;
}

/* --- Version 2.2 --------------------------------------------------------------------------------
 */

static carom_status read_nodes_2(const gmsh* g, int count) {
  cr_tets_reader* r = g->r;
  cr_tets_found* found = g->found;
  CR_TRY(take_nodes(r, count, found));
  for (; found->num_nodes < count; found->num_nodes++) {
    int64_t* tag = &found->tag[found->num_nodes];
    CR_TRY(cr_tets_read_int(r, g->index, "the number of a node", tag));
    CR_TRY(cr_tets_read_point(r, CR_TETS_FLOAT64, *tag, found->node[found->num_nodes]));
  }
  return CAROM_OK;
}

/* Tags and nodes; an element of several groups is listed as often. The first tag is the number of
 * the physical group, 0 where there is none. */
static carom_status read_rest_2(gmsh* g, element* e, int num_tags) {
  int64_t group = 0, tag = 0;
  int region = 0;
  for (int t = 0; t < num_tags; t++)
    CR_TRY(cr_tets_read_int(g->r, CR_TETS_INT32, "a tag", t ? &tag : &group));
  CR_TRY(read_element(g, e));
  if (group == 0) return CAROM_OK;
  CR_TRY(cr_gmsh_find_group(g->r, g->found, &g->groups, e->kind->dimension,
                            group < 0 ? -group : group, &region));
  return mark_element(g, e, region);
}

/* In text each element says its kind, in bytes a run of elements does. */
static carom_status read_run_2(gmsh* g, int* left) {
  cr_tets_reader* r = g->r;
  element e;
  int64_t type = 0;
  int count = 1, num_tags = 0;
  if (!r->is_binary) CR_TRY(cr_tets_read_int(r, g->index, "the number of an element", &e.tag));
  CR_TRY(cr_tets_read_int(r, CR_TETS_INT32, "the type of an element", &type));
  CR_TRY(find_kind(g, type, &e.kind));
  if (r->is_binary) CR_TRY(cr_tets_read_count(r, CR_TETS_INT32, "the length of a run", &count));
  CR_TRY(cr_tets_read_count(r, CR_TETS_INT32, "the number of tags", &num_tags));
  if (count < 1 || count > *left)
    return cr_tets_refuse(r, "a run has %d elements where %d are left of all", count, *left);
  *left -= count;
  for (int i = 0; i < count; i++) {
    if (r->is_binary) CR_TRY(cr_tets_read_int(r, g->index, "the number of an element", &e.tag));
    CR_TRY(read_rest_2(g, &e, num_tags));
  }
  return CAROM_OK;
}

static carom_status read_elements_2(gmsh* g) {
  int left = g->most;
  while (left > 0) CR_TRY(read_run_2(g, &left));
  return CAROM_OK;
}

/* --- Version 4.1 --------------------------------------------------------------------------------
 */

/* The head of a block: three numbers, and how many entries follow. */
static carom_status read_block(const gmsh* g, int64_t head[3], int* count) {
  for (int k = 0; k < 3; k++)
    CR_TRY(cr_tets_read_int(g->r, CR_TETS_INT32, "the head of a block", &head[k]));
  return cr_tets_read_count(g->r, CR_TETS_UINT64, "the number of entries of a block", count);
}

static carom_status read_node_block_4(const gmsh* g, int total) {
  cr_tets_reader* r = g->r;
  cr_tets_found* found = g->found;
  int64_t head[3] = {0};
  int count = 0, first = found->num_nodes;
  CR_TRY(read_block(g, head, &count));
  if (count > total - first)
    return cr_tets_refuse(r, "a block has %d nodes where %d are left of all", count, total - first);
  int num_parameters = head[2] != 0 && head[0] >= 0 && head[0] <= 3 ? (int)head[0] : 0;
  double parameter = 0;
  for (int n = first; n < first + count; n++)
    CR_TRY(cr_tets_read_int(r, g->index, "the number of a node", &found->tag[n]));
  for (int n = first; n < first + count; n++) {
    CR_TRY(cr_tets_read_point(r, CR_TETS_FLOAT64, found->tag[n], found->node[n]));
    for (int k = 0; k < num_parameters; k++)
      CR_TRY(cr_tets_read_real(r, CR_TETS_FLOAT64, "a parameter", &parameter));
  }
  found->num_nodes += count;
  return CAROM_OK;
}

/* The totals that open a section: blocks, entries, and the range of numbers. */
static carom_status read_totals(const gmsh* g, int* num_blocks, int* total) {
  int64_t range = 0;
  CR_TRY(cr_tets_read_count(g->r, CR_TETS_UINT64, "the number of blocks", num_blocks));
  CR_TRY(cr_tets_read_count(g->r, CR_TETS_UINT64, "the number of entries", total));
  for (int k = 0; k < 2; k++)
    CR_TRY(cr_tets_read_int(g->r, CR_TETS_UINT64, "the range of numbers", &range));
  return CAROM_OK;
}

static carom_status read_nodes_4(const gmsh* g) {
  int num_blocks = 0, total = 0;
  CR_TRY(read_totals(g, &num_blocks, &total));
  CR_TRY(take_nodes(g->r, total, g->found));
  for (int b = 0; b < num_blocks; b++) CR_TRY(read_node_block_4(g, total));
  return CAROM_OK;
}

/* The elements of one entity, which belong to all its physical groups. */
static carom_status read_element_block_4(const gmsh* g, int* left) {
  element e;
  int64_t head[3] = {0};
  int count = 0;
  CR_TRY(read_block(g, head, &count));
  CR_TRY(find_kind(g, head[2], &e.kind));
  if (count > *left)
    return cr_tets_refuse(g->r, "a block has %d elements where %d are left of all", count, *left);
  *left -= count;
  for (int i = 0; i < count; i++) {
    int next = 0;
    const cr_gmsh_entity* entity;
    CR_TRY(cr_tets_read_int(g->r, g->index, "the number of an element", &e.tag));
    CR_TRY(read_element(g, &e));
    while ((entity = cr_gmsh_next_entity(&g->groups, &next, head[0], head[1])))
      CR_TRY(mark_element(g, &e, entity->region));
  }
  return CAROM_OK;
}

static carom_status read_elements_4(gmsh* g) {
  int num_blocks = 0;
  CR_TRY(read_totals(g, &num_blocks, &g->most));
  int left = g->most;
  for (int b = 0; b < num_blocks; b++) CR_TRY(read_element_block_4(g, &left));
  return CAROM_OK;
}

/* --- The whole ----------------------------------------------------------------------------------
 */

/* The version, always as text; bytes begin with the number 1, which tells their order. */
static carom_status read_format(cr_tets_reader* r, double* version) {
  int64_t is_binary = 0, size = 0, one = 0;
  if (!cr_tets_find(r, "$MeshFormat")) return cr_tets_refuse(r, "there is no $MeshFormat");
  CR_TRY(cr_tets_read_real(r, CR_TETS_NO_TYPE, "the version", version));
  CR_TRY(cr_tets_read_int(r, CR_TETS_NO_TYPE, "the file's type", &is_binary));
  CR_TRY(cr_tets_read_int(r, CR_TETS_NO_TYPE, "the size of numbers", &size));
  if (*version != 2.2 && *version != 4.1)
    return cr_tets_refuse(r, "version %g of .msh is not read, only 2.2 and 4.1", *version);
  if (!is_binary) return CAROM_OK;
  if (size != 8)
    return cr_tets_refuse(r, "the size of numbers is %lld bytes, must be 8", (long long)size);
  cr_tets_skip_line(r);
  r->is_binary = true;
  CR_TRY(cr_tets_read_int(r, CR_TETS_INT32, "the number 1", &one));
  r->is_swapped = one == 1 << 24;
  if (one == 1 || r->is_swapped) return CAROM_OK;
  return cr_tets_refuse(r, "the order of bytes is marked with %lld, must be 1", (long long)one);
}

/* A section of bytes begins on the line behind its word; version 2.2 has a count on that line. */
static carom_status open_section(const gmsh* g, const char* word, int* count) {
  cr_tets_reader* r = g->r;
  bool is_binary = r->is_binary;
  if (!cr_tets_find(r, word)) return cr_tets_refuse(r, "there are no %s", word);
  r->is_binary = false;
  if (count) CR_TRY(cr_tets_read_count(r, CR_TETS_NO_TYPE, "the number of entries", count));
  r->is_binary = is_binary;
  if (is_binary) cr_tets_skip_line(r);
  return CAROM_OK;
}

static carom_status read_2(gmsh* g) {
  int num_nodes = 0;
  CR_TRY(open_section(g, "$Nodes", &num_nodes));
  CR_TRY(read_nodes_2(g, num_nodes));
  CR_TRY(open_section(g, "$Elements", &g->most));
  CR_TRY(read_elements_2(g));
  return cr_tets_merge_twins(g->r, g->found);
}

static carom_status read_4(gmsh* g) {
  CR_TRY(cr_gmsh_read_entities(g->r, g->found, &g->groups));
  CR_TRY(open_section(g, "$Nodes", NULL));
  CR_TRY(read_nodes_4(g));
  CR_TRY(open_section(g, "$Elements", NULL));
  return read_elements_4(g);
}

carom_status cr_gmsh_read(cr_tets_reader* r, cr_tets_found* found) {
  double version = 0;
  CR_TRY(read_format(r, &version));
  gmsh g = {.r = r,
            .found = found,
            .groups = cr_gmsh_groups_make(),
            .index = version < 3 ? CR_TETS_INT32 : CR_TETS_UINT64};
  carom_status status = cr_gmsh_read_names(r, found, &g.groups);
  if (status == CAROM_OK) status = version < 3 ? read_2(&g) : read_4(&g);
  cr_gmsh_groups_release(&g.groups, &r->arena->allocator);
  return status;
}
