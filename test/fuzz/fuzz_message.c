/* Reads any bytes as a message of a page: the answer is a command whose fields are within their
 * bounds, or a sentence. */
#include "live/command.h"
#include "program.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void require(bool holds) {
  if (!holds) abort();
}

static void check_vector(const double* vector) {
  for (int k = 0; k < 3; k++) require(fabs(vector[k]) <= 1e6);
}

static void check_command(const live_command* c) {
  require((int)c->verb >= LIVE_PLAY && c->verb <= LIVE_SEEN);
  if (c->verb == LIVE_SPEED) require(c->speed >= 1e-3 && c->speed <= 1e3);
  if (c->verb == LIVE_DRAG) {
    require(c->spring.body >= 0 && c->spring.strength >= 1e-3 && c->spring.strength <= 1e3);
    check_vector(c->spring.point);
    check_vector(c->spring.target);
  }
  if (c->verb != LIVE_SET) return;
  check_vector(c->change.gravity);
  require(!c->change.has_dt || (c->change.dt >= 1e-7 && c->change.dt <= 1));
  require((int)c->change.scheme >= CAROM_EXPLICIT && c->change.scheme <= CAROM_MIDPOINT);
  require((int)c->change.friction >= CAROM_FRICTION_COULOMB &&
          c->change.friction <= CAROM_FRICTION_ANCHORED);
}

/* A message on its way through a thread. */
typedef struct message {
  const uint8_t* data;
  size_t size;
} message;

static void* read_message(void* user) {
  const message* m = user;
  live_command command;
  carom_error error = {0};
  carom_status status = live_command_read((const char*)m->data, m->size, &command, &error);
  require((status == CAROM_OK) == (error.message[0] == '\0'));
  if (status == CAROM_OK)
    check_command(&command);
  else
    require(status == CAROM_ERROR_BAD_INPUT && error.status == status);
  return NULL;
}

/* In a thread with the stack that a client's has. */
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  message m = {data, size};
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  require(pthread_attr_setstacksize(&attributes, LIVE_STACK_SIZE) == 0);
  require(pthread_create(&thread, &attributes, read_message, &m) == 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  return 0;
}
