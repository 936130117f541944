/* Meshes that the format makes: <mesh builtin="sphere" params="..."/>, of size 1, from what its
 * documentation says of each kind. Triangles are made one by one; equal corners become one. */
#include "import/mjcf/builtin_mesh.h"

#include <math.h>
#include <string.h>

#define MOST 1000 /* points around; a mesh has at most twice its square of triangles */

/* A triangle with corners of its own. */
static bool add_face(cr_mesh* mesh, v3 a, v3 b, v3 c) {
  const v3 corner[3] = {a, b, c};
  int first = mesh->num_vertices;
  for (int k = 0; k < 3; k++) {
    double x[3];
    v3_store(corner[k], x);
    if (!cr_mesh_add_vertex(mesh, x)) return false;
  }
  return cr_mesh_add_triangle(mesh, first, first + 1, first + 2);
}

static v3 unit(v3 a) { return v3_scale(1 / v3_norm(a), a); }

/* --- Spheres ------------------------------------------------------------------------------------
 */

/* A triangle on the unit sphere, each side halved `depth` times. */
static bool divide(cr_mesh* mesh, v3 a, v3 b, v3 c, int depth) {
  if (depth == 0) return add_face(mesh, a, b, c);
  v3 ab = unit(v3_add(a, b)), bc = unit(v3_add(b, c)), ca = unit(v3_add(c, a));
  return divide(mesh, a, ab, ca, depth - 1) && divide(mesh, b, bc, ab, depth - 1) &&
         divide(mesh, c, ca, bc, depth - 1) && divide(mesh, ab, bc, ca, depth - 1);
}

/* An icosahedron, whose corners are (0, ±1, ±golden ratio) and their cyclic exchanges: three that
 * are a side apart make a face. */
static bool make_sphere(const double* p, cr_mesh* mesh) {
  double golden = (1 + sqrt(5)) / 2, side2 = 4 / (1 + golden * golden);
  v3 corner[12];
  for (int i = 0; i < 12; i++) {
    double x[3] = {0}, small = i & 1 ? 1 : -1, large = i & 2 ? golden : -golden;
    x[(i / 4 + 1) % 3] = small, x[(i / 4 + 2) % 3] = large;
    corner[i] = unit(v3_load(x));
  }
  for (int i = 0; i < 12; i++)
    for (int j = i + 1; j < 12; j++)
      for (int k = j + 1; k < 12; k++) {
        v3 a = corner[i], b = corner[j], c = corner[k];
        double most =
            fmax(v3_norm2(v3_sub(a, b)), fmax(v3_norm2(v3_sub(b, c)), v3_norm2(v3_sub(c, a))));
        if (most > 1.1 * side2) continue;
        bool is_outward = v3_dot(a, v3_cross(b, c)) > 0;
        if (!divide(mesh, a, is_outward ? b : c, is_outward ? c : b, (int)p[0])) return false;
      }
  return true;
}

/* Point `i` of row `row` (0: the pole) of one side of a pyramid of four, on the unit sphere. */
static v3 hemisphere_point(int side, int row, int rows, int i) {
  static const v3 EQUATOR[4] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
  double down = (double)row / rows, along = row ? (double)i / row : 0;
  v3 rim = v3_add(v3_scale(1 - along, EQUATOR[side]), v3_scale(along, EQUATOR[(side + 1) % 4]));
  return unit(v3_add(v3_scale(down, rim), (v3){0, 0, 1 - down}));
}

static bool make_hemisphere(const double* p, cr_mesh* mesh) {
  int rows = (int)p[0] + 1;
  bool done = true;
  for (int side = 0; side < 4; side++)
    for (int r = 0; r < rows; r++)
      for (int i = 0; i <= r && done; i++) {
        v3 top = hemisphere_point(side, r, rows, i), left = hemisphere_point(side, r + 1, rows, i);
        v3 right = hemisphere_point(side, r + 1, rows, i + 1);
        done = add_face(mesh, top, left, right);
        if (i < r)
          done = done && add_face(mesh, top, right, hemisphere_point(side, r, rows, i + 1));
        if (r + 1 == rows) done = done && add_face(mesh, v3_zero(), right, left);
      }
  return done;
}

/* --- Powers of circles --------------------------------------------------------------------------
 */

static double power(double x, double exponent) { return copysign(pow(fabs(x), exponent), x); }
static double cosine(double x, double exponent) { return power(cos(x), exponent); }
static double sine(double x, double exponent) { return power(sin(x), exponent); }

/* A grid of points that closes around; of rings that shrink to a point one triangle is left. */
typedef v3 grid_point(const double* p, int i, int j);

static bool add_grid(const double* p, grid_point* at, int rows, int columns, cr_mesh* mesh) {
  bool done = true;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns && done; j++) {
      v3 a = at(p, i, j), b = at(p, i, j + 1), c = at(p, i + 1, j + 1), d = at(p, i + 1, j);
      if (v3_norm2(v3_sub(a, b)) > 0) done = add_face(mesh, a, b, d);
      if (v3_norm2(v3_sub(c, d)) > 0) done = done && add_face(mesh, b, c, d);
    }
  return done;
}

static v3 supersphere_point(const double* p, int i, int j) {
  int count = (int)p[0];
  double v = -M_PI_2 + i * M_PI / count, u = -M_PI + j % count * 2 * M_PI / count;
  if (i == 0 || i == count) return (v3){0, 0, i ? 1 : -1};
  return (v3){cosine(v, p[2]) * cosine(u, p[1]), cosine(v, p[2]) * sine(u, p[1]), sine(v, p[2])};
}

static bool make_supersphere(const double* p, cr_mesh* mesh) {
  return add_grid(p, supersphere_point, (int)p[0], (int)p[0], mesh);
}

static v3 supertorus_point(const double* p, int i, int j) {
  int count = (int)p[0];
  double v = i % count * 2 * M_PI / count, u = j % count * 2 * M_PI / count;
  double reach = 1 + p[1] * cosine(v, p[2]);
  return (v3){reach * cosine(u, p[3]), reach * sine(u, p[3]), p[1] * sine(v, p[2])};
}

static bool make_supertorus(const double* p, cr_mesh* mesh) {
  return add_grid(p, supertorus_point, (int)p[0], (int)p[0], mesh);
}

/* Points alone: their hull is the mesh. */
static bool make_cone(const double* p, cr_mesh* mesh) {
  int count = (int)p[0];
  for (int i = 0; i < 2 * count; i++) {
    double angle = 2 * M_PI * (i % count) / count, radius = i < count ? 1 : p[1];
    double x[3] = {radius * cos(angle), radius * sin(angle), i < count ? -1 : 1};
    if (!cr_mesh_add_vertex(mesh, x)) return false;
    if (i == count && p[1] == 0) return true;
  }
  return true;
}

/* The middle of a cell, of `count` between -1 and 1 whose edges x go to g x⁵ + (1 - g) x. */
static double middle(int cell, int count, double g) {
  double sum = 0;
  for (int k = 0; k < 2; k++) {
    double x = -1 + 2 * (double)(cell + k) / count;
    sum += g * pow(x, 5) + (1 - g) * x;
  }
  return 0.5 * sum;
}

/* Points of a sphere, seen from its middle along -z within angles: their hull is the mesh. */
static bool make_wedge(const double* p, cr_mesh* mesh) {
  const double degree = M_PI / 180;
  for (int i = 0; i < (int)p[0]; i++)
    for (int j = 0; j < (int)p[1]; j++) {
      double a = p[2] * degree * middle(i, (int)p[0], p[4]);
      double e = p[3] * degree * middle(j, (int)p[1], p[4]);
      double x[3] = {cos(e) * sin(a), sin(e), -cos(e) * cos(a)};
      if (!cr_mesh_add_vertex(mesh, x)) return false;
    }
  return true;
}

/* The middles of a square's cells, at z = -1. */
static v3 plate_point(const double* p, int i, int j) {
  return (v3){middle(i, (int)p[0], 0), middle(j, (int)p[1], 0), -1};
}

static bool make_plate(const double* p, cr_mesh* mesh) {
  bool done = true;
  for (int i = 0; i + 1 < (int)p[0]; i++)
    for (int j = 0; j + 1 < (int)p[1] && done; j++) {
      v3 a = plate_point(p, i, j), b = plate_point(p, i + 1, j);
      v3 c = plate_point(p, i, j + 1), d = plate_point(p, i + 1, j + 1);
      done = add_face(mesh, a, b, c) && add_face(mesh, d, c, b);
    }
  return done;
}

/* --- Kinds --------------------------------------------------------------------------------------
 */

typedef struct parameter {
  const char* name;
  double low, high;
  bool is_count, is_open; /* a whole number; `low` itself is not allowed */
} parameter;

typedef struct kind {
  const char* name;
  bool (*make)(const double*, cr_mesh*);
  int count;
  parameter parameter[5];
} kind;

static const kind KINDS[] = {
    {"none", NULL, 0, {{0}}},
    {"sphere", make_sphere, 1, {{"subdivision", 0, 4, true, false}}},
    {"hemisphere", make_hemisphere, 1, {{"resolution", 0, 10, true, false}}},
    {"cone", make_cone, 2, {{"nvert", 3, MOST, true, false}, {"radius", 0, 1, false, false}}},
    {"supersphere",
     make_supersphere,
     3,
     {{"resolution", 3, MOST, true, false},
      {"e", 0, INFINITY, false, false},
      {"n", 0, INFINITY, false, false}}},
    {"supertorus",
     make_supertorus,
     4,
     {{"resolution", 3, MOST, true, false},
      {"radius", 0, 1, false, true},
      {"s", 0, INFINITY, false, true},
      {"t", 0, INFINITY, false, true}}},
    {"wedge",
     make_wedge,
     5,
     {{"res_phi", 1, MOST, true, false},
      {"res_theta", 1, MOST, true, false},
      {"fov_phi", 0, 180, false, true},
      {"fov_theta", 0, 90, false, true},
      {"gamma", 0, 1, false, false}}},
    {"plate", make_plate, 2, {{"res_x", 2, MOST, true, false}, {"res_y", 2, MOST, true, false}}},
};
_Static_assert(sizeof KINDS / sizeof KINDS[0] == CR_MJCF_BUILTIN_PLATE + 1, "kinds in their order");

const char* const cr_mjcf_builtin_names[] = {
    "none", "sphere", "hemisphere", "cone", "supersphere", "supertorus", "wedge", "plate", NULL};

static carom_status check_parameter(const cr_subject* subject, const parameter* p, double given) {
  bool fits = given >= p->low && given <= p->high && !(p->is_open && given == p->low);
  if (fits && (!p->is_count || given == floor(given))) return CAROM_OK;
  if (isinf(p->high))
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "%s of params is %.9g, must be %s",
                           p->name, given, p->is_open ? "positive" : "zero or positive");
  return cr_subject_fail(
      subject, CAROM_ERROR_BAD_INPUT, "%s of params is %.9g, must be %s%s %.9g to %.9g", p->name,
      given, p->is_count ? "a whole number " : "", p->is_open ? "above" : "from", p->low, p->high);
}

carom_status cr_mjcf_make_mesh(cr_mjcf* m, const cr_xml_element* element, int builtin,
                               const cr_numbers* params, cr_mesh* mesh) {
  cr_subject subject = cr_mjcf_subject(m, element);
  const kind* k = &KINDS[builtin];
  if (params->count != k->count)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "params has %d number%s, a %s takes %d",
                           params->count, params->count == 1 ? "" : "s", k->name, k->count);
  for (int i = 0; i < k->count; i++)
    CR_TRY(check_parameter(&subject, &k->parameter[i], params->x[i]));
  if (!k->make(params->x, mesh)) return cr_error_memory(m->error);
  return mesh->num_triangles == 0 || cr_mesh_weld(mesh) ? CAROM_OK : cr_error_memory(m->error);
}
