#include "derive/place_rows.h"

#include "base/copy.h"
#include "derive/line_drift.h"
#include "derive/place_parameters.h"
#include "derive/reference.h"
#include "force/tendon.h"
#include "sim/tree/lines.h"

int cr_place_rows_count(const cr_step_tangent* t) {
  int count = 0;
  for (int i = 0; i < t->num_thetas; i++) count += cr_theta_is_of_place(&t->thetas[i]);
  return count;
}

static bool moves_row(const cr_step_tangent* t, const cr_line_displacement* by,
                      const cr_line_tangent* row) {
  const carom_model* m = t->step->model;
  if (by->count == 0) return false;
  if (row->line >= 0) return cr_place_moves_line(m, &by->in[0], row->line);
  return cr_place_parts(&m->tree, &by->in[0], row->strand.link);
}

/* How J (v* - v0) / dt + (dJ/dt) v_f of a tendon in space does, its row moved. */
static double move_inertia(const cr_step_tangent* t, const cr_line_displacement* by,
                           const cr_line_tangent* row) {
  const cr_step* step = t->step;
  double change = 0, drift = 0;
  for (int i = 0; i < row->n; i++)
    change += row->moved[i] * (step->v_star[row->dof[i]] - step->v0[row->dof[i]]);
  for (int k = 0; k < by->count; k++) {
    const cr_drift_motion motion = {CR_DRIFT_BY_PLACE, -1, &by->in[k]};
    drift += cr_line_drift_move(t, row->line, &motion);
  }
  return change / step->dt + drift;
}

/* What the rest of a tendon's spring does, or of one between points, where it is that of the
 * reference. */
static void add_rest(const cr_step_tangent* t, const cr_theta_column* theta, const cr_force_at* at,
                     const cr_row_force* p, cr_row_force_input* input) {
  const cr_force_model* f = &t->step->model->force;
  bool is_whole = !p->line.left_out; /* what actuators do alone has no spring */
  int tendon = p->line.line < f->tendon.num_tendons && is_whole ? p->line.line : -1;
  if (tendon >= 0) {
    double rest = cr_reference_move_rest(t, theta, tendon);
    int side = cr_tendon_compute_stretch(&f->tendon, tendon, at->length) > 0;
    const cr_theta_column own = {CR_THETA_TENDON_REST, tendon, side};
    cr_row_force_input by = cr_force_theta_of_tendon(t->step, &own, at, p);
    input->force += rest * by.force, input->weight += rest * by.weight;
  }
  if (p->spring == 0) return;
  double rest = cr_reference_move_spring(t, theta, p->spring - 1);
  const cr_line_strand* s = &p->line.strand;
  double length = v3_norm(v3_sub(s->point[1], s->point[0]));
  if (rest == 0) return;
  input->force += rest * p->stiffness;
  input->weight -= rest * p->weight_by[0] * length / f->spring_rest_length[p->spring - 1];
}

/* A row by itself turns with its direction, which the links carry along where it acts on them. */
static bool add(const cr_step_tangent* t, const cr_theta_column* theta, const cr_force_at* at,
                const cr_row_force* along, cr_row_force* p) {
  cr_tree_insertion in[2];
  const cr_line_displacement by = {cr_place_theta_list(t->step, theta, in), in};
  cr_line_place place = cr_step_line_place(t->step);
  size_t n = (size_t)p->line.n;
  if (!moves_row(t, &by, &p->line)) return true;
  double *J = CR_PUSH(t->arena, double, n), *carried = CR_PUSH(t->arena, double, n);
  if (t->arena->failed) return false;
  double length = cr_line_tangent_displace(&place, &along->line, &by);
  cr_row_force_input input = cr_force_move_row(t->step, at, p, along->line.moved, length);
  add_rest(t, theta, at, p, &input);
  if (p->inertia > 0) input.force -= p->inertia * move_inertia(t, &by, &p->line);
  cr_line_tangent_displace(&place, &p->line, &by);
  CR_COPY(J, p->line.moved, n);
  CR_COPY(carried, p->line.moved_carried, n);
  input.J = J;
  if (p->is_external) input.carried = carried;
  cr_force_append_theta(t, theta, p, input);
  return true;
}

bool cr_place_rows_add(const cr_step_tangent* t, const cr_force_at* at, const cr_row_force* along,
                       cr_row_force* force) {
  for (int i = 0; i < t->num_thetas; i++)
    if (cr_theta_is_of_place(&t->thetas[i]) && !add(t, &t->thetas[i], at, along, force))
      return false;
  return true;
}
