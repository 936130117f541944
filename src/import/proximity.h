/* What contacts of a shape are like where a robot's file says so: Drake's proximity properties. */
#ifndef CR_IMPORT_PROXIMITY_H
#define CR_IMPORT_PROXIMITY_H

#include "import/document.h"

typedef struct cr_surface {
  double friction;
  double stiffness;   /* N/m; NaN: not given */
  double dissipation; /* s; NaN: not given */
} cr_surface;

/* What <drake:proximity_properties> within a collision says, over what is there. */
carom_status cr_proximity_read(cr_document* document, const cr_xml_element* collision,
                               cr_surface* surface);

#endif
