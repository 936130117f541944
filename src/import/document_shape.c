/* Shapes, scales and colours of URDF and SDF as their files have them: placeholders of no size,
 * colours in many spellings. What is for drawing alone never refuses a file. */
#include "import/document.h"
#include "import/number.h"
#include "import/proximity.h"

#include <math.h>
#include <string.h>

carom_status cr_document_colour(cr_document* d, const cr_xml_element* element,
                                const char* attribute, const char* text, float rgba[4],
                                bool* is_there) {
  static const char NONE[] = "it is no colour; for drawing";
  char plain[200];
  double x[4] = {0, 0, 0, 1};
  int count = 0, length;
  snprintf(plain, sizeof plain, "%s", text);
  for (char* c = plain; *c; c++)
    if (*c == ',' || *c == ';') *c = ' ';
  *is_there = strlen(text) < sizeof plain;
  for (const char* word = plain; (word = cr_number_word(word, &length)); word += length, count++) {
    bool is_number = count < 4 && cr_number_read(word, length, &x[count]) == CR_NUMBER_FINITE;
    *is_there = *is_there && is_number;
    if (!is_number) break;
  }
  *is_there = *is_there && count >= 3;
  if (!*is_there) return cr_document_remark(d, element, attribute, NONE);
  for (int i = 0; i < 4; i++) rgba[i] = (float)x[i];
  return CAROM_OK;
}

carom_status cr_document_scale(cr_document* d, const cr_xml_element* element, const char* name,
                               const char* text, double scale[3]) {
  int count = cr_number_count_words(text);
  if (count > 3 && cr_xml_get(element, name))
    return cr_document_numbers(d, element, name, 3, scale);
  if (count != 1) return cr_document_parse(d, element, name, text, 3, scale);
  CR_TRY(cr_document_parse(d, element, name, text, 1, scale));
  scale[1] = scale[2] = scale[0];
  return CAROM_OK;
}

/* Whether one of a shape's sizes is zero, which leaves nothing to touch. */
static bool is_void(const carom_geom_def* def) {
  static const int NUM_SIZES[] = {[CAROM_GEOM_SPHERE] = 1,
                                  [CAROM_GEOM_CAPSULE] = 1,
                                  [CAROM_GEOM_CYLINDER] = 2,
                                  [CAROM_GEOM_BOX] = 3,
                                  [CAROM_GEOM_ELLIPSOID] = 3};
  if (def->type < CAROM_GEOM_SPHERE || def->type > CAROM_GEOM_ELLIPSOID) return false;
  for (int i = 0; i < NUM_SIZES[def->type]; i++)
    if (def->size[i] == 0) return true;
  return false;
}

carom_status cr_document_add_shape(cr_document* d, carom_builder* builder,
                                   const cr_xml_element* element, const carom_geom_def* def,
                                   bool* is_there) {
  static const char NO_SIZE[] = "left out: a size of its shape is zero";
  static const char NO_LOOKS[] = "not drawn: a size of its shape is zero";
  bool collides = def->contype != 0 || def->conaffinity != 0;
  carom_geom_def own = *def;
  *is_there = false;
  if (is_void(def)) return cr_document_remark(d, element, NULL, collides ? NO_SIZE : NO_LOOKS);
  if (own.type == CAROM_GEOM_CAPSULE && own.size[1] == 0) own.type = CAROM_GEOM_SPHERE;
  CR_TRY(cr_surface_settle(d, builder, element, &own));
  carom_error failure;
  carom_status status = carom_builder_add_geom(builder, &own, NULL, collides ? d->error : &failure);
  *is_there = status == CAROM_OK;
  if (status == CAROM_OK || collides) return status;
  if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(d->error);
  char text[400];
  snprintf(text, sizeof text, "not drawn: %.380s", failure.message);
  return cr_note_on(builder, element, text, d->error);
}
