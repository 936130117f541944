/* Contacts in lanes for AVX2; nothing where the compiler was not told to use it. */
#include "problem/contact_lanes.h"

extern const cr_contact_lanes* const cr_contact_lanes_avx2;

#if defined(__AVX2__)

#include "problem/contact_lanes_template.h"

const cr_contact_lanes* const cr_contact_lanes_avx2 = &contact_table;

#else

const cr_contact_lanes* const cr_contact_lanes_avx2 = 0;

#endif
