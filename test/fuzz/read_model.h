/* What every fuzz target of a reader of models does with the model it gets. */
#ifndef CR_FUZZ_READ_MODEL_H
#define CR_FUZZ_READ_MODEL_H

#include "carom/sensor.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Reads everything that a model tells about itself. The sum, which cannot be SIZE_MAX, keeps the
 * compiler from leaving that out. */
static inline size_t fuzz_read_model(const carom_model* model) {
  carom_model_sizes sizes = carom_model_get_sizes(model);
  size_t sum = strlen(carom_model_get_name(model));
  for (int i = 0; i < sizes.num_bodies; i++) {
    const char* name = carom_model_get_body(model, i).name;
    if (name[0] && carom_model_find_body(model, name) != i) abort();
    sum += strlen(name);
  }
  for (int i = 0; i < sizes.num_joints; i++) {
    carom_joint_info joint = carom_model_get_joint(model, i);
    if (joint.name[0] && carom_model_find_joint(model, joint.name) != i) abort();
    if (joint.body <= 0 || joint.q_address < 0 || joint.q_address >= sizes.num_q) abort();
  }
  for (int i = 0; i < sizes.num_geoms; i++) {
    carom_geom_info geom = carom_model_get_geom(model, i);
    if (geom.name[0] && carom_model_find_geom(model, geom.name) != i) abort();
    if ((geom.type == CAROM_GEOM_MESH) != (geom.mesh >= 0) || geom.mesh >= sizes.num_meshes)
      abort();
  }
  for (int i = 0; i < sizes.num_meshes; i++) {
    carom_mesh_info mesh = carom_model_get_mesh(model, i);
    for (int k = 0; k < 3 * mesh.num_triangles; k++)
      if (mesh.triangles[k] < 0 || mesh.triangles[k] >= mesh.num_vertices) abort();
  }
  int controls = 0, activations = 0;
  for (int i = 0; i < sizes.num_actuators; i++) {
    carom_actuator_info actuator = carom_model_get_actuator(model, i);
    if (actuator.control != controls) abort();
    if (actuator.num_activations > 0 && actuator.activation != activations) abort();
    controls += actuator.num_controls, activations += actuator.num_activations;
  }
  if (controls != sizes.num_controls || activations != sizes.num_activations) abort();
  for (int i = 0; i < sizes.num_sites; i++) {
    carom_site_info site = carom_model_get_site(model, i);
    if (site.name[0] && carom_model_find_site(model, site.name) != i) abort();
  }
  for (int i = 0; i < sizes.num_sensors; i++) {
    carom_sensor_info sensor = carom_model_get_sensor(model, i);
    if (sensor.name[0] && carom_model_find_sensor(model, sensor.name) != i) abort();
    if (sensor.address < 0 || sensor.address + sensor.dim > sizes.num_readings) abort();
    sum += strlen(sensor.unit) + strlen(sensor.object);
  }
  for (int i = 0; i < sizes.num_keyframes; i++)
    sum += strlen(carom_model_get_keyframe_name(model, i));
  for (int i = 0; i < sizes.num_notes; i++) sum += strlen(carom_model_get_note(model, i));
  return sum;
}

#endif
