/* Contacts in lanes for any machine. */
#include "problem/contact_lanes_template.h"

extern const cr_contact_lanes* const cr_contact_lanes_base;
const cr_contact_lanes* const cr_contact_lanes_base = &contact_table;
