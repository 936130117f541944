/* The simulation: its state, what it keeps between steps, and the context of a step.
 *
 * A step, as docs/architecture.md draws it: free motion v* (free_motion.h), distances (contacts.h),
 * the convex problem (assemble.h), its solution (solve/), the new state (step.c). */
#ifndef CR_SIM_SIM_H
#define CR_SIM_SIM_H

#include "base/arena.h"
#include "force/line.h"
#include "geom/broadphase.h"
#include "geom/pair_memory.h"
#include "math/scalar.h"
#include "model/model.h"
#include "sim/contact/memory.h"
#include "solve/newton/order.h"
#include "solve/schedule/workers.h"
#include "tree/coordinates.h"

#include "carom/problem.h"
#include "carom/sim.h"

/* Weights of the theta-method. */
typedef struct cr_theta {
  double q, v, vq;
} cr_theta;

/* What never changes after creation and is not in the model. */
typedef struct cr_sim_plan {
  const int* actuator_start;      /* [num_trees + 1] into `actuator` */
  const int* actuator;            /* actuators by tree */
  const int* is_limited;          /* [num_actuators] limited feedback: a law, not a force */
  const double* limited_range;    /* [2 num_actuators] of its force, the joint's bound counted in */
  const int* line_actuator_start; /* [num_lines + 1] into `line_actuator` */
  const int* line_actuator;       /* actuators by the lines that they work along */
  const int* is_joined;  /* [num_lines] its force depends on where its trees are, see lines.h */
  const int* has_spring; /* [num_trees] a spring between points or a joined line pulls at it */
  const int* M_start;    /* [num_trees + 1] doubles of the trees' dense mass matrices */
  const double* mass;    /* [num_movers] kg; 0 of soft bodies, whose parts move apart */
  const int* is_driven;  /* [num_trees] joints' dampers or actuators give or take energy */
  const int* has_joint_forces; /* [num_trees] springs or dampers of joints */
  int num_joined;
  int num_spring_trees;
  double area_R;               /* of rigid areas, of their mean W_nn */
  const cr_symbolic* symbolic; /* [num_trees] of A, see tree_factor.h; none where has_spring */
} cr_sim_plan;

/* What is added to the weights of the scheme for one damped coordinate x, see damping.h. */
typedef struct cr_weight {
  double rate;       /* to theta_v: force at (theta_v + rate) v + (1 - theta_v - rate) v0, and */
  double end, start; /* at x + dt (end v + start v0), x where the scheme looks */
} cr_weight;

/* A force and torque at the centre of mass of a body, world frame. */
typedef struct cr_sim_wrench {
  v3 force, torque;
} cr_sim_wrench;

/* A force of adhesion on one side of a contact. */
typedef struct cr_adhesion_force {
  int actuator; /* -1: none, of a sticky surface */
  int body, link;
  int geom[2]; /* of the contact */
  v3 local;    /* where it acts, in the link's frame */
  v3 point;    /* the same in the world, before the step */
  v3 force;    /* N, world axes */
} cr_adhesion_force;

/* Trees that sleep: see sleep.h. */
typedef struct cr_sleep {
  int count;               /* trees that sleep */
  int* island;             /* [num_movers] one more than the first of its island; 0: it moves */
  int* still;              /* [num_trees] steps in a row that have not moved it */
  double* energy;          /* [num_trees] J, elastic, of its contacts */
  double* ctrl;            /* [num_controls] of the last step */
  const int* can;          /* [num_movers] nothing but what sleep.c looks at can move it */
  const int* tree;         /* [num_controls] that it acts on; -1: none, or several */
  carom_contact* contacts; /* of sleeping trees */
  int num_contacts, capacity_contacts;
} cr_sleep;

typedef struct cr_damping_groups cr_damping_groups; /* see damping_mass.h */
/* What the energy watch adds up from when the state was set, J. */
typedef struct cr_energy_watch_sums {
  double gain;   /* unexplained, less what was lost in the same way, never below 0 */
  double most;   /* the largest energy that a step had at hand */
  double lost;   /* all that was dissipated */
  double stored; /* what contacts took and may hold: no more than their elastic energy */
  double swing;  /* what the last step counts too much, see energy_watch.c; none where that is 0 */
} cr_energy_watch_sums;

/* Energies of a tree or of other parts of the model, J. */
typedef struct cr_energy_part {
  carom_energy sum;
  double fall; /* W, power of gravity: it times the momentum of a mover */
} cr_energy_part;

/* See energy_watch.h. */
typedef struct cr_energy_watch {
  cr_energy_part *energy, *next; /* [num_movers + 1] of the state and of the step at hand */
  bool is_known;                 /* `energy` is the state's */
  cr_energy_watch_sums sums, next_sums;
} cr_energy_watch;

typedef struct cr_soft_cache cr_soft_cache; /* see soft_step.h */
typedef struct cr_step_soft cr_step_soft;

struct carom_sim {
  carom_allocator allocator;
  const carom_model* model;
  carom_sim_def def;
  double dt;
  cr_theta theta;
  cr_sim_plan plan;
  const cr_damping_groups* damping;
  cr_arena fixed;         /* lives as long as the simulation */
  cr_arena arena;         /* the step's */
  cr_arena problem_arena; /* of its convex problem, which every assembly starts anew */
  bool has_contacts;      /* something may touch */
  cr_broadphase* broadphase;
  cr_pair_memories pair_memories; /* no state: they change how fast a step is, not what it does */
  int num_moving_geoms;           /* not of link 0 */
  int* moving_geom;               /* [num_moving_geoms] */
  pose* geom_pose;                /* [num_geoms] in the step at hand; those of link 0 stay */
  double* geom_reach; /* [num_geoms] m, how far each may move in the step; those of link 0: 0 */
  cr_threads* pool;   /* null: none of its own */
  cr_solve_workers* workers;
  cr_soft_cache* soft_cache; /* [num_parts] */
  bool iterates;             /* some A is not factored, see soft_inverse.h */
  bool keeps_nodes;          /* soft bodies enter problems with all their nodes: for comparison */

  /* State. */
  double time;
  double* q;        /* [num_q] */
  double* v;        /* [num_v] interface velocities */
  double* ctrl;     /* [num_controls] */
  double* act;      /* [num_activations] */
  double* a_free;   /* [num_v] acceleration of the last free motion, internal: a first guess */
  double* a_before; /* [num_v] the same of the step before it */
  double* a_loaded; /* [num_v] acceleration that the next step most likely has, internal; NaN: not
                       known */
  double* a_rolled; /* [2 num_v] that of the last step of what rolled in it, and of the one
                       before; likewise */
  double* a_last;   /* [num_v] acceleration of the last attempt, internal */
  bool has_last;    /* a_last, the contacts and the records belong to the state */
  cr_sim_wrench* wrench; /* [num_bodies] */
  int num_wrenches;      /* bodies with a wrench that is not zero */
  sv* driven;            /* [num_mocaps] prescribed velocities, see driven.h */
  int num_driven;        /* that are not zero */
  double* node_force;    /* [3 each of the soft nodes] N */
  double contact_energy; /* J, elastic, in compliant contacts at the end of the last step */
  cr_sleep sleep;
  cr_energy_watch energy_watch;
  cr_order_record* order; /* [num_segments + num_nodes] null where they are too few, order.h */
  cr_contact_memory memory;
  cr_contact_memory next; /* where a step writes before it is accepted */

  /* The state before a step that is tried again in parts. */
  double* backup;                /* [num_q + 7 num_v + num_activations] */
  int* backup_still;             /* [num_trees] */
  cr_order_record* backup_order; /* as order */
  cr_contact_memory backup_memory;

  const struct cr_step_observer* observer; /* null, or who looks at steps, see observer.h */
  double
      ahead; /* m/s, how much faster than it is what might meet counts as meeting; for observers */

  /* Null, or where attempts put a copy of the problem that they solve, the last one staying. */
  carom_problem** capture;
  carom_constraint_origin* origins; /* of its constraints */
  int num_origins, capacity_origins;

  void* kept; /* state and results while a step is tried, see observer.h */
  size_t capacity_kept;

  /* Results of the last step, for the user. */
  carom_contact* contacts;
  int num_contacts, capacity_contacts;
  carom_pressure_triangle* pressed; /* areas of these, where they were asked for */
  int num_pressed, capacity_pressed;
  double* attached_force;   /* [3 each of the holds of soft nodes] N, see soft_attachments.h */
  double* constraint_force; /* [num_v] J^T gamma / dt of the last step, internal */
  double* q_seen; /* [num_q] where the momentum balance was linearised; of sleeping trees, where it
                     last was */
  double* v_seen; /* [num_v] velocities that the forces there were at, internal; likewise */

  /* Adhesion in the last attempt at a step. */
  cr_adhesion_force* adhesion;
  int num_adhesion, capacity_adhesion;
};

/* What is known of a tree where the balance of momentum is linearised. */
typedef struct cr_placement {
  bool is_placed;  /* q_mid, kinematics and velocities are at v_lin */
  bool has_matrix; /* its entries of M are A at the kinematics, */
  bool has_factor; /* and its entry of `factor` that matrix's factor */
  bool is_near;    /* what is placed next is so near that both stay */
} cr_placement;

/* A straight string between points of two links, of a tendon or a distance. */
typedef struct cr_strand {
  int link[2];
  v3 point[2];
  double tension; /* N */
  bool is_wound;  /* an end is where it leaves a body */
  double weight;  /* kg, of A across it */
} cr_strand;

/* Where the weights of dampers are found, for derivatives: q_mid [num_q] and v_q [num_v] there, and
 * stiffness and damping [2 num_v] of what pulls at each dof. */
typedef struct cr_weighed {
  double *q, *v_q, *slope;
} cr_weighed;

/* One attempt at a step of length dt from the simulation's state. All arrays are in the arena. */
typedef struct cr_step {
  carom_sim* sim;
  const carom_model* model;
  cr_arena* arena;
  cr_arena* problem_arena; /* what belongs to one assembly, and to its solution */
  double dt;
  cr_theta* theta;         /* [num_movers] */
  double* v0;              /* [num_v] internal velocities, as all below */
  double* v_lin;           /* where momentum is linearised: at v* or next to it, later v */
  cr_placement* placement; /* [num_trees] */
  bool* is_loaded;         /* [num_movers] in the last step, see loaded.h */
  v3* load;                /* [num_trees] N s, sum of the last step's contact impulses */
  double* carried;   /* [num_v] N, N m: what constraints most likely do again, see loaded.h; */
  bool* carries;     /* [num_trees] not zero */
  double* v_star;    /* velocities that balance momentum without constraints */
  double* v;         /* the solution */
  double *v_q, *v_f; /* v^theta_vq and v^theta_v at hand */
  double* q_mid;     /* [num_q] q^theta_q(v_lin) */
  cr_weight *dof_weight, *line_weight,
      *spring_weight; /* null where no damper is stiff, as the next */
  cr_weighed weighed;
  bool *is_weighed, *is_line_weighed, *is_spring_weighed; /* of [num_trees], lines, springs */
  double (*group_W)[36];                                  /* see damping_mass.h */
  double *x_e, *v_e; /* [num_v] how far from q_mid dofs' springs count, and velocities there */
  double* v_now;     /* [num_v] where the trees are placed */
  cr_tree_kinematics kinematics; /* at q_mid */
  cr_tree_velocities velocities; /* at (q_mid, v^theta_v) */
  cr_tree_scratch scratch;
  cr_step_soft* soft; /* [num_parts] soft bodies */
  sv* external;      /* [num_links] wrenches and springs between points, about the trees' origins */
  double* input;     /* [num_inputs] controls within their ranges, or activations; see actuator.h */
  double* act_end;   /* [num_activations] at the end of the step */
  cr_lines lines;    /* at q_mid */
  bool* is_law;      /* [num_actuators] a limited actuator is a row of the problem, see
                        limited_actuators.h */
  int* is_held;      /* [num_v] a joint bounds what its actuators do; null where none can */
  double* motor_tau; /* [num_v] of actuators on lines that are not joined; without lines null */
  double *line_tau, *line_drive; /* [num_v] of the joined lines: tendons; actuators */
  cr_strand* strands;            /* [num_strands] tight strings between links, see tension.h */
  int num_strands;
  double nearest_strand; /* how near one is to where it begins to be tight, relative */
  double* M;             /* dense A of the trees, see cr_sim_plan.M_start and cr_step_find_matrix */
  double** factor;       /* [num_trees] their factors, where made: see tree_factor.h */
  double* work;          /* [num_v] */
  const cr_contact_memory*
      guess;              /* impulses to start from: the last step's, later this step's own */
  cr_order_record* order; /* [num_segments + num_nodes] as solutions have left it; or null */
  bool is_direct;         /* iterations have failed: all soft bodies are factored */
  bool is_implicit;       /* an attempt in place of another, by implicit Euler: impacts, too */
  int relinearised;       /* how often it was linearised at a solution; where it was, v_lin is the
                             last one and v* follows from the residual there */
  int free_iterations;
  int failed_tree;          /* whose motion failed, alone or with what it touches; -1: not known */
  double passive_work;      /* J, of constraints that are no actuators */
  double* constraint_force; /* [num_v] J^T gamma / dt, internal, after the account */
  bool* rolls;              /* [num_trees] see rolling.h; after the account */
  double contact_gain;      /* J, of the elastic energy of contacts */
  double recovery;          /* J, what of it recovery may explain */
  double actuator_gain;     /* J, what actuators did that is the scheme's error */
  double* elastic;          /* [num_trees] J, energy of compliant constraints by a tree of each */
} cr_step;

/* What became of a stage of a step. */
typedef enum cr_result {
  CR_DONE,
  CR_NO_MEMORY,
  CR_FREE_MOTION, /* the motion without constraints did not converge */
  CR_UNSOLVED,    /* the contact problem is not solved to the tolerance */
  CR_NOT_FINITE,
  CR_PASSED,      /* a body would go through what it touches, see passing.h */
  CR_UNEXPLAINED, /* energy has come from nowhere */
} cr_result;

/* How an attempt is taken. */
typedef struct cr_attempt {
  double dt;
  bool is_implicit;  /* by implicit Euler, whatever the scheme */
  bool is_unwatched; /* also where energy comes from nowhere */
  bool is_early;     /* trees as in an impact: all by the start, which needs no iteration */
  bool lets_pass;    /* also where a body goes through what it touches */
  bool is_retry;     /* in place of an attempt that failed */
  int part, parts;   /* which of the parts of a step it is, from 0 */
} cr_attempt;

/* Advances the state by one attempt; on failure the state is as it was.
 * @param report is filled
 * @return CAROM_OK also when the step failed numerically (see report.outcome), else
 *         CAROM_ERROR_OUT_OF_MEMORY */
carom_status cr_step_attempt(carom_sim* sim, const cr_attempt* how, carom_step_report* report);

/* Makes sure that the records of the present state can be put back after steps without memory:
 * steps swap the two buffers of records, and either may then have to take them. False when memory
 * ran out. */
bool cr_sim_reserve_records(carom_sim* sim);

/* Refuses controls that are not finite. */
carom_status cr_sim_check_controls(const carom_sim* sim, carom_error* error);

/* Refuses numbers that are not finite; null is none.
 * @param name of the array, for the sentence */
carom_status cr_sim_check_finite(const char* name, const double* x, int n, carom_error* error);

/* Refuses a time that is so large, for a step so short, that time + dt is the same number. */
carom_status cr_sim_check_time(double time, double dt, carom_error* error);

/* Bytes of what is kept of the order of elimination. */
static inline size_t cr_sim_order_size(const carom_sim* sim) {
  const carom_model* m = sim->model;
  if (!sim->order) return 0;
  return sizeof(cr_order_record) * (size_t)(m->tree.num_segments + m->soft.num_nodes);
}

/* Energies at (q, u), bodies that are fixed in the world included, contacts not.
 * @param u internal velocities; @param lines at q; @param scratch [num_v] */
carom_energy cr_sim_sum_energy(const carom_model* model, const double* q, const double* u,
                               const cr_tree_kinematics* kinematics,
                               const cr_tree_velocities* velocities, const cr_lines* lines,
                               double* scratch);

/* The tree of the first of two links that is in one; -1: neither is. */
static inline int cr_step_find_tree(const cr_step* step, int link1, int link2) {
  const int* tree = step->model->tree.link_tree;
  return tree[link1] >= 0 ? tree[link1] : tree[link2];
}

/* How a step turns what rotates. */
static inline cr_rotation_update cr_step_find_rotation(const cr_step* step) {
  return step->sim->def.rotation == CAROM_ROTATION_LINEAR ? CR_ROTATION_LINEAR : CR_ROTATION_CAYLEY;
}

/* Whether velocities are those of half a step before their positions, as by symplectic Euler. */
static inline bool cr_step_is_staggered(const cr_step* step) {
  return !step->is_implicit && step->sim->theta.q < 0.5 && step->sim->theta.vq > 0.5;
}

/* x^theta of the tree's dofs: out = theta x + (1 - theta) x0. */
static inline void cr_step_blend(const cr_step* step, int tree, double theta, const double* x,
                                 const double* x0, double* out) {
  const int* v_start = step->model->tree.tree_v_start;
  int start = v_start[tree], n = v_start[tree + 1] - start;
  scalar_blend(x + start, theta, x0 + start, n, out + start);
}

/* Linearises all trees at v from here on. */
static inline void cr_step_linearize(cr_step* step, const double* v) {
  const cr_tree_model* model = &step->model->tree;
  for (int i = 0; i < step->model->num_v; i++) step->v_lin[i] = v[i];
  for (int t = 0; t < model->num_trees; t++)
    step->placement[t].is_placed = step->placement[t].is_near = false;
}

#endif
