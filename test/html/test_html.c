/* Pages: what is in them decodes to what was recorded, within the steps of their numbers; they stay
 * small; damage, full disks and exhausted memory are told. The decoder here is of its own. */
#include "html/page.h"
#include "support/check.h"
#include "support/memory.h"
#include "support/recording.h"

#include "carom/html.h"
#include "carom/soft.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const char SCENE[] =
    "<mujoco model='a &quot;b&quot; \\ &lt;/script&gt;'><option timestep='0.005' "
    "carom:patches='area'/><worldbody>"
    "<geom name='floor' type='plane' size='0 0 1' rgba='.2 .4 .6 .5'/>"
    "<body name='box' pos='0 0 0.2'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "<body name='ball' pos='0.03 0 0.45'><freejoint name='b'/><geom size='.1'/></body>"
    "<body name='arm' pos='2 0 1'><joint name='elbow' axis='0 1 0'/>"
    "<geom type='capsule' size='.05 .2'/><body name='hand' pos='0 0 -.3'><joint type='ball'/>"
    "<geom type='cylinder' size='.05 .1'/></body></body></worldbody>"
    "<actuator><motor name='motor' joint='elbow'/></actuator></mujoco>";

static char recording_path[256], page_path[256];

/* --- Making -------------------------------------------------------------------------------------
 */

static void record_text(const char* text, double duration, double rate) {
  check_record(recording_path, text, NULL, duration, rate);
}

static carom_recording* open_recording(void) { return check_open_recording(recording_path); }

static carom_html_report write_page(carom_recording* recording, double rate) {
  carom_html_def def = carom_html_def_default();
  carom_html_report report;
  carom_error error;
  def.rate = rate;
  check_ok(carom_html_write(recording, page_path, &def, &report, &error), &error);
  return report;
}

/* --- Decoding -----------------------------------------------------------------------------------
 */

typedef struct data {
  unsigned char* bytes;
  size_t size, at;
  json_t* header;
} data;

static char* read_page(size_t* size) {
  FILE* file = fopen(page_path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char* text = calloc(*size + 1, 1);
  assert_int_equal(fread(text, 1, *size, file), *size);
  fclose(file);
  return text;
}

static int digit_of(char letter) {
  static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char* at = letter ? strchr(DIGITS, letter) : NULL;
  return at ? (int)(at - DIGITS) : -1;
}

static size_t decode_base64(const char* text, unsigned char* bytes) {
  size_t count = 0;
  unsigned bits = 0;
  int num_bits = 0;
  for (; digit_of(*text) >= 0; text++) {
    bits = bits << 6 | (unsigned)digit_of(*text);
    num_bits += 6;
    if (num_bits < 8) continue;
    num_bits -= 8;
    bytes[count++] = (unsigned char)(bits >> num_bits);
  }
  assert_true(*text == '=' || *text == '<');
  return count;
}

static data read_data(void) {
  static const char OPENING[] = "id=\"recording\">";
  size_t size;
  char* page = read_page(&size);
  char* start = strstr(page, OPENING);
  assert_non_null(start);
  unsigned char* packed = malloc(size);
  size_t num_packed = decode_base64(start + strlen(OPENING), packed);
  uLongf most = 64u << 20;
  data d = {.bytes = malloc(most)};
  assert_int_equal(uncompress(d.bytes, &most, packed, num_packed), Z_OK);
  d.size = most;
  size_t length = d.bytes[0] | (size_t)d.bytes[1] << 8 | (size_t)d.bytes[2] << 16;
  d.header = json_loadb((char*)d.bytes + 4, length, 0, NULL);
  assert_non_null(d.header);
  d.at = 4 + length;
  free(packed), free(page);
  return d;
}

static void free_data(data* d) {
  json_decref(d->header);
  free(d->bytes);
}

static double number(const data* d, const char* key) {
  return json_number_value(json_object_get(d->header, key));
}

static int64_t read_integer(data* d) {
  uint64_t bits = 0;
  int shift = 0;
  unsigned char byte;
  do {
    assert_true(d->at < d->size);
    byte = d->bytes[d->at++];
    bits |= (uint64_t)(byte & 127) << shift;
    shift += 7;
  } while (byte & 128);
  return (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
}

static void read_plain(data* d, void* value, size_t size) {
  assert_true(d->at + size <= d->size);
  memcpy(value, d->bytes + d->at, size); /* little endian, as the page */
  d->at += size;
}

static int64_t read_tracked(data* d, int64_t track[2], bool is_first) {
  int64_t value = read_integer(d);
  if (!is_first) value += 2 * track[0] - track[1];
  track[1] = is_first ? value : track[0];
  track[0] = value;
  return value;
}

/* --- Comparing ----------------------------------------------------------------------------------
 */

/* A quaternion may be its opposite, which turns alike. */
static void compare_poses(data* d, int64_t (*tracks)[2], const carom_frame* frame, int num_bodies,
                          bool is_first) {
  double step = number(d, "positionStep"), turn = number(d, "rotationStep");
  for (int body = 1; body < num_bodies; body++) {
    double pose[7], sign = 0;
    for (int k = 0; k < 7; k++)
      pose[k] = (double)read_tracked(d, tracks[7 * body + k], is_first) * (k < 3 ? step : turn);
    const double* recorded = frame->poses + 7 * body;
    for (int k = 3; k < 7; k++) sign += pose[k] * recorded[k];
    for (int k = 0; k < 7; k++) {
      double expected = k < 3 || sign > 0 ? recorded[k] : -recorded[k];
      check_near(pose[k], expected, (k < 3 ? step : turn) * (0.5 + 1e-9));
    }
  }
}

/* What a channel shows, of the recording. */
static double find_recorded(json_t* channel, const carom_frame* frame, carom_recording* recording) {
  const char* of = json_string_value(json_object_get(channel, "of"));
  json_t* owner = json_object_get(channel, of[0] == 'c' ? "actuator" : "joint");
  int index = (int)json_integer_value(owner);
  int component = (int)json_integer_value(json_object_get(channel, "component"));
  if (of[0] == 'c') return frame->ctrl[index];
  carom_joint_info info = carom_recording_get_joint(recording, index);
  return of[0] == 'q' ? frame->q[info.q_address + component] : frame->v[info.v_address + component];
}

static void compare_channels(data* d, int64_t (*tracks)[2], const carom_frame* frame,
                             carom_recording* recording, bool is_first) {
  json_t* channels = json_object_get(d->header, "channels");
  for (size_t i = 0; i < json_array_size(channels); i++) {
    json_t* channel = json_array_get(channels, i);
    double step = json_number_value(json_object_get(channel, "step"));
    double recorded = find_recorded(channel, frame, recording);
    check_near((double)read_tracked(d, tracks[i], is_first) * step, recorded, step * (0.5 + 1e-6));
  }
}

enum { NUM_FIGURES = 22, ROW = 12, OF_TRIANGLE = 12 };

/* Rows of twelve numbers; the first contact of a pair is expected where that pair's was. */
typedef struct rows {
  int count;
  int64_t values[64][ROW];
} rows;

static int compare_pairs(const int64_t* a, const int64_t* b) {
  if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
  return a[1] < b[1] ? -1 : a[1] > b[1];
}

static void read_rows(data* d, const rows* old, rows* now) {
  static const int64_t ZERO[ROW];
  const int64_t* before = ZERO;
  int at = 0;
  now->count = (int)read_integer(d);
  assert_true(now->count <= 64);
  for (int i = 0; i < now->count; i++) {
    int64_t* row = now->values[i];
    for (int k = 0; k < 2; k++) row[k] = before[k] + read_integer(d);
    while (at < old->count && compare_pairs(old->values[at], row) < 0) at++;
    bool same = at < old->count && compare_pairs(old->values[at], row) == 0;
    const int64_t* expected = same ? old->values[at++] : before;
    for (int k = 2; k < ROW; k++) row[k] = expected[k] + read_integer(d);
    before = row;
  }
}

static void compare_contacts(const data* d, const rows* now, const carom_frame* frame, double dt) {
  double step = number(d, "positionStep"), force = number(d, "forceStep");
  assert_int_equal(now->count, frame->num_contacts);
  for (int i = 0; i < now->count; i++) {
    const carom_contact* c = &frame->contacts[i];
    const int64_t* row = now->values[i];
    assert_true(row[0] == c->geom1 && row[1] == c->geom2 && row[2] == (int64_t)c->state);
    for (int k = 0; k < 3; k++) {
      check_near((double)row[3 + k] * step, c->position[k], step * (0.5 + 1e-9));
      check_near((double)row[6 + k] * force, c->impulse[k] / dt, force * (0.5 + 1e-9));
      check_near((double)row[9 + k] / 1024, c->normal[k], (0.5 + 1e-9) / 1024);
    }
  }
}

/* Triangles of twelve numbers; each is expected where that of its number was a frame before, else
 * at the one before. */
typedef struct area_rows {
  int count;
  int64_t values[64][OF_TRIANGLE];
} area_rows;

static void compare_areas(data* d, const area_rows* old, area_rows* now, const carom_frame* frame) {
  double place = number(d, "areaStep"), pressure = number(d, "pressureStep");
  now->count = (int)read_integer(d);
  assert_int_equal(now->count, frame->num_triangles);
  assert_true(now->count <= 64);
  for (int i = 0; i < now->count; i++)
    for (int k = 0; k < OF_TRIANGLE; k++) {
      int64_t expected = i < old->count ? old->values[i][k] : i > 0 ? now->values[i - 1][k] : 0;
      now->values[i][k] = expected + read_integer(d);
      double step = k % 4 < 3 ? place : pressure;
      check_near((double)now->values[i][k] * step, frame->triangles[i].corner[k / 4][k % 4],
                 step * (0.5 + 1e-9));
    }
}

/* Every frame of a page of all frames. */
static void test_page_is_the_recording(void** state) {
  (void)state;
  record_text(SCENE, 1, 0);
  carom_recording* recording = open_recording();
  carom_recording_info info = carom_recording_get_info(recording);
  carom_html_report report = write_page(recording, 0);
  assert_int_equal(report.num_frames, info.num_frames);
  assert_true(report.num_unread == 0 && info.num_contacts > 100 && info.num_triangles > 100);
  data d = read_data();
  assert_true(2 * report.position_error == number(&d, "positionStep"));
  assert_true(report.position_error <= 0.05 / 1024);
  static int64_t poses[7 * 8][2], channels[32][2];
  static rows lists[2];
  static area_rows areas[2];
  for (int i = 0; i < report.num_frames; i++) {
    carom_frame frame;
    carom_error error;
    double time;
    float figures[NUM_FIGURES];
    check_ok(carom_recording_read(recording, i, &frame, &error), &error);
    read_plain(&d, &time, sizeof time);
    read_plain(&d, figures, sizeof figures);
    assert_true(time == frame.time && figures[0] == (float)frame.energy[0]);
    assert_true((int)figures[7] == frame.iterations && figures[10] == (float)frame.residual);
    for (int k = 0; k < 3; k++) assert_true(figures[13 + k] == (float)frame.com[k]);
    for (int k = 0; k < 6; k++) assert_true(figures[16 + k] == (float)frame.momentum[k]);
    compare_poses(&d, poses, &frame, info.num_bodies, i == 0);
    compare_channels(&d, channels, &frame, recording, i == 0);
    read_rows(&d, &lists[(i + 1) % 2], &lists[i % 2]);
    compare_contacts(&d, &lists[i % 2], &frame, info.dt);
    compare_areas(&d, &areas[(i + 1) % 2], &areas[i % 2], &frame);
  }
  assert_int_equal(d.at, d.size);
  free_data(&d);
  carom_recording_close(recording);
}

/* What the page says of the model, also where names have characters that JSON and HTML mind. */
static void test_header(void** state) {
  (void)state;
  record_text(SCENE, 0.1, 0);
  carom_recording* recording = open_recording();
  write_page(recording, 60);
  data d = read_data();
  assert_string_equal(json_string_value(json_object_get(d.header, "model")),
                      "a \"b\" \\ </script>");
  json_t *geoms = json_object_get(d.header, "geoms"), *floor = json_array_get(geoms, 0);
  assert_int_equal(json_array_size(geoms), 5);
  assert_string_equal(json_string_value(json_object_get(floor, "type")), "plane");
  check_near(json_number_value(json_array_get(json_object_get(floor, "rgba"), 3)), 0.5, 1e-6);
  json_t* joints = json_object_get(d.header, "joints");
  assert_int_equal(json_array_size(joints), 4);
  json_t* motor = json_array_get(json_object_get(d.header, "actuators"), 0);
  assert_string_equal(json_string_value(json_object_get(motor, "name")), "motor");
  assert_false(json_number_value(json_object_get(d.header, "live")) != 0);
  json_t* ball = json_array_get(json_object_get(d.header, "bodies"), 2);
  assert_string_equal(json_string_value(json_object_get(ball, "name")), "ball");
  free_data(&d);
  carom_recording_close(recording);
}

/* A tetrahedron that two geometries share, and an ellipsoid, as what they are. */
static void test_surfaces(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><option timestep='0.005'/><asset><mesh name='t' vertex='1 0 0 3 0 0 1 4 0 1 0 6'/>"
      "</asset><worldbody><geom type='ellipsoid' size='1 2 3'/><geom type='mesh' mesh='t'/>"
      "<geom type='mesh' mesh='t'/><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
  static const double VERTICES[] = {-1, -2, -3, 1, -2, -3, -1, 2, -3, -1, -2, 3};
  static const char* const TYPES[] = {"ellipsoid", "mesh", "mesh", "sphere"};
  record_text(TEXT, 0.1, 0);
  carom_recording* recording = open_recording();
  write_page(recording, 60);
  data d = read_data();
  json_t *geoms = json_object_get(d.header, "geoms"), *meshes = json_object_get(d.header, "meshes");
  for (size_t i = 0; i < 4; i++) {
    json_t *geom = json_array_get(geoms, i), *mesh = json_object_get(geom, "mesh");
    assert_string_equal(json_string_value(json_object_get(geom, "type")), TYPES[i]);
    assert_true((i == 1 || i == 2) ? mesh && json_number_value(mesh) == 0 : !mesh);
  }
  assert_int_equal(json_array_size(meshes), 1);
  json_t* vertices = json_object_get(json_array_get(meshes, 0), "vertices");
  json_t* triangles = json_object_get(json_array_get(meshes, 0), "triangles");
  assert_int_equal(json_array_size(vertices), 12);
  for (size_t k = 0; k < 12; k++)
    check_near(json_number_value(json_array_get(vertices, k)), VERTICES[k], 1e-12);
  carom_mesh_info mesh = carom_recording_get_mesh(recording, 0);
  assert_int_equal(json_array_size(triangles), 12);
  for (size_t k = 0; k < 12; k++)
    assert_int_equal(json_integer_value(json_array_get(triangles, k)), mesh.triangles[k]);
  free_data(&d);
  carom_recording_close(recording);
}

/* --- Which frames -------------------------------------------------------------------------------
 */

static void test_rate(void** state) {
  (void)state;
  record_text(SCENE, 1, 0);
  carom_recording* recording = open_recording();
  assert_int_equal(write_page(recording, 50).num_frames, 51);
  assert_int_equal(write_page(recording, 20).num_frames, 21);
  assert_int_equal(write_page(recording, 0.3).num_frames, 2);
  assert_int_equal(write_page(recording, 1e9).num_frames, 201);
  carom_recording_close(recording);
}

/* Steps between frames are counted, and their largest figures kept. */
static void test_figures_between_frames(void** state) {
  (void)state;
  record_text(SCENE, 1, 0);
  carom_recording* recording = open_recording();
  assert_int_equal(write_page(recording, 0.3).num_frames, 2);
  int most = 0;
  double residual = 0;
  for (int i = 0; i < carom_recording_get_info(recording).num_frames; i++) {
    carom_frame frame;
    check_ok(carom_recording_read(recording, i, &frame, NULL), &(carom_error){0});
    most = frame.iterations > most ? frame.iterations : most;
    residual = fmax(residual, frame.residual);
  }
  /* The last frame's figures stand before its poses; find them from its time. */
  data d = read_data();
  double end = carom_recording_get_info(recording).end;
  unsigned char* place = NULL;
  for (size_t at = d.at; at + sizeof end <= d.size && !place; at++)
    if (memcmp(d.bytes + at, &end, sizeof end) == 0) place = d.bytes + at;
  assert_non_null(place);
  float figures[13];
  memcpy(figures, place + sizeof end, sizeof figures);
  assert_int_equal((int)figures[5], 200);
  assert_int_equal((int)figures[7], most);
  assert_true(figures[10] == (float)residual);
  free_data(&d);
  carom_recording_close(recording);
}

/* --- Soft bodies --------------------------------------------------------------------------------
 */

/* Places and stresses of the nodes of a surface, in the order of the body's nodes. */
static void compare_soft(data* d, int64_t (*tracks)[2], carom_recording* recording, int index,
                         const carom_frame* frame, bool is_first) {
  carom_soft_info soft = carom_recording_get_soft(recording, index);
  json_t* own = json_array_get(json_object_get(d->header, "softs"), (size_t)index);
  double step = json_number_value(json_object_get(own, "step")), nodes[512];
  double stress_step = number(d, "stressStep");
  int surface[512], count = carom_soft_list_surface(&soft, surface);
  carom_error error;
  assert_int_equal(count, json_integer_value(json_object_get(own, "nodes")));
  check_ok(carom_recording_compute_soft_stress(recording, index, frame->q, NULL, nodes, &error),
           &error);
  for (int i = 0; i < count; i++) {
    const double* x = frame->q + soft.q_address + 3 * surface[i];
    for (int k = 0; k < 3; k++)
      check_near((double)read_tracked(d, *tracks++, is_first) * step, x[k], step * (0.5 + 1e-9));
    check_near((double)read_tracked(d, *tracks++, is_first) * stress_step, nodes[surface[i]],
               stress_step * (0.5 + 1e-9));
  }
}

/* The corners of triangles lead through vertices to the nodes that the model has there. */
static void compare_triangles(const data* d, carom_recording* recording, int index) {
  carom_soft_info soft = carom_recording_get_soft(recording, index);
  json_t* own = json_array_get(json_object_get(d->header, "softs"), (size_t)index);
  json_t *vertices = json_object_get(own, "vertices"), *corners = json_object_get(own, "triangles");
  int surface[512];
  carom_soft_list_surface(&soft, surface);
  assert_int_equal(json_array_size(corners), 3 * soft.num_triangles);
  for (int c = 0; c < 3 * soft.num_triangles; c++) {
    size_t vertex = (size_t)json_integer_value(json_array_get(corners, (size_t)c));
    json_int_t place = json_integer_value(json_array_get(vertices, vertex));
    assert_int_equal(surface[place], soft.triangles[c]);
  }
}

/* A cube that falls and a beam that sags: every frame to half a step of each number. */
static void test_soft_bodies(void** state) {
  (void)state;
  record_text("<mujoco><option timestep='0.01'/><worldbody><body><freejoint/><geom size='.1'/>"
              "</body><flexcomp name='cube' type='grid' dim='3' count='4 4 4' spacing='.1 .1 .1' "
              "pos='0 0 5' radius='0' rgba='.2 .4 .6 1'><elasticity young='1e5' poisson='.4'/>"
              "</flexcomp><flexcomp name='beam' type='grid' dim='3' count='4 2 2' "
              "spacing='.1 .1 .1' pos='1 0 1' radius='0' carom:quadratic='true'>"
              "<elasticity young='1e5' poisson='.3' damping='.01'/>"
              "<pin carom:box='-.16 -1 -1 -.14 1 1'/></flexcomp></worldbody></mujoco>",
              0.3, 0);
  carom_recording* recording = open_recording();
  carom_html_report report = write_page(recording, 0);
  data d = read_data();
  static int64_t poses[7 * 8][2], channels[32][2], softs[2][4 * 512][2];
  static rows none[2];
  static area_rows no_area[2];
  double most;
  carom_error error;
  for (int i = 0; i < report.num_frames; i++) {
    carom_frame frame;
    check_ok(carom_recording_read(recording, i, &frame, &error), &error);
    d.at += sizeof(double) + NUM_FIGURES * sizeof(float);
    compare_poses(&d, poses, &frame, 2, i == 0);
    compare_channels(&d, channels, &frame, recording, i == 0);
    for (int k = 0; k < 2; k++) compare_soft(&d, softs[k], recording, k, &frame, i == 0);
    read_rows(&d, &none[0], &none[1]);
    compare_areas(&d, &no_area[0], &no_area[1], &frame);
  }
  assert_int_equal(d.at, d.size);
  for (int k = 0; k < 2; k++) compare_triangles(&d, recording, k);
  check_ok(carom_recording_compute_stress_range(recording, &most, &error), &error);
  check_near(number(&d, "stressMost"), most, 1e-12 * most);
  assert_int_equal(number(&d, "numQ"), 7);
  assert_int_equal(json_array_size(json_object_get(d.header, "notes")), 0);
  free_data(&d);
  carom_recording_close(recording);
}

/* --- Size ---------------------------------------------------------------------------------------
 */

/* Ten seconds of a hundred bodies at 60 Hz, chains that swing and sweep the floor: below 10 MB. */
static void test_size(void** state) {
  (void)state;
  char* text = calloc(1 << 16, 1);
  size_t used = (size_t)sprintf(text, "<mujoco><option timestep='0.005'/><worldbody>"
                                      "<geom type='plane' size='0 0 1' friction='.05'/>");
  for (int i = 0; i < 100; i++) {
    bool is_first = i % 4 == 0, is_last = i % 4 == 3;
    used +=
        (size_t)sprintf(text + used,
                        "<body pos='%g %g %g' euler='%d %d 0'><joint type='ball'/>"
                        "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.05' conaffinity='0'/>%s",
                        is_first ? i : 0.3, is_first ? 0.1 * i : 0, is_first ? 0.7 : 0, 7 * i % 50,
                        is_first ? i - 100 : 20, is_last ? "</body></body></body></body>" : "");
  }
  sprintf(text + used, "</worldbody></mujoco>");
  record_text(text, check_repeats(10), 60);
  free(text);
  carom_recording* recording = open_recording();
  carom_html_report report = write_page(recording, 60);
  assert_true(carom_recording_get_info(recording).num_contacts > 10 * report.num_frames);
  double data_bytes = (double)report.num_bytes - (double)cr_html_page_size;
  print_message("%d frames, %.2f MB, of them %.2f MB data\n", report.num_frames,
                1e-6 * (double)report.num_bytes, 1e-6 * data_bytes);
  assert_true(data_bytes / report.num_frames * 601 + (double)cr_html_page_size < 10e6);
  carom_recording_close(recording);
}

/* --- What goes wrong ----------------------------------------------------------------------------
 */

static void refuse(carom_recording* recording, const char* path, const carom_html_def* def,
                   carom_status expected, const char* sentence) {
  carom_error error;
  carom_html_report report = {.num_frames = -1};
  assert_int_equal(carom_html_write(recording, path, def, &report, &error), expected);
  assert_int_equal(error.status, expected);
  if (!strstr(error.message, sentence)) fail_msg("'%s', expected '%s'", error.message, sentence);
}

static void test_refusals(void** state) {
  (void)state;
  record_text(SCENE, 0.1, 0);
  carom_recording* recording = open_recording();
  carom_html_def def = {.rate = 60};
  refuse(recording, page_path, &def, CAROM_ERROR_INVALID_ARGUMENT, "carom_html_def_default");
  def = carom_html_def_default();
  def.rate = -1;
  refuse(recording, page_path, &def, CAROM_ERROR_INVALID_ARGUMENT, "rate is -1");
  refuse(recording, NULL, NULL, CAROM_ERROR_INVALID_ARGUMENT, "null");
  refuse(NULL, page_path, NULL, CAROM_ERROR_INVALID_ARGUMENT, "null");
  refuse(recording, "/nowhere/x.html", NULL, CAROM_ERROR_FILE,
         "/nowhere/x.html: cannot be created: No such file or directory");
  if (access("/dev/full", W_OK) == 0)
    refuse(recording, "/dev/full", NULL, CAROM_ERROR_FILE,
           "/dev/full: cannot be written: No space left on device");
  carom_recording_close(recording);
}

/* What can be read before the damage is shown, and the rest told. */
static void test_damage(void** state) {
  (void)state;
  record_text(SCENE, 1, 0);
  check_damage_recording(recording_path, 100);
  carom_recording* recording = open_recording();
  carom_html_report report = write_page(recording, 60);
  assert_int_equal(report.num_unread, 201 - 99);
  assert_non_null(strstr(report.unread.message, "does not ascend"));
  data d = read_data();
  const char* note = json_string_value(json_array_get(json_object_get(d.header, "notes"), 0));
  assert_non_null(note);
  assert_non_null(strstr(note, "102 frames at the end cannot be read"));
  free_data(&d);
  carom_recording_close(recording);
  check_damage_recording(recording_path, 0);
  recording = open_recording();
  refuse(recording, page_path, NULL, CAROM_ERROR_BAD_INPUT, "holds no frame that can be read");
  carom_recording_close(recording);
}

static void test_out_of_memory(void** state) {
  (void)state;
  record_text(SCENE, 0.2, 0);
  carom_recording* recording = open_recording();
  bool done = false;
  for (int i = 0; !done; i++) {
    check_memory memory = check_memory_make();
    carom_html_def def = carom_html_def_default();
    carom_error error;
    def.allocator = check_memory_hooks(&memory);
    memory.fail_at = i;
    carom_status status = carom_html_write(recording, page_path, &def, NULL, &error);
    check_memory_expect_empty(&memory);
    done = status == CAROM_OK;
    assert_true(i < 100 && (done || status == CAROM_ERROR_OUT_OF_MEMORY));
  }
  carom_recording_close(recording);
}

/* The page that is built in is whole, and holds the mark once. */
static void test_page_that_is_built_in(void** state) {
  (void)state;
  const char* page = (const char*)cr_html_page;
  assert_int_equal(strlen(page), cr_html_page_size);
  const char* mark = strstr(page, CR_HTML_MARK);
  assert_non_null(mark);
  assert_null(strstr(mark + 1, CR_HTML_MARK));
  assert_non_null(strstr(page, "three.js"));
  assert_non_null(strstr(page, "Copyright"));
}

static int enter(void** state) {
  (void)state;
  snprintf(recording_path, sizeof recording_path, "test_html.%ld.h5", (long)getpid());
  snprintf(page_path, sizeof page_path, "test_html.%ld.html", (long)getpid());
  return 0;
}

static int leave(void** state) {
  (void)state;
  unlink(recording_path);
  unlink(page_path);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_page_is_the_recording),
      cmocka_unit_test(test_header),
      cmocka_unit_test(test_surfaces),
      cmocka_unit_test(test_rate),
      cmocka_unit_test(test_figures_between_frames),
      cmocka_unit_test(test_soft_bodies),
      cmocka_unit_test(test_size),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_damage),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_page_that_is_built_in),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
