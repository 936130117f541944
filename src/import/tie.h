/* Drake's elements that tie two links at a point each: ball constraints, springs with dampers;
 * bushings are refused. URDF has their values in attributes, SDF in texts. */
#ifndef CR_IMPORT_TIE_H
#define CR_IMPORT_TIE_H

#include "import/document.h"

typedef struct cr_tie_reader {
  cr_document* document;
  carom_builder* builder;
  void* user;
  /* Finds the body that an element names; fails with a sentence where there is none. */
  carom_status (*find_body)(void* user, const cr_xml_element* element, const char* name,
                            carom_body* body);
} cr_tie_reader;

/* Whether an element is one of those that are read here. */
bool cr_tie_is_known(const char* name);

/* Adds what it describes. */
carom_status cr_tie_add(const cr_tie_reader* reader, const cr_xml_element* element);

#endif
