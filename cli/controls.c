/* Reading a table of controls. */
#include "controls.h"

#include "options.h"
#include "state.h"

#include <errno.h>
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

static carom_status read_name(reader* r, const carom_model* model, const char* name,
                              cli_controls* c) {
  int actuator = carom_model_find_actuator(model, name);
  if (actuator < 0)
    return cli_error(r->error, CAROM_ERROR_BAD_INPUT, "%s:%d: there is no actuator '%.60s'",
                     r->path, r->number, name);
  for (int i = 0; i < c->num_columns; i++)
    if (c->actuator[i] == actuator)
      return cli_error(r->error, CAROM_ERROR_BAD_INPUT, "%s:%d: '%.60s' has two columns", r->path,
                       r->number, name);
  c->actuator[c->num_columns++] = actuator;
  return CAROM_OK;
}

static carom_status read_header(reader* r, const carom_model* model, cli_controls* c) {
  if (!next_line(r)) return cli_error(r->error, CAROM_ERROR_BAD_INPUT, "%s: is empty", r->path);
  c->actuator = calloc((size_t)count_cells(r->line), sizeof(int));
  if (!c->actuator) return out_of_memory(r);
  char* rest = r->line;
  const char* first = next_cell(&rest);
  if (strcmp(first, "time") != 0)
    return cli_error(r->error, CAROM_ERROR_BAD_INPUT,
                     "%s:%d: the first column is '%.60s', must be time", r->path, r->number, first);
  while (rest) {
    carom_status status = read_name(r, model, next_cell(&rest), c);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
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

carom_status cli_controls_load(const char* path, const carom_model* model, cli_controls* controls,
                               carom_error* error) {
  reader r = {.path = path, .file = fopen(path, "r"), .error = error};
  *controls = (cli_controls){0};
  if (!r.file)
    return cli_error(error, CAROM_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
  carom_status status = read_table(&r, model, controls);
  if (status != CAROM_OK) cli_controls_free(controls);
  free(r.line);
  fclose(r.file);
  return status;
}

void cli_controls_free(cli_controls* c) {
  free(c->actuator), free(c->time), free(c->values);
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

void cli_controls_apply(const cli_controls* c, double time, double* ctrl) {
  if (c->num_rows == 0) return;
  int row = find_row(c, time), next = row + 1 < c->num_rows ? row + 1 : row;
  double span = c->time[next] - c->time[row];
  double share = span > 0 ? fmin(fmax((time - c->time[row]) / span, 0), 1) : 0;
  const double* a = c->values + (size_t)row * (size_t)c->num_columns;
  const double* b = c->values + (size_t)next * (size_t)c->num_columns;
  for (int i = 0; i < c->num_columns; i++)
    ctrl[c->actuator[i]] = share < 1 ? a[i] + share * (b[i] - a[i]) : b[i];
}
