/* The three forms of an FCLIB matrix, all turned into triplets and sorted into columns. */
#include "import/problem/sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SYMMETRY 1e-9 /* of the largest element */

typedef struct triplets {
  int count;
  int *row, *column;
  double* value;
} triplets;

/* --- Reading ------------------------------------------------------------------------------------
 */

static void join(char path[128], const char* group, const char* name) {
  snprintf(path, 128, "%s/%s", group, name);
}

/* Expands starts of columns (or rows) to one index per entry. */
static carom_status expand(cr_problem_source* s, const char* group, const int* start, int lines,
                           int64_t available, int** index, int* count) {
  *count = lines >= 0 ? start[lines] : 0;
  if (start[0] != 0 || *count < 0 || *count > available)
    return cr_problem_refuse(s,
                             "/%s/p begins with %d and ends with %d, must go from 0 to at most "
                             "the %lld numbers that are there",
                             group, start[0], *count, (long long)available);
  for (int k = 0; k < lines; k++)
    if (start[k + 1] < start[k])
      return cr_problem_refuse(s, "/%s/p[%d] is %d, less than the one before it", group, k + 1,
                               start[k + 1]);
  *index = CR_PUSH(&s->arena, int, *count + 1);
  if (!*index) return cr_error_memory(s->error);
  for (int k = 0; k < lines; k++)
    for (int e = start[k]; e < start[k + 1]; e++) (*index)[e] = k;
  return CAROM_OK;
}

static carom_status check_entries(const cr_problem_source* s, const char* group, const cr_sparse* m,
                                  const triplets* t) {
  for (int e = 0; e < t->count; e++) {
    if (t->row[e] < 0 || t->row[e] >= m->m)
      return cr_problem_refuse(s, "/%s: row %d of entry %d is not within 0 and %d", group,
                               t->row[e], e, m->m - 1);
    if (t->column[e] < 0 || t->column[e] >= m->n)
      return cr_problem_refuse(s, "/%s: column %d of entry %d is not within 0 and %d", group,
                               t->column[e], e, m->n - 1);
    if (!isfinite(t->value[e]))
      return cr_problem_refuse(s, "/%s: entry %d (row %d, column %d) is %g, must be finite", group,
                               e, t->row[e], t->column[e], t->value[e]);
  }
  return CAROM_OK;
}

static carom_status load_triplets(cr_problem_source* s, hid_t file, const char* group,
                                  const cr_sparse* m, int nz, triplets* t) {
  char path[128];
  int *p, *i;
  int64_t num_p = -1, num_i = -1, num_x = -1;
  join(path, group, "p");
  if (nz == -1) num_p = (int64_t)m->n + 1;
  if (nz == -2) num_p = (int64_t)m->m + 1;
  CR_TRY(cr_problem_load_ints(s, file, path, &num_p, &p));
  join(path, group, "i");
  CR_TRY(cr_problem_load_ints(s, file, path, &num_i, &i));
  join(path, group, "x");
  CR_TRY(cr_problem_load_reals(s, file, path, &num_x, &t->value));
  int64_t available = num_i < num_x ? num_i : num_x;
  if (nz >= 0) {
    available = num_p < available ? num_p : available;
    if (nz > available)
      return cr_problem_refuse(s, "/%s: nz is %d, but only %lld entries are there", group, nz,
                               (long long)available);
    t->count = nz, t->row = i, t->column = p;
    return CAROM_OK;
  }
  if (nz == -1) {
    t->row = i;
    return expand(s, group, p, m->n, available, &t->column, &t->count);
  }
  t->column = i;
  return expand(s, group, p, m->m, available, &t->row, &t->count);
}

/* --- Columns ------------------------------------------------------------------------------------
 */

/* Counting sort of entries by a key below `size`: order[e] lists them. */
static bool sort_by(cr_arena* arena, const int* key, const int* from, int count, int size,
                    int* order) {
  int* start = CR_SCRATCH(arena, int, size + 1);
  if (!start) return false;
  memset(start, 0, sizeof *start * ((size_t)size + 1));
  for (int e = 0; e < count; e++) start[key[e] + 1]++;
  for (int k = 0; k < size; k++) start[k + 1] += start[k];
  for (int e = 0; e < count; e++) order[start[key[from[e]]]++] = from[e];
  return true;
}

/* Entries by column, in each by row; those at one place add up, zeros go. */
static bool compress(cr_arena* arena, const triplets* t, cr_sparse* m) {
  size_t count = (size_t)t->count;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  m->start = CR_PUSH(arena, int, (size_t)m->n + 1);
  m->row = CR_PUSH(arena, int, count + 1);
  m->value = CR_PUSH(arena, double, count + 1);
  int* identity = CR_SCRATCH(arena, int, count + 1);
  int* by_row = CR_SCRATCH(arena, int, count + 1);
  int* order = CR_SCRATCH(arena, int, count + 1);
  if (arena->failed) return false;
  for (int e = 0; e < t->count; e++) identity[e] = e;
  if (!sort_by(arena, t->row, identity, t->count, m->m, by_row) ||
      !sort_by(arena, t->column, by_row, t->count, m->n, order))
    return false;
  int used = 0, e = 0;
  for (int c = 0; c < m->n; c++) {
    m->start[c] = used;
    while (e < t->count && t->column[order[e]] == c) {
      int row = t->row[order[e]];
      double sum = 0;
      for (; e < t->count && t->column[order[e]] == c && t->row[order[e]] == row; e++)
        sum += t->value[order[e]];
      if (sum != 0) m->row[used] = row, m->value[used++] = sum;
    }
  }
  m->start[m->n] = used;
  cr_arena_pop_scratch(arena, mark);
  return true;
}

carom_status cr_sparse_load(cr_problem_source* s, hid_t file, const char* group,
                            cr_sparse* matrix) {
  char path[128];
  int nz;
  triplets t = {0};
  *matrix = (cr_sparse){0};
  join(path, group, "m");
  CR_TRY(cr_problem_load_int(s, file, path, &matrix->m));
  join(path, group, "n");
  CR_TRY(cr_problem_load_int(s, file, path, &matrix->n));
  join(path, group, "nz");
  CR_TRY(cr_problem_load_int(s, file, path, &nz));
  if (matrix->m < 0 || matrix->n < 0 || matrix->m > 10000000 || matrix->n > 10000000)
    return cr_problem_refuse(s, "/%s is %d by %d, must be within 0 and 10000000", group, matrix->m,
                             matrix->n);
  if (nz < -2) return cr_problem_refuse(s, "/%s: nz is %d, must be -2 or more", group, nz);
  CR_TRY(load_triplets(s, file, group, matrix, nz, &t));
  CR_TRY(check_entries(s, group, matrix, &t));
  return compress(&s->arena, &t, matrix) ? CAROM_OK : cr_error_memory(s->error);
}

/* --- Symmetry -----------------------------------------------------------------------------------
 */

/* The entries of a matrix, each also mirrored where `twice` (the diagonal once). */
static bool transpose(cr_arena* arena, const cr_sparse* m, bool with_own, cr_sparse* out) {
  size_t count = (size_t)m->start[m->n];
  triplets t = {0, CR_PUSH(arena, int, 2 * count + 1), CR_PUSH(arena, int, 2 * count + 1),
                CR_PUSH(arena, double, 2 * count + 1)};
  *out = (cr_sparse){.m = m->n, .n = m->m};
  if (arena->failed) return false;
  for (int c = 0; c < m->n; c++)
    for (int e = m->start[c]; e < m->start[c + 1]; e++) {
      t.row[t.count] = c, t.column[t.count] = m->row[e], t.value[t.count++] = m->value[e];
      if (!with_own || m->row[e] == c) continue;
      t.row[t.count] = m->row[e], t.column[t.count] = c, t.value[t.count++] = m->value[e];
    }
  return compress(arena, &t, out);
}

static bool is_one_triangle(const cr_sparse* m) {
  bool above = false, below = false;
  for (int c = 0; c < m->n; c++)
    for (int e = m->start[c]; e < m->start[c + 1]; e++) {
      above |= m->row[e] < c;
      below |= m->row[e] > c;
    }
  return above != below;
}

static double largest(const cr_sparse* m) {
  double most = 0;
  for (int e = 0; e < m->start[m->n]; e++) most = fmax(most, fabs(m->value[e]));
  return most;
}

/* Walks both columns side by side; an entry that only one of them has stands against zero. */
static carom_status compare(const cr_problem_source* s, const char* group, const cr_sparse* m,
                            const cr_sparse* t) {
  double allowed = SYMMETRY * largest(m);
  for (int c = 0; c < m->n; c++)
    for (int a = m->start[c], b = t->start[c]; a < m->start[c + 1] || b < t->start[c + 1];) {
      int ra = a < m->start[c + 1] ? m->row[a] : m->m, rb = b < t->start[c + 1] ? t->row[b] : m->m;
      int row = ra < rb ? ra : rb;
      double x = ra == row ? m->value[a++] : 0, y = rb == row ? t->value[b++] : 0;
      if (fabs(x - y) > allowed)
        return cr_problem_refuse(
            s, "/%s is not symmetric: element (%d, %d) is %.9g, element (%d, %d) is %.9g", group,
            row, c, x, c, row, y);
    }
  return CAROM_OK;
}

carom_status cr_sparse_make_symmetric(cr_problem_source* s, const char* group, cr_sparse* matrix) {
  cr_sparse other;
  if (matrix->m != matrix->n)
    return cr_problem_refuse(s, "/%s is %d by %d, must be square", group, matrix->m, matrix->n);
  bool mirror = is_one_triangle(matrix);
  if (!transpose(&s->arena, matrix, mirror, &other)) return cr_error_memory(s->error);
  if (!mirror) return compare(s, group, matrix, &other);
  *matrix = other;
  return CAROM_OK;
}
