/* The text forms `sapproblem 1` and `sapsolution 1` (import/problem/sap.c reads them). The form
 * keeps distance, stiffness and dissipation time of a contact, of which R_n and v_hat_n follow;
 * written are those without dissipation that give the same: tau_d = 0, k = 1 / (dt² R_n), phi = -dt
 * v_hat_n. */
#include "record/problem.h"

#include <locale.h>
#include <math.h>
#include <string.h>

/* R_t / w of all contacts must agree to this, as the form has one sigma for all. */
#define SIGMA_TOLERANCE 1e-12

/* --- What cannot be written ---------------------------------------------------------------------
 */

/* w of the format: with the diagonal of A only. */
static double diagonal_w(const carom_problem* p, const cr_convex_constraint* c) {
  const cr_bsm_pattern* A = &p->problem.pattern;
  const int* blocks = (const int*)p->blocks.data + c->block_start;
  const double* J = cr_convex_reals(&p->J) + c->J_start;
  double W[9] = {0}, sum = 0;
  for (int k = 0; k < c->block_count; k++) {
    int n = p->size[blocks[k]];
    const double* block = p->problem.A + A->value_start[A->col_start[blocks[k]]];
    for (int r = 0; r < 3; r++)
      for (int s = 0; s < 3; s++)
        for (int i = 0; i < n; i++) W[3 * r + s] += J[r * n + i] * J[s * n + i] / block[i * n + i];
    J += 3 * n;
  }
  for (int k = 0; k < 9; k++) sum += W[k] * W[k];
  return sqrt(sum) / 3;
}

/* The one sigma of all contacts, by the first. */
static double get_sigma(const carom_problem* p) {
  if (p->num_constraints == 0) return 0;
  const cr_convex_constraint* c = cr_convex_get(p, 0);
  return cr_convex_reals(&p->R)[c->row] / diagonal_w(p, c);
}

static const char* refuse_contact(const carom_problem* p, int index, double sigma) {
  const cr_convex_constraint* c = cr_convex_get(p, index);
  if (c->kind != CAROM_CONSTRAINT_CONTACT)
    return "the text form holds contacts only, and the problem has other constraints";
  const double *R = cr_convex_reals(&p->R) + c->row, *bias = cr_convex_reals(&p->v_hat) + c->row;
  if (c->block_count > 2) return "the text form holds contacts between at most two blocks";
  if (!(R[2] > 0)) return "the text form holds compliant contacts only, and the problem has R = 0";
  if (bias[0] != 0 || bias[1] != 0) return "the text form has no tangential bias";
  double w = diagonal_w(p, c);
  if (fabs(R[0] - sigma * w) > SIGMA_TOLERANCE * sigma * w)
    return "the text form has one sigma = R_t / w for all contacts, and these differ";
  return NULL;
}

const char* cr_sap_refuse(const carom_problem* p) {
  if ((int)(p->A_blocks.used / sizeof(cr_convex_block)) > p->num_blocks)
    return "the text form holds an A of diagonal blocks only";
  for (int i = 0; i < p->num_constraints; i++)
    if (cr_convex_get(p, i)->kind != CAROM_CONSTRAINT_CONTACT) return refuse_contact(p, i, 0);
  if (p->concave) return "the text form has no W that is not semi-definite";
  double sigma = get_sigma(p);
  for (int i = 0; i < p->num_constraints; i++) {
    const char* reason = refuse_contact(p, i, sigma);
    if (reason) return reason;
  }
  return NULL;
}

/* --- Writing ------------------------------------------------------------------------------------
 */

/* 17 digits with a point, whatever the locale. */
static void write_real(FILE* file, double x) {
  char text[40];
  const char* point = localeconv()->decimal_point;
  snprintf(text, sizeof text, "%.17g", x);
  char* at = strcmp(point, ".") != 0 ? strstr(text, point) : NULL;
  if (at) {
    *at = '.';
    memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
  }
  fprintf(file, " %s", text);
}

static void write_reals(FILE* file, const double* x, int count) {
  for (int i = 0; i < count; i++) write_real(file, x[i]);
  fputc('\n', file);
}

/* One word: blanks become underlines. */
static void write_name(FILE* file, const char* name) {
  fprintf(file, "%s", name[0] ? "" : "problem");
  for (int i = 0; name[i] && i < 250; i++) fputc(strchr(" \t\r\n", name[i]) ? '_' : name[i], file);
  fputc('\n', file);
}

static void write_value(FILE* file, const char* key, double x) {
  fputs(key, file);
  write_real(file, x);
  fputc('\n', file);
}

static void write_blocks(const carom_problem* p, FILE* file) {
  const cr_bsm_pattern* A = &p->problem.pattern;
  fprintf(file, "blocks %d\n", p->num_blocks);
  for (int b = 0; b < p->num_blocks; b++) {
    fprintf(file, "%d", p->size[b]);
    write_reals(file, p->problem.A + A->value_start[A->col_start[b]], p->size[b] * p->size[b]);
  }
  fprintf(file, "vstar %d", p->num_unknowns);
  write_reals(file, p->v_star, p->num_unknowns);
  fprintf(file, "v0 %d", p->num_unknowns);
  write_reals(file, p->v0, p->num_unknowns);
}

static void write_contact(const carom_problem* p, const cr_convex_constraint* c, double dt,
                          FILE* file) {
  const int* blocks = (const int*)p->blocks.data + c->block_start;
  double Rn = cr_convex_reals(&p->R)[c->row + 2], bias = cr_convex_reals(&p->v_hat)[c->row + 2];
  fprintf(file, "%d %d", blocks[0], c->block_count > 1 ? blocks[1] : -1);
  write_real(file, -dt * bias);
  write_real(file, c->parameter[0]);
  write_real(file, 1 / (dt * dt * Rn));
  fputs(" 0\n", file);
  write_reals(file, cr_convex_reals(&p->J) + c->J_start, 3 * c->columns);
}

bool cr_sap_save(const carom_problem* p, FILE* file) {
  double dt = p->dt > 0 ? p->dt : 1;
  fputs("sapproblem 1\n", file);
  write_name(file, p->name);
  write_value(file, "dt", dt);
  write_value(file, "beta", 0);
  write_value(file, "sigma", get_sigma(p));
  write_blocks(p, file);
  fprintf(file, "contacts %d\n", p->num_constraints);
  for (int i = 0; i < p->num_constraints; i++) write_contact(p, cr_convex_get(p, i), dt, file);
  fputs("end\n", file);
  return !ferror(file);
}

/* |D g| / max(|D A v|, |D Jᵀ gamma|), g = A (v - v*) - Jᵀ gamma, D = diag(A)^(-1/2): the residual
 * that the form's description defines. NaN when memory ran out. */
static double relative_residual(const carom_problem* p, const carom_solution* s) {
  const cr_bsm_pattern* A = &p->problem.pattern;
  size_t n = (size_t)p->num_unknowns, rows = (size_t)p->problem.num_rows;
  size_t size = sizeof(double) * (3 * n + rows + cr_problem_scratch_size(&p->problem));
  double *Av = cr_alloc_zero(&p->allocator, size), sums[3] = {0};
  if (!Av) return NAN;
  double *Jg = Av + n, *Av_star = Jg + n, *gamma = Av_star + n;
  cr_convex_gather(p, s->gamma, gamma);
  cr_bsm_multiply(A, p->problem.A, s->v, Av);
  cr_bsm_multiply(A, p->problem.A, p->v_star, Av_star);
  cr_problem_add_J_transposed(&p->problem, gamma, Jg, gamma + rows);
  for (int b = 0; b < p->num_blocks; b++)
    for (int i = 0; i < p->size[b]; i++) {
      int k = p->start[b] + i;
      double d = p->problem.A[A->value_start[A->col_start[b]] + i * p->size[b] + i];
      double g = Av[k] - Av_star[k] - Jg[k];
      sums[0] += g * g / d, sums[1] += Av[k] * Av[k] / d, sums[2] += Jg[k] * Jg[k] / d;
    }
  cr_release(&p->allocator, Av, size);
  double scale = fmax(sums[1], sums[2]);
  return scale > 0 ? sqrt(sums[0] / scale) : 0;
}

bool cr_sap_save_solution(const carom_problem* p, const carom_solution* s, FILE* file) {
  fputs("sapsolution 1\n", file);
  write_name(file, p->name);
  fputs("beta 0 sigma", file);
  write_real(file, get_sigma(p));
  fputc('\n', file);
  write_value(file, "cost", s->report.primal_cost);
  write_value(file, "relres", relative_residual(p, s));
  fprintf(file, "v %d", s->num_unknowns);
  write_reals(file, s->v, s->num_unknowns);
  fprintf(file, "gamma %d", s->num_rows);
  write_reals(file, s->gamma, s->num_rows);
  fputs("end\n", file);
  return !ferror(file);
}
