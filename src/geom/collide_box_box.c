/* Box against box: separating axes in A's frame, then the patch of the faces or edges that meet.
 *
 * The largest separation over the fifteen axes (three face normals of each box, nine cross products
 * of edges) is exact where boxes overlap; where they are apart and no pair of points has that
 * distance, corners or edges are nearest along some other direction, which the general path finds
 * (Gottschalk, Lin, Manocha 1996; Ericson, section 4.4.1). */
#include "geom/collide_convex.h"
#include "geom/patch.h"

/* Squared sines of two edges: below the first their cross product is noise, below the second its
 * noise has to be reckoned with. */
#define PARALLEL        1e-18
#define NEARLY_PARALLEL 1e-8

typedef struct cr_box_pair {
  const double *a, *b; /* half sizes */
  double c[3];         /* centre of B in A's frame */
  double d[3];         /* the same in B's frame */
  double R[3][3];      /* B's axes in A's frame, as columns */
  double absR[3][3];
} cr_box_pair;

/* The best axis so far: separation, and a unit normal in A's frame. */
typedef struct cr_box_axis {
  double separation;
  v3 normal;
  int face; /* 0..2: of A, 3..5: of B, -1: an edge pair */
} cr_box_axis;

static void init_boxes(const cr_contact_pair* pair, cr_box_pair* boxes) {
  const m3 *Ra = pair->a.R, *Rb = pair->b.R;
  boxes->a = pair->a.shape->size;
  boxes->b = pair->b.shape->size;
  v3_store(m3_tmulv(Ra, pair->b.center), boxes->c);
  v3_store(m3_tmulv(Rb, pair->b.center), boxes->d);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double r = Ra->m[0][i] * Rb->m[0][j] + Ra->m[1][i] * Rb->m[1][j] + Ra->m[2][i] * Rb->m[2][j];
      boxes->R[i][j] = r;
      boxes->absR[i][j] = fabs(r);
    }
  }
}

/* Face normals; a face of B counts only where it is better by more than the tolerance. */
static void try_faces(const cr_box_pair* boxes, double tolerance, cr_box_axis* best) {
  const double(*absR)[3] = boxes->absR;
  for (int i = 0; i < 3; i++) {
    double reach = boxes->b[0] * absR[i][0] + boxes->b[1] * absR[i][1] + boxes->b[2] * absR[i][2];
    double separation = fabs(boxes->c[i]) - boxes->a[i] - reach;
    if (separation > best->separation) *best = (cr_box_axis){.separation = separation, .face = i};
  }
  for (int j = 0; j < 3; j++) {
    double reach = boxes->a[0] * absR[0][j] + boxes->a[1] * absR[1][j] + boxes->a[2] * absR[2][j];
    double separation = fabs(boxes->d[j]) - boxes->b[j] - reach;
    if (separation > best->separation + tolerance)
      *best = (cr_box_axis){.separation = separation, .face = 3 + j};
  }
}

/* The cross product of edge i of A and edge j of B, in A's frame. */
static v3 cross_of_edges(const cr_box_pair* boxes, int i, int j) {
  const double(*R)[3] = boxes->R;
  double n[3] = {0};
  n[(i + 1) % 3] = -R[(i + 2) % 3][j];
  n[(i + 2) % 3] = R[(i + 1) % 3][j];
  return v3_load(n);
}

/* Separation along the cross product of two edges; exact for a normal with the rounding errors it
 * has, which count where the edges are nearly parallel. */
static double separate_along(const cr_box_pair* boxes, v3 n) {
  n = v3_scale(1 / v3_norm(n), n);
  const double along[3] = {n.x, n.y, n.z};
  double separation = fabs(v3_dot(n, v3_load(boxes->c)));
  for (int k = 0; k < 3; k++) {
    double across = n.x * boxes->R[0][k] + n.y * boxes->R[1][k] + n.z * boxes->R[2][k];
    separation -= boxes->a[k] * fabs(along[k]) + boxes->b[k] * fabs(across);
  }
  return separation;
}

/* The edge pairs of edge i of A. The separation is `apart` over the sine of the edges, so that what
 * is no better without that is none with it. */
static void try_edges_of(const cr_box_pair* boxes, int i, double tolerance, cr_box_axis* best) {
  const double(*R)[3] = boxes->R;
  const double(*absR)[3] = boxes->absR;
  int i1 = i < 2 ? i + 1 : 0, i2 = i > 0 ? i - 1 : 2;
  const double *R1 = R[i1], *R2 = R[i2], *abs1 = absR[i1], *abs2 = absR[i2], *abs = absR[i];
  double a1 = boxes->a[i1], a2 = boxes->a[i2], c1 = boxes->c[i1], c2 = boxes->c[i2];
  const double* b = boxes->b;
  double reach[3] = {b[1] * abs[2] + b[2] * abs[1], b[2] * abs[0] + b[0] * abs[2],
                     b[0] * abs[1] + b[1] * abs[0]};
  for (int j = 0; j < 3; j++) {
    double apart = fabs(c2 * R1[j] - c1 * R2[j]) - (a1 * abs2[j] + a2 * abs1[j] + reach[j]);
    if (apart <= 0 && apart <= best->separation + 0.5 * tolerance) continue;
    double length2 = R1[j] * R1[j] + R2[j] * R2[j];
    if (length2 < PARALLEL) continue;
    double separation = apart / sqrt(length2);
    if (length2 < NEARLY_PARALLEL) separation = separate_along(boxes, cross_of_edges(boxes, i, j));
    if (!(separation > best->separation + tolerance)) continue;
    *best = (cr_box_axis){separation, cross_of_edges(boxes, i, j), -1};
  }
}

/* The normal of the best axis in the world, from A to B. */
static v3 find_normal(const cr_contact_pair* pair, const cr_box_axis* best) {
  v3 n;
  if (best->face >= 3)
    n = m3_column(pair->b.R, best->face - 3);
  else if (best->face >= 0)
    n = m3_column(pair->a.R, best->face);
  else
    n = v3_normalize_or(m3_mulv(pair->a.R, best->normal), m3_column(pair->a.R, 2));
  return v3_dot(n, pair->b.center) < 0 ? v3_neg(n) : n;
}

void cr_collide_box_box(const cr_contact_pair* pair, cr_manifold* manifold) {
  cr_box_pair boxes;
  cr_box_axis best = {.separation = -INFINITY};
  init_boxes(pair, &boxes);
  try_faces(&boxes, pair->tolerance, &best);
  if (best.separation >= pair->margin) return;
  for (int i = 0; i < 3; i++) try_edges_of(&boxes, i, pair->tolerance, &best);
  if (best.separation >= pair->margin) return;
  v3 n = find_normal(pair, &best);
  if (best.separation <= 0) {
    cr_patch_build(pair, n, best.separation, manifold);
    return;
  }
  if (cr_patch_try(pair, n, best.separation, manifold)) return;
  cr_overlap overlap;
  cr_overlap_init(pair, &overlap);
  cr_collide_apart(pair, &overlap, n, manifold);
}
