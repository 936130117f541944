#include "sim/rows/contact_rows.h"

/* Torsion, and rolling where `rolls`. */
static int list_moments(const cr_contact_point* point, bool twists, bool rolls,
                        cr_contact_row* rows) {
  int count = 0;
  if (twists) rows[count++] = (cr_contact_row){point->normal, point->extra->length[0]};
  for (int k = 0; k < 2 && rolls; k++)
    rows[count++] = (cr_contact_row){point->tangent[k], point->extra->length[1]};
  return count;
}

int cr_contact_rows_list(cr_law_kind kind, uint32_t moment, const cr_contact_point* point,
                         cr_contact_row* rows) {
  if (moment) return list_moments(point, moment == 1, moment == 2, rows);
  int count = 0;
  for (int k = 0; k < 2 && kind != CR_LAW_BOUNDS; k++)
    rows[count++] = (cr_contact_row){point->tangent[k], 0};
  if (kind == CR_LAW_DISC) return count;
  if (kind == CR_LAW_CONTACT4 || kind == CR_LAW_CONTACT6)
    count += list_moments(point, true, kind == CR_LAW_CONTACT6, rows + count);
  rows[count++] = (cr_contact_row){point->normal, 0};
  return count;
}

int cr_contact_rows_find_drift(cr_law_kind kind, uint32_t moment, const cr_contact_point* point,
                               double* v_hat) {
  cr_contact_row rows[CR_LAW_MAX_ROWS];
  int count = cr_contact_rows_list(kind, moment, point, rows);
  for (int k = 0; k < count; k++) {
    bool is_normal = v3_dot(rows[k].axis, point->normal) > 0.5, is_moment = rows[k].length > 0;
    v_hat[k] = 0;
    if (!point->extra) continue;
    if (point->extra->is_driven)
      v_hat[k] = is_moment ? -rows[k].length * v3_dot(rows[k].axis, point->extra->turn)
                           : -v3_dot(rows[k].axis, point->extra->motion);
    if (!point->extra->drifts || is_normal != is_moment) continue;
    v_hat[k] -= is_moment ? rows[k].length * v3_dot(rows[k].axis, point->extra->twist)
                          : v3_dot(rows[k].axis, point->extra->drift);
  }
  return count;
}

cr_contact_impulse cr_contact_rows_sum_any(cr_law_kind kind, uint32_t moment,
                                           const cr_contact_point* point, const double* gamma) {
  cr_contact_row rows[CR_LAW_MAX_ROWS];
  int count = cr_contact_rows_list(kind, moment, point, rows);
  cr_contact_impulse sum = {v3_zero(), v3_zero()};
  for (int k = 0; k < count; k++) {
    if (rows[k].length > 0)
      sum.moment = v3_axpy(sum.moment, gamma[k] * rows[k].length, rows[k].axis);
    else
      sum.force = v3_axpy(sum.force, gamma[k], rows[k].axis);
  }
  return sum;
}

void cr_contact_rows_split_any(cr_law_kind kind, uint32_t moment, const cr_contact_point* point,
                               const cr_contact_impulse* impulse, double* gamma) {
  cr_contact_row rows[CR_LAW_MAX_ROWS];
  int count = cr_contact_rows_list(kind, moment, point, rows);
  for (int k = 0; k < count; k++)
    gamma[k] = rows[k].length > 0 ? v3_dot(impulse->moment, rows[k].axis) / rows[k].length
                                  : v3_dot(impulse->force, rows[k].axis);
}
