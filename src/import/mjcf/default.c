/* Default classes: each starts as a copy of the class around it. */
#include "import/mjcf/class.h"

#include <math.h>
#include <string.h>

#define SITE_SIZE 0.005  /* m */
#define TORSION   0.005  /* m */
#define ROLLING   0.0001 /* m */

void cr_mjcf_class_init(cr_mjcf_class* class) {
  const double half = 0.5;
  *class = (cr_mjcf_class){
      .geom = {.type = CAROM_GEOM_SPHERE,
               .mass = NAN,
               .density = 1000,
               .contype = 1,
               .conaffinity = 1,
               .condim = 3,
               .friction = {.x = {1, TORSION, ROLLING}},
               .surface = carom_geom_def_default().surface,
               .rgba = {.x = {half, half, half, 1}},
               .stiffness = NAN,
               .dissipation = NAN,
               .modulus = INFINITY,
               .layer = NAN,
               .fitscale = 1,
               .fluidcoef = {.x = {0.5, 0.25, 1.5, 1, 1}}},
      .site = {.type = CAROM_GEOM_SPHERE,
               .size = {3, {SITE_SIZE, SITE_SIZE, SITE_SIZE}},
               .rgba = {.x = {half, half, half, 1}}},
      .joint = {.type = CAROM_JOINT_HINGE,
                .limited = CR_MJCF_LIMITED_AUTO,
                .actuatorfrclimited = CR_MJCF_LIMITED_AUTO,
                .axis = {.x = {0, 0, 1}},
                .limit_stiffness = INFINITY,
                .limit_dissipation = NAN},
      .pair = {.condim = 3,
               .friction = {.x = {1, 1, TORSION, ROLLING, ROLLING}},
               .stiffness = NAN,
               .dissipation = NAN,
               .surface = carom_pair_def_default().surface},
      .equality = {.active = true,
                   .polycoef = {.x = {0, 1}},
                   .stiffness = INFINITY,
                   .dissipation = NAN},
      .tendon = {.limited = CR_MJCF_LIMITED_AUTO,
                 .actuatorfrclimited = CR_MJCF_LIMITED_AUTO,
                 .limit_stiffness = INFINITY,
                 .limit_dissipation = NAN},
      .actuator = {.ctrllimited = CR_MJCF_LIMITED_AUTO,
                   .forcelimited = CR_MJCF_LIMITED_AUTO,
                   .actlimited = CR_MJCF_LIMITED_AUTO,
                   .actdim = -1,
                   .gear = {.x = {1}}},
      .material = {.x = {1, 1, 1, 1}},
      .mesh = {.scale = {.x = {1, 1, 1}},
               .refquat = {.x = {1}},
               .inertia = CR_MJCF_MESH_LEGACY,
               .convex = true},
  };
  class->actuator.law = cr_mjcf_law_default();
  class->pair.surface.adhesion = 0; /* the geometries' does not count */
}

carom_status cr_mjcf_find_class(const cr_mjcf* m, const cr_xml_element* element,
                                const char* attribute, const char* name, int* index) {
  *index = cr_name_find(&m->names, &m->text, CR_MJCF_NAME_CLASS, name);
  if (*index >= 0) return CAROM_OK;
  cr_subject subject = cr_mjcf_subject(m, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s is '%.60s', no class has this name",
                         attribute, name);
}

carom_status cr_mjcf_class_of(const cr_mjcf* m, const cr_xml_element* element, int inherited,
                              const cr_mjcf_class** class) {
  const char* name = cr_xml_get(element, "class");
  int index = inherited;
  if (index == 0) index = CR_AT(&m->documents, cr_mjcf_document, element->document)->main_class;
  if (name) CR_TRY(cr_mjcf_find_class(m, element, "class", name, &index));
  *class = CR_AT(&m->classes, cr_mjcf_class, index);
  return CAROM_OK;
}

static bool is_unused(const char* name) {
  static const char* const UNUSED[] = {"camera", "light", "texture", NULL};
  for (int i = 0; UNUSED[i]; i++)
    if (strcmp(UNUSED[i], name) == 0) return true;
  return false;
}

/* One element of a class. */
static carom_status read_part(cr_mjcf* m, const cr_xml_element* part, cr_mjcf_class* class) {
  static const char TEXT[] = "not used: defaults of what is not used itself";
  if (strcmp(part->name, "geom") == 0)
    return cr_mjcf_read_attributes(m, part, cr_mjcf_geom_table, &class->geom);
  if (strcmp(part->name, "site") == 0)
    return cr_mjcf_read_attributes(m, part, cr_mjcf_site_table, &class->site);
  if (strcmp(part->name, "joint") == 0)
    return cr_mjcf_read_attributes(m, part, cr_mjcf_joint_table, &class->joint);
  if (strcmp(part->name, "pair") == 0)
    return cr_mjcf_read_attributes(m, part, cr_mjcf_pair_table, &class->pair);
  if (strcmp(part->name, "equality") == 0)
    return cr_mjcf_read_attributes(m, part, cr_mjcf_equality_table, &class->equality);
  if (strcmp(part->name, "tendon") == 0)
    return cr_mjcf_read_attributes(m, part, cr_mjcf_tendon_table, &class->tendon);
  if (strcmp(part->name, "material") == 0)
    return cr_mjcf_read_attributes(m, part, cr_mjcf_material_table, &class->material);
  if (strcmp(part->name, "mesh") == 0)
    return cr_mjcf_read_attributes(m, part, cr_mjcf_mesh_table, &class->mesh);
  if (cr_mjcf_is_actuator(part->name))
    return cr_mjcf_read_actuator_values(m, part, true, &class->actuator);
  if (is_unused(part->name)) return cr_mjcf_remark_on(m, part, NULL, TEXT, TEXT);
  return cr_mjcf_unknown_element(m, part);
}

carom_status cr_mjcf_check_classes(const cr_mjcf* m, const cr_xml_element* element) {
  static const int MAX_CLASSES = 20000;
  cr_subject subject = cr_mjcf_subject(m, element);
  if (m->classes.count < MAX_CLASSES) return CAROM_OK;
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "there are more than %d classes",
                         MAX_CLASSES);
}

/* The class that was made with an attached document, known by its name from here on. */
static carom_status open_main_class(cr_mjcf* m, const cr_xml_element* element, const char* name,
                                    int* index) {
  *index = CR_AT(&m->documents, cr_mjcf_document, element->document)->main_class;
  int known = cr_name_find(&m->names, &m->text, CR_MJCF_NAME_CLASS, name);
  if (known == *index) return CAROM_OK;
  cr_subject subject = cr_mjcf_subject(m, element);
  if (known >= 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "class '%.60s' is defined twice", name);
  return cr_mjcf_add_name(m, CR_MJCF_NAME_CLASS, name, *index);
}

/* The class of a <default>: "main" at the top, a new copy of the parent's within. */
static carom_status open_class(cr_mjcf* m, const cr_xml_element* element, bool is_top, int* index) {
  cr_subject subject = cr_mjcf_subject(m, element);
  const char* name = cr_xml_get(element, "class");
  *index = 0;
  if (is_top) {
    if (element->document > 0) return open_main_class(m, element, name, index);
    if (!name || strcmp(name, "main") == 0) return CAROM_OK;
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "class is '%.60s', must be main at the top level", name);
  }
  if (!name || !name[0])
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'class' is missing");
  if (cr_name_find(&m->names, &m->text, CR_MJCF_NAME_CLASS, name) >= 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "class '%.60s' is defined twice", name);
  CR_TRY(cr_mjcf_check_classes(m, element));
  const char* outer = cr_xml_get(element->parent, "class");
  int parent = 0;
  if (outer) CR_TRY(cr_mjcf_find_class(m, element, "class", outer, &parent));
  *index = m->classes.count;
  cr_mjcf_class copy = *CR_AT(&m->classes, cr_mjcf_class, parent);
  if (!cr_list_push(&m->classes, &m->allocator, &copy)) return cr_error_memory(m->error);
  return cr_mjcf_add_name(m, CR_MJCF_NAME_CLASS, name, *index);
}

carom_status cr_mjcf_read_default(cr_mjcf* m, const cr_xml_element* section) {
  static const cr_attribute CLASS[] = {CR_ELSEWHERE("class"), CR_END};
  /* Outer classes before inner ones; of each, its own elements before the classes within. */
  for (const cr_xml_element* e = section; e; e = cr_xml_next(e, section)) {
    if (strcmp(e->name, "default") != 0) continue;
    int index;
    CR_TRY(cr_mjcf_read_attributes(m, e, CLASS, NULL));
    CR_TRY(open_class(m, e, e == section, &index));
    for (const cr_xml_element* part = e->first_child; part; part = part->next)
      if (strcmp(part->name, "default") != 0)
        CR_TRY(read_part(m, part, CR_AT(&m->classes, cr_mjcf_class, index)));
  }
  return CAROM_OK;
}
