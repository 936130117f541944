/* Frictional contacts four at a time: what the solvers evaluate at every iterate. Compiled for
 * several instruction sets, which all give the same bits. */
#ifndef CR_PROBLEM_CONTACT_LANES_H
#define CR_PROBLEM_CONTACT_LANES_H

#include "linalg/kernels.h"
#include "problem/law.h"

/* The entries of cr_law of the same names. */
typedef struct cr_contact_lanes {
  /* evaluate without the gradient */
  double (*evaluate)(const cr_law_batch* batch, const cr_law_point* point, double* gamma);

  double (*linearize)(const cr_law_batch* batch, const cr_law_point* point, const cr_law_mode* mode,
                      const cr_law_linearization* out);
  double (*merit)(const cr_law_batch* batch, const cr_law_point* point, const cr_law_mode* mode);
  void (*project)(const cr_law_batch* batch, const double* gamma, double* projected);
  double (*residual)(const cr_law_batch* batch, const cr_law_point* point, const cr_law_mode* mode,
                     const double* rho, double* projected);
  double (*gap)(const cr_law_batch* batch, const cr_law_point* point);

  /* those of cr_law_interior; what does without G and h has its own in the state */
  void (*interior_linearize)(const cr_law_batch* batch, const cr_law_point* point,
                             const double* shift, double target, bool corrector, double* state,
                             double* G, double* h);
  void (*interior_complete)(const cr_law_batch* batch, const double* dv_c, double* state);
  double (*interior_longest_step)(const cr_law_batch* batch, const double* state, double most);
  void (*interior_recenter)(const cr_law_batch* batch, double alpha, cr_law_range products,
                            double* state, double* h);
} cr_contact_lanes;

/* The table of an instruction set, or null where this machine or build does not have it. There is
 * none of its own for AVX-512. */
const cr_contact_lanes* cr_contact_lanes_get(cr_kernel_level level);

/* The best that this machine has. */
const cr_contact_lanes* cr_contact_lanes_select(void);

/* A contact that slides, in the scaled variables, and its step; for the De Saxce term. */
typedef struct cr_contact_slide {
  double rho, Rn, Rt;
  double s[3], st;      /* slack without the De Saxce term, |s_t| */
  double z[3], zt;      /* u - rho (s + De Saxce), |z_t| */
  double p_less_u[3];   /* P_Q(z) - u */
  double g[3][3], h[3]; /* receive the step */
} cr_contact_slide;

/* M = E + rho D N R~, G~ = M^-1 rho D N, h = M^-1 (p - u), where N adds the direction of s_t to the
 * normal row. */
void cr_contact_linearize_slide(cr_contact_slide* c, double coulomb);

#endif
