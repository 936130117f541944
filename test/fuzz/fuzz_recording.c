/* Reads damaged recordings: whatever a file says, the answer is what can be read of it, within its
 * bounds, or a sentence. The bytes say how a sound recording is damaged (damage_h5.h). */
#include "damage_h5.h"
#include "small_scene.h"

#include "carom/record.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static sound_h5 sound;
static char path[64];

static void record_scene(void) {
  carom_error error;
  carom_recorder* recorder;
  carom_model* model = fuzz_scene_model();
  carom_sim* sim = fuzz_scene_sim(model);
  carom_recorder_def def = carom_recorder_def_default();
  def.scene = "<mujoco/>", def.chunk = 2;
  damage_name_file("recording", path);
  if (carom_recorder_create(sim, path, &def, &recorder, &error) != CAROM_OK) abort();
  for (int i = 0; i < 4; i++) {
    carom_step_report report;
    if (carom_sim_step(sim, &report, &error) != CAROM_OK) abort();
    if (carom_recorder_append(recorder, &report, 0, &error) != CAROM_OK) abort();
  }
  if (carom_recorder_close(recorder, &error) != CAROM_OK) abort();
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  damage_begin(&sound, path);
}

static void read_parts(carom_recording* r, const carom_recording_info* info) {
  size_t sum = strlen(info->library) + strlen(info->model) + strlen(info->scene);
  for (int i = 0; info->has_parts && i < info->num_bodies; i++)
    sum += strlen(carom_recording_get_body(r, i).name);
  for (int i = 0; i < info->num_joints; i++) {
    sum += strlen(carom_recording_get_joint(r, i).name);
    if (carom_recording_get_reference(r, i) > 0) sum++;
  }
  for (int i = 0; i < info->num_geoms; i++)
    if (carom_recording_get_geom(r, i).mesh >= info->num_meshes) abort();
  for (int i = 0; i < info->num_meshes; i++) {
    carom_mesh_info mesh = carom_recording_get_mesh(r, i);
    for (int k = 0; k < 3 * mesh.num_triangles; k++)
      if (mesh.triangles[k] < 0 || mesh.triangles[k] >= mesh.num_vertices) abort();
  }
  for (int i = 0; i < info->num_softs; i++) {
    carom_soft_info soft = carom_recording_get_soft(r, i);
    if (soft.q_address < 0 || soft.q_address + 3 * soft.num_nodes > info->num_q) abort();
    for (int k = 0; k < soft.nodes_per_element * soft.num_elements; k++)
      if (soft.elements[k] < 0 || soft.elements[k] >= soft.num_nodes) abort();
    for (int k = 0; k < 3 * soft.num_triangles; k++)
      if (soft.triangles[k] < 0 || soft.triangles[k] >= soft.num_nodes) abort();
  }
  for (int i = 0; i < info->num_attachments; i++)
    sum += strlen(carom_recording_get_attachment(r, i).name);
  for (int i = 0; i < info->num_actuators; i++)
    sum += strlen(carom_recording_get_actuator(r, i).name);
  for (int i = 0; i < info->num_sensors; i++) sum += strlen(carom_recording_get_sensor(r, i).name);
  if (sum == SIZE_MAX) abort();
}

static void read_frame(carom_recording* r, const carom_recording_info* info, int index) {
  carom_error error;
  carom_frame frame;
  if (carom_recording_read(r, index, &frame, &error) != CAROM_OK) return;
  double* twists = malloc(sizeof *twists * (6 * (size_t)info->num_bodies + 1));
  if (!twists) abort();
  carom_recording_compute_velocities(r, &frame, twists, &error);
  free(twists);
  for (int i = 0; i < info->num_softs; i++) {
    carom_soft_info soft = carom_recording_get_soft(r, i);
    double* stress = malloc(sizeof *stress * ((size_t)soft.num_elements + 1));
    if (!stress) abort();
    carom_recording_compute_soft_stress(r, i, frame.q, stress, NULL, &error);
    free(stress);
  }
  for (int i = 0; i < frame.num_contacts; i++)
    if (frame.contacts[i].position[0] > 1e300) return;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  carom_error error = {0};
  carom_recording* recording = NULL;
  double most;
  if (!sound.bytes) record_scene();
  damage_write(&sound, (fuzz_bytes){data, size}, path);
  carom_status status = carom_recording_open(path, NULL, &recording, &error);
  if ((status == CAROM_OK) != (recording != NULL)) abort();
  if ((status == CAROM_OK) != (error.message[0] == '\0')) abort();
  if (recording) {
    carom_recording_info info = carom_recording_get_info(recording);
    read_parts(recording, &info);
    for (int i = 0; i < info.num_frames && i < 8; i++) read_frame(recording, &info, i);
    if (info.num_frames < 1000) carom_recording_compute_stress_range(recording, &most, &error);
  }
  carom_recording_close(recording);
  remove(path);
  return 0;
}
