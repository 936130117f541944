/* Reading the state; saving and restoring it to the bit. */
#include "sim/state.h"

#include "base/error.h"
#include "base/hash.h"
#include "sim/driven.h"
#include "sim/sleep.h"
#include "sim/soft/soft_attachments.h"
#include "sim/step/energy_watch.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* --- Access -------------------------------------------------------------------------------------
 */

carom_sim_def carom_sim_get_options(const carom_sim* sim) {
  carom_sim_def def = sim->def;
  def.dt = sim->dt;
  return def;
}

const carom_model* carom_sim_model(const carom_sim* sim) { return sim->model; }
double carom_sim_time(const carom_sim* sim) { return sim->time; }
double carom_sim_dt(const carom_sim* sim) { return sim->dt; }
const double* carom_sim_coordinates(const carom_sim* sim) { return sim->q; }
const double* carom_sim_velocities(const carom_sim* sim) { return sim->v; }
double* carom_sim_controls(carom_sim* sim) { return sim->ctrl; }
double* carom_sim_activations(carom_sim* sim) { return sim->act; }

const carom_contact* carom_sim_contacts(const carom_sim* sim, int* count) {
  *count = sim->num_contacts;
  return sim->contacts;
}

bool cr_sim_reserve_records(carom_sim* sim) {
  return cr_contact_memory_start(&sim->next, &sim->allocator, sim->memory.count, sim->memory.dt);
}

/* --- Saving -------------------------------------------------------------------------------------
 */

#define STATE_MAGIC \
  UINT64_C(0x6361726f6d737465) /* "caromste": accelerations of what rolls, slips of three steps */

typedef struct state_header {
  uint64_t magic, size, hash; /* hash of everything that follows it */
  int32_t num_q, num_v, num_ctrl, num_bodies, num_records, num_act;
  int32_t num_trees, num_sleeping_contacts;
  uint64_t rules; /* that what sleeps depends on */
  double time, dt, contact_energy, memory_dt;
  cr_energy_watch_sums watch;
} state_header;

/* The parts that follow the header, in order. */
typedef struct state_part {
  void* data;
  size_t size;
} state_part;

#define STATE_PARTS 19

static void list_parts(const carom_sim* sim, state_part parts[STATE_PARTS]) {
  const carom_model* m = sim->model;
  size_t nq = (size_t)m->num_q, nv = (size_t)m->num_v;
  parts[0] = (state_part){sim->q, sizeof(double) * nq};
  parts[1] = (state_part){sim->v, sizeof(double) * nv};
  parts[2] = (state_part){sim->a_free, sizeof(double) * nv};
  parts[3] = (state_part){sim->a_before, sizeof(double) * nv};
  parts[4] = (state_part){sim->a_loaded, sizeof(double) * nv};
  parts[5] = (state_part){sim->ctrl, sizeof(double) * (size_t)m->force.num_controls};
  parts[6] = (state_part){sim->act, sizeof(double) * (size_t)m->force.num_activations};
  parts[7] = (state_part){sim->wrench, sizeof(cr_sim_wrench) * (size_t)m->body.num_bodies};
  parts[8] = (state_part){sim->node_force, sizeof(double) * 3 * (size_t)m->soft.num_nodes};
  size_t num_trees = (size_t)m->tree.num_trees;
  parts[9] = (state_part){sim->sleep.island, sizeof(int) * num_trees};
  parts[10] = (state_part){sim->sleep.still, sizeof(int) * num_trees};
  parts[11] = (state_part){sim->sleep.energy, sizeof(double) * num_trees};
  parts[12] = (state_part){sim->sleep.ctrl, sizeof(double) * (size_t)m->force.num_controls};
  parts[13] = (state_part){sim->driven, sizeof(sv) * (size_t)m->tree.num_mocaps};
  parts[14] = (state_part){sim->constraint_force, sizeof(double) * nv};
  parts[15] = (state_part){sim->a_rolled, 2 * sizeof(double) * nv};
  /* The last three are what check_header finds from the end. */
  parts[16] = (state_part){sim->order, cr_sim_order_size(sim)};
  parts[17] =
      (state_part){sim->sleep.contacts, sizeof(carom_contact) * (size_t)sim->sleep.num_contacts};
  parts[18] =
      (state_part){sim->memory.records, sizeof(cr_contact_record) * (size_t)sim->memory.count};
}

/* Of a whole saved state. */
static uint64_t hash_state(const void* buffer, size_t size) {
  size_t start = offsetof(state_header, num_q);
  return cr_hash_bytes(CR_HASH_SEED, (const char*)buffer + start, size - start);
}

size_t carom_sim_state_size(const carom_sim* sim) {
  state_part parts[STATE_PARTS];
  size_t size = sizeof(state_header);
  list_parts(sim, parts);
  for (int i = 0; i < STATE_PARTS; i++) size += parts[i].size;
  return size;
}

/* Of gravity and options: what sleeps under some may move under others. 0: nothing sleeps. */
static uint64_t hash_rules(const carom_sim* sim) {
  if (sim->sleep.count == 0) return 0;
  const carom_sim_def* def = &sim->def;
  const double* gravity = sim->model->force.gravity;
  const double numbers[] = {gravity[0],    gravity[1],    gravity[2],       sim->theta.q,
                            sim->theta.v,  sim->theta.vq, def->sigma,       def->beta,
                            def->friction, def->contact,  def->sleep_share, def->tolerance};
  uint64_t hash = CR_HASH_SEED;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    uint64_t bits;
    memcpy(&bits, &numbers[i], sizeof bits);
    hash = cr_hash_u64(hash, bits);
  }
  return hash;
}

static state_header make_header(const carom_sim* sim) {
  const carom_model* m = sim->model;
  return (state_header){.magic = STATE_MAGIC,
                        .size = carom_sim_state_size(sim),
                        .num_q = m->num_q,
                        .num_v = m->num_v,
                        .num_ctrl = m->force.num_controls,
                        .num_act = m->force.num_activations,
                        .num_bodies = m->body.num_bodies,
                        .num_records = sim->memory.count,
                        .num_trees = m->tree.num_trees,
                        .num_sleeping_contacts = sim->sleep.num_contacts,
                        .rules = hash_rules(sim),
                        .time = sim->time,
                        .dt = sim->dt,
                        .contact_energy = sim->contact_energy,
                        .memory_dt = sim->memory.dt,
                        .watch = sim->energy_watch.sums};
}

void cr_sim_put_away(const carom_sim* sim, void* buffer) {
  state_part parts[STATE_PARTS];
  state_header header = make_header(sim);
  char* at = (char*)buffer + sizeof header;
  memcpy(buffer, &header, sizeof header);
  list_parts(sim, parts);
  for (int i = 0; i < STATE_PARTS; i++) {
    if (parts[i].size) memcpy(at, parts[i].data, parts[i].size);
    at += parts[i].size;
  }
}

void carom_sim_save(const carom_sim* sim, void* buffer) {
  state_header header;
  cr_sim_put_away(sim, buffer);
  memcpy(&header, buffer, sizeof header);
  header.hash = hash_state(buffer, header.size);
  memcpy(buffer, &header, sizeof header);
}

/* Records must name links of this model. */
static carom_status check_records(const carom_sim* sim, const char* bytes, int count,
                                  carom_error* error) {
  for (int i = 0; i < count; i++) {
    cr_contact_record record;
    memcpy(&record, bytes + sizeof record * (size_t)i, sizeof record);
    if (record.link < 0 || record.link >= sim->model->tree.num_links)
      return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "state: saved from another model");
  }
  return CAROM_OK;
}

/* Contacts must name geometries of this model. */
static carom_status check_contacts(const carom_sim* sim, const char* bytes, int count,
                                   carom_error* error) {
  int num_geoms = sim->model->geom.num_geoms;
  for (int i = 0; i < count; i++) {
    carom_contact contact;
    memcpy(&contact, bytes + sizeof contact * (size_t)i, sizeof contact);
    if (contact.geom1 < 0 || contact.geom1 >= num_geoms || contact.geom2 < 0 ||
        contact.geom2 >= num_geoms)
      return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "state: saved from another model");
  }
  return CAROM_OK;
}

/* Orders must be of this model's blocks. */
static carom_status check_order(const carom_sim* sim, const char* bytes, carom_error* error) {
  int count = (int)(cr_sim_order_size(sim) / sizeof(cr_order_record));
  for (int i = 0; i < count; i++) {
    cr_order_record record;
    memcpy(&record, bytes + sizeof record * (size_t)i, sizeof record);
    if (!cr_order_is_valid(&record, count))
      return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "state: saved from another model");
  }
  return CAROM_OK;
}

static carom_status check_header(const carom_sim* sim, const void* buffer, size_t size,
                                 state_header* header, carom_error* error) {
  state_header mine = make_header(sim);
  if (size < sizeof *header)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "state: %zu bytes are too few", size);
  memcpy(header, buffer, sizeof *header);
  if (header->magic != STATE_MAGIC || header->size != size)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "state: this is not a saved state of %zu bytes", size);
  if (header->hash != hash_state(buffer, size))
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "state: the buffer is damaged");
  if (header->num_q != mine.num_q || header->num_v != mine.num_v ||
      header->num_ctrl != mine.num_ctrl || header->num_act != mine.num_act ||
      header->num_bodies != mine.num_bodies || header->num_trees != mine.num_trees)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "state: saved from another model");
  size_t records = sizeof(cr_contact_record) * (size_t)(uint32_t)header->num_records;
  size_t contacts = sizeof(carom_contact) * (size_t)(uint32_t)header->num_sleeping_contacts;
  size_t others = mine.size - sizeof(cr_contact_record) * (size_t)sim->memory.count -
                  sizeof(carom_contact) * (size_t)sim->sleep.num_contacts;
  if (header->num_records < 0 || header->num_sleeping_contacts < 0 ||
      size != others + contacts + records)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "state: the buffer is damaged");
  const char* end = (const char*)buffer + size;
  CR_TRY(check_order(sim, end - records - contacts - cr_sim_order_size(sim), error));
  CR_TRY(check_contacts(sim, end - records - contacts, header->num_sleeping_contacts, error));
  return check_records(sim, end - records, header->num_records, error);
}

carom_status cr_sim_take_up(carom_sim* sim, const void* buffer, carom_error* error) {
  state_header header;
  state_part parts[STATE_PARTS];
  memcpy(&header, buffer, sizeof header);
  if (!cr_sleep_reserve_contacts(sim, header.num_sleeping_contacts) ||
      !cr_contact_memory_start(&sim->memory, &sim->allocator, header.num_records, header.memory_dt))
    return cr_error_memory(error);
  sim->sleep.num_contacts = header.num_sleeping_contacts;
  sim->memory.count = header.num_records;
  const char* at = (const char*)buffer + sizeof header;
  list_parts(sim, parts);
  for (int i = 0; i < STATE_PARTS; i++) {
    if (parts[i].size) memcpy(parts[i].data, at, parts[i].size);
    at += parts[i].size;
  }
  cr_sleep_count(sim);
  if (header.rules != hash_rules(sim)) cr_sleep_wake_all(sim);
  sim->time = header.time;
  sim->dt = header.dt;
  sim->contact_energy = header.contact_energy;
  cr_energy_watch_lose(sim);
  sim->energy_watch.sums = header.watch;
  sim->num_contacts = sim->num_adhesion = 0;
  cr_soft_attachments_clear(sim);
  sim->has_last = false;
  cr_driven_count(sim);
  sim->num_wrenches = 0;
  for (int b = 1; b < sim->model->body.num_bodies; b++)
    sim->num_wrenches += v3_norm2(sim->wrench[b].force) + v3_norm2(sim->wrench[b].torque) > 0;
  return cr_error_clear(error);
}

carom_status carom_sim_restore(carom_sim* sim, const void* buffer, size_t size,
                               carom_error* error) {
  state_header header = {0};
  CR_TRY(check_header(sim, buffer, size, &header, error));
  return cr_sim_take_up(sim, buffer, error);
}

carom_status carom_sim_copy(const carom_sim* sim, carom_sim** copy, carom_error* error) {
  *copy = NULL;
  CR_TRY(carom_sim_create(sim->model, &sim->def, copy, error));
  size_t size = carom_sim_state_size(sim);
  void* buffer = cr_alloc(&sim->allocator, size);
  carom_status status = buffer ? CAROM_OK : cr_error_memory(error);
  if (buffer) {
    carom_sim_save(sim, buffer);
    status = carom_sim_restore(*copy, buffer, size, error);
    cr_release(&sim->allocator, buffer, size);
  }
  if (status == CAROM_OK) return status;
  carom_sim_destroy(*copy);
  *copy = NULL;
  return status;
}
