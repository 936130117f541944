/* What is wrong with a surface: every side of a triangle must be run along once in either
 * direction. Sides are sorted, so that what belongs together stands together. */
#include "mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>

/* Twice the area of a triangle, as part of its longest side squared, below which it has no plane.
 */
#define SLIVER 1e-14

typedef struct side {
  int low, high; /* vertices */
  int forward;   /* runs from low to high */
  int face;
} side;

static int compare_sides(const void* a, const void* b) {
  const side *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  if (p->high != q->high) return p->high < q->high ? -1 : 1;
  return (p->face > q->face) - (p->face < q->face);
}

static void note(int face, int* count, int* first) {
  ++*count;
  if (*first < 0 || face < *first) *first = face;
}

static bool is_degenerate(const cr_mesh* mesh, const int* corner) {
  v3 a = cr_mesh_vertex(mesh, corner[0]);
  v3 ab = v3_sub(cr_mesh_vertex(mesh, corner[1]), a);
  v3 ac = v3_sub(cr_mesh_vertex(mesh, corner[2]), a), bc = v3_sub(ac, ab);
  double longest2 = fmax(v3_norm2(ab), fmax(v3_norm2(ac), v3_norm2(bc)));
  return !(v3_norm(v3_cross(ab, ac)) > SLIVER * longest2);
}

static bool has_double_corner(const int* corner) {
  return corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0];
}

/* The sides of all triangles with three corners. */
static int gather_sides(const cr_mesh* mesh, side* sides, cr_mesh_report* report) {
  int count = 0;
  for (int f = 0; f < mesh->num_triangles; f++) {
    const int* corner = mesh->triangle + 3 * (size_t)f;
    if (is_degenerate(mesh, corner)) note(f, &report->num_degenerate, &report->first_degenerate);
    if (has_double_corner(corner)) continue;
    for (int e = 0; e < 3; e++) {
      int from = corner[e], to = corner[(e + 1) % 3];
      sides[count++] = from < to ? (side){from, to, 1, f} : (side){to, from, 0, f};
    }
  }
  return count;
}

/* Judges the sides [first, end) between two vertices. */
static void judge(const side* sides, int first, int end, cr_mesh_report* report) {
  int balance = 0;
  for (int i = first; i < end; i++) balance += sides[i].forward ? 1 : -1;
  if (balance == 0) return;
  if ((end - first) % 2)
    note(sides[first].face, &report->num_open, &report->first_open);
  else
    note(sides[first].face, &report->num_turned, &report->first_turned);
}

bool cr_mesh_check(const cr_mesh* mesh, cr_mesh_report* report) {
  *report = (cr_mesh_report){.first_degenerate = -1, .first_open = -1, .first_turned = -1};
  size_t bytes = 3 * (size_t)mesh->num_triangles * sizeof(side);
  side* sides = cr_alloc(&mesh->allocator, bytes);
  if (!sides) return false;
  int count = gather_sides(mesh, sides, report);
  qsort(sides, (size_t)count, sizeof *sides, compare_sides);
  for (int first = 0, end; first < count; first = end) {
    for (end = first + 1;
         end < count && sides[end].low == sides[first].low && sides[end].high == sides[first].high;)
      end++;
    judge(sides, first, end, report);
  }
  cr_release(&mesh->allocator, sides, bytes);
  cr_mesh_mass mass;
  cr_mesh_compute_mass(mesh, CR_MESH_EXACT, &mass);
  report->volume = mass.volume;
  return true;
}

const char* cr_mesh_describe(const cr_mesh_report* report, char* text, int size) {
  size_t room = (size_t)size;
  if (report->num_open > 0)
    snprintf(text, room, "the surface is open: %d sides have no neighbour, the first at face %d",
             report->num_open, report->first_open + 1);
  else if (report->num_turned > 0)
    snprintf(text, room,
             "faces look to different sides: %d sides run the same way twice, the first at face %d",
             report->num_turned, report->first_turned + 1);
  else if (report->volume < 0)
    snprintf(text, room, "the surface is inverted: its faces look inwards, the volume is %.9g",
             report->volume);
  else if (!(report->volume > 0))
    snprintf(text, room, "the surface encloses no volume");
  else
    return NULL;
  return text;
}
