/* A <flexcomp> whose edges keep their lengths: tetrahedra that share faces and cannot change their
 * edges move as one rigid body, whose mass is that of its nodes, which weigh the same each. */
#include "base/copy.h"
#include "import/mjcf/flex_parts.h"
#include "import/tets/skin.h"

#include <string.h>

/* Points of the same mass: their centre, and the inertia about it. */
static void weigh(const double* x, int count, double mass, carom_body_def* body) {
  double each = mass / count;
  body->mass = mass;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) body->com[k] += x[3 * (size_t)i + (size_t)k] / count;
  for (int i = 0; i < count; i++) {
    v3 r = v3_sub(v3_load(x + 3 * (size_t)i), v3_load(body->com));
    const double along[6] = {r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z};
    for (int k = 0; k < 6; k++) body->inertia[k] += each * ((k < 3 ? v3_dot(r, r) : 0) - along[k]);
  }
}

/* The nodes' places: all, or the skin's and one in the middle. */
static carom_status weigh_nodes(cr_mjcf* m, const cr_soft_mesh* mesh, const cr_mesh* s,
                                bool has_core, double mass, carom_body_def* body) {
  int count = has_core ? s->num_vertices + 1 : mesh->num_nodes;
  if (!has_core) {
    weigh(mesh->node[0], count, mass, body);
    return CAROM_OK;
  }
  double* x = cr_pool_take(&m->xml.pool, 3 * (size_t)count * sizeof *x);
  if (!x) return cr_error_memory(m->error);
  CR_COPY(x, s->vertex, 3 * (size_t)s->num_vertices);
  memset(x + 3 * (size_t)s->num_vertices, 0, 3 * sizeof *x);
  weigh(x, count, mass, body);
  return CAROM_OK;
}

static carom_status add_surface(cr_mjcf* m, const cr_mesh* s, const carom_soft_def* def,
                                carom_body body) {
  carom_mesh_def mesh = carom_mesh_def_default();
  carom_geom_def geom = carom_geom_def_default();
  mesh.source = geom.source = def->source;
  mesh.vertices = s->vertex, mesh.num_vertices = s->num_vertices;
  mesh.triangles = s->triangle, mesh.num_triangles = s->num_triangles;
  mesh.convex = false;
  CR_TRY(carom_builder_add_mesh(m->builder, &mesh, &geom.mesh, m->error));
  geom.body = body;
  geom.type = CAROM_GEOM_MESH;
  geom.gives_mass = false;
  geom.contype = def->contype, geom.conaffinity = def->conaffinity;
  geom.condim = def->condim, geom.priority = def->priority;
  geom.friction = def->friction, geom.margin = def->margin;
  geom.stiffness = def->stiffness, geom.dissipation = def->dissipation;
  geom.surface = def->surface;
  geom.group = def->group;
  memcpy(geom.rgba, def->rgba, sizeof geom.rgba);
  return carom_builder_add_geom(m->builder, &geom, NULL, m->error);
}

/* Adds the body with its skin. */
static carom_status add_body(cr_mjcf* m, const cr_mesh* skin, carom_body_def* body, bool is_free,
                             const carom_soft_def* def) {
  carom_joint_def joint = carom_joint_def_default();
  bool is_taken = def->name && cr_mjcf_find_part(m, CR_PART_BODY, def->name) >= 0;
  body->source = joint.source = def->source;
  body->name = is_taken ? NULL : def->name;
  body->parent = def->body;
  memcpy(body->position, def->position, sizeof body->position);
  memcpy(body->quaternion, def->quaternion, sizeof body->quaternion);
  CR_TRY(carom_builder_add_body(m->builder, body, &joint.body, m->error));
  joint.type = CAROM_JOINT_FREE;
  if (is_free) CR_TRY(carom_builder_add_joint(m->builder, &joint, NULL, m->error));
  return add_surface(m, skin, def, joint.body);
}

carom_status cr_mjcf_add_rigid_flex(cr_mjcf* m, const cr_soft_mesh* mesh, bool has_core,
                                    bool is_free, const carom_soft_def* def) {
  carom_body_def body = carom_body_def_default();
  cr_mesh skin;
  m->has_rigid_flex = true;
  cr_mesh_init(&skin, &m->allocator);
  carom_status status = cr_tets_add_skin(mesh, &skin, m->error);
  if (status == CAROM_OK) status = weigh_nodes(m, mesh, &skin, has_core, def->mass, &body);
  if (status == CAROM_OK) status = add_body(m, &skin, &body, is_free, def);
  cr_mesh_release(&skin);
  return status;
}
