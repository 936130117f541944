/* With the answers z_a = A⁻¹ j_aᵀ of the rows of the force dW_ab = dj_a z_b + dj_b z_a - z_aᵀ (dA)
 * z_b, so that with W = L Lᵀ and y_k = Σ_a L_ak z_a
 *
 *   |W|_F d|W|_F = Σ_ab W_ab dW_ab = Σ_k (2 Σ_a L_ak dj_a y_k - y_kᵀ (dA) y_k). */
#include "derive/film_mobility.h"

#include "sim/rows/compliance.h"

#include <math.h>

#define REPEATS 1e-14 /* of the largest pivot: round-off of a row that repeats others */

/* Rows of a cone's force: two tangential ones and the normal. */
static void list_rows(int rows, int of_force[3]) {
  of_force[0] = 0, of_force[1] = 1, of_force[2] = rows - 1;
}

/* Cholesky's factor of the force's part of W [rows²], columns without a pivot left out. */
static void factor(const double* W, int rows, cr_film_mobility* out) {
  double left[3][3], most = 0;
  int at[3];
  list_rows(rows, at);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) left[i][k] = W[rows * at[i] + at[k]];
  for (int i = 0; i < 3; i++) most = fmax(most, left[i][i]);
  for (int i = 0; i < 3; i++) {
    double* column = out->by[out->count];
    if (!(left[i][i] > REPEATS * most)) continue;
    for (int k = 0; k < 3; k++) column[k] = k < i ? 0 : left[k][i] / sqrt(left[i][i]);
    for (int k = i; k < 3; k++)
      for (int j = i; j < 3; j++) left[k][j] -= column[k] * column[j];
    out->count++;
  }
}

static bool find(cr_constraint_state* s, cr_active_constraint* a, const double* W) {
  cr_film_mobility* film = CR_PUSH(s->t->arena, cr_film_mobility, 1);
  int row[3];
  if (!film) return false;
  *film = (cr_film_mobility){.count = 0};
  list_rows(a->rows, row);
  for (int i = 0; i < 3; i++) row[i] += a->row;
  film->scale = 1 / (9 * a->at.film);
  factor(W, a->rows, film);
  for (int k = 0; k < film->count; k++)
    if (!cr_answer_find(s, &(cr_row_sum){3, row, film->by[k]}, &film->answer[k])) return false;
  a->film = film;
  return true;
}

bool cr_film_mobilities_find(cr_constraint_state* s) {
  const carom_sim_def* def = &s->t->step->sim->def;
  if (def->sigma == 0 && def->beta == 0) return true;
  for (int i = 0; i < s->num_active; i++) {
    cr_active_constraint* a = &s->active[i];
    const double* W = s->out->W + s->p->ld * a->row;
    if (!a->contact || a->rows < 3) continue;
    a->at.film = cr_compliance_find_film(W, a->rows);
    if (!cr_active_is_soft(s, a) && a->at.film > 0 && !find(s, a, W)) return false;
  }
  return true;
}

double cr_film_mobility_move_rows(const cr_constraint_state* s, const cr_active_constraint* a,
                                  const cr_row_change* change, int dof) {
  const cr_film_mobility* film = a->film;
  double sum = 0;
  int at[3];
  list_rows(a->rows, at);
  for (int k = 0; k < film->count; k++) {
    for (int i = 0; i < 3; i++)
      if (film->by[k][i] != 0)
        sum += 2 * film->by[k][i] *
               cr_row_velocity_change(s->t->step, &a->shape[at[i]], &change[at[i]],
                                      film->answer[k].motion);
    if (dof >= 0) sum += film->answer[k].slope[dof];
  }
  return film->scale * sum;
}

double cr_film_mobility_move_matrix(const cr_constraint_state* s, const cr_film_mobility* film,
                                    const cr_matrix_way* way, double* work) {
  double sum = 0;
  for (int k = 0; k < film->count; k++)
    sum += cr_mobility_tangent_move(s, film->answer[k].motion->v, way, work);
  return film->scale * sum;
}

void cr_film_mobility_pull(const cr_constraint_state* s, const cr_film_mobility* film,
                           double cotangent, const cr_mobility_cotangents* out) {
  for (int k = 0; k < film->count; k++)
    cr_mobility_tangent_pull(s, film->answer[k].motion->v, cotangent * film->scale, out);
}
