/* Forces from outside, consistent with the shape functions: weight, traction and pressure on faces.
 * Faces with 3 or 6 nodes are integrated with Dunavant's rule of 6 points, exact to degree 4. */
#include "math/vec3.h"
#include "soft/slopes.h"

typedef struct face_point {
  double at[3]; /* barycentric */
  double weight;
} face_point;

#define A1 0.445948490915965
#define A2 0.091576213509771
#define B1 (1 - 2 * A1)
#define B2 (1 - 2 * A2)
#define W1 0.223381589678011
#define W2 0.109951743655322
static const face_point POINTS[6] = {{{A1, A1, B1}, W1}, {{A1, B1, A1}, W1}, {{B1, A1, A1}, W1},
                                     {{A2, A2, B2}, W2}, {{A2, B2, A2}, W2}, {{B2, A2, A2}, W2}};

/* N and its slopes along the first two barycentric coordinates. */
typedef struct face_shape {
  double N[6], dr[6], ds[6];
} face_shape;

static face_shape shape_at(int nodes, const double L[3]) {
  static const double SLOPE[3][2] = {{1, 0}, {0, 1}, {-1, -1}};
  face_shape f = {{0}, {0}, {0}};
  bool is_linear = nodes == 3;
  for (int a = 0; a < 3; a++) {
    double slope = is_linear ? 1 : 4 * L[a] - 1;
    f.N[a] = is_linear ? L[a] : L[a] * (2 * L[a] - 1);
    f.dr[a] = slope * SLOPE[a][0];
    f.ds[a] = slope * SLOPE[a][1];
  }
  for (int a = 0; a < 3 && !is_linear; a++) {
    int b = (a + 1) % 3;
    f.N[3 + a] = 4 * L[a] * L[b];
    f.dr[3 + a] = 4 * (SLOPE[a][0] * L[b] + SLOPE[b][0] * L[a]);
    f.ds[3 + a] = 4 * (SLOPE[a][1] * L[b] + SLOPE[b][1] * L[a]);
  }
  return f;
}

/* The outward normal times twice the area per unit of the rule's triangle. */
static v3 normal_at(int nodes, const int* node, const double (*x)[3], const face_shape* f) {
  v3 r = v3_zero(), s = v3_zero();
  for (int a = 0; a < nodes; a++) {
    r = v3_axpy(r, f->dr[a], v3_load(x[node[a]]));
    s = v3_axpy(s, f->ds[a], v3_load(x[node[a]]));
  }
  return v3_cross(r, s);
}

/* A load on faces of the shape x: a traction, or a pressure where that is null. */
typedef struct face_load {
  const double (*x)[3];
  const double* traction;
  double pressure;
  const double (*dx)[3]; /* what a pressure pushes changes by, in place of itself; null */
} face_load;

/* How that changes with the nodes. */
static v3 normal_change_at(int nodes, const int* node, const face_load* load, const face_shape* f) {
  v3 r = v3_zero(), s = v3_zero(), dr = v3_zero(), ds = v3_zero();
  for (int a = 0; a < nodes; a++) {
    r = v3_axpy(r, f->dr[a], v3_load(load->x[node[a]]));
    s = v3_axpy(s, f->ds[a], v3_load(load->x[node[a]]));
    dr = v3_axpy(dr, f->dr[a], v3_load(load->dx[node[a]]));
    ds = v3_axpy(ds, f->ds[a], v3_load(load->dx[node[a]]));
  }
  return v3_add(v3_cross(dr, s), v3_cross(r, ds));
}

static void add_face(const cr_soft_body* body, const cr_soft_face* face, const face_load* load,
                     double (*force)[3]) {
  int nodes = body->mesh.nodes_per_element == CR_SOFT_LINEAR_NODES ? 3 : 6, node[6] = {0};
  const int* of_element =
      body->mesh.element + (size_t)face->element * (size_t)body->mesh.nodes_per_element;
  for (int a = 0; a < nodes; a++) node[a] = of_element[cr_soft_face_nodes[face->face][a]];
  for (int p = 0; p < 6; p++) {
    face_shape f = shape_at(nodes, POINTS[p].at);
    v3 normal =
        load->dx ? normal_change_at(nodes, node, load, &f) : normal_at(nodes, node, load->x, &f);
    v3 push = load->traction ? v3_scale(v3_norm(normal), v3_load(load->traction))
                             : v3_scale(-load->pressure, normal);
    for (int a = 0; a < nodes; a++) {
      double* at = force[node[a]];
      v3_store(v3_axpy(v3_load(at), 0.5 * POINTS[p].weight * f.N[a], push), at);
    }
  }
}

void cr_soft_body_add_gravity(const cr_soft_body* body, const double gravity[3],
                              double (*force)[3]) {
  for (int n = 0; n < body->mesh.num_nodes; n++)
    for (int k = 0; k < 3; k++) force[n][k] += body->load[n] * gravity[k];
}

void cr_soft_body_add_traction(const cr_soft_body* body, const cr_soft_face* faces, int num_faces,
                               const double traction[3], double (*force)[3]) {
  face_load load = {.x = (const double(*)[3])body->mesh.node, .traction = traction};
  for (int f = 0; f < num_faces; f++) add_face(body, &faces[f], &load, force);
}

void cr_soft_body_add_pressure(const cr_soft_body* body, const double (*x)[3],
                               const cr_soft_face* faces, int num_faces, double pressure,
                               double (*force)[3]) {
  face_load load = {.x = x, .pressure = pressure};
  for (int f = 0; f < num_faces; f++) add_face(body, &faces[f], &load, force);
}

void cr_soft_body_add_pressure_change(const cr_soft_body* body, const double (*x)[3],
                                      const double (*dx)[3], const cr_soft_surface* surface,
                                      double (*force)[3]) {
  face_load load = {.x = x, .pressure = 1, .dx = dx};
  for (int f = 0; f < surface->num_faces; f++) add_face(body, &surface->face[f], &load, force);
}
