/* Spatial vectors in world axes about a reference point (Featherstone 2008, chapter 2).
 *
 * A motion holds the angular velocity and the velocity of the body point that is now at the
 * reference point; a force holds the moment about that point and the force. */
#ifndef CR_MATH_SPATIAL_H
#define CR_MATH_SPATIAL_H

#include "math/vec3.h"

/* Motion (angular, linear) or force (moment, force). */
typedef struct sv {
  v3 ang, lin;
} sv;

/* Inertia of a body about the reference point: mass, first moment m c, and the symmetric second
 * moment (xx, yy, zz, xy, xz, yz). */
typedef struct spatial_inertia {
  double mass;
  v3 mc;
  double I[6];
} spatial_inertia;

static inline sv sv_zero(void) { return (sv){v3_zero(), v3_zero()}; }
static inline sv sv_add(sv a, sv b) { return (sv){v3_add(a.ang, b.ang), v3_add(a.lin, b.lin)}; }
static inline sv sv_sub(sv a, sv b) { return (sv){v3_sub(a.ang, b.ang), v3_sub(a.lin, b.lin)}; }
static inline sv sv_scale(double s, sv a) { return (sv){v3_scale(s, a.ang), v3_scale(s, a.lin)}; }

/* a + s b */
static inline sv sv_axpy(sv a, double s, sv b) {
  return (sv){v3_axpy(a.ang, s, b.ang), v3_axpy(a.lin, s, b.lin)};
}

/* Power of a force on a motion. */
static inline double sv_dot(sv a, sv b) { return v3_dot(a.ang, b.ang) + v3_dot(a.lin, b.lin); }

/* Rate of a motion vector b that is fixed in a frame moving with a: a × b. */
static inline sv sv_cross_motion(sv a, sv b) {
  return (sv){v3_cross(a.ang, b.ang), v3_add(v3_cross(a.ang, b.lin), v3_cross(a.lin, b.ang))};
}

/* Rate of a force vector f that is fixed in a frame moving with a: a ×* f. */
static inline sv sv_cross_force(sv a, sv f) {
  return (sv){v3_add(v3_cross(a.ang, f.ang), v3_cross(a.lin, f.lin)), v3_cross(a.ang, f.lin)};
}

/* Velocity of the point at offset r from the reference point. */
static inline v3 sv_point_velocity(sv a, v3 r) { return v3_add(a.lin, v3_cross(a.ang, r)); }

/* A force at offset r from the reference point, as a spatial force. */
static inline sv sv_point_force(v3 force, v3 r) { return (sv){v3_cross(r, force), force}; }

static inline v3 spatial_symmetric_mulv(const double* I, v3 x) {
  return v3_make(I[0] * x.x + I[3] * x.y + I[4] * x.z, I[3] * x.x + I[1] * x.y + I[5] * x.z,
                 I[4] * x.x + I[5] * x.y + I[2] * x.z);
}

/* Momentum of an inertia under a motion. */
static inline sv spatial_inertia_mulv(const spatial_inertia* a, sv v) {
  return (sv){v3_add(spatial_symmetric_mulv(a->I, v.ang), v3_cross(a->mc, v.lin)),
              v3_sub(v3_scale(a->mass, v.lin), v3_cross(a->mc, v.ang))};
}

static inline spatial_inertia spatial_inertia_add(const spatial_inertia* a,
                                                  const spatial_inertia* b) {
  spatial_inertia c = {a->mass + b->mass, v3_add(a->mc, b->mc), {0}};
  for (int i = 0; i < 6; i++) c.I[i] = a->I[i] + b->I[i];
  return c;
}

/* How that of a point of mass m at c changes as it moves by d. */
static inline spatial_inertia spatial_inertia_of_move(double m, v3 c, v3 d) {
  double cd = 2 * v3_dot(c, d);
  return (spatial_inertia){0,
                           v3_scale(m, d),
                           {m * (cd - 2 * c.x * d.x), m * (cd - 2 * c.y * d.y),
                            m * (cd - 2 * c.z * d.z), -m * (c.x * d.y + c.y * d.x),
                            -m * (c.x * d.z + c.z * d.x), -m * (c.y * d.z + c.z * d.y)}};
}

/* Inertia about the reference point of a mass whose centre is at offset c and whose inertia about
 * its centre is Ic (world axes). */
static inline spatial_inertia spatial_inertia_make(double mass, v3 c, const m3* Ic) {
  double cc = v3_norm2(c);
  return (spatial_inertia){mass,
                           v3_scale(mass, c),
                           {Ic->m[0][0] + mass * (cc - c.x * c.x),
                            Ic->m[1][1] + mass * (cc - c.y * c.y),
                            Ic->m[2][2] + mass * (cc - c.z * c.z), Ic->m[0][1] - mass * c.x * c.y,
                            Ic->m[0][2] - mass * c.x * c.z, Ic->m[1][2] - mass * c.y * c.z}};
}

#endif
