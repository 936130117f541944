/* Messages to pages. Numbers of a frame are little endian, each at a multiple of its size. */
#include "message.h"

#include "../json.h"
#include "../words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT 4

/* --- Numbers ------------------------------------------------------------------------------------
 */

static void put_bits(live_bytes* b, uint64_t bits, size_t num_bytes) {
  if (b->count + num_bytes > b->capacity) {
    size_t capacity = 2 * b->capacity + 4096;
    unsigned char* grown = realloc(b->data, capacity);
    b->out_of_memory = b->out_of_memory || !grown;
    if (!grown) return;
    b->data = grown, b->capacity = capacity;
  }
  for (size_t k = 0; k < num_bytes; k++) b->data[b->count++] = (unsigned char)(bits >> 8 * k);
}

static void put_whole(live_bytes* b, int64_t value) { put_bits(b, (uint32_t)value, 4); }

static void put_double(live_bytes* b, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_bits(b, bits, 8);
}

/* Beyond the reach of a float a number is infinite. */
static void put_reals(live_bytes* b, const double* values, int count) {
  for (int i = 0; i < count; i++) {
    bool fits = fabs(values[i]) <= 3e38 || isnan(values[i]);
    float rounded = fits ? (float)values[i] : copysignf(INFINITY, (float)values[i]);
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    put_bits(b, bits, 4);
  }
}

/* --- Frames -------------------------------------------------------------------------------------
 */

static void put_figures(live_bytes* b, live_session* s) {
  const live_figures* f = &s->figures;
  carom_energy e = carom_sim_compute_energy(s->sim);
  double motion[9];
  carom_dynamics_compute_com(s->dynamics, motion);
  carom_dynamics_compute_momentum(s->dynamics, motion + 3, motion + 6);
  double values[] = {e.kinetic,           e.potential,    e.elastic,   s->dissipated,
                     s->actuator_work,    f->steps,       f->substeps, f->iterations,
                     f->outer_iterations, f->error_bound, f->residual, f->stick_slip,
                     f->wall_time};
  put_reals(b, values, sizeof values / sizeof *values);
  put_reals(b, motion, 9);
}

static void put_contacts(live_bytes* b, const live_session* s) {
  int count;
  double dt = carom_sim_dt(s->sim);
  const carom_contact* contacts = carom_sim_contacts(s->sim, &count);
  put_whole(b, count);
  for (const carom_contact* c = contacts; c < contacts + count; c++) {
    double force[3] = {c->impulse[0] / dt, c->impulse[1] / dt, c->impulse[2] / dt};
    put_whole(b, c->geom1), put_whole(b, c->geom2), put_whole(b, c->state);
    put_reals(b, c->position, 3), put_reals(b, c->normal, 3), put_reals(b, force, 3);
  }
}

/* Without memory there are none. */
static void put_areas(live_bytes* b, const live_session* s) {
  const carom_pressure_triangle* triangles;
  int count;
  carom_sim_list_pressure(s->sim, &triangles, &count, NULL);
  put_whole(b, count);
  for (int i = 0; i < 3 * count; i++) put_reals(b, triangles[i / 3].corner[i % 3], 4);
}

/* Of each node of the surfaces place and stress. */
static void put_softs(live_bytes* b, live_session* s, const double* q) {
  for (int i = 0; i < s->softs.count; i++) {
    const live_soft* soft = &s->softs.items[i];
    const double* x = q + carom_model_get_soft(s->model, i).q_address;
    const double* stress = live_softs_compute_stress(&s->softs, i, s->model, s->sim);
    for (int n = 0; n < soft->num_surface; n++) {
      put_reals(b, x + 3 * (ptrdiff_t)soft->surface[n], 3);
      put_reals(b, stress + soft->surface[n], 1);
    }
  }
}

static void put_springs(live_bytes* b, const live_session* s) {
  double point[3];
  int count = 0;
  for (int i = 0; i < LIVE_MAX_CLIENTS; i++) count += s->is_dragged[i];
  put_whole(b, count);
  for (int i = 0; i < LIVE_MAX_CLIENTS; i++) {
    if (!live_session_locate(s, i, point)) continue;
    put_reals(b, point, 3), put_reals(b, s->springs[i].target, 3);
  }
}

void live_message_put_frame(live_session* s, uint32_t serial, live_bytes* b) {
  carom_model_sizes sizes = carom_model_get_sizes(s->model);
  const double *q = carom_sim_coordinates(s->sim), *v = carom_sim_velocities(s->sim);
  carom_error error;
  carom_dynamics_set(s->dynamics, q, v, NULL, &error);
  carom_dynamics_compute_poses(s->dynamics, s->poses);
  b->count = 0;
  put_whole(b, FORMAT), put_whole(b, serial), put_whole(b, s->run), put_whole(b, 0);
  put_double(b, carom_sim_time(s->sim));
  put_figures(b, s);
  put_reals(b, s->poses + 7, 7 * (sizes.num_bodies - 1));
  put_reals(b, q, sizes.num_q - 3 * sizes.num_soft_nodes);
  put_reals(b, v, sizes.num_v - 3 * sizes.num_soft_nodes);
  put_reals(b, carom_sim_controls(s->sim), sizes.num_controls);
  put_softs(b, s, q);
  put_contacts(b, s);
  put_areas(b, s);
  put_springs(b, s);
  s->figures = (live_figures){0};
}

/* --- Texts --------------------------------------------------------------------------------------
 */

char* live_message_make_state(const live_session* s, const char* name, int num_clients) {
  const carom_sim_def options = carom_sim_get_options(s->sim);
  json_t* state = cli_json_group();
  cli_json_set(state, "is", cli_json_text("state"));
  cli_json_set(state, "server", cli_json_text(name));
  cli_json_set(state, "playing", cli_json_flag(s->is_playing));
  cli_json_set(state, "speed", cli_json_number(s->speed));
  cli_json_set(state, "achieved", cli_json_number(s->achieved));
  cli_json_set(state, "gravity", cli_json_numbers(s->gravity, 3));
  cli_json_set(state, "dt", cli_json_number(options.dt));
  cli_json_set(state, "scheme", cli_json_text(CLI_SCHEMES[options.scheme]));
  cli_json_set(state, "friction", cli_json_text(CLI_FRICTIONS[options.friction]));
  cli_json_set(state, "clients", cli_json_whole(num_clients));
  cli_json_set(state, "note", cli_json_text(s->note));
  return cli_json_take_text(state);
}

char* live_message_make_error(const char* sentence) {
  json_t* message = cli_json_group();
  cli_json_set(message, "is", cli_json_text("error"));
  cli_json_set(message, "text", cli_json_text(sentence));
  return cli_json_take_text(message);
}
