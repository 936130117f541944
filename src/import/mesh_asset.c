/* Meshes of robots; see mesh_asset.h. */
#include "import/mesh_asset.h"

#include "import/mesh/scene.h"

bool cr_mesh_asset_is_readable(const char* path) {
  cr_mesh_format format = cr_mesh_format_of(path);
  return format != CR_MESH_FORMAT_NONE &&
         (format != CR_MESH_FORMAT_SCENE || cr_scene_is_supported());
}

const char* cr_mesh_asset_fault(const char* path) {
  if (cr_mesh_format_of(path) == CR_MESH_FORMAT_SCENE)
    return "COLLADA and glTF are read where Carom is built with assimp (package libassimp-dev), "
           "left out";
  return "meshes but STL, OBJ, COLLADA and glTF are not supported, left out";
}

/* Gives the mesh of the file to the builder. */
static carom_status add_file(cr_document* d, const cr_mesh_asset* a, cr_mesh* surface,
                             carom_mesh* handle) {
  cr_subject subject = cr_document_subject(d, a->element);
  cr_mesh_ignored ignored;
  carom_error error;
  FILE* file = fopen(a->path, "rb");
  if (!file)
    return cr_subject_fail(&subject, CAROM_ERROR_FILE, "file '%.150s' cannot be opened", a->path);
  carom_status status = cr_mesh_file_read(file, a->path, surface, &ignored, &error);
  fclose(file);
  if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(d->error);
  if (status != CAROM_OK) return cr_subject_fail(&subject, status, "%s", error.message);
  cr_mesh_scale(surface, a->scale);
  carom_mesh_def def = carom_mesh_def_default();
  def.source = (carom_source){a->element->file, a->element->line};
  def.vertices = surface->vertex;
  def.num_vertices = surface->num_vertices;
  def.triangles = surface->triangle;
  def.num_triangles = surface->num_triangles;
  return carom_builder_add_mesh(a->builder, &def, handle, d->error);
}

carom_status cr_mesh_asset_add(cr_document* d, const cr_mesh_asset* asset, carom_geom_def* def) {
  cr_mesh surface;
  cr_mesh_init(&surface, &d->allocator);
  carom_status status = add_file(d, asset, &surface, &def->mesh);
  cr_mesh_release(&surface);
  CR_TRY(status);
  def->type = CAROM_GEOM_MESH;
  def->gives_mass = false;
  return CAROM_OK;
}
