/* The CSV table of a run: frames of a simulation, thinned out. */
#include "table.h"

#include "state.h"

#include "carom/table.h"

#include <stdlib.h>
#include <string.h>

struct cli_table {
  carom_table* rows;
  double rate, start;
  int num_rows;
  bool is_short; /* a row lacks what memory ran out for */
  bool has_news; /* the state is newer than the last row */
  double dissipated;
  double* readings;             /* of the sensors; null: there are none */
  double* reactions;            /* [6 num_attachments] likewise */
  double* passed;               /* [6 num_joints] what passes through joints; null: not wanted */
  carom_joint_reaction* joints; /* [num_joints] likewise */
  double* held;                 /* [6 num_equalities] what these do; null: not wanted */
  carom_equality_reaction* equalities; /* [num_equalities] likewise */
  carom_step_report report;
};

static void read_joints(cli_table* table, carom_sim* sim) {
  int count = carom_model_get_sizes(carom_sim_model(sim)).num_joints;
  if (carom_sim_compute_joint_reactions(sim, table->joints, NULL) != CAROM_OK)
    table->is_short = true;
  for (int j = 0; j < count; j++) {
    const carom_reaction* r = &table->joints[j].on_body;
    memcpy(table->passed + 6 * (size_t)j, r->force, sizeof r->force);
    memcpy(table->passed + 6 * (size_t)j + 3, r->moment, sizeof r->moment);
  }
}

static void read_equalities(cli_table* table, carom_sim* sim) {
  int count = carom_model_get_sizes(carom_sim_model(sim)).num_equalities;
  if (carom_sim_compute_equality_reactions(sim, table->equalities, NULL) != CAROM_OK)
    table->is_short = true;
  for (int i = 0; i < count; i++)
    carom_equality_reaction_store(&table->equalities[i], table->held + 6 * (size_t)i);
}

static void write_row(cli_table* table, carom_sim* sim) {
  /* Before sensors, which may try a step. */
  if (table->reactions) carom_sim_compute_reactions(sim, table->reactions);
  if (table->joints) read_joints(table, sim);
  if (table->equalities) read_equalities(table, sim);
  if (table->readings &&
      carom_sim_compute_sensors(sim, table->readings, NULL) == CAROM_ERROR_OUT_OF_MEMORY)
    table->is_short = true;
  carom_energy energy = cli_compute_energy(sim);
  double energies[] = {energy.kinetic, energy.potential, energy.elastic, table->dissipated};
  carom_frame frame = {.time = carom_sim_time(sim),
                       .q = carom_sim_coordinates(sim),
                       .v = carom_sim_velocities(sim),
                       .energy = energies,
                       .sensors = table->readings,
                       .reactions = table->reactions,
                       .joint_reactions = table->passed,
                       .equality_reactions = table->held,
                       .iterations = table->report.iterations,
                       .residual = table->report.residual,
                       .num_contacts = table->report.contacts};
  carom_table_append(table->rows, &frame);
  table->num_rows++;
  table->has_news = false;
}

static bool reserve_joints(cli_table* table, const carom_model* model) {
  size_t count = (size_t)carom_model_get_sizes(model).num_joints;
  if (count == 0) return true;
  table->passed = calloc(6 * count, sizeof *table->passed);
  table->joints = calloc(count, sizeof *table->joints);
  return table->passed && table->joints;
}

static bool reserve_equalities(cli_table* table, const carom_model* model) {
  size_t count = (size_t)carom_model_get_sizes(model).num_equalities;
  if (count == 0) return true;
  table->held = calloc(6 * count, sizeof *table->held);
  table->equalities = calloc(count, sizeof *table->equalities);
  return table->held && table->equalities;
}

static bool reserve(cli_table* table, const carom_model* model) {
  carom_model_sizes sizes = carom_model_get_sizes(model);
  size_t num_readings = (size_t)sizes.num_readings, parts = 6 * (size_t)sizes.num_attachments;
  if (num_readings) table->readings = calloc(num_readings, sizeof *table->readings);
  if (parts) table->reactions = calloc(parts, sizeof *table->reactions);
  return (!num_readings || table->readings) && (!parts || table->reactions);
}

static void release(cli_table* table) {
  free(table->readings);
  free(table->reactions);
  free(table->passed);
  free(table->joints);
  free(table->held);
  free(table->equalities);
  free(table);
}

carom_status cli_table_create(const char* path, carom_sim* sim, const cli_table_options* options,
                              cli_table** table, carom_error* error) {
  cli_table* made = calloc(1, sizeof *made);
  if (!made) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  const carom_model* model = carom_sim_model(sim);
  if (!reserve(made, model) || (options->joint_reactions && !(reserve_joints(made, model) &&
                                                              reserve_equalities(made, model)))) {
    release(made);
    return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  }
  made->rate = options->rate;
  made->start = carom_sim_time(sim);
  carom_table_def def = carom_table_def_default();
  def.model = model;
  if (options->joint_reactions)
    def.columns |= CAROM_TABLE_JOINT_REACTIONS | CAROM_TABLE_EQUALITY_REACTIONS;
  carom_status status = carom_table_create(path, &def, &made->rows, error);
  if (status != CAROM_OK) {
    release(made);
    return status;
  }
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
  carom_status status = carom_table_close(table->rows, NULL, error);
  if (status == CAROM_OK && table->is_short)
    status = cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  release(table);
  return status;
}
