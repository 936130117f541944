/* Reads any bytes as XML, mended where files of robots need it: whatever they are, the answer is a
 * tree that can be walked, within its bounds, or a sentence. */
#include "import/xml.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void require(bool holds) {
  if (!holds) abort();
}

static void check_element(const cr_xml_element* element, const cr_xml_element* root) {
  require(element->name && strcmp(element->file, "input") == 0);
  require(element->line > 0 && element->depth <= CR_XML_MAX_DEPTH);
  require(element == root ? !element->parent : element->parent->depth == element->depth - 1);
  for (int i = 0; i < element->num_attributes; i++)
    require(cr_xml_get(element, element->attributes[i].name) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  carom_allocator allocator = cr_allocator_resolve(NULL);
  const cr_xml_source source = {.name = "input", .text = (const char*)data, .length = size};
  carom_error error = {0};
  cr_xml_element* root = NULL;
  cr_xml_tree tree;
  int count = 0;
  if (size == 0) return 0;
  cr_xml_init(&tree, &allocator);
  carom_status status = cr_xml_read(&tree, &source, &root, &error);
  require((status == CAROM_OK) == (root != NULL) && (status == CAROM_OK) == !error.message[0]);
  for (const cr_xml_element* e = root; e; e = cr_xml_next(e, root), count++) check_element(e, root);
  require(status != CAROM_OK || count == tree.elements);
  cr_xml_destroy(&tree);
  return 0;
}
