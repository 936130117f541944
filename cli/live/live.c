/* Serving: the page is made once; then, of a scene, one thread simulates and hands frames out at
 * the rate of a screen. */
#include "live.h"

#include "../cli.h"
#include "../interrupt.h"
#include "../progress.h"
#include "../state.h"
#include "message.h"
#include "page.h"
#include "server.h"

#include <arpa/inet.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_INTERVAL (1.0 / 60) /* s, between frames */
#define STATE_INTERVAL 0.25       /* s, between texts about the state */
#define REST           0.1        /* s, at most, before signals are looked at */

extern char** environ;

/* --- Serving ------------------------------------------------------------------------------------
 */

static carom_status check_options(const live_options* o, carom_error* error) {
  struct in_addr address;
  if (inet_pton(AF_INET, o->address, &address) != 1)
    return cli_error(error, CAROM_ERROR_INVALID_ARGUMENT,
                     "view: --address is '%.60s', must be an IPv4 address such as 127.0.0.1",
                     o->address);
  if (o->port > 65535)
    return cli_error(error, CAROM_ERROR_INVALID_ARGUMENT,
                     "view: --port is %d, must be 65535 or less", o->port);
  return CAROM_OK;
}

static void open_browser(const char* url) {
  pid_t process;
  const char* arguments[] = {"xdg-open", url, NULL};
  if (posix_spawnp(&process, "xdg-open", NULL, NULL, (char* const*)arguments, environ) != 0)
    cli_warn("xdg-open cannot be started; open the address by hand");
}

/* Starts to serve a page and says where. */
static carom_status serve(const live_options* o, const live_page* page, const char* name,
                          bool is_live, live_server** server, carom_error* error) {
  live_server_def def = {.address = o->address,
                         .port = o->port,
                         .page = page->text,
                         .page_size = page->size,
                         .is_live = is_live};
  carom_status status = live_server_start(&def, server, error);
  if (status != CAROM_OK) return status;
  const char* url = live_server_url(*server);
  cli_print("%s is shown at %s (Ctrl-C ends)\n", name, url);
  fflush(stdout);
  if (o->opens) open_browser(url);
  return CAROM_OK;
}

/* The exit code after serving. */
static int conclude(carom_status status, const carom_error* error) {
  if (status == CAROM_OK) return cli_finish_output(128 + cli_caught_signal());
  if (status == CAROM_ERROR_INVALID_ARGUMENT) return cli_fail(EXIT_USAGE, "%s", error->message);
  return cli_fail_with(error);
}

/* --- A recording --------------------------------------------------------------------------------
 */

int live_show_recording(const live_options* options, const char* recording, double rate) {
  live_page page = {0};
  live_server* server = NULL;
  carom_error error;
  carom_status status = check_options(options, &error);
  if (status != CAROM_OK) return conclude(status, &error);
  int code = live_page_of_recording(recording, rate, &page);
  if (code == EXIT_FINE) {
    cli_catch_signals();
    status = serve(options, &page, recording, false, &server, &error);
    while (status == CAROM_OK && !cli_caught_signal())
      live_clients_wait(live_server_clients(server), REST);
    live_server_stop(server);
    code = conclude(status, &error);
  }
  live_page_free(&page);
  return code;
}

/* --- A simulation -------------------------------------------------------------------------------
 */

/* What is shown, to whom, and when next. */
typedef struct show {
  live_session session;
  live_server* server;
  live_clients* clients;
  live_bytes frame;
  uint32_t serial;
  double last, next_frame, next_state; /* s, wall time */
  bool has_frame, has_state;           /* there is news of them */
} show;

static void obey_all(show* s) {
  live_request request;
  carom_error error;
  while (live_clients_take(s->clients, &request)) {
    if (live_session_obey(&s->session, request.client, &request.command, &error) != CAROM_OK) {
      char* text = live_message_make_error(error.message);
      if (text)
        live_clients_send(s->clients, request.client, LIVE_TEXT_ERROR, text, strlen(text), 0);
      free(text);
    }
    s->has_frame = true;
    s->has_state = s->has_state || (request.command.verb != LIVE_DRAG);
  }
}

static void send_state(show* s, int num_clients, double now) {
  char* text = live_message_make_state(&s->session, live_server_name(s->server), num_clients);
  if (text) live_clients_send(s->clients, -1, LIVE_TEXT_STATE, text, strlen(text), 0);
  free(text);
  s->has_state = false;
  s->next_state = now + STATE_INTERVAL;
}

static void send_frame(show* s, double now) {
  live_message_put_frame(&s->session, ++s->serial, &s->frame);
  if (!s->frame.out_of_memory)
    live_clients_send(s->clients, -1, LIVE_FRAME, s->frame.data, s->frame.count, s->serial);
  s->has_frame = false;
  /* One that is late puts the next ones off. */
  s->next_frame = fmax(s->next_frame + FRAME_INTERVAL, now);
}

/* What is asked for, the steps that are due, and what there is to tell. */
static void go_on(show* s) {
  bool has_newcomers, was_playing = s->session.is_playing;
  obey_all(s);
  int num_clients = live_clients_count(s->clients, &has_newcomers);
  double now = cli_wall_time(), seconds = now - s->last;
  s->last = now;
  if (num_clients > 0) live_session_advance(&s->session, seconds, FRAME_INTERVAL);
  s->has_frame = s->has_frame || has_newcomers || s->session.is_playing || was_playing;
  s->has_state = s->has_state || has_newcomers || was_playing != s->session.is_playing;
  now = cli_wall_time();
  if (num_clients > 0 && (s->has_state || now >= s->next_state)) send_state(s, num_clients, now);
  if (num_clients > 0 && s->has_frame && now >= s->next_frame) send_frame(s, now);
  bool is_idle = num_clients == 0 || !s->has_frame;
  bool is_waiting = num_clients > 0 && s->session.is_playing;
  double rest = is_idle && !is_waiting ? REST : fmax(s->next_frame - cli_wall_time(), 0);
  live_clients_wait(s->clients, rest);
  if (num_clients == 0) s->last = cli_wall_time();
}

int live_show_scene(const live_options* options, const live_session_def* def) {
  live_page page = {0};
  carom_error error;
  show s = {0};
  carom_status status = check_options(options, &error);
  if (status == CAROM_OK) status = live_session_create(def, &s.session, &error);
  if (status == CAROM_OK) status = live_page_of_sim(s.session.sim, &page, &error);
  if (status == CAROM_OK) {
    cli_catch_signals();
    status = serve(options, &page, def->scene, true, &s.server, &error);
  }
  if (status == CAROM_OK) {
    s.clients = live_server_clients(s.server);
    s.last = cli_wall_time();
    while (!cli_caught_signal()) go_on(&s);
  }
  live_server_stop(s.server);
  live_session_destroy(&s.session);
  live_page_free(&page);
  free(s.frame.data);
  return conclude(status, &error);
}
