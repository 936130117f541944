/* HTTP and WebSocket by civetweb, which reads in threads of its own; see clients.h for what goes
 * out. */
#include "server.h"

#include "../state.h"
#include "clients.h"
#include "guard.h"

#include <civetweb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct live_server {
  live_server_def def;
  struct mg_context* context;
  live_clients clients;
  bool is_local;
  char token[LIVE_TOKEN_SIZE], name[LIVE_TOKEN_SIZE];
  char url[400];
  char complaint[200]; /* civetweb's first one */
};

/* --- Requests -----------------------------------------------------------------------------------
 */

/* Why a request is refused; null where it is not. */
static const char* find_objection(const live_server* s, const struct mg_connection* connection) {
  const struct mg_request_info* info = mg_get_request_info(connection);
  if (s->is_local && !live_guard_is_local_host(mg_get_header(connection, "Host")))
    return "This page is served to this computer only.";
  if (!s->is_local && !live_guard_has_token(info->query_string, s->token))
    return "The address lacks the token that carom printed.";
  return NULL;
}

static int refuse(struct mg_connection* connection, int code, const char* sentence) {
  mg_printf(connection,
            "HTTP/1.1 %d Refused\r\nContent-Type: text/plain; charset=utf-8\r\n"
            "Content-Length: %zu\r\nConnection: close\r\n\r\n%s\n",
            code, strlen(sentence) + 1, sentence);
  return code;
}

static int serve_page(struct mg_connection* connection, void* user) {
  const live_server* s = user;
  const struct mg_request_info* info = mg_get_request_info(connection);
  const char* objection = find_objection(s, connection);
  bool is_get = strcmp(info->request_method, "GET") == 0;
  if (objection) return refuse(connection, 403, objection);
  if (strcmp(info->local_uri, "/") != 0) return refuse(connection, 404, "There is no such page.");
  if (!is_get && strcmp(info->request_method, "HEAD") != 0)
    return refuse(connection, 405, "The page can be read only.");
  mg_printf(connection,
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
            "Content-Length: %zu\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
            "X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n",
            s->def.page_size);
  if (is_get) mg_write(connection, s->def.page, s->def.page_size);
  return 200;
}

/* --- WebSocket ----------------------------------------------------------------------------------
 */

static int admit(const struct mg_connection* connection, void* user) {
  const live_server* s = user;
  const char *host = mg_get_header(connection, "Host"), *origin;
  origin = mg_get_header(connection, "Origin");
  return find_objection(s, connection) || !live_guard_is_same_origin(origin, host);
}

static void greet(struct mg_connection* connection, void* user) {
  live_server* s = user;
  mg_set_user_connection_data(connection, live_clients_add(&s->clients, connection));
}

static int hear(struct mg_connection* connection, int bits, char* data, size_t size, void* user) {
  live_server* s = user;
  live_client* client = mg_get_user_connection_data(connection);
  if (!client) return 0;
  if ((bits & 15) == MG_WEBSOCKET_OPCODE_TEXT) live_clients_hear(&s->clients, client, data, size);
  return (bits & 15) != MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE;
}

static void part(const struct mg_connection* connection, void* user) {
  live_server* s = user;
  live_client* client = mg_get_user_connection_data(connection);
  if (client) live_clients_remove(&s->clients, client);
}

/* --- Start and stop -----------------------------------------------------------------------------
 */

static int keep_complaint(const struct mg_connection* connection, const char* message) {
  live_server* s = mg_get_user_context_data(connection);
  if (s && !s->complaint[0]) snprintf(s->complaint, sizeof s->complaint, "%s", message);
  return 1;
}

/* Where all addresses are listened at, the computer's name leads here. */
static void make_url(live_server* s, int port) {
  char host[200] = "";
  const char* address = s->def.address;
  bool is_any = strcmp(address, "0.0.0.0") == 0;
  if (is_any && gethostname(host, sizeof host - 1) == 0 && host[0]) address = host;
  snprintf(s->url, sizeof s->url, "http://%s:%d/%s%s", address, port,
           s->is_local ? "" : "?token=", s->is_local ? "" : s->token);
}

static carom_status listen_at(live_server* s, carom_error* error) {
  char place[128], threads[16];
  struct mg_callbacks callbacks = {.log_message = keep_complaint};
  struct mg_server_port port;
  snprintf(place, sizeof place, "%s:%d", s->def.address, s->def.port);
  /* A thread reads each client, and a few serve pages. */
  snprintf(threads, sizeof threads, "%d", LIVE_MAX_CLIENTS + 8);
  const char* options[] = {"listening_ports",
                           place,
                           "num_threads",
                           threads,
                           "tcp_nodelay",
                           "1",
                           "websocket_timeout_ms",
                           "10000",
                           "request_timeout_ms",
                           "20000",
                           "enable_websocket_ping_pong",
                           "yes",
                           NULL};
  mg_init_library(0);
  s->context = mg_start(&callbacks, s, options);
  if (!s->context || mg_get_server_ports(s->context, 1, &port) < 1)
    return cli_error(error, CAROM_ERROR_FILE, "view: cannot listen at %s: %s", place,
                     s->complaint[0] ? s->complaint : "the server does not start");
  make_url(s, port.port);
  mg_set_request_handler(s->context, "/", serve_page, s);
  if (s->def.is_live) mg_set_websocket_handler(s->context, "/live", admit, greet, hear, part, s);
  return CAROM_OK;
}

carom_status live_server_start(const live_server_def* def, live_server** server,
                               carom_error* error) {
  live_server* s = calloc(1, sizeof *s);
  *server = s;
  if (!s) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  s->def = *def;
  s->is_local = live_guard_is_loopback(def->address);
  live_clients_init(&s->clients);
  if (!live_guard_make_token(s->token) || !live_guard_make_token(s->name))
    return cli_error(error, CAROM_ERROR_FILE, "view: the system gives no random numbers");
  return listen_at(s, error);
}

void live_server_stop(live_server* s) {
  if (!s) return;
  live_clients_close(&s->clients);
  if (s->context) mg_stop(s->context);
  mg_exit_library();
  live_clients_free(&s->clients);
  free(s);
}

const char* live_server_url(const live_server* s) { return s->url; }
const char* live_server_name(const live_server* s) { return s->name; }
live_clients* live_server_clients(live_server* s) { return &s->clients; }
