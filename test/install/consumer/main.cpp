// The same from C++.
#include "carom/carom.h"

#include <iostream>
#include <string>

int main() {
  std::cout << "carom " << carom_version() << ", status 0 is " << carom_status_text(CAROM_OK)
            << "\n";
  return std::string(carom_version()) != CAROM_VERSION_STRING;
}
