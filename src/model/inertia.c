/* Mass properties of rigid bodies. A rigid body's principal moments A <= B <= C are not negative
 * and obey C <= A + B, because x² + y² + z² sums squares. */
#include "model/inertia.h"

#include "geom/shape.h"
#include "math/eigen3.h"
#include "model/record.h"
#include "model/shell.h"

/* Relative excess of the largest moment that round-off in a file may cause. */
#define TRIANGLE_SLACK 1e-9

static void store_symmetric(const m3* A, double* s) {
  s[0] = A->m[0][0], s[1] = A->m[1][1], s[2] = A->m[2][2];
  s[3] = A->m[0][1], s[4] = A->m[0][2], s[5] = A->m[1][2];
}

cr_mass cr_mass_of_geom(const carom_builder* builder, const carom_geom_def* def) {
  if (def->type == CAROM_GEOM_MESH) {
    const cr_mesh_record* mesh = cr_geom_mesh(builder, def);
    const cr_mesh_mass* unit = &mesh->mass;
    if (!(unit->volume > 0)) return (cr_mass){0};
    double mass = isnan(def->mass) ? def->density * unit->volume : def->mass;
    cr_mass own = {mass, unit->center, {0}};
    for (int i = 0; i < 6; i++) own.inertia[i] = mass * (unit->inertia[i] / unit->volume);
    return own;
  }
  cr_shape shape = {.type = def->type, .size = {def->size[0], def->size[1], def->size[2]}};
  double size = def->shell ? cr_shell_compute_area(&shape) : cr_shape_compute_volume(&shape);
  double mass = isnan(def->mass) ? def->density * size : def->mass;
  v3 unit =
      def->shell ? cr_shell_compute_unit_inertia(&shape) : cr_shape_compute_unit_inertia(&shape);
  return (cr_mass){mass, v3_zero(), {mass * unit.x, mass * unit.y, mass * unit.z, 0, 0, 0}};
}

cr_mass cr_mass_in_body(const carom_builder* builder, const carom_geom_def* def) {
  cr_mass own = cr_mass_of_geom(builder, def);
  m3 R = quat_to_m3(cr_quat_unit(def->quaternion));
  return cr_mass_transform(&own, v3_load(def->position), &R);
}

cr_mass cr_mass_transform(const cr_mass* a, v3 p, const m3* R) {
  m3 local = m3_symmetric(a->inertia), turned = m3_congruence(R, &local);
  cr_mass b = {.mass = a->mass, .com = v3_add(p, m3_mulv(R, a->com))};
  store_symmetric(&turned, b.inertia);
  return b;
}

cr_mass cr_mass_merge(const cr_mass* a, const cr_mass* b) {
  double mass = a->mass + b->mass;
  cr_mass c = {.mass = mass};
  for (int i = 0; i < 6; i++) c.inertia[i] = a->inertia[i] + b->inertia[i];
  if (!(a->mass > 0) || !(b->mass > 0)) {
    c.com = a->mass > 0 ? a->com : b->com;
    return c;
  }
  /* Two points at distance d have the reduced mass's moments about their centre. */
  v3 d = v3_sub(b->com, a->com);
  double reduced = a->mass * (b->mass / mass), dd = v3_norm2(d);
  c.com = v3_axpy(a->com, b->mass / mass, d);
  c.inertia[0] += reduced * (dd - d.x * d.x);
  c.inertia[1] += reduced * (dd - d.y * d.y);
  c.inertia[2] += reduced * (dd - d.z * d.z);
  c.inertia[3] -= reduced * d.x * d.y;
  c.inertia[4] -= reduced * d.x * d.z;
  c.inertia[5] -= reduced * d.y * d.z;
  return c;
}

bool cr_mass_of_shapes(const carom_builder* builder, const cr_body_record* body, bool which_collide,
                       cr_mass* sum) {
  bool found = false;
  *sum = (cr_mass){0};
  for (int g = body->first_geom; g >= 0;) {
    const cr_geom_record* geom = CR_AT(&builder->geoms, cr_geom_record, g);
    bool counts = geom->def.gives_mass || (which_collide && geom->def.contype);
    if (counts && geom->def.type != CAROM_GEOM_PLANE) {
      cr_mass part = cr_mass_in_body(builder, &geom->def);
      *sum = cr_mass_merge(sum, &part);
      found = true;
    }
    g = geom->next;
  }
  return found;
}

cr_mass cr_mass_of_body(const carom_builder* builder, const cr_body_record* body) {
  carom_inertia_source source = builder->def.inertia_source;
  bool is_given = !isnan(body->def.mass);
  cr_mass mass = {0};
  bool wants_geoms = source == CAROM_INERTIA_GEOMS || (source == CAROM_INERTIA_AUTO && !is_given);
  if (!(wants_geoms && cr_mass_of_shapes(builder, body, false, &mass)) && is_given) {
    mass.mass = body->def.mass;
    mass.com = v3_load(body->def.com);
    for (int i = 0; i < 6; i++) mass.inertia[i] = body->def.inertia[i];
  }
  cr_mass_raise(&mass, &builder->def);
  return mass;
}

void cr_mass_scale(cr_mass* a, double factor) {
  a->mass *= factor;
  for (int i = 0; i < 6; i++) a->inertia[i] *= factor;
}

/* V diag(d) Vᵀ */
static void store_principal(const m3* V, v3 d, double* inertia) {
  m3 D = m3_diagonal(d), A = m3_congruence(V, &D);
  store_symmetric(&A, inertia);
}

void cr_mass_raise(cr_mass* a, const carom_builder_def* def) {
  a->mass = fmax(a->mass, def->minimum_mass);
  double least = def->minimum_inertia;
  if (!(least > 0)) return;
  m3 I = m3_symmetric(a->inertia), V;
  v3 d = m3_eigen_symmetric(&I, &V);
  if (d.x >= least) return;
  store_principal(&V, v3_make(fmax(d.x, least), fmax(d.y, least), fmax(d.z, least)), a->inertia);
}

carom_status cr_inertia_check(const cr_subject* subject, const carom_builder_def* def,
                              double* inertia, bool* is_unphysical) {
  m3 I = m3_symmetric(inertia);
  v3 d = m3_eigen_symmetric(&I, NULL);
  double least = def->minimum_inertia > 0 ? def->minimum_inertia : d.x;
  double a = fmax(d.x, least), b = fmax(d.y, least), c = fmax(d.z, least);
  double slack = TRIANGLE_SLACK * fmax(fabs(d.x), fabs(d.z));
  bool is_negative = a<-slack, breaks_triangle = c> a + b + slack;
  *is_unphysical = false;
  if (!is_negative && !breaks_triangle) return CAROM_OK;
  double mean = (a + b + c) / 3;
  if (def->balance_inertia && mean > 0) {
    m3 sphere = m3_diagonal(v3_make(mean, mean, mean));
    store_symmetric(&sphere, inertia);
    return CAROM_OK;
  }
  *is_unphysical = def->allow_unphysical;
  if (def->allow_unphysical) return CAROM_OK;
  if (is_negative)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "inertia has the principal moment %.9g, must not be negative", d.x);
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                         "inertia has principal moments %.9g, %.9g and %.9g, the largest must not "
                         "exceed the sum of the others (triangle inequality)",
                         d.x, d.y, d.z);
}
