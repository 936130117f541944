/* COLLADA before assimp reads it: how far its nodes unfold. Nodes may stand for others
 * (<instance_node>), so that a few lines can mean more nodes than any memory holds. */
#include "base/error.h"
#include "import/mesh/scene.h"
#include "import/xml.h"
#include "model/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A file's nodes by their ids, and how many more of them may come. */
typedef struct unfolding {
  const cr_mesh_source* source;
  carom_allocator allocator;
  carom_error* error;
  cr_list nodes; /* of const cr_xml_element* */
  cr_name_table ids;
  cr_text text;
  int budget;
} unfolding;

static carom_status refuse(const unfolding* u, const cr_xml_element* element, const char* what) {
  return cr_error_set(u->error, CAROM_ERROR_BAD_INPUT, "%.200s:%d: %s: %s", u->source->name,
                      element->line, element->name, what);
}

/* The node that an <instance_node> stands for, or null. */
static const cr_xml_element* target_of(const unfolding* u, const cr_xml_element* instance) {
  const char* url = cr_xml_get(instance, "url");
  int index = url && url[0] == '#' ? cr_name_find(&u->ids, &u->text, 0, url + 1) : -1;
  return index < 0 || !u->nodes.items ? NULL : *CR_AT(&u->nodes, const cr_xml_element*, index);
}

/* Goes through all that a node holds, as often as assimp will. */
static carom_status unfold(unfolding* u, const cr_xml_element* node, int depth) {
  if (u->budget-- <= 0) return refuse(u, node, "its nodes unfold to more than 100000");
  if (depth > CR_SCENE_MAX_DEPTH)
    return refuse(u, node, "nodes stand in nodes more than 200 deep, or in themselves");
  for (const cr_xml_element* e = node->first_child; e; e = e->next) {
    if (strcmp(e->name, "node") == 0) CR_TRY(unfold(u, e, depth + 1));
    if (strcmp(e->name, "instance_node") != 0) continue;
    const cr_xml_element* target = target_of(u, e);
    if (target) CR_TRY(unfold(u, target, depth + 1));
  }
  return CAROM_OK;
}

/* Keeps a node under its id; of two with one id the first. */
static carom_status keep_node(unfolding* u, const cr_xml_element* node) {
  const char* id = cr_xml_get(node, "id");
  if (!id || !id[0] || cr_name_find(&u->ids, &u->text, 0, id) >= 0) return CAROM_OK;
  int offset = cr_text_add(&u->text, &u->allocator, id);
  bool kept = offset >= 0 && cr_name_reserve(&u->ids, &u->allocator, &u->text) &&
              cr_name_add(&u->ids, &u->allocator, &u->text, 0, offset, u->nodes.count) &&
              cr_list_push(&u->nodes, &u->allocator, &node);
  return kept ? CAROM_OK : cr_error_memory(u->error);
}

/* ---- Counts: assimp makes room for what they promise before it looks for it. */

static bool is_one_of(const char* name, const char* const* names) {
  while (*names && strcmp(name, *names) != 0) names++;
  return *names != NULL;
}

/* A whole number that is no larger than the file has bytes; `otherwise` where there is none, -1 for
 * anything else. */
static double read_count(const unfolding* u, const cr_xml_element* element, const char* attribute,
                         double otherwise) {
  const char* text = cr_xml_get(element, attribute);
  if (!text) return otherwise;
  text += strspn(text, " \t\r\n");
  size_t digits = strspn(text, "0123456789");
  bool is_number = digits > 0 && digits < 16 && !text[digits + strspn(text + digits, " \t\r\n")];
  double value = is_number ? (double)strtoull(text, NULL, 10) : -1;
  return value <= (double)u->source->size ? value : -1;
}

/* Numbers for each item: as far as the offsets of its inputs reach. */
static double count_inputs(const unfolding* u, const cr_xml_element* element) {
  double most = 1;
  for (const cr_xml_element* e = element->first_child; e && most > 0; e = e->next) {
    if (strcmp(e->name, "input") != 0) continue;
    double offset = read_count(u, e, "offset", 0);
    if (offset < 0) return -1;
    if (offset + 1 > most) most = offset + 1;
  }
  return most;
}

/* Every number takes a byte of the file at least. */
static carom_status check_count(const unfolding* u, const cr_xml_element* element) {
  static const char* const LISTS[] = {"float_array", "int_array",      "bool_array", "Name_array",
                                      "IDREF_array", "SIDREF_array",   "lines",      "linestrips",
                                      "polygons",    "polylist",       "triangles",  "trifans",
                                      "tristrips",   "vertex_weights", "accessor",   NULL};
  if (!is_one_of(element->name, LISTS)) return CAROM_OK;
  double count = read_count(u, element, "count", 0), stride = read_count(u, element, "stride", 1);
  double offset = read_count(u, element, "offset", 0), inputs = count_inputs(u, element);
  bool holds = count >= 0 && stride >= 0 && offset >= 0 && inputs >= 0 &&
               count * fmax(stride, inputs) + offset <= (double)u->source->size;
  return holds ? CAROM_OK : refuse(u, element, "it counts more numbers than the file can hold");
}

static carom_status check_tree(unfolding* u, const cr_xml_element* root) {
  if (!root)
    return cr_error_set(u->error, CAROM_ERROR_BAD_INPUT, "%.200s: it is empty", u->source->name);
  if (strcmp(root->name, "COLLADA") != 0)
    return refuse(u, root, "the root of a COLLADA file is COLLADA");
  for (const cr_xml_element* e = root; e; e = cr_xml_next(e, root)) {
    if (e->depth > CR_SCENE_MAX_DEPTH) return refuse(u, e, "elements stand more than 200 deep");
    if (strcmp(e->name, "node") == 0) CR_TRY(keep_node(u, e));
    CR_TRY(check_count(u, e));
  }
  for (const cr_xml_element* e = root; e; e = cr_xml_next(e, root))
    if (strcmp(e->name, "visual_scene") == 0) CR_TRY(unfold(u, e, 0));
  return CAROM_OK;
}

carom_status cr_collada_check(const cr_mesh_source* source, const carom_allocator* allocator,
                              carom_error* error) {
  unfolding u = {.source = source,
                 .allocator = *allocator,
                 .error = error,
                 .nodes = CR_LIST_INIT(const cr_xml_element*),
                 .ids = CR_NAME_TABLE_INIT,
                 .budget = CR_SCENE_MAX_NODES};
  const cr_xml_source text = {.name = source->name, .text = source->bytes, .length = source->size};
  cr_xml_element* root = NULL;
  cr_xml_tree tree;
  cr_xml_init(&tree, allocator);
  carom_status status = cr_xml_read(&tree, &text, &root, error);
  if (status == CAROM_OK && !root)
    status = cr_error_set(error, CAROM_ERROR_BAD_INPUT, "%.200s: it is empty", source->name);
  if (status == CAROM_OK) status = check_tree(&u, root);
  cr_xml_destroy(&tree);
  cr_list_release(&u.nodes, allocator);
  cr_name_release(&u.ids, allocator);
  cr_text_release(&u.text, allocator);
  return status;
}
