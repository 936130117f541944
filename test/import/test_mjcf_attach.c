/* Models attached to models: the same description as one file that says all of it; mistakes. */
#include "import/mjcf/load.h"
#include "support/check.h"
#include "support/memory.h"

#include "carom/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A folder in memory. */
typedef struct entry {
  const char *path, *text;
} entry;

static FILE* open_entry(void* user, const char* path) {
  for (const entry* e = user; e->path; e++)
    if (strcmp(e->path, path) == 0)
      return fmemopen((void*)(uintptr_t)e->text, strlen(e->text), "r");
  return NULL;
}

static carom_status read_folder(entry* folder, const carom_allocator* allocator,
                                carom_builder** builder, carom_error* error) {
  carom_load_def def = carom_load_def_default();
  if (allocator) def.allocator = *allocator;
  cr_mjcf_files files = {open_entry, folder};
  *builder = NULL;
  return cr_mjcf_read("d/main.xml", NULL, 0, &def, &files, builder, error);
}

static void expect(entry* folder, carom_status status, const char* message) {
  carom_builder* builder;
  carom_error error;
  assert_int_equal(read_folder(folder, NULL, &builder, &error), status);
  assert_string_equal(error.message, message);
}

/* The description as a file has it; the caller's to free. */
static char* describe(entry* folder) {
  char path[] = "/tmp/carom_attach_XXXXXX";
  carom_builder* builder;
  carom_error error;
  carom_write_def def = carom_write_def_default();
  def.format = CAROM_WRITE_MJCF;
  check_ok(read_folder(folder, NULL, &builder, &error), &error);
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  close(descriptor);
  check_ok(carom_builder_write(builder, path, &def, &error), &error);
  carom_builder_destroy(builder);
  FILE* file = fopen(path, "r");
  assert_non_null(file);
  enum { MOST = 1 << 16 };
  char* text = calloc(MOST, 1);
  assert_non_null(text);
  size_t length = fread(text, 1, MOST - 1, file);
  fclose(file);
  unlink(path);
  assert_in_range(length, 100, MOST - 2);
  return text;
}

static void expect_same(entry* a, entry* b) {
  char *one = describe(a), *other = describe(b);
  assert_string_equal(one, other);
  free(one);
  free(other);
}

/* An arm with classes, units and a mesh folder of its own, in a scene that does not come along. */
#define ARM                                                                                    \
  "<mujoco model='arm'><compiler angle='radian' eulerseq='ZYX' meshdir='obj'/>"                \
  "<option timestep='0.25'/><size njmax='9'/>"                                                 \
  "<default><geom density='2000'/><default class='arm'><joint damping='.5' range='-.5 .5'/>"   \
  "<default class='heavy'><geom density='3000'/></default></default></default>"                \
  "<asset><mesh file='wedge.obj'/><material name='red' rgba='1 0 0 1'/></asset>"               \
  "<worldbody><geom name='ground' type='plane' size='0 0 1'/>"                                 \
  "<body name='other'><joint name='far'/><geom size='.1'/></body>"                             \
  "<body name='holder' childclass='arm'><body name='base' pos='0 0 1' euler='.1 .2 .3'>"       \
  "<geom name='g' size='.1' material='red'/><geom type='mesh' mesh='wedge'/>"                  \
  "<body name='tip' pos='0 0 .3'><joint name='j' axis='1 0 0'/>"                               \
  "<geom name='h' class='heavy' size='.05' pos='.1 0 0'/><site name='s' pos='0 0 .1'/></body>" \
  "</body><geom size='.2'/></body></worldbody>"                                                \
  "<contact><exclude body1='base' body2='tip'/><exclude body1='tip' body2='other'/></contact>" \
  "<tendon><fixed name='t'><joint joint='j' coef='2'/></fixed>"                                \
  "<fixed name='u'><joint joint='j' coef='2'/><joint joint='far' coef='1'/></fixed></tendon>"  \
  "<equality><weld body1='tip' body2='world'/><weld body1='tip' body2='holder'/></equality>"   \
  "<actuator><motor name='m1' joint='j'/><motor name='m2' tendon='t'/>"                        \
  "<motor name='m3' tendon='u'/></actuator>"                                                   \
  "<sensor><framepos name='fp' objtype='site' objname='s' reftype='body' refname='base'/>"     \
  "<jointpos joint='far'/><actuatorfrc actuator='m3'/><actuatorfrc actuator='m2'/></sensor>"   \
  "<keyframe><key name='home' qpos='.1 .2' ctrl='1 2 3'/></keyframe></mujoco>"

#define WEDGE "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

#define MAIN(attach)                                                                            \
  "<mujoco model='m'><asset><model name='arm' file='m/arm.xml'/></asset>"                       \
  "<default><geom density='500'/><joint damping='7'/></default>"                                \
  "<worldbody><geom name='floor' type='plane' size='0 0 1'/><frame pos='1 0 0' euler='0 0 90'>" \
  "<attach model='arm' body='base' prefix='a-'/></frame><body name='post' pos='0 2 0'>"         \
  "<joint range='-90 90'/><geom size='.1'/>" attach "</body></worldbody></mujoco>"

/* What one arm comes to when it is written out where it stands. */
#define BODIES(p)                                                                                  \
  "<body name='" p "base' pos='0 0 1' euler='.1 .2 .3'>"                                           \
  "<geom name='" p "g' size='.1' density='2000' rgba='1 0 0 1'/>"                                  \
  "<geom type='mesh' mesh='" p "wedge' density='2000'/><body name='" p "tip' pos='0 0 .3'>"        \
  "<joint name='" p "j' axis='1 0 0' damping='.5' range='-.5 .5'/>"                                \
  "<geom name='" p "h' density='3000' size='.05' pos='.1 0 0'/><site name='" p "s' pos='0 0 .1'/>" \
  "</body></body>"
#define SECTIONS(p)                                                                             \
  "<contact><exclude body1='" p "base' body2='" p "tip'/></contact>"                            \
  "<tendon><fixed name='" p "t'><joint joint='" p "j' coef='2'/></fixed></tendon>"              \
  "<equality><weld body1='" p "tip' body2='world'/></equality>"                                 \
  "<actuator><motor name='" p "m1' joint='" p "j'/><motor name='" p "m2' tendon='" p "t'/>"     \
  "</actuator><sensor><framepos name='" p "fp' objtype='site' objname='" p "s' reftype='body' " \
  "refname='" p "base'/><actuatorfrc actuator='" p "m2'/></sensor>"

static void test_same_as_one_file(void** state) {
  (void)state;
  entry attached[] = {
      {"d/main.xml",
       MAIN("<frame pos='0 0 2'><attach model='arm' body='base' prefix='b-'/></frame>")},
      {"d/m/arm.xml", ARM},
      {"d/m/obj/wedge.obj", WEDGE},
      {NULL, NULL}};
  entry whole[] = {
      {"d/main.xml",
       "<mujoco model='m'><compiler angle='radian' eulerseq='ZYX' meshdir='m/obj'/><asset>"
       "<mesh name='a-wedge' file='wedge.obj'/><mesh name='b-wedge' file='wedge.obj'/></asset>"
       "<worldbody><geom name='floor' type='plane' size='0 0 1'/>"
       "<frame pos='1 0 0' axisangle='0 0 1 1.5707963267948966'>" BODIES(
           "a-") "</frame><body name='post' pos='0 2 0'>"
                 "<joint range='-1.5707963267948966 1.5707963267948966' damping='7'/>"
                 "<geom size='.1' density='500'/><frame pos='0 0 2'>" BODIES(
                     "b-") "</frame></body></worldbody>" SECTIONS("a-")
                     SECTIONS("b-") "<keyframe><key name='a-home' qpos='.2 0 0' ctrl='1 2 0 0'/>"
                                    "<key name='b-home' qpos='0 0 .2' ctrl='0 0 1 "
                                    "2'/></keyframe></mujoco>"},
      {"d/m/obj/wedge.obj", WEDGE},
      {NULL, NULL}};
  expect_same(attached, whole);
}

/* All of a world, and a model that attaches one itself, each prefix before that of the inner one.
 */
static void test_nested(void** state) {
  (void)state;
  entry attached[] = {
      {"d/main.xml", "<mujoco><asset><model name='x' file='x.xml'/></asset><worldbody>"
                     "<attach model='x' prefix='x-'/></worldbody></mujoco>"},
      {"d/x.xml", "<mujoco><asset><model name='y' file='y.xml'/></asset>"
                  "<default><geom size='.1'/></default><worldbody><geom name='g'/>"
                  "<body name='b'><joint name='j'/><geom class='main'/>"
                  "<attach model='y' body='c' prefix='y-'/></body></worldbody>"
                  "<actuator><motor name='m' joint='y-k'/></actuator></mujoco>"},
      {"d/y.xml", "<mujoco><compiler angle='radian'/><default class='main'><geom size='.2'/>"
                  "<default class='z'><joint range='0 1'/></default></default><worldbody>"
                  "<body name='c'><joint name='k' class='z'/><geom/></body></worldbody></mujoco>"},
      {NULL, NULL}};
  entry whole[] = {{"d/main.xml",
                    "<mujoco><compiler angle='radian'/><worldbody><geom name='x-g' size='.1'/>"
                    "<body name='x-b'><joint name='x-j'/><geom size='.1'/>"
                    "<body name='x-y-c'><joint name='x-y-k' range='0 1'/><geom size='.2'/></body>"
                    "</body></worldbody><actuator><motor name='x-m' joint='x-y-k'/></actuator>"
                    "</mujoco>"},
                   {NULL, NULL}};
  expect_same(attached, whole);
}

/* Keyframes of a model that is attached twice, of one that is attached to it, of one that is
 * copied; one shorter than the model. The numbers are those that MuJoCo 4.0.0 compiles
 * (mjModel.key_qpos, key_qvel, key_act, key_ctrl, key_mpos, key_mquat), but for its name of x-y-k,
 * "y-k", of which it says itself that it is not right. */
#define KEYED                                                                               \
  "<mujoco model='x'><asset><model name='y' file='y.xml'/></asset><worldbody>"              \
  "<body name='a'><geom size='.1'/><body name='b' pos='0 0 1'><joint name='h' ref='90'/>"   \
  "<geom size='.1'/></body><freejoint name='f'/></body>"                                    \
  "<replicate count='2' offset='1 0 0'><body name='r'><joint name='s' type='slide'/>"       \
  "<geom size='.1'/></body></replicate><attach model='y' prefix='y-'/>"                     \
  "<body name='m' mocap='true' pos='3 3 3'><geom size='.1'/></body></worldbody>"            \
  "<actuator><motor name='n' joint='s'/><general name='g' joint='h' dyntype='integrator'/>" \
  "</actuator><keyframe><key name='k' time='2' qpos='1 2 3 0 1 0 0 .5 6 7 .1' "             \
  "qvel='1 2 3 4 5 6 7 8 9 10' ctrl='11 12 13 14' act='15' mpos='7 8 9' mquat='0 0 1 0'/>"  \
  "<key qvel='1 0 0 0 0 0 0 0 0 9'/></keyframe></mujoco>"
#define KEYED_INNER                                                                         \
  "<mujoco><worldbody><body name='c'><joint name='j'/><geom size='.1'/></body></worldbody>" \
  "<actuator><motor name='n' joint='j'/></actuator>"                                        \
  "<keyframe><key name='k' qpos='-.5' ctrl='-6'/></keyframe></mujoco>"
#define KEYED_MAIN(around, keys)                                                                   \
  "<mujoco><asset><model name='x' file='x.xml'/><model name='y' file='y.xml'/></asset><worldbody>" \
  "<body name='p'><joint name='q'/><geom size='.1'/></body>" around                                \
  "</worldbody><actuator><motor name='o' joint='q'/></actuator><keyframe>" keys                    \
  "</keyframe></mujoco>"

static void expect_keyframes(const char* main_text, const char* keyframes) {
  entry folder[] = {
      {"d/main.xml", main_text}, {"d/x.xml", KEYED}, {"d/y.xml", KEYED_INNER}, {NULL, NULL}};
  char* text = describe(folder);
  char* found = strstr(text, "  <keyframe>");
  assert_non_null(found);
  assert_string_equal(found, keyframes);
  free(text);
}

static void test_keyframes(void** state) {
  (void)state;
  expect_keyframes(KEYED_MAIN("<frame pos='0 0 5'><attach model='x' prefix='x-'/></frame>",
                              "<key name='own' qpos='.5' ctrl='2'/>"),
                   "  <keyframe>\n"
                   "    <key name=\"own\" qpos=\"0.5 0 0 5 1 0 0 0 1.5707963267948966 0 0 0\" "
                   "ctrl=\"2 0 0 0 0\"/>\n"
                   "    <key name=\"x-k\" time=\"2\" qpos=\"0 1 2 3 0 1 0 0 0.5 6 7 0.1\" "
                   "qvel=\"0 1 2 3 4 5 6 7 8 9 10\" ctrl=\"0 11 12 13 14\" act=\"15\" "
                   "mpos=\"7 8 9\" mquat=\"0 0 1 0\"/>\n"
                   "    <key name=\"x-\" qvel=\"0 1 0 0 0 0 0 0 0 0 9\"/>\n"
                   "    <key name=\"x-y-k\" qpos=\"0 0 0 5 1 0 0 0 1.5707963267948966 0 0 -0.5\" "
                   "ctrl=\"0 0 0 0 -6\"/>\n"
                   "  </keyframe>\n</mujoco>\n");
  expect_keyframes(
      KEYED_MAIN("<replicate count='3'><attach model='y' prefix='y-'/></replicate>", ""),
      "  <keyframe>\n"
      "    <key name=\"y-k\" qpos=\"0 -0.5 0 0\" ctrl=\"0 -6 0 0\"/>\n"
      "  </keyframe>\n</mujoco>\n");
}

/* What refers to copies and what comes with models stands in the order of the file, behind what the
 * file itself says: the names are MuJoCo 4.0.0's. */
static void test_order(void** state) {
  (void)state;
  entry folder[] = {
      {"d/main.xml",
       "<mujoco><asset><model name='y' file='y.xml'/></asset><worldbody>"
       "<replicate count='2' sep='-' offset='0 1 0'><body name='r'><geom size='.1'/>"
       "<joint name='r'/><attach model='y' prefix='q_'/></body></replicate>"
       "<attach model='y' body='c' prefix='p_'/>"
       "<replicate count='2' offset='1 0 0'><replicate count='2' offset='0 1 0'>"
       "<body name='n'><geom size='.1'/><joint name='n'/></body></replicate>"
       "<body name='k'><geom size='.1'/><joint name='k'/></body></replicate>"
       "<body name='o' pos='3 0 0'><geom size='.1'/><joint name='o'/></body></worldbody>"
       "<actuator><motor name='r' joint='r'/><motor name='n' joint='n'/>"
       "<motor name='k' joint='k'/></actuator><actuator><motor name='o' joint='o'/></actuator>"
       "</mujoco>"},
      {"d/y.xml", KEYED_INNER},
      {NULL, NULL}};
  static const char* const ACTUATORS[] = {"o",  "r-0", "q_n-0", "r-1", "q_n-1", "p_n",
                                          "k0", "n00", "n10",   "k1",  "n01",   "n11"};
  carom_builder* builder;
  carom_model* model;
  carom_error error;
  check_ok(read_folder(folder, NULL, &builder, &error), &error);
  check_ok(carom_builder_compile(builder, &model, &error), &error);
  carom_builder_destroy(builder);
  assert_int_equal(carom_model_get_sizes(model).num_actuators, 12);
  for (int i = 0; i < 12; i++)
    assert_string_equal(carom_model_get_actuator(model, i).name, ACTUATORS[i]);
  carom_model_destroy(model);
}

/* A frame, without those around it, and a body without its frames: as MuJoCo 4.0.0 places them. */
static void test_frames(void** state) {
  (void)state;
  entry attached[] = {
      {"d/main.xml", "<mujoco><asset><model name='x' file='x.xml'/></asset><worldbody>"
                     "<attach model='x' frame='f' prefix='1'/><frame pos='0 0 4'>"
                     "<attach model='x' body='a' prefix='2'/></frame></worldbody></mujoco>"},
      {"d/x.xml", "<mujoco><default><default class='k'><geom size='.2'/></default></default>"
                  "<worldbody><frame pos='0 0 9' childclass='k'><frame name='f' pos='1 2 3'>"
                  "<body name='a' pos='1 0 0'><joint name='j'/><geom name='g'/></body>"
                  "<geom name='h' size='.3'/></frame></frame></worldbody></mujoco>"},
      {NULL, NULL}};
  entry whole[] = {{"d/main.xml", "<mujoco><worldbody><geom name='1h' size='.3' pos='1 2 3'/>"
                                  "<body name='1a' pos='2 2 3'><joint name='1j'/>"
                                  "<geom name='1g' size='.2'/></body><body name='2a' pos='1 0 4'>"
                                  "<joint name='2j'/><geom name='2g' size='.2'/></body>"
                                  "</worldbody></mujoco>"},
                   {NULL, NULL}};
  expect_same(attached, whole);
}

/* A body and a frame of the file itself, a second time: names, places, classes and the order of
 * what refers to them are those of MuJoCo 4.0.0. */
static void test_self(void** state) {
  (void)state;
#define SELF                                                                               \
  "<body name='a' pos='1 0 0'><joint name='j'/><geom name='g' class='c'/><site name='s'/>" \
  "<body name='b' pos='0 0 1'><geom size='.2' name='h'/></body></body>"
  entry attached[] = {
      {"d/main.xml",
       "<mujoco><default><default class='c'><geom size='.3'/></default><default class='d'>"
       "<geom size='.4'/></default></default><contact><exclude body1='b' body2='a'/></contact>"
       "<worldbody>" SELF "<body name='k' childclass='d'><geom name='k'/><frame pos='0 1 0'>"
       "<attach body='a' prefix='x_'/></frame></body><attach body='x_b' prefix='y_'/></worldbody>"
       "<actuator><motor name='m' joint='j'/><motor name='o' site='s'/></actuator>"
       "<sensor><jointpos name='p' joint='j'/></sensor></mujoco>"},
      {NULL, NULL}};
  entry whole[] = {
      {"d/main.xml",
       "<mujoco><default><default class='c'><geom size='.3'/></default></default><contact>"
       "<exclude body1='b' body2='a'/><exclude body1='x_b' body2='x_a'/>"
       "<exclude body1='y_x_b' body2='x_a'/></contact><worldbody>" SELF
       "<body name='k'><geom name='k' size='.4'/><frame pos='0 1 0'><body name='x_a' "
       "pos='1 0 0'><joint name='x_j'/><geom name='x_g' class='c'/><site name='x_s'/>"
       "<body name='x_b' pos='0 0 1'><geom size='.2' name='x_h'/></body></body></frame></body>"
       "<body name='y_x_b' pos='0 0 1'><geom size='.2' name='y_x_h'/></body></worldbody>"
       "<actuator><motor name='m' joint='j'/><motor name='o' site='s'/><motor name='x_m' "
       "joint='x_j'/><motor name='x_o' site='x_s'/></actuator><sensor><jointpos name='p' "
       "joint='j'/><jointpos name='x_p' joint='x_j'/></sensor></mujoco>"},
      {NULL, NULL}};
  expect_same(attached, whole);
}

#define ATTACH(attributes) MAIN("\n<attach " attributes "/>")

static void test_mistakes(void** state) {
  (void)state;
  entry folder[] = {
      {"d/main.xml", ""}, {"d/m/arm.xml", ARM}, {"d/m/obj/wedge.obj", WEDGE}, {NULL, NULL}};
  static const struct {
    const char *text, *message;
    carom_status status;
  } ROWS[] = {
      {ATTACH("prefix='b-'"),
       "d/main.xml:2: attach: model is missing: give it, or a body or frame of this one",
       CAROM_ERROR_BAD_INPUT},
      {MAIN("\n<attach body='t' prefix='b-'/><body name='t'><geom size='.1'/></body>"),
       "d/main.xml:2: attach: body is 't', which must stand before its copy in the file",
       CAROM_ERROR_BAD_INPUT},
      {ATTACH("model='arm'"), "d/main.xml:2: attach: attribute 'prefix' is missing",
       CAROM_ERROR_BAD_INPUT},
      {ATTACH("model='leg' prefix='b-'"),
       "d/main.xml:2: attach: model is 'leg', no model of the assets has this name",
       CAROM_ERROR_BAD_INPUT},
      {ATTACH("model='arm' body='no' prefix='b-'"),
       "d/main.xml:2: attach: body is 'no', no body of the model has this name",
       CAROM_ERROR_BAD_INPUT},
      {ATTACH("model='arm' body='tip' prefix='a-'"),
       "d/m/arm.xml:1: default: class 'a-main' is defined twice", CAROM_ERROR_BAD_INPUT},
      {ATTACH("model='arm' prefix='b-' site='s'"),
       "d/main.xml:2: attach: attribute 'site' is not known", CAROM_ERROR_BAD_INPUT},
  };
  for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
    folder[0].text = ROWS[i].text;
    expect(folder, ROWS[i].status, ROWS[i].message);
  }
  folder[0].text = ATTACH("model='arm' body='base' prefix='b-'");
  folder[1].text = "<mujoco><compiler settotalmass='1'/><worldbody><body name='base'/></worldbody>"
                   "</mujoco>";
  expect(folder, CAROM_ERROR_UNSUPPORTED,
         "d/main.xml:1: attach: the compiler options of its model about masses are others than "
         "those around it, which is not supported; --permissive makes it a note");
  folder[1].text = "<mujoco><worldbody><replicate count='2'><body "
                   "name='base'/></replicate></worldbody></mujoco>";
  expect(folder, CAROM_ERROR_UNSUPPORTED,
         "d/main.xml:1: attach: body 'base' stands in a replicate, which is not supported");
  folder[1].text =
      "<mujoco><worldbody><body name='base'><joint/><geom size='1'/></body></worldbody>"
      "<keyframe>\n<key name='k' qvel='1 2'/></keyframe></mujoco>";
  expect(folder, CAROM_ERROR_BAD_INPUT,
         "d/m/arm.xml:2: key 'a-k': qvel has 2 numbers, its model has 1");
  folder[1].text = "<sdf/>";
  expect(folder, CAROM_ERROR_UNSUPPORTED,
         "d/main.xml:1: model 'arm': the root element of 'm/arm.xml' is not mujoco");
  folder[1].path = "elsewhere";
  expect(folder, CAROM_ERROR_FILE, "d/main.xml:1: model 'arm': file 'm/arm.xml' cannot be opened");
}

/* A model that attaches itself, twice at every level. */
static void test_itself(void** state) {
  (void)state;
  entry folder[] = {{"d/main.xml",
                     "<mujoco><asset><model name='x' file='main.xml'/></asset><worldbody>"
                     "<attach model='x' prefix='x'/><attach model='x' prefix='y'/></worldbody>"
                     "</mujoco>"},
                    {NULL, NULL}};
  expect(folder, CAROM_ERROR_BAD_INPUT,
         "d/main.xml:1: attach: models are attached to models more than 16 deep");
}

static void test_memory(void** state) {
  (void)state;
  entry folder[] = {
      {"d/main.xml", MAIN("")}, {"d/m/arm.xml", ARM}, {"d/m/obj/wedge.obj", WEDGE}, {NULL, NULL}};
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  carom_builder* builder;
  carom_error error;
  for (memory.fail_at = 0;; memory.fail_at++) {
    memory.num_allocations = 0;
    carom_status status = read_folder(folder, &hooks, &builder, &error);
    if (status == CAROM_OK) break;
    if (status != CAROM_ERROR_OUT_OF_MEMORY) fail_msg("%d: %s", memory.fail_at, error.message);
    check_memory_expect_empty(&memory);
  }
  assert_true(memory.fail_at > 50);
  carom_builder_destroy(builder);
  check_memory_expect_empty(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_as_one_file),
      cmocka_unit_test(test_nested),
      cmocka_unit_test(test_self),
      cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_itself),
      cmocka_unit_test(test_keyframes),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_frames),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
