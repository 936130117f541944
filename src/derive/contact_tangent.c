#include "derive/contact_tangent.h"

#include "base/error.h"
#include "sim/rows/contact_rows.h"

struct cr_contact_tangent {
  int link[2];
};

carom_status cr_contact_tangent_find(cr_step_tangent* t, const cr_contact_set* set, int point,
                                     const cr_contact_tangent** tangent) {
  (void)set, (void)point, (void)tangent;
  return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                      "derivatives: there are none yet of contacts");
}

void cr_contact_tangent_describe(cr_law_kind kind, const cr_contact_point* point,
                                 cr_row_shape* rows) {
  cr_contact_row list[CR_LAW_MAX_ROWS];
  int count = cr_contact_rows_list(kind, 0, point, list);
  for (int r = 0; r < count; r++)
    rows[r] = (cr_row_shape){.kind = list[r].length > 0 ? CR_ROW_OF_MOMENT : CR_ROW_OF_POINT,
                             .link = {point->link[0], point->link[1]},
                             .axis = list[r].axis,
                             .place = {point->position, point->position},
                             .length = list[r].length};
}

double cr_contact_tangent_differentiate(const cr_step* step, const cr_contact_tangent* tangent,
                                        const cr_row_shape* shape, int rows, const sv* twist,
                                        cr_row_change* change) {
  (void)step, (void)tangent, (void)shape, (void)rows, (void)twist, (void)change;
  return 0;
}
