# SPDX-License-Identifier: Apache-2.0
# The row functions are compiled once for each SIMD level of the host: for every file of semantics/ and level a
# line in the build tree includes the file. The best level is chosen when a program is made (exec/level.c).
set(EXEC_SEMANTICS access compare drivers f16 f32 f64 integer matrix packed small transcendental)
set(EXEC_LEVELS base)
set(EXEC_FLAGS_base "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND CMAKE_SIZEOF_VOID_P EQUAL 8 AND EXECZ_SIMD_LEVELS)
  list(APPEND EXEC_LEVELS avx2 avx512)
  set(EXEC_FLAGS_avx2 -mavx2 -mfma)
  set(EXEC_FLAGS_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)
  set_source_files_properties(exec/level.c PROPERTIES COMPILE_DEFINITIONS EZ_HAS_X86_LEVELS)
endif()
# Bits must not depend on what the compiler fuses or reorders; traps are never enabled, so that comparisons may
# become selects.
set(EXEC_EXACT -ffp-contract=off -frounding-math -fno-trapping-math -fno-math-errno)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU") # rows are short: their copies shall not become calls, nor string instructions
  list(APPEND EXEC_EXACT -fno-tree-loop-distribute-patterns)
endif()
# gcc makes no vectors of fma() and sqrt() with -frounding-math, which only keeps it from folding operations on constants:
# the files with fused multiply-adds and roots have none. Tests of all rounding modes: tests/semantics/mpfr_floats.c.
set(EXEC_FUSED f32 f64 packed transcendental)
foreach(level ${EXEC_LEVELS})
  foreach(name ${EXEC_SEMANTICS})
    set(file ${GENERATED}/exec/${name}_${level}.c)
    file(CONFIGURE OUTPUT ${file} CONTENT "#include \"exec/semantics/${name}.c\"\n")
    set(exact ${EXEC_EXACT})
    if(name IN_LIST EXEC_FUSED AND NOT level STREQUAL base)
      list(REMOVE_ITEM exact -frounding-math)
    endif()
    set_source_files_properties(${file} PROPERTIES COMPILE_DEFINITIONS "EZ_LEVEL=${level};$<$<STREQUAL:${level},base>:EZ_BASE_LEVEL>"
      COMPILE_OPTIONS "-O3;-Wno-pass-failed;${exact};${EXEC_FLAGS_${level}}")
    list(APPEND EXECZ_SOURCES ${file})
  endforeach()
  set(file ${GENERATED}/exec/table_${level}.c)
  file(CONFIGURE OUTPUT ${file} CONTENT "#include \"exec/lanes_table.c\"\n")
  set_source_files_properties(${file} PROPERTIES COMPILE_DEFINITIONS EZ_LEVEL=${level})
  list(APPEND EXECZ_SOURCES ${file})
endforeach()

set(EXEC_OWN control.c convert.c crosslane.c fidelity.c gws.c host_flush.c image.c image_write.c level.c lower.c matrix.c memory.c memory_buffer.c memory_ds.c memory_flat.c memory_image.c memory_ops.c
  memory_scalar.c memory_transpose.c program.c run.c salu.c tensor.c texel.c valu.c wave.c)
list(TRANSFORM EXEC_OWN PREPEND exec/)
set_source_files_properties(exec/convert.c exec/image.c exec/memory_image.c exec/salu.c exec/texel.c exec/memory_ops.c PROPERTIES COMPILE_OPTIONS "${EXEC_EXACT}")
list(APPEND EXECZ_SOURCES ${EXEC_OWN})
