/* Adhesion: an actuator on a body pulls at each of its contacts along the normal, by its force over
 * the number of contacts; sticky surfaces pull at each of theirs. Contacts are those of the state
 * before the step, to the micrometre that carom_sim_compute_contacts allows for, so that what hangs
 * by them keeps them, and of faces the corners, whatever number of points an area has. The pull is
 * a force at a point of each link, constant over the step; that the surfaces hold against it is the
 * contacts' part of the problem. */
#include "sim/tree/adhesion.h"

#include "force/actuator.h"
#include "sim/contact/contacts.h"
#include "tree/algorithms.h"

#include <math.h>

/* Kinematics of the state before the step, where the contacts are looked for. */
static void place_state(cr_step* step) {
  const cr_tree_model* model = &step->model->tree;
  for (int t = 0; t < model->num_trees; t++) {
    cr_tree_update_kinematics(model, t, step->sim->q, &step->kinematics);
    cr_tree_update_velocities(model, t, &step->kinematics, step->v0, &step->velocities);
  }
}

/* How far beyond their margins surfaces may pull. */
static double find_reach(const carom_model* model) {
  const cr_contact_model* contact = &model->contact;
  double most = 0;
  for (int g = 0; g < model->geom.num_geoms && contact->num_sticky > 0; g++)
    most = fmax(most, 2 * contact->gap[g]);
  for (int p = 0; p < model->geom.num_pairs && contact->num_sticky > 0; p++)
    most = fmax(most, contact->pair_gap[p]);
  return CR_REST_DISTANCE + most;
}

/* Whether a contact is the body's; soft bodies are not pulled at. */
static bool is_of(const carom_model* model, const cr_contact_point* point, int body) {
  if (point->geom[0] < 0 || point->geom[1] < 0) return false;
  bool is_sticky = model->contact.num_sticky > 0; /* points over gaps are listed too */
  if (is_sticky && point->distance > point->margin + CR_REST_DISTANCE) return false;
  return model->geom.body[point->geom[0]] == body || model->geom.body[point->geom[1]] == body;
}

static int count_contacts(const carom_model* model, const cr_contact_points* points, int body) {
  int count = 0;
  for (int i = 0; i < points->count; i++) count += is_of(model, &points->items[i], body);
  return count;
}

static bool reserve(carom_sim* sim, int wanted) {
  if (wanted <= sim->capacity_adhesion) return true;
  int capacity = wanted + wanted / 2 + 16;
  cr_adhesion_force* forces = cr_alloc(&sim->allocator, sizeof *forces * (size_t)capacity);
  if (!forces) return false;
  for (int i = 0; i < sim->num_adhesion; i++) forces[i] = sim->adhesion[i];
  cr_release(&sim->allocator, sim->adhesion, sizeof *forces * (size_t)sim->capacity_adhesion);
  sim->adhesion = forces, sim->capacity_adhesion = capacity;
  return true;
}

/* Both sides of a contact, towards each other. */
static void add_contact(cr_step* step, const cr_contact_point* point, int actuator, double force) {
  const carom_model* m = step->model;
  for (int k = 0; k < 2; k++)
    step->sim->adhesion[step->sim->num_adhesion++] = (cr_adhesion_force){
        .actuator = actuator,
        .body = m->geom.body[point->geom[k]],
        .link = point->link[k],
        .geom = {point->geom[0], point->geom[1]},
        .local = pose_inverse_point(&step->kinematics.link_pose[point->link[k]], point->position),
        .point = point->position,
        .force = v3_scale(k ? -force : force, point->normal)};
}

static bool add_actuator(cr_step* step, const cr_contact_points* points, int actuator) {
  const cr_force_model* force = &step->model->force;
  int body = force->actuator_body[actuator];
  int count = count_contacts(step->model, points, body);
  double f = cr_actuator_compute_drive(force, actuator, step->input, 0, 0).force;
  if (count == 0 || f == 0) return true;
  if (!reserve(step->sim, step->sim->num_adhesion + 2 * count)) return false;
  for (int i = 0; i < points->count; i++)
    if (is_of(step->model, &points->items[i], body))
      add_contact(step, &points->items[i], actuator, f / count);
  return true;
}

static bool add_surfaces(cr_step* step, const cr_contact_points* points) {
  if (!reserve(step->sim, step->sim->num_adhesion + 2 * points->count)) return false;
  for (int i = 0; i < points->count; i++) {
    const cr_contact_point* point = &points->items[i];
    if (point->extra && point->extra->adhesion > 0 && point->geom[0] >= 0 && point->geom[1] >= 0 &&
        point->distance <= point->margin + point->extra->gap + CR_REST_DISTANCE)
      add_contact(step, point, -1, point->extra->adhesion);
  }
  return true;
}

bool cr_adhesion_find(cr_step* step) {
  const cr_force_model* force = &step->model->force;
  bool is_sticky = step->model->contact.num_sticky > 0;
  cr_contact_points points;
  step->sim->num_adhesion = 0;
  if ((force->num_adhesions == 0 && !is_sticky) || !step->sim->broadphase) return true;
  place_state(step);
  const cr_motion motion = {step->velocities.link_V, step->v0};
  if (!cr_contact_points_list(step, &motion, find_reach(step->model), CAROM_PATCHES_CORNERS,
                              &points))
    return false;
  for (int a = 0; a < force->num_actuators; a++)
    if (force->actuator_body[a] >= 0 && !add_actuator(step, &points, a)) return false;
  return !is_sticky || add_surfaces(step, &points);
}

bool cr_adhesion_acts_on(const cr_step* step, int tree) {
  for (int i = 0; i < step->sim->num_adhesion; i++)
    if (step->model->tree.link_tree[step->sim->adhesion[i].link] == tree) return true;
  return false;
}

double cr_adhesion_compute_work(const cr_step* step, const cr_tree_velocities* velocities) {
  const cr_tree_kinematics* kinematics = &step->kinematics;
  double power = 0;
  for (int i = 0; i < step->sim->num_adhesion; i++) {
    const cr_adhesion_force* p = &step->sim->adhesion[i];
    int tree = step->model->tree.link_tree[p->link];
    if (tree < 0) continue;
    v3 arm =
        v3_sub(pose_point(&kinematics->link_pose[p->link], p->local), kinematics->origin[tree]);
    power += v3_dot(p->force, sv_point_velocity(velocities->link_V[p->link], arm));
  }
  return step->dt * power;
}
