/* Tangential compliance of a contact point: a spring and a damper between the body and the point
 * that Coulomb's law holds or lets slide. */
#ifndef CR_SIM_ANCHOR_H
#define CR_SIM_ANCHOR_H

#include "sim/contact/contact_point.h"

typedef struct cr_anchor {
  double stiffness;   /* k_t, N/m, the point's share of its pair's; inf: none gives way */
  double dissipation; /* tau_t, s */
  v3 stretch;         /* u, m, at the start of the step: world, in the tangent plane */
} cr_anchor;

/* The anchor of a point with what the last step left of its displacement. Displacements are a field
 * over the patch, u0 + spin n x (x - c) and what each point has beside that: a point that is new
 * has the field's of those that were loaded, one that has moved takes on by how much it differs
 * there.
 * @param dissipation of the normal, s */
cr_anchor cr_anchor_find(const cr_step* step, const cr_contact_point* point, double dissipation);

/* Adds to the two tangential rows R_t = 1 / (dt k_t (dt + tau_t)), v_hat_t = -u / (dt + tau_t). */
void cr_anchor_add_rows(const cr_anchor* anchor, const cr_contact_point* point, double dt,
                        double* R, double* v_hat);

/* The displacement at the end of the step, world: (tau_t u - gamma_t / k_t) / (dt + tau_t); k_t is
 * finite.
 * @param gamma the point's impulse, world */
v3 cr_anchor_compute_stretch(const cr_anchor* anchor, const cr_contact_point* point, double dt,
                             v3 gamma);

/* Elastic energy at a displacement, J. */
double cr_anchor_compute_energy(const cr_anchor* anchor, v3 stretch);

/* Leaves a displacement for the next step, in the frame of the body that turns more slowly: a body
 * that rolls would turn it out of the tangent plane. */
void cr_anchor_store(const cr_step* step, const cr_contact_point* point, v3 stretch,
                     cr_contact_record* record);

#endif
