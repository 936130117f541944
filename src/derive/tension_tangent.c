/* A tight row turns a link l with K+, the positive part of K = sym((f . r) 1 - f rᵀ) with a given
 * force f and the way r from the link's pivot to where that acts. At the angular velocity w of the
 * link, A has the couple K+ w. In axes that turn with the link by T, f turns by -T × f, r changes
 * by how the point moves against the link, dr, and w by the drift D (tree/rnea_derivatives.h), so
 * that beside being carried along the couple changes by
 *
 *   dK+ w + K+ D,     dK+ = Σ Q_a d_ab (Q_a · dK Q_b) Q_bᵀ,    d_ab = (c_a⁺ - c_b⁺) / (c_a - c_b)
 *
 * (Daleckii and Krein) with the eigenvalues c and eigenvectors Q of K. A string's force f = T n
 * turns as both ends move, df = T (1 - n nᵀ) (dp1 - dp0) / l, whatever carries these; and what it
 * has across it, (1 - n nᵀ) h² T / l between the velocities of its ends, is as that of springs
 * between points: along three axes, less along the string (row_forces.c). */
#include "derive/tension_tangent.h"

#include "base/copy.h"
#include "derive/place_parameters.h"
#include "derive/row_force.h"
#include "derive/row_parameters.h"
#include "math/eigen3.h"
#include "sim/tree/lines.h"

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

/* What a dof on the path of a turn's holder does: dK+, beside being carried along. */
typedef struct turn_dof {
  int dof;
  bool moves; /* the link that turns */
  m3 positive;
} turn_dof;

/* A turn, looked at. */
typedef struct cr_tight_look {
  const cr_tight_turn* turn;
  stiffness s;
  int n;
  turn_dof* by; /* [n] */
  struct cr_tight_look* next;
} cr_tight_look;

static turn_dof find_turn_dof(const cr_step* step, const cr_tight_look* at, int dof) {
  const cr_tight_turn* turn = at->turn;
  turn_dof by = {.dof = dof, .moves = cr_dof_moves(&step->model->tree, dof, turn->link)};
  v3 point = v3_add(cr_tight_pivot(step, turn->link), turn->arm), turned = v3_zero();
  v3 dr =
      v3_sub(move_point(step, dof, turn->holder, point), move_point(step, dof, turn->link, point));
  if (by.moves) turned = v3_cross(turn->force, step->kinematics.S[dof].ang);
  m3 by_force = cr_tight_stiffness(turned, turn->arm), by_arm = cr_tight_stiffness(turn->force, dr);
  m3 dK = m3_add(&by_force, &by_arm);
  by.positive = move_positive(&at->s, &dK);
  return by;
}

/* Looks at one; false when memory ran out. */
static bool look_at(const cr_constraint_state* s, const cr_tight_turn* turn, cr_tight_look* at) {
  const cr_step* step = s->t->step;
  const cr_tree_model* model = &step->model->tree;
  *at = (cr_tight_look){.turn = turn, .s = find_stiffness(turn)};
  int first = model->link_last_dof[turn->holder];
  for (int k = first; k >= 0; k = model->dof_parent[k]) at->n++;
  at->by = CR_PUSH(s->t->arena, turn_dof, at->n);
  if (s->t->arena->failed) return false;
  for (int k = first, i = 0; k >= 0; k = model->dof_parent[k])
    at->by[i++] = find_turn_dof(step, at, k);
  return true;
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
  t->num_held += !is_given || moves_with_thetas(t);
  for (int i = 0; i < s->out->tension.num_strands; i++)
    t->num_held += s->out->tension.strands[i].is_wound;
}

/* Where an eigenvalue changes its sign. */
static void mark_kinks(cr_step_tangent* t, const stiffness* s) {
  double most = fmax(fabs(s->c.x), fabs(s->c.z));
  cr_step_tangent_mark_kink(t, fabs(s->c.y) / most);
}

/* --- Strings ------------------------------------------------------------------------------------
 */

/* A turn by a string, and how the force moves with dofs of both ends. */
typedef struct cr_tight_string {
  const cr_tight_turn* turn;
  stiffness s;
  v3 w; /* v - v* of the link */
  int n;
  const int* dof; /* [n] */
  v3* force;      /* [n] */
  struct cr_tight_string* next;
} cr_tight_string;

/* How the direction of a string moves with a dof. */
static v3 turn_strand(const cr_step* step, const cr_strand* s, int dof) {
  v3 d = v3_sub(s->point[1], s->point[0]), n = v3_scale(1 / v3_norm(d), d);
  v3 apart = v3_sub(move_point(step, dof, s->link[1], s->point[1]),
                    move_point(step, dof, s->link[0], s->point[0]));
  return v3_scale(1 / v3_norm(d), v3_axpy(apart, -v3_dot(apart, n), n));
}

/* Its rows across, into t.row_forces. */
static bool add_across(cr_constraint_state* s, const cr_strand* strand) {
  cr_step_tangent* t = s->t;
  cr_line_place place = cr_step_line_place(t->step);
  const cr_line_strand part = {
      {strand->link[0], strand->link[1]}, {strand->point[0], strand->point[1]}, 1, false};
  double length = v3_norm(v3_sub(strand->point[1], strand->point[0]));
  cr_row_force* along = &t->row_forces->items[t->row_forces->count];
  for (int k = 0; k < 4; k++) {
    cr_row_force* p = &along[k];
    v3 axis = v3_set(v3_zero(), k % 3, 1);
    *p = (cr_row_force){.weight = k ? strand->weight : -strand->weight};
    if (!cr_line_tangent_of_strand(&place, &part, k ? &axis : NULL, t->arena, &p->line))
      return false;
    p->length = p->rate = (cr_row_force_way){along->line.G, along->line.J, 0, 0};
    p->weight_by[0] = -p->weight / length;
  }
  t->row_forces->count += 4;
  return true;
}

static bool add_strings(cr_constraint_state* s) {
  cr_step_tangent* t = s->t;
  const cr_tension* tension = &s->out->tension;
  if (tension->num_strands == 0) return true;
  const cr_row_forces* before = t->row_forces;
  cr_row_forces* all = CR_PUSH(t->arena, cr_row_forces, 1);
  if (!all) return false;
  *all = *before;
  all->items = CR_PUSH(t->arena, cr_row_force, before->count + 4 * tension->num_strands);
  if (!all->items) return false;
  CR_COPY(all->items, before->items, before->count);
  t->row_forces = all;
  for (int i = 0; i < tension->num_strands; i++)
    if (!add_across(s, &tension->strands[i])) return false;
  return true;
}

/* The row along the strand of a turn, which has its dofs. */
static const cr_row_force* find_along(const cr_constraint_state* s, const cr_tight_turn* turn) {
  const cr_tension* tension = &s->out->tension;
  const cr_row_forces* all = s->t->row_forces;
  long at = turn->strand - tension->strands;
  return &all->items[all->count - 4 * (tension->num_strands - (int)at)];
}

static bool add_string(cr_constraint_state* s, const cr_tight_turn* turn, const stiffness* K) {
  cr_tight_string* string = CR_PUSH(s->t->arena, cr_tight_string, 1);
  if (!string) return false;
  const cr_line_tangent* line = &find_along(s, turn)->line;
  v3 d = v3_sub(turn->strand->point[1], turn->strand->point[0]);
  double tension = v3_dot(turn->force, d) / v3_norm(d);
  *string = (cr_tight_string){turn,      *K,        find_change(s, turn->link),
                              line->n,   line->dof, CR_PUSH(s->t->arena, v3, line->n),
                              s->strings};
  if (!string->force) return false;
  for (int k = 0; k < line->n; k++)
    string->force[k] = v3_scale(tension, turn_strand(s->t->step, turn->strand, line->dof[k]));
  s->strings = string;
  return true;
}

static v3 move_force(const cr_tight_string* string, const double* q_mid) {
  v3 sum = v3_zero();
  for (int k = 0; k < string->n; k++) sum = v3_axpy(sum, q_mid[string->dof[k]], string->force[k]);
  return sum;
}

/* h² dK+ w for a change of the force. */
static v3 move_couple_by_force(const cr_tight_string* string, v3 force, v3 w) {
  m3 dK = cr_tight_stiffness(force, string->turn->arm);
  dK = move_positive(&string->s, &dK);
  return v3_scale(string->turn->weight, m3_mulv(&dK, w));
}

/* The angular velocity of its link at a velocity [num_v]. */
static v3 find_turning(const cr_step* step, const cr_tight_string* string, const double* v) {
  const cr_tree_model* model = &step->model->tree;
  v3 w = v3_zero();
  for (int i = model->link_last_dof[string->turn->link]; i >= 0; i = model->dof_parent[i])
    w = v3_axpy(w, v[i], step->kinematics.S[i].ang);
  return w;
}

/* q_mid += s of the cotangent of its force, where y . h² dK+ w counts. */
static void pull_force(const cr_tight_string* string, v3 y, v3 w, double s, double* q_mid) {
  v3 of_force = v3_zero();
  for (int i = 0; i < 3; i++) {
    v3 unit = v3_set(v3_zero(), i, 1);
    of_force = v3_set(of_force, i, v3_dot(y, move_couple_by_force(string, unit, w)));
  }
  for (int k = 0; k < string->n; k++)
    q_mid[string->dof[k]] += s * v3_dot(of_force, string->force[k]);
}

void cr_tension_tangent_subtract_strings(const cr_constraint_state* s, const double* q_mid,
                                         double* full) {
  const cr_step* step = s->t->step;
  const cr_tree_model* model = &step->model->tree;
  for (const cr_tight_string* at = s->strings; at; at = at->next) {
    v3 couple = move_couple_by_force(at, move_force(at, q_mid), at->w);
    for (int i = model->link_last_dof[at->turn->link]; i >= 0; i = model->dof_parent[i])
      full[i] -= v3_dot(step->kinematics.S[i].ang, couple);
  }
}

void cr_tension_tangent_pull_strings(const cr_constraint_state* s, const double* full,
                                     double* q_mid) {
  for (const cr_tight_string* at = s->strings; at; at = at->next)
    pull_force(at, find_turning(s->t->step, at, full), at->w, -1, q_mid);
}

double cr_tension_tangent_move_strings(const cr_constraint_state* s, const double* z,
                                       const double* q_mid) {
  double sum = 0;
  for (const cr_tight_string* at = s->strings; at; at = at->next) {
    v3 w = find_turning(s->t->step, at, z);
    sum -= v3_dot(w, move_couple_by_force(at, move_force(at, q_mid), w));
  }
  return sum;
}

void cr_tension_tangent_pull_mobility(const cr_constraint_state* s, const double* z,
                                      double cotangent, double* q_mid) {
  for (const cr_tight_string* at = s->strings; at; at = at->next) {
    v3 w = find_turning(s->t->step, at, z);
    pull_force(at, w, w, -cotangent, q_mid);
  }
}

/* --- All ----------------------------------------------------------------------------------------
 */

bool cr_tension_tangent_find(cr_constraint_state* s) {
  const cr_tension* tension = &s->out->tension;
  cr_step_tangent_mark_kink(s->t, tension->nearest);
  if (!cr_tension_has_any(tension)) return true;
  count_held(s);
  if (!add_strings(s)) return false;
  cr_tight_look** end = &s->turns;
  for (const cr_tight_turn* turn = tension->turns; turn; turn = turn->next) {
    cr_tight_look* at = CR_PUSH(s->t->arena, cr_tight_look, 1);
    if (!at || !look_at(s, turn, at)) return false;
    v3 couple = m3_mulv(&at->s.positive, find_change(s, turn->link));
    mark_kinks(s->t, &at->s);
    s->impulse[turn->link].ang = v3_axpy(s->impulse[turn->link].ang, -turn->weight, couple);
    if (turn->strand && !add_string(s, turn, &at->s)) return false;
    *end = at, end = &at->next;
  }
  return true;
}

static void add_turn_slope(const cr_constraint_state* s, const cr_tight_look* at) {
  const cr_step* step = s->t->step;
  const cr_tree_model* model = &step->model->tree;
  const cr_tight_turn* turn = at->turn;
  int tree = model->link_tree[turn->link], start = model->tree_v_start[tree];
  int n = model->tree_v_start[tree + 1] - start;
  double* slope = s->tree_slope + step->sim->plan.M_start[tree];
  v3 w = find_change(s, turn->link);
  for (const turn_dof* by = at->by; by < at->by + at->n; by++) {
    v3 drift = v3_sub(s->v.drift[by->dof].ang, s->star.drift[by->dof].ang);
    v3 moved = m3_mulv(&by->positive, w);
    if (by->moves) moved = v3_add(moved, m3_mulv(&at->s.positive, drift));
    for (int i = model->link_last_dof[turn->link]; i >= 0; i = model->dof_parent[i])
      slope[(by->dof - start) * n + i - start] +=
          turn->weight * v3_dot(step->kinematics.S[i].ang, moved);
  }
}

void cr_tension_tangent_add_slope(const cr_constraint_state* s) {
  for (const cr_tight_look* at = s->turns; at; at = at->next) add_turn_slope(s, at);
}

void cr_tension_tangent_add_mobility(const cr_constraint_state* s, const cr_row_motion* motion,
                                     double* slope) {
  for (const cr_tight_look* at = s->turns; at; at = at->next) {
    v3 w = motion->link[at->turn->link].ang, couple = m3_mulv(&at->s.positive, w);
    for (const turn_dof* by = at->by; by < at->by + at->n; by++) {
      double along = by->moves ? 2 * v3_dot(couple, motion->drift[by->dof].ang) : 0;
      slope[by->dof] -= at->turn->weight * (v3_dot(w, m3_mulv(&by->positive, w)) + along);
    }
  }
}
