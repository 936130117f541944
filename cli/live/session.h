/* A simulation that pages watch and meddle with: it goes on, pauses, is reset, pulled at by
 * springs, and made anew from its present state when options change that it was made with. */
#ifndef LIVE_SESSION_H
#define LIVE_SESSION_H

#include "command.h"
#include "softs.h"

#include "carom/dynamics.h"
#include "carom/scene.h"
#include "carom/sim.h"

/* How a session starts. Strings live as long as the session. */
typedef struct live_session_def {
  const char *scene, *keyframe, *state; /* the last two may be null */
  carom_load_def load;
  carom_sim_def sim;
  bool is_paused;
} live_session_def;

/* What the steps since the last frame did. */
typedef struct live_figures {
  int steps, substeps, iterations, outer_iterations;
  double error_bound, residual, stick_slip, wall_time;
} live_figures;

typedef struct live_session {
  live_session_def def;
  carom_model* model;
  carom_sim* sim;
  carom_dynamics* dynamics;
  void* start; /* the state that a reset goes back to */
  size_t start_size;
  double gravity[3];
  bool is_playing;
  double speed;    /* simulated over wall time, wanted */
  double achieved; /* the same, reached lately */
  double debt;     /* s, simulated time that is due */
  uint32_t run;    /* counts the resets */
  bool is_dragged[LIVE_MAX_CLIENTS];
  live_spring springs[LIVE_MAX_CLIENTS];
  double *poses, *J; /* [7 num_bodies]; [3, num_v] */
  live_softs softs;
  double dissipated, actuator_work;
  live_figures figures;
  char note[400]; /* why it stopped by itself; empty: it did not */
} live_session;

/* Reads the scene and makes the simulation. */
carom_status live_session_create(const live_session_def* def, live_session* session,
                                 carom_error* error);
void live_session_destroy(live_session* session);

/* Does what a client asks for.
 * @return not CAROM_OK: a sentence for that client; the state is as it was */
carom_status live_session_obey(live_session* session, int client, const live_command* command,
                               carom_error* error);

/* Steps through what simulated time is due after so many seconds of the clock, for `budget` seconds
 * of the clock at most; what is not reached then is not made up for. */
void live_session_advance(live_session* session, double seconds, double budget);

/* Where the spring of a client holds its body, world frame; false where there is none. */
bool live_session_locate(const live_session* session, int client, double point[3]);

#endif
