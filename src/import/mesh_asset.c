/* Meshes of robots; see mesh_asset.h. */
#include "import/mesh_asset.h"

#include "import/mesh/scene.h"
#include "import/mesh/slab.h"
#include "io/file.h"
#include "mesh/hull.h"

#include <math.h>
#include <string.h>

bool cr_mesh_asset_is_readable(const char* path) {
  cr_mesh_format format = cr_mesh_format_of(path);
  return format != CR_MESH_FORMAT_NONE &&
         (format != CR_MESH_FORMAT_SCENE || cr_scene_is_supported());
}

const char* cr_mesh_asset_fault(const char* path) {
  if (cr_mesh_format_of(path) == CR_MESH_FORMAT_SCENE)
    return "COLLADA and glTF are read where Carom is built with assimp (package libassimp-dev), "
           "left out";
  return "meshes but STL, OBJ, .msh, COLLADA and glTF are not supported, left out";
}

/* Moves the middle of the bounds to the origin. */
static void centre(cr_mesh* surface) {
  v3 low = v3_make(INFINITY, INFINITY, INFINITY), high = v3_scale(-1, low);
  for (int i = 0; i < surface->num_vertices; i++) {
    v3 x = cr_mesh_vertex(surface, i);
    low = v3_make(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
    high = v3_make(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
  }
  v3 middle = v3_scale(0.5, v3_add(low, high));
  for (int i = 0; i < surface->num_vertices; i++)
    v3_store(v3_sub(cr_mesh_vertex(surface, i), middle), surface->vertex + 3 * (size_t)i);
}

/* Reads, centres and scales. */
static carom_status read_file(const cr_mesh_asset* a, bool has_colours, cr_mesh* surface,
                              carom_error* error) {
  const cr_mesh_source source = {.name = a->path, .object = a->object, .has_colours = has_colours};
  cr_mesh_ignored ignored;
  FILE* file = cr_file_open_regular(a->path);
  if (!file)
    return cr_error_set(error, CAROM_ERROR_FILE, "file '%.150s' cannot be opened: %s", a->path,
                        cr_file_fault(a->path));
  carom_status status = cr_mesh_source_read(file, &source, surface, &ignored, error);
  fclose(file);
  if (status == CAROM_OK && a->centred) centre(surface);
  if (status == CAROM_OK) cr_mesh_scale(surface, a->scale);
  return status;
}

static carom_mesh_def make_def(const cr_mesh_asset* a, const cr_mesh* surface) {
  carom_mesh_def def = carom_mesh_def_default();
  def.source = (carom_source){a->element->file, a->element->line};
  def.vertices = surface->vertex;
  def.num_vertices = surface->num_vertices;
  def.triangles = surface->triangle;
  def.num_triangles = surface->num_triangles;
  return def;
}

/* ---- What collides */

/* How much smaller a part may be than its hull to count as convex: files are written with few
 * digits. */
#define CONCAVITY 1e-3

/* A closed surface that fills its hull.
 * @param memory receives false where there was none */
static bool is_convex(const cr_mesh* part, bool* memory) {
  cr_mesh_report report;
  cr_mesh_mass own, whole = {0};
  cr_hull* hull;
  cr_mesh surface;
  carom_error error;
  *memory = cr_mesh_check(part, &report);
  if (!*memory || report.num_open || report.num_turned || !(fabs(report.volume) > 0)) return false;
  carom_status status =
      cr_hull_create(part->vertex, part->num_vertices, &part->allocator, &hull, &error);
  *memory = status != CAROM_ERROR_OUT_OF_MEMORY;
  if (status != CAROM_OK) return false;
  cr_mesh_init(&surface, &part->allocator);
  *memory = cr_hull_triangulate(hull, &surface);
  if (*memory) cr_mesh_compute_mass(&surface, CR_MESH_EXACT, &whole);
  cr_mesh_release(&surface);
  cr_hull_destroy(hull, &part->allocator);
  own.volume = fabs(report.volume);
  return own.volume >= (1 - CONCAVITY) * whole.volume;
}

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
    bool memory = true;
    cr_mesh_init(&part, &whole->allocator);
    bool done = pick_object(whole, i, &part);
    *yes = done && (part.num_triangles == 0 || is_convex(&part, &memory));
    count += part.num_triangles > 0;
    cr_mesh_release(&part);
    if (!done || !memory) return CAROM_ERROR_OUT_OF_MEMORY;
  }
  *yes = *yes && count > 1;
  return CAROM_OK;
}

static carom_status add_hull(cr_document* d, const cr_mesh_asset* a, const cr_mesh* surface,
                             carom_geom_def* geom) {
  carom_mesh_def def = make_def(a, surface);
  geom->type = CAROM_GEOM_MESH;
  geom->gives_mass = a->gives_mass;
  CR_TRY(carom_builder_add_mesh(a->builder, &def, &geom->mesh, d->error));
  return carom_builder_add_geom(a->builder, geom, NULL, d->error);
}

/* A geometry for each object; the first keeps the name. */
static carom_status add_objects(cr_document* d, const cr_mesh_asset* a, const cr_mesh* whole,
                                const carom_geom_def* geom, int* count) {
  carom_geom_def own = *geom;
  for (int i = 0; i < whole->num_parts; i++) {
    cr_mesh part;
    carom_status status = CAROM_OK;
    cr_mesh_init(&part, &d->allocator);
    if (!pick_object(whole, i, &part)) status = cr_error_memory(d->error);
    if (status == CAROM_OK && part.num_triangles) {
      status = add_hull(d, a, &part, &own);
      own.name = NULL;
      ++*count;
    }
    cr_mesh_release(&part);
    CR_TRY(status);
  }
  return CAROM_OK;
}

static carom_status collide(cr_document* d, const cr_mesh_asset* a, cr_mesh* surface,
                            const carom_geom_def* geom, int* count) {
  static const char HULL[] = "collides as its convex hull";
  static const char PARTS[] = "collides as the convex parts that its file keeps apart";
  static const char SLAB[] =
      "collides as a slab behind it, a thousandth of its size thick: its points lie in a plane";
  cr_subject subject = cr_document_subject(d, a->element);
  carom_geom_def own = *geom;
  carom_error error;
  bool is_split = false, is_flat = false;
  carom_status status = read_file(a, false, surface, &error);
  if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(d->error);
  if (status != CAROM_OK) return cr_subject_fail(&subject, status, "%s", error.message);
  if (!cr_mesh_thicken(surface, &is_flat)) return cr_error_memory(d->error);
  if (!a->is_one_hull && !is_flat && is_decomposed(surface, &is_split) != CAROM_OK)
    return cr_error_memory(d->error);
  const char* how = is_split ? PARTS : is_flat ? SLAB : HULL;
  CR_TRY(cr_document_remark(d, a->element, a->attribute, how));
  if (is_split) return add_objects(d, a, surface, geom, count);
  ++*count;
  return add_hull(d, a, surface, &own);
}

carom_status cr_mesh_asset_collide(cr_document* d, const cr_mesh_asset* asset,
                                   const carom_geom_def* geom, int* count) {
  cr_mesh surface;
  *count = 0;
  cr_mesh_init(&surface, &d->allocator);
  carom_status status = collide(d, asset, &surface, geom, count);
  cr_mesh_release(&surface);
  return status;
}

/* ---- What is drawn */

/* Of more colours the rest has the last one. */
#define MOST_COLOURS 64

/* The colours of a mesh, in the order of their first triangles. */
static int list_paints(cr_mesh* mesh, uint32_t* paints) {
  int count = 0;
  for (int f = 0; f < mesh->num_triangles; f++) {
    int i = 0;
    while (i < count && paints[i] != mesh->paint[f]) i++;
    if (i < count) continue;
    if (count < MOST_COLOURS)
      paints[count++] = mesh->paint[f];
    else
      mesh->paint[f] = paints[MOST_COLOURS - 1];
  }
  return count;
}

/* The triangles of a paint as a mesh of its own, after welding without vertices of others. */
static bool pick(const cr_mesh* whole, uint32_t paint, cr_mesh* part) {
  for (int f = 0; f < whole->num_triangles; f++)
    if (whole->paint[f] == paint && !cr_mesh_add_range(part, whole, f, f + 1)) return false;
  return cr_mesh_weld(part);
}

static carom_status add_part(cr_document* d, const cr_mesh_asset* a, const cr_mesh* surface,
                             carom_geom_def* geom) {
  carom_mesh_def def = make_def(a, surface);
  def.only_drawn = true;
  geom->type = CAROM_GEOM_MESH;
  CR_TRY(carom_builder_add_mesh(a->builder, &def, &geom->mesh, d->error));
  return carom_builder_add_geom(a->builder, geom, NULL, d->error);
}

/* One geometry for each colour; the first keeps the name. */
static carom_status add_parts(cr_document* d, const cr_mesh_asset* a, cr_mesh* whole,
                              carom_geom_def* geom, int* count) {
  uint32_t paints[MOST_COLOURS];
  int num_paints = list_paints(whole, paints);
  carom_geom_def own = *geom;
  for (int i = 0; i < num_paints; i++) {
    cr_mesh part;
    cr_mesh_init(&part, &d->allocator);
    memcpy(own.rgba, geom->rgba, sizeof own.rgba);
    if (paints[i]) cr_mesh_get_colour(paints[i], own.rgba);
    carom_status status =
        pick(whole, paints[i], &part) ? add_part(d, a, &part, &own) : cr_error_memory(d->error);
    cr_mesh_release(&part);
    CR_TRY(status);
    own.name = NULL;
    ++*count;
  }
  return CAROM_OK;
}

static carom_status draw(cr_document* d, const cr_mesh_asset* a, cr_mesh* whole,
                         const carom_geom_def* geom, bool is_coloured, int* count) {
  char text[400];
  carom_error error;
  carom_geom_def own = *geom;
  carom_status status = read_file(a, !is_coloured, whole, &error);
  int triangles = whole->num_triangles;
  if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(d->error);
  if (status != CAROM_OK) {
    snprintf(text, sizeof text, "not drawn: %.380s", error.message);
    return cr_note_on(a->builder, a->element, text, d->error);
  }
  if (triangles == 0 || triangles > CR_MESH_MOST_DRAWN) {
    snprintf(text, sizeof text, "not drawn: %.200s has %d triangles, from 1 to %d are drawn",
             a->path, triangles, CR_MESH_MOST_DRAWN);
    return cr_note_on(a->builder, a->element, text, d->error);
  }
  if (is_coloured) memset(whole->paint, 0, (size_t)triangles * sizeof *whole->paint);
  return add_parts(d, a, whole, &own, count);
}

carom_status cr_mesh_asset_draw(cr_document* d, const cr_mesh_asset* asset,
                                const carom_geom_def* geom, bool is_coloured, int* count) {
  cr_mesh whole;
  *count = 0;
  cr_mesh_init(&whole, &d->allocator);
  carom_status status = draw(d, asset, &whole, geom, is_coloured, count);
  cr_mesh_release(&whole);
  return status;
}
