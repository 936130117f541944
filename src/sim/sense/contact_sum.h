/* What the contacts between two bodies do together. */
#ifndef CR_SIM_CONTACT_SUM_H
#define CR_SIM_CONTACT_SUM_H

#include "base/shared.h"

#include "carom/sim.h"

/* Contact points, and which bodies their geometries are of. */
typedef struct cr_contact_list {
  const carom_contact* items;
  int count;
  double dt;                                   /* s, over which their impulses act */
  int (*body_of)(const void* owner, int geom); /* -1: of a soft body */
  const void* owner;
} cr_contact_list;

/* The points between two bodies, -1 for any, summed. */
CR_SHARED carom_contact_sum cr_contact_list_sum(const cr_contact_list* list, int body1, int body2);

#endif
