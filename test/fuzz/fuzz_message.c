/* Reads any bytes as a message of a page: the answer is a command whose fields are within their
 * bounds, or a sentence. */
#include "live/command.h"

#include <math.h>
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

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  live_command command;
  carom_error error = {0};
  carom_status status = live_command_read((const char*)data, size, &command, &error);
  require((status == CAROM_OK) == (error.message[0] == '\0'));
  if (status == CAROM_OK)
    check_command(&command);
  else
    require(status == CAROM_ERROR_BAD_INPUT && error.status == status);
  return 0;
}
