/* <sensor> of SDF, which files of URDF have for Gazebo too: a site where it is, and for each
 * quantity that it measures a sensor of its own, "OWNER::SENSOR.quantity". */
#ifndef CR_IMPORT_INSTRUMENT_H
#define CR_IMPORT_INSTRUMENT_H

#include "import/document.h"
#include "math/quat.h"

/* A sensor on its way. */
typedef struct cr_instrument {
  cr_document* document;
  carom_builder* builder;
  const cr_xml_element* element; /* <sensor> */
  bool on_joint;                 /* else on a link */
  carom_body body;               /* the link, or the joint's child; zero: it is no rigid one */
  const cr_xml_element* link;    /* of which the collisions count */
  pose local;                    /* in the body */
  const char* name;              /* with its link's or joint's */
  carom_site site;
} cr_instrument;

/* Names an instrument; one that is not had here is noted.
 * @param owner the link's or joint's name */
carom_status cr_instrument_begin(cr_instrument* instrument, const char* owner, bool* is_had);

/* Adds the sites and sensors of one that is had, where its pose is known. */
carom_status cr_instrument_add(cr_instrument* instrument);

/* Adds the force and torque of the body's joint on what carries it, as NAME.force and NAME.torque.
 */
carom_status cr_instrument_add_feedback(cr_instrument* instrument, const char* name);

#endif
