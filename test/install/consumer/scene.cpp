// Reading a scene from C++: the formats of meshes, and what an error says.
#include "carom/carom.h"

#include <iostream>
#include <string>

int main() {
  const std::string text = "<mujoco><worldbody><body/></worldbody><nonsense/></mujoco>";
  carom_error error;
  carom_model* model = nullptr;
  if (carom_model_load_string(text.data(), text.size(), "text", nullptr, &model, &error) ==
      CAROM_OK)
    return 1;
  std::cout << "meshes: " << carom_mesh_formats() << "; " << error.message << "\n";
  return error.message[0] == 0;
}
