/* What a step might meet: points of contact and rows of the model at hand, and the trees that are
 * about to have an impact, which start anew. */
#include "sim/contact/contact_set.h"

#include "base/error.h"
#include "sim/contact/contact_patches.h"
#include "sim/contact/contacts.h"
#include "sim/contact/impact.h"
#include "sim/contact/scan.h"
#include "sim/mover.h"
#include "sim/rows/row_values.h"
#include "sim/sleep.h"
#include "sim/tree/limited_actuators.h"
#include "tree/algorithms.h"

#include <math.h>
#include <string.h>

bool cr_contact_set_init(cr_step* step, cr_contact_set* s) {
  const cr_tree_model* model = &step->model->tree;
  s->has_impact = CR_PUSH(step->arena, int, step->model->num_movers);
  s->fresh = CR_PUSH(step->arena, int, step->model->num_movers);
  s->lin = CR_PUSH(step->arena, sv, model->num_links);
  s->start = CR_PUSH(step->arena, sv, model->num_links);
  s->points = (cr_contact_points){0};
  s->rows = (cr_model_rows){0};
  s->impact_border = INFINITY;
  if (step->arena->failed) return false;
  memset(s->has_impact, 0, sizeof(int) * (size_t)step->model->num_movers);
  for (int l = 0; l < model->num_links; l++)
    if (model->link_tree[l] < 0) s->lin[l] = s->start[l] = sv_zero();
  return true;
}

/* Marks a tree; true if it was not marked. */
static bool mark(int tree, int* has_impact) {
  if (tree < 0 || has_impact[tree]) return false;
  has_impact[tree] = 1;
  return true;
}

/* Marks what has an impact itself. */
static bool mark_hits(const cr_step* step, cr_contact_set* s) {
  const cr_tree_model* tree = &step->model->tree;
  bool any = false;
  for (int i = 0; i < s->points.count; i++)
    for (int k = 0; k < 2 && s->points.items[i].is_impact; k++)
      any |= mark(tree->link_tree[s->points.items[i].link[k]], s->has_impact);
  for (int i = 0; i < s->rows.count; i++) {
    const cr_model_row* row = &s->rows.items[i];
    for (int k = 0, link;
         row->is_impact && (link = cr_model_row_get_link(step->model, row, k)) >= 0; k++)
      any |= mark(tree->link_tree[link], s->has_impact);
  }
  return any;
}

/* Marks all trees that a row joins where one of them is marked. */
static bool spread_row(const cr_step* step, const cr_model_row* row, int* has_impact) {
  const int* tree_of = step->model->tree.link_tree;
  bool meets = false, any = false;
  for (int k = 0, link; (link = cr_model_row_get_link(step->model, row, k)) >= 0; k++)
    meets |= tree_of[link] >= 0 && has_impact[tree_of[link]];
  for (int k = 0, link; meets && (link = cr_model_row_get_link(step->model, row, k)) >= 0; k++)
    if (tree_of[link] >= 0) any |= mark(tree_of[link], has_impact);
  return any;
}

/* Marks what active points and equalities join to a marked tree; true if anything was. */
static bool spread_marks(const cr_step* step, cr_contact_set* s) {
  const int* tree_of = step->model->tree.link_tree;
  bool any = false;
  for (int i = 0; i < s->points.count; i++) {
    const cr_contact_point* point = &s->points.items[i];
    int a = tree_of[point->link[0]], b = tree_of[point->link[1]];
    if (!point->is_active || a < 0 || b < 0) continue;
    if (s->has_impact[a] != s->has_impact[b]) any |= mark(s->has_impact[a] ? b : a, s->has_impact);
  }
  for (int i = 0; i < s->rows.count; i++) {
    const cr_model_row* row = &s->rows.items[i];
    if (row->rule == CR_ROW_EQUALITY || row->line >= 0) any |= spread_row(step, row, s->has_impact);
  }
  return any;
}

bool cr_contact_set_mark_impacts(const cr_step* step, cr_contact_set* s) {
  bool any = mark_hits(step, s);
  while (spread_marks(step, s)) any = true;
  return any;
}

cr_result cr_contact_set_restart_impacts(cr_step* step, const cr_contact_set* s) {
  for (int t = 0; t < step->model->num_movers; t++) {
    bool is_ready = step->theta[t].vq == 1 && (step->theta[t].q == 0 || step->is_implicit);
    s->fresh[t] = s->has_impact[t] && !is_ready;
    if (!s->fresh[t]) continue;
    step->theta[t].q = 0;
    step->theta[t].vq = 1;
    if (cr_mover_of(step->model, t)->begin_impact)
      cr_mover_of(step->model, t)->begin_impact(step, t);
  }
  return cr_movers_begin(step, s->fresh) ? CR_DONE : CR_FREE_MOTION;
}

/* How far a point is from being an impact, see impact.h: by explicit Euler all are that meet, what
 * overlaps and gives way is none.
 * @param v0, v1 its normal velocities at the start and in the free motion */
static double find_border(const cr_step* step, const cr_contact_point* p, double v0, double v1) {
  if (p->is_ahead) return p->is_impact ? -INFINITY : INFINITY;
  double g = step->dt * v3_norm(v3_load(step->model->force.gravity)), gained = fabs(v1 - v0);
  double open = p->distance0 / step->dt + v1;
  if (p->is_landing || step->sim->theta.vq == 0) return open;
  double border = cr_find_impact_border(v0, fmax(gained, g), gained > g, open);
  return isinf(p->stiffness) ? border : fmax(border, -p->distance0 / step->dt);
}

static void take_border(const cr_step* step, int link, double border, double* of_tree) {
  const cr_tree_model* model = &step->model->tree;
  int tree = link >= 0 && link < model->num_links ? model->link_tree[link] : -1;
  if (tree >= 0) of_tree[tree] = fmin(of_tree[tree], border);
}

/* Limits of hinges and slides that are not met. */
static void take_idle(const cr_step* step, const cr_model_rows* rows, double* of_tree) {
  const cr_tree_model* tree = &step->model->tree;
  for (int i = 0; i < rows->num_idle; i++) {
    const cr_idle_limit* limit = &rows->idle[i];
    int dof = tree->joint_v_start[limit->joint];
    double v0 = limit->sign * step->v0[dof], v1 = limit->sign * step->v_lin[dof];
    double open = limit->start / step->dt + v1;
    take_border(step, tree->joint_link[limit->joint],
                cr_find_impact_border(v0, fabs(v1 - v0), true, open), of_tree);
  }
}

/* How near points are to being active, and trees to an impact, which one has where any of its
 * points and limits has: under the scheme's own timing none does. False when memory ran out. */
static bool note_borders(const cr_step* step, cr_contact_set* s) {
  const carom_sim* sim = step->sim;
  const cr_motion lin = {s->lin, step->v_lin}, start = {s->start, step->v0};
  int num_trees = step->model->tree.num_trees;
  if (!sim->observer) return true;
  double* of_tree = CR_PUSH(step->arena, double, num_trees);
  if (!of_tree) return false;
  for (int t = 0; t < num_trees; t++) of_tree[t] = INFINITY;
  for (int i = 0; i < s->points.count; i++) {
    cr_contact_point* p = &s->points.items[i];
    double v0 = v3_dot(p->normal, cr_contact_find_relative_velocity(step, &start, p));
    double v1 = v3_dot(p->normal, cr_contact_find_relative_velocity(step, &lin, p));
    double border = find_border(step, p, v0, v1);
    p->activity = cr_contact_find_activity(step, p, v0, v1);
    for (int k = 0; k < 2; k++) take_border(step, p->link[k], border, of_tree);
  }
  for (int i = 0; i < s->rows.count; i++) {
    const cr_model_row* row = &s->rows.items[i];
    for (int k = 0, link;
         row->rule == CR_ROW_CONTACT && (link = cr_model_row_get_link(step->model, row, k)) >= 0;
         k++)
      take_border(step, link, row->border, of_tree);
  }
  take_idle(step, &s->rows, of_tree);
  for (int t = 0; t < num_trees && sim->def.contact != CAROM_CONTACT_SCHEME; t++)
    if (!s->has_impact[t]) s->impact_border = fmin(s->impact_border, fabs(of_tree[t]));
  return true;
}

/* Everything at v_lin, and link velocities there and at v0. */
static void place_all(cr_step* step, cr_contact_set* s) {
  const cr_tree_model* model = &step->model->tree;
  cr_movers_place(step);
  for (int t = 0; t < model->num_trees; t++) {
    cr_tree_update_link_velocities(model, t, &step->kinematics, step->v_lin, s->lin);
    cr_tree_update_link_velocities(model, t, &step->kinematics, step->v0, s->start);
  }
}

cr_result cr_contact_set_restart_limited(cr_step* step, cr_contact_set* s, const double* v,
                                         bool* any) {
  *any = cr_limited_actuators_bind_exceeding(step, v, s->fresh) > 0;
  if (!*any || step->relinearised) return CR_DONE;
  return cr_movers_begin(step, s->fresh) ? CR_DONE : CR_FREE_MOTION;
}

/* Wakes islands that something moving is about to meet; returns how many trees move from here on,
 * whose `fresh` is not zero. */
static int wake_touched(cr_step* step, const cr_contact_set* s) {
  carom_sim* sim = step->sim;
  int num_trees = sim->model->tree.num_trees, before = sim->sleep.count;
  if (before == 0) return 0;
  memset(s->fresh, 0, sizeof(int) * (size_t)step->model->num_movers);
  for (int t = 0; t < num_trees; t++) s->fresh[t] = sim->sleep.island[t];
  for (int i = 0; i < s->points.count; i++)
    for (int k = 0; k < 2; k++) cr_sleep_wake_link(sim, s->points.items[i].link[k]);
  for (int t = 0; t < num_trees; t++) s->fresh[t] = s->fresh[t] && !sim->sleep.island[t];
  return before - sim->sleep.count;
}

cr_result cr_contact_set_detect(cr_step* step, cr_contact_set* s) {
  for (bool any = false;;) {
    place_all(step, s);
    if (!step->relinearised) CR_TRY(cr_contact_set_restart_limited(step, s, step->v_lin, &any));
    if (any && !step->relinearised) continue;
    const cr_motion lin = {s->lin, step->v_lin}, start = {s->start, step->v0};
    if (!cr_contact_points_find(step, &lin, &start, &s->points) ||
        !cr_model_rows_find(step, &s->rows))
      return CR_NO_MEMORY;
    if (wake_touched(step, s) > 0) {
      if (!cr_movers_begin(step, s->fresh)) return CR_FREE_MOTION;
      continue;
    }
    if (!note_borders(step, s)) return CR_NO_MEMORY;
    if (step->relinearised || !cr_contact_set_mark_impacts(step, s)) return CR_DONE;
    CR_TRY(cr_contact_set_restart_impacts(step, s));
  }
}

/* Of trees that have an impact from here on, by points that a solution has made active. */
static void note_activated(const cr_step* step, cr_contact_set* s) {
  const int* tree_of = step->model->tree.link_tree;
  for (int i = 0; i < s->points.count; i++) {
    const cr_contact_point* p = &s->points.items[i];
    for (int k = 0; k < 2 && p->is_active && p->is_impact; k++) {
      int tree = p->link[k] < step->model->tree.num_links ? tree_of[p->link[k]] : -1;
      if (tree >= 0 && !s->has_impact[tree])
        s->impact_border = fmin(s->impact_border, fabs(p->activity));
    }
  }
}

int cr_contact_set_activate(cr_step* step, cr_contact_set* s) {
  const cr_tree_model* model = &step->model->tree;
  if (s->points.count + s->rows.count + s->rows.num_idle == 0) return 0;
  for (int t = 0; t < model->num_trees; t++)
    cr_tree_update_link_velocities(model, t, &step->kinematics, step->v, s->lin);
  const cr_motion solution = {s->lin, step->v};
  int count = cr_contact_points_activate(step, &solution, &s->points) +
              cr_model_rows_activate(step, step->v, &s->rows);
  if (step->sim->observer) note_activated(step, s);
  return count;
}

bool cr_contact_set_rebounds(const cr_step* step, const cr_contact_set* s) {
  bool any = false;
  if (step->model->contact.is_plain) return false;
  for (int i = 0; i < s->points.count; i++) {
    const cr_contact_point* point = &s->points.items[i];
    any |= point->is_active && point->is_impact && point->is_fast && point->extra &&
           point->extra->restitution > 0;
  }
  return any;
}
