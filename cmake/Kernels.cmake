# Kernels that are compiled for several instruction sets and chosen at run time: sets the options of
# those among the given sources, for targets of the calling folder.
function(carom_set_kernel_options)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    return()
  endif()
  foreach(source IN LISTS ARGN)
    if(source MATCHES "_avx2\\.c$")
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS "-mavx2;-mfma")
    elseif(source MATCHES "_avx512\\.c$")
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS
        "-mavx512f;-mavx512dq;-mavx512vl;-mavx2;-mfma;-mprefer-vector-width=512")
    endif()
  endforeach()
endfunction()
