/* A step looks for contacts as far as bodies go in their free motion. What constraints make of that
 * may lead farther, as where one foot stands and the other comes down for it: beyond the search it
 * runs into what it meets, within it is held. So a contact that presses where the search ends is a
 * kink, and one behind that end which the solution runs into. */
#include "derive/search_kinks.h"

#include "sim/contact/contacts.h"
#include "sim/contact/scan.h"
#include "tree/algorithms.h"

#include <math.h>

/* m/s: the search and what it looks for move against each other by twice as much as a velocity. */
#define BORDER (2 * CR_DERIVE_SMALL_CHANGE)

/* Velocities of links: in the free motion, before the step and at its solution. */
typedef struct motions {
  sv *lin, *start, *end; /* [num_links] */
} motions;

static bool find_motions(const cr_constraint_state* s, motions* out) {
  const cr_step* step = s->t->step;
  const cr_tree_model* model = &step->model->tree;
  sv** const to[] = {&out->lin, &out->start, &out->end};
  const double* const v[] = {step->v_lin, step->v0, step->v};
  for (int k = 0; k < 3; k++) {
    sv* link = *to[k] = CR_PUSH(s->t->arena, sv, model->num_links);
    if (!link) return false;
    for (int l = 0; l < model->num_links; l++)
      if (model->link_tree[l] < 0) link[l] = sv_zero();
    for (int t = 0; t < model->num_trees; t++)
      cr_tree_update_link_velocities(model, t, &step->kinematics, v[k], link);
  }
  return true;
}

/* How far the search goes, m. */
static double find_end(const cr_step* step, const cr_contact_point* p) {
  return p->margin + step->sim->geom_reach[p->geom[0]] + step->sim->geom_reach[p->geom[1]];
}

static bool is_of_shapes(const cr_contact_point* p) { return p->geom[0] >= 0 && p->geom[1] >= 0; }

static void mark(cr_step_tangent* t, const cr_contact_point* p, double left) {
  t->num_kinks++;
  cr_step_tangent_note_kink(t, fabs(left) / p->distance, fabs(left) / t->step->dt);
}

/* Those that press. */
static void mark_within(const cr_constraint_state* s) {
  for (int i = 0; i < s->num_active; i++) {
    const cr_active_constraint* a = &s->active[i];
    if (!a->point || !is_of_shapes(a->point) || a->point->is_ahead) continue;
    double left = find_end(s->t->step, a->point) - a->point->distance;
    bool presses = s->out->gamma[a->row + a->rows - 1] > 0;
    if (presses && left < BORDER * s->t->step->dt && a->point->distance > 0)
      mark(s->t, a->point, left);
  }
}

/* How fast any point of a geometry is at most. */
static double find_speed(const cr_step* step, int geom, sv V) {
  int link = step->model->geom.link[geom], tree = step->model->tree.link_tree[link];
  v3 arm = v3_sub(step->sim->geom_pose[geom].p, step->kinematics.origin[tree]);
  double radius = cr_shape_compute_bounding_radius(&step->model->geom.shape[geom]);
  return v3_norm(sv_point_velocity(V, arm)) + radius * v3_norm(V.ang);
}

/* Whether a geometry may go farther than the search by what constraints make of its motion, against
 * that by which distances are carried on from where they are looked at. */
static bool goes_beyond(const cr_step* step, const motions* u, int geom) {
  int link = step->model->geom.link[geom], tree = step->model->tree.link_tree[link];
  if (tree < 0) return false;
  cr_theta theta = step->theta[tree];
  double by_lin = fabs(1 - theta.q * theta.vq), by_start = theta.q * (1 - theta.vq);
  double most = find_speed(step, geom, sv_sub(u->end[link], u->lin[link])) +
                by_lin * find_speed(step, geom, u->lin[link]) +
                by_start * find_speed(step, geom, u->start[link]);
  return step->dt * most > step->sim->geom_reach[geom];
}

static bool any_goes_beyond(const cr_step* step, const motions* u) {
  bool any = false;
  for (int i = 0; i < step->sim->num_moving_geoms && !any; i++)
    any = goes_beyond(step, u, step->sim->moving_geom[i]);
  return any;
}

/* Whether the solution runs into a point. */
static bool is_met(const cr_step* step, const motions* u, const cr_contact_point* p) {
  v3 a = cr_contact_find_velocity(step, u->end, p->link[0], p->position);
  v3 b = cr_contact_find_velocity(step, u->end, p->link[1], p->position);
  double v1 = v3_dot(p->normal, v3_sub(b, a));
  return v1 < p->passing && p->distance0 + step->dt * v1 < 0;
}

/* Those that were not found. */
static bool mark_beyond(const cr_constraint_state* s, const motions* u) {
  cr_step* step = s->t->step;
  const cr_motion lin = {u->lin, step->v_lin}, start = {u->start, step->v0};
  cr_contact_points points;
  if (!cr_contact_points_find_beyond(step, &lin, &start, BORDER * step->dt, &points)) return false;
  for (int i = 0; i < points.count; i++) {
    const cr_contact_point* p = &points.items[i];
    if (!is_of_shapes(p) || p->is_ahead) continue;
    double left = find_end(step, p) - p->distance;
    if (left < 0 && left > -BORDER * step->dt && is_met(step, u, p)) mark(s->t, p, left);
  }
  return true;
}

bool cr_search_kinks_mark(const cr_constraint_state* s) {
  motions u;
  if (s->t->smoothing > 0 || s->t->step->model->geom.num_geoms == 0) return true;
  mark_within(s);
  if (!find_motions(s, &u)) return false;
  return !any_goes_beyond(s->t->step, &u) || mark_beyond(s, &u);
}
