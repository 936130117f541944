/* Primal-dual Newton (Alart & Curnier 1991 in spirit; the merit, the scales and the proximal term
 * are this project's own, see docs/solver.md).
 *
 * Unknowns v and gamma; the laws give dgamma = h - G dv_c, momentum gives H dv = -r + Jᵀh with
 * H = A + JᵀGJ. Merit: |r|² in A^-1 + sum of scale |gamma - P_C|². Rows with little or no R carry a
 * proximal weight in the Jacobian, whose point moves with every step, so that the answer has the
 * true R. It does not descend in l: the caller safeguards it. */
#include "solve/newton/primal_dual.h"

#include "math/scalar.h"
#include "solve/newton/nonlinear_elimination.h"
#include "solve/newton/woodbury.h"
#include "solve/tuning.h"

#include <float.h>
#include <string.h>

typedef struct newton {
  cr_system* system;
  cr_iterate* iterate;
  cr_arena* arena;
  cr_law_mode mode;
  cr_law_linearization linear;
  double *dv, *dgamma, *dv_c;           /* the step */
  cr_nonlinear_elimination elimination; /* with memory once there was use for it */
  bool eliminates, has_elimination;     /* not where weights hold impulses back to the end */
  bool slides_on_surface;               /* in the first step, see the settings */
  double *gamma, *v_c;                  /* a trial point */
  bool is_full;                         /* the last step was taken whole */
  double pulled;                        /* merit that it was to leave, with the proximal pull */
  int held;                             /* steps that left no more than that, but much else */
  bool is_direct;                       /* and its linear system solved but for round-off */
  double merits[CR_MEMORY];
  int steps;   /* since the scale of projections has changed */
  int taken;   /* steps in all */
  double drop; /* proximal weights below it are none */
  double tolerance;
  double accuracy;    /* of the linear solution, where it is iterative, in the merit's root */
  double least;       /* merit at the present scale of projections */
  int idle;           /* steps since */
  bool may_be_single; /* the factor, where H is not too stiff */
  bool is_estimate;   /* the iterate's v_c and r follow from the step's */
} newton;

/* Contacts repeat each other and change their states: their impulses need a weight to hold on to,
 * to the end. Where there are none it may get as small as a factor bears. */
cr_primal_dual_settings cr_primal_dual_settings_default(const cr_system* system, double tolerance) {
  bool is_rigid = !cr_system_is_well_posed(system);
  double least = cr_system_has_cones(system) ? CR_PROXIMAL_LEAST : CR_WELL_POSED;
  return (cr_primal_dual_settings){.tolerance = tolerance,
                                   .max_iterations = 20,
                                   .proximal = is_rigid ? CR_ANCHOR : 0,
                                   .shrink = CR_SHRINK,
                                   .proximal_least = is_rigid ? least : 0,
                                   .patience = 8,
                                   .progress = 1e-1};
}

/* Whether the problem is as large, and to be solved as roughly, as factors in single precision
 * want. */
static bool may_be_single(const cr_system* system, const cr_primal_dual_settings* settings) {
  return settings->tolerance >= FLT_EPSILON / 16 && system->H.flops >= CR_DEAR_FLOPS;
}

static bool init(newton* n, cr_system* system, const cr_primal_dual_settings* settings,
                 cr_arena* arena, cr_iterate* iterate) {
  int rows = system->problem->num_rows;
  *n = (newton){.system = system, .iterate = iterate, .arena = arena, .mode = settings->mode};
  n->mode.proximal = settings->proximal, n->drop = settings->drop;
  n->tolerance = settings->tolerance;
  n->slides_on_surface = settings->slides_on_surface;
  n->may_be_single = may_be_single(system, settings);
  n->linear.G = CR_SCRATCH(arena, double, system->problem->ld* rows);
  if (n->mode.coulomb > 0)
    n->linear.G_coulomb = CR_SCRATCH(arena, double, system->problem->ld* rows);
  n->linear.h = CR_SCRATCH(arena, double, rows);
  n->dv = CR_SCRATCH(arena, double, system->problem->pattern.num_rows);
  n->dgamma = CR_SCRATCH(arena, double, rows);
  n->dv_c = CR_SCRATCH(arena, double, rows);
  n->gamma = CR_SCRATCH(arena, double, rows);
  n->v_c = CR_SCRATCH(arena, double, rows);
  n->eliminates = settings->proximal == 0 || settings->drop > 0;
  return !arena->failed;
}

/* Where it was last linearised; infinite where the scale of projections is new. */
static double last_merit(const newton* n) {
  return n->steps > 0 ? n->merits[(n->steps - 1) % CR_MEMORY] : INFINITY;
}

/* A full step leaves no momentum residual but for what the factor's precision has left, of which
 * the next step leaves as small a share: where that is much of the merit before, doubles come next.
 * What GMRES leaves is more, in either precision. */
static void check_precision(newton* n) {
  if (n->system->precision == CR_SINGLE && n->is_full && n->is_direct &&
      n->iterate->r_norm2 > CR_INEXACT * CR_INEXACT * last_merit(n))
    n->may_be_single = false;
}

/* The root of the merit that the tolerance leaves. */
static double find_enough(const newton* n) {
  return n->tolerance * cr_certificate_scale(n->system, n->iterate);
}

/* Linear problems are solved no better than the nonlinear one converges (Eisenstat and Walker
 * 1996). */
static double choose_forcing(const newton* n, double merit) {
  return scalar_clamp(CR_DONE * merit / last_merit(n), CR_GMRES_LEAST, CR_INEXACT);
}

/* Linearises all laws; returns their merit. */
static double linearize_laws(newton* n) {
  cr_law_point point = cr_system_point(n->system, n->iterate);
  double laws = 0;
  n->mode.anchor = NULL;
  cr_law_mode mode = n->mode;
  mode.slides_on_surface = n->slides_on_surface && n->taken == 0;
  CR_FOR_EACH_LAW (k, n->system->batch)
    laws += cr_law_get(k)->linearize(&n->system->batch[k], &point, &mode, &n->linear);
  return laws;
}

/* The same of the iterate; returns the merit. */
static double linearize(newton* n) {
  double merit = linearize_laws(n) + n->iterate->r_norm2;
  check_precision(n);
  n->accuracy = choose_forcing(n, merit) * sqrt(merit);
  n->merits[n->steps++ % CR_MEMORY] = merit;
  return merit;
}

/* H's factor, in doubles where it is stiffer than single precision bears. */
static bool factor(newton* n) {
  bool is_stiff = n->system->smallest_R + n->mode.proximal < 8 * FLT_EPSILON;
  bool is_single = n->may_be_single && !is_stiff;
  cr_system_set_precision(n->system, is_single ? CR_SINGLE : CR_DOUBLE);
  if (cr_system_factor(n->system, n->linear.G)) return true;
  if (n->system->precision == CR_DOUBLE) return false;
  n->may_be_single = false;
  cr_system_set_precision(n->system, CR_DOUBLE);
  return cr_system_factor(n->system, n->linear.G);
}

/* dv, which holds the right-hand side, becomes the solution; G: of the step. */
static bool solve_linear(newton* n, const double* G) {
  n->is_direct = !n->system->iterative;
  if (n->mode.coulomb > 0)
    return cr_woodbury_solve(n->system, n->linear.G, G, n->accuracy, CR_KRYLOV_MOST, n->arena,
                             n->dv, &n->is_direct) >= 0;
  cr_system_solve(n->system, n->dv);
  return true;
}

/* dv_c and dgamma = h - G dv_c of the step dv; h: null for none. */
static void complete_step(newton* n, const double* h, const double* G) {
  const cr_problem* p = n->system->problem;
  cr_problem_apply_J(p, n->dv, n->dv_c, n->system->scratch_local);
  cr_system_multiply_G(n->system, G, n->dv_c, n->dgamma);
  for (int i = 0; i < p->num_rows; i++) n->dgamma[i] = (h ? h[i] : 0) - n->dgamma[i];
}

/* The step (dv, dgamma, dv_c) with the factor that there is. */
static bool compute_step(newton* n) {
  cr_system* s = n->system;
  const cr_problem* p = s->problem;
  for (int i = 0; i < p->pattern.num_rows; i++) n->dv[i] = -n->iterate->r[i];
  cr_problem_add_J_transposed(p, n->linear.h, n->dv, s->scratch_local);
  const double* G = n->mode.coulomb > 0 ? n->linear.G_coulomb : n->linear.G;
  if (!solve_linear(n, G)) return false;
  complete_step(n, n->linear.h, G);
  return true;
}

/* Merit at the fraction alpha of the step, with the proximal pull to where it started. */
static double trial_merit(newton* n, double alpha) {
  const cr_problem* p = n->system->problem;
  scalar_axpy(n->iterate->gamma, alpha, n->dgamma, p->num_rows, n->gamma);
  scalar_axpy(n->iterate->v_c, alpha, n->dv_c, p->num_rows, n->v_c);
  cr_law_point point = {n->system->R, n->system->v_hat, n->v_c, n->gamma};
  double merit = (1 - alpha) * (1 - alpha) * n->iterate->r_norm2;
  n->mode.anchor = n->iterate->gamma;
  CR_FOR_EACH_LAW (k, n->system->batch)
    merit += cr_law_get(k)->merit(&n->system->batch[k], &point, &n->mode);
  return merit;
}

/* The largest of the last few merits. */
static double find_reference(const newton* n) {
  double reference = 0;
  int count = n->steps < CR_MEMORY ? n->steps : CR_MEMORY;
  for (int i = 0; i < count; i++) reference = scalar_max(reference, n->merits[i]);
  return reference;
}

/* Halves the step until the merit falls below the largest of the last few; 0 where nothing does.
 * @param full merit of the full step; not a number: not known */
static double search(newton* n, double full) {
  double reference = find_reference(n), alpha = 1;
  n->pulled = full;
  for (; alpha > CR_LEAST_STEP; alpha *= 0.5) {
    if (alpha < 1 || isnan(full)) n->pulled = trial_merit(n, alpha);
    if (n->pulled <= reference) return alpha;
  }
  return isfinite(n->pulled) ? alpha : 0;
}

static cr_elimination_budget choose_budget(const newton* n, double enough) {
  if (!n->eliminates || (n->mode.proximal > 0 && n->taken == 0)) return CR_ELIMINATION_NONE;
  bool is_hidden = n->taken > 0 && last_merit(n) < enough * enough;
  return cr_nonlinear_elimination_choose(n->system, &n->mode, n->taken, is_hidden);
}

static bool prepare_elimination(newton* n) {
  if (!n->has_elimination)
    n->has_elimination = cr_nonlinear_elimination_init(&n->elimination, n->system, n->arena);
  return n->has_elimination;
}

/* Solves the few constraints on which the step would be lost; whether that changes it.
 * @param most, none merit that must be left at most, and that is none
 * @param merit receives that of the step as it was, or what is not a number where that is not known
 */
static bool eliminate(newton* n, cr_elimination_budget budget, double most, double none,
                      double* merit) {
  *merit = NAN;
  if (budget == CR_ELIMINATION_NONE || !prepare_elimination(n)) return false;
  cr_newton_step step = {n->dv, n->dv_c, n->dgamma};
  n->mode.anchor = NULL;
  return cr_nonlinear_elimination_apply(&n->elimination, n->system, n->iterate, &n->mode,
                                        &n->linear, budget, most, none, n->arena, &step, merit);
}

/* Eliminates where that helps, else searches. Returns how much of the step is to be taken. */
static double choose_step(newton* n) {
  double enough = find_enough(n), merit;
  cr_elimination_budget budget = choose_budget(n, enough);
  bool has_changed = eliminate(n, budget, find_reference(n), enough * enough, &merit);
  n->pulled = INFINITY;
  return has_changed ? 1 : search(n, merit);
}

/* Momentum is linear: a step takes its share of the residual away, but for what GMRES or single
 * precision have left of it and round-off, which is why the last iterate is evaluated anew. */
static void take(newton* n, double alpha) {
  const cr_problem* p = n->system->problem;
  cr_iterate* x = n->iterate;
  scalar_axpy(x->v, alpha, n->dv, p->pattern.num_rows, x->v);
  scalar_axpy(x->gamma, alpha, n->dgamma, p->num_rows, x->gamma);
  n->is_full = alpha == 1;
  n->is_estimate = n->is_direct;
  if (n->is_estimate && n->system->precision == CR_DOUBLE)
    cr_iterate_estimate(n->system, n->dv_c, alpha, x);
  else if (n->is_estimate)
    cr_iterate_move(n->system, n->dv_c, alpha, x);
  else
    cr_iterate_update(n->system, x);
}

/* What is compared with the tolerance; a lower bound of it may do above the tolerance. */
static double measure(newton* n, const cr_law_mode* mode, double tolerance) {
  if (n->is_estimate)
    return cr_certificate_settle(n->system, mode, tolerance, n->iterate, n->gamma);
  return cr_certificate_value_above(n->system, n->iterate, mode, tolerance, n->gamma);
}

/* Whether little but momentum keeps a full step from the tolerance: what single precision has left,
 * or impulses by being moved into C. */
static bool wants_refinement(const newton* n, double value, double tolerance) {
  if (n->mode.coulomb > 0 || !n->is_full || !n->is_direct) return false;
  double whole = value * cr_certificate_scale(n->system, n->iterate);
  return value > tolerance && value < CR_REACHABLE * tolerance &&
         n->iterate->r_norm2 > 0.5 * whole * whole;
}

/* Takes the momentum residual away, once more with the last factor and linearisation. */
static void refine(newton* n) {
  for (int i = 0; i < n->system->problem->pattern.num_rows; i++) n->dv[i] = -n->iterate->r[i];
  cr_system_solve(n->system, n->dv);
  complete_step(n, NULL, n->linear.G);
  take(n, 1);
}

/* Full steps tighten the proximal weight, short ones loosen it. */
static void adapt_proximal(newton* n, const cr_primal_dual_settings* settings, double alpha) {
  double weight = n->mode.proximal;
  if (alpha == 1)
    weight = scalar_max(settings->shrink * weight, settings->proximal_least);
  else if (alpha < 0.25)
    weight = scalar_min(4 * weight, 1);
  n->mode.proximal = weight < n->drop ? 0 : weight;
}

/* Where a step has solved its proximal problem and has left much of what there was, it is the
 * weight that holds back what constraints respond to by less than it: all of it goes. Where there
 * are contacts, whose impulses hold on to it, only after two such steps. */
static void release_proximal(newton* n, const cr_primal_dual_settings* settings, double value,
                             double before) {
  bool is_solved = n->is_full && n->pulled <= CR_ROUND_OFF * last_merit(n);
  n->held = is_solved && value > settings->progress * before ? n->held + 1 : 0;
  if (n->held >= (cr_system_has_cones(n->system) ? CR_IDLE : 1))
    n->mode.proximal = settings->proximal_least;
}

/* Linearises; where the merit goes round, at the other scale of projections from now on. */
static double linearize_anew(newton* n) {
  double merit = linearize(n);
  bool is_least = n->steps == 1 || merit < CR_PLATEAU * n->least;
  n->idle = is_least ? 0 : n->idle + 1;
  if (n->idle >= CR_IDLE && n->mode.coulomb == 0) {
    n->mode.alternate = !n->mode.alternate;
    n->steps = n->idle = 0;
    merit = linearize(n);
    is_least = true;
  }
  if (is_least) n->least = merit;
  return merit;
}

/* Keeps the best iterate seen. */
typedef struct best_iterate {
  double value; /* of a start that is not measured yet: not a number */
  cr_iterate iterate;
} best_iterate;

static bool init_best(best_iterate* best, const cr_problem* p, cr_arena* arena) {
  best->value = INFINITY;
  return cr_iterate_init_scratch(&best->iterate, p, arena);
}

static void keep_best(const newton* n, double value, best_iterate* best) {
  best->value = value;
  cr_iterate_copy(n->iterate, n->system->problem, &best->iterate);
}

/* A start from which a step is taken in any case is measured when the step was not enough. */
static double measure_best(newton* n, const cr_primal_dual_settings* settings,
                           const best_iterate* best) {
  if (!isnan(best->value)) return best->value;
  return cr_certificate_value_above(n->system, &best->iterate, &settings->mode, settings->tolerance,
                                    n->gamma);
}

/* Whether the iterate is within the tolerance, with a refinement where that is enough; else keeps
 * it where it is the best. The start is not measured where a step is taken in any case. */
static bool is_enough(newton* n, const cr_primal_dual_settings* settings, best_iterate* best) {
  double tolerance = settings->tolerance;
  if (n->taken < settings->min_iterations) {
    keep_best(n, NAN, best);
    return false;
  }
  double value = measure(n, &settings->mode, tolerance);
  if (wants_refinement(n, value, tolerance)) {
    refine(n);
    value = measure(n, &settings->mode, tolerance);
  }
  if (value <= tolerance) return true;
  best->value = measure_best(n, settings, best);
  release_proximal(n, settings, value, best->value);
  if (value < best->value) keep_best(n, value, best);
  return false;
}

/* The merit that others are compared with, and for how many steps none has been well below it. */
typedef struct patience {
  double reference;
  int since;
} patience;

/* Whether a merit is worth another step. There is none to compare it with at the start, and where
 * the scale of projections has changed as soon as it could, so that what came before was in vain.
 */
static bool goes_on(const newton* n, const cr_primal_dual_settings* settings, double merit,
                    patience* p) {
  bool is_new = n->steps == 1 && n->taken <= CR_IDLE + 1;
  if (is_new || merit <= settings->progress * p->reference)
    *p = (patience){.reference = merit};
  else
    p->since++;
  return p->since <= settings->patience && n->taken < settings->max_iterations && isfinite(merit);
}

cr_newton_outcome cr_primal_dual(cr_system* system, const cr_primal_dual_settings* settings,
                                 cr_arena* arena, cr_iterate* iterate, int* iterations) {
  newton n;
  best_iterate best;
  patience p = {INFINITY, 0};
  cr_newton_outcome outcome;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  if (!init(&n, system, settings, arena, iterate) || !init_best(&best, system->problem, arena))
    return CR_NEWTON_FAILED;
  for (;;) {
    outcome = CR_NEWTON_CONVERGED;
    if (is_enough(&n, settings, &best)) break;
    outcome = CR_NEWTON_STALLED;
    if (!goes_on(&n, settings, linearize_anew(&n), &p)) break;
    outcome = CR_NEWTON_FAILED;
    if (!factor(&n) || !compute_step(&n)) break;
    outcome = CR_NEWTON_STALLED;
    double alpha = choose_step(&n);
    if (alpha == 0) break;
    take(&n, alpha);
    adapt_proximal(&n, settings, alpha);
    n.taken++, ++*iterations;
  }
  if (outcome != CR_NEWTON_CONVERGED && best.value < INFINITY)
    cr_iterate_copy(&best.iterate, system->problem, iterate);
  cr_arena_pop_scratch(arena, mark);
  return outcome;
}
