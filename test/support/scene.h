/* Scenes in tests: loaded from text, with the sentence of a failure where one is wanted. */
#ifndef CR_TEST_SCENE_H
#define CR_TEST_SCENE_H

#include "model/model.h"
#include "support/check.h"

#include "carom/builder.h"
#include "carom/scene.h"

/* A world with `body` in it. */
#define SCENE(body) "<mujoco><worldbody>" body "</worldbody></mujoco>"

/* A body that may move: a ball of 10 cm. */
#define BALL "<geom size='0.1'/>"

/* Loads MJCF text as "scene.xml"; fails the test where that fails. */
carom_model* scene_load(const char* text);
carom_model* scene_load_permissive(const char* text);

/* Any format, with these options. */
carom_model* scene_load_with(const char* text, const carom_load_def* def);

/* A scene's model with springs of 40 N/m between (0.1, 0, 0) and (0, 0.07, 0) of bodies, which
 * files have none of.
 * @param springs their names, bodies, dampings and rest lengths [count] */
carom_model* scene_load_springs(const char* text, const carom_spring_def* springs, int count);

/* Fails unless loading ends with this status and this sentence. */
#define scene_expect_error(text, status, message) \
  scene_expect_error_at((text), (status), (message), __FILE__, __LINE__)
void scene_expect_error_at(const char* text, carom_status status, const char* message,
                           const char* file, int line);

/* Fails unless one of the model's notes is this one. */
#define scene_expect_note(model, note) scene_expect_note_at((model), (note), __FILE__, __LINE__)
void scene_expect_note_at(const carom_model* model, const char* note, const char* file, int line);

/* Reads the named sensor of a fresh simulation of a text after `steps` of 1 ms.
 * @param v initial velocities, null: zero; @param out room for the sensor's numbers */
void scene_read_sensor(const char* text, int steps, const double* v, const char* name, double* out);

/* Compares its numbers with those given. */
#define scene_check_reading(text, steps, v, name, tolerance, ...)              \
  do {                                                                         \
    double actual[16], expected[] = {__VA_ARGS__};                             \
    scene_read_sensor(text, steps, v, name, actual);                           \
    check_near_array(actual, expected, (int)(sizeof expected / 8), tolerance); \
  } while (0)

#endif
