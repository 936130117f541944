/* What the numbers of a keyframe stand for: joints, actuators and mocap bodies in the order of the
 * file, also of a model that is attached, where some of them stay behind and the others stand among
 * those of the model around. */
#ifndef CR_IMPORT_MJCF_LAYOUT_H
#define CR_IMPORT_MJCF_LAYOUT_H

#include "import/mjcf/reader.h"

/* A joint, actuator or mocap body that the keyframes of a document count. */
typedef struct cr_mjcf_slot {
  cr_part part;
  int num_q, num_v; /* of a joint; of an actuator its activations and its controls */
  int record;       /* of the builder; -1: it stays behind */
  int next, other;  /* 1 + the slot of the next copy of the element, and of another document; 0 */
  int last;         /* 1 + the slot of its last copy, of the first one */
} cr_mjcf_slot;

/* Lists what the keyframes of a document count, before parts of it are moved; nothing where it has
 * none. Elements that are read later fill the slots (cr_mjcf_fill_slot). */
carom_status cr_mjcf_list_slots(cr_mjcf* m, cr_xml_element* root);

/* Says that the builder has a part, made of an element. Of copies that a <replicate> around an
 * attachment makes, the first one counts. */
void cr_mjcf_fill_slot(cr_mjcf* m, const cr_xml_element* element, int record);

/* The builder's layout. */
typedef struct cr_mjcf_layout {
  int num_q, num_v, num_ctrl, num_act, num_mocaps;
  const double* q;                               /* [num_q] the reference configuration */
  const double *mocap_position, *mocap_rotation; /* [3, 4 num_mocaps] */
  const int *joint_q, *joint_v, *body_mocap;     /* where each record has its numbers */
  const int *actuator_act, *actuator_ctrl;
} cr_mjcf_layout;

/* In the reader's pool. */
carom_status cr_mjcf_make_layout(cr_mjcf* m, cr_mjcf_layout* layout);

#endif
