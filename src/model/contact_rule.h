/* What two geometries make of a contact: MJCF's rule for friction, springs in series for
 * compliance. */
#ifndef CR_MODEL_CONTACT_RULE_H
#define CR_MODEL_CONTACT_RULE_H

#include "model/model.h"

#include <math.h>

/* Values of a pair. */
typedef struct cr_contact_values {
  int condim;
  double friction, margin, gap;
  double stiffness;   /* N/m; inf: rigid */
  double dissipation; /* s; NaN: default of the stiffness */
} cr_contact_values;

/* The larger condim and friction, unless one geometry has the higher priority: then its own.
 * Margins and gaps add. */
cr_contact_values cr_contact_rule_mix(const cr_geom_model* geom, const cr_contact_model* contact,
                                      int geom1, int geom2);

/* Two layers in series (formulation, section 6): 1/k = 1/k1 + 1/k2, tau = k/k1 tau1 + k/k2 tau2. A
 * rigid layer has no part in it; of two the dissipation is NaN. */
static inline void cr_contact_rule_series(double k1, double tau1, double k2, double tau2, double* k,
                                          double* tau) {
  if (isinf(k1) || isinf(k2)) {
    *k = isinf(k1) ? k2 : k1;
    *tau = isinf(k1) && isinf(k2) ? NAN : isinf(k1) ? tau2 : tau1;
    return;
  }
  double share1 = k2 / (k1 + k2), share2 = k1 / (k1 + k2);
  *k = k1 * share1;
  *tau = share1 * tau1 + share2 * tau2;
}

#endif
