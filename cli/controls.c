/* Reading a table of controls, and using it. */
#include "controls.h"

#include "common/error.h"
#include "common/files.h"
#include "options.h"
#include "state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file that is read line by line. */
typedef struct reader {
  const char* path;
  FILE* file;
  char* line;
  size_t size;
  int number; /* of the line, from 1 */
  carom_error* error;
} reader;

static carom_status out_of_memory(reader* r) {
  return cli_error(r->error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
}

/* The next line that is not empty, without its end; false at the end of the file. */
static bool next_line(reader* r) {
  while (getline(&r->line, &r->size, r->file) >= 0) {
    r->number++;
    r->line[strcspn(r->line, "\r\n")] = '\0';
    if (r->line[strspn(r->line, " \t")]) return true;
  }
  return false;
}

/* Cuts the cell at *rest off, without blanks and quotes around it; empty where there is none. */
static const char* next_cell(char** rest) {
  if (!*rest) return "";
  char* cell = *rest + strspn(*rest, " \t");
  char* end = strchr(cell, ',');
  *rest = end ? end + 1 : NULL;
  if (!end) end = cell + strlen(cell);
  while (end > cell && (end[-1] == ' ' || end[-1] == '\t')) end--;
  if (end - cell >= 2 && cell[0] == '"' && end[-1] == '"') cell++, end--;
  *end = '\0';
  return cell;
}

static int count_cells(const char* line) {
  int count = 1;
  for (; *line; line++) count += *line == ',';
  return count;
}

/* --- Header -------------------------------------------------------------------------------------
 */

/* Which number of the mocap bodies' poses a column "BODY.x" is; -1: none. */
static int find_pose_number(const carom_model* model, const char* name) {
  static const char* const PARTS[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  carom_model_sizes sizes = carom_model_get_sizes(model);
  const char* dot = strrchr(name, '.');
  char body[200];
  if (!dot || (size_t)(dot - name) >= sizeof body) return -1;
  snprintf(body, sizeof body, "%.*s", (int)(dot - name), name);
  int index = carom_model_find_body(model, body), part = 0;
  int address = index < 0 ? -1 : carom_model_get_body(model, index).mocap_address;
  while (part < 7 && strcmp(PARTS[part], dot + 1) != 0) part++;
  return address < 0 || part == 7 ? -1 : address - (sizes.num_q - 7 * sizes.num_mocaps) + part;
}

static carom_status read_name(reader* r, const carom_model* model, const char* name,
                              cli_controls* c) {
  int target = carom_model_find_control(model, name), number = -1;
  if (target < 0) number = find_pose_number(model, name);
  if (number >= 0) target = c->num_controls + number;
  if (target < 0)
    return cli_error(r->error, CAROM_ERROR_BAD_INPUT,
                     "%s:%d: there is no actuator '%.60s', nor is it a part of a mocap body's pose",
                     r->path, r->number, name);
  for (int i = 0; i < c->num_columns; i++)
    if (c->target[i] == target)
      return cli_error(r->error, CAROM_ERROR_BAD_INPUT, "%s:%d: '%.60s' has two columns", r->path,
                       r->number, name);
  c->target[c->num_columns++] = target;
  return CAROM_OK;
}

/* Room for poses, where a column is of one. */
static carom_status list_mocaps(reader* r, const carom_model* model, cli_controls* c) {
  carom_model_sizes sizes = carom_model_get_sizes(model);
  bool any = false;
  for (int i = 0; i < c->num_columns; i++) any |= c->target[i] >= c->num_controls;
  if (!any) return CAROM_OK;
  c->body = calloc((size_t)sizes.num_mocaps, sizeof *c->body);
  c->poses = calloc(7 * (size_t)sizes.num_mocaps, sizeof *c->poses);
  if (!c->body || !c->poses) return out_of_memory(r);
  for (int b = 0; b < sizes.num_bodies; b++)
    if (carom_model_get_body(model, b).mocap_address >= 0) c->body[c->num_mocaps++] = b;
  return CAROM_OK;
}

static carom_status read_header(reader* r, const carom_model* model, cli_controls* c) {
  if (!next_line(r)) return cli_error(r->error, CAROM_ERROR_BAD_INPUT, "%s: is empty", r->path);
  c->num_controls = carom_model_get_sizes(model).num_controls;
  c->target = calloc((size_t)count_cells(r->line), sizeof(int));
  if (!c->target) return out_of_memory(r);
  char* rest = r->line;
  const char* first = next_cell(&rest);
  if (strcmp(first, "time") != 0)
    return cli_error(r->error, CAROM_ERROR_BAD_INPUT,
                     "%s:%d: the first column is '%.60s', must be time", r->path, r->number, first);
  while (rest) {
    carom_status status = read_name(r, model, next_cell(&rest), c);
    if (status != CAROM_OK) return status;
  }
  return list_mocaps(r, model, c);
}

/* --- Rows ---------------------------------------------------------------------------------------
 */

static carom_status add_row(reader* r, cli_controls* c) {
  size_t rows = (size_t)c->num_rows + 1;
  double* time = realloc(c->time, sizeof(double) * rows);
  if (!time) return out_of_memory(r);
  c->time = time;
  double* values = realloc(c->values, sizeof(double) * (rows * (size_t)c->num_columns + 1));
  if (!values) return out_of_memory(r);
  c->values = values;
  c->num_rows++;
  return CAROM_OK;
}

static carom_status read_row(reader* r, cli_controls* c) {
  int cells = count_cells(r->line);
  if (cells != c->num_columns + 1)
    return cli_error(r->error, CAROM_ERROR_BAD_INPUT, "%s:%d: %d columns, the header has %d",
                     r->path, r->number, cells, c->num_columns + 1);
  carom_status status = add_row(r, c);
  if (status != CAROM_OK) return status;
  char* rest = r->line;
  double* row = c->values + (size_t)(c->num_rows - 1) * (size_t)c->num_columns;
  for (int i = 0; i <= c->num_columns; i++) {
    const char* cell = next_cell(&rest);
    if (!cli_read_number(cell, i == 0 ? &c->time[c->num_rows - 1] : &row[i - 1]))
      return cli_error(r->error, CAROM_ERROR_BAD_INPUT,
                       "%s:%d: column %d is '%.60s', must be a number", r->path, r->number, i + 1,
                       cell);
  }
  if (c->num_rows > 1 && !(c->time[c->num_rows - 1] > c->time[c->num_rows - 2]))
    return cli_error(r->error, CAROM_ERROR_BAD_INPUT, "%s:%d: time is %g, must be greater than %g",
                     r->path, r->number, c->time[c->num_rows - 1], c->time[c->num_rows - 2]);
  return CAROM_OK;
}

static carom_status read_table(reader* r, const carom_model* model, cli_controls* c) {
  carom_status status = read_header(r, model, c);
  while (status == CAROM_OK && next_line(r)) status = read_row(r, c);
  if (status == CAROM_OK && c->num_rows == 0)
    return cli_error(r->error, CAROM_ERROR_BAD_INPUT, "%s: has no rows", r->path);
  return status;
}

carom_status cli_controls_read(FILE* file, const char* path, const carom_model* model,
                               cli_controls* controls, carom_error* error) {
  reader r = {.path = path, .file = file, .error = error};
  *controls = (cli_controls){0};
  carom_status status = read_table(&r, model, controls);
  if (status != CAROM_OK) cli_controls_free(controls);
  free(r.line);
  return status;
}

carom_status cli_controls_load(const char* path, const carom_model* model, cli_controls* controls,
                               carom_error* error) {
  const char* why;
  FILE* file = cli_open_input(path, &why);
  *controls = (cli_controls){0};
  if (!file) return cli_error(error, CAROM_ERROR_FILE, "%s: cannot be opened: %s", path, why);
  carom_status status = cli_controls_read(file, path, model, controls, error);
  fclose(file);
  return status;
}

void cli_controls_free(cli_controls* c) {
  free(c->target), free(c->time), free(c->values), free(c->body), free(c->poses);
  *c = (cli_controls){0};
}

/* --- Use ----------------------------------------------------------------------------------------
 */

/* The last row at or before the time, at most the last but one. */
static int find_row(const cli_controls* c, double time) {
  int low = 0, high = c->num_rows - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (c->time[middle] <= time)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The table at a time, in what has columns: controls, unless null, and poses. */
static void read_at(const cli_controls* c, double time, double* ctrl, double* poses) {
  int row = find_row(c, time), next = row + 1 < c->num_rows ? row + 1 : row;
  double span = c->time[next] - c->time[row];
  double share = span > 0 ? fmin(fmax((time - c->time[row]) / span, 0), 1) : 0;
  const double* a = c->values + (size_t)row * (size_t)c->num_columns;
  const double* b = c->values + (size_t)next * (size_t)c->num_columns;
  for (int i = 0; i < c->num_columns; i++) {
    int number = c->target[i] - c->num_controls;
    double value = share < 1 ? a[i] + share * (b[i] - a[i]) : b[i];
    if (number >= 0)
      poses[number] = value;
    else if (ctrl)
      ctrl[c->target[i]] = value;
  }
}

/* Where the mocap bodies are now. */
static const double* find_poses(const cli_controls* c, const carom_sim* sim) {
  int num_q = carom_model_get_sizes(carom_sim_model(sim)).num_q;
  return carom_sim_coordinates(sim) + num_q - 7 * c->num_mocaps;
}

static void copy_poses(const cli_controls* c, const carom_sim* sim) {
  if (c->num_mocaps)
    memcpy(c->poses, find_poses(c, sim), 7 * sizeof(double) * (size_t)c->num_mocaps);
}

static carom_status place(const cli_controls* c, carom_sim* sim, carom_error* error) {
  carom_status status = CAROM_OK;
  for (int i = 0; i < c->num_mocaps && status == CAROM_OK; i++)
    status = carom_sim_set_mocap(sim, c->body[i], c->poses + 7 * i, c->poses + 7 * i + 3, error);
  return status;
}

carom_status cli_controls_apply(const cli_controls* c, carom_sim* sim, carom_error* error) {
  if (c->num_rows == 0) return CAROM_OK;
  copy_poses(c, sim);
  read_at(c, carom_sim_time(sim), carom_sim_controls(sim), c->poses);
  return place(c, sim, error);
}

/* The rate that turns a quaternion into another, of any length, in a time: their rotation vector
 * over it. */
static void find_rate(const double* from, const double* to, double dt, double rate[3]) {
  double w = 0, x[3], n = 0;
  for (int k = 0; k < 4; k++) w += from[k] * to[k];
  for (int k = 0; k < 3; k++) {
    int i = 1 + (k + 1) % 3, j = 1 + (k + 2) % 3;
    x[k] = from[0] * to[1 + k] - to[0] * from[1 + k] - (to[i] * from[j] - to[j] * from[i]);
    n += x[k] * x[k];
  }
  n = copysign(sqrt(n), w);
  for (int k = 0; k < 3; k++) rate[k] = n != 0 ? 2 * atan2(fabs(n), fabs(w)) / n * x[k] / dt : 0;
}

carom_status cli_motion_apply(cli_controls* c, carom_sim* sim, carom_error* error) {
  if (c->num_rows == 0) return CAROM_OK;
  double time = carom_sim_time(sim), dt = carom_sim_dt(sim);
  copy_poses(c, sim);
  read_at(c, time, carom_sim_controls(sim), c->poses);
  carom_status status = c->has_begun ? CAROM_OK : place(c, sim, error);
  c->has_begun = true;
  copy_poses(c, sim);
  read_at(c, time + dt, NULL, c->poses);
  const double* now = find_poses(c, sim);
  for (int i = 0; i < c->num_mocaps && status == CAROM_OK; i++) {
    const double *from = now + 7 * i, *to = c->poses + 7 * i;
    double velocity[3], rate[3];
    for (int k = 0; k < 3; k++) velocity[k] = (to[k] - from[k]) / dt;
    find_rate(from + 3, to + 3, dt, rate);
    status = carom_sim_set_motion(sim, c->body[i], velocity, rate, error);
  }
  return status;
}
