/* Time of each tree algorithm on a humanoid (27 dofs), an arm (7) and a chain (100 links): the
 * least of several runs, in nanoseconds per call. */
#include "support/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A mechanism in a random state. */
typedef struct subject {
  const char* name;
  mechanism* m;
  double *q, *q1, *v, *a, *tau, *M;
  cr_tree_loads loads;
} subject;

static void run_kinematics(subject* s) {
  cr_tree_update_kinematics(&s->m->model, 0, s->q, &s->m->kinematics);
}

static void run_velocities(subject* s) {
  cr_tree_update_velocities(&s->m->model, 0, &s->m->kinematics, s->v, &s->m->velocities);
}

static void run_rnea(subject* s) {
  mechanism* m = s->m;
  cr_tree_compute_inverse_dynamics(&m->model, 0, &m->kinematics, &m->velocities, s->a, &s->loads,
                                   &m->scratch, s->tau);
}

static void run_crba(subject* s) {
  cr_tree_compute_mass_matrix(&s->m->model, 0, &s->m->kinematics, &s->m->scratch, s->M);
}

static void run_aba(subject* s) {
  mechanism* m = s->m;
  cr_tree_compute_forward_dynamics(&m->model, 0, &m->kinematics, &m->velocities, s->tau, NULL,
                                   &s->loads, &m->scratch, s->a);
}

static void run_advance(subject* s) {
  cr_tree_advance(&s->m->model, 0, s->q, s->v, 0.001, 0.5, CR_ROTATION_CAYLEY, s->q1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Least nanoseconds per call over runs of about a millisecond. */
static double measure(void (*run)(subject* s), subject* s) {
  int calls = 1;
  double best = INFINITY;
  for (int repeat = 0; repeat < 200; repeat++) {
    double start = now();
    for (int i = 0; i < calls; i++) run(s);
    double elapsed = now() - start;
    if (elapsed < 5e5)
      calls *= 2;
    else
      best = fmin(best, elapsed / calls);
  }
  return best;
}

/* Adds a link with `num_hinges` hinges about x, y, z in turn, or with a free joint. */
static int add_link(mechanism_def* def, int parent, int num_hinges) {
  mechanism_body body = {.parent = parent,
                         .position = {0.1, 0.2, -0.3},
                         .quaternion = {0.8, 0.6, 0, 0},
                         .mass = 2,
                         .com = {0.01, 0.02, -0.1},
                         .inertia = {0.02, 0.02, 0.01, 0.001, 0, 0}};
  int id = mechanism_def_add_body(def, &body);
  mechanism_joint joint = {.type = num_hinges ? CAROM_JOINT_HINGE : CAROM_JOINT_FREE,
                           .body = id,
                           .anchor = {0, 0, 0.05},
                           .armature = num_hinges ? 0.01 : 0};
  for (int i = 0; i < (num_hinges ? num_hinges : 1); i++) {
    for (int k = 0; k < 3; k++) joint.axis[k] = k == (i + id) % 3;
    mechanism_def_add_joint(def, &joint);
  }
  return id;
}

/* A trunk with free joint, waist and pelvis, two legs of six dofs and two arms of three. */
static void build_humanoid(mechanism_def* def) {
  int torso = add_link(def, 0, 0);
  int pelvis = add_link(def, add_link(def, torso, 2), 1);
  for (int side = 0; side < 2; side++) {
    int shin = add_link(def, add_link(def, pelvis, 3), 1);
    add_link(def, shin, 2);
  }
  for (int side = 0; side < 2; side++) add_link(def, add_link(def, torso, 2), 1);
}

static void build_chain(mechanism_def* def, int num_links) {
  for (int i = 0, parent = 0; i < num_links; i++) parent = add_link(def, parent, 1);
}

static void build_arm(mechanism_def* def) { build_chain(def, 7); }
static void build_long_chain(mechanism_def* def) { build_chain(def, 100); }
static void build_free_link(mechanism_def* def) { add_link(def, 0, 0); }

static double* new_array(subject* s, int count) {
  double* array = CR_PUSH(&s->m->arena, double, count);
  if (!array) abort();
  for (int i = 0; i < count; i++) array[i] = 0;
  return array;
}

static subject subject_create(const char* name, void (*build)(mechanism_def* def)) {
  check_random random = {1};
  mechanism_def def;
  mechanism_def_init(&def);
  build(&def);
  subject s = {.name = name, .m = mechanism_create(&def), .loads = {.gravity = {0, 0, -9.81}}};
  mechanism_def_destroy(&def);
  int n = s.m->model.num_v;
  s.q = new_array(&s, s.m->model.num_q), s.q1 = new_array(&s, s.m->model.num_q);
  s.v = new_array(&s, n), s.a = new_array(&s, n), s.tau = new_array(&s, n);
  s.M = new_array(&s, n * n);
  mechanism_draw_q(s.m, &random, s.q);
  mechanism_draw_v(s.m, &random, s.v);
  mechanism_draw_v(s.m, &random, s.a);
  mechanism_update(s.m, s.q, s.v);
  return s;
}

static void report(const char* name, void (*build)(mechanism_def* def)) {
  static void (*const runs[])(subject*) = {run_kinematics, run_velocities, run_rnea,
                                           run_crba,       run_aba,        run_advance};
  subject s = subject_create(name, build);
  printf("%-10s %5d %5d", s.name, s.m->model.num_links - 1, s.m->model.num_v);
  for (int i = 0; i < 6; i++) printf(" %11.0f", measure(runs[i], &s));
  printf("\n");
  mechanism_destroy(s.m);
}

int main(void) {
  printf("%-10s %5s %5s %11s %11s %11s %11s %11s %11s   [ns]\n", "tree", "links", "dofs",
         "kinematics", "velocities", "rnea", "crba", "aba", "advance");
  report("humanoid", build_humanoid);
  report("arm", build_arm);
  report("chain", build_long_chain);
  report("free link", build_free_link);
  return 0;
}
