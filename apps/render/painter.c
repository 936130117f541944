/* A picture is the mean of passes that differ in where a pixel is looked at, where on its disc the
 * sun stands, from where the sky shines, and which transparent bodies are there (Haeberli and
 * Akeley 1990, "The accumulation buffer"). Each pass is a plain picture with hard shadow maps; the
 * mean has smooth edges, soft shadows, darkness where little sky is seen, and transparency in any
 * order. */
#include "painter.h"

#include "common/error.h"
#include "light.h"
#include "meshes.h"
#include "program.h"
#include "targets.h"

#include <stdio.h>
#include <stdlib.h>

#define SUN_ASIDE (-1.15) /* rad: the sun stands to the left of the camera */

/* A shape with the list of a layer. */
typedef struct batch {
  GLuint array, instances;
  int count, capacity;
} batch;

/* A shape on the graphics card. */
typedef struct model {
  GLuint vertices, indices;
  int num_indices;
  batch batches[RENDER_NUM_LAYERS];
} model;

struct render_painter {
  int passes;
  GLuint programs[RENDER_NUM_PROGRAMS];
  model* models; /* [num_models] shapes, meshes, soft bodies, the areas of contacts */
  int num_models;
  GLuint sheet, sheet_vertices; /* corners from -1 to 1 */
  render_targets targets;
};

/* --- Making -------------------------------------------------------------------------------------
 */

/* The attributes of a soft body's vertices; its colours are not its instance's. */
static void describe_soft(void) {
  const size_t offsets[] = {offsetof(render_soft_vertex, core),
                            offsetof(render_soft_vertex, normal),
                            offsetof(render_soft_vertex, colour)};
  const GLuint places[] = {0, 1, 6};
  for (int i = 0; i < 3; i++) {
    glVertexAttribPointer(places[i], i < 2 ? 3 : 4, GL_FLOAT, GL_FALSE, sizeof(render_soft_vertex),
                          (const char*)NULL + offsets[i]);
    glVertexAttribDivisor(places[i], 0);
  }
}

/* The attributes of solid.vert: two of the shape, six of each solid. */
static void describe_batch(const model* m, batch* b) {
  glGenVertexArrays(1, &b->array);
  glGenBuffers(1, &b->instances);
  glBindVertexArray(b->array);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, m->indices);
  glBindBuffer(GL_ARRAY_BUFFER, m->vertices);
  for (GLuint i = 0; i < 2; i++) {
    glEnableVertexAttribArray(i);
    glVertexAttribPointer(i, 3, GL_FLOAT, GL_FALSE, sizeof(render_vertex),
                          (const char*)NULL + 12 * (size_t)i);
  }
  glBindBuffer(GL_ARRAY_BUFFER, b->instances);
  for (GLuint i = 0; i < 6; i++) {
    glEnableVertexAttribArray(2 + i);
    glVertexAttribPointer(2 + i, 4, GL_FLOAT, GL_FALSE, sizeof(render_solid),
                          (const char*)NULL + 16 * (size_t)i);
    glVertexAttribDivisor(2 + i, 1);
  }
}

/* Segments of round shapes: fewer where many bodies share the picture. */
static int choose_segments(int num_solids) {
  return num_solids <= 100 ? 48 : num_solids <= 500 ? 32 : num_solids <= 2000 ? 24 : 16;
}

static void upload_model(const render_mesh* mesh, model* m) {
  glBindVertexArray(0);
  glGenBuffers(1, &m->vertices);
  glBindBuffer(GL_ARRAY_BUFFER, m->vertices);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)sizeof *mesh->vertices * mesh->num_vertices,
               mesh->vertices, GL_STATIC_DRAW);
  glGenBuffers(1, &m->indices);
  glBindBuffer(GL_ARRAY_BUFFER, m->indices);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)sizeof *mesh->indices * mesh->num_indices,
               mesh->indices, GL_STATIC_DRAW);
  m->num_indices = mesh->num_indices;
  for (int layer = 0; layer < RENDER_NUM_LAYERS; layer++) describe_batch(m, &m->batches[layer]);
}

/* Triangles whose vertices come with each picture, for a layer. */
static void make_free(const render_mesh* mesh, int layer, model* m) {
  upload_model(mesh, m);
  glBindVertexArray(m->batches[layer].array);
  glBindBuffer(GL_ARRAY_BUFFER, m->vertices);
  describe_soft();
}

static void make_soft(const render_soft* soft, model* m) {
  const render_mesh mesh = {.indices = (unsigned*)soft->corners,
                            .num_indices = 3 * soft->info.num_triangles};
  make_free(&mesh, RENDER_BODIES, m);
}

static bool make_model(const render_scene* scene, int shape, model* m) {
  render_mesh mesh;
  bool is_made;
  int soft = shape - RENDER_NUM_SHAPES - scene->num_meshes;
  if (soft == scene->softs.count) {
    make_free(&(render_mesh){0}, RENDER_MARKS, m);
    return true;
  }
  if (soft >= 0) {
    make_soft(&scene->softs.items[soft], m);
    return true;
  }
  if (shape < RENDER_NUM_SHAPES) {
    is_made = render_mesh_create((render_shape)shape, choose_segments(scene->num_geoms), &mesh);
  } else {
    carom_mesh_info surface = carom_recording_get_mesh(scene->recording, shape - RENDER_NUM_SHAPES);
    is_made = render_mesh_create_flat(&surface, &mesh);
  }
  if (is_made) upload_model(&mesh, m);
  render_mesh_free(&mesh);
  return is_made;
}

static bool make_models(render_painter* p, const render_scene* scene) {
  int count = RENDER_NUM_SHAPES + scene->num_meshes + scene->softs.count + 1;
  p->models = calloc((size_t)count, sizeof *p->models);
  if (!p->models) return false;
  p->num_models = count;
  for (int i = 0; i < count; i++)
    if (!make_model(scene, i, &p->models[i])) return false;
  return true;
}

static void make_sheet(render_painter* p) {
  static const float CORNERS[12] = {-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0};
  glGenVertexArrays(1, &p->sheet);
  glBindVertexArray(p->sheet);
  glGenBuffers(1, &p->sheet_vertices);
  glBindBuffer(GL_ARRAY_BUFFER, p->sheet_vertices);
  glBufferData(GL_ARRAY_BUFFER, sizeof CORNERS, CORNERS, GL_STATIC_DRAW);
  glEnableVertexAttribArray(0);
  glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 12, NULL);
}

carom_status render_painter_create(int width, int height, int passes, const render_scene* scene,
                                   render_painter** painter, carom_error* error) {
  render_painter* p = calloc(1, sizeof *p);
  *painter = p;
  if (!p) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  p->passes = passes;
  carom_status status = render_targets_create(width, height, &p->targets, error);
  for (int i = 0; i < RENDER_NUM_PROGRAMS && status == CAROM_OK; i++)
    status = render_program_create((render_program)i, &p->programs[i], error);
  if (status != CAROM_OK) return status;
  make_sheet(p);
  if (make_models(p, scene)) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
}

void render_painter_destroy(render_painter* p) {
  if (!p) return;
  for (int i = 0; i < RENDER_NUM_PROGRAMS; i++) glDeleteProgram(p->programs[i]);
  for (model* m = p->models; m < p->models + p->num_models; m++) {
    for (int layer = 0; layer < RENDER_NUM_LAYERS; layer++) {
      glDeleteVertexArrays(1, &m->batches[layer].array);
      glDeleteBuffers(1, &m->batches[layer].instances);
    }
    glDeleteBuffers(1, &m->vertices);
    glDeleteBuffers(1, &m->indices);
  }
  free(p->models);
  glDeleteVertexArrays(1, &p->sheet);
  glDeleteBuffers(1, &p->sheet_vertices);
  render_targets_destroy(&p->targets);
  free(p);
}

/* --- Solids -------------------------------------------------------------------------------------
 */

static void upload_softs(render_painter* p, const render_softs* softs) {
  const model* models = p->models + p->num_models - 1 - softs->count;
  for (int i = 0; i < softs->count; i++) {
    const render_soft* s = &softs->items[i];
    glBindBuffer(GL_ARRAY_BUFFER, models[i].vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)sizeof *s->vertices * s->num_vertices, s->vertices,
                 GL_STREAM_DRAW);
  }
}

static void upload_pressure(render_painter* p, const render_pressure* pressure) {
  const model* m = &p->models[p->num_models - 1];
  glBindBuffer(GL_ARRAY_BUFFER, m->vertices);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)sizeof *pressure->vertices * pressure->count,
               pressure->vertices, GL_STREAM_DRAW);
}

static void upload(render_painter* p, const render_view* view) {
  for (int layer = 0; layer < RENDER_NUM_LAYERS; layer++)
    for (int shape = 0; shape < p->num_models; shape++) {
      const render_solids* solids = &view->layers[layer];
      const render_list none = {0};
      const render_list* list = shape < solids->num_lists ? &solids->lists[shape] : &none;
      batch* b = &p->models[shape].batches[layer];
      b->count = list->count;
      glBindBuffer(GL_ARRAY_BUFFER, b->instances);
      glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)sizeof *list->items * list->count, list->items,
                   GL_STREAM_DRAW);
    }
}

static void draw_layer(const render_painter* p, int layer) {
  for (const model* m = p->models; m < p->models + p->num_models; m++) {
    const batch* b = &m->batches[layer];
    if (b->count == 0) continue;
    glBindVertexArray(b->array);
    glDrawElementsInstanced(GL_TRIANGLES, m->num_indices, GL_UNSIGNED_INT, NULL, b->count);
  }
}

/* The instance of the areas stands in the list of the marks. */
static void draw_pressure(const render_painter* p, const render_pressure* pressure) {
  const batch* b = &p->models[p->num_models - 1].batches[RENDER_MARKS];
  if (b->count == 0 || pressure->count == 0) return;
  glBindVertexArray(b->array);
  glDrawArraysInstanced(GL_TRIANGLES, 0, pressure->count, b->count);
  glClear(GL_DEPTH_BUFFER_BIT);
}

/* --- Planes -------------------------------------------------------------------------------------
 */

static render_matrix pose_matrix(const double pose[7], const double middle[3]) {
  double rotation[9];
  render_matrix m = {{[15] = 1}};
  render_rotation(pose + 3, rotation);
  for (int row = 0; row < 3; row++) {
    for (int column = 0; column < 3; column++) m.at[4 * column + row] = rotation[3 * row + column];
    m.at[12 + row] = pose[row] - middle[row];
  }
  return m;
}

/* The sheet about the foot of the camera's middle on a plane: as far as can be seen of it, or as
 * the plane goes. */
static void draw_plane(const render_painter* p, const render_view* view, const render_geom* geom) {
  GLuint program = p->programs[RENDER_PLANE];
  double pose[7], fade = fmax(9 * view->camera.radius, 3.5 * view->camera.distance);
  render_pose_compose(view->poses + 7 * (size_t)geom->body, geom->pose, pose);
  render_matrix m = pose_matrix(pose, view->camera.middle);
  float sheet[4];
  for (int k = 0; k < 2; k++) {
    double foot = -render_dot(m.at + 4 * (size_t)k, m.at + 12), half = geom->size[k];
    double low = half > 0 ? fmax(foot - fade, -half) : foot - fade;
    double high = half > 0 ? fmin(foot + fade, half) : foot + fade;
    if (!(high > low)) return;
    sheet[k] = (float)(0.5 * (low + high));
    sheet[2 + k] = (float)(0.5 * (high - low));
  }
  render_set_matrix(program, "u_pose", &m);
  render_set_colour(program, "u_sheet", sheet);
  render_set_colour(program, "u_colour", geom->colour);
  render_set_number(program, "u_fade", fade);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void draw_planes(const render_painter* p, const render_view* view) {
  glBindVertexArray(p->sheet);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(1, 1);
  glDepthMask(GL_FALSE);
  for (int i = 0; i < view->scene->num_geoms; i++)
    if (view->scene->geoms[i].type == CAROM_GEOM_PLANE) draw_plane(p, view, &view->scene->geoms[i]);
  glDepthMask(GL_TRUE);
  glDisable(GL_POLYGON_OFFSET_FILL);
  glDisable(GL_BLEND);
}

/* --- Passes -------------------------------------------------------------------------------------
 */

/* The ball about all bodies that can throw a shadow into the picture, from the middle. */
typedef struct ball {
  double middle[3], radius;
} ball;

/* Takes a box in, as far as the reach; it counts from the middle. */
static void take_in(const render_box* own, const double middle[3], double reach, render_box* box) {
  for (int k = 0; k < 3; k++) {
    box->low[k] = fmax(fmin(box->low[k], own->low[k] - middle[k]), -reach);
    box->high[k] = fmin(fmax(box->high[k], own->high[k] - middle[k]), reach);
  }
}

static ball find_casters(const render_view* view) {
  double reach = 8 * fmax(view->camera.radius, 0.5 * view->camera.distance);
  render_box box = {{reach, reach, reach}, {-reach, -reach, -reach}};
  for (int i = 0; i < view->scene->num_geoms; i++) {
    render_box own;
    if (view->scene->geoms[i].type == CAROM_GEOM_PLANE) continue;
    if (render_geom_box(&view->scene->geoms[i], view->poses, &own))
      take_in(&own, view->camera.middle, reach, &box);
  }
  for (int i = 0; i < view->scene->softs.count; i++)
    if (view->scene->softs.items[i].is_there)
      take_in(&view->scene->softs.items[i].box, view->camera.middle, reach, &box);
  if (box.high[0] < box.low[0]) return (ball){.radius = view->camera.radius};
  ball b = {.radius = 1.02 * fmax(render_box_radius(&box), 1e-6)};
  for (int k = 0; k < 3; k++) b.middle[k] = 0.5 * (box.low[k] + box.high[k]);
  return b;
}

static void draw_map(const render_painter* p, int light, int pass, const render_matrix* clip) {
  GLuint program = p->programs[RENDER_DEPTH];
  glBindFramebuffer(GL_FRAMEBUFFER, p->targets.maps[light].framebuffer);
  glViewport(0, 0, render_map_size(light), render_map_size(light));
  glClear(GL_DEPTH_BUFFER_BIT);
  glUseProgram(program);
  render_set_number(program, "u_pass", pass);
  render_set_matrix(program, "u_clip", clip);
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(1.5F, 2);
  draw_layer(p, RENDER_BODIES);
  glDisable(GL_POLYGON_OFFSET_FILL);
}

/* A light with its shadow map, and what bodies and planes need to know of them. */
static void draw_light(const render_painter* p, const ball* casters, const render_pass* pass,
                       int light, int index) {
  char names[3][32];
  snprintf(names[0], sizeof names[0], "u_lights[%d]", light);
  snprintf(names[1], sizeof names[1], "u_clips[%d]", light);
  snprintf(names[2], sizeof names[2], "u_maps[%d]", light);
  render_matrix clip = render_light_clip(pass->lights[light], casters->middle, casters->radius);
  draw_map(p, light, index, &clip);
  clip = render_light_map(&clip);
  for (int i = RENDER_SOLID; i <= RENDER_PLANE; i++) {
    glUseProgram(p->programs[i]);
    render_set_vector(p->programs[i], names[0], pass->lights[light]);
    render_set_matrix(p->programs[i], names[1], &clip);
    render_set_integer(p->programs[i], names[2], light);
    render_set_number(p->programs[i], "u_bias", 3 * casters->radius / render_map_size(0));
  }
  glActiveTexture(GL_TEXTURE0 + (GLenum)light);
  glBindTexture(GL_TEXTURE_2D, p->targets.maps[light].texture);
}

/* The uniforms that programs share. */
static void set_up(const render_painter* p, render_program which, const render_view* view,
                   const render_matrix* clip, int index) {
  GLuint program = p->programs[which];
  double eye[3];
  for (int k = 0; k < 3; k++) eye[k] = view->camera.eye[k] - view->camera.middle[k];
  const double origin[3] = {0, 0, 0};
  glUseProgram(program);
  render_set_matrix(program, "u_clip", clip);
  render_set_vector(program, "u_eye", eye);
  render_set_vector(program, "u_middle", origin);
  render_set_number(program, "u_pass", index);
  render_set_number(program, "u_spacing", view->grid);
}

static void draw_pass(const render_painter* p, const render_view* view, const ball* casters,
                      int index) {
  render_pass pass = render_pass_choose(index, p->passes, view->camera.azimuth + SUN_ASIDE);
  render_matrix shift = {{[0] = 1, [5] = 1, [10] = 1, [15] = 1}};
  shift.at[12] = 2 * pass.offset[0] / p->targets.width;
  shift.at[13] = 2 * pass.offset[1] / p->targets.height;
  render_matrix clip = render_matrix_multiply(&shift, &view->clip);
  glEnable(GL_DEPTH_TEST);
  glEnable(GL_CULL_FACE);
  for (int i = 0; i < RENDER_NUM_LIGHTS; i++) draw_light(p, casters, &pass, i, index);
  glBindFramebuffer(GL_FRAMEBUFFER, p->targets.pass.framebuffer);
  glViewport(0, 0, p->targets.width, p->targets.height);
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  set_up(p, RENDER_SOLID, view, &clip, index);
  draw_layer(p, RENDER_BODIES);
  set_up(p, RENDER_MARK, view, &clip, index);
  draw_layer(p, RENDER_TRAILS);
  glDisable(GL_CULL_FACE);
  set_up(p, RENDER_PLANE, view, &clip, index);
  draw_planes(p, view);
  glEnable(GL_CULL_FACE);
  glClear(GL_DEPTH_BUFFER_BIT);
  set_up(p, RENDER_MARK, view, &clip, index);
  draw_pressure(p, &view->pressure);
  draw_layer(p, RENDER_MARKS);
}

/* Fills a target with what a program makes of a texture. */
static void fill(const render_painter* p, const render_target* target, GLuint texture,
                 render_program which) {
  glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_CULL_FACE);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, texture);
  glUseProgram(p->programs[which]);
  render_set_integer(p->programs[which], "u_picture", 0);
  glBindVertexArray(p->sheet);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void add_pass(const render_painter* p) {
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE);
  fill(p, &p->targets.sum, p->targets.pass.texture, RENDER_COPY);
  glDisable(GL_BLEND);
}

static void finish(const render_painter* p, const render_view* view) {
  GLuint program = p->programs[RENDER_FINISH];
  const double top[3] = {view->top[0], view->top[1], view->top[2]};
  const double bottom[3] = {view->bottom[0], view->bottom[1], view->bottom[2]};
  glUseProgram(program);
  render_set_number(program, "u_passes", p->passes);
  render_set_vector(program, "u_top", top);
  render_set_vector(program, "u_bottom", bottom);
  render_set_number(program, "u_opaque", view->is_transparent ? 0 : 1);
  fill(p, &p->targets.finished, p->targets.sum.texture, RENDER_FINISH);
}

/* Rows come from the bottom; pixels have them from the top. */
static void read_pixels(const render_painter* p, unsigned char* pixels) {
  size_t row = 4 * (size_t)p->targets.width;
  int height = p->targets.height;
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  for (int y = 0; y < height; y++)
    glReadPixels(0, y, p->targets.width, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                 pixels + row * (size_t)(height - 1 - y));
}

carom_status render_painter_draw(render_painter* p, const render_view* view, unsigned char* pixels,
                                 carom_error* error) {
  for (int layer = 0; layer < RENDER_NUM_LAYERS; layer++)
    if (view->layers[layer].out_of_memory)
      return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  ball casters = find_casters(view);
  upload(p, view);
  upload_softs(p, &view->scene->softs);
  upload_pressure(p, &view->pressure);
  glBindFramebuffer(GL_FRAMEBUFFER, p->targets.sum.framebuffer);
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT);
  for (int pass = 0; pass < p->passes; pass++) {
    draw_pass(p, view, &casters, pass);
    add_pass(p);
  }
  finish(p, view);
  read_pixels(p, pixels);
  if (glGetError() == GL_NO_ERROR) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_FILE, "OpenGL (%s) could not draw the picture",
                   (const char*)glGetString(GL_RENDERER));
}
