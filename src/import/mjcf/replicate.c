/* <replicate>: its children several times, each copy moved on and turned on, its names numbered. */
#include "import/mjcf/attach.h"
#include "import/mjcf/body.h"

#include <string.h>

/* What a file may ask for by a few words: copies, and the elements in them. */
#define MAX_COPIES 1000000

typedef struct cr_mjcf_replicate {
  int count;
  cr_numbers offset;
  cr_orientation euler;
  const char *sep, *childclass;
} cr_mjcf_replicate;

static const cr_attribute REPLICATE[] = {
    CR_FIELD("count", CR_ATTRIBUTE_INTEGER, cr_mjcf_replicate, count),
    CR_NUMBERS("offset", cr_mjcf_replicate, offset, 3, 3),
    CR_ORIENT("euler", cr_mjcf_replicate, euler, CR_ORIENTATION_EULER, 3),
    CR_FIELD("sep", CR_ATTRIBUTE_TEXT, cr_mjcf_replicate, sep),
    CR_FIELD("childclass", CR_ATTRIBUTE_TEXT, cr_mjcf_replicate, childclass),
    CR_NOTED("prefix", "MuJoCo passes it over, copies are told by their numbers"),
    CR_END,
};

carom_status cr_mjcf_name(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_place* place,
                          const char** name) {
  *name = cr_xml_get(element, "name");
  if (!place->suffix || !*name || !(*name)[0]) return CAROM_OK;
  size_t size = strlen(*name) + strlen(place->suffix) + 1;
  char* numbered = cr_pool_take(&m->xml.pool, size);
  if (!numbered) return cr_error_memory(m->error);
  snprintf(numbered, size, "%s%s", *name, place->suffix);
  *name = numbered;
  return CAROM_OK;
}

const char* cr_mjcf_copy_suffix(cr_mjcf* m, const char* sep, int count, int index) {
  int width = snprintf(NULL, 0, "%d", count);
  if (!sep) sep = "";
  size_t size = strlen(sep) + (size_t)width + 1;
  char* text = cr_pool_take(&m->xml.pool, size);
  if (text) snprintf(text, size, "%s%0*d", sep, width, index);
  return text;
}

/* The suffix of a copy, before that of what is around. */
static carom_status set_suffix(cr_mjcf* m, const cr_mjcf_replicate* replicate, int index,
                               const char* outer, const char** suffix) {
  const char* own = cr_mjcf_copy_suffix(m, replicate->sep, replicate->count, index);
  size_t size = own ? strlen(own) + (outer ? strlen(outer) : 0) + 1 : 0;
  char* text = own ? cr_pool_take(&m->xml.pool, size) : NULL;
  if (!text) return cr_error_memory(m->error);
  snprintf(text, size, "%s%s", own, outer ? outer : "");
  *suffix = text;
  return CAROM_OK;
}

static carom_status add_copies(cr_mjcf* m, const cr_xml_element* element, int count) {
  cr_subject subject = cr_mjcf_subject(m, element);
  if (count > MAX_COPIES - m->num_copies)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "the copies hold more than %d elements",
                           MAX_COPIES);
  m->num_copies += count;
  return CAROM_OK;
}

carom_status cr_mjcf_count_copy(cr_mjcf* m, const cr_xml_element* element) {
  return add_copies(m, element, 1);
}

static carom_status check_count(cr_mjcf* m, const cr_xml_element* element, int count) {
  cr_subject subject = cr_mjcf_subject(m, element);
  if (!cr_xml_get(element, "count"))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'count' is missing");
  if (count < 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "count is %d, must be zero or positive",
                           count);
  return add_copies(m, element, count);
}

carom_status cr_mjcf_open_replicate(cr_mjcf* m, const cr_xml_element* element,
                                    const cr_mjcf_place* outer, cr_list* places) {
  cr_mjcf_replicate replicate = {0};
  CR_TRY(cr_mjcf_read_attributes(m, element, REPLICATE, &replicate));
  CR_TRY(check_count(m, element, replicate.count));
  int class = outer->class;
  if (replicate.childclass)
    CR_TRY(cr_mjcf_find_class(m, element, "childclass", replicate.childclass, &class));
  v3 p = v3_zero();
  for (int i = 0; i < replicate.count; i++) {
    cr_orientation turned = replicate.euler;
    for (int k = 0; k < 3; k++) turned.x[k] *= i;
    quat q = replicate.euler.is_given ? cr_mjcf_quaternion(m, &turned) : quat_identity();
    cr_mjcf_place place = *outer;
    place.class = class;
    place.p = v3_add(outer->p, quat_rotate(outer->q, p));
    place.q = quat_mul(outer->q, q);
    CR_TRY(set_suffix(m, &replicate, i, outer->suffix, &place.suffix));
    if (!cr_list_push(places, &m->allocator, &place)) return cr_error_memory(m->error);
    p = v3_add(p, quat_rotate(q, v3_load(replicate.offset.x)));
  }
  return CAROM_OK;
}
