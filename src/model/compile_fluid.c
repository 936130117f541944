/* What feels the fluid: geometries that ask for the ellipsoid model; of bodies that have none, the
 * box with uniform density that has their mass and principal moments. */
#include "math/eigen3.h"
#include "model/compile.h"

#include <math.h>
#include <string.h>

#define LEAST_MOMENT 1e-15 /* kg m², twice that of a side: a flat body keeps some thickness */

/* Half axes of the ellipsoid that stands for a geometry. */
static v3 half_axes(const cr_shape* shape) {
  const double* s = shape->size;
  switch (shape->type) {
  case CAROM_GEOM_SPHERE:
    return v3_make(s[0], s[0], s[0]);
  case CAROM_GEOM_CAPSULE:
    return v3_make(s[0], s[0], s[0] + s[1]);
  case CAROM_GEOM_CYLINDER:
    return v3_make(s[0], s[0], s[1]);
  default:
    return v3_load(s);
  }
}

static int add_part(cr_compile* c, int link, const pose* local, v3 size) {
  cr_fluid_model* f = &c->model->force.fluid;
  int part = f->num_parts++;
  CR_SET(int, f->link, part, link);
  CR_SET(pose, f->local, part, *local);
  v3_store(size, CR_FILL(double, f->size) + 3 * part);
  return part;
}

static bool add_ellipsoid(cr_compile* c, int geom) {
  const cr_fluid_model* f = &c->model->force.fluid;
  const cr_geom_model* g = &c->model->geom;
  const carom_geom_def* def = &cr_geom_at(c, geom)->def;
  if (!def->fluid_ellipsoid || def->type == CAROM_GEOM_PLANE) return false;
  int part = add_part(c, g->link[geom], &g->local[geom], half_axes(&g->shape[geom]));
  double* added = CR_FILL(double, f->added) + 6 * part;
  CR_SET(int, f->is_ellipsoid, part, 1);
  memcpy(CR_FILL(double, f->coefficient) + CR_FLUID_NUM_COEFFICIENTS * part,
         def->fluid_coefficients, sizeof def->fluid_coefficients);
  cr_fluid_compute_added_mass(f->size + 3 * part, added);
  for (int i = 0; i < 6; i++) added[i] *= f->density;
  return true;
}

/* Orthonormal axes of the moments, the body's own where they are principal. */
static v3 principal_moments(const double* inertia, m3* axes) {
  *axes = m3_identity();
  if (inertia[3] == 0 && inertia[4] == 0 && inertia[5] == 0) return v3_load(inertia);
  m3 I = m3_symmetric(inertia);
  return m3_eigen_symmetric(&I, axes);
}

static void add_box(cr_compile* c, int body) {
  const cr_body_model* b = &c->model->body;
  double mass = b->mass[body];
  if (!(mass > LEAST_MOMENT)) return;
  pose local = {v3_load(b->com + 3 * body), m3_identity()};
  v3 I = principal_moments(b->inertia + 6 * body, &local.R);
  double twice[3] = {I.y + I.z - I.x, I.x + I.z - I.y, I.x + I.y - I.z}, side[3];
  for (int i = 0; i < 3; i++) side[i] = sqrt(6 * fmax(twice[i], LEAST_MOMENT) / mass);
  local = pose_mul(&b->local[body], &local);
  add_part(c, b->link[body], &local, v3_load(side));
}

/* Parts of a body; returns where its geometries end. */
static int add_body(cr_compile* c, int body, int geom) {
  const cr_geom_model* g = &c->model->geom;
  bool has_ellipsoid = false, moves = c->model->tree.link_tree[c->model->body.link[body]] >= 0;
  for (; geom < g->num_geoms && g->body[geom] == body; geom++)
    if (moves) has_ellipsoid |= add_ellipsoid(c, geom);
  if (moves && !has_ellipsoid) add_box(c, body);
  return geom;
}

void cr_compile_fluid(cr_compile* c) {
  const carom_builder_def* options = &c->builder->def;
  const cr_tree_model* tree = &c->model->tree;
  cr_fluid_model* f = &c->model->force.fluid;
  bool is_there = f->num_parts > 0;
  f->num_parts = 0;
  f->density = options->fluid_density;
  f->viscosity = options->fluid_viscosity;
  memcpy(f->wind, options->wind, sizeof f->wind);
  for (int body = 0, geom = 0; is_there && body < c->model->body.num_bodies; body++)
    geom = add_body(c, body, geom);
  for (int t = 0, i = 0; is_there && t <= tree->num_trees; t++) {
    while (i < f->num_parts && tree->link_tree[f->link[i]] < t) i++;
    CR_SET(int, f->tree_start, t, i);
  }
}
