/* <asset>: of it, meshes, height fields and the colours of materials. */
#include "import/mjcf/body.h"

#include <string.h>

const cr_attribute cr_mjcf_material_table[] = {
    CR_ELSEWHERE("name"),
    CR_ELSEWHERE("class"),
    {"rgba", CR_ATTRIBUTE_NUMBERS, 0, 4, 4, CR_RULE_ANY, NULL, NULL, NULL, NULL},
    CR_ELSEWHERE("emission"),
    CR_ELSEWHERE("metallic"),
    CR_ELSEWHERE("reflectance"),
    CR_ELSEWHERE("roughness"),
    CR_ELSEWHERE("shininess"),
    CR_ELSEWHERE("specular"),
    CR_ELSEWHERE("texrepeat"),
    CR_ELSEWHERE("texture"),
    CR_ELSEWHERE("texuniform"),
    CR_END,
};

static carom_status read_material(cr_mjcf* m, const cr_xml_element* element) {
  static const char TEXT[] = "of it, only the colour is used";
  const cr_mjcf_class* class;
  CR_TRY(cr_mjcf_class_of(m, element, 0, &class));
  cr_numbers rgba = class->material;
  CR_TRY(cr_mjcf_read_attributes(m, element, cr_mjcf_material_table, &rgba));
  CR_TRY(cr_mjcf_remark_on(m, element, NULL, TEXT, TEXT));
  cr_subject subject = cr_mjcf_subject(m, element);
  if (!subject.name || !subject.name[0])
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'name' is missing");
  if (cr_name_find(&m->names, &m->text, CR_MJCF_NAME_MATERIAL, subject.name) >= 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "the name is used twice");
  int index = m->materials.count;
  if (!cr_list_push(&m->materials, &m->allocator, &rgba)) return cr_error_memory(m->error);
  return cr_mjcf_add_name(m, CR_MJCF_NAME_MATERIAL, subject.name, index);
}

/* A model to attach; attach.c reads its file. */
static carom_status read_model(cr_mjcf* m, const cr_xml_element* element) {
  static const cr_attribute MODEL[] = {CR_ELSEWHERE("name"), CR_ELSEWHERE("file"),
                                       CR_NOTED("content_type", "the file says what it is"),
                                       CR_END};
  CR_TRY(cr_mjcf_read_attributes(m, element, MODEL, NULL));
  return cr_mjcf_expect_no_children(m, element);
}

carom_status cr_mjcf_read_asset(cr_mjcf* m, const cr_xml_element* section) {
  static const struct unused {
    const char *name, *text;
  } UNUSED[] = {{"texture", "not used: it is for drawing"},
                {"skin", "not used: it is for drawing"}};
  for (const cr_xml_element* child = section->first_child; child; child = child->next) {
    if (strcmp(child->name, "material") == 0) {
      CR_TRY(read_material(m, child));
      continue;
    }
    if (strcmp(child->name, "mesh") == 0) {
      CR_TRY(cr_mjcf_read_mesh(m, child));
      continue;
    }
    if (strcmp(child->name, "hfield") == 0) {
      CR_TRY(cr_mjcf_read_hfield(m, child));
      continue;
    }
    if (strcmp(child->name, "model") == 0) {
      CR_TRY(read_model(m, child));
      continue;
    }
    const struct unused* found = NULL;
    for (size_t i = 0; i < sizeof UNUSED / sizeof UNUSED[0]; i++)
      if (strcmp(child->name, UNUSED[i].name) == 0) found = &UNUSED[i];
    if (!found) return cr_mjcf_unknown_element(m, child);
    CR_TRY(cr_mjcf_remark_on(m, child, NULL, found, found->text));
  }
  return CAROM_OK;
}
