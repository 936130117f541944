/* Cells are found in their shape's frame: from there into the world, and how they move with it. */
#include "geom/field_cells.h"

/* n.(ω × x) = (n × ω).x, of x from the origin. */
cr_field_side cr_field_carry_plane(const cr_field_carrier* carrier, v3 origin, v3 n) {
  v3 way = v3_add(carrier->way, v3_cross(carrier->turn, v3_sub(origin, carrier->X->p)));
  return (cr_field_side){v3_cross(carrier->turn, n), -v3_dot(n, way)};
}

/* Of what changes in the shape's frame, too. */
static void carry_plane(const cr_field_carrier* carrier, v3 origin, v3 n, v3* dn, double* d) {
  cr_field_side by = cr_field_carry_plane(carrier, origin, n);
  *d += v3_dot(*dn, pose_inverse_point(carrier->X, origin)) + by.d;
  *dn = v3_add(m3_mulv(&carrier->X->R, *dn), by.n);
}

void cr_field_carry_cells(const cr_field_carrier* carrier, v3 origin, cr_field_cells* cells) {
  for (int i = 0; i < cells->count; i++) {
    cr_field_cell* d = &cells->dcell[i];
    carry_plane(carrier, origin, cells->cell[i].gradient, &d->gradient, &d->value);
  }
  for (int i = 0; i < cells->num_sides; i++)
    carry_plane(carrier, origin, cells->side[i].n, &cells->dside[i].n, &cells->dside[i].d);
}

void cr_field_place_cells(cr_field_cells* cells, const pose* X, v3 origin) {
  v3 at = pose_inverse_point(X, origin);
  for (int i = 0; i < cells->count; i++) {
    cr_field_cell* cell = &cells->cell[i];
    cell->value += v3_dot(cell->gradient, at);
    cell->gradient = m3_mulv(&X->R, cell->gradient);
  }
  for (int i = 0; i < cells->num_sides; i++) {
    cr_field_side* side = &cells->side[i];
    side->d += v3_dot(side->n, at);
    side->n = m3_mulv(&X->R, side->n);
  }
}
