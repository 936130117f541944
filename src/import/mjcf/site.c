/* <site>: a frame on a body, with a shape like a geometry's. */
#include "import/mjcf/body.h"

#include <string.h>

static const char* const TYPES[] = {"plane", "sphere",    "capsule", "cylinder",
                                    "box",   "ellipsoid", NULL};

#define FOR_TOOLS "it is for the programs of the file's author"

const cr_attribute cr_mjcf_site_table[] = {
    CR_ELSEWHERE("name"),
    CR_ELSEWHERE("class"),
    CR_WORD("type", cr_mjcf_geom, type, TYPES),
    CR_NUMBERS("size", cr_mjcf_geom, size, 1, 3),
    CR_NUMBERS("pos", cr_mjcf_geom, pos, 3, 3),
    CR_NUMBERS("fromto", cr_mjcf_geom, fromto, 6, 6),
    CR_ORIENTATIONS(cr_mjcf_geom, orientation),
    CR_FIELD("group", CR_ATTRIBUTE_INTEGER, cr_mjcf_geom, group),
    CR_FIELD("material", CR_ATTRIBUTE_TEXT, cr_mjcf_geom, material),
    CR_NUMBERS("rgba", cr_mjcf_geom, rgba, 4, 4),
    CR_NOTED("user", FOR_TOOLS),
    CR_END,
};

carom_status cr_mjcf_read_site(cr_mjcf* m, const cr_xml_element* element,
                               const cr_mjcf_place* place) {
  const cr_mjcf_class* class;
  CR_TRY(cr_mjcf_class_of(m, element, place->class, &class));
  cr_mjcf_geom site = class->site;
  CR_TRY(cr_mjcf_read_attributes(m, element, cr_mjcf_site_table, &site));
  CR_TRY(cr_mjcf_expect_no_children(m, element));
  cr_subject subject = cr_mjcf_subject(m, element);
  carom_geom_def shape = carom_geom_def_default();
  CR_TRY(cr_mjcf_set_shape(m, &subject, place, &site, &shape));
  CR_TRY(cr_mjcf_set_colour(m, &subject, &site, &shape));
  carom_site_def def = carom_site_def_default();
  def.source = cr_mjcf_source(element);
  CR_TRY(cr_mjcf_name(m, element, place, &def.name));
  def.body = place->body;
  def.type = shape.type;
  def.group = site.group;
  memcpy(def.size, shape.size, sizeof def.size);
  memcpy(def.position, shape.position, sizeof def.position);
  memcpy(def.quaternion, shape.quaternion, sizeof def.quaternion);
  memcpy(def.rgba, shape.rgba, sizeof def.rgba);
  return carom_builder_add_site(m->builder, &def, NULL, m->error);
}
