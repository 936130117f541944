/* What benchmarks share: clocks, memory, names of files. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdio.h>
#include <string.h>
#include <time.h>

static inline double read_clock(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* CPU time of the calling thread, s. */
static inline double thread_time(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

/* Time that passes, s. */
static inline double wall_time(void) { return read_clock(CLOCK_MONOTONIC); }

/* The most memory that this program has had resident, MiB; 0 where the system does not tell. Not
 * ru_maxrss, which keeps what the process had before exec. */
static inline double peak_memory(void) {
  FILE* file = fopen("/proc/self/status", "r");
  if (!file) return 0;
  char line[200];
  double kib = 0;
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "VmHWM: %lf", &kib) == 1) break;
  fclose(file);
  return kib / 1024;
}

static inline const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

#endif
