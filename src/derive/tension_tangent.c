/* A tight row turns a link l with K+, the positive part of K = sym((f . r) 1 - f rᵀ) with a given
 * force f and the way r from the link's pivot to where that acts. At the angular velocity w of the
 * link, A has the couple K+ w. In axes that turn with the link by T, f turns by -T × f, r changes
 * by how the point moves against the link, dr, and w by the drift D (tree/rnea_derivatives.h), so
 * that beside being carried along the couple changes by
 *
 *   dK+ w + K+ D,     dK+ = Σ Q_a d_ab (Q_a · dK Q_b) Q_bᵀ,    d_ab = (c_a⁺ - c_b⁺) / (c_a - c_b)
 *
 * (Daleckii and Krein) with the eigenvalues c and eigenvectors Q of K. */
#include "derive/tension_tangent.h"

#include "derive/place_parameters.h"
#include "derive/row_parameters.h"
#include "math/eigen3.h"

#include <math.h>

/* K, and its positive part. */
typedef struct stiffness {
  m3 Q, positive;
  v3 c;
} stiffness;

static stiffness find_stiffness(const cr_tight_turn* turn) {
  m3 K = cr_tight_stiffness(turn->force, turn->arm);
  stiffness s;
  s.c = m3_eigen_symmetric(&K, &s.Q);
  m3 kept = m3_diagonal((v3){fmax(s.c.x, 0), fmax(s.c.y, 0), fmax(s.c.z, 0)});
  s.positive = m3_congruence(&s.Q, &kept);
  return s;
}

/* The positive part's change by one of K. */
static m3 move_positive(const stiffness* s, const m3* dK) {
  m3 back = m3_transpose(&s->Q), d = m3_congruence(&back, dK);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double a = v3_get(s->c, i), b = v3_get(s->c, j);
      bool is_one = a > 0 && b > 0;
      if (!is_one) d.m[i][j] *= a > 0 || b > 0 ? (fmax(a, 0) - fmax(b, 0)) / (a - b) : 0;
    }
  return m3_congruence(&s->Q, &d);
}

/* The velocity of a point that a link carries, by a unit of a dof. */
static v3 move_point(const cr_step* step, int dof, int link, v3 point) {
  const cr_tree_model* model = &step->model->tree;
  if (!cr_dof_moves(model, dof, link)) return v3_zero();
  v3 r = v3_sub(point, step->kinematics.origin[model->link_tree[link]]);
  return sv_point_velocity(step->kinematics.S[dof], r);
}

/* A turn, looked at. */
typedef struct look {
  const cr_step* step;
  const cr_tight_turn* turn;
  stiffness s;
  v3 pivot;
} look;

static look look_at(const cr_step* step, const cr_tight_turn* turn) {
  return (look){step, turn, find_stiffness(turn), cr_tight_pivot(step, turn->link)};
}

/* How the couple changes by a dof beside being carried along, per h²; in two parts, dK+ w and D. */
static v3 move_couple(const look* at, int dof, v3 w, v3 drift[1]) {
  const cr_tight_turn* turn = at->turn;
  const cr_step* step = at->step;
  v3 point = v3_add(at->pivot, turn->arm), turned = v3_zero();
  v3 dr =
      v3_sub(move_point(step, dof, turn->holder, point), move_point(step, dof, turn->link, point));
  if (cr_dof_moves(&step->model->tree, dof, turn->link))
    turned = v3_cross(turn->force, step->kinematics.S[dof].ang);
  else
    *drift = v3_zero();
  m3 by_force = cr_tight_stiffness(turned, turn->arm), by_arm = cr_tight_stiffness(turn->force, dr);
  m3 dK = m3_add(&by_force, &by_arm);
  dK = move_positive(&at->s, &dK);
  return m3_mulv(&dK, w);
}

/* v - v* of a link. */
static v3 find_change(const cr_constraint_state* s, int link) {
  return v3_sub(s->v.link[link].ang, s->star.link[link].ang);
}

/* Parameters that arms follow from. */
static bool moves_with_thetas(const cr_step_tangent* t) {
  bool any = false;
  for (int i = 0; i < t->num_thetas; i++)
    any |= cr_theta_is_of_place(&t->thetas[i]) || cr_theta_is_of_row(&t->thetas[i]);
  return any;
}

/* Forces are those of the step before, which are given; of a part before, or of a problem before in
 * the same step, they are not. */
static void count_held(const cr_constraint_state* s) {
  cr_step_tangent* t = s->t;
  bool is_given = t->part == 0 && t->step->guess == &t->step->sim->memory;
  t->num_held += !is_given || moves_with_thetas(t) || s->out->tension.num_strands > 0;
}

/* Where an eigenvalue changes its sign. */
static void mark_kinks(cr_step_tangent* t, const stiffness* s) {
  double most = fmax(fabs(s->c.x), fabs(s->c.z));
  cr_step_tangent_mark_kink(t, fabs(s->c.y) / most);
}

void cr_tension_tangent_find(cr_constraint_state* s) {
  const cr_tension* tension = &s->out->tension;
  const cr_step* step = s->t->step;
  cr_step_tangent_mark_kink(s->t, tension->nearest);
  if (!cr_tension_has_any(tension)) return;
  count_held(s);
  for (const cr_tight_turn* turn = tension->turns; turn; turn = turn->next) {
    look at = look_at(step, turn);
    v3 couple = m3_mulv(&at.s.positive, find_change(s, turn->link));
    mark_kinks(s->t, &at.s);
    s->impulse[turn->link].ang = v3_axpy(s->impulse[turn->link].ang, -turn->weight, couple);
  }
}

static void add_turn_slope(const cr_constraint_state* s, const cr_tight_turn* turn) {
  const cr_step* step = s->t->step;
  const cr_tree_model* model = &step->model->tree;
  int tree = model->link_tree[turn->link], start = model->tree_v_start[tree];
  int n = model->tree_v_start[tree + 1] - start;
  double* slope = s->tree_slope + step->sim->plan.M_start[tree];
  look at = look_at(step, turn);
  v3 w = find_change(s, turn->link);
  for (int k = model->link_last_dof[turn->holder]; k >= 0; k = model->dof_parent[k]) {
    v3 drift = v3_sub(s->v.drift[k].ang, s->star.drift[k].ang);
    v3 moved = move_couple(&at, k, w, &drift);
    moved = v3_add(moved, m3_mulv(&at.s.positive, drift));
    for (int i = model->link_last_dof[turn->link]; i >= 0; i = model->dof_parent[i])
      slope[(k - start) * n + i - start] += turn->weight * v3_dot(step->kinematics.S[i].ang, moved);
  }
}

void cr_tension_tangent_add_slope(const cr_constraint_state* s) {
  for (const cr_tight_turn* turn = s->out->tension.turns; turn; turn = turn->next)
    add_turn_slope(s, turn);
}

void cr_tension_tangent_add_mobility(const cr_constraint_state* s, const cr_row_motion* motion,
                                     double* slope) {
  const cr_step* step = s->t->step;
  const cr_tree_model* model = &step->model->tree;
  for (const cr_tight_turn* turn = s->out->tension.turns; turn; turn = turn->next) {
    look at = look_at(step, turn);
    v3 w = motion->link[turn->link].ang, couple = m3_mulv(&at.s.positive, w);
    for (int k = model->link_last_dof[turn->holder]; k >= 0; k = model->dof_parent[k]) {
      v3 drift = motion->drift[k].ang, moved = move_couple(&at, k, w, &drift);
      slope[k] -= turn->weight * (v3_dot(w, moved) + 2 * v3_dot(couple, drift));
    }
  }
}
