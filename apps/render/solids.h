/* Lists of the bodies and marks of a picture, by shape, as they go to the graphics card. */
#ifndef RENDER_SOLIDS_H
#define RENDER_SOLIDS_H

#include <stdbool.h>

/* Shapes that are drawn: a core, scaled, grown by a radius. From RENDER_NUM_SHAPES on they are the
 * meshes of the recording, which fill their bounds. */
typedef enum render_shape {
  RENDER_BALL, /* a sphere, or with a core along z a capsule */
  RENDER_BOX,
  RENDER_CYLINDER,
  RENDER_ELLIPSOID, /* half axes as the size; no radius */
  RENDER_LINE,      /* a ball of few triangles, for what is thin */
  RENDER_CONE,      /* base at the origin, apex at z = 1, a base of 0.4 wide; no radius */
  RENDER_NUM_SHAPES
} render_shape;

/* Which parts of a body are darker. */
typedef enum render_sectors { RENDER_PLAIN, RENDER_OCTANTS, RENDER_QUARTERS } render_sectors;

/* One of them; the order is that of the attributes in solid.vert. */
typedef struct render_solid {
  float rows[12];  /* rotation and position, m from the middle of the picture */
  float size[3];   /* of the core, m */
  float radius;    /* of the edges, m */
  float colour[4]; /* linear; opacity */
  float sectors;
  float place, step; /* when among the passes a transparent one is there */
  float unused;
} render_solid;

typedef struct render_list {
  render_solid* items; /* [capacity] */
  int count, capacity;
} render_list;

typedef struct render_solids {
  render_list* lists; /* [num_lists] by shape, as far as there were any */
  int num_lists;
  double middle[3]; /* m, where positions count from */
  int passes;       /* of the picture */
  bool out_of_memory;
} render_solids;

/* Empties the lists, and sets where positions count from and the number of passes. */
void render_solids_clear(render_solids* solids, const double middle[3], int passes);

/* Adds a solid at a pose in the world; one whose pose is not finite is left out.
 * @param shape a render_shape, or RENDER_NUM_SHAPES and the number of a mesh
 * @param size of the core, m
 * @param key a number of its own, which tells apart the passes of transparent ones */
void render_solids_add(render_solids* solids, int shape, const double pose[7], const double size[3],
                       double radius, const float colour[4], render_sectors sectors, int key);

/* Adds a solid that stretches along z from one point of the world to another; nothing where these
 * are one. Cylinders and balls reach `radius` beyond neither end; cones are 0.8 of their length
 * wide. */
void render_solids_add_between(render_solids* solids, render_shape shape, const double from[3],
                               const double to[3], double radius, const float colour[4]);

void render_solids_free(render_solids* solids);

#endif
