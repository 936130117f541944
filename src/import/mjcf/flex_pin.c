/* <pin> of <flexcomp>: nodes that are fixed in the world or glued to a body. */
#include "import/mjcf/flex_parts.h"

#include <stdlib.h>
#include <string.h>

static const cr_attribute PIN[] = {
    CR_ELSEWHERE("id"),         CR_ELSEWHERE("range"),
    CR_ELSEWHERE("grid"),       CR_ELSEWHERE("gridrange"),
    CR_ELSEWHERE("carom:box"),  CR_ELSEWHERE("carom:region"),
    CR_ELSEWHERE("carom:body"), CR_END,
};

/* What pins are read against. */
typedef struct pinning {
  cr_mjcf* m;
  const cr_xml_element* element; /* <pin> */
  const cr_mjcf_flex_nodes* from;
  carom_attachment_def def;
  cr_list nodes; /* of int */
} pinning;

static carom_status add_node(pinning* p, int node) {
  return cr_list_push(&p->nodes, &p->m->allocator, &node) ? CAROM_OK : cr_error_memory(p->m->error);
}

static int grid_node(const cr_mjcf_flex_nodes* from, int x, int y, int z) {
  return x + from->count[0] * (y + from->count[1] * z);
}

static carom_status add_id(pinning* p, int id) {
  const cr_mjcf_flex_nodes* from = p->from;
  int ny = from->count[1], nz = from->count[2];
  cr_subject subject = cr_mjcf_subject(p->m, p->element);
  if (from->num_nodes == 0)
    return cr_subject_fail(&subject, CAROM_ERROR_UNSUPPORTED,
                           "nodes of a %s have other numbers here: carom:box pins a region",
                           from->type);
  if (id < 0 || id >= from->num_nodes)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "node is %d, there are %d nodes", id,
                           from->num_nodes);
  if (!from->is_grid) return add_node(p, id);
  return add_node(p, grid_node(from, id / (ny * nz), id / nz % ny, id % nz));
}

/* All nodes between two corners of a grid, inclusive. */
static carom_status add_corners(pinning* p, const double* low, const double* high) {
  cr_subject subject = cr_mjcf_subject(p->m, p->element);
  for (int k = 0; k < 3; k++)
    if (!p->from->is_grid || !(low[k] >= 0 && high[k] < p->from->count[k]))
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                             "%.9g to %.9g along axis %d are not on a grid", low[k], high[k], k);
  for (int x = (int)low[0]; x <= (int)high[0]; x++)
    for (int y = (int)low[1]; y <= (int)high[1]; y++)
      for (int z = (int)low[2]; z <= (int)high[2]; z++)
        CR_TRY(add_node(p, grid_node(p->from, x, y, z)));
  return CAROM_OK;
}

static carom_status list_nodes(pinning* p) {
  const double* x;
  int count;
  CR_TRY(cr_mjcf_read_groups(p->m, p->element, "id", 1, &x, &count));
  for (int i = 0; x && i < count; i++) CR_TRY(add_id(p, (int)x[i]));
  CR_TRY(cr_mjcf_read_groups(p->m, p->element, "range", 2, &x, &count));
  for (int i = 0; x && i < count; i += 2)
    for (int id = (int)x[i]; id <= (int)x[i + 1]; id++) CR_TRY(add_id(p, id));
  CR_TRY(cr_mjcf_read_groups(p->m, p->element, "grid", 3, &x, &count));
  for (int i = 0; x && i < count; i += 3) CR_TRY(add_corners(p, x + i, x + i));
  CR_TRY(cr_mjcf_read_groups(p->m, p->element, "gridrange", 6, &x, &count));
  for (int i = 0; x && i < count; i += 6) CR_TRY(add_corners(p, x + i, x + i + 3));
  return CAROM_OK;
}

static int compare_nodes(const void* a, const void* b) {
  int x = *(const int*)a, y = *(const int*)b;
  return (x > y) - (x < y);
}

/* A pin is a set: what it names twice it holds once. */
static void remove_doubles(cr_list* nodes) {
  int* node = nodes->items;
  int kept = 0;
  if (nodes->count == 0) return;
  qsort(node, (size_t)nodes->count, sizeof *node, compare_nodes);
  for (int i = 0; i < nodes->count; i++)
    if (i == 0 || node[i] != node[kept - 1]) node[kept++] = node[i];
  nodes->count = kept;
}

/* Another body than the one around: the world, or one that stands above. */
static carom_status find_body(pinning* p) {
  const char* name = cr_xml_get(p->element, "carom:body");
  if (!name) return CAROM_OK;
  int index = strcmp(name, "world") == 0 ? 0 : cr_mjcf_find_part(p->m, CR_PART_BODY, name);
  cr_subject subject = cr_mjcf_subject(p->m, p->element);
  if (index < 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "carom:body is '%.60s', no body above has this name", name);
  p->def.body.id = index;
  return CAROM_OK;
}

static carom_status add_pin(pinning* p) {
  const double* box;
  int count;
  p->def.source = cr_mjcf_source(p->element);
  CR_TRY(cr_mjcf_read_attributes(p->m, p->element, PIN, NULL));
  CR_TRY(find_body(p));
  CR_TRY(list_nodes(p));
  remove_doubles(&p->nodes);
  if (p->nodes.count > 0) {
    p->def.nodes = p->nodes.items, p->def.num_nodes = p->nodes.count;
    CR_TRY(carom_builder_add_attachment(p->m->builder, &p->def, p->m->error));
  }
  CR_TRY(cr_mjcf_read_groups(p->m, p->element, "carom:box", 6, &box, &count));
  p->def.nodes = NULL;
  p->def.region = cr_xml_get(p->element, "carom:region");
  if (p->def.region) CR_TRY(carom_builder_add_attachment(p->m->builder, &p->def, p->m->error));
  p->def.region = NULL;
  for (int i = 0; box && i < count; i += 6) {
    memcpy(p->def.low, box + i, sizeof p->def.low);
    memcpy(p->def.high, box + i + 3, sizeof p->def.high);
    CR_TRY(carom_builder_add_attachment(p->m->builder, &p->def, p->m->error));
  }
  return CAROM_OK;
}

carom_status cr_mjcf_read_pins(cr_mjcf* m, const cr_xml_element* element,
                               const cr_mjcf_flex_nodes* nodes, const cr_mjcf_place* place,
                               carom_soft soft) {
  for (const cr_xml_element* child = element->first_child; child; child = child->next) {
    if (strcmp(child->name, "pin") != 0) continue;
    pinning p = {.m = m, .element = child, .from = nodes, .nodes = CR_LIST_INIT(int)};
    p.def = carom_attachment_def_default();
    p.def.soft = soft, p.def.body = place->body;
    carom_status status = add_pin(&p);
    cr_list_release(&p.nodes, &m->allocator);
    CR_TRY(status);
  }
  return CAROM_OK;
}
