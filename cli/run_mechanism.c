/* What `carom run --mechanism` says: which joints of blocks have opened, hinged or slid. */
#include "run_mechanism.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The joints as they are in the end; null where memory ran out. */
static carom_block_joint* find_joints(const run_options* o, const run_summary* s, carom_sim* sim) {
  carom_error ignored;
  size_t count = (size_t)carom_mechanism_count(s->mechanism);
  carom_block_joint* joints = calloc(count + 1, sizeof *joints);
  if (joints) carom_mechanism_find(s->mechanism, sim, o->mechanism, joints, &ignored);
  return joints;
}

void run_name_body(const carom_sim* sim, int body, size_t size, char* text) {
  const char* name = carom_model_get_body(carom_sim_model(sim), body).name;
  if (body == 0 || (name && name[0]))
    snprintf(text, size, "%.60s", body == 0 ? "world" : name);
  else
    snprintf(text, size, "body %d", body);
}

static void print_joint(const carom_sim* sim, const carom_block_joint* j) {
  char names[2][64];
  for (int k = 0; k < 2; k++) run_name_body(sim, j->bodies[k], sizeof names[k], names[k]);
  cli_print("    %s, %s:", names[0], names[1]);
  if (j->motion & CAROM_JOINT_OPENED) cli_print(" open, %.3g m", j->opening);
  if (j->motion & CAROM_JOINT_HINGED)
    cli_print(" hinges by %.3g deg at (%.4g, %.4g, %.4g)", j->angle * 180 / M_PI, j->center[0],
              j->center[1], j->center[2]);
  if (j->motion & CAROM_JOINT_SLID)
    cli_print("%s slides by %.3g m", j->motion & CAROM_JOINT_HINGED ? "," : "", j->slide);
  cli_print("\n");
}

void run_print_mechanism(const run_options* o, const run_summary* s, carom_sim* sim) {
  if (!s->mechanism) return;
  int count = carom_mechanism_count(s->mechanism), moved = 0;
  carom_block_joint* joints = find_joints(o, s, sim);
  for (int i = 0; i < count && joints; i++) moved += joints[i].motion != 0;
  cli_print("  %-20s %d of %d joints moved by more than %g m\n", "mechanism", moved, count,
            o->mechanism);
  for (int i = 0; i < count && joints; i++)
    if (joints[i].motion) print_joint(sim, &joints[i]);
  free(joints);
}

static json_t* joint_object(const carom_sim* sim, const carom_block_joint* j) {
  json_t *object = cli_json_group(), *bodies = cli_json_list(), *motion = cli_json_list();
  static const char* const WORDS[] = {"open", "hinge", "slide"};
  for (int k = 0; k < 2; k++) {
    char name[64];
    run_name_body(sim, j->bodies[k], sizeof name, name);
    cli_json_append(bodies, cli_json_text(name));
  }
  for (int k = 0; k < 3; k++)
    if (j->motion & 1u << k) cli_json_append(motion, cli_json_text(WORDS[k]));
  cli_json_set(object, "bodies", bodies);
  cli_json_set(object, "motion", motion);
  cli_json_set(object, "opening", cli_json_number(j->opening));
  cli_json_set(object, "slide", cli_json_number(j->slide));
  cli_json_set(object, "angle", cli_json_number(j->angle));
  cli_json_set(object, "axis", cli_json_numbers(j->axis, 3));
  cli_json_set(object, "center", cli_json_numbers(j->center, 3));
  return object;
}

json_t* run_mechanism_list(const run_options* o, const run_summary* s, carom_sim* sim) {
  json_t* list = cli_json_list();
  carom_block_joint* joints = find_joints(o, s, sim);
  if (!joints) cli_json_lack_memory();
  for (int i = 0; i < carom_mechanism_count(s->mechanism) && joints; i++)
    cli_json_append(list, joint_object(sim, &joints[i]));
  free(joints);
  return list;
}
