/* Shapes as triangles: all but boxes and meshes turn a profile about z. */
#include "meshes.h"

#include "vector.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_PROFILE = 64, BOX_ROW = 6, THIN = 12, CONE = 24 }; /* THIN, CONE: segments */

/* A point of a profile: core and normal, each along the radius and along z. */
typedef struct profile_point {
  double core_r, core_z, normal_r, normal_z;
} profile_point;

static bool allocate(render_mesh* mesh, int num_vertices, int num_triangles) {
  *mesh = (render_mesh){0};
  mesh->vertices = calloc((size_t)num_vertices + 1, sizeof *mesh->vertices);
  mesh->indices = calloc(3 * (size_t)num_triangles + 1, sizeof *mesh->indices);
  return mesh->vertices && mesh->indices;
}

static void add_quad(render_mesh* mesh, int a, int b, int c, int d) {
  const int corners[6] = {a, b, c, a, c, d};
  for (int k = 0; k < 6; k++) mesh->indices[mesh->num_indices++] = (unsigned)corners[k];
}

/* --- Profiles -----------------------------------------------------------------------------------
 */

static int ball_profile(profile_point* points, int segments) {
  int quarter = segments / 4, count = 0;
  for (int half = -1; half <= 1; half += 2)
    for (int i = 0; i <= quarter; i++) {
      double angle = M_PI / 2 * (half < 0 ? i - quarter : i) / quarter;
      points[count++] = (profile_point){0, half, cos(angle), sin(angle)};
    }
  return count;
}

/* A unit sphere as core, which the size stretches. */
static int ellipsoid_profile(profile_point* points, int segments) {
  int half = segments / 2;
  for (int i = 0; i <= half; i++) {
    double angle = M_PI * ((double)i / half - 0.5), c = cos(angle), s = sin(angle);
    points[i] = (profile_point){c, s, c, s};
  }
  return half + 1;
}

static int cylinder_profile(profile_point* points) {
  int count = 0;
  points[count++] = (profile_point){0, -1, 0, -1};
  for (int half = -1; half <= 1; half += 2)
    for (int i = 0; i <= 3; i++) {
      double angle = M_PI / 6 * (half < 0 ? i - 3 : i);
      points[count++] = (profile_point){1, half, cos(angle), sin(angle)};
    }
  points[count++] = (profile_point){0, 1, 0, 1};
  return count;
}

static int cone_profile(profile_point* points) {
  static const double WIDTH = 0.4;
  double slant = hypot(1, WIDTH);
  points[0] = (profile_point){0, 0, 0, -1};
  points[1] = (profile_point){WIDTH, 0, 0, -1};
  points[2] = (profile_point){WIDTH, 0, 1 / slant, WIDTH / slant};
  points[3] = (profile_point){0, 1, 1 / slant, WIDTH / slant};
  return 4;
}

/* --- Triangles ----------------------------------------------------------------------------------
 */

static bool turn_profile(const profile_point* points, int count, int segments, render_mesh* mesh) {
  if (!allocate(mesh, count * (segments + 1), 2 * (count - 1) * segments)) return false;
  for (int i = 0; i < count; i++)
    for (int j = 0; j <= segments; j++) {
      double c = cos(2 * M_PI * j / segments), s = sin(2 * M_PI * j / segments);
      const profile_point* p = &points[i];
      mesh->vertices[mesh->num_vertices++] =
          (render_vertex){{(float)(p->core_r * c), (float)(p->core_r * s), (float)p->core_z},
                          {(float)(p->normal_r * c), (float)(p->normal_r * s), (float)p->normal_z}};
    }
  for (int i = 0; i + 1 < count; i++)
    for (int j = 0; j < segments; j++) {
      int at = i * (segments + 1) + j;
      add_quad(mesh, at, at + 1, at + segments + 2, at + segments + 1);
    }
  return true;
}

/* A vertex of a face: rows and columns bend from -45 to 0 degrees at one edge, from 0 to 45 at the
 * other. */
static render_vertex box_vertex(int face, int row, int column) {
  const double bend[2] = {(row < 3 ? row - 2 : row - 3) * M_PI / 8,
                          (column < 3 ? column - 2 : column - 3) * M_PI / 8};
  int axis = face / 2, sign = face % 2 ? 1 : -1;
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  double normal[3];
  normal[axis] = sign;
  normal[u] = tan(bend[0]) * sign; /* so that both faces of an axis turn the same way round */
  normal[v] = tan(bend[1]);
  double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  render_vertex vertex;
  for (int k = 0; k < 3; k++) vertex.normal[k] = (float)(normal[k] / length);
  vertex.core[axis] = (float)sign;
  vertex.core[u] = (float)(row < 3 ? -sign : sign);
  vertex.core[v] = column < 3 ? -1 : 1;
  return vertex;
}

static bool make_box(render_mesh* mesh) {
  if (!allocate(mesh, 6 * BOX_ROW * BOX_ROW, 12 * (BOX_ROW - 1) * (BOX_ROW - 1))) return false;
  for (int face = 0; face < 6; face++)
    for (int row = 0; row < BOX_ROW; row++)
      for (int column = 0; column < BOX_ROW; column++) {
        int at = mesh->num_vertices++;
        mesh->vertices[at] = box_vertex(face, row, column);
        if (row + 1 < BOX_ROW && column + 1 < BOX_ROW)
          add_quad(mesh, at, at + BOX_ROW, at + BOX_ROW + 1, at + 1);
      }
  return true;
}

static void add_flat(render_mesh* mesh, const double* const corners[3]) {
  double a[3], b[3], normal[3];
  for (int k = 0; k < 3; k++) {
    a[k] = corners[1][k] - corners[0][k];
    b[k] = corners[2][k] - corners[0][k];
  }
  render_cross(a, b, normal);
  render_normalise(normal);
  for (int i = 0; i < 3; i++) {
    render_vertex* vertex = &mesh->vertices[mesh->num_vertices];
    mesh->indices[mesh->num_indices++] = (unsigned)mesh->num_vertices++;
    for (int k = 0; k < 3; k++) {
      vertex->core[k] = (float)corners[i][k];
      vertex->normal[k] = (float)normal[k];
    }
  }
}

bool render_mesh_create_flat(const carom_mesh_info* surface, render_mesh* mesh) {
  if (!allocate(mesh, 3 * surface->num_triangles, surface->num_triangles)) return false;
  for (int i = 0; i < surface->num_triangles; i++) {
    const int* t = surface->triangles + 3 * (size_t)i;
    const double* v = surface->vertices;
    add_flat(mesh,
             (const double*[]){v + 3 * (size_t)t[0], v + 3 * (size_t)t[1], v + 3 * (size_t)t[2]});
  }
  return true;
}

bool render_mesh_create(render_shape shape, int segments, render_mesh* mesh) {
  profile_point points[MAX_PROFILE];
  switch (shape) {
  case RENDER_BALL:
    return turn_profile(points, ball_profile(points, segments), segments, mesh);
  case RENDER_CYLINDER:
    return turn_profile(points, cylinder_profile(points), segments, mesh);
  case RENDER_ELLIPSOID:
    return turn_profile(points, ellipsoid_profile(points, segments), segments, mesh);
  case RENDER_LINE:
    return turn_profile(points, ball_profile(points, THIN), THIN, mesh);
  case RENDER_CONE:
    return turn_profile(points, cone_profile(points), CONE, mesh);
  case RENDER_BOX:
  case RENDER_NUM_SHAPES:
    break;
  }
  return make_box(mesh);
}

void render_mesh_free(render_mesh* mesh) {
  free(mesh->vertices);
  free(mesh->indices);
}
