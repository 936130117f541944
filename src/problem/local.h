/* Local problems: one constraint alone, everything else held,
 *
 *   min over x in C of  1/2 xᵀ M x + bᵀ x,      M = W_ii + R_i positive definite,
 *
 * solved exactly (to round-off). They are the steps of block Gauss-Seidel on the dual. */
#ifndef CR_PROBLEM_LOCAL_H
#define CR_PROBLEM_LOCAL_H

#define CR_SLIDE_MAX 60 /* iterations of a sliding contact alone */

/* Solvers of the laws: |x_t| <= mu x_n in 3, 4 or 6 dimensions; |x| <= radius; low <= x <= high.
 * @param M [rows, rows] row-major, symmetric positive definite
 * @param b [rows]
 * @param parameter [2] the constraint's
 * @param x [rows] receives the minimiser, in C */
void cr_contact_minimize(const double* M, const double* b, const double* parameter, double* x);
void cr_contact4_minimize(const double* M, const double* b, const double* parameter, double* x);
void cr_contact6_minimize(const double* M, const double* b, const double* parameter, double* x);
void cr_disc_minimize(const double* M, const double* b, const double* parameter, double* x);
void cr_bounds_minimize(const double* M, const double* b, const double* parameter, double* x);

/* The problem of a contact with moments on the surface of its cone, in a frame in which friction's
 * part of M is diagonal. */
typedef struct cr_moment_slide {
  int n; /* rows of friction */
  double mu, Mnn, bn;
  double lambda[5], m[5], b[5]; /* diagonal of M_tt, M_tn, b_t */
  double x[5];                  /* receives the friction */
} cr_moment_slide;

/* Solves it where neither stick nor separation does; returns the normal impulse. */
double cr_moment_find_normal(cr_moment_slide* slide);

/* A symmetric positive definite 2x2 matrix in its eigenframe: M = Q diag(lambda) Qᵀ with
 * Q = [c -s; s c]. */
typedef struct cr_frame2 {
  double c, s;
  double lambda[2]; /* ascending */
} cr_frame2;

cr_frame2 cr_frame2_compute(double m00, double m01, double m11);

static inline void cr_frame2_enter(const cr_frame2* frame, const double x[2], double out[2]) {
  out[0] = frame->c * x[0] + frame->s * x[1];
  out[1] = -frame->s * x[0] + frame->c * x[1];
}

static inline void cr_frame2_leave(const cr_frame2* frame, const double x[2], double out[2]) {
  out[0] = frame->c * x[0] - frame->s * x[1];
  out[1] = frame->s * x[0] + frame->c * x[1];
}

/* min over |x| <= radius of 1/2 xᵀ diag(lambda) x + bᵀ x.
 * @return the kappa >= 0 with (diag(lambda) + kappa) x = -b */
double cr_disc_minimize_in_frame(const double lambda[2], const double b[2], double radius,
                                 double x[2]);

#endif
