/* What `carom run --forces least` says of the last step: which constraints share a force that is
 * not determined. */
#include "run_forces.h"

#include "run_mechanism.h"

#include <stdio.h>
#include <stdlib.h>

/* Appends what shares a force, by its name or its number. */
static void append(json_t* list, int force, const char* kind, const char* name, int index) {
  char number[32];
  if (force == 0) return;
  snprintf(number, sizeof number, "%d", index);
  json_t* object = cli_json_group();
  cli_json_set(object, "force", cli_json_whole(force));
  cli_json_set(object, kind, cli_json_text(name && name[0] ? name : number));
  cli_json_append(list, object);
}

static void append_contacts(json_t* list, const carom_sim* sim) {
  int count;
  const carom_contact* contacts = carom_sim_contacts(sim, &count);
  for (int i = 0; i < count; i++) {
    if (contacts[i].shared_force == 0) continue;
    const int geom[2] = {contacts[i].geom1, contacts[i].geom2};
    json_t *object = cli_json_group(), *bodies = cli_json_list();
    for (int k = 0; k < 2; k++) {
      char name[64];
      int body = geom[k] < 0 ? 0 : carom_model_get_geom(carom_sim_model(sim), geom[k]).body;
      run_name_body(sim, body, sizeof name, name);
      cli_json_append(bodies, cli_json_text(name));
    }
    cli_json_set(object, "force", cli_json_whole(contacts[i].shared_force));
    cli_json_set(object, "contact", bodies);
    cli_json_set(object, "position", cli_json_numbers(contacts[i].position, 3));
    cli_json_append(list, object);
  }
}

static void append_joints(json_t* list, carom_sim* sim, int count) {
  const carom_model* model = carom_sim_model(sim);
  carom_error ignored;
  carom_joint_reaction* reactions = calloc((size_t)count + 1, sizeof *reactions);
  if (!reactions || carom_sim_compute_joint_reactions(sim, reactions, &ignored) != CAROM_OK)
    cli_json_lack_memory();
  for (int j = 0; j < count && reactions; j++) {
    const char* name = carom_model_get_joint(model, j).name;
    append(list, reactions[j].shared_limit, "limit", name, j);
    for (int k = 0; k < 6; k++) append(list, reactions[j].shared_friction[k], "friction", name, j);
  }
  free(reactions);
}

/* An equality once for each force that its rows share. */
static void append_equalities(json_t* list, carom_sim* sim, int count) {
  const carom_model* model = carom_sim_model(sim);
  carom_error ignored;
  carom_equality_reaction* reactions = calloc((size_t)count + 1, sizeof *reactions);
  if (!reactions || carom_sim_compute_equality_reactions(sim, reactions, &ignored) != CAROM_OK)
    cli_json_lack_memory();
  for (int e = 0; e < count && reactions; e++) {
    const int* shared = reactions[e].shared_force;
    for (int k = 0; k < 6; k++)
      if (k == 0 || shared[k] != shared[k - 1])
        append(list, shared[k], "equality", carom_model_get_equality(model, e).name, e);
  }
  free(reactions);
}

json_t* run_shared_list(carom_sim* sim) {
  json_t* list = cli_json_list();
  carom_model_sizes sizes = carom_model_get_sizes(carom_sim_model(sim));
  append_contacts(list, sim);
  append_joints(list, sim, sizes.num_joints);
  append_equalities(list, sim, sizes.num_equalities);
  return list;
}
