/* Surfaces of meshes: written before frames come, read back and checked once. */
#include "record/meshes.h"

#include "base/copy.h"
#include "record/parts.h"

#include <math.h>

enum { VERTEX_START, TRIANGLE_START, VERTICES, TRIANGLES, NUM_COLUMNS };

static const cr_part_column COLUMNS[NUM_COLUMNS] = {
    {"meshes/vertex_start", 1, false, "1", "first vertex of each mesh, and the end", true},
    {"meshes/triangle_start", 1, false, "1", "first triangle of each mesh, and the end", true},
    {"meshes/vertices", 3, true, "m", "in the frame of the geometries", true},
    {"meshes/triangles", 3, false, "1", "vertices, from 0 in each mesh, counterclockwise", true},
};

carom_mesh_info cr_meshes_get(const cr_mesh_table* table, int index) {
  const int *vertex = table->vertex_start + index, *triangle = table->triangle_start + index;
  return (carom_mesh_info){.num_vertices = vertex[1] - vertex[0],
                           .num_triangles = triangle[1] - triangle[0],
                           .vertices = table->vertices + 3 * (size_t)vertex[0],
                           .triangles = table->triangles + 3 * (size_t)triangle[0]};
}

/* --- Writing ------------------------------------------------------------------------------------
 */

/* A surface of the model as it is recorded. */
static carom_mesh_info choose(const carom_model* model, int index) {
  carom_mesh_info mesh = carom_model_get_mesh(model, index);
  return mesh.num_triangles > CR_MESH_MOST_RECORDED ? (carom_mesh_info){0} : mesh;
}

/* Where each mesh starts, and the end of the last. */
static void place(const carom_model* model, cr_mesh_table* t) {
  t->vertex_start[0] = t->triangle_start[0] = 0;
  for (int i = 0; i < t->num_meshes; i++) {
    carom_mesh_info mesh = choose(model, i);
    t->vertex_start[i + 1] = t->vertex_start[i] + mesh.num_vertices;
    t->triangle_start[i + 1] = t->triangle_start[i] + mesh.num_triangles;
  }
}

static bool gather(const carom_model* model, cr_arena* arena, cr_mesh_table* t) {
  t->num_meshes = carom_model_get_sizes(model).num_meshes;
  t->vertex_start = CR_PUSH(arena, int, t->num_meshes + 1);
  t->triangle_start = CR_PUSH(arena, int, t->num_meshes + 1);
  if (arena->failed) return false;
  place(model, t);
  t->vertices = CR_PUSH(arena, double, 3 * (size_t)t->vertex_start[t->num_meshes]);
  t->triangles = CR_PUSH(arena, int, 3 * (size_t)t->triangle_start[t->num_meshes]);
  for (int i = 0; i < t->num_meshes && !arena->failed; i++) {
    carom_mesh_info mesh = choose(model, i);
    size_t vertices = 3 * (size_t)mesh.num_vertices, triangles = 3 * (size_t)mesh.num_triangles;
    if (triangles == 0) continue;
    CR_COPY(t->vertices + 3 * (size_t)t->vertex_start[i], mesh.vertices, vertices);
    CR_COPY(t->triangles + 3 * (size_t)t->triangle_start[i], mesh.triangles, triangles);
  }
  return !arena->failed;
}

static bool write_table(hid_t file, const cr_mesh_table* t) {
  int count = t->num_meshes;
  const int rows[] = {count + 1, count + 1, t->vertex_start[count], t->triangle_start[count]};
  const void* cells[] = {t->vertex_start, t->triangle_start, t->vertices, t->triangles};
  bool done = true;
  for (int k = 0; k < NUM_COLUMNS && done; k++)
    done = cr_part_write_column(file, &COLUMNS[k], rows[k], cells[k]);
  return done;
}

carom_status cr_meshes_write(hid_t file, const carom_model* model,
                             const carom_allocator* allocator) {
  cr_mesh_table t = {0};
  cr_arena arena;
  if (carom_model_get_sizes(model).num_meshes == 0) return CAROM_OK;
  cr_arena_init(&arena, allocator);
  carom_status status = gather(model, &arena, &t) ? CAROM_OK : CAROM_ERROR_OUT_OF_MEMORY;
  if (status == CAROM_OK && !write_table(file, &t)) status = CAROM_ERROR_FILE;
  cr_arena_destroy(&arena);
  return status;
}

/* --- Reading ------------------------------------------------------------------------------------
 */

/* Whether starts lead from 0 to the end in steps of at most `most`. */
static bool are_starts_sound(const int* start, int num_meshes, int64_t end, int most) {
  bool is_sound = start[0] == 0 && start[num_meshes] == end;
  for (int i = 0; i < num_meshes && is_sound; i++)
    is_sound = start[i + 1] >= start[i] && start[i + 1] - start[i] <= most;
  return is_sound;
}

static bool is_sound(const carom_mesh_info* mesh) {
  for (int k = 0; k < 3 * mesh->num_vertices; k++)
    if (!isfinite(mesh->vertices[k])) return false;
  for (int k = 0; k < 3 * mesh->num_triangles; k++)
    if (mesh->triangles[k] < 0 || mesh->triangles[k] >= mesh->num_vertices) return false;
  return true;
}

/* @param counts of the numbers in each column */
static bool check(const cr_mesh_table* t, const int64_t counts[NUM_COLUMNS]) {
  enum { MOST = CR_MESH_MOST_RECORDED };
  bool fits = counts[VERTEX_START] >= 1 && counts[VERTEX_START] == counts[TRIANGLE_START] &&
              counts[VERTICES] % 3 == 0 && counts[TRIANGLES] % 3 == 0;
  fits = fits && are_starts_sound(t->vertex_start, t->num_meshes, counts[VERTICES] / 3, 3 * MOST) &&
         are_starts_sound(t->triangle_start, t->num_meshes, counts[TRIANGLES] / 3, MOST);
  for (int i = 0; i < t->num_meshes && fits; i++) {
    carom_mesh_info mesh = cr_meshes_get(t, i);
    fits = is_sound(&mesh);
  }
  return fits;
}

/* @return null or what is wrong */
static const char* load(hid_t file, cr_arena* arena, cr_mesh_table* t,
                        int64_t counts[NUM_COLUMNS]) {
  int** const wholes[NUM_COLUMNS] = {&t->vertex_start, &t->triangle_start, NULL, &t->triangles};
  const char* fault = NULL;
  for (int k = 0; k < NUM_COLUMNS && !fault; k++)
    fault = wholes[k] ? cr_h5_load_ints(file, COLUMNS[k].path, arena, wholes[k], &counts[k])
                      : cr_h5_load_reals(file, COLUMNS[k].path, arena, &t->vertices, &counts[k]);
  return fault;
}

carom_status cr_meshes_read(hid_t file, cr_arena* arena, cr_mesh_table* t) {
  int64_t counts[NUM_COLUMNS] = {0};
  *t = (cr_mesh_table){0};
  if (!cr_h5_exists(file, "meshes")) return CAROM_OK;
  const char* fault = load(file, arena, t, counts);
  t->num_meshes = (int)counts[VERTEX_START] - 1;
  if (!fault && check(t, counts)) return CAROM_OK;
  *t = (cr_mesh_table){0};
  return fault == CR_H5_OUT_OF_MEMORY ? CAROM_ERROR_OUT_OF_MEMORY : CAROM_ERROR_BAD_INPUT;
}
