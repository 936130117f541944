/* MuJoCo through python3, which prints its version and the seconds of the two halves. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

enum { NO_MODULE = 3 }; /* exit code of the script, 4 where MuJoCo does not read the file */

static const char SCRIPT[] = //
    "import sys, time\n"
    "try:\n"
    "    import mujoco\n"
    "except ImportError:\n"
    "    sys.exit(3)\n"
    "path, dt, steps = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])\n"
    "print(mujoco.__version__, flush=True)\n"
    "try:\n"
    "    model = mujoco.MjModel.from_xml_path(path)\n"
    "except Exception:\n"
    "    sys.exit(4)\n"
    "model.opt.timestep = dt\n"
    "data = mujoco.MjData(model)\n"
    "for half in range(2):\n"
    "    begin = time.perf_counter()\n"
    "    mujoco.mj_step(model, data, steps)\n"
    "    print((time.perf_counter() - begin) / steps, flush=True)\n";

/* Starts python3 with its output in a pipe; returns the end to read, -1 where it cannot start. */
static int start(const bench_peer* peer, pid_t* process) {
  char dt[32], steps[16];
  int ends[2];
  snprintf(dt, sizeof dt, "%.17g", peer->dt);
  snprintf(steps, sizeof steps, "%d", peer->steps);
  const char* const arguments[] = {"python3", "-c", SCRIPT, peer->path, dt, steps, NULL};
  posix_spawn_file_actions_t actions;
  if (pipe(ends) != 0) return -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  int failed = posix_spawnp(process, "python3", &actions, NULL, (char* const*)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (!failed) return ends[0];
  close(ends[0]);
  return -1;
}

static int wait_for(pid_t process) {
  int state = 0;
  while (waitpid(process, &state, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

bench_answer bench_ask_mujoco(const bench_peer* peer, char* version, bench_times* times) {
  pid_t process;
  version[0] = '\0';
  int from = start(peer, &process);
  FILE* output = from < 0 ? NULL : fdopen(from, "r");
  if (from >= 0 && !output) close(from);
  if (!output) return BENCH_NOT_INSTALLED;
  int count = fscanf(output, "%31s %lf %lf", version, &times->first, &times->second);
  fclose(output);
  int code = wait_for(process);
  if (code == 0 && count == 3) return BENCH_TIMED;
  return code == NO_MODULE || count < 1 ? BENCH_NOT_INSTALLED : BENCH_REFUSED;
}
