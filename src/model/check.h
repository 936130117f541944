/* Checks of a definition's fields, and the sentences that say what is wrong. */
#ifndef CR_MODEL_CHECK_H
#define CR_MODEL_CHECK_H

#include "base/error.h"
#include "base/shared.h"

#include "carom/types.h"

#include <stdbool.h>

/* Whose fields are checked: the start of every sentence, "scene.xml:12: geom 'foot': ". */
typedef struct cr_subject {
  const char* kind;    /* "geom" */
  const char* name;    /* null or empty: unnamed */
  carom_source source; /* zeroed: made in code */
  int number;          /* says which one, where there is neither name nor source; 0: nothing does */
  carom_error* error;  /* may be null */
} cr_subject;

/* Fills the subject's error; returns the status. */
CR_PRINTF(3, 4)
CR_SHARED carom_status cr_subject_fail(const cr_subject* subject, carom_status status,
                                       const char* format, ...);

/* Each returns CAROM_OK, or fills the error with "<field> is <value>, must be <...>" and returns
 * CAROM_ERROR_BAD_INPUT. Of arrays, the sentence names the element. */
CR_SHARED carom_status cr_check_finite(const cr_subject* subject, const char* field,
                                       const double* values, int count);
CR_SHARED carom_status cr_check_positive(const cr_subject* subject, const char* field,
                                         double value);
CR_SHARED carom_status cr_check_not_negative(const cr_subject* subject, const char* field,
                                             double value);

/* A quaternion of finite numbers, not all zero. */
CR_SHARED carom_status cr_check_quaternion(const cr_subject* subject, const char* field,
                                           const double* quaternion);

/* A vector of finite numbers whose length is not zero. */
CR_SHARED carom_status cr_check_direction(const cr_subject* subject, const char* field,
                                          const double* vector);

/* low < high; either may be infinite. */
CR_SHARED carom_status cr_check_range(const cr_subject* subject, const char* field,
                                      const double* range);

/* An integer within bounds. */
CR_SHARED carom_status cr_check_choice(const cr_subject* subject, const char* field, int value,
                                       int low, int high);

/* Dimensions of contacts: 1, 3, 4 or 6, or where `may_be_unset` 0. */
carom_status cr_check_condim(const cr_subject* subject, int condim, bool may_be_unset);

/* What a surface brings into contacts; with `may_be_unset` each value may be NaN.
 * @param friction in motion, no larger than that at rest; NaN: not known */
carom_status cr_check_surface(const cr_subject* subject, const carom_surface* surface,
                              double friction, bool may_be_unset);

/* N/m and s of a compliance. Stiffness: positive, may be infinite, or NaN where `may_be_unset`.
 * Dissipation: finite, not negative, or NaN. */
carom_status cr_check_compliance(const cr_subject* subject, const char* stiffness_field,
                                 double stiffness, bool may_be_unset, const char* dissipation_field,
                                 double dissipation);

#endif
