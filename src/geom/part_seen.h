/* What the finders of parts share: a point and the contact normal as seen from a shape. */
#ifndef CR_GEOM_PART_SEEN_H
#define CR_GEOM_PART_SEEN_H

#include "geom/part.h"

/* A witness point and the normal outward, in the shape's axes. */
typedef struct cr_seen {
  const cr_mover* mover;
  const cr_shape* shape;
  v3 x, m;
  double width;     /* m: distance within which x is at an edge or vertex */
  uint32_t feature; /* its half of the point's code */
} cr_seen;

static inline double cr_smaller(double a, double b) { return a < b ? a : b; }

static inline v3 cr_seen_turn(const cr_seen* s, v3 u) { return m3_mulv(&s->mover->X->R, u); }

/* A face by its normal; `room`: how far x is from its sides. */
static inline void cr_seen_set_face(const cr_seen* s, v3 normal, double room, cr_part* part) {
  part->kind = CR_PART_FACE;
  part->normal = cr_seen_turn(s, normal);
  part->room = room;
  part->cone = v3_norm(v3_sub(normal, s->m)) < s->mover->along ? 1 : -1;
}

/* Of a hull: the part under x, and the face that lies flattest across m if x is on it. */
void cr_part_find_on_hull(const cr_seen* seen, cr_part* part);
void cr_part_flatten_on_hull(const cr_seen* seen, cr_part* part);

/* Of a surface; cr_part_sharpen. */
void cr_part_find_on_surface(const cr_seen* seen, cr_part* part);
void cr_part_flatten_on_surface(const cr_seen* seen, cr_part* part);
bool cr_part_sharpen_on_surface(const cr_seen* seen, int freedom, cr_part* part);

#endif
