/* Primitives fitted to meshes: <geom type="box" mesh="..."/>. They take the place of the mesh's box
 * of inertia, the one of uniform density with its volume and principal moments, or of the smallest
 * of their kind whose bounds along these axes hold those of the mesh (<compiler fitaabb>). */
#include "import/mjcf/body.h"
#include "import/mjcf/principal.h"
#include "mesh/hull.h"

#include <math.h>
#include <string.h>

/* Half lengths of the box of inertia: I_x = V (b² + c²) / 3. */
static v3 find_box(const cr_mesh_mass* mass, v3 moments) {
  const double I[3] = {moments.x, moments.y, moments.z};
  double half[3];
  for (int i = 0; i < 3; i++)
    half[i] = 0.5 * sqrt(6 * fmax(I[(i + 1) % 3] + I[(i + 2) % 3] - I[i], 0) / mass->volume);
  return v3_load(half);
}

/* Half lengths of the bounds along axes, and their middle. */
static v3 find_bounds(const cr_hull* hull, quat axes, v3* middle) {
  v3 low = {INFINITY, INFINITY, INFINITY}, high = v3_neg(low);
  quat back = quat_conjugate(axes);
  for (int i = 0; i < hull->num_vertices; i++) {
    v3 x = quat_rotate(back, cr_hull_vertex(hull, i));
    low = (v3){fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)};
    high = (v3){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
  }
  *middle = quat_rotate(axes, v3_scale(0.5, v3_add(low, high)));
  return v3_scale(0.5, v3_sub(high, low));
}

/* Sizes of a primitive for half lengths of a box, by the rule of each kind of fit. */
static void set_size(carom_geom_type type, v3 half, bool holds, double size[3]) {
  double wide = holds ? fmax(half.x, half.y) : (half.x + half.y) / 2;
  switch (type) {
  case CAROM_GEOM_SPHERE:
    size[0] = holds ? fmax(wide, half.z) : (half.x + half.y + half.z) / 3;
    return;
  case CAROM_GEOM_CAPSULE:
    size[0] = wide, size[1] = holds ? half.z - wide : fmax(0, half.z - wide / 2);
    return;
  case CAROM_GEOM_CYLINDER:
    size[0] = wide, size[1] = half.z;
    return;
  default:
    v3_store(half, size);
  }
}

/* What the surface moves by is said in the frame before it is fitted. */
static void move_surface(double velocity[6], v3 p, quat q) {
  v3 turn = v3_load(velocity + 3), way = v3_add(v3_load(velocity), v3_cross(turn, p));
  quat back = quat_conjugate(q);
  v3_store(quat_rotate(back, way), velocity);
  v3_store(quat_rotate(back, turn), velocity + 3);
}

carom_status cr_mjcf_fit_geom(cr_mjcf* m, const cr_xml_element* element, cr_mjcf_geom* geom) {
  cr_subject subject = cr_mjcf_subject(m, element);
  carom_mesh handle;
  if (geom->fromto.count)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "fromto and mesh are both given");
  if (geom->type == CAROM_GEOM_PLANE)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "planes are not fitted to meshes");
  CR_TRY(cr_mjcf_use_mesh(m, element, geom->mesh, true, &handle));
  if (handle.id == 0) return CAROM_OK;
  const cr_mesh_record* mesh = CR_AT(&m->builder->meshes, cr_mesh_record, handle.id - 1);
  v3 moments, middle = v3_zero();
  quat axes = cr_mjcf_principal_axes(mesh->mass.inertia, &moments);
  bool holds = m->compiler.fitaabb;
  v3 half = holds ? find_bounds(mesh->hull, axes, &middle) : find_box(&mesh->mass, moments);
  set_size((carom_geom_type)geom->type, half, holds, geom->size.x);
  for (int i = 0; i < 3; i++) geom->size.x[i] *= geom->fitscale;
  geom->size.count = 3;

  /* The frame of the fit in that of the mesh. */
  v3 p = v3_add(mesh->mass.center, middle);
  quat turn = cr_mjcf_quaternion(m, &geom->orientation);
  v3_store(v3_add(v3_load(geom->pos.x), quat_rotate(turn, p)), geom->pos.x);
  geom->orientation = (cr_orientation){.form = CR_ORIENTATION_QUAT, .is_given = true};
  quat_store(quat_mul(turn, axes), geom->orientation.x);
  move_surface(geom->surfacevel.x, p, axes);
  return CAROM_OK;
}
