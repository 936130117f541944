/* What constraints loaded in the last step. */
#ifndef CR_SIM_LOADED_H
#define CR_SIM_LOADED_H

#include "sim/sim.h"

/* Fills step.is_loaded and step.load from the simulation's records, and step.carried by what the
 * constraints of the last step did, where that may go on: not of impacts, nor where the state was
 * set, nor of limited actuators that are forces of the free motion now, nor by implicit schemes,
 * whose order it cannot raise and which are what steps that gain energy fall back to. False when
 * memory ran out. */
bool cr_loaded_find(cr_step* step);

/* The relative error that v* of a tree may keep: round-off where it moves freely and keeps its
 * energy, since errors of v* are errors of energy and momentum; a tenth of the solution's where it
 * was loaded, since v* then is data of a problem that is solved to no more than its tolerance; and
 * a thousandth where it moves freely under motors or dampers, which change its energy by more. */
double cr_loaded_tolerance(const cr_step* step, int tree);

#endif
