/* Meshes go to the program coacd, and come back from it, as OBJ files in a folder of their own. */
#include "decompose.h"

#include "cli.h"
#include "common/error.h"
#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

#define DEFAULT_SECONDS 300

/* A mesh on its way through the program. */
typedef struct job {
  const carom_decompose_input* mesh;
  const char* program;
  char folder[200], input[220], output[220], log[220];
  carom_error* error;
} job;

/* ---- Files */

static bool make_folder(job* j) {
  const char* place = getenv("TMPDIR");
  int length =
      snprintf(j->folder, sizeof j->folder, "%s/carom_XXXXXX", place && *place ? place : "/tmp");
  if (length >= (int)sizeof j->folder || !mkdtemp(j->folder)) return false;
  snprintf(j->input, sizeof j->input, "%s/in.obj", j->folder);
  snprintf(j->output, sizeof j->output, "%s/out.obj", j->folder);
  snprintf(j->log, sizeof j->log, "%s/log", j->folder);
  return true;
}

static void remove_folder(const job* j) {
  unlink(j->input);
  unlink(j->output);
  unlink(j->log);
  rmdir(j->folder);
}

/* How large the mesh is along its longest side, m: it is written as one of size 1, since the
 * program writes few digits. */
static double find_size(const carom_decompose_input* mesh) {
  double size = 0;
  for (int k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < mesh->num_vertices; i++) {
      low = fmin(low, mesh->vertices[3 * (size_t)i + (size_t)k]);
      high = fmax(high, mesh->vertices[3 * (size_t)i + (size_t)k]);
    }
    size = fmax(size, high - low);
  }
  return size > 0 ? size : 1;
}

static bool write_input(const job* j, double size) {
  const carom_decompose_input* mesh = j->mesh;
  FILE* file = fopen(j->input, "wx");
  if (!file) return false;
  for (int i = 0; i < mesh->num_vertices; i++) {
    const double* x = mesh->vertices + 3 * (size_t)i;
    fprintf(file, "v %.12g %.12g %.12g\n", x[0] / size, x[1] / size, x[2] / size);
  }
  for (int i = 0; i < mesh->num_triangles; i++) {
    const int* corner = mesh->triangles + 3 * (size_t)i;
    fprintf(file, "f %d %d %d\n", corner[0] + 1, corner[1] + 1, corner[2] + 1);
  }
  bool is_written = !ferror(file);
  return fclose(file) == 0 && is_written;
}

/* ---- Parts */

/* The vertices of the part that is being read. */
typedef struct part {
  double* vertices;
  int count, capacity;
} part;

static bool add_vertex(part* p, const double x[3]) {
  if (p->count == p->capacity) {
    int capacity = p->capacity ? 2 * p->capacity : 256;
    double* more = realloc(p->vertices, 3 * (size_t)capacity * sizeof *more);
    if (!more) return false;
    p->vertices = more, p->capacity = capacity;
  }
  memcpy(p->vertices + 3 * (size_t)p->count++, x, 3 * sizeof *x);
  return true;
}

/* Hands over what has been read of a part; what has too few vertices is none. */
static carom_status finish_part(part* p, carom_convex_parts* parts, int* count,
                                carom_error* error) {
  carom_status status = CAROM_OK;
  if (p->count >= 4) status = carom_convex_parts_add(parts, p->vertices, p->count, error);
  *count += p->count >= 4;
  p->count = 0;
  return status;
}

static carom_status read_line(const char* line, double size, part* p, carom_convex_parts* parts,
                              int* count, carom_error* error) {
  double x[3];
  if (line[0] == 'o' && line[1] == ' ') return finish_part(p, parts, count, error);
  if (line[0] != 'v' || line[1] != ' ') return CAROM_OK;
  if (sscanf(line + 2, "%lf %lf %lf", &x[0], &x[1], &x[2]) != 3)
    return cli_error(error, CAROM_ERROR_BAD_INPUT, "coacd wrote a vertex that is none: '%.60s'",
                     line);
  for (int k = 0; k < 3; k++) x[k] *= size;
  return add_vertex(p, x) ? CAROM_OK : cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
}

/* The objects of what the program wrote, each a part. */
static carom_status read_parts(const job* j, const char* text, double size,
                               carom_convex_parts* parts) {
  char line[400];
  part p = {0};
  int count = 0;
  carom_status status = CAROM_OK;
  for (const char* at = text; status == CAROM_OK && *at;) {
    size_t length = strcspn(at, "\r\n");
    snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), at);
    status = read_line(line, size, &p, parts, &count, j->error);
    at += length + (at[length] != '\0');
  }
  if (status == CAROM_OK) status = finish_part(&p, parts, &count, j->error);
  free(p.vertices);
  if (status != CAROM_OK || count > 0) return status;
  return cli_error(j->error, CAROM_ERROR_BAD_INPUT, "'%.100s' wrote no parts", j->program);
}

/* The whole of a file as text, to be freed; null where memory runs out. */
static char* read_text(FILE* file) {
  size_t used = 0, room = 0, got = 1;
  char* text = NULL;
  for (; got > 0; used += got) {
    if (room - used < 4096) {
      char* more = realloc(text, room = 2 * room + 65536);
      if (!more) {
        free(text);
        return NULL;
      }
      text = more;
    }
    got = fread(text + used, 1, room - used - 1, file);
  }
  text[used] = '\0';
  return text;
}

/* All that the program wrote, to be freed; null where there is nothing, or no memory. */
static char* read_output(const job* j, carom_status* status) {
  FILE* file = fopen(j->output, "r");
  if (!file) {
    *status = cli_error(j->error, CAROM_ERROR_FILE, "'%.100s' ended without writing its parts",
                        j->program);
    return NULL;
  }
  char* text = read_text(file);
  fclose(file);
  if (!text) *status = cli_error(j->error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  return text;
}

/* ---- What has been split before: robots have the same mesh in several places */

/* A mesh and what the program wrote of it; kept until this program ends. */
typedef struct memory {
  struct memory* next;
  double* vertices;
  int* triangles;
  int num_vertices, num_triangles, most_parts;
  char* text;
} memory;

static memory* first_memory;

static size_t vertex_bytes(const carom_decompose_input* mesh) {
  return 3 * (size_t)mesh->num_vertices * sizeof *mesh->vertices;
}

static size_t triangle_bytes(const carom_decompose_input* mesh) {
  return 3 * (size_t)mesh->num_triangles * sizeof *mesh->triangles;
}

static const char* recall(const carom_decompose_input* mesh) {
  for (const memory* m = first_memory; m; m = m->next)
    if (m->num_vertices == mesh->num_vertices && m->num_triangles == mesh->num_triangles &&
        m->most_parts == mesh->most_parts &&
        memcmp(m->vertices, mesh->vertices, vertex_bytes(mesh)) == 0 &&
        memcmp(m->triangles, mesh->triangles, triangle_bytes(mesh)) == 0)
      return m->text;
  return NULL;
}

/* Takes the text; without memory it is forgotten. */
static void remember(const carom_decompose_input* mesh, char* text) {
  memory* m = calloc(1, sizeof *m);
  double* vertices = malloc(vertex_bytes(mesh) + 1);
  int* triangles = malloc(triangle_bytes(mesh) + 1);
  if (!m || !vertices || !triangles) {
    free(m), free(vertices), free(triangles), free(text);
    return;
  }
  memcpy(vertices, mesh->vertices, vertex_bytes(mesh));
  memcpy(triangles, mesh->triangles, triangle_bytes(mesh));
  *m = (memory){first_memory,        vertices,         triangles, mesh->num_vertices,
                mesh->num_triangles, mesh->most_parts, text};
  first_memory = m;
}

/* ---- The program */

static carom_status start(const job* j, pid_t* pid) {
  char most[16];
  const char* arguments[10] = {j->program, "-i", j->input, "-o", j->output, "--quiet"};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  snprintf(most, sizeof most, "%d", j->mesh->most_parts);
  if (j->mesh->most_parts > 0) arguments[6] = "-c", arguments[7] = most;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, j->log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  int fault = posix_spawnp(pid, j->program, &files, &attributes, (char* const*)arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (fault == 0) return CAROM_OK;
  if (fault == ENOENT)
    return cli_error(j->error, CAROM_ERROR_FILE,
                     "--decompose runs the program '%.100s', which is not found; install it (pip "
                     "install coacd trimesh) or name it in CAROM_COACD",
                     j->program);
  return cli_error(j->error, CAROM_ERROR_FILE, "'%.100s' cannot be run: %s", j->program,
                   strerror(fault));
}

/* The seconds that the program may take. */
static double find_limit(void) {
  const char* text = getenv("CAROM_COACD_SECONDS");
  double limit = text ? strtod(text, NULL) : 0;
  return limit > 0 && isfinite(limit) ? limit : DEFAULT_SECONDS;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Waits for the end, and makes one where it takes too long or is interrupted. */
static carom_status wait_for(const job* j, pid_t pid, int* state) {
  static const struct timespec PAUSE = {0, 5000000};
  double limit = find_limit(), end = now() + limit;
  for (;;) {
    pid_t done = waitpid(pid, state, WNOHANG);
    if (done == pid) return CAROM_OK;
    if (done < 0 && errno != EINTR)
      return cli_error(j->error, CAROM_ERROR_FILE, "'%.100s' is lost: %s", j->program,
                       strerror(errno));
    if (cli_caught_signal() || now() > end) break;
    nanosleep(&PAUSE, NULL);
  }
  kill(-pid, SIGKILL);
  waitpid(pid, state, 0);
  if (cli_caught_signal()) return cli_error(j->error, CAROM_ERROR_FILE, "interrupted");
  return cli_error(j->error, CAROM_ERROR_FILE,
                   "'%.100s' took more than %g s on %.200s; CAROM_COACD_SECONDS may give it more",
                   j->program, limit, j->mesh->name);
}

/* The last line that the program said, without control characters; empty: nothing. */
static void find_last_words(const job* j, char* words, size_t size) {
  char line[200];
  FILE* file = fopen(j->log, "r");
  words[0] = '\0';
  while (file && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\r\n")] = '\0';
    for (char* c = line; *c; c++)
      if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
    if (line[0]) snprintf(words, size, ": %s", line);
  }
  if (file) fclose(file);
}

static carom_status run(const job* j) {
  char words[220];
  pid_t pid;
  int state;
  carom_status status = start(j, &pid);
  if (status == CAROM_OK) status = wait_for(j, pid, &state);
  if (status != CAROM_OK || (WIFEXITED(state) && WEXITSTATUS(state) == 0)) return status;
  find_last_words(j, words, sizeof words);
  if (WIFEXITED(state) && WEXITSTATUS(state) == 127 && !words[0])
    return cli_error(j->error, CAROM_ERROR_FILE, "'%.100s' cannot be run", j->program);
  return cli_error(j->error, CAROM_ERROR_FILE, "'%.100s' failed on %.200s%s", j->program,
                   j->mesh->name, words);
}

carom_status cli_decompose(void* user, const carom_decompose_input* mesh, carom_convex_parts* parts,
                           carom_error* error) {
  const char* named = getenv("CAROM_COACD");
  job j = {.mesh = mesh, .program = named && *named ? named : "coacd", .error = error};
  double size = find_size(mesh);
  const char* known = recall(mesh);
  char* text = NULL;
  (void)user;
  if (known) return read_parts(&j, known, size, parts);
  if (!make_folder(&j))
    return cli_error(error, CAROM_ERROR_FILE, "a temporary folder cannot be made: %s",
                     strerror(errno));
  carom_status status = write_input(&j, size)
                            ? run(&j)
                            : cli_error(error, CAROM_ERROR_FILE, "%.100s cannot be written: %s",
                                        j.input, strerror(errno));
  if (status == CAROM_OK) text = read_output(&j, &status);
  remove_folder(&j);
  if (!text) return status;
  status = read_parts(&j, text, size, parts);
  if (status == CAROM_OK)
    remember(mesh, text);
  else
    free(text);
  return status;
}
