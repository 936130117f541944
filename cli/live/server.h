/* A page and its WebSocket, served to this computer, or to others that know a token. */
#ifndef LIVE_SERVER_H
#define LIVE_SERVER_H

#include "clients.h"

typedef struct live_server live_server;

typedef struct live_server_def {
  const char* address; /* to listen at, IPv4 */
  int port;            /* 0: any free one */
  const char* page;    /* [page_size] must outlive the server */
  size_t page_size;
  bool is_live; /* there is a WebSocket at /live, else the page only */
} live_server_def;

/* Starts to serve.
 * @param server to be stopped in any case
 * @return CAROM_ERROR_FILE with a sentence where the address cannot be had */
carom_status live_server_start(const live_server_def* def, live_server** server,
                               carom_error* error);

/* Ends all connections; null is allowed. */
void live_server_stop(live_server* server);

/* Where the page is, the token included. Lives as long as the server. */
const char* live_server_url(const live_server* server);

/* Something random that tells this server from others. */
const char* live_server_name(const live_server* server);

/* Who watches. */
live_clients* live_server_clients(live_server* server);

#endif
