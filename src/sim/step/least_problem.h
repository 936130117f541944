/* The problem of the least impulses: what is free of a step's constraints, and its solution. */
#ifndef CR_SIM_LEAST_PROBLEM_H
#define CR_SIM_LEAST_PROBLEM_H

#include "sim/rows/mobility.h"
#include "sim/rows/step_problem.h"

/* What becomes of a constraint. */
typedef enum cr_face {
  CR_FACE_FIXED, /* its impulse stays */
  CR_FACE_WHOLE, /* any of its law */
  CR_FACE_RAY,   /* along the impulse of a slide */
} cr_face;

typedef struct cr_faces {
  const cr_step* step;
  cr_step_problem* p;
  const double* v_c;
  double* change; /* [num_rows] J (v - v*) */
  double least;   /* m/s, what is no slip anywhere */
  cr_face* face;  /* [num_constraints] */
  double* ray;    /* [num_rows] impulse of a ray for a normal impulse of 1 */
} cr_faces;

/* Fills what is not given: step, p and v_c are. False when memory ran out. */
bool cr_faces_find(cr_faces* faces);

/* The problem of the faces. */
typedef struct cr_least {
  const cr_faces* faces;
  bool is_linear; /* rows without bounds, each a constraint of its own */
  cr_problem problem;
  int* place;          /* [num_constraints of problem] in the whole */
  double* D;           /* [num_rows] */
  double size2;        /* J, of b in A⁻¹ */
  double *gamma, *b;   /* [num_rows], [n] */
  double *u, *back;    /* [n] u; v* of the problem, u - A⁻¹ b */
  double* fall;        /* [n] A⁻¹ b */
  double *local, *old; /* scratch */
} cr_least;

/* Assembles the problem; `faces` and `is_linear` are given. False when memory ran out. */
bool cr_least_init(cr_least* least, cr_mobilities* mobilities);

/* The impulses of least D |gamma|² that do what `gamma` does, in its place.
 * @param is_done whether they are found */
cr_result cr_least_solve(cr_least* least, bool* is_done);

#endif
