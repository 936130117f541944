/* A contact's impulse is the sum of gamma e over its rows' axes e, which move with its normal: its
 * change is that of dgamma e + gamma de. Contacts stand as sim/step/account.c lists them: by place
 * in the problem, those that are split in several places as one. */
#include "derive/force_tangent.h"

#include "base/alloc.h"
#include "base/copy.h"
#include "base/error.h"
#include "derive/constraint_rows.h"
#include "derive/parameters.h"
#include "derive/place_parameters.h"
#include "derive/soft_tangent.h"
#include "math/scalar.h"
#include "sim/tree/tree_factor.h"

#include <limits.h>
#include <string.h>

/* A place of the problem that a contact is in. */
typedef struct traced {
  int contact;                  /* its number in the list */
  bool is_first;                /* of the contact's places */
  cr_active_constraint* active; /* null: it transmits nothing */
  const cr_contact_point* point;
  const cr_contact_tangent* tangent;
  int rows;
  cr_row_shape* shape;  /* [rows] */
  const double* dgamma; /* [rows] in the column at hand, as the next; null: none */
  double length[2];     /* m, what its rows of moments grow by, see cr_contact_theta */
} traced;

typedef struct tracer {
  cr_constraint_state* s;
  cr_force_tangents* out;
  int num_traced;
  traced* traced; /* [num_traced] */
  sv* twist;      /* [num_links] of the column at hand */
  double* star;   /* [num_v] of v_lin */
} tracer;

/* --- What is traced -----------------------------------------------------------------------------
 */

static cr_active_constraint* find_active(const cr_constraint_state* s, int place) {
  int low = 0, high = s->num_active;
  while (low < high) {
    int middle = (low + high) / 2;
    if (s->active[middle].place < place)
      low = middle + 1;
    else
      high = middle;
  }
  return low < s->num_active && s->active[low].place == place ? &s->active[low] : NULL;
}

/* Of one that transmits nothing its normal and its place are what moves. */
static carom_status trace_open(const tracer* l, const cr_contact_set* set, int index, traced* to) {
  cr_step_tangent* t = l->s->t;
  const cr_contact_point* point = &set->points.items[index];
  to->rows = 1;
  to->shape = CR_PUSH(t->arena, cr_row_shape, 1);
  if (t->arena->failed) return cr_error_memory(t->error);
  CR_TRY(cr_contact_tangent_find(t, set, index, &to->tangent));
  cr_contact_tangent_describe(CR_LAW_BOUNDS, 0, point, to->shape);
  return cr_contact_tangent_add_nodes(t, to->tangent, 1, to->shape) ? CAROM_OK
                                                                    : cr_error_memory(t->error);
}

static carom_status trace(tracer* l, const cr_contact_set* set, int place) {
  const cr_constraint_state* s = l->s;
  const cr_constraint* c = &s->out->constraints[s->out->order[place]];
  const cr_contact_point* point = &set->points.items[c->point];
  bool later = c->moment || (s->p->kind[place] == CR_LAW_BOUNDS && point->condim >= 3);
  if (!later) l->out->num_contacts++;
  cr_active_constraint* a = find_active(s, place);
  if (!a && (later || !l->out->wants_open)) return CAROM_OK;
  traced* to = &l->traced[l->num_traced++];
  *to = (traced){
      .contact = l->out->num_contacts - 1, .is_first = !later, .active = a, .point = point};
  if (!a) return trace_open(l, set, c->point, to);
  to->tangent = a->contact, to->rows = a->rows, to->shape = a->shape;
  return CAROM_OK;
}

/* --- Memory -------------------------------------------------------------------------------------
 */

static int count_rows(const cr_constraint_state* s) {
  int count = 0;
  for (int i = 0; i < s->num_active; i++) count += s->active[i].constraint->point < 0;
  return count;
}

static size_t find_size(const cr_force_tangents* f) {
  size_t columns = (size_t)f->num_columns;
  return columns * (size_t)f->num_contacts * sizeof *f->contacts +
         columns * (size_t)f->num_rows * sizeof *f->rows + (size_t)f->num_rows * sizeof *f->keys;
}

static bool push(tracer* l) {
  cr_force_tangents* f = l->out;
  size_t columns = (size_t)f->num_columns;
  char* block = cr_alloc_zero(f->allocator, find_size(f));
  if (!block) return false;
  f->contacts = (cr_contact_move*)(void*)block;
  f->rows = (double*)(void*)(f->contacts + columns * (size_t)f->num_contacts);
  f->keys = (cr_contact_key*)(void*)(f->rows + columns * (size_t)f->num_rows);
  return true;
}

static size_t find_start_size(const cr_force_tangents* f) {
  size_t whole = (size_t)f->num_columns * (size_t)f->num_x;
  return sizeof(double) * (whole + (size_t)f->num_q + (size_t)f->num_v);
}

void cr_force_tangents_destroy(cr_force_tangents* f) {
  if (f->contacts) cr_release(f->allocator, f->contacts, find_size(f));
  if (f->start) cr_release(f->allocator, f->start, find_start_size(f));
  f->contacts = NULL, f->start = NULL;
  f->num_contacts = f->num_rows = 0;
}

void cr_force_tangents_start(cr_step_tangent* t) {
  cr_force_tangents* f = t->forces;
  if (!f) return;
  cr_force_tangents_destroy(f);
  f->num_columns = t->num_columns, f->num_x = t->first_control;
  f->num_q = t->step->model->num_q, f->num_v = t->num_v;
}

/* --- A column -----------------------------------------------------------------------------------
 */

/* What a parameter displaces of the links that it carries. */
static void displace(const tracer* l, const cr_theta_column* theta) {
  const cr_step* step = l->s->t->step;
  const cr_tree_model* model = &step->model->tree;
  cr_tree_insertion in[2];
  int count = theta && cr_theta_is_of_place(theta) ? cr_place_theta_list(step, theta, in) : 0;
  cr_row_motion* const motions[] = {&l->s->star, &l->s->v0};
  for (int j = 0; j < count; j++)
    for (int link = 0; link < model->num_links; link++) {
      if (model->link_tree[link] < 0 || !cr_tree_carries(model, &in[j], link)) continue;
      l->twist[link] = sv_add(l->twist[link], in[j].S);
      for (int i = 0; i < 2; i++) {
        sv drift = cr_place_theta_find_drift(step, &in[j], motions[i]->v);
        motions[i]->link_drift[link] = sv_add(motions[i]->link_drift[link], drift);
      }
    }
}

/* What a column does to a link, beside what it does to its parent. */
static void add_dofs(const tracer* l, int link, const double* dq, const double* dv0) {
  const cr_step* step = l->s->t->step;
  cr_row_motion* const motions[] = {&l->s->star, &l->s->v0};
  const double* const rates[] = {l->star, dv0};
  const int* start = step->model->tree.link_v_start;
  for (int k = start[link]; k < start[link + 1]; k++) {
    sv S = step->kinematics.S[k];
    l->twist[link] = sv_axpy(l->twist[link], dq[k], S);
    for (int i = 0; i < 2; i++) {
      cr_row_motion* m = motions[i];
      m->link_drift[link] = sv_axpy(m->link_drift[link], dq[k], m->drift[k]);
      m->link_change[link] = sv_axpy(m->link_change[link], rates[i][k], S);
    }
  }
}

/* Links of trees that take part. */
static void set_tree(const tracer* l, int tree, const double* dq, const double* dv0) {
  const cr_tree_model* model = &l->s->t->step->model->tree;
  cr_row_motion* const motions[] = {&l->s->star, &l->s->v0};
  int first = model->tree_link_start[tree], end = model->tree_link_end[tree];
  for (int link = first; link < end; link++) {
    int parent = link > first ? model->link_parent[link] : -1;
    l->twist[link] = parent < 0 ? sv_zero() : l->twist[parent];
    for (int i = 0; i < 2; i++) {
      const cr_row_motion* m = motions[i];
      m->link_drift[link] = parent < 0 ? sv_zero() : m->link_drift[parent];
      m->link_change[link] = parent < 0 ? sv_zero() : m->link_change[parent];
    }
    add_dofs(l, link, dq, dv0);
  }
}

/* Soft bodies that are linearised at v0 have v_lin there. */
static void set_rates(const tracer* l, int column) {
  const cr_step_tangent* t = l->s->t;
  const double *star = cr_column(t, t->v_star, column), *v0 = cr_column(t, t->v0, column);
  memcpy(l->star, star, sizeof(double) * (size_t)t->num_v);
  for (int i = t->step->model->tree.num_v; i < t->num_v; i++)
    if (cr_soft_tangents_of_dof(t, i)->is_known) l->star[i] = v0[i];
}

static void set_column(const tracer* l, int column, const cr_theta_column* theta) {
  cr_constraint_state* s = l->s;
  const cr_step_tangent* t = s->t;
  const double *dq = cr_column(t, t->q_mid, column), *dv0 = cr_column(t, t->v0, column);
  set_rates(l, column);
  s->star.dv = l->star, s->v0.dv = dv0;
  for (int b = 0; b < cr_tree_factor_count(t->step, &s->out->blocks); b++)
    set_tree(l, s->out->blocks.movers[b], dq, dv0);
  displace(l, theta);
}

/* How the normal turns, from the row along it where there is one. */
static v3 find_turn(const traced* at, const cr_row_change* change) {
  for (int r = 0; r < at->rows; r++)
    if (at->shape[r].kind == CR_ROW_OF_POINT && v3_dot(at->shape[r].axis, at->point->normal) > 0.5)
      return change[r].axis;
  return cr_contact_tangent_turn_normal(at->tangent);
}

/* Adds what the place does to its contact. */
static void move_contact(const tracer* l, const traced* at, const cr_contact_column* column,
                         cr_contact_move* move) {
  cr_row_change change[CR_LAW_MAX_ROWS];
  const cr_constraint_state* s = l->s;
  double distance = cr_contact_tangent_differentiate(s->t->step, at->tangent, at->shape, at->rows,
                                                     column, change);
  if (at->is_first) {
    move->distance = distance, move->position = change[0].place[0];
    move->normal = find_turn(at, change);
  }
  const cr_row_maker maker = {.s = l->s, .a = at->active, .twist = l->twist};
  if (at->active) cr_row_maker_move_friction(&maker, change);
  for (int r = 0; at->active && r < at->rows; r++) {
    const cr_row_shape* row = &at->shape[r];
    bool is_moment = row->kind == CR_ROW_OF_MOMENT;
    double scale = is_moment ? row->length : 1, gamma = s->out->gamma[at->active->row + r];
    bool twists = v3_dot(row->axis, at->point->normal) > 0.5;
    double longer = is_moment ? change[r].length + at->length[twists ? 0 : 1] : 0;
    v3 by = v3_axpy(v3_scale(scale * at->dgamma[r] + longer * gamma, row->axis), scale * gamma,
                    change[r].axis);
    v3* to = is_moment ? &move->moment : &move->force;
    *to = v3_add(*to, by);
  }
}

static void fill_column(const tracer* l, int column, const double* dgamma) {
  const cr_constraint_state* s = l->s;
  const cr_step_tangent* t = s->t;
  cr_force_tangents* f = l->out;
  const cr_theta_column* theta =
      column < t->first_theta ? NULL : &t->thetas[column - t->first_theta];
  const cr_contact_column at = {.index = INT_MIN + column,
                                .twist = l->twist,
                                .dq = cr_column(t, t->q_mid, column),
                                .star = &s->star,
                                .v0 = &s->v0,
                                .shape = theta && cr_theta_moves_contacts(theta) ? theta : NULL};
  set_column(l, column, theta);
  cr_contact_move* contacts = f->contacts + (size_t)column * (size_t)f->num_contacts;
  for (int i = 0; i < l->num_traced; i++) {
    traced* to = &l->traced[i];
    to->dgamma = to->active ? dgamma + to->active->first : NULL;
    cr_contact_theta by = {0};
    if (theta) by = cr_theta_of_contact(t, theta, to->point);
    CR_COPY(to->length, by.length, 2);
    move_contact(l, to, &at, &contacts[to->contact]);
  }
  double* rows = f->rows + (size_t)column * (size_t)f->num_rows;
  for (int i = 0, row = 0; i < s->num_active; i++)
    if (s->active[i].constraint->point < 0) rows[row++] = dgamma[s->active[i].first];
}

carom_status cr_force_tangents_find(cr_constraint_tangent* c, const cr_contact_set* set,
                                    const double* rows) {
  cr_constraint_state* s = &c->s;
  cr_arena* arena = s->t->arena;
  tracer l = {.s = s, .out = s->t->forces};
  l.traced = CR_PUSH(arena, traced, s->p->num_constraints);
  l.star = CR_PUSH(arena, double, s->t->num_v);
  l.twist = CR_PUSH(arena, sv, s->t->step->model->tree.num_links);
  if (arena->failed) return cr_error_memory(s->t->error);
  memset(l.twist, 0, sizeof(sv) * (size_t)s->t->step->model->tree.num_links);
  l.out->num_rows = count_rows(s);
  for (int i = 0; i < s->p->num_constraints; i++)
    if (s->out->constraints[s->out->order[i]].point >= 0) CR_TRY(trace(&l, set, i));
  if (!push(&l)) return cr_error_memory(s->t->error);
  for (int i = 0, row = 0; i < s->num_active; i++)
    if (s->active[i].constraint->point < 0) l.out->keys[row++] = s->active[i].constraint->key;
  for (int k = 0; k < s->t->num_columns; k++)
    fill_column(&l, k, rows + (size_t)k * (size_t)s->num_rows);
  return CAROM_OK;
}

/* --- Parts --------------------------------------------------------------------------------------
 */

/* The columns of the parts so far. */
static void copy_start(const cr_step_tangent* t, const carom_linearization* before,
                       cr_force_tangents* f) {
  size_t n = (size_t)f->num_x, columns = (size_t)f->num_columns;
  for (size_t c = 0; c < columns; c++) {
    size_t u = (size_t)t->first_control, first = (size_t)t->first_theta;
    const double* M = c < u ? before->A : c < first ? before->B : before->C;
    size_t from = c < u ? 0 : c < first ? u : first;
    size_t stride = c < u ? u : c < first ? first - u : columns - first;
    for (size_t i = 0; i < n; i++) f->start[c * n + i] = M[i * stride + c - from];
  }
}

/* X [num_columns, count] by the state before the part, to one by that before the step.
 * @param old [num_x, count] work */
static void compose(const cr_force_tangents* f, int count, double* old, double* X) {
  size_t width = (size_t)count, n = (size_t)f->num_x;
  if (count == 0) return;
  memcpy(old, X, sizeof *X * width * n);
  for (size_t c = 0; c < (size_t)f->num_columns; c++) {
    double* to = X + c * width;
    for (size_t i = 0; i < width && c < n; i++) to[i] = 0;
    for (size_t k = 0; k < n; k++) scalar_axpy(to, f->start[c * n + k], old + k * width, count, to);
  }
}

carom_status cr_force_tangents_compose(const cr_step_tangent* t,
                                       const carom_linearization* before) {
  enum { NUMBERS = sizeof(cr_contact_move) / sizeof(double) };
  cr_force_tangents* f = t->forces;
  if (!f || t->part == 0) return CAROM_OK;
  int width = NUMBERS * f->num_contacts;
  int most = width > f->num_rows ? width : f->num_rows;
  double* old = CR_PUSH(t->arena, double, (size_t)most*(size_t)f->num_x);
  f->start = cr_alloc_zero(f->allocator, find_start_size(f));
  if (!f->start || t->arena->failed) return cr_error_memory(t->error);
  f->q0 = f->start + (size_t)f->num_columns * (size_t)f->num_x, f->v0 = f->q0 + f->num_q;
  CR_COPY(f->q0, t->step->sim->q, (size_t)f->num_q);
  CR_COPY(f->v0, t->step->sim->v, (size_t)f->num_v);
  copy_start(t, before, f);
  compose(f, width, old, (double*)(void*)f->contacts);
  compose(f, f->num_rows, old, f->rows);
  return CAROM_OK;
}

double cr_force_tangents_find_row(const cr_force_tangents* f, int column, uint64_t pair, int row) {
  for (int i = 0; i < f->num_rows; i++)
    if (f->keys[i].pair == pair && (int)f->keys[i].feature == row && !f->keys[i].moment)
      return f->rows[(size_t)column * (size_t)f->num_rows + (size_t)i];
  return 0;
}
