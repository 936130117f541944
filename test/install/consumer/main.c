/* A user's program: the installed headers and the linked library are of one version, and speak. */
#include "carom/carom.h"

#include <stdio.h>
#include <string.h>

int main(void) {
  printf("carom %s, status 0 is %s\n", carom_version(), carom_status_text(CAROM_OK));
  return strcmp(carom_version(), CAROM_VERSION_STRING) != 0;
}
