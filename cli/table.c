/* The CSV table of a run: time, coordinates, velocities, energies, figures of the last step. */
#include "table.h"

#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cli_table {
  const char* path;
  FILE* file;
  double rate, start;
  int num_rows;
  bool has_news; /* the state is newer than the last row */
  double dissipated;
  carom_step_report report;
};

/* --- Header -------------------------------------------------------------------------------------
 */

/* What the columns of a joint are called: its name, its body's, or its number. */
static void name_joint(const carom_model* model, int joint, char* name, size_t size) {
  carom_joint_info info = carom_model_get_joint(model, joint);
  const char* body = carom_model_get_body(model, info.body).name;
  bool only = true;
  for (int j = 0; j < carom_model_get_sizes(model).num_joints; j++)
    only = only && (j == joint || carom_model_get_joint(model, j).body != info.body);
  if (info.name[0])
    snprintf(name, size, "%s", info.name);
  else if (body[0] && only)
    snprintf(name, size, "%s", body);
  else
    snprintf(name, size, "joint%d", joint);
}

/* A column "name.part"; names with commas or quotes stand in quotes. */
static void write_column(FILE* file, const char* name, const char* part) {
  if (!strpbrk(name, ",\"\n")) {
    fprintf(file, ",%s.%s", name, part);
    return;
  }
  fputs(",\"", file);
  for (; *name; name++) fprintf(file, *name == '"' ? "\"\"" : "%c", *name);
  fprintf(file, ".%s\"", part);
}

static void write_columns(FILE* file, const carom_model* model, bool velocities) {
  /* Parts of free, ball, slide and hinge joints. */
  static const char* const Q[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  static const char* const V[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  for (int j = 0; j < carom_model_get_sizes(model).num_joints; j++) {
    char name[256];
    name_joint(model, j, name, sizeof name);
    carom_joint_type type = carom_model_get_joint(model, j).type;
    int last = velocities ? 6 : 7, first = type == CAROM_JOINT_FREE ? 0 : 3;
    if (type == CAROM_JOINT_SLIDE || type == CAROM_JOINT_HINGE)
      write_column(file, name, velocities ? "v" : "q");
    else
      for (int k = first; k < last; k++) write_column(file, name, (velocities ? V : Q)[k]);
  }
}

static void write_header(FILE* file, const carom_model* model) {
  fputs("time", file);
  write_columns(file, model, false);
  write_columns(file, model, true);
  fputs(",kinetic,potential,elastic,dissipated,contacts,iterations,residual\n", file);
}

/* --- Rows ---------------------------------------------------------------------------------------
 */

static void write_numbers(FILE* file, const double* values, int count) {
  for (int i = 0; i < count; i++) fprintf(file, ",%.17g", values[i]);
}

static void write_row(cli_table* table, carom_sim* sim) {
  carom_model_sizes sizes = carom_model_get_sizes(carom_sim_model(sim));
  carom_energy energy = carom_sim_compute_energy(sim);
  fprintf(table->file, "%.17g", carom_sim_time(sim));
  write_numbers(table->file, carom_sim_coordinates(sim), sizes.num_q);
  write_numbers(table->file, carom_sim_velocities(sim), sizes.num_v);
  double energies[] = {energy.kinetic, energy.potential, energy.elastic, table->dissipated};
  write_numbers(table->file, energies, 4);
  fprintf(table->file, ",%d,%d,%.17g\n", table->report.contacts, table->report.iterations,
          table->report.residual);
  table->num_rows++;
  table->has_news = false;
}

carom_status cli_table_create(const char* path, carom_sim* sim, double rate, cli_table** table,
                              carom_error* error) {
  cli_table* made = calloc(1, sizeof *made);
  if (!made) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  made->path = path;
  made->rate = rate;
  made->start = carom_sim_time(sim);
  made->file = fopen(path, "w");
  if (!made->file) {
    free(made);
    return cli_error(error, CAROM_ERROR_FILE, "%s: cannot be created: %s", path, strerror(errno));
  }
  write_header(made->file, carom_sim_model(sim));
  write_row(made, sim);
  *table = made;
  return CAROM_OK;
}

void cli_table_append(cli_table* table, carom_sim* sim, const carom_step_report* report) {
  table->report = *report;
  table->dissipated += report->dissipated;
  table->has_news = true;
  double frames = (carom_sim_time(sim) - table->start) * table->rate;
  if (table->rate == 0 || frames > table->num_rows - 1e-6) write_row(table, sim);
}

carom_status cli_table_close(cli_table* table, carom_sim* sim, carom_error* error) {
  if (!table) return CAROM_OK;
  if (table->has_news) write_row(table, sim);
  bool failed = ferror(table->file) != 0;
  failed = fclose(table->file) != 0 || failed;
  carom_status status = CAROM_OK;
  if (failed)
    status = cli_error(error, CAROM_ERROR_FILE, "%s: cannot be written: %s", table->path,
                       strerror(errno));
  free(table);
  return status;
}
