/* Scenes of one soft box in tests, and what is read from soft bodies in any scene. */
#ifndef CR_TEST_SOFT_WORLD_H
#define CR_TEST_SOFT_WORLD_H

#include "support/world.h"

/* A box about the origin, x by y by z m, of 1 MPa, at rest. */
carom_soft_def soft_world_box(double x, double y, double z, int nx, int ny, int nz);

/* A world of one soft body.
 * @param axis nodes at its low end along this axis are fixed; -1: none
 * @param gravity null: none */
world soft_world_create(const carom_soft_def* def, int axis, const double gravity[3],
                        const carom_sim_def* options);

/* A scene of scenes/; fails the test where it cannot be loaded. */
world soft_world_load(const char* name, const carom_sim_def* options);

/* Mean displacement of the nodes of a soft body whose coordinate along an axis is `at` at rest. */
void soft_world_displacement(const world* w, int soft, int axis, double at, double u[3]);

/* The centre of mass of a soft body and its velocity, by the lumped masses. */
void soft_world_centre(const world* w, int soft, double x[3], double v[3]);

/* What each node of soft body 0 has of the area, m² at rest, of its face whose coordinate along an
 * axis is `at` at rest, as elements integrate a constant over it [num_nodes]; free it. */
double* soft_world_face(const world* w, int axis, double at);

/* Adds to the forces on that face a force per area at rest, Pa. */
void soft_world_pull(world* w, int axis, double at, const double traction[3]);

/* Mean displacement over that face. */
void soft_world_face_displacement(const world* w, int axis, double at, double u[3]);

/* Moves all nodes of soft bodies and adds a velocity to them. */
void soft_world_throw(world* w, const double by[3], const double v[3]);

#endif
