/* Inverse dynamics is linear in the ten inertial parameters of a body (mass, first moment, second
 * moment): their columns are its forces for unit parameters. */
#include "derive/parameters.h"

#include "base/error.h"
#include "derive/fluid_tangent.h"
#include "derive/geom_parameters.h"
#include "derive/place_parameters.h"
#include "derive/row_parameters.h"
#include "force/actuator.h"
#include "model/contact_rule.h"
#include "model/kind.h"
#include "model/record.h"
#include "sim/tree/damping.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- Which they are -----------------------------------------------------------------------------
 */

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
    {CR_OF_JOINT, "armature", CR_THETA_ARMATURE},
    {CR_OF_JOINT, "friction_loss", CR_THETA_FRICTION_LOSS},
    {CR_OF_JOINT, "range", CR_THETA_RANGE},
    {CR_OF_JOINT, "limit_stiffness", CR_THETA_LIMIT_STIFFNESS},
    {CR_OF_JOINT, "limit_dissipation", CR_THETA_LIMIT_DISSIPATION},
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
    {CR_OF_GEOM, "friction", CR_THETA_FRICTION},
    {CR_OF_GEOM, "stiffness", CR_THETA_CONTACT_STIFFNESS},
    {CR_OF_GEOM, "dissipation", CR_THETA_CONTACT_DISSIPATION},
    {CR_OF_GEOM, "size", CR_THETA_SIZE},
    {CR_OF_GEOM, "position", CR_THETA_PLACE},
    {CR_OF_PAIR, "friction", CR_THETA_FRICTION},
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

/* The explicit pair of two geometries; -1: there is none. */
static int find_pair(const cr_geom_model* geom, int a, int b) {
  uint64_t key =
      a < b ? (uint64_t)(unsigned)a << 32 | (unsigned)b : (uint64_t)(unsigned)b << 32 | (unsigned)a;
  int low = 0, high = geom->num_pairs;
  while (low < high) {
    int middle = (low + high) / 2;
    if (geom->pair[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < geom->num_pairs && geom->pair[low] == key ? low : -1;
}

/* Pairs stand in the model by their geometries. */
static int find_pair_of(const carom_model* m, int part) {
  const carom_pair_def* def = &CR_AT(&m->description->pairs, cr_pair_record, part)->def;
  return find_pair(&m->geom, m->place.geom_index[def->geom1.id - 1],
                   m->place.geom_index[def->geom2.id - 1]);
}

/* Where a part stands in the model. Handles count from 1, but for bodies, of which 0 is the world;
 * pairs have numbers. */
static int find_index(const carom_model* m, const struct known* known, int part) {
  int kind = known->kind;
  bool is_of_contact = known->theta >= CR_THETA_FRICTION && known->theta <= CR_THETA_PLACE;
  if (kind == CR_OF_SOFT) return is_of_contact ? -part : part - 1;
  if (kind == CR_OF_ATTACHMENT) return part;
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
  if (theta->kind == CR_THETA_INERTIA) return false;
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
  bool is_of_actuator = theta->kind >= CR_THETA_GAIN && theta->kind <= CR_THETA_BIAS;
  if (is_of_actuator &&
      (m->force.actuator_law[theta->index] >= 0 || m->force.actuator_body[theta->index] >= 0))
    return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                        "derivatives: there are none yet with respect to gains of controllers, "
                        "motors and adhesion");
  if (cr_theta_is_of_shape(theta)) CR_TRY(cr_geom_theta_check(t, theta));
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
    }
  }
  return CAROM_OK;
}

/* --- Bodies -------------------------------------------------------------------------------------
 */

int cr_theta_find_body(const carom_model* model, const cr_theta_column* theta) {
  if (cr_theta_is_of_shape(theta)) return cr_geom_theta_find_body(model, theta->index);
  return theta->kind >= CR_THETA_MASS && theta->kind <= CR_THETA_INERTIA ? theta->index : -1;
}

spatial_inertia cr_theta_find_inertia(const cr_step* step, const cr_theta_column* theta) {
  const cr_body_model* bodies = &step->model->body;
  int b = cr_theta_find_body(step->model, theta), link = bodies->link[b];
  const pose *X = &step->kinematics.link_pose[link], *local = &bodies->local[b];
  m3 R = m3_mul(&X->R, &local->R);
  int tree = step->model->tree.link_tree[link];
  v3 origin = tree < 0 ? v3_zero() : step->kinematics.origin[tree];
  if (cr_theta_is_of_shape(theta)) return cr_geom_theta_find_inertia(step, theta, origin);
  v3 com = v3_load(bodies->com + 3 * b);
  v3 c = v3_sub(pose_point(X, pose_point(local, com)), origin);
  m3 none = {{{0}}};
  if (theta->kind == CR_THETA_MASS) return spatial_inertia_make(1, c, &none);
  if (theta->kind == CR_THETA_INERTIA) {
    double unit[6] = {0};
    unit[theta->element] = 1;
    m3 I = m3_symmetric(unit), turned = m3_mul(&R, &I), back = m3_transpose(&R);
    I = m3_mul(&turned, &back);
    return spatial_inertia_make(0, v3_zero(), &I);
  }
  double m = bodies->mass[b];
  v3 d = m3_column(&R, theta->element);
  double cd = 2 * v3_dot(c, d);
  return (spatial_inertia){0,
                           v3_scale(m, d),
                           {m * (cd - 2 * c.x * d.x), m * (cd - 2 * c.y * d.y),
                            m * (cd - 2 * c.z * d.z), -m * (c.x * d.y + c.y * d.x),
                            -m * (c.x * d.z + c.z * d.x), -m * (c.y * d.z + c.z * d.y)}};
}

/* out_k += scale S_k · F along a link's path. */
static void add_force(const cr_step* step, int link, double scale, sv F, double* out) {
  const cr_tree_model* model = &step->model->tree;
  for (int k = model->link_last_dof[link]; k >= 0; k = model->dof_parent[k])
    out[k] += scale * sv_dot(step->kinematics.S[k], F);
}

/* The same of what bears weight, but where actuators bear it that do all that their joint lets them
 * do. */
static void add_lift(const cr_step* step, int link, sv F, double* out) {
  const cr_tree_model* model = &step->model->tree;
  const cr_force_model* force = &step->model->force;
  bool binds = force->num_bearers > 0 && step->is_held;
  for (int k = model->link_last_dof[link]; k >= 0; k = model->dof_parent[k])
    if (!(binds && force->dof_bears_weight[k] && step->is_held[k]))
      out[k] -= step->dt * sv_dot(step->kinematics.S[k], F);
}

/* What bears a body's weight, with its mass and where it acts. */
static void add_compensation(const cr_step* step, int b, const spatial_inertia* I, double* dm) {
  double share = step->model->body.gravity_compensation[b];
  if (share == 0) return;
  v3 lift = v3_scale(-share, v3_load(step->model->force.gravity));
  sv F = {v3_cross(I->mc, lift), v3_scale(I->mass, lift)};
  add_lift(step, step->model->body.link[b], F, dm);
}

/* A body's own share, which its weight is borne by. */
static void add_share(const cr_step* step, const cr_theta_column* theta, int tree, double* dm) {
  const cr_body_model* bodies = &step->model->body;
  int b = theta->index, link = bodies->link[b];
  if (step->model->tree.link_tree[link] != tree) return;
  v3 lift = v3_scale(-bodies->mass[b], v3_load(step->model->force.gravity));
  v3 com = pose_point(&step->kinematics.link_pose[link],
                      pose_point(&bodies->local[b], v3_load(bodies->com + 3 * b)));
  add_lift(step, link, sv_point_force(lift, v3_sub(com, step->kinematics.origin[tree])), dm);
}

/* The tree that a body is in has been differentiated: its accelerations are at hand. */
static void add_body(const cr_step_tangent* t, const cr_theta_column* theta, int tree, double* dm) {
  const cr_step* step = t->step;
  int body = cr_theta_find_body(step->model, theta), link = step->model->body.link[body];
  if (step->model->tree.link_tree[link] != tree) return;
  spatial_inertia I = cr_theta_find_inertia(step, theta);
  sv V = step->velocities.link_V[link], A = t->rnea.scratch->a[link];
  sv F = sv_add(spatial_inertia_mulv(&I, A), sv_cross_force(V, spatial_inertia_mulv(&I, V)));
  add_force(step, link, step->dt, F, dm);
  add_compensation(step, body, &I, dm);
}

/* Weight of all that hangs on each dof, and what bears it. */
static void add_gravity(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                        double* dm) {
  const cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  const cr_body_model* bodies = &step->model->body;
  v3 unit = v3_set(v3_zero(), theta->element, 1);
  for (int i = model->tree_link_start[tree]; i < model->tree_link_end[tree]; i++) {
    sv A = {v3_zero(), v3_neg(unit)};
    add_force(step, i, step->dt, spatial_inertia_mulv(&step->kinematics.link_I[i], A), dm);
  }
  for (int b = 1; b < bodies->num_bodies; b++) {
    int link = bodies->link[b];
    if (bodies->gravity_compensation[b] == 0 || model->link_tree[link] != tree) continue;
    v3 com = pose_point(&step->kinematics.link_pose[link],
                        pose_point(&bodies->local[b], v3_load(bodies->com + 3 * b)));
    v3 lift = v3_scale(-bodies->gravity_compensation[b] * bodies->mass[b], unit);
    sv F = sv_point_force(lift, v3_sub(com, step->kinematics.origin[tree]));
    add_lift(step, link, F, dm);
  }
}

/* --- Joints and actuators -----------------------------------------------------------------------
 */

/* Weights of stiffness and damping in A. */
typedef struct weights {
  double h2, h1;
} weights;

static weights weights_of(const cr_step* step, int tree, int dof) {
  cr_theta theta = step->theta[tree];
  cr_weight w = cr_damping_of_dof(step, dof);
  return (weights){(theta.q * theta.vq + w.end) * step->dt * step->dt,
                   (theta.v + w.rate) * step->dt};
}

/* dA of a joint's dof. */
static double joint_matrix(const cr_step* step, const cr_theta_column* theta, int tree, int dof) {
  weights w = weights_of(step, tree, dof);
  if (theta->kind == CR_THETA_ARMATURE) return 1;
  if (theta->kind == CR_THETA_STIFFNESS) return w.h2;
  return theta->kind == CR_THETA_DAMPING ? w.h1 : 0;
}

static void add_joint(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                      bool is_known, double* dm) {
  cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  int j = theta->index, first = model->joint_v_start[j];
  if (model->link_tree[model->joint_link[j]] != tree) return;
  cr_tree_compute_difference(model, tree, step->model->force.q_spring, step->q_mid, step->work);
  for (int i = first; i < model->tree_v_start[tree + 1] && model->dof_joint[i] == j; i++) {
    double change = step->v_star[i] - step->v0[i];
    double way = step->work[i] + (step->x_e ? step->x_e[i] : 0);
    if (theta->kind == CR_THETA_STIFFNESS) dm[i] += step->dt * way;
    if (theta->kind == CR_THETA_DAMPING) dm[i] += step->dt * cr_step_joint_rate(step, i);
    if (theta->kind == CR_THETA_SPRING_REFERENCE)
      dm[i] -= step->dt * step->model->force.joint_stiffness[j];
    if (theta->kind == CR_THETA_ARMATURE)
      dm[i] += change;
    else if (is_known)
      dm[i] += joint_matrix(step, theta, tree, i) * change;
  }
}

/* A muscle's curves are not what a gain or a bias gives. */
static bool is_of_curve(const cr_force_model* force, const cr_theta_column* theta) {
  const int* part =
      theta->kind == CR_THETA_BIAS ? force->actuator_bias_part : force->actuator_gain_part;
  return part[theta->index] != CR_ACTUATOR_AFFINE;
}

/* Where an actuator works: at its length and rate, along a row of a line or its dof. */
typedef struct work {
  const cr_row_force* row; /* of a line */
  double l, l_dot;
  weights w;
  bool moves; /* its force does with what it is made of */
} work;

static work find_work(const cr_step_tangent* t, int a, int tree) {
  const cr_step* step = t->step;
  const cr_force_model* force = &step->model->force;
  int dof = force->actuator_dof[a], line = force->actuator_line[a];
  double gear = force->actuator_gear[a];
  work at = {.row = line < 0 ? NULL : cr_row_forces_find_drive(t, line)};
  if (dof >= 0) {
    at.l = gear * cr_step_joint_coordinate(step, force->actuator_q[a], dof);
    at.l_dot = gear * cr_step_joint_rate(step, dof);
    at.w = weights_of(step, tree, dof);
    at.moves = !step->is_law[a] && !cr_actuator_is_held(t, a, at.l, at.l_dot);
  } else if (at.row && !step->sim->plan.is_limited[a]) {
    const cr_row_force* p = at.row;
    const double* range = force->actuator_force_range + 2 * a;
    at.l = gear * p->at[0], at.l_dot = gear * p->at[1];
    at.w = (weights){p->share[0], p->share[1]};
    double f = cr_actuator_compute_force(force, a, step->input, at.l, at.l_dot);
    bool is_all = cr_actuator_find_share(force, line, step->input, p->at[0], p->at[1]) == 1;
    at.moves = is_all && f > range[0] && f < range[1];
  }
  return at;
}

/* How dA along an actuator's row grows with a number of it. */
static double actuator_matrix(const cr_step_tangent* t, const cr_theta_column* theta, weights w) {
  const cr_step* step = t->step;
  const cr_force_model* force = &step->model->force;
  int a = theta->index;
  double gear = force->actuator_gear[a], u = step->input[force->actuator_input[a]];
  const double *gain = force->actuator_gain + 3 * a, *bias = force->actuator_bias + 3 * a;
  int power = theta->element + (theta->kind == CR_THETA_GAIN_FEEDBACK);
  double by = theta->kind == CR_THETA_BIAS ? 1 : u, square = gear * gear;
  if (theta->kind == CR_THETA_GAIN || power == 0) return 0;
  double slope = -square * (gain[power] * u + bias[power]);
  return slope > 0 ? -square * by * (power == 1 ? w.h2 : w.h1) : 0;
}

static void add_actuator(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                         bool is_known, double* dm) {
  const cr_step* step = t->step;
  const cr_force_model* force = &step->model->force;
  const cr_tree_model* model = &step->model->tree;
  int a = theta->index, dof = force->actuator_dof[a];
  if (dof >= 0 && model->link_tree[model->dof_link[dof]] != tree) return;
  double gear = force->actuator_gear[a], u = step->input[force->actuator_input[a]];
  const work at = find_work(t, a, tree);
  if (!at.moves || is_of_curve(force, theta)) return;
  const double by[3] = {1, at.l, at.l_dot};
  double f = theta->kind == CR_THETA_GAIN   ? u
             : theta->kind == CR_THETA_BIAS ? by[theta->element]
                                            : u * by[theta->element + 1];
  for (int i = 0; dof < 0 && at.row && i < at.row->line.n; i++) {
    int k = at.row->line.dof[i];
    if (model->link_tree[model->dof_link[k]] == tree)
      dm[k] -= step->dt * gear * f * at.row->line.J[i];
  }
  if (dof < 0) return;
  dm[dof] -= step->dt * gear * f;
  if (is_known) dm[dof] += actuator_matrix(t, theta, at.w) * (step->v_star[dof] - step->v0[dof]);
}

/* What (dA) x is; a line's row is of one tree after the other. */
static void add_actuator_matrix(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                                const double* x, double* out) {
  const cr_step* step = t->step;
  const cr_force_model* force = &step->model->force;
  const cr_tree_model* model = &step->model->tree;
  int a = theta->index, dof = force->actuator_dof[a];
  if (dof >= 0 && model->link_tree[model->dof_link[dof]] != tree) return;
  const work at = find_work(t, a, tree);
  if (!at.moves || is_of_curve(force, theta)) return;
  double by = actuator_matrix(t, theta, at.w);
  if (dof >= 0) out[dof] += by * x[dof];
  double along = dof < 0 && at.row && by != 0 ? cr_line_tangent_rate(&at.row->line, x) : 0;
  for (int i = 0; along != 0 && at.row && i < at.row->line.n; i++) {
    int k = at.row->line.dof[i];
    if (model->link_tree[model->dof_link[k]] == tree) out[k] += by * along * at.row->line.J[i];
  }
}

/* --- All ----------------------------------------------------------------------------------------
 */

static bool is_of_joint(const cr_theta_column* theta) {
  return theta->kind >= CR_THETA_STIFFNESS && theta->kind <= CR_THETA_ARMATURE;
}
static bool is_of_actuator(const cr_theta_column* theta) {
  return theta->kind >= CR_THETA_GAIN && theta->kind <= CR_THETA_BIAS;
}

void cr_theta_add_balance(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                          bool is_known, double* dm) {
  if (theta->kind == CR_THETA_GRAVITY) add_gravity(t, theta, tree, dm);
  if (cr_theta_is_of_fluid(theta)) cr_fluid_theta_add_balance(t, theta, tree, dm);
  if (theta->kind == CR_THETA_COMPENSATION) add_share(t->step, theta, tree, dm);
  if (cr_theta_is_of_place(theta)) cr_place_theta_add_balance(t, theta, tree, dm);
  if (cr_theta_find_body(t->step->model, theta) >= 0) add_body(t, theta, tree, dm);
  if (is_of_joint(theta)) add_joint(t, theta, tree, is_known, dm);
  if (is_of_actuator(theta)) add_actuator(t, theta, tree, is_known, dm);
}

void cr_theta_add_matrix(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                         const double* x, double* out) {
  cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  int body = cr_theta_find_body(step->model, theta);
  if (cr_theta_is_of_fluid(theta)) cr_fluid_theta_add_matrix(t, theta, tree, x, out);
  if (body >= 0) {
    int link = step->model->body.link[body];
    if (model->link_tree[link] != tree) return;
    spatial_inertia I = cr_theta_find_inertia(step, theta);
    sv X = sv_zero();
    for (int k = model->link_last_dof[link]; k >= 0; k = model->dof_parent[k])
      X = sv_axpy(X, x[k], step->kinematics.S[k]);
    add_force(step, link, 1, spatial_inertia_mulv(&I, X), out);
  }
  if (is_of_joint(theta) && model->link_tree[model->joint_link[theta->index]] == tree)
    for (int i = model->joint_v_start[theta->index];
         i < model->num_v && model->dof_joint[i] == theta->index; i++)
      out[i] += joint_matrix(step, theta, tree, i) * x[i];
  if (is_of_actuator(theta)) add_actuator_matrix(t, theta, tree, x, out);
}

double cr_theta_of_friction_loss(const cr_step_tangent* t, const cr_theta_column* theta, int dof) {
  bool is_its =
      theta->kind == CR_THETA_FRICTION_LOSS && t->step->model->tree.dof_joint[dof] == theta->index;
  return is_its ? 1 : 0;
}

/* --- Contacts -----------------------------------------------------------------------------------
 */

/* How the coefficient that two sides make grows with the first one's. */
static double friction_slope(const cr_contact_model* contact, const cr_contact_side* own,
                             const cr_contact_side* other) {
  double mu = own->friction, nu = other->friction, sum = mu + nu;
  if (own->priority != other->priority) return own->priority > other->priority ? 1 : 0;
  if (contact->friction_rule == CAROM_FRICTION_RULE_LARGER) return mu > nu ? 1 : mu < nu ? 0 : 0.5;
  if (contact->friction_rule == CAROM_FRICTION_RULE_SMALLER) return mu < nu ? 1 : mu > nu ? 0 : 0.5;
  return sum > 0 ? 2 * (nu / sum) * (nu / sum) : 0;
}

/* Springs in series, of which the first changes: k = k1 k2 / (k1 + k2), tau = (k2 tau1 + k1 tau2) /
 * (k1 + k2). */
cr_contact_theta cr_theta_series_slope(cr_theta_kind kind, const cr_contact_side* own,
                                       const cr_contact_side* other) {
  double k1 = own->stiffness, k2 = other->stiffness;
  if (isinf(k1)) return (cr_contact_theta){0};
  double share = isinf(k2) ? 1 : k2 / (k1 + k2);
  if (kind == CR_THETA_CONTACT_DISSIPATION) return (cr_contact_theta){.dissipation = share};
  double tau = isinf(k2) ? 0 : share / (k1 + k2) * (other->dissipation - own->dissipation);
  return (cr_contact_theta){0, share * share, isnan(tau) ? 0 : tau, 0};
}

static cr_contact_theta slope_of_kind(cr_theta_kind kind) {
  return (cr_contact_theta){kind == CR_THETA_FRICTION, kind == CR_THETA_CONTACT_STIFFNESS,
                            kind == CR_THETA_CONTACT_DISSIPATION, 0};
}

/* What a soft body's own stiffness is of a point's, which is in series with another. */
static double find_own_stiffness(double stiffness, double other) {
  return isinf(stiffness) || isinf(other) ? stiffness : stiffness * other / (other - stiffness);
}

/* The area of a point whose sides are both soft is the same. */
static double find_soft_stiffness(const carom_model* m, const cr_contact_point* point, int k) {
  const cr_soft_part* own = &m->soft.part[-1 - point->geom[k]];
  int other = point->geom[1 - k];
  if (other >= 0) return find_own_stiffness(point->stiffness, m->contact.stiffness[other]);
  double share = own->stiffness / m->soft.part[-1 - other].stiffness;
  return isinf(own->stiffness) ? INFINITY : point->stiffness * (1 + share);
}

cr_contact_side cr_theta_side_of(const carom_model* m, const cr_contact_point* point, int k) {
  if (point->geom[k] >= 0) return cr_contact_rule_side(&m->geom, &m->contact, point->geom[k]);
  const cr_soft_part* p = &m->soft.part[-1 - point->geom[k]];
  return (cr_contact_side){.condim = p->condim,
                           .priority = p->priority,
                           .friction = p->friction,
                           .margin = p->margin,
                           .stiffness = find_soft_stiffness(m, point, k),
                           .dissipation = p->dissipation,
                           .surface = &p->contact_surface};
}

/* What one side's number changes by for a unit of the parameter: soft bodies give a pressure. */
static double find_unit(const carom_model* m, const cr_theta_column* theta,
                        const cr_contact_side* own) {
  bool is_pressure = theta->index < 0 && theta->kind == CR_THETA_CONTACT_STIFFNESS;
  return is_pressure ? own->stiffness / m->soft.part[-1 - theta->index].stiffness : 1;
}

cr_contact_theta cr_theta_of_contact(const cr_step_tangent* t, const cr_theta_column* theta,
                                     const cr_contact_point* point) {
  const carom_model* m = t->step->model;
  cr_contact_theta sum = {0};
  if (theta->kind < CR_THETA_FRICTION || theta->kind > CR_THETA_CONTACT_DISSIPATION) return sum;
  bool is_pair = point->geom[0] >= 0 && point->geom[1] >= 0;
  int given = is_pair ? find_pair(&m->geom, point->geom[0], point->geom[1]) : -1;
  if (given >= 0)
    return theta->index == m->geom.num_geoms + given ? slope_of_kind(theta->kind) : sum;
  for (int k = 0; k < 2; k++) {
    if (point->geom[k] != theta->index) continue;
    cr_contact_side own = cr_theta_side_of(m, point, k);
    cr_contact_side other = cr_theta_side_of(m, point, 1 - k);
    double unit = find_unit(m, theta, &own);
    if (theta->kind == CR_THETA_FRICTION) {
      sum.friction += friction_slope(&m->contact, &own, &other);
      continue;
    }
    cr_contact_theta by = cr_theta_series_slope(theta->kind, &own, &other);
    sum.stiffness += unit * by.stiffness, sum.dissipation += unit * by.dissipation;
  }
  return sum;
}

double cr_theta_of_lengths(const cr_step_tangent* t, const cr_theta_column* theta,
                           const cr_contact_point* point) {
  if (theta->kind != CR_THETA_FRICTION || !(point->friction > 0)) return 0;
  return -cr_theta_of_contact(t, theta, point).friction / point->friction;
}

cr_contact_theta cr_theta_of_tie(const cr_step_tangent* t, const cr_theta_column* theta, int tie) {
  const cr_soft_model* m = &t->step->model->soft;
  bool is_stiffness = theta->kind == CR_THETA_TIE_STIFFNESS;
  cr_contact_theta none = {0};
  if (!is_stiffness && theta->kind != CR_THETA_TIE_DISSIPATION) return none;
  int hold = m->node_attached[m->tie_barycentric[tie].node[0]];
  bool is_its = hold >= m->attachment_start[theta->index] &&
                hold < m->attachment_start[theta->index + 1] && isfinite(m->tie_stiffness[tie]);
  return is_its ? (cr_contact_theta){0, is_stiffness, !is_stiffness, 0} : none;
}
