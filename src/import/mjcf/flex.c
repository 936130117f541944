/* <deformable><flex>: a soft body by its vertices, each of which stands on a body. Where that body
 * is nothing but a mass on three slides, as the format compiles flexcomp into, it is a node of the
 * soft body and no body here; any other body holds its vertices as a <pin> does.
 *
 * Names of such bodies are listed before bodies are read; the bodies then leave their place and
 * mass (a cr_mjcf_flex_node) in place of a record of the builder. */
#include "import/mjcf/flex_parts.h"
#include "import/number.h"

#include <math.h>
#include <string.h>

/* --- Nodes --------------------------------------------------------------------------------------
 */

static bool is_main_flex(const cr_xml_element* element) {
  return strcmp(element->name, "flex") == 0 && element->document == 0;
}

static carom_status list_body(cr_mjcf* m, const char* name) {
  int index = cr_name_find(&m->names, &m->text, CR_MJCF_NAME_FLEX_NODE, name);
  if (index >= 0) {
    CR_AT(&m->flex_nodes, cr_mjcf_flex_node, index)->num_vertices++;
    return CAROM_OK;
  }
  cr_mjcf_flex_node node = {.num_vertices = 1};
  CR_TRY(cr_mjcf_add_name(m, CR_MJCF_NAME_FLEX_NODE, name, m->flex_nodes.count));
  return cr_list_push(&m->flex_nodes, &m->allocator, &node) ? CAROM_OK : cr_error_memory(m->error);
}

/* The next word of a list of names, copied; null at its end, or without memory. */
static const char* take_word(cr_mjcf* m, const char** rest, carom_status* status) {
  int length;
  const char* word = cr_number_word(*rest, &length);
  if (!word || *status != CAROM_OK) return NULL;
  *rest = word + length;
  char* copy = cr_pool_take(&m->xml.pool, (size_t)length + 1);
  if (!copy) {
    *status = cr_error_memory(m->error);
    return NULL;
  }
  memcpy(copy, word, (size_t)length);
  copy[length] = '\0';
  return copy;
}

carom_status cr_mjcf_list_flex_nodes(cr_mjcf* m, const cr_xml_element* section) {
  for (const cr_xml_element* e = section->first_child; e; e = e->next) {
    const char* rest = is_main_flex(e) ? cr_xml_get(e, "body") : NULL;
    carom_status status = CAROM_OK;
    if (!rest) continue;
    for (const char* name; (name = take_word(m, &rest, &status));) CR_TRY(list_body(m, name));
    CR_TRY(status);
  }
  return CAROM_OK;
}

static bool is_zero(const cr_numbers* numbers) {
  for (int i = 0; i < CR_MAX_NUMBERS; i++)
    if (numbers->x[i] != 0) return false;
  return true;
}

/* A slide without forces and limits. */
static bool is_plain_slide(const cr_mjcf_joint* joint) {
  bool has_forces = !is_zero(&joint->damping) || !is_zero(&joint->stiffness) ||
                    !is_zero(&joint->springdamper) || joint->armature != 0 ||
                    joint->frictionloss != 0;
  bool is_limited = joint->limited != CR_MJCF_LIMITED_FALSE && joint->range.count > 0;
  return joint->type == CAROM_JOINT_SLIDE && !has_forces && !is_limited;
}

/* Three plain slides that leave no direction out. */
static carom_status has_three_slides(cr_mjcf* m, const cr_xml_element* body, int class,
                                     bool* has_them) {
  v3 axis[3] = {v3_zero(), v3_zero(), v3_zero()};
  int count = 0;
  bool are_plain = true;
  for (const cr_xml_element* e = body->first_child; e && are_plain; e = e->next) {
    if (strcmp(e->name, "inertial") == 0) continue;
    are_plain = strcmp(e->name, "joint") == 0 && count < 3;
    if (!are_plain) break;
    const cr_mjcf_class* defaults;
    CR_TRY(cr_mjcf_class_of(m, e, class, &defaults));
    cr_mjcf_joint joint = defaults->joint;
    CR_TRY(cr_mjcf_read_attributes(m, e, cr_mjcf_joint_table, &joint));
    are_plain = is_plain_slide(&joint);
    axis[count++] = v3_load(joint.axis.x);
  }
  double volume = fabs(v3_dot(v3_cross(axis[0], axis[1]), axis[2]));
  *has_them = are_plain && count == 3 &&
              volume > 1e-6 * v3_norm(axis[0]) * v3_norm(axis[1]) * v3_norm(axis[2]);
  return CAROM_OK;
}

carom_status cr_mjcf_take_flex_node(cr_mjcf* m, const cr_xml_element* body,
                                    const carom_body_def* def, int class, bool* is_taken) {
  *is_taken = false;
  if (!def->name || !(def->mass > 0) || def->mocap || def->gravity_compensation != 0)
    return CAROM_OK;
  int index = cr_name_find(&m->names, &m->text, CR_MJCF_NAME_FLEX_NODE, def->name);
  if (index < 0) return CAROM_OK;
  cr_mjcf_flex_node* node = CR_AT(&m->flex_nodes, cr_mjcf_flex_node, index);
  if (node->num_vertices > 1 || node->is_node) return CAROM_OK;
  CR_TRY(has_three_slides(m, body, class, is_taken));
  if (!*is_taken) return CAROM_OK;
  node->is_node = true;
  node->parent = def->parent;
  node->mass = def->mass;
  node->place = (pose){v3_load(def->position), quat_to_m3(cr_quat_unit(def->quaternion))};
  for (const cr_xml_element* e = body->first_child; e; e = e->next) {
    const char* name = strcmp(e->name, "joint") == 0 ? cr_xml_get(e, "name") : NULL;
    if (name) CR_TRY(cr_mjcf_add_name(m, CR_MJCF_NAME_LEFT_OUT + (int)CR_PART_JOINT, name, 0));
  }
  return cr_mjcf_add_name(m, CR_MJCF_NAME_LEFT_OUT + (int)CR_PART_BODY, def->name, 0);
}

/* --- Attributes ---------------------------------------------------------------------------------
 */

typedef struct flex_attributes {
  cr_mjcf_flex flex;
  const char* body;
} flex_attributes;

static const cr_attribute FLEX[] = {
    CR_FIELD("body", CR_ATTRIBUTE_TEXT, flex_attributes, body),
    CR_ELSEWHERE("vertex"),
    CR_ELSEWHERE("element"),
    CR_REFUSED("node", "", "nodes that vertices are interpolated between are not supported"),
    CR_NOTED("elemtexcoord", "it is for drawing"),
    CR_MORE(cr_mjcf_flex_table),
};

/* --- Vertices -----------------------------------------------------------------------------------
 */

/* The vertices of a soft body as they are read. */
typedef struct vertices {
  cr_mjcf* m;
  const cr_xml_element* element;
  int count, num_free;
  double* x;                       /* [3 count] m, at the reference configuration, in the world */
  int* body;                       /* [count] of the builder that holds it; -1: it is free */
  double mass, lightest, heaviest; /* of free ones: their sum, the least and the most, kg */
  carom_body placed;               /* the body whose frame was asked for last */
  pose frame;
} vertices;

/* A body's frame in the world at the reference configuration. */
static pose find_frame(vertices* v, carom_body body) {
  if (body.id == v->placed.id) return v->frame;
  v->placed = body;
  pose X = {v3_zero(), m3_identity()};
  while (body.id > 0) {
    const carom_body_def* def = &CR_AT(&v->m->builder->bodies, cr_body_record, body.id)->def;
    pose local = {v3_load(def->position), quat_to_m3(cr_quat_unit(def->quaternion))};
    X = pose_mul(&local, &X);
    body = def->parent;
  }
  return v->frame = X;
}

/* Does a body hang on joints, or is it moved? */
static bool can_move(const cr_mjcf* m, int body) {
  while (body > 0) {
    const cr_body_record* record = CR_AT(&m->builder->bodies, cr_body_record, body);
    if (record->first_joint >= 0 || record->def.mocap) return true;
    body = record->def.parent.id;
  }
  return false;
}

/* The number of vertices: that of the bodies, of which one may hold all. */
static carom_status count_vertices(vertices* v, int num_bodies, const double** vertex) {
  int count;
  cr_subject subject = cr_mjcf_subject(v->m, v->element);
  CR_TRY(cr_mjcf_read_groups(v->m, v->element, "vertex", 3, vertex, &count));
  v->count = *vertex ? count / 3 : num_bodies;
  if (v->count == 0) return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "it has no vertices");
  if (num_bodies == v->count || (num_bodies == 1 && *vertex)) return CAROM_OK;
  return cr_subject_fail(
      &subject, CAROM_ERROR_BAD_INPUT,
      "body names %d bodies for %d vertices, must be one for all or one for each", num_bodies,
      v->count);
}

/* The frame of a node's body, whose mass is added. */
static pose take_node(vertices* v, const cr_mjcf_flex_node* node) {
  pose parent = find_frame(v, node->parent);
  v->mass += node->mass;
  v->lightest = v->num_free ? fmin(v->lightest, node->mass) : node->mass;
  v->heaviest = fmax(v->heaviest, node->mass);
  v->num_free++;
  return pose_mul(&parent, &node->place);
}

/* The body that holds a vertex. */
static carom_status find_holder(const vertices* v, const char* name, int* body) {
  *body = strcmp(name, "world") == 0 ? 0 : cr_mjcf_find_part(v->m, CR_PART_BODY, name);
  if (*body >= 0) return CAROM_OK;
  cr_subject subject = cr_mjcf_subject(v->m, v->element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "body is '%.60s', no body above has this name", name);
}

/* Puts vertex i, given in the frame of a body, into its place. */
static carom_status place_vertex(vertices* v, int i, const char* name, v3 point) {
  cr_mjcf* m = v->m;
  int index = cr_name_find(&m->names, &m->text, CR_MJCF_NAME_FLEX_NODE, name);
  const cr_mjcf_flex_node* node = CR_AT(&m->flex_nodes, cr_mjcf_flex_node, index);
  pose X;
  v->body[i] = -1;
  if (!node->is_node) CR_TRY(find_holder(v, name, &v->body[i]));
  X = node->is_node ? take_node(v, node) : find_frame(v, (carom_body){v->body[i]});
  v3_store(pose_point(&X, point), v->x + 3 * (size_t)i);
  return CAROM_OK;
}

static carom_status place_vertices(vertices* v, const char* bodies) {
  cr_mjcf* m = v->m;
  const double* vertex;
  const char *name = NULL, *rest = bodies;
  carom_status status = CAROM_OK;
  int num_bodies = cr_number_count_words(bodies);
  CR_TRY(count_vertices(v, num_bodies, &vertex));
  v->x = cr_pool_take(&m->xml.pool, 3 * (size_t)v->count * sizeof *v->x);
  v->body = cr_pool_take(&m->xml.pool, (size_t)v->count * sizeof *v->body);
  if (!v->x || !v->body) return cr_error_memory(m->error);
  for (int i = 0; i < v->count; i++) {
    if (i == 0 || num_bodies > 1) name = take_word(m, &rest, &status);
    CR_TRY(status);
    CR_TRY(place_vertex(v, i, name, vertex ? v3_load(vertex + 3 * (size_t)i) : v3_zero()));
  }
  return CAROM_OK;
}

/* --- Mass and holds -----------------------------------------------------------------------------
 */

/* The masses of the free nodes, as if the others had their mean: elements spread them by volume. */
static carom_status set_mass(vertices* v, const cr_mjcf_flex* flex, carom_soft_def* def) {
  static const char UNEVEN[] = "masses of nodes are spread by the volumes of the elements here";
  static const char RIGID[] =
      "all its vertices are on bodies that move: rigid ones are geometries of type mesh";
  bool moves = false;
  for (int i = 0; i < v->count && !moves; i++)
    moves = v->body[i] >= 0 && can_move(v->m, v->body[i]);
  cr_subject subject = cr_mjcf_subject(v->m, v->element);
  if (v->num_free == 0 && moves)
    return cr_subject_fail(&subject, CAROM_ERROR_UNSUPPORTED, "%s", RIGID);
  if (v->num_free == 0 || !isnan(flex->density)) return CAROM_OK;
  def->mass = v->mass / v->num_free * v->count;
  if (v->heaviest - v->lightest <= 1e-4 * v->heaviest) return CAROM_OK;
  return cr_mjcf_remark_on(v->m, v->element, "body", UNEVEN, UNEVEN);
}

/* Holds vertices on their bodies, those of one body together: `first` and `next` chain them. */
static carom_status hold_vertices(vertices* v, carom_soft soft, int* first, int* next, int* nodes) {
  cr_mjcf* m = v->m;
  for (int b = 0; b < m->builder->bodies.count; b++) first[b] = -1;
  for (int i = v->count - 1; i >= 0; i--)
    if (v->body[i] >= 0) next[i] = first[v->body[i]], first[v->body[i]] = i;
  for (int b = 0; b < m->builder->bodies.count; b++) {
    carom_attachment_def def = carom_attachment_def_default();
    for (int i = first[b]; i >= 0; i = next[i]) nodes[def.num_nodes++] = i;
    if (def.num_nodes == 0) continue;
    def.source = cr_mjcf_source(v->element);
    def.soft = soft, def.body.id = b, def.nodes = nodes;
    CR_TRY(carom_builder_add_attachment(m->builder, &def, m->error));
  }
  return CAROM_OK;
}

static carom_status add_attached(vertices* v, carom_soft soft) {
  cr_pool* pool = &v->m->xml.pool;
  size_t count = (size_t)v->count;
  int* first = cr_pool_take(pool, (size_t)v->m->builder->bodies.count * sizeof *first);
  int* next = cr_pool_take(pool, count * sizeof *next);
  int* nodes = cr_pool_take(pool, count * sizeof *nodes);
  if (!first || !next || !nodes) return cr_error_memory(v->m->error);
  return hold_vertices(v, soft, first, next, nodes);
}

/* --- The whole ----------------------------------------------------------------------------------
 */

static carom_status read_flex(cr_mjcf* m, const cr_xml_element* element) {
  static const char ATTACHED[] = "flexes of attached models are not supported";
  static const char EDGES[] = "edges that keep their lengths are only supported in flexcomp";
  flex_attributes f = {.flex = cr_mjcf_flex_default()};
  vertices v = {.m = m, .element = element, .frame = {v3_zero(), m3_identity()}};
  carom_soft_def def = carom_soft_def_default();
  carom_soft soft;
  bool is_solid, is_rigid;
  cr_subject subject = cr_mjcf_subject(m, element);
  if (!is_main_flex(element)) return cr_mjcf_refuse(m, element, NULL, ATTACHED, ATTACHED);
  CR_TRY(cr_mjcf_read_attributes(m, element, FLEX, &f));
  CR_TRY(cr_mjcf_check_flex_children(m, element, false));
  CR_TRY(cr_mjcf_check_flex_dim(m, element, f.flex.dim, &is_solid));
  if (!is_solid) return CAROM_OK;
  CR_TRY(cr_mjcf_is_flex_rigid(m, element, &is_rigid));
  if (is_rigid) CR_TRY(cr_mjcf_refuse(m, element, NULL, EDGES, EDGES));
  if (!f.body)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'body' is missing");
  CR_TRY(place_vertices(&v, f.body));
  def.name = cr_xml_get(element, "name");
  def.nodes = v.x, def.num_nodes = v.count;
  CR_TRY(cr_mjcf_set_flex(m, element, &f.flex, v.num_free == 0, &def));
  CR_TRY(set_mass(&v, &f.flex, &def));
  CR_TRY(cr_mjcf_set_flex_elements(m, element, &def));
  CR_TRY(carom_builder_add_soft(m->builder, &def, &soft, m->error));
  return add_attached(&v, soft);
}

carom_status cr_mjcf_read_deformable(cr_mjcf* m, const cr_xml_element* section) {
  static const char SKIN[] = "not used: it is for drawing";
  for (const cr_xml_element* e = section->first_child; e; e = e->next) {
    if (strcmp(e->name, "skin") == 0)
      CR_TRY(cr_mjcf_remark_on(m, e, NULL, SKIN, SKIN));
    else if (strcmp(e->name, "flex") == 0)
      CR_TRY(read_flex(m, e));
    else
      return cr_mjcf_unknown_element(m, e);
  }
  return CAROM_OK;
}
