/* A floor for files that have none: at z = 0, or below what moves where that reaches lower at the
 * reference configuration, so that nothing starts within it and is thrown out. */
#include "base/error.h"
#include "import/document.h"
#include "import/stand.h"

#include <math.h>
#include <stdio.h>

static bool collides(const carom_geom_def* def) {
  return def->contype != 0 || def->conaffinity != 0;
}

static double find_height(const carom_builder* builder, cr_stand* stands) {
  double height = 0;
  cr_stand_all(builder, stands);
  for (int g = 0; g < builder->geoms.count; g++) {
    const carom_geom_def* def = &CR_AT(&builder->geoms, cr_geom_record, g)->def;
    cr_shape shape;
    pose X;
    if (!collides(def) || stands[def->body.id].link == 0) continue;
    if (!cr_stand_shape(builder, def, stands, &shape, &X)) continue;
    v3 down = m3_tmulv(&X.R, v3_make(0, 0, -1));
    height = fmin(height, pose_point(&X, cr_shape_compute_support(&shape, down)).z);
  }
  return height;
}

carom_status cr_add_floor(carom_builder* builder, uint32_t bits, carom_error* error) {
  size_t bytes = (size_t)builder->bodies.count * sizeof(cr_stand);
  cr_stand* stands = cr_alloc(&builder->def.allocator, bytes);
  if (!stands) return cr_error_memory(error);
  carom_geom_def def = carom_geom_def_default();
  def.type = CAROM_GEOM_PLANE;
  def.contype = def.conaffinity = bits;
  def.position[2] = find_height(builder, stands);
  cr_release(&builder->def.allocator, stands, bytes);
  bool is_free = cr_name_find(&builder->names, &builder->text, CR_PART_GEOM, "floor") < 0;
  def.name = is_free ? "floor" : NULL;
  CR_TRY(carom_builder_add_geom(builder, &def, NULL, error));
  char note[100];
  bool is_lower = def.position[2] < 0;
  snprintf(note, sizeof note, "a floor at z = %.6g is added%s", is_lower ? def.position[2] : 0.0,
           is_lower ? ", below what would start in it" : "");
  return carom_builder_add_note(builder, CAROM_NOTE_MAPPED, note, error);
}
