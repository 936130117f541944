/* Files of meshes that robots name, and what is drawn of them; see mesh_asset.h. */
#include "import/mesh_asset.h"

#include "import/mesh/scene.h"
#include "io/file.h"

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
  return "meshes but STL, OBJ, .msh, VTK, COLLADA and glTF are not supported, left out";
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

carom_status cr_mesh_asset_read(const cr_mesh_asset* a, bool has_colours, cr_mesh* surface,
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

carom_mesh_def cr_mesh_asset_def(const cr_mesh_asset* a, const cr_mesh* surface) {
  carom_mesh_def def = carom_mesh_def_default();
  def.source = (carom_source){a->element->file, a->element->line};
  def.vertices = surface->vertex;
  def.num_vertices = surface->num_vertices;
  def.triangles = surface->triangle;
  def.num_triangles = surface->num_triangles;
  return def;
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
  carom_mesh_def def = cr_mesh_asset_def(a, surface);
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
  carom_status status = cr_mesh_asset_read(a, !is_coloured, whole, &error);
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
