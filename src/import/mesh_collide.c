/* What the mesh of a robot's file collides as: the convex parts that the file keeps apart, its hull
 * where it nearly fills that or the file asks for it, convex parts that the caller makes of it,
 * else the surface that it is. What cannot be a surface has its hull. */
#include "import/mesh/slab.h"
#include "import/mesh_asset.h"
#include "import/mesh_form.h"
#include "import/proximity.h"

#include <math.h>

/* How much smaller an object of a file may be than its hull to count as a convex part: files are
 * written with few digits. */
#define CONCAVITY 1e-3

/* How much smaller a mesh may be than its hull and still collide as that, where nothing is said. */
#define HOLLOW 0.1

/* ---- The parts of a file */

/* The triangles of object `index`, welded; false without memory. */
static bool pick_object(const cr_mesh* whole, int index, cr_mesh* part) {
  int end = index + 1 < whole->num_parts ? whole->part[index + 1] : whole->num_triangles;
  return cr_mesh_add_range(part, whole, whole->part[index], end) && cr_mesh_weld(part);
}

/* Whether the objects of a file are a decomposition of its shape into convex ones: what is in none
 * of them, or of no extent, has no part in it. */
static carom_status is_decomposed(const cr_mesh* whole, bool* yes) {
  int count = 0;
  *yes = whole->num_parts > 1 && whole->part[0] == 0;
  for (int i = 0; i < whole->num_parts && *yes; i++) {
    cr_mesh part;
    cr_mesh_judgement j = {CR_MESH_FORM_SOLID, 1};
    cr_mesh_init(&part, &whole->allocator);
    bool done = pick_object(whole, i, &part);
    if (done && part.num_triangles > 0) done = cr_mesh_judge(&part, &j);
    *yes = done && j.form == CR_MESH_FORM_SOLID && j.filling >= 1 - CONCAVITY;
    count += part.num_triangles > 0;
    cr_mesh_release(&part);
    if (!done) return CAROM_ERROR_OUT_OF_MEMORY;
  }
  *yes = *yes && count > 1;
  return CAROM_OK;
}

static carom_status add_mesh(cr_document* d, const cr_mesh_asset* a, const carom_mesh_def* def,
                             carom_geom_def* geom) {
  geom->type = CAROM_GEOM_MESH;
  geom->gives_mass = a->gives_mass;
  CR_TRY(carom_builder_add_mesh(a->builder, def, &geom->mesh, d->error));
  carom_geom_def own = *geom;
  CR_TRY(cr_surface_settle(d, a->builder, a->element, &own));
  return carom_builder_add_geom(a->builder, &own, NULL, d->error);
}

static carom_status add_hull(cr_document* d, const cr_mesh_asset* a, const cr_mesh* surface,
                             carom_geom_def* geom) {
  carom_mesh_def def = cr_mesh_asset_def(a, surface);
  return add_mesh(d, a, &def, geom);
}

/* A geometry for each object; the first keeps the name. */
static carom_status add_objects(cr_document* d, const cr_mesh_asset* a, const cr_mesh* whole,
                                carom_geom_def* geom, int* count) {
  for (int i = 0; i < whole->num_parts; i++) {
    cr_mesh part;
    carom_status status = CAROM_OK;
    cr_mesh_init(&part, &d->allocator);
    if (!pick_object(whole, i, &part)) status = cr_error_memory(d->error);
    if (status == CAROM_OK && part.num_triangles) {
      status = add_hull(d, a, &part, geom);
      geom->name = NULL;
      ++*count;
    }
    cr_mesh_release(&part);
    CR_TRY(status);
  }
  return CAROM_OK;
}

/* ---- Parts that the caller makes */

struct carom_convex_parts {
  const carom_allocator* allocator;
  cr_list numbers; /* of double, [3 each vertex] m */
  cr_list ends;    /* of int: vertices up to the end of each part */
};

carom_status carom_convex_parts_add(carom_convex_parts* parts, const double* vertices,
                                    int num_vertices, carom_error* error) {
  cr_error_clear(error);
  if (!parts || !vertices || num_vertices < 4)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "convex part: %s",
                        !parts      ? "the parts are null"
                        : !vertices ? "the vertices are null"
                                    : "it has fewer than 4 vertices");
  int end = parts->numbers.count / 3;
  if (num_vertices > CR_MESH_MAX_VERTICES - end)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "convex part: with it there are more than %d vertices",
                        CR_MESH_MAX_VERTICES);
  for (int i = 0; i < 3 * num_vertices; i++)
    if (!isfinite(vertices[i]))
      return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                          "convex part: vertex %d has a number that is not finite", i / 3 + 1);
  for (int i = 0; i < 3 * num_vertices; i++)
    if (!cr_list_push(&parts->numbers, parts->allocator, &vertices[i]))
      return cr_error_memory(error);
  end += num_vertices;
  return cr_list_push(&parts->ends, parts->allocator, &end) ? CAROM_OK : cr_error_memory(error);
}

/* The hull of each part; parts of no volume are passed over. */
static carom_status add_parts(cr_document* d, const cr_mesh_asset* a,
                              const carom_convex_parts* parts, carom_geom_def* geom, int* count) {
  for (int i = 0, first = 0, end; i < parts->ends.count; i++, first = end) {
    carom_error error;
    carom_mesh_def def = carom_mesh_def_default();
    end = *CR_AT(&parts->ends, int, i);
    def.source = (carom_source){a->element->file, a->element->line};
    def.vertices = CR_AT(&parts->numbers, double, 3 * first);
    def.num_vertices = end - first;
    carom_status status = carom_builder_add_mesh(a->builder, &def, &geom->mesh, &error);
    if (status == CAROM_ERROR_BAD_INPUT) continue;
    if (status != CAROM_OK) return cr_error_memory(d->error);
    geom->type = CAROM_GEOM_MESH;
    geom->gives_mass = a->gives_mass;
    CR_TRY(carom_builder_add_geom(a->builder, geom, NULL, d->error));
    geom->name = NULL;
    ++*count;
  }
  return CAROM_OK;
}

static carom_status decompose(cr_document* d, const cr_mesh_asset* a, const cr_mesh* surface,
                              carom_geom_def* geom, int* count) {
  cr_subject subject = cr_document_subject(d, a->element);
  const carom_decompose_input input = {
      a->path,           surface->vertex,        surface->num_vertices,
      surface->triangle, surface->num_triangles, a->most_parts};
  carom_convex_parts parts = {&d->allocator, CR_LIST_INIT(double), CR_LIST_INIT(int)};
  carom_error error = {0};
  carom_status status = a->load->decompose(a->load->decompose_user, &input, &parts, &error);
  if (status == CAROM_OK)
    status = add_parts(d, a, &parts, geom, count);
  else if (status != CAROM_ERROR_OUT_OF_MEMORY)
    status = cr_subject_fail(&subject, status, "%s", error.message);
  else
    status = cr_error_memory(d->error);
  cr_list_release(&parts.numbers, &d->allocator);
  cr_list_release(&parts.ends, &d->allocator);
  if (status != CAROM_OK || *count > 0) return status;
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "its decomposition has no part that encloses a volume");
}

/* ---- The whole */

/* The mass of a surface is that of the solid that it encloses, of an open one that of its hull. */
static carom_status add_surface(cr_document* d, const cr_mesh_asset* a, const cr_mesh* surface,
                                bool is_open, carom_geom_def* geom) {
  carom_mesh_def def = cr_mesh_asset_def(a, surface);
  def.convex = false;
  def.family = a->load->mesh == CAROM_MESH_SHAPE_SURFACE ? 0 : a->family;
  def.inertia = is_open ? CAROM_MESH_CONVEX : CAROM_MESH_EXACT;
  return add_mesh(d, a, &def, geom);
}

static const char* explain_hull(cr_mesh_form form) {
  static const char* const WHY[] = {
      [CR_MESH_FORM_SOLID] = "collides as its convex hull",
      [CR_MESH_FORM_OPEN] = "collides as its convex hull: its surface is open",
      [CR_MESH_FORM_TURNED] = "collides as its convex hull: its faces look to different sides",
      [CR_MESH_FORM_EMPTY] = "collides as its convex hull: its surface encloses no volume",
      [CR_MESH_FORM_CROSSED] = "collides as its convex hull: its surface runs through itself",
  };
  return WHY[form];
}

/* What is wanted of a mesh that has been judged. */
typedef enum manner { AS_HULL, AS_PARTS, AS_SURFACE } manner;

/* Looks at last whether it runs through itself: that takes longest. What is open is a surface where
 * one is asked for, solid behind its faces: terrain, say. */
static carom_status choose(cr_document* d, const cr_mesh_asset* a, const cr_mesh* surface,
                           cr_mesh_judgement* j, manner* way) {
  bool is_crossed = false;
  bool wants_surface = a->is_surface || a->load->mesh == CAROM_MESH_SHAPE_SURFACE;
  double hollow = wants_surface ? CONCAVITY : HOLLOW;
  bool is_filled = j->form == CR_MESH_FORM_SOLID && j->filling >= 1 - hollow;
  *way = AS_HULL;
  if (a->is_one_hull || is_filled || a->load->mesh == CAROM_MESH_SHAPE_HULL) {
    j->form = CR_MESH_FORM_SOLID;
    return CAROM_OK;
  }
  *way = a->load->decompose && j->form != CR_MESH_FORM_EMPTY ? AS_PARTS : AS_SURFACE;
  if (*way == AS_PARTS || (wants_surface && j->form == CR_MESH_FORM_OPEN)) return CAROM_OK;
  if (j->form == CR_MESH_FORM_SOLID && !cr_mesh_is_crossed(surface, &is_crossed))
    return cr_error_memory(d->error);
  if (is_crossed) j->form = CR_MESH_FORM_CROSSED;
  if (j->form != CR_MESH_FORM_SOLID) *way = AS_HULL;
  return CAROM_OK;
}

/* A mesh in one piece.
 * @param welded of the same triangles */
static carom_status collide_whole(cr_document* d, const cr_mesh_asset* a, const cr_mesh* whole,
                                  cr_mesh* welded, carom_geom_def* geom, int* count) {
  static const char SURFACE[] = "collides as the surface that it is, which is not convex";
  static const char PARTS[] = "collides as convex parts that were made of it";
  cr_mesh_judgement judgement = {CR_MESH_FORM_SOLID, 1};
  manner way;
  if (!a->is_one_hull && !cr_mesh_judge(welded, &judgement)) return cr_error_memory(d->error);
  CR_TRY(choose(d, a, welded, &judgement, &way));
  const char* note = way == AS_HULL    ? explain_hull(judgement.form)
                     : way == AS_PARTS ? PARTS
                                       : SURFACE;
  CR_TRY(cr_document_remark(d, a->element, a->attribute, note));
  if (way == AS_PARTS) return decompose(d, a, welded, geom, count);
  *count = 1;
  return way == AS_HULL ? add_hull(d, a, whole, geom)
                        : add_surface(d, a, welded, judgement.form == CR_MESH_FORM_OPEN, geom);
}

static carom_status collide(cr_document* d, const cr_mesh_asset* a, cr_mesh* whole,
                            carom_geom_def* geom, int* count) {
  static const char PARTS[] = "collides as the convex parts that its file keeps apart";
  static const char SLAB[] =
      "collides as a slab behind it, a thousandth of its size thick: its points lie in a plane";
  cr_subject subject = cr_document_subject(d, a->element);
  carom_error error;
  bool is_split = false, is_flat = false;
  carom_status status = cr_mesh_asset_read(a, false, whole, &error);
  if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(d->error);
  if (status != CAROM_OK) return cr_subject_fail(&subject, status, "%s", error.message);
  if (!cr_mesh_thicken(whole, &is_flat)) return cr_error_memory(d->error);
  if (is_flat) {
    *count = 1;
    CR_TRY(cr_document_remark(d, a->element, a->attribute, SLAB));
    return add_hull(d, a, whole, geom);
  }
  if (!a->is_one_hull && is_decomposed(whole, &is_split) != CAROM_OK)
    return cr_error_memory(d->error);
  if (is_split) {
    CR_TRY(cr_document_remark(d, a->element, a->attribute, PARTS));
    return add_objects(d, a, whole, geom, count);
  }
  cr_mesh welded;
  cr_mesh_init(&welded, &d->allocator);
  bool done = cr_mesh_add_range(&welded, whole, 0, whole->num_triangles) && cr_mesh_close(&welded);
  status = done ? collide_whole(d, a, whole, &welded, geom, count) : cr_error_memory(d->error);
  cr_mesh_release(&welded);
  return status;
}

carom_status cr_mesh_asset_collide(cr_document* d, const cr_mesh_asset* asset,
                                   const carom_geom_def* geom, int* count) {
  cr_mesh whole;
  carom_geom_def own = *geom;
  *count = 0;
  cr_mesh_init(&whole, &d->allocator);
  carom_status status = collide(d, asset, &whole, &own, count);
  cr_mesh_release(&whole);
  return status;
}
