/* With the speed u at which a row recovers, its impulse gamma, its rate v1 in the free motion, what
 * its bound gives, E and m, and the load L, a row that presses in vain goes on with
 *
 *   ln share' = ln share + (ln M - ln |gamma u|) / 2,    M = E + (L + m |u - v1|) |u|,
 *
 * while u moves by what moves it at a given share, and by u d ln share. */
#include "derive/softening.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

#define FAR \
  1 /* of the logarithm of what recovery does, over what it may: beyond there is no kink */

/* --- Shares -------------------------------------------------------------------------------------
 */

static size_t size_of(const cr_shares* shares) {
  return sizeof(cr_share) + sizeof(double) * (size_t)shares->width;
}

void cr_shares_clear(cr_shares* shares) {
  while (shares->first) {
    cr_share* first = shares->first;
    shares->first = first->next;
    cr_release(shares->allocator, first, size_of(shares));
  }
}

static cr_share* find_share(const cr_shares* shares, cr_contact_key key) {
  cr_share* share = shares->first;
  while (share && cr_contact_key_compare(share->key, key) != 0) share = share->next;
  return share;
}

/* The one of a key, which is made where there is none, of zeros; null: memory ran out. */
static cr_share* get_share(cr_shares* shares, cr_contact_key key) {
  cr_share* share = find_share(shares, key);
  if (share) return share;
  share = cr_alloc_zero(shares->allocator, size_of(shares));
  if (!share) return NULL;
  share->key = key, share->next = shares->first;
  return shares->first = share;
}

/* The row of an active constraint that recovers. */
static int find_row(const cr_active_constraint* a) { return a->row + a->rows - 1; }

static double find_speed(const cr_constraint_state* s, const cr_active_constraint* a) {
  const cr_contact_extra* extra = a->constraint->extra;
  return s->p->v_hat[find_row(a)] + (extra ? extra->push : 0);
}

/* Whether solutions before this one may have lowered its share. */
static bool is_lowered(const cr_constraint_state* s, const cr_active_constraint* a) {
  return !s->t->is_first && a->recovery && a->recovery->ease < 1;
}

void cr_share_add(const cr_constraint_state* s, const cr_active_constraint* a, int column,
                  double* rows) {
  double moved = find_speed(s, a) * a->share->by[column];
  for (int r = 0; r < a->rows; r++) rows[r] += a->law.D[r][a->rows - 1] * moved;
}

bool cr_share_pull(const cr_constraint_state* s, const cr_active_constraint* a,
                   const double* rows) {
  double sum = 0;
  if (!is_lowered(s, a)) return true;
  cr_share* share = get_share(s->t->shares, a->constraint->key);
  for (int r = 0; r < a->rows; r++) sum += a->law.D[r][a->rows - 1] * rows[r];
  if (share) share->by[0] += sum * find_speed(s, a);
  return share != NULL;
}

/* --- What is handed on --------------------------------------------------------------------------
 */

bool cr_softening_is_due(const cr_constraint_state* s, const cr_active_constraint* a) {
  return s->t->is_passed && !(s->t->smoothing > 0) && cr_recovery_find_vain(s->out, a->place) > 1 &&
         cr_recovery_presses_in_vain(s->out);
}

void cr_softening_find_slopes(const cr_constraint_state* s, const cr_active_constraint* a,
                              cr_softening* out) {
  const cr_recovery_bound* bound = &s->out->recovery[find_row(a)];
  double u = find_speed(s, a), size = fabs(u), c = u - a->at.v1, m = bound->mass;
  double given = s->out->load + m * fabs(c), most = bound->energy + given * size;
  out->gamma = -0.5 / s->out->gamma[find_row(a)];
  out->energy = 0.5 / most;
  out->mobility = -0.5 * fabs(c) * size * m / (a->at.mobility * most);
  out->v1 = -0.5 * copysign(m, c) * size / most;
  out->speed = 0.5 * ((copysign(given, u) + copysign(m, c) * size) / most - 1 / u);
  out->share = 1 + out->speed * u;
}

/* Makes what a row hands on; backwards where that is asked for, once. */
static bool add_softening(cr_constraint_state* s, cr_active_constraint* a) {
  cr_shares* shares = s->t->shares;
  cr_contact_key key = a->constraint->key;
  cr_share* to = shares->is_backwards ? find_share(shares, key) : get_share(shares, key);
  if (!to) return shares->is_backwards;
  a->softening = CR_PUSH(s->t->arena, cr_softening, 1);
  a->of_column = CR_PUSH(s->t->arena, double, 1);
  if (s->t->arena->failed) return false;
  *a->softening = (cr_softening){.to = to, .at = s->num_softenings++, .scale = 1};
  *a->of_column = 0;
  cr_softening_find_slopes(s, a, a->softening);
  if (!shares->is_backwards) return true;
  a->softening->scale = to->by[0];
  a->of_gamma[a->rows - 1] += a->softening->scale * a->softening->gamma;
  to->by[0] = is_lowered(s, a) ? a->softening->scale * a->softening->share : 0;
  return true;
}

bool cr_softenings_find(cr_constraint_state* s) {
  for (int i = 0; i < s->num_active; i++) {
    cr_active_constraint* a = &s->active[i];
    bool is_due = cr_softening_is_due(s, a);
    bool is_known = a->recovery && a->recovery->has_energy;
    if (is_lowered(s, a) && !s->t->shares->is_backwards)
      a->share = find_share(s->t->shares, a->constraint->key);
    s->t->num_held += is_due && !is_known;
    if (is_due && is_known && !add_softening(s, a)) return false;
  }
  return true;
}

double cr_softening_move(const cr_active_constraint* a, const cr_distance_row* moved, double speed,
                         double lever) {
  const cr_softening* by = a->softening;
  double energy = cr_recovery_slopes_apply(&a->recovery->energy, moved, 0, lever) +
                  a->recovery->energy_by_own * moved->own;
  return by->scale * (by->energy * energy + by->speed * speed + by->v1 * moved->v1 +
                      by->mobility * moved->mobility);
}

void cr_softenings_hand_on(const cr_constraint_state* s, int column, const double* rows) {
  for (int i = 0; i < s->num_active; i++) {
    const cr_active_constraint* a = &s->active[i];
    const cr_softening* by = a->softening;
    if (!by) continue;
    double so_far = a->share ? by->share * a->share->by[column] : 0;
    by->to->by[column] =
        so_far + by->gamma * rows[a->first + a->rows - 1] + rows[s->num_rows + by->at];
  }
}
