/* What stands at the top of a file beside links and joints: the extensions of other programs. */
#include "import/urdf/reader.h"

#include <math.h>
#include <string.h>

/* ---- <mujoco> */

static carom_status read_flag(cr_urdf* u, const cr_xml_element* element, const char* name,
                              bool* flag) {
  const char* word = cr_xml_get(element, name);
  if (!word) return CAROM_OK;
  *flag = strcmp(word, "true") == 0;
  if (*flag || strcmp(word, "false") == 0) return CAROM_OK;
  cr_subject subject = cr_document_subject(&u->document, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s is '%.60s', must be true or false",
                         name, word);
}

/* When geometries give mass. */
static carom_status read_inertia_source(cr_urdf* u, const cr_xml_element* element) {
  static const char* const WORDS[] = {"auto", "true", "false"};
  const char* word = cr_xml_get(element, "inertiafromgeom");
  if (!word) return CAROM_OK;
  for (int i = 0; i < 3; i++)
    if (strcmp(word, WORDS[i]) == 0) {
      u->settings.def.inertia_source = (carom_inertia_source)(CAROM_INERTIA_AUTO + i);
      return CAROM_OK;
    }
  cr_subject subject = cr_document_subject(&u->document, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "inertiafromgeom is '%.60s', must be auto, true or false", word);
}

static carom_status read_compiler(cr_urdf* u, const cr_xml_element* element) {
  carom_builder_def* def = &u->settings.def;
  CR_TRY(
      cr_document_check_known(&u->document, element, " ",
                              " boundmass boundinertia settotalmass balanceinertia inertiafromgeom "
                              "meshdir strippath discardvisual fusestatic angle convexhull "));
  CR_TRY(cr_document_numbers(&u->document, element, "boundmass", 1, &def->minimum_mass));
  CR_TRY(cr_document_numbers(&u->document, element, "boundinertia", 1, &def->minimum_inertia));
  CR_TRY(cr_document_numbers(&u->document, element, "settotalmass", 1, &def->total_mass));
  def->total_mass = fmax(def->total_mass, 0);
  CR_TRY(read_flag(u, element, "balanceinertia", &def->balance_inertia));
  CR_TRY(read_flag(u, element, "strippath", &u->settings.strips_path));
  CR_TRY(read_inertia_source(u, element));
  u->settings.meshdir = cr_xml_get(element, "meshdir");
  return CAROM_OK;
}

static carom_status read_mujoco(cr_urdf* u, const cr_xml_element* mujoco) {
  static const char OTHER[] = "not used: of this extension compiler and option are";
  carom_builder_def* def = &u->settings.def;
  for (const cr_xml_element* e = mujoco->first_child; e; e = e->next) {
    if (strcmp(e->name, "compiler") == 0) {
      CR_TRY(read_compiler(u, e));
    } else if (strcmp(e->name, "option") == 0) {
      CR_TRY(cr_document_check_known(&u->document, e, " ", " timestep gravity "));
      CR_TRY(cr_document_numbers(&u->document, e, "timestep", 1, &def->timestep));
      CR_TRY(cr_document_numbers(&u->document, e, "gravity", 3, def->gravity));
    } else {
      CR_TRY(cr_document_remark(&u->document, e, NULL, OTHER));
    }
  }
  return CAROM_OK;
}

/* ---- Drake's groups of links that do not collide */

/* More pairs than this are no filter that anyone writes. */
#define MAX_EXCLUDES 1000000

typedef struct filter {
  cr_urdf* u;
  int num_excludes;
} filter;

static const cr_xml_element* find_group(const cr_urdf* u, const char* name) {
  for (const cr_xml_element* e = u->root->first_child; e; e = e->next) {
    const char* own = cr_xml_get(e, "name");
    if (own && strcmp(e->name, "drake:collision_filter_group") == 0 && strcmp(own, name) == 0)
      return e;
  }
  return NULL;
}

/* The body of a group's member; -1 for elements that are none. */
static carom_status find_member(const cr_urdf* u, const cr_xml_element* element, int* body) {
  const char* name;
  int link;
  *body = -1;
  if (strcmp(element->name, "drake:member") != 0) return CAROM_OK;
  CR_TRY(cr_document_require(&u->document, element, "link", &name));
  CR_TRY(cr_urdf_resolve(u, element, "link", name, CR_URDF_NAME_LINK, &link));
  *body = cr_urdf_link_at(u, link)->body.id;
  return CAROM_OK;
}

/* Keeps a body from colliding with the members of a group. */
static carom_status exclude_body(filter* f, int body, const cr_xml_element* group) {
  cr_urdf* u = f->u;
  for (const cr_xml_element* e = group->first_child; e; e = e->next) {
    int other;
    CR_TRY(find_member(u, e, &other));
    if (other < 0 || other == body) continue;
    cr_subject subject = cr_document_subject(&u->document, group);
    if (++f->num_excludes > MAX_EXCLUDES)
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                             "the groups name more than %d pairs of links", MAX_EXCLUDES);
    CR_TRY(carom_builder_add_exclude(u->builder, (carom_body){body}, (carom_body){other},
                                     u->document.error));
  }
  return CAROM_OK;
}

static carom_status exclude_groups(filter* f, const cr_xml_element* group,
                                   const cr_xml_element* other) {
  for (const cr_xml_element* e = group->first_child; e; e = e->next) {
    int body;
    CR_TRY(find_member(f->u, e, &body));
    if (body >= 0) CR_TRY(exclude_body(f, body, other));
  }
  return CAROM_OK;
}

static carom_status add_filter(filter* f, const cr_xml_element* group) {
  static const char IGNORED[] = "drake:ignored_collision_filter_group";
  const cr_urdf* u = f->u;
  for (const cr_xml_element* e = group->first_child; e; e = e->next) {
    const char* name;
    if (strcmp(e->name, IGNORED) != 0) {
      if (strcmp(e->name, "drake:member") != 0)
        CR_TRY(cr_document_note_stranger(&f->u->document, e, NULL));
      continue;
    }
    CR_TRY(cr_document_require(&u->document, e, "name", &name));
    const cr_xml_element* other = find_group(u, name);
    cr_subject subject = cr_document_subject(&u->document, e);
    if (!other) return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "no group has this name");
    CR_TRY(exclude_groups(f, group, other));
  }
  return CAROM_OK;
}

carom_status cr_urdf_add_filters(cr_urdf* u) {
  filter f = {.u = u};
  for (const cr_xml_element* e = u->root->first_child; e; e = e->next)
    if (strcmp(e->name, "drake:collision_filter_group") == 0) CR_TRY(add_filter(&f, e));
  return CAROM_OK;
}

/* ---- The top of the file */

/* What would move or hold the robot, and is not read. */
static bool changes_physics(const char* name) {
  static const char* const NAMES[] = {"deformable", "reduced_deformable"};
  for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
    if (strcmp(NAMES[i], name) == 0) return true;
  return false;
}

carom_status cr_urdf_read_settings(cr_urdf* u) {
  static const char PARTS[] = "parts of this kind are not supported yet, left out";
  static const char SENSOR[] = "not used: sensors are read where they are in <gazebo>";
  static const char READ[] =
      " link joint drake:joint loop_joint material drake:collision_filter_group "
      "drake:ball_constraint drake:linear_spring_damper drake:linear_bushing_rpy version ";
  for (const cr_xml_element* e = u->root->first_child; e; e = e->next) {
    if (strcmp(e->name, "mujoco") == 0)
      CR_TRY(read_mujoco(u, e));
    else if (strcmp(e->name, "sensor") == 0)
      CR_TRY(cr_document_remark(&u->document, e, NULL, SENSOR));
    else if (strcmp(e->name, "gazebo") == 0)
      CR_TRY(cr_urdf_read_gazebo(u, e));
    else if (strcmp(e->name, "transmission") == 0)
      CR_TRY(cr_urdf_read_transmission(u, e));
    else if (strcmp(e->name, "ros2_control") == 0)
      CR_TRY(cr_urdf_read_control(u, e));
    else if (changes_physics(e->name))
      CR_TRY(cr_document_refuse(&u->document, e, NULL, PARTS));
    else if (!cr_word_is_listed(READ, e->name))
      CR_TRY(cr_document_note_stranger(&u->document, e, READ));
  }
  for (int i = 0; i < u->links.count; i++)
    CR_TRY(cr_urdf_read_link_contact(u, cr_urdf_link_at(u, i)));
  return CAROM_OK;
}
