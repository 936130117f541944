/* What contacts of a shape are like where a robot's file says so: Drake's proximity properties. */
#ifndef CR_IMPORT_PROXIMITY_H
#define CR_IMPORT_PROXIMITY_H

#include "import/document.h"

typedef struct cr_surface {
  double friction;
  double stiffness;   /* N/m; NaN: not given */
  double dissipation; /* s; NaN: not given */
  double modulus;     /* Pa, of a compliant body's inside; inf: it has none */
  carom_surface rest; /* moments only where the file gives them */
} cr_surface;

/* What a file that says nothing means: friction 1, rigid. */
cr_surface cr_surface_default(void);

/* Puts it into a definition; contacts have the dimensions that its moments ask for. */
void cr_surface_apply(const cr_surface* surface, carom_geom_def* def);

/* Takes a modulus from a shape whose inside can have none, and says so. */
carom_status cr_surface_settle(cr_document* document, const carom_builder* builder,
                               const cr_xml_element* element, carom_geom_def* def);

/* What <drake:proximity_properties> within a collision says, over what is there. */
carom_status cr_proximity_read(cr_document* document, const cr_xml_element* collision,
                               cr_surface* contact);

#endif
