/* The energy watch. A step's balance is
 *
 *   dE = actuators + external forces - dissipated + error,
 *
 * and what constraints do beyond what they dissipate is recovery, which is bounded. Free links are
 * balanced by differences of velocities, so that round-off of large positions plays no part; all
 * others by their energies before and after. */
#include "sim/step/energy_watch.h"

#include "force/elements.h"
#include "force/tendon.h"
#include "sim/mover.h"
#include "sim/tree/tree_energy.h"
#include "tree/algorithms.h"

#include <math.h>
#include <string.h>

/* Of the kinetic energy and what a step exchanges: above it a step is repeated at once. A linear
 * oscillator whose force is off by the whole step, dt w = 1/2, is below it. */
#define STEP_SHARE 0.25

/* Of all that was exchanged since the state was set: above it no step may add more than a
 * trifle. */
#define SUM_SHARE 0.04

/* Round-off of energies; and of the recovery speed, with which all masses have a trifle. */
#define ROUND_OFF 1e-13
#define TRIFLE    1e-6

/* --- Memory -------------------------------------------------------------------------------------
 */

/* Behind the movers springs and tendons. */
static int count_parts(const carom_model* m) { return m->num_movers + 1; }

bool cr_energy_watch_init(carom_sim* sim) {
  int count = count_parts(sim->model);
  sim->energy_watch = (cr_energy_watch){.energy = CR_PUSH(&sim->fixed, cr_energy_part, count),
                                        .next = CR_PUSH(&sim->fixed, cr_energy_part, count)};
  return !sim->fixed.failed;
}

void cr_energy_watch_forget(carom_sim* sim) {
  sim->energy_watch.is_known = false;
  sim->energy_watch.sums = (cr_energy_watch_sums){0};
}

/* --- Energies -----------------------------------------------------------------------------------
 */

/* Of springs and tendons, with all trees in place. */
static double links_energy(cr_step* step, const double* q) {
  const carom_model* m = step->model;
  cr_line_place at = {&m->force.line, &m->tree, &step->kinematics, q};
  cr_lines_update(&at, &step->lines);
  double sum = cr_tendon_sum_energy(&m->force.tendon, &step->lines);
  for (int s = 0; s < m->force.num_springs; s++) {
    cr_force_spring spring = cr_force_locate_spring(&m->force, s, step->kinematics.link_pose);
    sum += cr_force_compute_spring_energy(&m->force, s, spring.length);
  }
  return sum;
}

/* Of the inertia of tendons, whose rows are those of links_energy. */
static double tendon_energy(cr_step* step, const double* q, const double* v) {
  const carom_model* m = step->model;
  for (int t = 0; t < m->tree.num_trees; t++) cr_tree_to_internal(&m->tree, t, q, v, step->work);
  return cr_tendon_sum_kinetic(&m->force, &step->lines, step->work);
}

static void sum_energies(cr_step* step, const double* q, const double* v, cr_energy_part* energy) {
  const carom_model* m = step->model;
  bool has_links = cr_tree_energy_has_between(m);
  cr_movers_find_energy(step, q, v, energy);
  cr_energy_part* between = &energy[m->num_movers];
  *between = (cr_energy_part){.sum.elastic = has_links ? links_energy(step, q) : 0};
  if (m->force.tendon.num_armatures) between->sum.kinetic = tendon_energy(step, q, v);
}

void cr_energy_watch_begin(cr_step* step) {
  cr_energy_watch* watch = &step->sim->energy_watch;
  if (watch->is_known) return;
  for (int i = 0; i < count_parts(step->model); i++) watch->energy[i] = (cr_energy_part){0};
  sum_energies(step, step->sim->q, step->sim->v, watch->energy);
  watch->is_known = true;
}

/* --- Balance ------------------------------------------------------------------------------------
 */

/* What a step's energies did. */
typedef struct balance {
  double at_hand;  /* kinetic and elastic energy before */
  double kinetic;  /* after */
  double gain;     /* of all energies */
  double raised;   /* of potential and elastic energies */
  double exchange; /* that potential and elastic energies changed by, each counted positive */
  double size;     /* of the energies, for round-off */
  double lead;     /* what weight gives to momentum before positions follow, see add_lead */
  double weight;   /* what gravity gives a body at rest in a step: m (g dt)² / 2 */
} balance;

/* A free link, whose centre of mass moves by dt v^tvq. */
static void add_plain(const cr_step* step, int tree, balance* b) {
  const cr_tree_model* model = &step->model->tree;
  int start = model->tree_v_start[tree], link = model->tree_link_start[tree];
  double vq = step->theta[tree].vq, mass = model->link_mass[link];
  v3 x0 = v3_load(step->v0 + start), x = v3_load(step->v + start);
  v3 w0 = v3_load(step->v0 + start + 3), w = v3_load(step->v + start + 3);
  const double* I = model->link_inertia + 6 * link;
  v3 way = v3_scale(step->dt, v3_axpy(v3_scale(vq, x), 1 - vq, x0));
  double fall = mass * v3_dot(v3_load(step->model->force.gravity), way);
  double turn0 = v3_dot(w0, spatial_symmetric_mulv(I, w0));
  double moved = mass * v3_dot(v3_sub(x, x0), v3_add(x, x0));
  double turned = v3_dot(v3_sub(w, w0), spatial_symmetric_mulv(I, v3_add(w, w0)));
  b->at_hand += 0.5 * (mass * v3_norm2(x0) + turn0);
  b->kinetic += 0.5 * (mass * v3_norm2(x) + v3_dot(w, spatial_symmetric_mulv(I, w)));
  v3 lag = v3_scale((0.5 - vq) * step->dt * mass, v3_sub(x, x0));
  b->gain += 0.5 * (moved + turned) - fall;
  b->lead += fmax(0, v3_dot(v3_load(step->model->force.gravity), lag));
  b->raised -= fall;
  b->exchange += fabs(fall);
}

/* Where positions advance with v^tvq and not with the mean velocity of the step, as in an impact,
 * weight works along the one and gives momentum along the other: energies do not add up by (1/2 -
 * tvq) dt m g.(v - v0), which is no more than g dt / 2 times the momentum of the impact. */
static void add_lead(const cr_step* step, int tree, balance* b) {
  const cr_energy_watch* watch = &step->sim->energy_watch;
  double share = (0.5 - step->theta[tree].vq) * step->dt;
  b->lead += fmax(0, share * (watch->next[tree].fall - watch->energy[tree].fall));
}

/* Of elastic movers only as they settle: ahead of the mean velocity these gain by their elasticity,
 * too, and what that gives is not to be excused by their weight. */
static bool has_lead(const cr_step* step, int part) {
  if (part >= step->model->num_movers) return false;
  return !cr_mover_of(step->model, part)->is_elastic || step->theta[part].vq > 0.5;
}

static void add_part(const carom_energy* from, const carom_energy* to, balance* b) {
  double potential = to->potential - from->potential, elastic = to->elastic - from->elastic;
  b->at_hand += from->kinetic + from->elastic;
  b->kinetic += to->kinetic;
  b->gain += to->kinetic - from->kinetic + potential + elastic;
  b->raised += potential + elastic;
  b->exchange += fabs(potential) + fabs(elastic);
  b->size += to->kinetic + fabs(to->potential) + fabs(to->elastic);
}

static bool is_plain(const carom_sim* sim, int part) {
  if (part >= sim->model->num_movers) return false;
  const cr_mover_kind* kind = cr_mover_of(sim->model, part);
  return kind->is_plain && kind->is_plain(sim, part);
}

static void add_any(const cr_step* step, int part, balance* b) {
  const cr_energy_watch* watch = &step->sim->energy_watch;
  if (is_plain(step->sim, part)) {
    add_plain(step, part, b);
    return;
  }
  add_part(&watch->energy[part].sum, &watch->next[part].sum, b);
  if (has_lead(step, part)) add_lead(step, part, b);
}

static balance take_balance(const cr_step* step) {
  const carom_model* m = step->model;
  double g = step->dt * v3_norm(v3_load(m->force.gravity)), mass = 0;
  balance b = {0};
  for (int t = 0; t < m->tree.num_trees; t++) mass += step->sim->plan.mass[t];
  for (int i = 0; i < count_parts(m); i++) add_any(step, i, &b);
  b.weight = 0.5 * mass * g * g;
  return b;
}

/* --- Verdict ------------------------------------------------------------------------------------
 */

/* What constraints did in a step, J. */
typedef struct passive {
  double given;  /* by recovery, and by contacts of what they held */
  double taken;  /* stored or lost */
  double pushed; /* given beyond that, as far as energy grew */
  double stored; /* at the end */
  double lost;
} passive;

/* What of the energy that came in is still there at the end, or went to actuators or against
 * external forces: the rest dampers have taken, in the same step. */
static double find_growth(const cr_step* step, const carom_step_report* r, const balance* b) {
  double stored = b->gain + step->contact_gain;
  return fmax(0, stored + fmax(0, -r->actuator_work) + fmax(0, -r->external_work));
}

/* Elastic energy of contacts is that of their mean force where they are stiff, and stands for
 * nothing that went in: so they give no more than they took. What they hold at the start of a
 * trajectory is unknown, and taken as what they hold after its first step. */
static passive find_passive(const cr_step* step, double growth) {
  const cr_energy_watch_sums* sums = &step->sim->energy_watch.sums;
  double work = step->passive_work, held = step->sim->contact_energy + step->contact_gain;
  double stored = sums->most == 0 ? held : sums->stored;
  passive p = {.given = fmin(fmax(0, work), stored + step->recovery), .taken = fmax(0, -work)};
  p.pushed = fmax(0, fmin(work, growth) - p.given);
  p.stored = fmin(fmax(0, stored - work), held);
  p.lost = fmax(0, stored - work - p.stored);
  return p;
}

/* What the energy at the end is above what symplectic Euler conserves, which is kinetic energy with
 * the mean of the others at the start and at the end of a step. */
static double find_swing(const cr_step* step, const balance* b) {
  return cr_step_is_staggered(step) ? 0.5 * b->raised : 0;
}

/* The error of the balance that no lead of weight explains, nor what symplectic Euler swings by. At
 * the start of a trajectory that is unknown, and taken as what it is after its first step. */
static double find_error(const cr_step* step, const carom_step_report* r, const balance* b) {
  const cr_energy_watch_sums* sums = &step->sim->energy_watch.sums;
  double swing = find_swing(step, b), last = sums->most == 0 ? swing : sums->swing;
  double error = b->gain + step->contact_gain + r->dissipated - r->actuator_work -
                 r->external_work + step->actuator_gain - (swing - last);
  if (cr_step_is_staggered(step) && sums->most > 0) return error;
  return error > b->lead ? error - b->lead : fmin(error, 0);
}

/* Energies and works of the step, each counted positive, but for what is unexplained. */
static double find_size(const carom_step_report* r, const balance* b, const passive* p,
                        double damped) {
  return b->at_hand + b->exchange + b->weight + fabs(r->actuator_work) + fabs(r->external_work) +
         fabs(damped) + p->given + p->taken;
}

/* What all masses have at a millionth of the recovery speed, J: no gain that anybody sees. */
static double find_trifle(const cr_step* step) {
  double mass = 0, speed = TRIFLE * step->sim->def.recovery_speed;
  for (int t = 0; t < step->model->tree.num_trees; t++) mass += step->sim->plan.mass[t];
  return 0.5 * mass * speed * speed;
}

bool cr_energy_watch_measure(cr_step* step, carom_step_report* r) {
  cr_energy_watch* watch = &step->sim->energy_watch;
  sum_energies(step, step->q_mid, step->v_q, watch->next);
  balance b = take_balance(step);
  passive p = find_passive(step, find_growth(step, r, &b));
  double damped = r->dissipated + step->passive_work + step->contact_gain;
  double gain = find_error(step, r, &b) + p.pushed, size = find_size(r, &b, &p, damped);
  cr_energy_watch_sums sums = watch->sums;
  sums.most = fmax(sums.most, size);
  sums.lost += fmax(0, damped) + p.lost;
  sums.gain = fmax(0, sums.gain + gain);
  sums.stored = p.stored;
  sums.swing = find_swing(step, &b);
  watch->next_sums = sums;
  r->unexplained = isfinite(size) && !isnan(gain) ? fmax(0, gain) : INFINITY;
  r->unexplained_sum = sums.gain;
  if (!isfinite(r->unexplained)) return false;
  if (gain <= step->sim->def.tolerance * size + ROUND_OFF * b.size + find_trifle(step)) return true;
  /* Explicit Euler gains of itself however a motion is resolved. */
  const cr_theta* scheme = &step->sim->theta;
  double share = scheme->q < 0.5 && scheme->vq <= 0.5 ? STEP_SHARE : SUM_SHARE;
  return gain <= STEP_SHARE * size && sums.gain <= share * (sums.most + sums.lost);
}

/* --- Brake --------------------------------------------------------------------------------------
 */

/* A mover goes more slowly, by a part of its kinetic energy. One that would be left with a gain
 * above STEP_SHARE of its energies, of a spring that it has stretched in one step, stays where it
 * was. Returns what that takes off. */
static double slow(cr_step* step, int mover, const balance* b, double part) {
  cr_energy_watch* watch = &step->sim->energy_watch;
  const cr_mover_kind* kind = cr_mover_of(step->model, mover);
  if (part > b->kinetic + STEP_SHARE * (b->at_hand + b->exchange)) {
    kind->stay(step, mover);
    watch->next[mover] = watch->energy[mover];
    watch->next[mover].sum.kinetic = watch->next[mover].fall = 0;
    return b->kinetic + fmax(0, b->raised);
  }
  part = fmin(part, b->kinetic);
  double share = b->kinetic > 0 ? sqrt(fmax(0, 1 - part / b->kinetic)) : 0;
  kind->slow(step, mover, share);
  watch->next[mover].sum.kinetic -= part;
  watch->next[mover].fall *= share;
  return part;
}

/* Where no way to take a step explains it, what gained goes more slowly: of the kinetic energy of
 * every mover its share of what all have gained. Where all have lost, by less than they gave to
 * actuators, that is its share of the kinetic energy. Velocities times a factor obey what the
 * constraints ask for at rest. */
void cr_energy_watch_brake(cr_step* step, carom_step_report* r) {
  cr_energy_watch* watch = &step->sim->energy_watch;
  int count = step->model->num_movers;
  double gained = 0, kinetic = 0, off = r->unexplained;
  for (int i = 0; i < count; i++) {
    balance b = {0};
    add_any(step, i, &b);
    gained += fmax(0, b.gain), kinetic += b.kinetic;
  }
  for (int i = 0; i < count; i++) {
    balance b = {0};
    add_any(step, i, &b);
    double part = off * (gained > 0 ? fmax(0, b.gain) / gained : b.kinetic / kinetic);
    if (part > 0) r->braked += slow(step, i, &b, part);
  }
  r->unexplained -= fmin(r->unexplained, r->braked);
  watch->next_sums.gain -= fmin(watch->next_sums.gain, r->braked);
  r->unexplained_sum = watch->next_sums.gain;
}

void cr_energy_watch_accept(carom_sim* sim) {
  cr_energy_watch* watch = &sim->energy_watch;
  cr_energy_part* old = watch->energy;
  watch->energy = watch->next, watch->next = old;
  watch->sums = watch->next_sums;
}
