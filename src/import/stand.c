/* Poses at the reference configuration, down the tree of bodies. */
#include "import/stand.h"

int cr_stand_link(const carom_builder* builder, int body) {
  while (body > 0) {
    const cr_body_record* record = CR_AT(&builder->bodies, cr_body_record, body);
    if (record->first_joint >= 0 || record->def.mocap) break;
    body = record->def.parent.id;
  }
  return body;
}

void cr_stand_all(const carom_builder* builder, cr_stand* stands) {
  stands[0] = (cr_stand){pose_identity(), 0, 0};
  for (int b = 1; b < builder->bodies.count; b++) {
    const cr_body_record* body = CR_AT(&builder->bodies, cr_body_record, b);
    const cr_stand* parent = &stands[body->def.parent.id];
    pose local = {v3_load(body->def.position), quat_to_m3(cr_quat_unit(body->def.quaternion))};
    bool moves = body->first_joint >= 0;
    stands[b] = (cr_stand){pose_mul(&parent->X, &local), moves ? b : parent->link,
                           moves ? parent->link : parent->parent};
  }
}

bool cr_stand_shape(const carom_builder* builder, const carom_geom_def* def, const cr_stand* stands,
                    cr_shape* shape, pose* X) {
  if (def->type == CAROM_GEOM_PLANE || def->type == CAROM_GEOM_HEIGHT_FIELD) return false;
  *shape = (cr_shape){.type = def->type, .size = {def->size[0], def->size[1], def->size[2]}};
  pose local = {v3_load(def->position), quat_to_m3(cr_quat_unit(def->quaternion))};
  *X = pose_mul(&stands[def->body.id].X, &local);
  if (def->type != CAROM_GEOM_MESH) return true;
  const cr_mesh_record* mesh = cr_geom_mesh(builder, def);
  shape->hull = mesh->hull;
  shape->surface = mesh->surface;
  shape->family = mesh->family;
  X->p = pose_point(X, mesh->mass.center);
  return true;
}
