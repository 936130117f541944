/* Which parameters have derivatives, and where they are of. */
#include "derive/parameters.h"

#include "base/error.h"
#include "derive/force_parameters.h"
#include "derive/geom_parameters.h"
#include "derive/place_parameters.h"
#include "derive/reference.h"
#include "derive/row_parameters.h"
#include "model/kind.h"
#include "model/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Parameters that have derivatives. */
static const struct known {
  int kind; /* of cr_kinds */
  const char* word;
  cr_theta_kind theta;
} KNOWN[] = {
    {CR_OF_MODEL, "gravity", CR_THETA_GRAVITY},
    {CR_OF_MODEL, "fluid_density", CR_THETA_FLUID_DENSITY},
    {CR_OF_MODEL, "fluid_viscosity", CR_THETA_FLUID_VISCOSITY},
    {CR_OF_MODEL, "wind", CR_THETA_WIND},
    {CR_OF_BODY, "mass", CR_THETA_MASS},
    {CR_OF_BODY, "com", CR_THETA_COM},
    {CR_OF_BODY, "inertia", CR_THETA_INERTIA},
    {CR_OF_BODY, "gravity_compensation", CR_THETA_COMPENSATION},
    {CR_OF_BODY, "position", CR_THETA_BODY_PLACE},
    {CR_OF_BODY, "quaternion", CR_THETA_BODY_TURN},
    {CR_OF_JOINT, "anchor", CR_THETA_JOINT_ANCHOR},
    {CR_OF_JOINT, "axis", CR_THETA_JOINT_AXIS},
    {CR_OF_JOINT, "stiffness", CR_THETA_STIFFNESS},
    {CR_OF_JOINT, "spring_reference", CR_THETA_SPRING_REFERENCE},
    {CR_OF_JOINT, "damping", CR_THETA_DAMPING},
    {CR_OF_JOINT, "stiffness_more", CR_THETA_STIFFNESS_MORE},
    {CR_OF_JOINT, "damping_more", CR_THETA_DAMPING_MORE},
    {CR_OF_JOINT, "armature", CR_THETA_ARMATURE},
    {CR_OF_JOINT, "friction_loss", CR_THETA_FRICTION_LOSS},
    {CR_OF_JOINT, "range", CR_THETA_RANGE},
    {CR_OF_JOINT, "limit_stiffness", CR_THETA_LIMIT_STIFFNESS},
    {CR_OF_JOINT, "limit_dissipation", CR_THETA_LIMIT_DISSIPATION},
    {CR_OF_TENDON, "stiffness", CR_THETA_TENDON_STIFFNESS},
    {CR_OF_TENDON, "stiffness_more", CR_THETA_TENDON_STIFFNESS_MORE},
    {CR_OF_TENDON, "rest", CR_THETA_TENDON_REST},
    {CR_OF_TENDON, "damping", CR_THETA_TENDON_DAMPING},
    {CR_OF_TENDON, "damping_more", CR_THETA_TENDON_DAMPING_MORE},
    {CR_OF_TENDON, "armature", CR_THETA_TENDON_ARMATURE},
    {CR_OF_TENDON, "range", CR_THETA_TENDON_RANGE},
    {CR_OF_TENDON, "limit_stiffness", CR_THETA_TENDON_LIMIT_STIFFNESS},
    {CR_OF_TENDON, "limit_dissipation", CR_THETA_TENDON_LIMIT_DISSIPATION},
    {CR_OF_TENDON, "friction_loss", CR_THETA_TENDON_FRICTION_LOSS},
    {CR_OF_EQUALITY, "anchor1", CR_THETA_EQUALITY_ANCHOR1},
    {CR_OF_EQUALITY, "anchor2", CR_THETA_EQUALITY_ANCHOR2},
    {CR_OF_EQUALITY, "distance", CR_THETA_EQUALITY_DISTANCE},
    {CR_OF_EQUALITY, "polynomial", CR_THETA_EQUALITY_POLYNOMIAL},
    {CR_OF_EQUALITY, "stiffness", CR_THETA_EQUALITY_STIFFNESS},
    {CR_OF_EQUALITY, "dissipation", CR_THETA_EQUALITY_DISSIPATION},
    {CR_OF_ACTUATOR, "gain", CR_THETA_GAIN},
    {CR_OF_ACTUATOR, "gain_feedback", CR_THETA_GAIN_FEEDBACK},
    {CR_OF_ACTUATOR, "bias", CR_THETA_BIAS},
    {CR_OF_ACTUATOR, "gear", CR_THETA_GEAR},
    {CR_OF_ACTUATOR, "wrench", CR_THETA_WRENCH},
    {CR_OF_ACTUATOR, "length_range", CR_THETA_LENGTH_RANGE},
    {CR_OF_ACTUATOR, "force_range", CR_THETA_FORCE_RANGE},
    {CR_OF_ACTUATOR, "time_constant", CR_THETA_TIME_CONSTANT},
    {CR_OF_ACTUATOR, "control_range", CR_THETA_CONTROL_RANGE},
    {CR_OF_ACTUATOR, "activation_range", CR_THETA_ACTIVATION_RANGE},
    {CR_OF_SPRING, "stiffness", CR_THETA_SPRING_STIFFNESS},
    {CR_OF_SPRING, "damping", CR_THETA_SPRING_DAMPING},
    {CR_OF_SPRING, "rest_length", CR_THETA_SPRING_REST},
    {CR_OF_SPRING, "point1", CR_THETA_SPRING_POINT1},
    {CR_OF_SPRING, "point2", CR_THETA_SPRING_POINT2},
    {CR_OF_GEOM, "friction", CR_THETA_FRICTION},
    {CR_OF_GEOM, "torsional_friction", CR_THETA_TORSION},
    {CR_OF_GEOM, "rolling_friction", CR_THETA_ROLLING},
    {CR_OF_GEOM, "static_friction", CR_THETA_STATIC_FRICTION},
    {CR_OF_GEOM, "stribeck_speed", CR_THETA_STRIBECK_SPEED},
    {CR_OF_GEOM, "hunt_crossley", CR_THETA_HUNT_CROSSLEY},
    {CR_OF_GEOM, "restitution", CR_THETA_RESTITUTION},
    {CR_OF_GEOM, "adhesion", CR_THETA_ADHESION},
    {CR_OF_GEOM, "stiffness", CR_THETA_CONTACT_STIFFNESS},
    {CR_OF_GEOM, "modulus", CR_THETA_MODULUS},
    {CR_OF_GEOM, "layer", CR_THETA_LAYER},
    {CR_OF_GEOM, "dissipation", CR_THETA_CONTACT_DISSIPATION},
    {CR_OF_GEOM, "size", CR_THETA_SIZE},
    {CR_OF_GEOM, "position", CR_THETA_PLACE},
    {CR_OF_GEOM, "quaternion", CR_THETA_TURN},
    {CR_OF_PAIR, "friction", CR_THETA_FRICTION},
    {CR_OF_PAIR, "torsional_friction", CR_THETA_TORSION},
    {CR_OF_PAIR, "rolling_friction", CR_THETA_ROLLING},
    {CR_OF_PAIR, "static_friction", CR_THETA_STATIC_FRICTION},
    {CR_OF_PAIR, "stribeck_speed", CR_THETA_STRIBECK_SPEED},
    {CR_OF_PAIR, "hunt_crossley", CR_THETA_HUNT_CROSSLEY},
    {CR_OF_PAIR, "restitution", CR_THETA_RESTITUTION},
    {CR_OF_PAIR, "adhesion", CR_THETA_ADHESION},
    {CR_OF_PAIR, "stiffness", CR_THETA_CONTACT_STIFFNESS},
    {CR_OF_PAIR, "dissipation", CR_THETA_CONTACT_DISSIPATION},
    {CR_OF_SOFT, "young", CR_THETA_YOUNG},
    {CR_OF_SOFT, "poisson", CR_THETA_POISSON},
    {CR_OF_SOFT, "density", CR_THETA_DENSITY},
    {CR_OF_SOFT, "mass", CR_THETA_SOFT_MASS},
    {CR_OF_SOFT, "alpha", CR_THETA_ALPHA},
    {CR_OF_SOFT, "beta", CR_THETA_BETA},
    {CR_OF_SOFT, "pressure", CR_THETA_PRESSURE},
    {CR_OF_SOFT, "friction", CR_THETA_FRICTION},
    {CR_OF_SOFT, "stiffness", CR_THETA_CONTACT_STIFFNESS},
    {CR_OF_SOFT, "dissipation", CR_THETA_CONTACT_DISSIPATION},
    {CR_OF_ATTACHMENT, "stiffness", CR_THETA_TIE_STIFFNESS},
    {CR_OF_ATTACHMENT, "dissipation", CR_THETA_TIE_DISSIPATION},
};

static const struct known* find_known(const cr_field* field) {
  for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
    if (KNOWN[i].kind == field->kind && strcmp(KNOWN[i].word, field->word) == 0) return &KNOWN[i];
  return NULL;
}

/* With those that there are of its kind, else the kinds. */
static carom_status refuse_field(const cr_step_tangent* t, const cr_field* field) {
  char list[600] = "";
  size_t length = 0;
  for (int of_kind = 1; of_kind >= 0 && length == 0; of_kind--)
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN && length < sizeof list - 1; i++) {
      bool is_new = i == 0 || KNOWN[i].kind != KNOWN[i - 1].kind;
      if (of_kind ? KNOWN[i].kind != field->kind : !is_new) continue;
      length += (size_t)snprintf(list + length, sizeof list - length, "%s%s%s%s",
                                 length ? ", " : "", cr_kinds[KNOWN[i].kind].word,
                                 of_kind ? "." : "", of_kind ? KNOWN[i].word : "");
    }
  return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                      "derivatives: there are none with respect to %s.%s; there are for %s",
                      cr_kinds[field->kind].word, field->word, list);
}

/* Pairs stand in the model by their geometries. */
static int find_pair_of(const carom_model* m, int part) {
  const carom_pair_def* def = &CR_AT(&m->description->pairs, cr_pair_record, part)->def;
  return cr_theta_find_pair(&m->geom, m->place.geom_index[def->geom1.id - 1],
                            m->place.geom_index[def->geom2.id - 1]);
}

/* Where a part stands in the model. Handles count from 1, but for bodies, of which 0 is the world;
 * pairs have numbers. */
static int find_index(const carom_model* m, const struct known* known, int part) {
  int kind = known->kind;
  const cr_theta_column of = {.kind = known->theta};
  if (kind == CR_OF_SOFT) return cr_theta_is_of_surface(&of) ? -part : part - 1;
  if (kind == CR_OF_ATTACHMENT || kind == CR_OF_SPRING) return part;
  if (kind == CR_OF_BODY) return m->place.body_index[part];
  if (kind == CR_OF_JOINT) return m->place.joint_index[part - 1];
  if (kind == CR_OF_GEOM) return m->place.geom_index[part - 1];
  if (kind == CR_OF_PAIR) return m->geom.num_geoms + find_pair_of(m, part);
  return kind == CR_OF_MODEL ? 0 : part - 1;
}

static int count_welded(const carom_model* m, int link) {
  int welded = 0;
  for (int b = 1; b < m->body.num_bodies; b++) welded += m->body.link[b] == link;
  return welded;
}

/* Whether the centre of mass of a body's link moves. */
static bool moves_com(const cr_step_tangent* t, const cr_theta_column* theta, int b) {
  const carom_model* m = t->step->model;
  if (theta->kind == CR_THETA_COM || theta->kind == CR_THETA_PLACE) return true;
  if (theta->kind == CR_THETA_INERTIA || theta->kind == CR_THETA_TURN) return false;
  if (count_welded(m, m->body.link[b]) > 1) return true;
  if (theta->kind == CR_THETA_MASS) return false;
  const pose* local = &m->geom.local[theta->index];
  v3 com = pose_point(&m->body.local[b], v3_load(m->body.com + 3 * b));
  return v3_norm(v3_sub(local->p, com)) > 1e-9 * v3_norm(v3_load(m->geom.shape[theta->index].size));
}

/* Whether the fluid takes a link for the boxes of its bodies' inertia. */
static bool is_box_in_fluid(const carom_model* m, int link) {
  const cr_fluid_model* fluid = &m->force.fluid;
  bool any = false;
  for (int i = 0; i < fluid->num_parts; i++)
    any |= fluid->link[i] == link && !fluid->is_ellipsoid[i];
  return any;
}

/* A free body's coordinates stand at its centre of mass, which then would move. */
static carom_status check_body(const cr_step_tangent* t, const cr_theta_column* theta) {
  const carom_model* m = t->step->model;
  if (cr_theta_is_of_place(theta)) return cr_place_theta_check(t, theta);
  if (cr_theta_is_of_row(theta)) return cr_row_theta_check(t, theta);
  if (cr_theta_is_of_force(theta) || cr_theta_is_of_input(theta))
    return cr_force_theta_check(t, theta);
  if (cr_theta_is_of_shape(theta)) CR_TRY(cr_geom_theta_check(t, theta));
  if (theta->kind == CR_THETA_LAYER) CR_TRY(cr_geom_theta_check_layer(t, theta));
  if (theta->kind == CR_THETA_ADHESION && !(cr_theta_find_adhesion(m, theta) > 0))
    return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                        "derivatives: there are none with respect to the adhesion of what does not "
                        "stick, where it is 0");
  int body = cr_theta_find_body(m, theta);
  if (body < 0) return CAROM_OK;
  int tree = m->tree.link_tree[m->body.link[body]];
  if (is_box_in_fluid(m, m->body.link[body]))
    return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                        "derivatives: there are none yet with respect to the mass and inertia of a "
                        "body that the fluid takes for a box of that inertia, as of body %d",
                        body);
  bool is_free = tree >= 0 && m->tree.tree_is_free_link[tree];
  if (is_free && moves_com(t, theta, body))
    return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                        "derivatives: there are none yet with respect to what moves the centre of "
                        "mass of a free body, as of body %d",
                        body);
  return CAROM_OK;
}

/* Whether the mechanism's mass matrix at the reference configuration moves. */
static bool moves_masses(const carom_model* m, const cr_theta_column* theta) {
  return cr_theta_find_body(m, theta) >= 0 || theta->kind == CR_THETA_ARMATURE ||
         theta->kind == CR_THETA_TENDON_ARMATURE || cr_theta_is_of_place(theta);
}

carom_status cr_thetas_find(cr_step_tangent* t, const carom_parameter* parameters, int count) {
  int total = 0;
  for (int i = 0; i < count; i++) total += parameters[i].count;
  t->num_thetas = total;
  t->thetas = CR_PUSH(t->arena, cr_theta_column, total);
  if (t->arena->failed) return cr_error_memory(t->error);
  for (int i = 0, at = 0; i < count; i++) {
    const carom_parameter* p = &parameters[i];
    if (p->row < 0 || p->row >= cr_num_fields)
      return cr_error_set(t->error, CAROM_ERROR_INVALID_ARGUMENT,
                          "derivatives: parameter %d is none, its row is %d", i, p->row);
    const struct known* known = find_known(&cr_fields[p->row]);
    if (!known) return refuse_field(t, &cr_fields[p->row]);
    for (int k = 0; k < p->count; k++, at++) {
      t->thetas[at] =
          (cr_theta_column){known->theta, find_index(t->step->model, known, p->part), p->first + k};
      CR_TRY(check_body(t, &t->thetas[at]));
      t->num_held += moves_masses(t->step->model, &t->thetas[at]) &&
                     cr_force_takes_from_masses(t->step->model);
    }
  }
  return cr_references_find(t) ? CAROM_OK : cr_error_memory(t->error);
}
