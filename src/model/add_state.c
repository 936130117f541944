/* Adding equality constraints and keyframes. */
#include "base/copy.h"
#include "model/kind.h"

#include <math.h>

/* Three numbers, or NaN in the first for "not given". */
static carom_status check_point(const cr_subject* subject, const char* field, const double* point) {
  return isnan(point[0]) ? CAROM_OK : cr_check_finite(subject, field, point, 3);
}

static carom_status check_bodies(const cr_addition* addition, const carom_equality_def* def) {
  const cr_subject* subject = &addition->subject;
  CR_TRY(cr_check_body(addition, "body1", def->body1, 0));
  CR_TRY(cr_check_body(addition, "body2", def->body2, 0));
  if (def->body1.id == def->body2.id)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "body1 and body2 are the same");
  CR_TRY(check_point(subject, "anchor2", def->anchor2));
  if (def->type == CAROM_EQUALITY_DISTANCE && !isnan(def->distance)) {
    CR_TRY(cr_check_finite(subject, "distance", &def->distance, 1));
    CR_TRY(cr_check_positive(subject, "distance", def->distance));
  }
  if (def->type == CAROM_EQUALITY_CONNECT || def->type == CAROM_EQUALITY_DISTANCE)
    return cr_check_finite(subject, "anchor1", def->anchor1, 3);
  CR_TRY(check_point(subject, "relative_position", def->relative_position));
  return cr_check_quaternion(subject, "relative_quaternion", def->relative_quaternion);
}

carom_status cr_equality_check(const cr_addition* addition, void* definition) {
  const carom_equality_def* def = definition;
  const cr_subject* subject = &addition->subject;
  CR_TRY(cr_check_choice(subject, "type", (int)def->type, CAROM_EQUALITY_CONNECT,
                         CAROM_EQUALITY_DISTANCE));
  if (def->type == CAROM_EQUALITY_JOINT) {
    CR_TRY(cr_check_scalar_joint(addition, "joint1", def->joint1, 1));
    CR_TRY(cr_check_scalar_joint(addition, "joint2", def->joint2, 0));
    if (def->joint1.id == def->joint2.id)
      return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "joint1 and joint2 are the same");
    CR_TRY(cr_check_finite(subject, "polynomial", def->polynomial, 5));
  } else if (def->type == CAROM_EQUALITY_TENDON) {
    CR_TRY(cr_check_tendon(addition, "tendon1", def->tendon1, 1));
    CR_TRY(cr_check_tendon(addition, "tendon2", def->tendon2, 0));
    if (def->tendon1.id == def->tendon2.id)
      return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "tendon1 and tendon2 are the same");
    CR_TRY(cr_check_finite(subject, "polynomial", def->polynomial, 5));
  } else {
    CR_TRY(check_bodies(addition, def));
  }
  return cr_check_compliance(subject, "stiffness", def->stiffness, false, "dissipation",
                             def->dissipation);
}

carom_status carom_builder_add_equality(carom_builder* builder, const carom_equality_def* def,
                                        carom_equality* equality, carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("equality", builder, error);
  cr_addition addition = {
      builder,
      &builder->equalities,
      CR_PART_EQUALITY,
      {"equality", def->name, def->source, builder->equalities.count + 1, error}};
  CR_TRY(CR_ADDITION_BEGIN(&addition, def, equality));
  cr_equality_record record = {.def = *def};
  record.def.name = NULL;
  record.def.source = (carom_source){0};
  CR_TRY(cr_equality_check(&addition, &record.def));
  int index;
  CR_TRY(cr_addition_finish(&addition, &record, &record.label, &index));
  if (equality) equality->id = index + 1;
  return CAROM_OK;
}

/* An array of a keyframe: null, or `count` finite numbers. */
static carom_status check_numbers(const cr_subject* subject, const char* field,
                                  const double* numbers, int count) {
  if (!numbers) return CAROM_OK;
  if (count < 0)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "num_%s is %d, must not be negative",
                           field, count);
  return cr_check_finite(subject, field, numbers, count);
}

/* Copies an array to the builder's numbers; its place there, or -1 where it is null. The caller has
 * made room. */
static int store_numbers(carom_builder* builder, const double* numbers, int count) {
  if (!numbers) return -1;
  int place = builder->numbers.count;
  if (count > 0) CR_COPY(CR_AT(&builder->numbers, double, place), numbers, count);
  builder->numbers.count += count;
  return place;
}

carom_status carom_builder_add_keyframe(carom_builder* builder, const carom_keyframe_def* def,
                                        carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("keyframe", builder, error);
  cr_addition addition = {
      builder,
      &builder->keyframes,
      CR_PART_KEYFRAME,
      {"keyframe", def->name, def->source, builder->keyframes.count + 1, error}};
  const cr_subject* subject = &addition.subject;
  CR_TRY(CR_ADDITION_BEGIN(&addition, def, keyframe));
  CR_TRY(cr_check_finite(subject, "time", &def->time, 1));
  CR_TRY(check_numbers(subject, "q", def->q, def->num_q));
  CR_TRY(check_numbers(subject, "v", def->v, def->num_v));
  CR_TRY(check_numbers(subject, "ctrl", def->ctrl, def->num_ctrl));
  CR_TRY(check_numbers(subject, "act", def->act, def->num_act));
  CR_TRY(check_numbers(subject, "mocap_position", def->mocap_position, def->num_mocap_position));
  CR_TRY(
      check_numbers(subject, "mocap_quaternion", def->mocap_quaternion, def->num_mocap_quaternion));

  /* Room for the arrays, one after another: each count alone fits an int. */
  const double* arrays[] = {
      def->q, def->v, def->ctrl, def->act, def->mocap_position, def->mocap_quaternion};
  int counts[] = {def->num_q,
                  def->num_v,
                  def->num_ctrl,
                  def->num_act,
                  def->num_mocap_position,
                  def->num_mocap_quaternion};
  int places[6];
  int before = builder->numbers.count;
  for (int i = 0; i < 6; i++) {
    if (arrays[i] && !cr_list_reserve(&builder->numbers, &builder->def.allocator, counts[i])) {
      builder->numbers.count = before;
      return cr_error_memory(error);
    }
    places[i] = store_numbers(builder, arrays[i], counts[i]);
  }
  cr_keyframe_record record = {.def = *def,
                               .q = places[0],
                               .v = places[1],
                               .ctrl = places[2],
                               .act = places[3],
                               .mocap_position = places[4],
                               .mocap_quaternion = places[5]};
  record.def.name = NULL;
  record.def.source = (carom_source){0};
  record.def.q = record.def.v = record.def.ctrl = record.def.act = NULL;
  record.def.mocap_position = record.def.mocap_quaternion = NULL;
  int index;
  carom_status status = cr_addition_finish(&addition, &record, &record.label, &index);
  if (status != CAROM_OK) builder->numbers.count = before;
  return status;
}
