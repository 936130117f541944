/* Bounded rows for the interior-point solver: gamma strictly between its bounds, with a multiplier
 * for each finite bound: s = z_low - z_high, z_low (gamma - low) = z_high (high - gamma) = target.
 *
 * Rows without bounds are linear; a proximal share of the scale stands in for a vanishing R. */
#include "math/scalar.h"
#include "problem/bounds_law.h"
#include "problem/centrality.h"

#define LEAST_R    1e-9  /* of the scale, on rows without bounds */
#define LEAST_ROOM 1e-10 /* of a bound, between a start and it: above round-off */

typedef struct interior_row {
  double gamma, z[2], dgamma, dz[2]; /* as stored; [0] low, [1] high */
  double room[2];                    /* distance to the bounds, infinite where there is none */
} interior_row;

static interior_row load(const cr_law_batch* batch, int i, const double* state) {
  const double* x = state + cr_law_find_state(batch, i);
  const double* bound = batch->parameter + 2 * i;
  return (interior_row){x[0], {x[1], x[2]}, x[3], {x[4], x[5]}, {x[0] - bound[0], bound[1] - x[0]}};
}

static void store(const cr_law_batch* batch, int i, const interior_row* b, double* state) {
  double* x = state + cr_law_find_state(batch, i);
  x[0] = b->gamma, x[1] = b->z[0], x[2] = b->z[1], x[3] = b->dgamma, x[4] = b->dz[0],
  x[5] = b->dz[1];
}

static double compute_slack(const cr_law_point* point, const double* shift, int r, double gamma) {
  return point->v_c[r] - point->v_hat[r] + point->R[r] * gamma + (shift ? shift[r] : 0);
}

/* Stores a point whose products with its multipliers are `product`. */
static void set_multipliers(const cr_law_batch* batch, int i, double gamma, double product,
                            double* state) {
  const double* bound = batch->parameter + 2 * i;
  interior_row b = {.gamma = gamma, .room = {gamma - bound[0], bound[1] - gamma}};
  for (int k = 0; k < 2; k++) b.z[k] = isfinite(b.room[k]) ? product / b.room[k] : 0;
  store(batch, i, &b, state);
}

/* A point between the bounds: off one by what is split, between two in proportion. */
static double place_near(double low, double high, double z, double product) {
  double above, below, unused;
  scalar_split(z - low, product, &above, &unused);
  scalar_split(high - z, product, &below, &unused);
  double share = scalar_clamp(above / (above + below), LEAST_ROOM, 1 - LEAST_ROOM);
  if (isfinite(low) && isfinite(high)) return low + (high - low) * share;
  if (isfinite(low)) return low + scalar_max(above, LEAST_ROOM * fabs(low));
  return high - scalar_max(below, LEAST_ROOM * fabs(high));
}

static void start(const cr_law_batch* batch, const cr_law_point* point, const double* shift,
                  double product, double* state) {
  for (int i = 0; i < batch->count; i++) {
    const double* bound = batch->parameter + 2 * i;
    double gamma = point->gamma[batch->row[i]], scale = batch->scale[i];
    double z = gamma - compute_slack(point, shift, batch->row[i], gamma) / scale;
    bool is_bounded = isfinite(bound[0]) || isfinite(bound[1]);
    if (is_bounded) gamma = place_near(bound[0], bound[1], z, product / scale);
    set_multipliers(batch, i, gamma, product, state);
  }
}

/* Product target of one bound, less what it is and the second-order term. */
static double compute_target(const interior_row* b, int k, double target, bool corrector) {
  double sign = k == 0 ? 1 : -1;
  return target - b->room[k] * b->z[k] - (corrector ? sign * b->dgamma * b->dz[k] : 0);
}

/* A row whose bounds coincide, or left too little room to move. */
static bool is_frozen(const interior_row* b) { return b->room[0] <= 0 || b->room[1] <= 0; }

static void linearize(const cr_law_batch* batch, const cr_law_point* point, const double* shift,
                      double target, bool corrector, double* state, double* G, double* h) {
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    interior_row b = load(batch, i, state);
    double right = b.z[0] - b.z[1] - compute_slack(point, shift, r, b.gamma), weight = point->R[r];
    G[batch->ld * r] = h[r] = 0;
    if (is_frozen(&b)) continue;
    for (int k = 0; k < 2; k++) {
      if (!isfinite(b.room[k])) continue;
      double rc = compute_target(&b, k, target, corrector);
      right += (k == 0 ? rc : -rc) / b.room[k];
      weight += b.z[k] / b.room[k];
      b.dz[k] = rc / b.room[k]; /* completed by complete() */
    }
    weight = scalar_max(weight, LEAST_R * batch->scale[i]);
    G[batch->ld * r] = 1 / weight;
    h[r] = right / weight;
    store(batch, i, &b, state);
  }
}

static void complete(const cr_law_batch* batch, const double* dv_c, const double* G,
                     const double* h, double* state) {
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    interior_row b = load(batch, i, state);
    if (is_frozen(&b)) continue;
    b.dgamma = h[r] - G[batch->ld * r] * dv_c[r];
    for (int k = 0; k < 2; k++)
      if (isfinite(b.room[k])) b.dz[k] -= b.z[k] / b.room[k] * (k == 0 ? b.dgamma : -b.dgamma);
    store(batch, i, &b, state);
  }
}

/* Of a positive number. */
static double longest(double x, double dx) { return dx < 0 ? -x / dx : INFINITY; }

static double longest_step(const cr_law_batch* batch, const double* state, double most) {
  for (int i = 0; i < batch->count; i++) {
    interior_row b = load(batch, i, state);
    if (is_frozen(&b)) continue;
    for (int k = 0; k < 2; k++) {
      if (!isfinite(b.room[k])) continue;
      double move = k == 0 ? b.dgamma : -b.dgamma;
      most = scalar_min(most, scalar_min(longest(b.room[k], move), longest(b.z[k], b.dz[k])));
    }
  }
  return most;
}

static void recenter(const cr_law_batch* batch, double alpha, cr_law_range products,
                     const double* G, double* state, double* h) {
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    interior_row b = load(batch, i, state);
    if (is_frozen(&b)) continue;
    for (int k = 0; k < 2; k++) {
      if (!isfinite(b.room[k])) continue;
      double move = k == 0 ? b.dgamma : -b.dgamma;
      double product = (b.room[k] + alpha * move) * (b.z[k] + alpha * b.dz[k]);
      double more = cr_centrality_pull(product, products) / b.room[k];
      b.dz[k] += b.z[k] / b.room[k] * move + more;
      h[r] += G[batch->ld * r] * (k == 0 ? more : -more);
    }
    store(batch, i, &b, state);
  }
}

static double complementarity(const cr_law_batch* batch, const double* state, double alpha,
                              int* count) {
  double sum = 0;
  for (int i = 0; i < batch->count; i++) {
    interior_row b = load(batch, i, state);
    if (is_frozen(&b)) continue;
    for (int k = 0; k < 2; k++) {
      if (!isfinite(b.room[k])) continue;
      double move = k == 0 ? b.dgamma : -b.dgamma;
      sum += (b.room[k] + alpha * move) * (b.z[k] + alpha * b.dz[k]);
      ++*count;
    }
  }
  return sum;
}

static void move(const cr_law_batch* batch, double alpha, double* state) {
  for (int i = 0; i < batch->count; i++) {
    interior_row b = load(batch, i, state);
    if (is_frozen(&b)) continue;
    b.gamma += alpha * b.dgamma;
    for (int k = 0; k < 2; k++) b.z[k] += isfinite(b.room[k]) ? alpha * b.dz[k] : 0;
    store(batch, i, &b, state);
  }
}

static bool lift(const cr_law_batch* batch, double least, double* state) {
  bool any = false;
  for (int i = 0; i < batch->count; i++) {
    interior_row b = load(batch, i, state);
    if (is_frozen(&b)) continue;
    double middle = 0.5 * (b.room[0] + b.room[1]);
    for (int k = 0; k < 2; k++) {
      double room = b.room[k];
      if (!isfinite(room) || room * b.z[k] >= least) continue;
      any = true;
      cr_centrality_lift(&room, &b.z[k], batch->scale[i], least);
      double move = scalar_min(room, scalar_max(middle, b.room[k])) - b.room[k];
      b.gamma += k == 0 ? move : -move;
    }
    store(batch, i, &b, state);
  }
  return any;
}

static void get_gamma(const cr_law_batch* batch, const double* state, double* gamma) {
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    gamma[r] = state[cr_law_find_state(batch, i)];
  }
}

const cr_law_interior cr_bounds_interior = {
    start, linearize, complete, longest_step, recenter, complementarity, move, lift, get_gamma};
