/* Local FCLIB problems: u = W r + q. The contacts fall into connected parts; each part's W = F Fᵀ
 * gives it as many unknowns as W has rank, with A the identity, J = F, v* = 0 and v_hat = -q, so
 * that u = J v - v_hat = W r + q whether or not q lies in the range of W. */
#include "base/copy.h"
#include "convex/problem.h"
#include "import/problem/fclib.h"
#include "linalg/semidefinite.h"

#include <string.h>

/* A connected part. */
typedef struct part {
  int first, count; /* into parts.contact */
  int rank;
  int block;    /* its unknowns' first block */
  double shift; /* W + shift I = F Fᵀ; 0 unless W is indefinite */
  double* F;    /* [3 count, rank] rows in their order */
} part;

/* Unknowns of a block: those of a part are cut, as A is the identity. */
#define MOST_BLOCK 48

typedef struct parts {
  int count, num_blocks;
  part* items;
  int* contact; /* [num_contacts] by part */
  int* place;   /* [num_contacts] place of a contact within its part */
  int* of;      /* [num_contacts] part of a contact */
} parts;

/* --- Parts --------------------------------------------------------------------------------------
 */

static int find_root(int* parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static void join_contacts(const cr_sparse* W, int* parent) {
  for (int c = 0; c < W->n; c++)
    for (int e = W->start[c]; e < W->start[c + 1]; e++) {
      int a = find_root(parent, c / 3), b = find_root(parent, W->row[e] / 3);
      if (a != b) parent[a > b ? a : b] = a > b ? b : a;
    }
}

/* Parts in the order of their first contacts, contacts in their own order. */
static bool find_parts(cr_problem_source* s, const cr_sparse* W, int num_contacts, parts* all) {
  size_t n = (size_t)num_contacts + 1;
  *all = (parts){.items = CR_PUSH(&s->arena, part, n),
                 .contact = CR_PUSH(&s->arena, int, n),
                 .place = CR_PUSH(&s->arena, int, n),
                 .of = CR_PUSH(&s->arena, int, n)};
  int* parent = CR_PUSH(&s->arena, int, n);
  if (s->arena.failed) return false;
  for (int i = 0; i < num_contacts; i++) parent[i] = i;
  join_contacts(W, parent);
  for (int i = 0; i < num_contacts; i++) {
    int root = find_root(parent, i);
    all->of[i] = root == i ? all->count++ : all->of[root];
    if (root == i) all->items[all->of[i]] = (part){0};
    all->place[i] = all->items[all->of[i]].count++;
  }
  for (int k = 0, sum = 0; k < all->count; k++) {
    all->items[k].first = sum;
    sum += all->items[k].count;
  }
  for (int i = 0; i < num_contacts; i++)
    all->contact[all->items[all->of[i]].first + all->place[i]] = i;
  return true;
}

/* --- Factors ------------------------------------------------------------------------------------
 */

/* W of a part, dense and symmetric to the bit. */
static void gather(const cr_sparse* W, const parts* all, const part* p, double* dense) {
  int n = 3 * p->count;
  memset(dense, 0, sizeof *dense * (size_t)n * (size_t)n);
  for (int k = 0; k < p->count; k++)
    for (int d = 0; d < 3; d++) {
      int column = 3 * all->contact[p->first + k] + d;
      for (int e = W->start[column]; e < W->start[column + 1]; e++) {
        int row = 3 * all->place[W->row[e] / 3] + W->row[e] % 3;
        dense[(size_t)row * (size_t)n + (size_t)(3 * k + d)] += 0.5 * W->value[e];
        dense[(size_t)(3 * k + d) * (size_t)n + (size_t)row] += 0.5 * W->value[e];
      }
    }
}

static carom_status refuse_part(const cr_problem_source* s, const parts* all, const part* p,
                                double worst) {
  int contact = all->contact[p->first];
  if (p->rank == 0)
    return cr_problem_refuse(s, "/fclib_local/W: the rows of contact %d are zero", contact);
  return cr_problem_refuse(s,
                           "/fclib_local/W is not positive semi-definite: the part of contact %d "
                           "(%d contacts) has an eigenvalue or pivot of %.9g",
                           contact, p->count, worst);
}

static carom_status factor_part(cr_problem_source* s, const cr_sparse* W, const parts* all,
                                part* p) {
  size_t n = 3 * (size_t)p->count;
  cr_scratch_mark mark = cr_arena_mark_scratch(&s->arena);
  if (n > 20000)
    return cr_problem_refuse(s, "/fclib_local/W: %d contacts are connected, more than are read",
                             p->count);
  double *dense = CR_SCRATCH(&s->arena, double, n*n), worst;
  if (!dense) return cr_error_memory(s->error);
  gather(W, all, p, dense);
  p->rank = 0;
  cr_semidefinite_outcome outcome =
      cr_semidefinite_factor(dense, (int)n, &s->arena, &p->F, &p->rank, &p->shift, &worst);
  cr_arena_pop_scratch(&s->arena, mark);
  if (outcome == CR_SEMIDEFINITE_MEMORY) return cr_error_memory(s->error);
  if (outcome == CR_SEMIDEFINITE_DONE && p->rank > 0) return CAROM_OK;
  p->rank = outcome == CR_SEMIDEFINITE_DONE ? 0 : 1;
  return refuse_part(s, all, p, worst);
}

/* --- Problem ------------------------------------------------------------------------------------
 */

static int count_blocks(const part* p) { return (p->rank + MOST_BLOCK - 1) / MOST_BLOCK; }

/* Size of block k of a part. */
static int block_size(const part* p, int k) {
  int rest = p->rank - k * MOST_BLOCK;
  return rest < MOST_BLOCK ? rest : MOST_BLOCK;
}

static carom_status create(cr_problem_source* s, hid_t file, parts* all, carom_problem** problem) {
  carom_problem_def def = carom_problem_def_default();
  all->num_blocks = 0;
  for (int k = 0; k < all->count; k++) {
    all->items[k].block = all->num_blocks;
    all->num_blocks += count_blocks(&all->items[k]);
  }
  int* sizes = CR_PUSH(&s->arena, int, all->num_blocks + 1);
  if (!sizes) return cr_error_memory(s->error);
  for (int k = 0; k < all->count; k++)
    for (int b = 0; b < count_blocks(&all->items[k]); b++)
      sizes[all->items[k].block + b] = block_size(&all->items[k], b);
  def.name = cr_fclib_load_name(s, file, "fclib_local");
  def.num_blocks = all->num_blocks, def.block_size = sizes;
  return cr_problem_pass(s, 0, carom_problem_create(&def, problem, s->error));
}

static carom_status set_identity(cr_problem_source* s, const parts* all, carom_problem* problem) {
  double identity[MOST_BLOCK * MOST_BLOCK];
  for (int k = 0; k < all->count; k++)
    for (int b = 0; b < count_blocks(&all->items[k]); b++) {
      int n = block_size(&all->items[k], b), block = all->items[k].block + b;
      memset(identity, 0, sizeof identity);
      for (int i = 0; i < n; i++) identity[i * n + i] = 1;
      carom_status status = carom_problem_set_block(problem, block, block, identity, s->error);
      CR_TRY(cr_problem_pass(s, 0, status));
    }
  return CAROM_OK;
}

/* The contact's three rows of F, cut into the blocks of its part. */
static carom_status add_contact(cr_problem_source* s, const parts* all,
                                const cr_fclib_contacts* contacts, int index,
                                carom_problem* problem) {
  const part* p = &all->items[all->of[index]];
  int count = count_blocks(p);
  size_t rank = (size_t)p->rank;
  cr_scratch_mark mark = cr_arena_mark_scratch(&s->arena);
  double* J = CR_SCRATCH(&s->arena, double, 3 * rank);
  int* blocks = CR_SCRATCH(&s->arena, int, count);
  const double** jacobian = cr_arena_push_scratch(&s->arena, sizeof(double*) * (size_t)count);
  if (s->arena.failed) return cr_error_memory(s->error);
  for (int b = 0; b < count; b++) {
    size_t first = (size_t)b * MOST_BLOCK, size = (size_t)block_size(p, b);
    for (int k = 0; k < 3; k++) {
      const double* F = p->F + (size_t)(3 * all->place[index] + k) * rank;
      CR_COPY(J + 3 * first + (size_t)CR_FCLIB_ROW[k] * size, F + first, size);
    }
    blocks[b] = p->block + b, jacobian[b] = J + 3 * first;
  }
  CR_TRY(cr_fclib_add(s, contacts, index, count, blocks, jacobian, problem));
  cr_arena_pop_scratch(&s->arena, mark);
  return CAROM_OK;
}

/* What was added to make W semi-definite is taken off again. */
static carom_status set_shift(cr_problem_source* s, const parts* all, int count,
                              carom_problem* problem) {
  double* shift = CR_PUSH(&s->arena, double, 3 * (size_t)count);
  bool any = false;
  if (!shift) return cr_error_memory(s->error);
  for (int r = 0; r < 3 * count; r++) {
    shift[r] = all->items[all->of[r / 3]].shift;
    any |= shift[r] > 0;
  }
  return any ? cr_problem_pass(s, 0, cr_convex_set_concave(problem, shift, s->error)) : CAROM_OK;
}

static carom_status fill(cr_problem_source* s, const parts* all, const cr_fclib_contacts* contacts,
                         carom_problem* problem) {
  CR_TRY(set_identity(s, all, problem));
  for (int i = 0; i < contacts->count; i++) CR_TRY(add_contact(s, all, contacts, i, problem));
  CR_TRY(set_shift(s, all, contacts->count, problem));
  return cr_problem_pass(s, 0, carom_problem_finish(problem, s->error));
}

carom_status cr_fclib_load_local(cr_problem_source* s, hid_t file, carom_problem** problem) {
  cr_sparse W;
  cr_fclib_contacts contacts;
  parts all;
  CR_TRY(cr_sparse_load(s, file, "fclib_local/W", &W));
  CR_TRY(cr_sparse_make_symmetric(s, "fclib_local/W", &W));
  if (cr_h5_exists(file, "fclib_local/V") || cr_h5_exists(file, "fclib_local/R"))
    return cr_error_set(s->error, CAROM_ERROR_UNSUPPORTED,
                        "%.180s: /fclib_local/V: equalities of local problems are not read",
                        s->path);
  CR_TRY(cr_fclib_load_contacts(s, file, "fclib_local", "q", W.n, &contacts));
  if (contacts.count == 0) return cr_problem_refuse(s, "/fclib_local has no contacts");
  if (!find_parts(s, &W, contacts.count, &all)) return cr_error_memory(s->error);
  for (int k = 0; k < all.count; k++) CR_TRY(factor_part(s, &W, &all, &all.items[k]));
  CR_TRY(create(s, file, &all, problem));
  carom_status status = fill(s, &all, &contacts, *problem);
  if (status == CAROM_OK) return CAROM_OK;
  carom_problem_destroy(*problem);
  *problem = NULL;
  return status;
}
