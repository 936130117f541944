/* Triangles of polygons, bent ones too, by the rules of tinyobjloader, by which MuJoCo and Drake
 * read OBJ files: the volume that bent faces enclose depends on them. All in single precision, as
 * there. Ears: a corner is cut off where the triangle with its neighbours, seen along the axis that
 * the first bend is most square to, holds no other corner. Which way round an ear lies is told by
 * the sign of its first edge's area about the origin, a habit of that reader: it counts for hollow
 * polygons only. Where no ear is left the rest is a fan. */
#include "import/mesh/polygon.h"

#include <float.h>
#include <math.h>

/* The square of the distance of two vertices: the quads of regular meshes have diagonals alike or
 * not as they have there. */
static float find_square(const cr_mesh* mesh, int a, int b) {
  const double *p = mesh->vertex + 3 * a, *q = mesh->vertex + 3 * b;
  float x = (float)q[0] - (float)p[0], y = (float)q[1] - (float)p[1];
  float z = (float)q[2] - (float)p[2];
  return x * x + y * y + z * z;
}

/* Cuts the quad 0 1 2 3, whose triangles 0 1 2 and 0 2 3 were added last, into 0 1 3 and 1 2 3
 * unless the diagonal 0 2 is the shorter one. */
static void turn_quad(cr_mesh* mesh) {
  int* corner = mesh->triangle + 3 * (mesh->num_triangles - 2);
  int last = corner[5];
  if (find_square(mesh, corner[0], corner[2]) < find_square(mesh, corner[1], last)) return;
  corner[3] = corner[1], corner[4] = corner[2], corner[2] = last;
}

/* A polygon as it is cut: the corners that are left, seen along one axis. */
typedef struct polygon {
  int count;
  int vertex[CR_POLYGON_MOST_CORNERS];
  float x[CR_POLYGON_MOST_CORNERS], y[CR_POLYGON_MOST_CORNERS];
} polygon;

/* The two axes of the picture: without the one along which the first bend is the largest. */
static void find_axes(const cr_mesh* mesh, const polygon* p, int axes[2]) {
  axes[0] = 1, axes[1] = 2;
  for (int i = 0; i < p->count; i++) {
    const double* at[3];
    float e[2][3], n[3];
    for (int k = 0; k < 3; k++) at[k] = mesh->vertex + 3 * p->vertex[(i + k) % p->count];
    for (int k = 0; k < 6; k++)
      e[k / 3][k % 3] = (float)at[k / 3 + 1][k % 3] - (float)at[k / 3][k % 3];
    for (int k = 0; k < 3; k++) {
      int a = (k + 1) % 3, b = (k + 2) % 3;
      n[k] = fabsf(e[0][a] * e[1][b] - e[0][b] * e[1][a]);
    }
    if (!(n[0] > FLT_EPSILON || n[1] > FLT_EPSILON || n[2] > FLT_EPSILON)) continue;
    if (n[0] > n[1] && n[0] > n[2]) return;
    axes[0] = 0;
    if (n[2] > n[0] && n[2] > n[1]) axes[1] = 1;
    return;
  }
}

/* Whether corner i of the picture is within the triangle of three others: a line from it along x
 * crosses one edge. */
static bool is_within(const polygon* p, const int ear[3], int i) {
  bool inside = false;
  for (int k = 0; k < 3; k++) {
    int a = ear[k], b = ear[(k + 2) % 3];
    if ((p->y[a] > p->y[i]) == (p->y[b] > p->y[i])) continue;
    float cut = (p->x[b] - p->x[a]) * (p->y[i] - p->y[a]) / (p->y[b] - p->y[a]) + p->x[a];
    inside ^= p->x[i] < cut;
  }
  return inside;
}

static bool is_ear(const polygon* p, int first) {
  int n = p->count, ear[3] = {first, (first + 1) % n, (first + 2) % n};
  const float *x = p->x, *y = p->y;
  int a = ear[0], b = ear[1], c = ear[2];
  float turn = (x[b] - x[a]) * (y[c] - y[b]) - (y[b] - y[a]) * (x[c] - x[b]);
  float area = 0.5F * (x[a] * y[b] - y[a] * x[b]);
  if (turn * area < 0) return false;
  for (int i = 3; i < n; i++)
    if (is_within(p, ear, (first + i) % n)) return false;
  return true;
}

static void remove_corner(polygon* p, int i) {
  for (p->count--; i < p->count; i++) {
    p->vertex[i] = p->vertex[i + 1];
    p->x[i] = p->x[i + 1], p->y[i] = p->y[i + 1];
  }
}

static void write_triangle(const polygon* p, int a, int b, int c, int** triangle) {
  const int corner[3] = {p->vertex[a % p->count], p->vertex[b % p->count], p->vertex[c % p->count]};
  for (int k = 0; k < 3; k++) *(*triangle)++ = corner[k];
}

/* Fills a picture from the fan that stands at `triangle`. */
static void take_corners(const cr_mesh* mesh, const int* triangle, int count, polygon* p) {
  int axes[2];
  p->count = count;
  p->vertex[0] = triangle[0], p->vertex[1] = triangle[1];
  for (int i = 2; i < count; i++) p->vertex[i] = triangle[3 * (i - 2) + 2];
  find_axes(mesh, p, axes);
  for (int i = 0; i < count; i++) {
    p->x[i] = (float)mesh->vertex[3 * p->vertex[i] + axes[0]];
    p->y[i] = (float)mesh->vertex[3 * p->vertex[i] + axes[1]];
  }
}

void cr_mesh_cut_polygon(cr_mesh* mesh, int count) {
  if (count == 4) turn_quad(mesh);
  if (count <= 4 || count > CR_POLYGON_MOST_CORNERS) return;
  int* triangle = mesh->triangle + 3 * (mesh->num_triangles - (count - 2));
  polygon p;
  take_corners(mesh, triangle, count, &p);
  int at = 0, misses = 0;
  while (p.count > 3 && misses <= p.count) {
    at %= p.count;
    if (!is_ear(&p, at)) {
      at++, misses++;
      continue;
    }
    write_triangle(&p, at, at + 1, at + 2, &triangle);
    remove_corner(&p, (at + 1) % p.count);
    misses = 0;
  }
  for (int i = 2; i < p.count; i++) write_triangle(&p, 0, i - 1, i, &triangle);
}
