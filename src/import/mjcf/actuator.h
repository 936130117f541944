/* What the two halves of <actuator> share: laws by their types in the file. */
#ifndef CR_IMPORT_MJCF_ACTUATOR_H
#define CR_IMPORT_MJCF_ACTUATOR_H

#include "import/mjcf/class.h"

enum {
  CR_MJCF_DYN_NONE,
  CR_MJCF_DYN_INTEGRATOR,
  CR_MJCF_DYN_FILTER,
  CR_MJCF_DYN_FILTEREXACT,
  CR_MJCF_DYN_MUSCLE,
  CR_MJCF_DYN_PID,
  CR_MJCF_DYN_DCMOTOR,
  CR_MJCF_DYN_USER,
};
enum {
  CR_MJCF_GAIN_FIXED,
  CR_MJCF_GAIN_AFFINE,
  CR_MJCF_GAIN_MUSCLE,
  CR_MJCF_GAIN_PID,
  CR_MJCF_GAIN_DCMOTOR,
  CR_MJCF_GAIN_SO3,
  CR_MJCF_GAIN_USER,
};
enum {
  CR_MJCF_BIAS_NONE,
  CR_MJCF_BIAS_AFFINE,
  CR_MJCF_BIAS_MUSCLE,
  CR_MJCF_BIAS_DCMOTOR,
  CR_MJCF_BIAS_SO3,
  CR_MJCF_BIAS_USER,
};

/* Attributes of actuators with a controller, and what these short forms make of them. */
extern const cr_attribute cr_mjcf_actuator_table[]; /* of every kind */
extern const cr_attribute cr_mjcf_pid_table[], cr_mjcf_dcmotor_table[];
carom_status cr_mjcf_apply_pid(const cr_mjcf* m, const cr_xml_element* element,
                               cr_mjcf_actuator* actuator);
carom_status cr_mjcf_apply_dcmotor(const cr_mjcf* m, const cr_xml_element* element,
                                   cr_mjcf_actuator* actuator);

extern const char* const cr_mjcf_dyn_types[];

/* <plugin> as an actuator: only "mujoco.pid" is known. */
extern const cr_attribute cr_mjcf_plugin_table[];
carom_status cr_mjcf_apply_plugin(const cr_mjcf* m, const cr_xml_element* element,
                                  cr_mjcf_actuator* actuator);

/* Before an element is read: what it does not give. */
void cr_mjcf_forget_controller(cr_mjcf_actuator* actuator);

/* The set of controls that `input` names, and whether they go with the law. */
carom_status cr_mjcf_find_controls(const cr_mjcf* m, const cr_xml_element* element,
                                   const cr_mjcf_actuator* actuator, int* controls);

/* The definition's law, where it is a controller's or a motor's. */
carom_status cr_mjcf_set_controller(cr_mjcf* m, const cr_xml_element* element,
                                    const cr_mjcf_actuator* actuator, carom_actuator_def* def);

/* A servo's damping: that of kv, or a damping ratio, or what was there. */
carom_status cr_mjcf_find_servo_damping(const cr_mjcf* m, const cr_xml_element* element,
                                        const cr_mjcf_actuator* actuator, double* damping);

/* Whether actuators of an element of this name are read. */
bool cr_mjcf_is_supported_actuator(const char* name);

#endif
