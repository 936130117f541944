#include "geom/field_pair.h"

#include "geom/surface.h"

static int find_least(const double* size, int count) {
  int least = 0;
  for (int i = 1; i < count; i++)
    if (size[i] < size[least]) least = i;
  return least;
}

int cr_field_find_thinnest(const cr_shape* shape) {
  switch (shape->type) {
  case CAROM_GEOM_SPHERE:
  case CAROM_GEOM_CAPSULE:
    return 0;
  case CAROM_GEOM_CYLINDER:
    return find_least(shape->size, 2);
  case CAROM_GEOM_BOX:
  case CAROM_GEOM_ELLIPSOID:
    return find_least(shape->size, 3);
  default:
    return -1;
  }
}

double cr_field_find_thickness(const cr_shape* shape) {
  int thinnest = cr_field_find_thinnest(shape);
  if (thinnest >= 0) return shape->size[thinnest];
  if (shape->surface) return shape->surface->thickness;
  if (!shape->hull) return 0;
  double least = INFINITY;
  for (int f = 0; f < shape->hull->num_faces; f++)
    least = fmin(least, shape->hull->plane[4 * f + 3]);
  return fmax(least, 0);
}
