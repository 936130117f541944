/* Contacts of a recorded frame, summed between two bodies. */
#include "record/recording.h"
#include "sim/sense/contact_sum.h"

static int find_body(const void* owner, int geom) {
  const carom_recording* r = owner;
  bool is_rigid = geom >= 0 && geom < r->info.num_geoms;
  return is_rigid ? carom_recording_get_geom(r, geom).body : -1;
}

carom_contact_sum carom_recording_sum_contacts(const carom_recording* recording,
                                               const carom_frame* frame, int body1, int body2) {
  const cr_contact_list list = {frame->contacts, frame->num_contacts, recording->info.dt, find_body,
                                recording};
  return cr_contact_list_sum(&list, body1, body2);
}
