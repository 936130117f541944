/* Points of many triangles gathered by their normals. Where a group has more than fit it keeps the
 * deepest and those that reach farthest to seven sides, so that its memory does not grow with the
 * number of triangles. A point that lies higher counts as less far, by so much that what is hardly
 * in reach never takes the place of what touches. */
#include "geom/patches.h"

#include "geom/contact.h"

/* Two normals nearer than this (squared) are one: files of single precision have level ground whose
 * triangles differ by as much. */
#define SAME_NORMAL 1e-9

static cr_gather_group make_group(v3 normal) {
  cr_gather_group group = {.normal = normal};
  v3 u, v;
  v3_tangents(normal, &u, &v);
  for (int k = 0; k < CR_GATHER_SIDES; k++) {
    double angle = 0.3 + k * (6.283185307179586 / CR_GATHER_SIDES);
    group.side[k] = v3_axpy(v3_scale(cos(angle), u), sin(angle), v);
    group.most[k] = -INFINITY;
  }
  group.point[CR_GATHER_SIDES].distance = INFINITY;
  return group;
}

/* The group of a normal: an old one, a new one, or in place of the shallowest where that is less
 * deep; null where there is no room. */
static cr_gather_group* find_group(cr_gather* gather, v3 normal, double distance) {
  for (int g = 0; g < gather->count; g++)
    if (v3_norm2(v3_sub(gather->group[g].normal, normal)) < SAME_NORMAL) return &gather->group[g];
  int at = gather->count;
  if (at == CR_PATCHES_MAX) {
    at = 0;
    for (int g = 1; g < gather->count; g++)
      if (gather->group[g].point[CR_GATHER_SIDES].distance >
          gather->group[at].point[CR_GATHER_SIDES].distance)
        at = g;
    if (gather->group[at].point[CR_GATHER_SIDES].distance <= distance) return NULL;
  } else {
    gather->count++;
  }
  gather->group[at] = make_group(normal);
  return &gather->group[at];
}

/* Keeps a point that is not there yet, while there is room. */
static void keep_first(cr_gather_group* group, double near, const cr_manifold_point* point) {
  for (int i = 0; i < group->count && i < CR_MANIFOLD_MAX; i++)
    if (v3_norm2(v3_sub(group->first[i].a, point->a)) <= near * near) return;
  if (group->count < CR_MANIFOLD_MAX) group->first[group->count] = *point;
  if (group->count <= CR_MANIFOLD_MAX) group->count++;
}

void cr_gather_add(cr_gather* gather, v3 normal, const cr_manifold_point* point) {
  cr_gather_group* group = find_group(gather, normal, point->distance);
  if (!group) return;
  keep_first(group, gather->near, point);
  cr_manifold_point* deepest = &group->point[CR_GATHER_SIDES];
  if (point->distance < deepest->distance) *deepest = *point;
  for (int k = 0; k < CR_GATHER_SIDES; k++) {
    double reach = v3_dot(group->side[k], point->a) - point->distance / CR_PATCH_SINE;
    if (!(reach > group->most[k] + gather->near)) continue;
    group->most[k] = reach;
    group->point[k] = *point;
  }
}

/* Enters a point unless it is there already. */
static void enter(const cr_manifold_point* point, double near, cr_manifold* patch) {
  for (int i = 0; i < patch->count; i++)
    if (v3_norm2(v3_sub(patch->points[i].a, point->a)) <= near * near) return;
  patch->points[patch->count++] = *point;
}

static bool has_feature(const cr_patches* patches, uint32_t feature) {
  for (int g = 0; g < patches->count; g++)
    for (int i = 0; i < patches->patch[g].count; i++)
      if (patches->patch[g].points[i].feature == feature) return true;
  return false;
}

/* Features of earlier points of the same patch count too. */
static void rename_doubles(const cr_patches* patches, cr_manifold* patch) {
  for (int i = 0; i < patch->count; i++) {
    for (int k = 0; k < i;) {
      bool is_taken = patch->points[k].feature == patch->points[i].feature;
      patch->points[i].feature += is_taken;
      k = is_taken ? 0 : k + 1;
    }
    while (has_feature(patches, patch->points[i].feature)) patch->points[i].feature++;
  }
}

/* Of more points than there is room for the farthest to each side, and the deepest. */
static void enter_farthest(const cr_gather_group* group, double near, cr_manifold* patch) {
  double least = INFINITY;
  for (int k = 0; k < CR_GATHER_SIDES; k++) {
    enter(&group->point[k], near, patch);
    least = cr_min(least, group->point[k].distance);
  }
  const cr_manifold_point* deepest = &group->point[CR_GATHER_SIDES];
  if (deepest->distance < least - near) enter(deepest, near, patch);
}

void cr_gather_finish(const cr_gather* gather, cr_patches* patches) {
  patches->count = 0;
  for (int g = 0; g < gather->count; g++) {
    const cr_gather_group* group = &gather->group[g];
    cr_manifold* patch = &patches->patch[patches->count];
    patch->normal = group->normal;
    patch->count = 0;
    if (group->count > CR_MANIFOLD_MAX) enter_farthest(group, gather->near, patch);
    for (int i = 0; i < group->count && group->count <= CR_MANIFOLD_MAX; i++)
      patch->points[patch->count++] = group->first[i];
    rename_doubles(patches, patch);
    patches->count++;
  }
}
