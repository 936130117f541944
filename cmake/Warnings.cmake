# Compiler settings that every target of the project shares.
include(CheckCCompilerFlag)
add_library(carom_settings INTERFACE)

# Most loops are over three to twelve elements, known at run time only: vectors with loops before and
# after them for what is left over take longer than no vectors.
check_c_compiler_flag(-fvect-cost-model=very-cheap CAROM_HAS_VECT_COST_MODEL)
if(CAROM_HAS_VECT_COST_MODEL AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  target_compile_options(carom_settings INTERFACE
    $<$<CONFIG:Release,RelWithDebInfo>:-fvect-cost-model=very-cheap>)
endif()

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
