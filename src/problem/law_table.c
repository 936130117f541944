/* The table of laws: a new kind is one more row. */
#include "problem/law_table.h"

#include "problem/bounds_law.h"
#include "problem/contact_law.h"
#include "problem/disc_law.h"
#include "problem/moment_law.h"

const cr_law* const cr_law_table[CR_LAW_COUNT] = {
    [CR_LAW_CONTACT] = &cr_contact_law,   [CR_LAW_DISC] = &cr_disc_law,
    [CR_LAW_BOUNDS] = &cr_bounds_law,     [CR_LAW_CONTACT4] = &cr_contact4_law,
    [CR_LAW_CONTACT6] = &cr_contact6_law,
};
