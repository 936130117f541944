/* The text forms `sapproblem 1` and `sapsolution 1`: words separated by blanks, numbers in full
 * precision. Contacts are compliant and regularised as the file says:
 *
 *   w = |W_i|_F / 3 with W_i = sum over blocks of J diag(A)^-1 Jᵀ,
 *   R_n = max(beta² w / (4 pi²), 1 / (dt k (dt + tau_d))),  R_t = sigma w,  v_hat_n = -phi / (dt +
 * tau_d). */
#include "import/number.h"
#include "import/problem/reader.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct words {
  cr_problem_source* source;
  const char* at;
  int line;
} words;

typedef struct parameters {
  char name[256];
  double dt, beta, sigma;
  int num_blocks;
  int* size;  /* [num_blocks] */
  double** A; /* [num_blocks] */
  double* J;  /* room for two blocks */
  int most_size;
} parameters;

/* --- Words --------------------------------------------------------------------------------------
 */

CR_PRINTF(2, 3)
static carom_status refuse(const words* t, const char* format, ...);

static carom_status refuse(const words* t, const char* format, ...) {
  char sentence[320];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  return cr_error_set(t->source->error, CAROM_ERROR_BAD_INPUT, "%.160s:%d: %s", t->source->path,
                      t->line, sentence);
}

/* The next word; its line is then that of the words. */
static carom_status next_word(words* t, const char* what, const char** word, int* length) {
  const char* start = cr_number_word(t->at, length);
  const char* end = start ? start : t->at + strlen(t->at);
  for (; t->at < end; t->at++) t->line += *t->at == '\n';
  if (!start) return refuse(t, "the file ends before %s", what);
  t->at = start + *length;
  *word = start;
  return CAROM_OK;
}

static int shorten(int length) { return length < 40 ? length : 40; }

static carom_status expect(words* t, const char* keyword) {
  const char* word = "";
  int length = 0;
  CR_TRY(next_word(t, keyword, &word, &length));
  if ((size_t)length == strlen(keyword) && strncmp(word, keyword, (size_t)length) == 0)
    return CAROM_OK;
  return refuse(t, "'%.*s' stands where '%s' must", shorten(length), word, keyword);
}

static carom_status read_real(words* t, const char* what, double* x) {
  const char* word = "";
  int length = 0;
  CR_TRY(next_word(t, what, &word, &length));
  if (cr_number_read(word, length, x) == CR_NUMBER_FINITE) return CAROM_OK;
  return refuse(t, "%s is '%.*s', must be a finite number", what, shorten(length), word);
}

static carom_status read_reals(words* t, const char* what, double* x, int count) {
  for (int i = 0; i < count; i++) CR_TRY(read_real(t, what, &x[i]));
  return CAROM_OK;
}

static carom_status read_int(words* t, const char* what, int least, int most, int* x) {
  double value;
  CR_TRY(read_real(t, what, &value));
  if (value == floor(value) && value >= least && value <= most) {
    *x = (int)value;
    return CAROM_OK;
  }
  return refuse(t, "%s is %g, must be a whole number within %d and %d", what, value, least, most);
}

/* A number within bounds that is named in the sentence. */
static carom_status read_rule(words* t, const char* what, bool positive, double* x) {
  CR_TRY(read_real(t, what, x));
  if (positive ? *x > 0 : *x >= 0) return CAROM_OK;
  return refuse(t, "%s is %g, must be %s", what, *x, positive ? "positive" : "0 or more");
}

/* How many numbers the rest of the text may hold: bounds what a count may ask for. */
static int most_words(const words* t) {
  size_t rest = strlen(t->at) / 2 + 1;
  return rest < INT_MAX ? (int)rest : INT_MAX;
}

/* --- Problem ------------------------------------------------------------------------------------
 */

static carom_status read_header(words* t, const char* keyword, char name[256]) {
  const char* word = "";
  int length = 0, version;
  CR_TRY(expect(t, keyword));
  CR_TRY(read_int(t, "the version", 1, 1, &version));
  CR_TRY(next_word(t, "the name", &word, &length));
  snprintf(name, 256, "%.*s", length < 255 ? length : 255, word);
  return CAROM_OK;
}

static carom_status read_blocks(words* t, parameters* m) {
  cr_arena* arena = &t->source->arena;
  CR_TRY(expect(t, "blocks"));
  CR_TRY(read_int(t, "the number of blocks", 1, most_words(t), &m->num_blocks));
  m->size = CR_PUSH(arena, int, m->num_blocks);
  m->A = cr_arena_push(arena, sizeof *m->A * (size_t)m->num_blocks);
  if (arena->failed) return cr_error_memory(t->source->error);
  for (int b = 0; b < m->num_blocks; b++) {
    int most = most_words(t);
    CR_TRY(read_int(t, "the size of a block", 1, most < 10000 ? most : 10000, &m->size[b]));
    int count = m->size[b] * m->size[b];
    if (count > most)
      return refuse(t, "block %d of size %d needs %d numbers, the file ends before", b, m->size[b],
                    count);
    m->A[b] = CR_PUSH(arena, double, count);
    if (!m->A[b]) return cr_error_memory(t->source->error);
    CR_TRY(read_reals(t, "an element of A", m->A[b], count));
    if (m->size[b] > m->most_size) m->most_size = m->size[b];
  }
  return CAROM_OK;
}

static carom_status create(const words* t, const parameters* m, carom_problem** problem) {
  carom_problem_def def = carom_problem_def_default();
  carom_error* error = t->source->error;
  def.name = m->name, def.dt = m->dt;
  def.num_blocks = m->num_blocks, def.block_size = m->size;
  CR_TRY(cr_problem_pass(t->source, t->line, carom_problem_create(&def, problem, error)));
  for (int b = 0; b < m->num_blocks; b++)
    CR_TRY(cr_problem_pass(t->source, t->line,
                           carom_problem_set_block(*problem, b, b, m->A[b], error)));
  return CAROM_OK;
}

static carom_status read_velocities(words* t, carom_problem* p) {
  int n = carom_problem_get_sizes(p).num_unknowns, count;
  double* v = CR_PUSH(&t->source->arena, double, 2 * (size_t)n);
  if (!v) return cr_error_memory(t->source->error);
  CR_TRY(expect(t, "vstar"));
  CR_TRY(read_int(t, "the length of vstar", n, n, &count));
  CR_TRY(read_reals(t, "an element of vstar", v, n));
  CR_TRY(expect(t, "v0"));
  CR_TRY(read_int(t, "the length of v0", n, n, &count));
  CR_TRY(read_reals(t, "an element of v0", v + n, n));
  return cr_problem_pass(t->source, t->line,
                         carom_problem_set_velocities(p, v, v + n, t->source->error));
}

/* w of the format's description: with the diagonal of A only. */
static double diagonal_w(const parameters* m, int count, const int* blocks,
                         const double* const* J) {
  double W[9] = {0}, sum = 0;
  for (int k = 0; k < count; k++) {
    int n = m->size[blocks[k]];
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        for (int i = 0; i < n; i++)
          W[3 * r + c] += J[k][r * n + i] * J[k][c * n + i] / m->A[blocks[k]][i * n + i];
  }
  for (int k = 0; k < 9; k++) sum += W[k] * W[k];
  return sqrt(sum) / 3;
}

static carom_status read_contact(words* t, const parameters* m, carom_problem* p) {
  int blocks[2] = {0, -1};
  double phi, mu, k, tau;
  CR_TRY(read_int(t, "block 0 of a contact", 0, m->num_blocks - 1, &blocks[0]));
  CR_TRY(read_int(t, "block 1 of a contact", -1, m->num_blocks - 1, &blocks[1]));
  CR_TRY(read_real(t, "phi0 of a contact", &phi));
  CR_TRY(read_rule(t, "mu of a contact", false, &mu));
  CR_TRY(read_rule(t, "k of a contact", true, &k));
  CR_TRY(read_rule(t, "tau_d of a contact", false, &tau));
  int count = blocks[1] < 0 ? 1 : 2;
  const double* J[2] = {m->J, m->J + 3 * (size_t)m->most_size};
  CR_TRY(read_reals(t, "an element of J0", m->J, 3 * m->size[blocks[0]]));
  if (count == 2)
    CR_TRY(
        read_reals(t, "an element of J1", m->J + 3 * (size_t)m->most_size, 3 * m->size[blocks[1]]));
  double w = diagonal_w(m, count, blocks, J);
  double near = m->beta * m->beta / (4 * M_PI * M_PI) * w, soft = 1 / (m->dt * k * (m->dt + tau));
  double R[3] = {m->sigma * w, m->sigma * w, fmax(near, soft)};
  double v_hat[3] = {0, 0, -phi / (m->dt + tau)};
  carom_constraint_def def = carom_constraint_def_default();
  def.mu = mu;
  def.num_blocks = count, def.blocks = blocks, def.jacobian = J;
  def.R = R, def.v_hat = v_hat;
  return cr_problem_pass(t->source, t->line, carom_problem_add(p, &def, NULL, t->source->error));
}

static carom_status read_problem(words* t, parameters* m, carom_problem** problem) {
  int contacts = 0;
  CR_TRY(read_header(t, "sapproblem", m->name));
  CR_TRY(expect(t, "dt"));
  CR_TRY(read_rule(t, "dt", true, &m->dt));
  CR_TRY(expect(t, "beta"));
  CR_TRY(read_rule(t, "beta", false, &m->beta));
  CR_TRY(expect(t, "sigma"));
  CR_TRY(read_rule(t, "sigma", false, &m->sigma));
  CR_TRY(read_blocks(t, m));
  CR_TRY(create(t, m, problem));
  CR_TRY(read_velocities(t, *problem));
  m->J = CR_PUSH(&t->source->arena, double, 6 * (size_t)m->most_size);
  if (!m->J) return cr_error_memory(t->source->error);
  CR_TRY(expect(t, "contacts"));
  CR_TRY(read_int(t, "the number of contacts", 0, most_words(t), &contacts));
  for (int i = 0; i < contacts; i++) CR_TRY(read_contact(t, m, *problem));
  CR_TRY(expect(t, "end"));
  return cr_problem_pass(t->source, 0, carom_problem_finish(*problem, t->source->error));
}

carom_status cr_sap_load(cr_problem_source* source, const char* text, carom_problem** problem) {
  words t = {source, text, 1};
  parameters m = {0};
  carom_status status = read_problem(&t, &m, problem);
  if (status == CAROM_OK) return CAROM_OK;
  carom_problem_destroy(*problem);
  *problem = NULL;
  return status;
}

/* --- Solution -----------------------------------------------------------------------------------
 */

carom_status cr_sap_load_solution(cr_problem_source* source, const char* text,
                                  const carom_problem* problem, cr_read_solution* solution) {
  static const char* const NUMBERS[] = {"beta", "sigma", "cost", "relres"};
  words t = {source, text, 1};
  carom_problem_sizes sizes = carom_problem_get_sizes(problem);
  char name[256];
  double ignored;
  int count, n = sizes.num_unknowns, rows = sizes.num_rows;
  solution->v = CR_PUSH(&source->arena, double, n);
  solution->gamma = CR_PUSH(&source->arena, double, rows);
  if (source->arena.failed) return cr_error_memory(source->error);
  CR_TRY(read_header(&t, "sapsolution", name));
  for (int i = 0; i < 4; i++) {
    CR_TRY(expect(&t, NUMBERS[i]));
    CR_TRY(read_real(&t, NUMBERS[i], &ignored));
  }
  CR_TRY(expect(&t, "v"));
  CR_TRY(read_int(&t, "the length of v", n, n, &count));
  CR_TRY(read_reals(&t, "an element of v", solution->v, n));
  CR_TRY(expect(&t, "gamma"));
  CR_TRY(read_int(&t, "the length of gamma", rows, rows, &count));
  CR_TRY(read_reals(&t, "an element of gamma", solution->gamma, rows));
  return expect(&t, "end");
}
