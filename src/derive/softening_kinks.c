/* Where recovery that presses in vain is about to be slowed, or no longer. */
#include "derive/near_kinks.h"
#include "derive/softening.h"

#include <math.h>

#define REACH \
  1 /* of the logarithm of what recovery does, over what it may: beyond there is no kink */

/* What the logarithm of what a row's recovery does over what it may changes by with 1 m/s: with the
 * impulse by velocities of random signs, root mean square (near_laws.c), and with what closes the
 * violation at once by its place. */
static double find_change(const cr_constraint_tangent* c, const cr_active_constraint* a, double* v,
                          double* rows) {
  double sum = 0, by_place = a->recovery ? a->recovery->v_hat.v_hat : 1;
  cr_softening slopes;
  cr_softening_find_slopes(&c->s, a, &slopes);
  for (uint32_t k = 0; k < CR_NEAR_PROBES; k++) {
    cr_near_probe(c, k, v, rows);
    double change = rows[a->first + a->rows - 1] / c->s.out->gamma[a->row + a->rows - 1];
    sum += change * change / CR_NEAR_PROBES;
  }
  return sqrt(sum) + fabs(2 * slopes.speed * by_place);
}

/* @param over what a row's recovery does over where it is decided otherwise */
static void mark(const cr_constraint_tangent* c, const cr_active_constraint* a, double over,
                 double* v, double* rows) {
  double distance = fabs(log(over));
  if (!(distance < REACH)) return;
  double speed = distance / find_change(c, a, v, rows);
  c->s.t->num_kinks += speed < CR_DERIVE_SMALL_CHANGE;
  cr_step_tangent_note_kink(c->s.t, distance, speed);
}

bool cr_softening_kinks_mark(const cr_constraint_tangent* c) {
  const cr_constraint_state* s = &c->s;
  const cr_active_constraint* first = NULL;
  double most = 0, *v = NULL, *rows = NULL;
  if (s->t->smoothing > 0) return true;
  if (s->out->num_softened + 1 == CR_RECOVERY_MOST_SOLUTIONS && !s->t->is_passed) return true;
  for (int i = 0; i < s->num_active; i++) {
    double vain = cr_recovery_find_vain(s->out, s->active[i].place);
    if (vain > most) most = vain, first = &s->active[i];
  }
  if (!first || !(most > CR_RECOVERY_WORTH * exp(-REACH))) return true;
  v = CR_PUSH(s->t->arena, double, s->n), rows = CR_PUSH(s->t->arena, double, s->num_rows);
  if (s->t->arena->failed) return false;
  mark(c, first, most / CR_RECOVERY_WORTH, v, rows);
  for (int i = 0; i < s->num_active && most > CR_RECOVERY_WORTH; i++)
    mark(c, &s->active[i], cr_recovery_find_vain(s->out, s->active[i].place), v, rows);
  return true;
}
