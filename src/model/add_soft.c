/* Adding soft bodies and what holds them. */
#include "model/kind.h"
#include "soft/material.h"
#include "soft/shapes.h"

#include <math.h>
#include <string.h>

#define MOST_CELLS 1000000

/* --- Meshes -------------------------------------------------------------------------------------
 */

static carom_status check_shape(const cr_subject* subject, const carom_soft_def* def) {
  int least = def->shape == CAROM_SOFT_BOX ? 1 : 2;
  double cells = 1;
  for (int k = 0; k < 3; k++) {
    CR_TRY(cr_check_positive(subject, "size", def->size[k]));
    CR_TRY(cr_check_choice(subject, "cells", def->cells[k],
                           def->shape == CAROM_SOFT_CYLINDER && k == 2 ? 1 : least, MOST_CELLS));
    cells *= def->cells[k];
  }
  if (cells <= MOST_CELLS) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                         "it has %.9g cells, at most %d are accepted", cells, MOST_CELLS);
}

static carom_status check_arrays(const cr_subject* subject, const carom_soft_def* def) {
  if (def->nodes_per_element != CR_SOFT_LINEAR_NODES &&
      def->nodes_per_element != CR_SOFT_QUADRATIC_NODES)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "nodes_per_element is %d, must be 4 or 10", def->nodes_per_element);
  CR_TRY(cr_check_choice(subject, "num_nodes", def->num_nodes, 4, 16 * MOST_CELLS));
  CR_TRY(cr_check_choice(subject, "num_elements", def->num_elements, 1, 16 * MOST_CELLS));
  if (def->nodes && def->elements) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_INVALID_ARGUMENT, "%s is null",
                         def->nodes ? "elements" : "nodes");
}

static carom_status copy_mesh(const carom_soft_def* def, const carom_allocator* allocator,
                              cr_soft_mesh* mesh, carom_error* error) {
  CR_TRY(cr_soft_mesh_create(mesh, def->num_nodes, def->num_elements, def->nodes_per_element,
                             allocator, error));
  memcpy(mesh->node, def->nodes, sizeof *mesh->node * (size_t)def->num_nodes);
  memcpy(mesh->element, def->elements,
         sizeof(int) * (size_t)def->num_elements * (size_t)def->nodes_per_element);
  return CAROM_OK;
}

static carom_status make_shape(const carom_soft_def* def, const carom_allocator* allocator,
                               cr_soft_mesh* mesh, carom_error* error) {
  cr_soft_shape_def shape = {.kind = (cr_soft_shape_kind)(def->shape - CAROM_SOFT_BOX),
                             .split = CR_SOFT_SPLIT_FIVE};
  memcpy(shape.size, def->size, sizeof shape.size);
  memcpy(shape.cells, def->cells, sizeof shape.cells);
  return cr_soft_mesh_make_shape(&shape, allocator, mesh, error);
}

/* Four-node elements become ten-node ones where that is asked for. */
static carom_status refine(const carom_soft_def* def, cr_soft_mesh* mesh, carom_error* error) {
  cr_soft_mesh quadratic;
  if (!def->quadratic || mesh->nodes_per_element == CR_SOFT_QUADRATIC_NODES) return CAROM_OK;
  CR_TRY(cr_soft_mesh_make_quadratic(mesh, &quadratic, error));
  cr_soft_mesh_destroy(mesh);
  *mesh = quadratic;
  return CAROM_OK;
}

/* --- Regions ------------------------------------------------------------------------------------
 */

static carom_status check_numbers(const cr_subject* subject, const carom_soft_region* region,
                                  const char* what, const int* number, int count, int limit) {
  if (count < 0 || (count > 0 && !number))
    return cr_subject_fail(subject, CAROM_ERROR_INVALID_ARGUMENT,
                           "region '%.60s' has %d %s, at a null address or less than none",
                           region->name, count, what);
  for (int k = 0; k < count; k++)
    if (number[k] < 0 || number[k] >= limit)
      return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                             "region '%.60s' has %s %d, must be at least 0 and less than %d",
                             region->name, what, number[k], limit);
  return CAROM_OK;
}

static carom_status check_regions(const cr_subject* subject, const carom_soft_def* def) {
  if (def->num_regions < 0 || (def->num_regions > 0 && !def->regions))
    return cr_subject_fail(subject, CAROM_ERROR_INVALID_ARGUMENT,
                           "num_regions is %d, at a null address or less than none",
                           def->num_regions);
  for (int i = 0; i < def->num_regions; i++) {
    const carom_soft_region* r = &def->regions[i];
    if (!r->name)
      return cr_subject_fail(subject, CAROM_ERROR_INVALID_ARGUMENT, "regions[%d] has no name", i);
    CR_TRY(check_numbers(subject, r, "nodes", r->nodes, r->num_nodes, def->num_nodes));
    CR_TRY(check_numbers(subject, r, "elements", r->elements, r->num_elements, def->num_elements));
  }
  return CAROM_OK;
}

/* Marks what a region has. */
static void mark_region(const carom_soft_region* region, const cr_soft_mesh* mesh, char* has_node,
                        char* has_element) {
  size_t each = (size_t)mesh->nodes_per_element;
  memset(has_node, 0, (size_t)mesh->num_nodes);
  memset(has_element, 0, (size_t)mesh->num_elements);
  for (int k = 0; k < region->num_nodes; k++) has_node[region->nodes[k]] = 1;
  for (int k = 0; k < region->num_elements; k++) {
    size_t e = (size_t)region->elements[k];
    has_element[e] = 1;
    for (size_t a = 0; a < each; a++) has_node[mesh->element[e * each + a]] = 1;
  }
}

static int list_marked(const char* is_marked, int count, int* list) {
  int num = 0;
  for (int k = 0; k < count; k++)
    if (is_marked[k]) list[num++] = k;
  return num;
}

/* The regions of a definition that has been checked, sorted, into the mesh. */
static carom_status copy_regions(const carom_soft_def* def, cr_soft_mesh* mesh,
                                 carom_error* error) {
  cr_arena arena;
  cr_arena_init(&arena, &mesh->allocator);
  char* has_node = CR_PUSH(&arena, char, mesh->num_nodes);
  char* has_element = CR_PUSH(&arena, char, mesh->num_elements);
  int* node = CR_PUSH(&arena, int, mesh->num_nodes);
  int* element = CR_PUSH(&arena, int, mesh->num_elements);
  carom_status status = arena.failed ? CAROM_ERROR_OUT_OF_MEMORY : CAROM_OK;
  for (int i = 0; i < def->num_regions && status == CAROM_OK; i++) {
    mark_region(&def->regions[i], mesh, has_node, has_element);
    cr_soft_region region = {.name = def->regions[i].name, .node = node, .element = element};
    region.num_nodes = list_marked(has_node, mesh->num_nodes, node);
    region.num_elements = list_marked(has_element, mesh->num_elements, element);
    status = cr_soft_mesh_add_region(mesh, &region, error);
  }
  cr_arena_destroy(&arena);
  return status;
}

/* --- The mesh -----------------------------------------------------------------------------------
 */

carom_status cr_soft_def_make_mesh(const cr_subject* subject, const carom_soft_def* def,
                                   const carom_allocator* allocator, cr_soft_mesh* mesh) {
  carom_error error = {0};
  bool is_given = def->shape == CAROM_SOFT_MESH;
  CR_TRY(is_given ? check_arrays(subject, def) : check_shape(subject, def));
  if (is_given) CR_TRY(check_regions(subject, def));
  carom_status status =
      is_given ? copy_mesh(def, allocator, mesh, &error) : make_shape(def, allocator, mesh, &error);
  if (status == CAROM_OK) status = cr_soft_mesh_check(mesh, NULL, &error);
  if (status == CAROM_OK && is_given && def->num_regions > 0)
    status = copy_regions(def, mesh, &error);
  if (status == CAROM_OK) status = refine(def, mesh, &error);
  if (status == CAROM_OK) return CAROM_OK;
  cr_soft_mesh_destroy(mesh);
  if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(subject->error);
  return cr_subject_fail(subject, status, "%s", error.message);
}

static double compute_volume(const cr_soft_mesh* mesh) {
  double sum = 0;
  for (int e = 0; e < mesh->num_elements; e++) sum += cr_soft_mesh_compute_volume(mesh, e);
  return sum;
}

/* --- Values -------------------------------------------------------------------------------------
 */

static carom_status check_material(const cr_subject* subject, const carom_soft_def* def) {
  carom_error error = {0};
  cr_soft_material material;
  CR_TRY(
      cr_check_choice(subject, "law", (int)def->law, CAROM_SOFT_COROTATED, CAROM_SOFT_NEO_HOOKEAN));
  carom_status status = cr_soft_material_init(&material, (cr_soft_law)def->law, def->young,
                                              def->poisson, def->density, &error);
  if (status != CAROM_OK) return cr_subject_fail(subject, status, "%s", error.message);
  CR_TRY(cr_check_not_negative(subject, "alpha", def->alpha));
  CR_TRY(cr_check_not_negative(subject, "beta", def->beta));
  if (!isnan(def->mass)) CR_TRY(cr_check_positive(subject, "mass", def->mass));
  return cr_check_finite(subject, "pressure", &def->pressure, 1);
}

static carom_status check_contact(const cr_subject* subject, const carom_soft_def* def) {
  if (def->condim != 1 && def->condim != 3)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "condim is %d, must be 1 or 3",
                           def->condim);
  CR_TRY(cr_check_not_negative(subject, "friction", def->friction));
  CR_TRY(cr_check_surface(subject, &def->surface, def->friction, false));
  if (def->surface.restitution > 0)
    return cr_subject_fail(
        subject, CAROM_ERROR_BAD_INPUT,
        "restitution is %.9g, must be 0: soft bodies rebound by their elasticity",
        def->surface.restitution);
  if (def->surface.adhesion > 0)
    return cr_subject_fail(subject, CAROM_ERROR_UNSUPPORTED,
                           "adhesion is %.9g, must be 0: surfaces of soft bodies do not stick",
                           def->surface.adhesion);
  CR_TRY(cr_check_not_negative(subject, "radius", def->radius));
  CR_TRY(cr_check_not_negative(subject, "margin", def->margin));
  return cr_check_compliance(subject, "stiffness", def->stiffness, false, "dissipation",
                             def->dissipation);
}

carom_status cr_soft_check(const cr_addition* addition, void* definition) {
  const carom_soft_def* def = definition;
  const cr_subject* subject = &addition->subject;
  CR_TRY(cr_check_body(addition, "body", def->body, 0));
  CR_TRY(cr_check_choice(subject, "shape", (int)def->shape, CAROM_SOFT_MESH, CAROM_SOFT_BALL));
  CR_TRY(cr_check_finite(subject, "position", def->position, 3));
  CR_TRY(cr_check_quaternion(subject, "quaternion", def->quaternion));
  CR_TRY(check_material(subject, def));
  return check_contact(subject, def);
}

void cr_soft_finish(void* record) {
  cr_soft_record* soft = record;
  if (!isnan(soft->def.mass)) soft->def.density = soft->def.mass / compute_volume(&soft->mesh);
  soft->def.nodes = NULL;
  soft->def.elements = NULL;
  soft->def.regions = NULL;
}

void cr_soft_resolve(const carom_builder* builder, const void* record, void* definition) {
  (void)builder;
  const cr_soft_record* soft = record;
  carom_soft_def* def = definition;
  if (isnan(def->mass)) def->mass = def->density * compute_volume(&soft->mesh);
}

/* Mass or density: what was given last counts. */
carom_status cr_soft_make_way(const cr_addition* addition, const void* resolved, const char* field,
                              void* definition) {
  (void)addition, (void)resolved;
  carom_soft_def* def = definition;
  if (strcmp(field, "density") == 0) def->mass = NAN;
  return CAROM_OK;
}

static void release(cr_soft_record* soft, const carom_allocator* allocator) {
  if (cr_share_leave(soft->share, allocator)) cr_soft_mesh_destroy(&soft->mesh);
}

carom_status carom_builder_add_soft(carom_builder* builder, const carom_soft_def* def,
                                    carom_soft* soft, carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("soft", builder, error);
  cr_addition addition = {builder,
                          &builder->softs,
                          CR_PART_SOFT,
                          {"soft", def->name, def->source, builder->softs.count + 1, error}};
  CR_TRY(CR_ADDITION_BEGIN(&addition, def, soft));
  cr_soft_record record = {.def = *def};
  record.def.name = NULL;
  record.def.source = (carom_source){0};
  CR_TRY(cr_soft_check(&addition, &record.def));
  CR_TRY(cr_soft_def_make_mesh(&addition.subject, def, &builder->def.allocator, &record.mesh));
  cr_soft_finish(&record);
  record.share = cr_share_create(&builder->def.allocator);
  int index = 0;
  carom_status status = record.share ? cr_addition_finish(&addition, &record, &record.label, &index)
                                     : cr_error_memory(error);
  if (status != CAROM_OK)
    release(&record, &builder->def.allocator);
  else if (soft)
    soft->id = index + 1;
  return status;
}

void cr_softs_release(carom_builder* builder) {
  for (int i = 0; i < builder->softs.count; i++)
    release(CR_AT(&builder->softs, cr_soft_record, i), &builder->def.allocator);
  cr_list_release(&builder->softs, &builder->def.allocator);
}

/* --- Attachments --------------------------------------------------------------------------------
 */

carom_status cr_attachment_check(const cr_addition* addition, void* definition) {
  const carom_attachment_def* def = definition;
  CR_TRY(cr_check_body(addition, "body", def->body, 0));
  return cr_check_compliance(&addition->subject, "stiffness", def->stiffness, false, "dissipation",
                             def->dissipation);
}

static bool is_within(const double* x, const carom_attachment_def* def) {
  for (int k = 0; k < 3; k++)
    if (!(x[k] >= def->low[k] && x[k] <= def->high[k])) return false;
  return true;
}

/* The nodes that are named, or those of a region; null and CAROM_OK: those within the box. */
static carom_status find_nodes(const cr_subject* subject, const carom_attachment_def* def,
                               const cr_soft_mesh* mesh, const int** nodes, int* count) {
  char names[160];
  *nodes = def->nodes, *count = def->num_nodes;
  for (int i = 0; def->nodes && i < def->num_nodes; i++)
    if (def->nodes[i] < 0 || def->nodes[i] >= mesh->num_nodes)
      return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                             "nodes[%d] is %d, must be at least 0 and less than %d", i,
                             def->nodes[i], mesh->num_nodes);
  if (def->nodes) return CAROM_OK;
  if (!def->region) {
    CR_TRY(cr_check_finite(subject, "low", def->low, 3));
    return cr_check_finite(subject, "high", def->high, 3);
  }
  const cr_soft_region* region = cr_soft_mesh_find_region(mesh, def->region);
  cr_soft_mesh_list_regions(mesh, names, sizeof names);
  if (!region)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "region '%.60s' is not there; the mesh has %s", def->region,
                           mesh->num_regions ? names : "no regions");
  *nodes = region->node, *count = region->num_nodes;
  return CAROM_OK;
}

static bool list_node(carom_builder* builder, int node) {
  return cr_list_push(&builder->attachment_nodes, &builder->def.allocator, &node);
}

/* Puts the nodes of the region into the builder's list; false without memory. */
static bool list_nodes(carom_builder* builder, const carom_attachment_def* def,
                       const cr_soft_mesh* mesh, const int* nodes, int count) {
  for (int i = 0; nodes && i < count; i++)
    if (!list_node(builder, nodes[i])) return false;
  for (int n = 0; !nodes && n < mesh->num_nodes; n++)
    if (is_within(mesh->node[n], def) && !list_node(builder, n)) return false;
  return true;
}

static carom_status add_nodes(const cr_addition* addition, const carom_attachment_def* def,
                              cr_attachment_record* record) {
  carom_builder* builder = addition->builder;
  const cr_subject* subject = &addition->subject;
  const int* nodes;
  int count;
  if (def->soft.id < 1 || def->soft.id > builder->softs.count)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "soft is handle %d, which this builder did not give", def->soft.id);
  const cr_soft_mesh* mesh = &CR_AT(&builder->softs, cr_soft_record, def->soft.id - 1)->mesh;
  CR_TRY(find_nodes(subject, def, mesh, &nodes, &count));
  record->first_node = builder->attachment_nodes.count;
  if (!list_nodes(builder, def, mesh, nodes, count)) return cr_error_memory(subject->error);
  record->def.num_nodes = builder->attachment_nodes.count - record->first_node;
  if (record->def.num_nodes > 0) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "it holds no node of the soft body");
}

carom_status carom_builder_add_attachment(carom_builder* builder, const carom_attachment_def* def,
                                          carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("attachment", builder, error);
  cr_addition addition = {
      builder,
      &builder->attachments,
      -1,
      {"attachment", def->name, def->source, builder->attachments.count + 1, error}};
  CR_TRY(CR_ADDITION_BEGIN(&addition, def, attachment));
  cr_attachment_record record = {.def = *def};
  record.def.name = NULL;
  record.def.source = (carom_source){0};
  CR_TRY(cr_attachment_check(&addition, &record.def));
  record.def.nodes = NULL;
  record.def.region = NULL;
  int index, before = builder->attachment_nodes.count;
  carom_status status = add_nodes(&addition, def, &record);
  if (status == CAROM_OK) status = cr_addition_finish(&addition, &record, &record.label, &index);
  if (status != CAROM_OK) builder->attachment_nodes.count = before;
  return status;
}
