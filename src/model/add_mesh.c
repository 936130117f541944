/* Meshes of a builder: checked, hulled, measured, and forgotten but for that. */
#include "model/record.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

/* Indices, sizes and numbers. */
static carom_status check_mesh(const cr_subject* subject, const carom_mesh_def* def) {
  CR_TRY(cr_check_choice(subject, "num_vertices", def->num_vertices, def->only_drawn ? 3 : 4,
                         CR_MESH_MAX_VERTICES));
  CR_TRY(cr_check_choice(subject, "num_triangles", def->num_triangles, def->only_drawn ? 1 : 0,
                         CR_MESH_MAX_TRIANGLES));
  CR_TRY(
      cr_check_choice(subject, "inertia", (int)def->inertia, CAROM_MESH_CONVEX, CAROM_MESH_SHELL));
  CR_TRY(cr_check_choice(subject, "family", def->family, 0, INT_MAX));
  if (!def->vertices || (def->num_triangles && !def->triangles))
    return cr_subject_fail(subject, CAROM_ERROR_INVALID_ARGUMENT, "%s is null",
                           def->vertices ? "triangles" : "vertices");
  for (int i = 0; i < def->num_vertices; i++)
    CR_TRY(cr_check_finite(subject, "vertices", def->vertices + 3 * (size_t)i, 3));
  for (int i = 0; i < 3 * def->num_triangles; i++)
    if (def->triangles[i] < 0 || def->triangles[i] >= def->num_vertices)
      return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                             "face %d has vertex %d, must be at least 0 and less than %d",
                             i / 3 + 1, def->triangles[i], def->num_vertices);
  return CAROM_OK;
}

static carom_status make_hull(const cr_subject* subject, const carom_mesh_def* def,
                              const carom_allocator* allocator, cr_hull** hull) {
  carom_error error;
  carom_status status = cr_hull_create(def->vertices, def->num_vertices, allocator, hull, &error);
  if (status == CAROM_ERROR_BAD_INPUT)
    return cr_subject_fail(subject, status, "its %s", error.message);
  return status == CAROM_OK ? status : cr_error_memory(subject->error);
}

static bool copy_triangles(const carom_mesh_def* def, cr_mesh* mesh) {
  for (int i = 0; i < def->num_vertices; i++)
    if (!cr_mesh_add_vertex(mesh, def->vertices + 3 * (size_t)i)) return false;
  for (int i = 0; i < def->num_triangles; i++) {
    const int* corner = def->triangles + 3 * (size_t)i;
    if (!cr_mesh_add_triangle(mesh, corner[0], corner[1], corner[2])) return false;
  }
  return true;
}

/* The surface that gives mass, as a mesh of its own. */
static bool copy_surface(const carom_mesh_def* def, const cr_hull* hull, cr_mesh* mesh) {
  if (def->inertia == CAROM_MESH_CONVEX || def->num_triangles == 0)
    return cr_hull_triangulate(hull, mesh);
  return copy_triangles(def, mesh);
}

static carom_status note_mesh(carom_builder* builder, const cr_subject* subject, const char* text) {
  char note[480];
  const char* name = subject->name && subject->name[0] ? subject->name : "without a name";
  if (subject->source.file)
    snprintf(note, sizeof note, "%.180s:%d: mesh %.60s: %.220s", subject->source.file,
             subject->source.line, name, text);
  else
    snprintf(note, sizeof note, "mesh %.60s: %.220s", name, text);
  return carom_builder_add_note(builder, CAROM_NOTE_MAPPED, note, subject->error);
}

/* An exact mass wants a surface that looks outwards. Of an open one the cones of its triangles to
 * the centre count, as in MuJoCo, with a note. */
static carom_status judge_exact(carom_builder* builder, const cr_subject* subject,
                                const cr_mesh* mesh, cr_mesh_solid* solid) {
  cr_mesh_report report;
  char text[160], note[280];
  if (!cr_mesh_check(mesh, &report)) return cr_error_memory(subject->error);
  if (!cr_mesh_describe(&report, text, sizeof text)) return CAROM_OK;
  *solid = CR_MESH_SIGNED;
  if (report.num_turned > 0 || !(report.volume > 0))
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "%s; its mass cannot be exact, legacy and convex take any surface",
                           text);
  snprintf(note, sizeof note, "%s: its mass is read as that of its triangles' cones", text);
  return note_mesh(builder, subject, note);
}

/* What gives mass has some. */
static carom_status measure(carom_builder* builder, const cr_subject* subject,
                            const carom_mesh_def* def, const cr_mesh* mesh, cr_mesh_mass* mass) {
  static const cr_mesh_solid SOLIDS[] = {CR_MESH_EXACT, CR_MESH_EXACT, CR_MESH_LEGACY,
                                         CR_MESH_SHELL};
  cr_mesh_solid solid = SOLIDS[def->inertia];
  if (def->inertia == CAROM_MESH_EXACT) CR_TRY(judge_exact(builder, subject, mesh, &solid));
  cr_mesh_compute_mass(mesh, solid, mass);
  if (mass->volume > 0 && isfinite(mass->volume)) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                         "its volume is %.9g, must be a positive number", mass->volume);
}

/* What of a surface that collides is not as it should be: open sides and triangles without an area
 * are noted, faces that look to the wrong side refused. */
static carom_status judge_surface(carom_builder* builder, const cr_subject* subject,
                                  const cr_mesh* mesh) {
  cr_mesh_report report;
  char text[160];
  if (!cr_mesh_check(mesh, &report)) return cr_error_memory(subject->error);
  const char* fault = cr_mesh_describe(&report, text, sizeof text);
  if (fault && report.num_open == 0)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "%s; it cannot collide as a surface",
                           fault);
  if (report.num_degenerate > 0 && !fault)
    snprintf(text, sizeof text, "%d triangles without an area are left out, the first at face %d",
             report.num_degenerate, report.first_degenerate + 1);
  if (!fault && report.num_degenerate == 0) return CAROM_OK;
  return note_mesh(builder, subject, text);
}

/* The surface that collides, from the welded mesh. */
static carom_status make_surface(carom_builder* builder, const cr_subject* subject,
                                 const carom_mesh_def* def, cr_mesh_record* record) {
  if (def->convex) return CAROM_OK;
  const carom_allocator* allocator = &builder->def.allocator;
  cr_mesh mesh;
  cr_mesh_init(&mesh, allocator);
  carom_status status = copy_triangles(def, &mesh) && cr_mesh_weld(&mesh)
                            ? judge_surface(builder, subject, &mesh)
                            : cr_error_memory(subject->error);
  if (status == CAROM_OK)
    record->surface = cr_trisurface_create_mesh(&mesh, record->mass.center, allocator);
  cr_mesh_release(&mesh);
  if (status != CAROM_OK) return status;
  if (!record->surface) return cr_error_memory(subject->error);
  if (record->surface->num_triangles > 0) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                         "it has no triangle with an area; it cannot collide as a surface");
}

static carom_status fill_record(carom_builder* builder, const cr_subject* subject,
                                const carom_mesh_def* def, cr_mesh_record* record) {
  const carom_allocator* allocator = &builder->def.allocator;
  cr_mesh mesh;
  cr_mesh_init(&record->drawn, allocator);
  cr_mesh_init(&record->shown, allocator);
  if (def->only_drawn) {
    bool done = copy_triangles(def, &record->drawn), is_sheet = def->inertia == CAROM_MESH_SHELL;
    if (done && is_sheet) cr_mesh_compute_mass(&record->drawn, CR_MESH_SHELL, &record->mass);
    return done ? CAROM_OK : cr_error_memory(subject->error);
  }
  CR_TRY(make_hull(subject, def, allocator, &record->hull));
  cr_mesh_init(&mesh, allocator);
  carom_status status = copy_surface(def, record->hull, &mesh)
                            ? measure(builder, subject, def, &mesh, &record->mass)
                            : cr_error_memory(subject->error);
  cr_mesh_release(&mesh);
  if (status != CAROM_OK) return status;
  cr_hull_recenter(record->hull, record->mass.center);
  return make_surface(builder, subject, def, record);
}

static void release(cr_mesh_record* mesh, const carom_allocator* allocator) {
  if (!cr_share_leave(mesh->share, allocator)) return;
  cr_hull_destroy(mesh->hull, allocator);
  cr_trisurface_destroy(mesh->surface, allocator);
  cr_mesh_release(&mesh->drawn);
  cr_mesh_release(&mesh->shown);
}

static carom_status share(cr_mesh_record* mesh, const carom_allocator* allocator,
                          carom_error* error) {
  mesh->share = cr_share_create(allocator);
  return mesh->share && cr_show_mesh(mesh, allocator) ? CAROM_OK : cr_error_memory(error);
}

carom_status carom_builder_add_mesh(carom_builder* builder, const carom_mesh_def* def,
                                    carom_mesh* mesh, carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("mesh", builder, error);
  cr_addition addition = {builder,
                          &builder->meshes,
                          -1,
                          {"mesh", def->name, def->source, builder->meshes.count + 1, error}};
  CR_TRY(CR_ADDITION_BEGIN(&addition, def, mesh));
  CR_TRY(check_mesh(&addition.subject, def));
  cr_mesh_record record = {.family = def->family};
  carom_status status = fill_record(builder, &addition.subject, def, &record);
  int index = 0;
  if (status == CAROM_OK) status = share(&record, &builder->def.allocator, error);
  if (status == CAROM_OK) status = cr_addition_finish(&addition, &record, &record.label, &index);
  if (status != CAROM_OK) {
    release(&record, &builder->def.allocator);
    return status;
  }
  if (mesh) mesh->id = index + 1;
  return CAROM_OK;
}

const cr_mesh_record* cr_geom_mesh(const carom_builder* builder, const carom_geom_def* def) {
  return CR_AT(&builder->meshes, cr_mesh_record, def->mesh.id - 1);
}

void cr_meshes_release(carom_builder* builder) {
  const carom_allocator* allocator = &builder->def.allocator;
  for (int i = 0; i < builder->meshes.count; i++)
    release(CR_AT(&builder->meshes, cr_mesh_record, i), allocator);
  for (int i = 0; i < builder->height_fields.count; i++)
    cr_height_field_release(CR_AT(&builder->height_fields, cr_height_field_record, i), allocator);
  cr_list_release(&builder->meshes, allocator);
  cr_list_release(&builder->height_fields, allocator);
}
