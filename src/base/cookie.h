/* What the definitions of the interface begin with: their kind and their size. One that its default
 * function did not make, or that a program made with the headers of another version, is refused
 * before anything else of it is read. */
#ifndef CR_BASE_COOKIE_H
#define CR_BASE_COOKIE_H

#include "base/error.h"

#include <stdint.h>

/* After the name of the type, carom_NAME_def. */
enum {
  CR_KIND_builder = 0x6361a,
  CR_KIND_body,
  CR_KIND_joint,
  CR_KIND_geom,
  CR_KIND_pair,
  CR_KIND_spring,
  CR_KIND_actuator,
  CR_KIND_equality,
  CR_KIND_keyframe,
  CR_KIND_load,
  CR_KIND_tendon,
  CR_KIND_mesh,
  CR_KIND_site,
  CR_KIND_soft,
  CR_KIND_attachment,
  CR_KIND_write,
  CR_KIND_sensor,
  CR_KIND_height_field,
  CR_KIND_sim,
  CR_KIND_recorder,
  CR_KIND_convert,
  CR_KIND_table,
  CR_KIND_html,
  CR_KIND_problem,
  CR_KIND_constraint,
  CR_KIND_solve,
};

#define CR_COOKIE_SIZE 12 /* bits: no definition has 4096 bytes */

/* The cookie of carom_NAME_def. */
#define CR_COOKIE(name) \
  ((uint32_t)CR_KIND_##name << CR_COOKIE_SIZE | (uint32_t)sizeof(carom_##name##_def))

/* Checks that of a definition, with what it is called in the sentence. */
#define CR_CHECK_COOKIE(def, name, what, error) \
  cr_cookie_check((def)->cookie, CR_COOKIE(name), what, "carom_" #name "_def", error)

/* @param type name of the expected definition's type */
CR_SHARED carom_status cr_cookie_check(uint32_t cookie, uint32_t expected, const char* what,
                                       const char* type, carom_error* error);

#endif
