/* Dispatch of the narrow phase over pairs of types.
 *
 * Each pair is worked out in one canonical order (by type, then by pose) and turned round for the
 * caller where needed, so that (B, A) mirrors (A, B) to the last bit. Nothing that has to be steady
 * from step to step may hang on that order within equal types, since noise can change it. */
#include "geom/collide.h"

#include "geom/contact.h"
#include "geom/patches.h"
#include "geom/point.h"

#define NUM_TYPES (CAROM_GEOM_HEIGHT_FIELD + 1)

static cr_collide_fn* const collide_table[NUM_TYPES][NUM_TYPES] = {
    [CAROM_GEOM_PLANE] =
        {
            [CAROM_GEOM_SPHERE] = cr_collide_plane_sphere,
            [CAROM_GEOM_CAPSULE] = cr_collide_plane_capsule,
            [CAROM_GEOM_CYLINDER] = cr_collide_plane_cylinder,
            [CAROM_GEOM_BOX] = cr_collide_plane_box,
            [CAROM_GEOM_ELLIPSOID] = cr_collide_plane_ellipsoid,
            [CAROM_GEOM_MESH] = cr_collide_plane_mesh,
        },
    [CAROM_GEOM_SPHERE] =
        {
            [CAROM_GEOM_CAPSULE] = cr_collide_sphere_other,
            [CAROM_GEOM_CYLINDER] = cr_collide_sphere_other,
            [CAROM_GEOM_BOX] = cr_collide_sphere_other,
            [CAROM_GEOM_ELLIPSOID] = cr_collide_sphere_other,
            [CAROM_GEOM_MESH] = cr_collide_support,
        },
    [CAROM_GEOM_CAPSULE] =
        {
            [CAROM_GEOM_CAPSULE] = cr_collide_capsule_capsule,
            [CAROM_GEOM_CYLINDER] = cr_collide_convex,
            [CAROM_GEOM_BOX] = cr_collide_convex,
            [CAROM_GEOM_ELLIPSOID] = cr_collide_support,
            [CAROM_GEOM_MESH] = cr_collide_support,
        },
    [CAROM_GEOM_CYLINDER] =
        {
            [CAROM_GEOM_CYLINDER] = cr_collide_convex,
            [CAROM_GEOM_BOX] = cr_collide_convex,
            [CAROM_GEOM_ELLIPSOID] = cr_collide_support,
            [CAROM_GEOM_MESH] = cr_collide_support,
        },
    [CAROM_GEOM_BOX] =
        {
            [CAROM_GEOM_BOX] = cr_collide_box_box,
            [CAROM_GEOM_ELLIPSOID] = cr_collide_support,
            [CAROM_GEOM_MESH] = cr_collide_support,
        },
    [CAROM_GEOM_ELLIPSOID] =
        {
            [CAROM_GEOM_ELLIPSOID] = cr_collide_support,
            [CAROM_GEOM_MESH] = cr_collide_support,
        },
    [CAROM_GEOM_MESH] = {[CAROM_GEOM_MESH] = cr_collide_support},
};

/* Canonical order of two shapes of one type: positions, orientations, sizes, as words of a
 * dictionary. */
static bool stands_before(const cr_shape* a, const pose* Xa, const cr_shape* b, const pose* Xb) {
  if (Xa->p.x != Xb->p.x) return Xa->p.x < Xb->p.x;
  if (Xa->p.y != Xb->p.y) return Xa->p.y < Xb->p.y;
  if (Xa->p.z != Xb->p.z) return Xa->p.z < Xb->p.z;
  for (int i = 0; i < 9; i++) {
    double ra = Xa->R.m[i / 3][i % 3], rb = Xb->R.m[i / 3][i % 3];
    if (ra != rb) return ra < rb;
  }
  for (int i = 0; i < 3; i++)
    if (a->size[i] != b->size[i]) return a->size[i] < b->size[i];
  return true;
}

bool cr_geom_stands_first(const cr_shape* a, const pose* Xa, const cr_shape* b, const pose* Xb) {
  return a->type != b->type ? a->type < b->type : stands_before(a, Xa, b, Xb);
}

/* Smallest half width and largest extent of a shape that is neither plane nor sphere. */
static void measure(const cr_shape* shape, double* thin, double* large) {
  const double* size = shape->size;
  if (shape->type >= CAROM_GEOM_ELLIPSOID) {
    *thin = cr_min(*thin, cr_shape_compute_thickness(shape) / 2);
    *large = cr_max(*large, cr_shape_compute_bounding_radius(shape));
    return;
  }
  double half = shape->type == CAROM_GEOM_CAPSULE ? size[0] : cr_min(size[0], size[1]);
  double sum = size[0] + size[1];
  if (shape->type == CAROM_GEOM_BOX) {
    half = cr_min(half, size[2]);
    sum += size[2];
  }
  *thin = cr_min(*thin, half);
  *large = cr_max(*large, sum);
}

/* Lengths against which the pair's differences are judged; closed forms of spheres need none. */
static void set_scales(cr_contact_pair* pair) {
  double thin = INFINITY, large = 0;
  if (pair->a.shape->type > CAROM_GEOM_SPHERE) measure(pair->a.shape, &thin, &large);
  if (pair->b.shape->type > CAROM_GEOM_SPHERE) measure(pair->b.shape, &thin, &large);
  pair->thickness = 2 * thin;
  pair->across = 1e-7;
  pair->size = large;
  pair->tolerance = 2e-12 * thin + 1e-14 * large;
}

/* Two spheres, without the detour. The sums are the same for either order. */
static int collide_spheres(const cr_shape* a, const pose* Xa, const cr_shape* b, const pose* Xb,
                           double margin, cr_manifold* manifold) {
  v3 between = v3_sub(Xb->p, Xa->p), up = {0, 0, stands_before(a, Xa, b, Xb) ? 1 : -1};
  double length, radii = a->size[0] + b->size[0];
  manifold->normal = cr_point_direction(between, up, &length);
  manifold->count = length - radii < margin;
  manifold->points[0] =
      (cr_manifold_point){v3_axpy(Xa->p, a->size[0], manifold->normal),
                          v3_axpy(Xb->p, -b->size[0], manifold->normal), length - radii, 0};
  return manifold->count;
}

void cr_manifold_mirror(cr_manifold* manifold) {
  manifold->normal = v3_neg(manifold->normal);
  for (int i = 0; i < manifold->count; i++) {
    cr_manifold_point* point = &manifold->points[i];
    v3 a = point->a;
    point->a = point->b;
    point->b = a;
    point->feature = point->feature << 16 | point->feature >> 16;
  }
}

/* Of the patches of a pair with a surface the deepest. */
static int collide_deepest(const cr_shape* a, const pose* Xa, const cr_shape* b, const pose* Xb,
                           double margin, cr_manifold* manifold) {
  cr_patches patches;
  double least = INFINITY;
  manifold->count = 0;
  cr_geom_collide_patches(a, Xa, b, Xb, margin, &patches);
  for (int g = 0; g < patches.count; g++) {
    const cr_manifold* patch = &patches.patch[g];
    for (int i = 0; i < patch->count; i++) {
      if (!(patch->points[i].distance < least)) continue;
      least = patch->points[i].distance;
      *manifold = *patch;
    }
  }
  return manifold->count;
}

int cr_geom_collide_pair(const cr_collide_query* query, cr_manifold* manifold) {
  const cr_shape *a = query->a, *b = query->b;
  const pose *Xa = query->Xa, *Xb = query->Xb;
  double margin = query->margin;
  if (a->type == CAROM_GEOM_SPHERE && b->type == CAROM_GEOM_SPHERE)
    return collide_spheres(a, Xa, b, Xb, margin, manifold);
  if (cr_geom_needs_patches(a, b)) return collide_deepest(a, Xa, b, Xb, margin, manifold);
  bool turned = !cr_geom_stands_first(a, Xa, b, Xb);
  const cr_shape *first = turned ? b : a, *second = turned ? a : b;
  const pose *X1 = turned ? Xb : Xa, *X2 = turned ? Xa : Xb;
  cr_contact_pair pair = {.a = {first, &X1->R, v3_zero(), NULL, 0},
                          .b = {second, &X2->R, v3_sub(X2->p, X1->p), NULL, 0},
                          .margin = margin,
                          .memory = query->memory};
  manifold->count = 0;
  cr_collide_fn* collide = collide_table[first->type][second->type];
  if (!collide) return 0; /* two planes */
  if (collide != cr_collide_sphere_other) set_scales(&pair);
  collide(&pair, manifold);
  for (int i = 0; i < manifold->count; i++) {
    cr_manifold_point* point = &manifold->points[i];
    point->a = v3_add(point->a, X1->p);
    point->b = v3_add(point->b, X1->p);
  }
  if (turned) cr_manifold_mirror(manifold);
  return manifold->count;
}

int cr_geom_collide(const cr_shape* a, const pose* Xa, const cr_shape* b, const pose* Xb,
                    double margin, cr_manifold* manifold) {
  cr_collide_query query = {.a = a, .b = b, .Xa = Xa, .Xb = Xb, .margin = margin};
  return cr_geom_collide_pair(&query, manifold);
}

double cr_geom_compute_distance(const cr_shape* a, const pose* Xa, const cr_shape* b,
                                const pose* Xb, v3* point_a, v3* point_b, v3* normal) {
  cr_manifold manifold;
  int count = cr_geom_collide(a, Xa, b, Xb, INFINITY, &manifold);
  *point_a = *point_b = *normal = v3_zero();
  if (count == 0) return NAN;
  int deepest = cr_manifold_find_deepest(&manifold);
  *point_a = manifold.points[deepest].a;
  *point_b = manifold.points[deepest].b;
  *normal = manifold.normal;
  return manifold.points[deepest].distance;
}
