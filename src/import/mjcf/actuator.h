/* What the two halves of <actuator> share: laws by their types in the file. */
#ifndef CR_IMPORT_MJCF_ACTUATOR_H
#define CR_IMPORT_MJCF_ACTUATOR_H

#include "import/mjcf/class.h"

enum {
  CR_MJCF_DYN_NONE,
  CR_MJCF_DYN_INTEGRATOR,
  CR_MJCF_DYN_FILTER,
  CR_MJCF_DYN_FILTEREXACT,
  CR_MJCF_DYN_MUSCLE,
  CR_MJCF_DYN_USER,
};
enum { CR_MJCF_GAIN_FIXED, CR_MJCF_GAIN_AFFINE, CR_MJCF_GAIN_MUSCLE, CR_MJCF_GAIN_USER };
enum { CR_MJCF_BIAS_NONE, CR_MJCF_BIAS_AFFINE, CR_MJCF_BIAS_MUSCLE, CR_MJCF_BIAS_USER };

/* Whether actuators of an element of this name are read. */
bool cr_mjcf_is_supported_actuator(const char* name);

#endif
