/* What the files that write URDF share. */
#ifndef CR_EXPORT_URDF_H
#define CR_EXPORT_URDF_H

#include "export/writer.h"

void cr_urdf_write_origin(cr_writer* w, v3 position, quat q);

const carom_body_def* cr_urdf_body(const cr_writer* w, int body);

/* Where the link's frame stands on its body, whose axes it has. */
v3 cr_urdf_offset(const cr_writer* w, int body);

/* Is a constraint a linear coupling of two joints, a <mimic>? */
bool cr_urdf_is_mimic(const carom_equality_def* def);

/* The joint of a body, or its joints, with links between them. */
void cr_urdf_write_joints(cr_writer* w, int body);

/* <collision> and <visual> of a body's geometries. */
void cr_urdf_write_shapes(cr_writer* w, int body);

/* Transmissions, which hold motors and rotors. */
void cr_urdf_write_drives(cr_writer* w);

/* Pairs of links that do not collide, and other relations. */
void cr_urdf_write_filters(cr_writer* w);

/* The files of the meshes, beside that of the robot. */
carom_status cr_urdf_write_meshes(cr_writer* w);

#endif
