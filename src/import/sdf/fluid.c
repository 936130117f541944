/* <fluid_added_mass>: the inertia of the fluid that a link moves, a symmetric matrix of 6x6 about
 * the link's origin, in its axes. It adds to the link's own, and has no weight.
 *
 * What a rigid body can have of it is used: a mass that is the same in all directions, with its
 * centre where the link's is, and any inertia of rotation. */
#include "import/sdf/reader.h"

#include <string.h>

enum { NUM_SIDES = 6, NUM_LINEAR = 3 };

/* The upper triangle, by rows; both halves of the result. */
static carom_status read_matrix(cr_sdf* s, const cr_xml_element* fluid,
                                double A[NUM_SIDES][NUM_SIDES]) {
  static const char SIDES[] = "xyzpqr";
  for (int i = 0; i < NUM_SIDES; i++)
    for (int j = i; j < NUM_SIDES; j++) {
      const char name[] = {SIDES[i], SIDES[j], '\0'};
      A[i][j] = 0;
      CR_TRY(cr_sdf_numbers(s, fluid, name, 1, &A[i][j]));
      A[j][i] = A[i][j];
    }
  return CAROM_OK;
}

/* Whether the mass is one number, at the origin. */
static bool is_one_mass(double A[NUM_SIDES][NUM_SIDES]) {
  for (int i = 0; i < NUM_LINEAR; i++)
    for (int j = 0; j < NUM_SIDES; j++)
      if (A[i][j] != (i == j ? A[0][0] : 0)) return false;
  return true;
}

carom_status cr_sdf_add_fluid(cr_sdf* s, const cr_xml_element* fluid, carom_body_def* def) {
  static const char OTHER[] = "added mass that differs with the direction, or lies beside the "
                              "link's centre of mass, is not supported, left out";
  static const int PLACES[6][2] = {{3, 3}, {4, 4}, {5, 5}, {3, 4}, {3, 5}, {4, 5}};
  double A[NUM_SIDES][NUM_SIDES];
  CR_TRY(read_matrix(s, fluid, A));
  CR_TRY(cr_document_check_known(&s->document, fluid,
                                 " xx xy xz xp xq xr yy yz yp yq yr zz zp zq zr pp pq pr qq qr rr ",
                                 " "));
  cr_subject subject = cr_document_subject(&s->document, fluid);
  CR_TRY(cr_check_not_negative(&subject, "xx", A[0][0]));
  bool is_centred = def->com[0] == 0 && def->com[1] == 0 && def->com[2] == 0;
  if (!is_one_mass(A) || (A[0][0] > 0 && !is_centred))
    return cr_document_refuse(&s->document, fluid, NULL, OTHER);
  for (int i = 0; i < 6; i++) def->inertia[i] += A[PLACES[i][0]][PLACES[i][1]];
  if (A[0][0] == 0) return CAROM_OK;
  def->mass += A[0][0];
  def->gravity_compensation = A[0][0] / def->mass;
  return CAROM_OK;
}
