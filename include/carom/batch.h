/** @file
 * Many worlds of one model, stepped side by side.
 *
 * A world is a state of its own; all have the same options, and the same model or the same with
 * other numbers. Each takes the steps that a simulation
 * (carom/sim.h) alone would take, to the bit, for any number of threads and whatever the other
 * worlds do. Coordinates, velocities and the like of all worlds stand in arrays, world after world,
 * to be read and written between steps: what a program has written into a world is set as
 * carom_sim_set_state sets it, so that its last impulses stay as guesses, when the next step
 * begins.
 */
#ifndef CAROM_BATCH_H
#define CAROM_BATCH_H

#include "carom/derivatives.h"
#include "carom/sensor.h"

CAROM_BEGIN_DECLS

/** Worlds of one model. One thread at a time; it may work with several. */
typedef struct carom_batch carom_batch;

/** Makes worlds at the model's reference configuration, at rest.
 * @param model must outlive the batch
 * @param num_worlds 1 or more
 * @param def options of every world; null: the defaults. Its threads, or the host's tasks, step
 *        worlds side by side; within a world one thread works. With more than one the allocator's
 *        hooks are called from any of them, never from two at once
 * @param batch receives it, to be freed with carom_batch_destroy; null on failure
 * @return CAROM_ERROR_INVALID_ARGUMENT, CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_batch_create(const carom_model* model, int num_worlds,
                                          const carom_sim_def* def, carom_batch** batch,
                                          carom_error* error);

/** Frees the worlds; null is allowed. */
CAROM_API void carom_batch_destroy(carom_batch* batch);

/** The model, the number of worlds, and dt, s. */
CAROM_API const carom_model* carom_batch_model(const carom_batch* batch);
CAROM_API int carom_batch_num_worlds(const carom_batch* batch);
CAROM_API double carom_batch_dt(const carom_batch* batch);

/** Arrays of all worlds, alive as long as the batch, to be written between steps: time [worlds] s,
 * coordinates [worlds, num_q], velocities [worlds, num_v], controls [worlds, num_actuators],
 * activations [worlds, num_activations]. */
CAROM_API double* carom_batch_times(carom_batch* batch);
CAROM_API double* carom_batch_coordinates(carom_batch* batch);
CAROM_API double* carom_batch_velocities(carom_batch* batch);
CAROM_API double* carom_batch_controls(carom_batch* batch);
CAROM_API double* carom_batch_activations(carom_batch* batch);

/** Readings of all sensors [worlds, num_readings] at the end of the last step, or where a world was
 * reset. NaN where they cannot be had. */
CAROM_API const double* carom_batch_readings(const carom_batch* batch);

/** The report of each world's last step [worlds]. A world whose outcome is other than done is as it
 * was before that step. */
CAROM_API const carom_step_report* carom_batch_reports(const carom_batch* batch);

/** Contact points of a world's last step, alive until the next call that changes the batch.
 * @param world from 0 to num_worlds - 1 */
CAROM_API const carom_contact* carom_batch_contacts(const carom_batch* batch, int world,
                                                    int* count);

/** Gives a world a model of its own: the batch's with other numbers, compiled from a copy of its
 * description as carom/parameter.h says. The world goes on from where it is, awake, with the bits
 * that a simulation of that model has from there, and is reset to that model's start. Steps of
 * worlds with models of their own take no more memory than others; such a world holds what a
 * simulation of the model plans, without what it works in.
 * @param world from 0 to num_worlds - 1
 * @param model must live until the world gets another, or the batch ends; any number of worlds may
 *        share one; null or the batch's: the batch's again. Its timestep counts for nothing
 * @return CAROM_ERROR_INVALID_ARGUMENT where there is no such world, or the model's sizes are
 * others than the batch's; CAROM_ERROR_OUT_OF_MEMORY. The world is then as before */
CAROM_API carom_status carom_batch_set_model(carom_batch* batch, int world,
                                             const carom_model* model, carom_error* error);

/** The model of a world. @param world from 0 to num_worlds - 1 */
CAROM_API const carom_model* carom_batch_get_model(const carom_batch* batch, int world);

/** Takes steps in every world. A world in which one fails stays as it was before that step, takes
 * no more in this call and says so in its report; the others go on.
 * @param num_steps 0 or more
 * @return CAROM_OK also where worlds have failed; CAROM_ERROR_INVALID_ARGUMENT where a number in
 *         the arrays is not finite, the sentence says which: all worlds are then as before;
 *         CAROM_ERROR_OUT_OF_MEMORY: some worlds may have taken their steps, others are as before
 */
CAROM_API carom_status carom_batch_step(carom_batch* batch, int num_steps, carom_error* error);

/** Puts worlds back to the start, with nothing of what steps carry.
 * @param mask [worlds] those that are meant; null: all
 * @param keyframe whose state they get; -1: the reference configuration, at rest, no control
 * @return CAROM_ERROR_INVALID_ARGUMENT where there is no such keyframe */
CAROM_API carom_status carom_batch_reset(carom_batch* batch, const bool* mask, int keyframe,
                                         carom_error* error);

/** Brings a simulation to the state of a world, so that anything may be asked of it: it goes on
 * with the bits of the world. What was written into the world's arrays is set in it.
 * @param sim of the world's model, and of the options that the worlds have
 * @return CAROM_ERROR_INVALID_ARGUMENT where there is no such world, the model is another, or a
 *         number is not finite; CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_batch_get_world(const carom_batch* batch, int world, carom_sim* sim,
                                             carom_error* error);

/** Brings a world to the state of such a simulation, with all that its steps depend on.
 * @return as carom_batch_get_world */
CAROM_API carom_status carom_batch_set_world(carom_batch* batch, int world, const carom_sim* sim,
                                             carom_error* error);

/** Motions of all worlds under given controls, or a part of them. Null arrays are left out. */
typedef struct carom_rollout {
  int num_steps;      /**< steps of the whole motion, which gives the lengths of the arrays */
  int first, count;   /**< those that this call takes: `count` from `first` on */
  const double* ctrl; /**< [worlds, num_steps, num_actuators]; null: the batch's, held */
  double* q;          /**< [worlds, num_steps + 1, num_q] receives states, the start first */
  double* v;          /**< [worlds, num_steps + 1, num_v] */
  double* readings;   /**< [worlds, num_steps, num_readings] after each step */
  int* failed;        /**< [worlds] the step that has failed, from 0; -1: none. From there on the
                           rows repeat the state before it, and readings are NaN */
} carom_rollout;

/** Takes steps in every world, from where it is, and writes down all of them.
 * @return as carom_batch_step; CAROM_ERROR_INVALID_ARGUMENT also for a control that is not finite,
 *         and for steps outside of the motion */
CAROM_API carom_status carom_batch_rollout(carom_batch* batch, const carom_rollout* rollout,
                                           carom_error* error);

/** Derivatives of the next step of every world. Null arrays are left out. */
typedef struct carom_batch_linearization {
  double* A;        /**< [worlds, num_x, num_x] as in carom_linearization */
  double* B;        /**< [worlds, num_x, num_controls] */
  int* num_kinks;   /**< [worlds]; -1: the world's step fails or is taken in parts, and has no
                         derivative: its matrices are NaN */
  int* num_held;    /**< [worlds] likewise */
  double smoothing; /**< m/s; as in carom_linearization */
} carom_batch_linearization;

/** Linearises the step that every world would take next; the worlds stay as they are.
 * @return CAROM_ERROR_INVALID_ARGUMENT as carom_batch_step; CAROM_ERROR_UNSUPPORTED as
 *         carom_sim_linearize; CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_batch_linearize(carom_batch* batch,
                                             const carom_batch_linearization* linearization,
                                             carom_error* error);

CAROM_END_DECLS

#endif
