/* Scenes of soft bodies, built part by part: blocks, bent strips, rings, and what they touch. */
#ifndef CR_TEST_SOFT_SCENE_H
#define CR_TEST_SOFT_SCENE_H

#include "support/world.h"

typedef struct soft_scene {
  carom_builder* builder;
  carom_error error;
} soft_scene;

/* An empty scene under this gravity; null: the usual one. */
soft_scene soft_scene_create(const double gravity[3]);

/* Compiles it and destroys the builder. */
world soft_scene_finish(soft_scene* s, const carom_sim_def* options);

/* A cube of cells³ cells whose middle is at height z: 0.1 MPa, Poisson's ratio 0, some damping. */
carom_soft_def soft_block(double side, int cells, double z);

carom_soft soft_scene_add(soft_scene* s, const carom_soft_def* def);
void soft_scene_add_plane(soft_scene* s);

/* A free body of one shape at height z. */
carom_body soft_scene_add_free(soft_scene* s, carom_geom_type type, const double size[3], double z,
                               double mass);

/* A slab that slides along z, damped, N s/m, turned about y by an angle (rad): a press. */
carom_body soft_scene_add_press(soft_scene* s, const double size[3], double z, double mass,
                                double damping, double turn);

/* An arm that hangs on a hinge beside a block of the side 0.2 m, tied to the nodes of that side. */
void soft_scene_add_arm(soft_scene* s, carom_soft soft);

/* A strip of cells along s, y and t (thickness), bent in the plane of x and z: its middle is half a
 * circle about the origin, its arms, if any, go on along -x at z = ± radius; or a whole ring. */
typedef struct soft_strip {
  double radius, arm, width, thickness; /* m, of the middle of the strip */
  int cells[3];                         /* along the strip, across, through */
  bool is_ring;                         /* closed; no arms */
} soft_strip;

/* Adds a strip as a mesh of six tetrahedra a cell; `def` has everything but the mesh. Node (i, j,
 * k) is number k + (cells[2] + 1) (j + (cells[1] + 1) i), from the arm at z = radius to that below;
 * k = 0 lies inside. */
carom_soft soft_scene_add_strip(soft_scene* s, const soft_strip* strip, carom_soft_def def);

/* Vertical impulse of all contacts of these two parts, on the second; -1 - s: soft body s. */
double soft_scene_sum_impulse(const world* w, int first, int second);

#endif
