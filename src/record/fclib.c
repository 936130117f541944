/* FCLIB files: W r + q = u (local), or M v = H r + G l + f, u = Hᵀ v + w, 0 = Gᵀ v + b (global).
 * Contacts alone, in 3 dimensions; their rows are (n, t1, t2). Matrices are stored by columns. */
#include "base/copy.h"
#include "record/problem.h"

#include <math.h>
#include <string.h>

#define MOST_LOCAL_ROWS 6000 /* of a dense W */

/* A matrix that grows column by column. */
typedef struct columns {
  int m, n, used;
  int *start, *row;
  double* value;
} columns;

/* --- What cannot be written ---------------------------------------------------------------------
 */

static bool is_equality(const cr_convex_constraint* c) {
  return c->kind == CAROM_CONSTRAINT_BOUNDS && isinf(c->parameter[0]) && isinf(c->parameter[1]);
}

const char* cr_fclib_refuse_local(const carom_problem* p) {
  if (p->num_contacts == 0) return "FCLIB's form needs a contact";
  if (p->num_rows > MOST_LOCAL_ROWS) return "the local form is written for at most 2000 contacts";
  for (int i = 0; i < p->num_constraints; i++)
    if (cr_convex_get(p, i)->kind != CAROM_CONSTRAINT_CONTACT)
      return "FCLIB's local form holds contacts only, and the problem has other constraints";
  return NULL;
}

const char* cr_fclib_refuse_global(const carom_problem* p) {
  if (p->num_contacts == 0) return "FCLIB's form needs a contact";
  for (int i = 0; i < p->num_constraints; i++) {
    const cr_convex_constraint* c = cr_convex_get(p, i);
    if (c->kind != CAROM_CONSTRAINT_CONTACT && !is_equality(c))
      return "FCLIB's global form holds contacts and equalities only, and the problem has other "
             "constraints";
    for (int r = 0; r < c->rows; r++)
      if (cr_convex_get_R(p, c->row + r) != 0)
        return "FCLIB's global form holds rigid rows only, and the problem has R > 0";
  }
  return NULL;
}

/* --- Matrices -----------------------------------------------------------------------------------
 */

static bool begin(cr_arena* arena, int m, int n, size_t capacity, columns* c) {
  *c = (columns){.m = m, .n = n};
  c->start = CR_PUSH(arena, int, (size_t)n + 1);
  c->row = CR_PUSH(arena, int, capacity + 1);
  c->value = CR_PUSH(arena, double, capacity + 1);
  if (arena->failed) return false;
  memset(c->start, 0, sizeof *c->start * ((size_t)n + 1));
  return true;
}

static void append(columns* c, int row, double value) {
  if (value == 0) return;
  c->row[c->used] = row, c->value[c->used++] = value;
}

static bool save_int(hid_t group, const char* name, int value) {
  return cr_h5_save_ints(group, name, &value, 1);
}

static bool save_matrix(hid_t parent, const char* name, const columns* c) {
  hid_t group = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool done = group >= 0 && save_int(group, "nzmax", c->used) && save_int(group, "m", c->m) &&
              save_int(group, "n", c->n) && save_int(group, "nz", -1) &&
              cr_h5_save_ints(group, "p", c->start, (int64_t)c->n + 1) &&
              cr_h5_save_ints(group, "i", c->row, c->used) &&
              cr_h5_save_reals(group, "x", c->value, c->used);
  if (group >= 0) H5Gclose(group);
  return done;
}

static bool save_info(hid_t group, const carom_problem* p) {
  hid_t info = H5Gcreate2(group, "info", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool done = info >= 0 && cr_h5_write_text(info, "title", p->name) &&
              cr_h5_write_text(info, "description", "written by Carom");
  if (info >= 0) H5Gclose(info);
  return done;
}

/* mu of all contacts, and their v_hat or guesses in FCLIB's order of rows. */
static void gather_contacts(const carom_problem* p, const double* rows, double sign, double* mu,
                            double* out) {
  int contact = 0;
  for (int i = 0; i < p->num_constraints; i++) {
    const cr_convex_constraint* c = cr_convex_get(p, i);
    if (c->kind != CAROM_CONSTRAINT_CONTACT) continue;
    if (mu) mu[contact] = c->parameter[0];
    for (int k = 0; k < 3; k++) out[3 * contact + k] = sign * rows[c->row + CR_FCLIB_PLACES[k]];
    contact++;
  }
}

static bool save_guess(const carom_problem* p, hid_t file, double* scratch) {
  int one = 1;
  if (!p->has_guess) return true;
  gather_contacts(p, cr_convex_reals(&p->guess), 1, NULL, scratch);
  return cr_h5_save_ints(file, "guesses/number_of_guesses", &one, 1) &&
         cr_h5_save_reals(file, "guesses/1/r", scratch, 3 * (int64_t)p->num_contacts);
}

/* --- Local --------------------------------------------------------------------------------------
 */

/* Row r of the problem as the user numbers it: x += its Jacobian row. */
static void add_row(const carom_problem* p, int constraint, int local, double* x) {
  const cr_convex_constraint* c = cr_convex_get(p, constraint);
  const int* blocks = (const int*)p->blocks.data + c->block_start;
  const double* J = cr_convex_reals(&p->J) + c->J_start;
  for (int k = 0; k < c->block_count; k++) {
    int size = p->size[blocks[k]];
    for (int j = 0; j < size; j++) x[p->start[blocks[k]] + j] += J[local * size + j];
    J += c->rows * size;
  }
}

/* W = J A^-1 Jᵀ + R, dense in the order of the file. */
static bool compute_W(const carom_problem* p, cr_arena* arena, double* W) {
  size_t rows = (size_t)p->num_rows;
  double* x = CR_PUSH(arena, double, p->num_unknowns);
  double* v_c = CR_PUSH(arena, double, rows);
  double* scratch = CR_PUSH(arena, double, p->A_symbolic.scratch_size);
  if (arena->failed) return false;
  for (int i = 0; i < p->num_constraints; i++)
    for (int k = 0; k < 3; k++) {
      size_t row = 3 * (size_t)i + (size_t)k;
      memset(x, 0, sizeof *x * (size_t)p->num_unknowns);
      add_row(p, i, CR_FCLIB_PLACES[k], x);
      cr_convex_solve_A(p, x, scratch);
      cr_convex_apply_J(p, x, v_c);
      gather_contacts(p, v_c, 1, NULL, W + row * rows);
      W[row * rows + row] += cr_convex_get_R(p, 3 * i + CR_FCLIB_PLACES[k]);
    }
  return true;
}

static bool make_W(const carom_problem* p, cr_arena* arena, columns* out) {
  size_t rows = (size_t)p->num_rows, count = 0;
  double* W = CR_PUSH(arena, double, rows* rows);
  if (arena->failed || !compute_W(p, arena, W)) return false;
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j <= i; j++) {
      double mean = 0.5 * (W[i * rows + j] + W[j * rows + i]);
      W[i * rows + j] = W[j * rows + i] = mean;
      count += mean != 0 ? 2 : 0;
    }
  if (!begin(arena, p->num_rows, p->num_rows, count, out)) return false;
  for (int c = 0; c < p->num_rows; c++) {
    for (int r = 0; r < p->num_rows; r++) append(out, r, W[(size_t)c * rows + (size_t)r]);
    out->start[c + 1] = out->used;
  }
  return true;
}

bool cr_fclib_save_local(const carom_problem* p, hid_t file, cr_arena* arena) {
  columns W;
  double* q = CR_PUSH(arena, double, p->num_rows);
  double* rows = CR_PUSH(arena, double, p->num_rows);
  double* mu = CR_PUSH(arena, double, p->num_contacts);
  if (arena->failed || !make_W(p, arena, &W)) return false;
  memset(rows, 0, sizeof *rows * (size_t)p->num_rows);
  cr_convex_apply_J(p, p->v_star, rows);
  for (int r = 0; r < p->num_rows; r++) rows[r] -= cr_convex_reals(&p->v_hat)[r];
  gather_contacts(p, rows, 1, mu, q);
  hid_t group = H5Gcreate2(file, "fclib_local", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool done = group >= 0 && save_int(group, "spacedim", 3) && save_matrix(group, "W", &W) &&
              cr_h5_save_reals(group, "vectors/q", q, p->num_rows) &&
              cr_h5_save_reals(group, "vectors/mu", mu, p->num_contacts) && save_info(group, p);
  if (group >= 0) H5Gclose(group);
  return done && save_guess(p, file, rows);
}

/* --- Global -------------------------------------------------------------------------------------
 */

/* A by scalar columns, both triangles. */
static bool make_M(const carom_problem* p, cr_arena* arena, columns* out) {
  const cr_bsm_pattern* A = &p->problem.pattern;
  int n = p->num_unknowns;
  if (!begin(arena, n, n, 2 * (size_t)A->num_values, out)) return false;
  int* filled = CR_PUSH(arena, int, (size_t)n + 1);
  if (!filled) return false;
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < A->num_blocks; j++)
      for (int b = A->col_start[j]; b < A->col_start[j + 1]; b++)
        for (int c = 0; c < A->size[j]; c++)
          for (int r = 0; r < A->size[A->row_index[b]]; r++) {
            int i = A->row_index[b], row = A->row_start[i] + r, column = A->row_start[j] + c;
            double x = p->problem.A[A->value_start[b] + c * A->size[i] + r];
            for (int side = 0; side < (i == j ? 1 : 2) && x != 0; side++) {
              int to = side ? row : column, from = side ? column : row;
              if (pass == 0) out->start[to + 1]++;
              if (pass == 1) out->row[filled[to]] = from, out->value[filled[to]++] = x;
            }
          }
    if (pass == 1) break;
    for (int k = 0; k < n; k++) out->start[k + 1] += out->start[k];
    CR_COPY(filled, out->start, ((size_t)n + 1));
  }
  out->used = out->start[n];
  return true;
}

/* One row of the Jacobian as a column; blocks ascend. */
static void append_row(const carom_problem* p, const cr_convex_constraint* c, int row,
                       columns* out) {
  const int* blocks = (const int*)p->blocks.data + c->block_start;
  const double* J = cr_convex_reals(&p->J) + c->J_start;
  for (int k = 0; k < c->block_count; k++) {
    int size = p->size[blocks[k]];
    for (int j = 0; j < size; j++) append(out, p->start[blocks[k]] + j, J[row * size + j]);
    J += c->rows * size;
  }
}

/* The Jacobian's rows of contacts (in FCLIB's order), or of all others, as columns. */
static bool make_rows(const carom_problem* p, bool contacts, cr_arena* arena, columns* out) {
  int n = contacts ? 3 * p->num_contacts : p->num_constraints - p->num_contacts, column = 0;
  if (!begin(arena, p->num_unknowns, n, p->J.used / sizeof(double), out)) return false;
  for (int i = 0; i < p->num_constraints; i++) {
    const cr_convex_constraint* c = cr_convex_get(p, i);
    if ((c->kind == CAROM_CONSTRAINT_CONTACT) != contacts) continue;
    for (int k = 0; k < c->rows; k++) {
      append_row(p, c, contacts && k < 3 ? CR_FCLIB_PLACES[k] : k, out);
      out->start[++column] = out->used;
    }
  }
  return true;
}

/* Values of the rows that are no contacts. */
static int gather_others(const carom_problem* p, const double* rows, double sign, double* out) {
  int count = 0;
  for (int i = 0; i < p->num_constraints; i++) {
    const cr_convex_constraint* c = cr_convex_get(p, i);
    if (c->kind != CAROM_CONSTRAINT_CONTACT) out[count++] = sign * rows[c->row];
  }
  return count;
}

static bool save_global_vectors(const carom_problem* p, hid_t group, cr_arena* arena) {
  double* f = CR_PUSH(arena, double, p->num_unknowns);
  double* w = CR_PUSH(arena, double, p->num_rows);
  double* mu = CR_PUSH(arena, double, p->num_contacts);
  if (arena->failed) return false;
  cr_bsm_multiply(&p->problem.pattern, p->problem.A, p->v_star, f);
  gather_contacts(p, cr_convex_reals(&p->v_hat), -1, mu, w);
  bool done = cr_h5_save_reals(group, "vectors/f", f, p->num_unknowns) &&
              cr_h5_save_reals(group, "vectors/w", w, 3 * (int64_t)p->num_contacts) &&
              cr_h5_save_reals(group, "vectors/mu", mu, p->num_contacts);
  int others = gather_others(p, cr_convex_reals(&p->v_hat), -1, w);
  return done && (others == 0 || cr_h5_save_reals(group, "vectors/b", w, others));
}

bool cr_fclib_save_global(const carom_problem* p, hid_t file, cr_arena* arena) {
  columns M, H, G;
  double* scratch = CR_PUSH(arena, double, p->num_rows);
  bool equalities = p->num_contacts < p->num_constraints;
  if (!scratch || !make_M(p, arena, &M) || !make_rows(p, true, arena, &H) ||
      !make_rows(p, false, arena, &G))
    return false;
  hid_t group = H5Gcreate2(file, "fclib_global", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool done = group >= 0 && save_int(group, "spacedim", 3) && save_matrix(group, "M", &M) &&
              save_matrix(group, "H", &H) && (!equalities || save_matrix(group, "G", &G)) &&
              save_global_vectors(p, group, arena) && save_info(group, p);
  if (group >= 0) H5Gclose(group);
  return done && save_guess(p, file, scratch);
}

/* --- Solution -----------------------------------------------------------------------------------
 */

bool cr_fclib_save_solution(const carom_problem* p, const carom_solution* s, bool local, hid_t file,
                            cr_arena* arena) {
  double* u = CR_PUSH(arena, double, p->num_rows);
  double* x = CR_PUSH(arena, double, p->num_rows);
  int64_t rows = 3 * (int64_t)p->num_contacts;
  if (arena->failed) return false;
  for (int r = 0; r < p->num_rows; r++) u[r] = s->u[r] + cr_convex_reals(&p->R)[r] * s->gamma[r];
  gather_contacts(p, u, 1, NULL, x);
  bool done = cr_h5_save_reals(file, "solution/u", x, rows);
  gather_contacts(p, s->gamma, 1, NULL, x);
  done = done && cr_h5_save_reals(file, "solution/r", x, rows);
  if (local) return done;
  int others = gather_others(p, s->gamma, 1, x);
  return done && cr_h5_save_reals(file, "solution/v", s->v, p->num_unknowns) &&
         (others == 0 || cr_h5_save_reals(file, "solution/l", x, others));
}
