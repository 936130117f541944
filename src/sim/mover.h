/* What moves in a step: kinematic trees and soft bodies, numbered in this order. A step asks all of
 * them for the same, by the table of their kind; nothing in step/, contact/ and rows/ knows which
 * kinds there are. */
#ifndef CR_SIM_MOVER_H
#define CR_SIM_MOVER_H

#include "sim/sim.h"

typedef struct cr_blocks cr_blocks;
typedef struct cr_model_rows cr_model_rows;
typedef struct cr_motion cr_motion;
typedef struct cr_path cr_path;
typedef struct cr_step_problem cr_step_problem;
typedef struct cr_contact_point cr_contact_point;
typedef struct cr_contact_points cr_contact_points;

/* A point that something acts on. */
typedef struct cr_mover_point {
  int link;                                /* num_links + s: soft body s */
  const cr_barycentric_point* barycentric; /* of a soft body, else null */
  v3 place;                                /* world, of a link */
} cr_mover_point;

/* Rows of a Jacobian: sign times d_k . (velocity of a point), in J [rows, stride] over a path's
 * columns. */
typedef struct cr_point_rows {
  double sign;
  const v3* directions; /* [rows] d_k */
  int rows;
  double* J;
  int stride;
} cr_point_rows;

/* What a kind of mover does, in the order of a step. Functions without a mover among their
 * arguments are for all of their kind. */
typedef struct cr_mover_kind {
  bool is_elastic; /* gives way itself, wherever it is pushed: it has no lever arms */

  /* Sets up the arrays of a step, with internal velocities v0. False when memory ran out. */
  bool (*init)(cr_step* step);

  /* Free motion: v_star, and v_lin where momentum is linearised.
   * @param only [num_movers] nonzero: the movers to do; null: all
   * @return false when an iteration does not converge, or memory ran out */
  bool (*begin)(cr_step* step, const int* only);

  /* A mover takes the step of an impact from here on: its weights in step->theta are new.
   * Null: it has nothing to change. */
  void (*begin_impact)(cr_step* step, int mover);

  /* Places all in q_mid for v_lin, trees with their kinematics. */
  void (*place)(cr_step* step);

  /* Which of the marked movers take part in the problem of active points and rows, and with what:
   * what is coupled to them is marked, too. What takes no part has its free motion from here on.
   * @param marks [num_movers] */
  cr_result (*choose)(cr_step* step, const cr_contact_points* points, const cr_model_rows* rows,
                      int* marks);

  /* The segments of a mover that take part, each a block of A; returns how many.
   * @param segments receives them, unless it is null */
  int (*list_segments)(const cr_step* step, int mover, int* segments);

  /* The pairs of blocks of a mover that A couples, the later one first; returns how many.
   * @param couplings receives them, unless it is null */
  int (*couple)(const cr_step* step, const cr_blocks* blocks, int mover, int (*couplings)[2]);

  /* Velocity in a motion of what is touched on side k. */
  v3 (*find_velocity)(const cr_step* step, const cr_motion* motion, const cr_contact_point* point,
                      int k);

  /* Adds to the blocks and columns that a path may have those that move a point, at most. */
  void (*count_path)(const carom_model* model, const cr_mover_point* point, int* blocks,
                     int* columns);

  /* Adds the blocks that move a point to a path; false when that is too long. */
  bool (*add_path)(const cr_step* step, const cr_blocks* blocks, const cr_mover_point* point,
                   cr_path* path);

  /* Adds rows of the velocity of a point. */
  void (*add_rows)(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                   const cr_mover_point* point, const cr_point_rows* out);

  /* Mass of what a point is of, kg. */
  double (*find_mass)(const carom_model* model, const cr_mover_point* point);

  /* Makes what fill_blocks needs of the movers in the blocks, at v_lin, and v_star of those that
   * have waited for it. CR_UNSOLVED where a matrix is not positive definite. */
  cr_result (*factor)(cr_step* step, const cr_blocks* blocks);

  /* Iterations of a problem beyond which a factor of the mover's matrix would be cheaper; 0, or
   * null: it has one. */
  int (*count_iterations)(const cr_step* step, int mover);

  /* Sets the blocks of A between segments of the mover. */
  void (*fill_blocks)(cr_step* step, int mover, cr_blocks* blocks);

  /* The diagonal matrix that A is no less than, where it is not zero, into least [num_rows].
   * Null: it is zero. */
  void (*fill_least)(const cr_step* step, int mover, const cr_blocks* blocks, double* least);

  /* m(v_lin) of the movers in the blocks whose v_star follows by A of the whole problem, into
   * residual [num_v]; and v_star of the others. Null: there are none. */
  void (*find_residual)(cr_step* step, const cr_blocks* blocks, double* residual);
  cr_result (*linearize)(cr_step* step, const cr_blocks* blocks);

  /* Velocities of what the problem has left out of a mover; null: nothing. False when memory ran
   * out. */
  bool (*complete)(cr_step* step, int mover);

  /* Whether a solution bends one too much for one linearisation; null: never. */
  bool (*bends)(const cr_step* step);

  /* After the solution: what holds movers in the world, besides constraints; null: nothing. False
   * when memory ran out. */
  bool (*find_reactions)(cr_step* step, const cr_contact_points* points,
                         const cr_step_problem* problem);

  /* Adds the work of forces that are no potential's. False when memory ran out. */
  bool (*add_work)(cr_step* step, carom_step_report* report);

  /* q and interface velocities at the end of the step, into q_mid and v_q. */
  void (*advance)(cr_step* step);

  /* The velocities v_q of a mover become slower; and it stays where it was at the start, in q_mid,
   * without any. */
  void (*slow)(cr_step* step, int mover, double share);
  void (*stay)(cr_step* step, int mover);

  /* Energies at (q, v) of the interface, into energy [num_movers]. */
  void (*find_energy)(cr_step* step, const double* q, const double* v, cr_energy_part* energy);

  /* Whether a mover's balance needs no energies: it is a free link without forces of its own;
   * null: no. */
  bool (*is_plain)(const carom_sim* sim, int mover);

  /* The worst that iterations have left of v_star, relative; null: 0. */
  double (*find_left)(const cr_step* step);
} cr_mover_kind;

extern const cr_mover_kind cr_tree_mover; /* tree/tree_mover.c */
extern const cr_mover_kind cr_soft_mover; /* soft/soft_mover.c */

#define CR_MOVER_KINDS 2

/* The kinds, in the order of their movers. */
static inline const cr_mover_kind* cr_mover_kind_at(int k) {
  return k == 0 ? &cr_tree_mover : &cr_soft_mover;
}

static inline const cr_mover_kind* cr_mover_of(const carom_model* model, int mover) {
  return cr_mover_kind_at(mover >= model->tree.num_trees);
}

/* Link -1 is none. */
static inline const cr_mover_kind* cr_mover_of_link(const carom_model* model, int link) {
  return cr_mover_kind_at(link >= model->tree.num_links);
}

/* --- All kinds ----------------------------------------------------------------------------------
 */

static inline bool cr_movers_init(cr_step* step) {
  for (int k = 0; k < CR_MOVER_KINDS; k++)
    if (!cr_mover_kind_at(k)->init(step)) return false;
  return true;
}

static inline bool cr_movers_begin(cr_step* step, const int* only) {
  for (int k = 0; k < CR_MOVER_KINDS; k++)
    if (!cr_mover_kind_at(k)->begin(step, only)) return false;
  return true;
}

static inline void cr_movers_place(cr_step* step) {
  for (int k = 0; k < CR_MOVER_KINDS; k++) cr_mover_kind_at(k)->place(step);
}

static inline bool cr_movers_bend(const cr_step* step) {
  bool any = false;
  for (int k = 0; k < CR_MOVER_KINDS && !any; k++)
    any = cr_mover_kind_at(k)->bends && cr_mover_kind_at(k)->bends(step);
  return any;
}

static inline bool cr_movers_find_reactions(cr_step* step, const cr_contact_points* points,
                                            const cr_step_problem* problem) {
  for (int k = 0; k < CR_MOVER_KINDS; k++) {
    const cr_mover_kind* kind = cr_mover_kind_at(k);
    if (kind->find_reactions && !kind->find_reactions(step, points, problem)) return false;
  }
  return true;
}

static inline bool cr_movers_add_work(cr_step* step, carom_step_report* report) {
  for (int k = 0; k < CR_MOVER_KINDS; k++)
    if (!cr_mover_kind_at(k)->add_work(step, report)) return false;
  return true;
}

static inline void cr_movers_advance(cr_step* step) {
  for (int k = 0; k < CR_MOVER_KINDS; k++) cr_mover_kind_at(k)->advance(step);
}

static inline void cr_movers_find_energy(cr_step* step, const double* q, const double* v,
                                         cr_energy_part* energy) {
  for (int k = 0; k < CR_MOVER_KINDS; k++) cr_mover_kind_at(k)->find_energy(step, q, v, energy);
}

static inline double cr_movers_find_left(const cr_step* step) {
  double most = 0;
  for (int k = 0; k < CR_MOVER_KINDS; k++) {
    double left = cr_mover_kind_at(k)->find_left ? cr_mover_kind_at(k)->find_left(step) : 0;
    most = left > most ? left : most;
  }
  return most;
}

#endif
