/* Links that overlap at the reference configuration of a format that has no word for who collides:
 * a rigid contact would throw them apart, so that such pairs do not collide, which a note says. */
#include "base/error.h"
#include "geom/box_tree.h"
#include "geom/collide.h"
#include "import/document.h"
#include "import/stand.h"

#include <stdio.h>
#include <string.h>

/* m: what touches, or is off by as little as files round, does not overlap. */
#define LEAST_OVERLAP 1e-5

/* Of more than so many pieces none is looked at: each is held against each. */
#define MOST_PIECES 300

/* A convex piece of a link. */
typedef struct piece {
  cr_shape shape;
  pose X;
  cr_aabb box;
  int body, link, parent;
} piece;

static int gather(const carom_builder* builder, const cr_stand* stands, piece* pieces) {
  int count = 0;
  for (int g = 0; g < builder->geoms.count; g++) {
    const carom_geom_def* def = &CR_AT(&builder->geoms, cr_geom_record, g)->def;
    const cr_stand* stand = &stands[def->body.id];
    piece* p = &pieces[count];
    bool collides = def->contype != 0 || def->conaffinity != 0;
    if (!collides || !cr_stand_shape(builder, def, stands, &p->shape, &p->X)) continue;
    p->box = cr_shape_compute_aabb(&p->shape, &p->X);
    p->body = def->body.id, p->link = stand->link, p->parent = stand->parent;
    count++;
  }
  return count;
}

/* Whether two pieces would collide and do overlap; a link never collides with the one it hangs on,
 * but for the ground. */
static bool overlap(const piece* a, const piece* b) {
  cr_manifold m;
  if (a->link == b->link || (a->parent == b->link && b->link) || (b->parent == a->link && a->link))
    return false;
  if (!cr_aabb_meets(&a->box, &b->box, 0)) return false;
  int count = cr_geom_collide(&a->shape, &a->X, &b->shape, &b->X, 0, &m);
  for (int i = 0; i < count; i++)
    if (m.points[i].distance < -LEAST_OVERLAP) return true;
  return false;
}

static bool are_excluded(const carom_builder* builder, int a, int b) {
  for (int i = 0; i < builder->excludes.count; i++) {
    const cr_exclude_record* x = CR_AT(&builder->excludes, cr_exclude_record, i);
    if ((x->body1 == a && x->body2 == b) || (x->body1 == b && x->body2 == a)) return true;
  }
  return false;
}

static const char* name_of(const carom_builder* b, int body) {
  const cr_label* label = &CR_AT(&b->bodies, cr_body_record, body)->label;
  return body == 0 ? "the world" : cr_text_get(&b->text, label->name, "");
}

static carom_status exclude_all(carom_builder* builder, const piece* pieces, int count,
                                carom_error* error) {
  int found = 0;
  char note[320] = "";
  for (int i = 0; i < count; i++) {
    for (int k = i + 1; k < count; k++) {
      int a = pieces[i].body, b = pieces[k].body;
      if (!overlap(&pieces[i], &pieces[k]) || are_excluded(builder, a, b)) continue;
      CR_TRY(carom_builder_add_exclude(builder, (carom_body){a}, (carom_body){b}, error));
      if (found++ == 0)
        snprintf(
            note, sizeof note,
            "links that overlap at the reference configuration do not collide: %.80s and %.80s",
            name_of(builder, a), name_of(builder, b));
    }
  }
  if (found == 0) return CAROM_OK;
  if (found > 1) snprintf(note + strlen(note), 60, ", and %d more pairs", found - 1);
  return carom_builder_add_note(builder, CAROM_NOTE_MAPPED, note, error);
}

carom_status cr_exclude_overlaps(carom_builder* builder, carom_error* error) {
  const carom_allocator* allocator = &builder->def.allocator;
  if (builder->geoms.count > MOST_PIECES) return CAROM_OK;
  size_t stand_bytes = (size_t)builder->bodies.count * sizeof(cr_stand);
  size_t piece_bytes = ((size_t)builder->geoms.count + 1) * sizeof(piece);
  cr_stand* stands = cr_alloc(allocator, stand_bytes);
  piece* pieces = cr_alloc(allocator, piece_bytes);
  carom_status status = CAROM_OK;
  if (!stands || !pieces) {
    status = cr_error_memory(error);
  } else {
    cr_stand_all(builder, stands);
    status = exclude_all(builder, pieces, gather(builder, stands, pieces), error);
  }
  cr_release(allocator, stands, stand_bytes);
  cr_release(allocator, pieces, piece_bytes);
  return status;
}
