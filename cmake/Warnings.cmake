# Compiler settings that every target of the project shares.
add_library(carom_settings INTERFACE)
target_compile_options(carom_settings INTERFACE
  -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
  -Wpointer-arith -Wwrite-strings -Wundef -Werror
  -ffp-contract=off -fno-math-errno
  $<$<CONFIG:Release,RelWithDebInfo>:-O3>)
target_compile_definitions(carom_settings INTERFACE $<$<CONFIG:Debug>:CR_ENABLE_ASSERT>)
if(CAROM_SANITIZE)
  target_compile_options(carom_settings INTERFACE
    -fsanitize=${CAROM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_definitions(carom_settings INTERFACE CR_ENABLE_ASSERT CR_SANITIZED)
  target_link_options(carom_settings INTERFACE -fsanitize=${CAROM_SANITIZE})
endif()
