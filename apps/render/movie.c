/* Pictures go through a pipe as they are; ffmpeg makes H.264 of them. It stands in a process group
 * of its own, so that Ctrl-C reaches only Carom, which ends the movie in good order. */
#include "movie.h"

#include "common/error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

/* Starts it with the end of a pipe as its standard input; returns an error number. */
static int spawn(char* const* arguments, int input, pid_t* process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  int number = posix_spawnp(process, "ffmpeg", &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return number;
}

static carom_status refuse(const char* path, int number, carom_error* error) {
  if (number == ENOENT)
    return cli_error(error, CAROM_ERROR_FILE,
                     "%s: movies need the program ffmpeg; install the package ffmpeg, or write "
                     "numbered pictures, such as -o frame-%%04d.png",
                     path);
  return cli_error(error, CAROM_ERROR_FILE, "%s: the program ffmpeg cannot be started: %s", path,
                   strerror(number));
}

/* Colours are sRGB's, which are those of BT.709; only the matrix must be said to be it. */
carom_status render_movie_start(const char* path, int width, int height, double rate,
                                render_movie* movie, carom_error* error) {
  char size[32], frames[32], file[4096];
  int ends[2];
  snprintf(size, sizeof size, "%dx%d", width, height);
  snprintf(frames, sizeof frames, "%.9g", rate);
  if (snprintf(file, sizeof file, "file:%s", path) >= (int)sizeof file)
    return cli_error(error, CAROM_ERROR_FILE, "%s: the name is too long", path);
  const char* arguments[] = {
      "ffmpeg",
      "-hide_banner",
      "-nostdin",
      "-loglevel",
      "error",
      "-y",
      "-f",
      "rawvideo",
      "-pix_fmt",
      "rgb0",
      "-video_size",
      size,
      "-framerate",
      frames,
      "-i",
      "pipe:0",
      "-vf",
      "scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_chroma_int",
      "-c:v",
      "libx264",
      "-preset",
      "medium",
      "-crf",
      "18",
      "-pix_fmt",
      "yuv420p",
      "-colorspace",
      "bt709",
      "-color_primaries",
      "bt709",
      "-color_trc",
      "iec61966-2-1",
      "-movflags",
      "+faststart",
      "-f",
      "mp4",
      file,
      NULL};
  *movie = (render_movie){.path = path, .pipe = -1, .size = 4 * (size_t)width * (size_t)height};
  if (pipe(ends) != 0) return refuse(path, errno, error);
  for (int k = 0; k < 2; k++) fcntl(ends[k], F_SETFD, FD_CLOEXEC);
  signal(SIGPIPE, SIG_IGN);
  int number = spawn((char* const*)arguments, ends[0], &movie->process);
  close(ends[0]);
  if (number == 0) movie->pipe = ends[1];
  if (number == 0) return CAROM_OK;
  close(ends[1]);
  return refuse(path, number, error);
}

carom_status render_movie_add(render_movie* movie, const unsigned char* pixels,
                              carom_error* error) {
  for (size_t done = 0; done < movie->size;) {
    ssize_t count = write(movie->pipe, pixels + done, movie->size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      int number = errno;
      carom_status status = render_movie_finish(movie, error);
      if (status != CAROM_OK) return status;
      return cli_error(error, CAROM_ERROR_FILE, "%s: ffmpeg takes no more pictures: %s",
                       movie->path, strerror(number));
    }
    done += (size_t)count;
  }
  return CAROM_OK;
}

carom_status render_movie_finish(render_movie* movie, carom_error* error) {
  int state = 0;
  if (movie->pipe < 0) return CAROM_OK;
  close(movie->pipe);
  movie->pipe = -1;
  while (waitpid(movie->process, &state, 0) < 0 && errno == EINTR) {}
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return CAROM_OK;
  remove(movie->path);
  if (WIFSIGNALED(state))
    return cli_error(error, CAROM_ERROR_FILE, "%s: ffmpeg was ended by signal %d", movie->path,
                     WTERMSIG(state));
  return cli_error(error, CAROM_ERROR_FILE, "%s: ffmpeg did not write it, exit code %d",
                   movie->path, WEXITSTATUS(state));
}
