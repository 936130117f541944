/* A look at a step that is about to be accepted, with all that led to it. */
#ifndef CR_SIM_OBSERVER_H
#define CR_SIM_OBSERVER_H

#include "sim/contact/contact_set.h"
#include "sim/rows/step_problem.h"

/* What another solution is to follow from one. */
typedef enum cr_onward {
  CR_ONWARD_LINEARISED, /* the step is linearised anew at it */
  CR_ONWARD_SOFTER,     /* recovery that presses in vain there is slowed (rows/recovery.h) */
  CR_ONWARD_ANEW,       /* the same, once the problem is assembled anew */
} cr_onward;

typedef struct cr_step_observer {
  /* An attempt at a part of the step is about to begin; the first part begins anew what other ways
   * to take the step have come to. False when memory ran out. */
  bool (*begin)(void* data, const carom_sim* sim, const cr_attempt* how);

  /* The step's movers are at the new state, its problem is the last one that was solved, without
   * constraints where there was none. What it fails with ends the attempt. */
  cr_result (*look)(void* data, cr_step* step, const cr_contact_set* set,
                    const cr_step_problem* problem);

  /* The same of a problem whose solution another one is about to follow from; may be null. */
  cr_result (*pass)(void* data, cr_step* step, const cr_contact_set* set,
                    const cr_step_problem* problem, cr_onward onward);

  /* The step is done, and the simulation behind it. */
  carom_status (*finish)(void* data, carom_sim* sim);
  void* data;
  double ahead; /* m/s: what would meet if it were so much faster is in the problem, too */
} cr_step_observer;

/* Lets `run` move the simulation and puts its state back.
 * @return what run returned, or that memory ran out */
carom_status cr_sim_try(carom_sim* sim, carom_status (*run)(carom_sim* sim, void* data), void* data,
                        carom_error* error);

/* Takes the simulation's next step under the eyes of an observer, for each part of it that is
 * accepted, and puts the state back. What sleeps is awake in it; how things moved in the last step
 * is forgotten, so that it is a function of q and v.
 * @param report may be null */
carom_status cr_sim_observe_step(carom_sim* sim, const cr_step_observer* observer,
                                 carom_step_report* report, carom_error* error);

#endif
