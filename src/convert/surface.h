/* Surfaces of geometries as triangles, in the frame of the geometry. */
#ifndef CR_CONVERT_SURFACE_H
#define CR_CONVERT_SURFACE_H

#include "base/arena.h"

#include "carom/record.h"

enum {
  CR_SURFACE_SECTORS = 24,   /* of round shapes */
  CR_SURFACE_BANDS = 12,     /* from pole to pole; even */
  CR_SURFACE_POINTS = 300,   /* at most; of meshes three a triangle */
  CR_SURFACE_TRIANGLES = 600 /* at most; of meshes as recorded */
};

/* Points lie on the shape, so that round shapes are inscribed. Where it has edges points are
 * doubled, each with the normal of its side. Triangles turn counterclockwise seen from outside. */
typedef struct cr_surface {
  const carom_recording* recording; /* holds the meshes; null: there are none */
  int num_points, num_triangles;
  double middle[3];     /* m, a point inside */
  double (*points)[3];  /* m */
  double (*normals)[3]; /* unit, outward */
  int (*triangles)[3];
} cr_surface;

/* Makes room for any geometry of a recording; false without memory.
 * @param recording null: for geometries without mesh */
bool cr_surface_init(cr_surface* surface, const carom_recording* recording, cr_arena* arena);

/* Fills the surface of a geometry.
 * @param reach m, half the width of endless planes */
void cr_surface_make(const carom_geom_info* geom, double reach, cr_surface* surface);

/* Distance from a geometry's origin within which it lies, m; 0 for planes. */
double cr_geom_compute_radius(const carom_geom_info* geom);

#endif
