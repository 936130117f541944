/* Contact points. */
#ifndef CR_SIM_CONTACT_POINT_H
#define CR_SIM_CONTACT_POINT_H

#include "sim/mover.h"

#define CR_LEAST_TORSION 1e-5 /* m, torsional friction of contacts with rolling friction */

/* What the contacts of plain surfaces do not have. */
typedef struct cr_contact_extra {
  double length[2];     /* m: torsional and rolling friction over sliding friction */
  double hunt_crossley; /* s/m */
  double restitution;
  double adhesion; /* N, up to the margin and this gap */
  double gap;      /* m */
  bool is_slowed;  /* friction is more at rest */
  bool drifts;     /* one of the surfaces moves: */
  v3 drift, twist; /* m/s and rad/s, that of B less that of A, world */
  bool is_driven;  /* one of the bodies moves as prescribed: */
  v3 motion, turn; /* likewise */
  double push;     /* m/s, motion along the normal */
} cr_contact_extra;

/* One point of a patch, between A and B: geometries, or soft bodies. */
typedef struct cr_contact_point {
  int geom[2];                                /* -1 - s: soft body s */
  int link[2];                                /* num_links + s: soft body s */
  const cr_barycentric_point* barycentric[2]; /* of soft bodies, else null */
  v3 position, normal, tangent[2];            /* world; (t1, t2, n) right-handed, n from A to B */
  bool is_ahead;    /* they meet later in the step, at places that differ till then: */
  v3 ahead[2];      /* world, where they are on each body now, */
  double meeting;   /* s, from the start of the step; NaN: about */
  double passing;   /* m/s: what passes by enters only at a lower normal velocity */
  double distance;  /* m, signed, at q^theta_d */
  double distance0; /* m, the same carried back to q0 with the velocity */
  const cr_contact_record* record; /* of the last step, where it was found; null: not known */
  v3 slip;            /* m/s, at the end of the last step, as that looked at it; NaN: not known */
  double margin;      /* m, it enters this early */
  double weight;      /* share of the pair's stiffness: one over its active points */
  double share;       /* what it counts beside the other points of its patch: 1, or of the area */
  double area;        /* m², of its patch, that it stands for; 0: not known */
  double area_error;  /* relative, of the moment of friction in a spin over its patch's area */
  bool is_area;       /* it and others stand for parts of the area */
  int first, count;   /* the points of its patch */
  int condim;         /* 1, 3, 4 or 6; every coefficient that it asks for is positive */
  double friction;    /* coefficient; where it differs at rest that of the slip before the step */
  double stiffness;   /* N/m of the pair; inf: rigid */
  double dissipation; /* s; NaN: critical damping at the contact's own time scale */
  const cr_contact_extra* extra; /* null: nothing of the kind */
  bool is_flat;                  /* hardly farther than the deepest point of its patch */
  bool is_fast;                  /* meets anew, faster than free acceleration explains */
  bool is_landing;               /* approaches still after it had an impact in the last step */
  bool is_active;                /* enters the problem */
  bool rolls;                    /* placed by what is foreseen, see rolling.h */
  bool is_impact;                /* about to be hit: see cr_contact_points_find */
  double activity; /* m/s: how much slower it might approach in the free motion to be active all the
                      same, below zero by how much it is not; for observers */
  cr_contact_key key;
} cr_contact_point;

/* Where a body, k = 0 or 1, is touched. */
static inline v3 cr_contact_point_place(const cr_contact_point* point, int k) {
  return point->is_ahead ? point->ahead[k] : point->position;
}

static inline cr_mover_point cr_contact_point_on(const cr_contact_point* point, int k) {
  return (cr_mover_point){point->link[k], point->barycentric[k], cr_contact_point_place(point, k)};
}

typedef struct cr_contact_points {
  int count, capacity;
  cr_contact_point* items;
} cr_contact_points;

/* Velocities of links and, for soft nodes, of all dofs. */
typedef struct cr_motion {
  const sv* link;  /* [num_links] */
  const double* v; /* [num_v] */
} cr_motion;

#endif
