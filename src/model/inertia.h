/* Mass, centre of mass and inertia of bodies: checks, and the sum of parts. */
#ifndef CR_MODEL_INERTIA_H
#define CR_MODEL_INERTIA_H

#include "base/shared.h"
#include "math/quat.h"
#include "model/record.h"

/* Mass properties in some frame. */
typedef struct cr_mass {
  double mass;       /* kg */
  v3 com;            /* m; zero where there is no mass */
  double inertia[6]; /* kg m², xx yy zz xy xz yz about the centre of mass, the frame's axes */
} cr_mass;

/* Of a geometry in its own frame. */
cr_mass cr_mass_of_geom(const carom_builder* builder, const carom_geom_def* def);

/* Of a body in its own frame: as given, or from its geometries; before all are scaled to a total.
 */
cr_mass cr_mass_of_body(const carom_builder* builder, const cr_body_record* body);

/* Of the shapes of a body that give mass, or that collide, too, in its frame; false where there are
 * none. */
bool cr_mass_of_shapes(const carom_builder* builder, const cr_body_record* body, bool which_collide,
                       cr_mass* sum);

/* Of a geometry in its body's frame, whether it gives that mass or not. */
CR_SHARED cr_mass cr_mass_in_body(const carom_builder* builder, const carom_geom_def* def);

/* The same in the frame that holds this one at position p and orientation R. */
cr_mass cr_mass_transform(const cr_mass* a, v3 p, const m3* R);

/* Both together, in closed form: sums about the common centre of mass, without cancellation. */
CR_SHARED cr_mass cr_mass_merge(const cr_mass* a, const cr_mass* b);

/* Masses and moments times a factor. */
void cr_mass_scale(cr_mass* a, double factor);

/* Raises small masses and principal moments to the model's least ones. */
void cr_mass_raise(cr_mass* a, const carom_builder_def* def);

/* Checks a given inertia: principal moments not negative and within the triangle inequality, after
 * they are raised to the model's least moment. Balances it where the model asks for that.
 * @param inertia [6], changed only by balancing
 * @param is_unphysical true when it breaks a rule and the model allows that */
carom_status cr_inertia_check(const cr_subject* subject, const carom_builder_def* def,
                              double* inertia, bool* is_unphysical);

#endif
