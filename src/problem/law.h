/* Constraint laws in batches: the analytic inverse dynamics v_c -> (gamma, l, G) of
 * docs/theory.md, "Analytic inverse dynamics", the primal-dual linearisation, projection and
 * certificate of each.
 *
 * A law is one table of functions over all constraints of its kind; solvers know no law by name.
 * The rows of a constraint are consecutive in every row array; its matrix G (rows x rows,
 * row-major) stands at G + ld * (first row), where the leading dimension ld is the largest number
 * of rows of a constraint of the problem, 3 at least. With d = v_c - v_hat, the law's slack is s =
 * d + R gamma, and the law reads: gamma in C, s in the dual cone, complementary (with the De Saxce
 * term on s for true Coulomb friction). */
#ifndef CR_PROBLEM_LAW_H
#define CR_PROBLEM_LAW_H

#include "problem/problem.h"

/* Most rows of a constraint. */
#define CR_LAW_MAX_ROWS 6

/* The leading dimension of matrices of a problem without larger constraints. */
#define CR_LAW_LEAST_LD 3

/* The constraints of one kind. */
typedef struct cr_law_batch {
  int count;
  const int* row;          /* [count] first row */
  const double* parameter; /* [2 each] as in cr_problem */
  const double* scale;     /* [count] largest eigenvalue of W_ii over its weight, 1/kg */
  int rows;                /* of each */
  int ld;                  /* leading dimension of matrices */
} cr_law_batch;

/* A point of the problem and the rows' data; every array is [num_rows]. */
typedef struct cr_law_point {
  const double* R;
  const double* v_hat;
  const double* v_c;
  const double* gamma;
} cr_law_point;

/* Which variant of the law a primal-dual solver works on. */
typedef struct cr_law_mode {
  double proximal; /* rows with R < R_p = proximal * scale get the weight R_p - R in addition */
  const double* anchor; /* [num_rows] the proximal term is (R_p - R) (gamma - anchor); null: none */
  double coulomb;       /* weight of the De Saxce term mu |s_t| on the normal slack: 1 for Coulomb
                           friction, 0 for the convex law, between them on the way */
  const double* shift;  /* [num_rows] added to s: a frozen De Saxce term; null: none */
  bool alternate;       /* contacts project at another scale, which leaves Newton's cycles */
  bool slides_on_surface; /* contacts without moments whose impulse lies on the cone's surface are
                             linearised as sliding, though they seem to stick; the merit stays */
} cr_law_mode;

/* A primal-dual linearisation: dgamma = h - G dv_c. */
typedef struct cr_law_linearization {
  double* G; /* [ld * num_rows] symmetric, positive semi-definite */
  double*
      G_coulomb; /* [same] with the derivative of the De Saxce term; read only with mode.coulomb */
  double* h;     /* [num_rows] */
} cr_law_linearization;

/* Doubles of interior-point state for each row of a problem with the least ld, and at most. */
#define CR_LAW_INTERIOR_LEAST 7
#define CR_LAW_INTERIOR_MOST  10
static inline int cr_law_interior_size(int ld) {
  return ld > CR_LAW_LEAST_LD ? CR_LAW_INTERIOR_MOST : CR_LAW_INTERIOR_LEAST;
}

/* Where a constraint's begins. */
static inline int cr_law_find_state(const cr_law_batch* batch, int i) {
  return cr_law_interior_size(batch->ld) * batch->row[i];
}

/* Products of point and slack that are near enough to each other. */
typedef struct cr_law_range {
  double low, high;
} cr_law_range;

/* A law for a primal-dual interior-point method. The state of a constraint with first row r stands
 * at state + cr_law_interior_size() * r and holds gamma, its slack, the last direction and the
 * scaling. */
typedef struct cr_law_interior {
  /* An interior start near the point's gamma, where the product of point and slack is `product`, J,
   * for each pair: gamma - s / scale is split into both. */
  void (*start)(const cr_law_batch* batch, const cr_law_point* point, const double* shift,
                double product, double* state);

  /* Linearises complementarity = target: dgamma = h - G dv_c. With `corrector` the second-order
   * term of the direction in the state is included, and G holds what a linearisation without has
   * left for this state. gamma of the point is not read; shift may be null. */
  void (*linearize)(const cr_law_batch* batch, const cr_law_point* point, const double* shift,
                    double target, bool corrector, double* state, double* G, double* h);

  /* Completes the direction from dv_c. */
  void (*complete)(const cr_law_batch* batch, const double* dv_c, const double* G, const double* h,
                   double* state);

  /* Longest step along the completed direction that stays inside, and `most` at most. */
  double (*longest_step)(const cr_law_batch* batch, const double* state, double most);

  /* Adds to the completed direction what moves products that are off [low, high] after the fraction
   * alpha of it into that range: h and the state ask for the sum, which complete() then makes. */
  void (*recenter)(const cr_law_batch* batch, double alpha, cr_law_range products, const double* G,
                   double* state, double* h);

  /* Sum of the products of point and slack after the fraction alpha of the direction; adds the
   * number of products to *count. */
  double (*complementarity)(const cr_law_batch* batch, const double* state, double alpha,
                            int* count);

  /* Moves along the direction. */
  void (*move)(const cr_law_batch* batch, double alpha, double* state);

  /* Moves points or slacks of pairs whose product may be below `least` off the surface, whichever
   * moves less: by sqrt(least) at most, times or over the root of the scale. False where there are
   * none. */
  bool (*lift)(const cr_law_batch* batch, double least, double* state);

  /* gamma of the state [num_rows]. */
  void (*get_gamma)(const cr_law_batch* batch, const double* state, double* gamma);
} cr_law_interior;

typedef struct cr_law {
  const char* name;
  int rows;
  bool is_cone; /* a frictional contact, for which true Coulomb friction adds the De Saxce term */

  /* Analytic inverse dynamics at v_c: writes gamma(v_c) and G = -dgamma/dv_c (unless null), returns
   * the sum of l. Where R = 0 makes l infinite the sum is infinite. gamma of the point is not read.
   */
  double (*evaluate)(const cr_law_batch* batch, const cr_law_point* point, double* gamma,
                     double* G);

  /* Linearises gamma = P_C(gamma - rho s) at the constraint's Delassus scale (primal-dual Newton).
   * The residual has the true R, the Jacobian max(R, R_p). Returns the merit below. */
  double (*linearize)(const cr_law_batch* batch, const cr_law_point* point, const cr_law_mode* mode,
                      const cr_law_linearization* out);

  /* Sum of scale * |gamma - P_C(gamma - rho s)|², the proximal term included in s. */
  double (*merit)(const cr_law_batch* batch, const cr_law_point* point, const cr_law_mode* mode);

  /* Euclidean projection on C. */
  void (*project)(const cr_law_batch* batch, const double* gamma, double* projected);

  /* Sum of |gamma - P_C(gamma - rho s)|² with rho [num_rows] constant over a constraint's rows: the
   * square of the natural residual's numerator. Writes P_C(gamma - rho s) unless null. */
  double (*residual)(const cr_law_batch* batch, const cr_law_point* point, const cr_law_mode* mode,
                     const double* rho, double* projected);

  /* The De Saxce term of the point, mu |s_t| on the normal row: writes shift [num_rows], zero on
   * all other rows. */
  void (*compute_shift)(const cr_law_batch* batch, const cr_law_point* point, double* shift);

  /* Sum of l(v_c) + 1/2 gammaᵀ R gamma + gammaᵀ d for gamma in C: the constraints' part of the pair
   * gap, without cancellation; infinite where R = 0 and v_c is not feasible. */
  double (*gap)(const cr_law_batch* batch, const cr_law_point* point);

  /* The problem of one constraint alone, see problem/local.h. */
  void (*minimize)(const double* M, const double* b, const double* parameter, double* x);

  const cr_law_interior* interior; /* the law's form for the interior-point solver */
} cr_law;

/* The kinds k of which there are constraints in the batches [CR_LAW_COUNT]. */
#define CR_FOR_EACH_LAW(k, batches)      \
  for (int k = 0; k < CR_LAW_COUNT; k++) \
    if ((batches)[k].count > 0)

/* Constraints of a batch from `first` on. */
static inline cr_law_batch cr_law_slice(const cr_law_batch* batch, int first, int count) {
  cr_law_batch part = *batch;
  part.row += first, part.parameter += 2 * first, part.scale += first;
  part.count = count;
  return part;
}

/* The De Saxce term of a law that has none. */
void cr_law_clear_shift(const cr_law_batch* batch, const cr_law_point* point, double* shift);

/* Adds the De Saxce term of a cone's slip s = M x + b to b of its problem alone (problem/local.h):
 * the mean of the term and what it was, since the slip that x then leads to goes the other way.
 * @param coulomb weight of the term
 * @param term [rows] what it was, and becomes */
void cr_law_add_slip(const cr_law* law, double coulomb, const double* M, const double* parameter,
                     const double* x, double* term, double* b);

/* Largest eigenvalue of the symmetric matrix of a constraint [rows, rows]. */
double cr_law_largest_eigenvalue(const double* W, int rows);

#endif
