/* Triangle meshes: growing, welding, what is wrong with them, and their mass properties. */
#ifndef CR_MESH_MESH_H
#define CR_MESH_MESH_H

#include "base/alloc.h"
#include "base/shared.h"
#include "math/vec3.h"

#include "carom/status.h"

#include <stdint.h>

/* More than any part of a mechanism has. */
#define CR_MESH_MAX_TRIANGLES 8000000
#define CR_MESH_MAX_VERTICES  24000000

/* Surfaces of more triangles are not drawn: pages that show them would not load. */
#define CR_MESH_MOST_DRAWN 200000

/* Triangles run counterclockwise as seen from outside. */
typedef struct cr_mesh {
  carom_allocator allocator;
  int num_vertices, num_triangles;
  int vertex_capacity, triangle_capacity, paint_capacity;
  double* vertex;  /* [3 each] m */
  int* triangle;   /* [3 each] vertices */
  uint32_t* paint; /* of each triangle: red, green, blue, alpha in 8 bits each, red highest (sRGB);
                      0: the file gives none */
  uint32_t brush;  /* what triangles that are added are painted with, 0 at first */
  int* part;       /* [num_parts] first triangles of the objects of a file, which it keeps apart */
  int num_parts, part_capacity; /* 0: nothing is kept apart */
} cr_mesh;

/* An empty mesh; takes no memory. */
CR_SHARED void cr_mesh_init(cr_mesh* mesh, const carom_allocator* allocator);

/* Frees what the mesh holds and leaves it empty. */
CR_SHARED void cr_mesh_release(cr_mesh* mesh);

/* Each adds one at the end; false without memory. Vertices of triangles need not be there yet. */
CR_SHARED bool cr_mesh_add_vertex(cr_mesh* mesh, const double position[3]);
CR_SHARED bool cr_mesh_add_triangle(cr_mesh* mesh, int a, int b, int c);

/* Begins an object at the next triangle; false without memory. */
CR_SHARED bool cr_mesh_begin_part(cr_mesh* mesh);

/* Adds the triangles `first` to `end` - 1 of another mesh, with three vertices for each, to be
 * welded; false without memory. */
CR_SHARED bool cr_mesh_add_range(cr_mesh* mesh, const cr_mesh* from, int first, int end);

/* Makes one vertex of all that stand at the same place to the bit, in the order of their first
 * places; false without memory, the mesh is then as it was. */
CR_SHARED bool cr_mesh_weld(cr_mesh* mesh);

/* The same of all that stand within a tolerance (m, along each axis) of one that is kept. */
CR_SHARED bool cr_mesh_weld_near(cr_mesh* mesh, double tolerance);

/* Turns a surface inside out. */
CR_SHARED void cr_mesh_turn(cr_mesh* mesh);

/* Scales along the axes; a mirrored surface is turned, so that it looks outwards again. */
CR_SHARED void cr_mesh_scale(cr_mesh* mesh, v3 scale);

/* A paint of red, green, blue and alpha from 0 to 1; never 0, numbers out of range are clamped. */
CR_SHARED uint32_t cr_mesh_mix_paint(const double rgba[4]);
CR_SHARED void cr_mesh_get_colour(uint32_t paint, float rgba[4]);

static inline v3 cr_mesh_vertex(const cr_mesh* mesh, int i) {
  return v3_load(mesh->vertex + 3 * i);
}

/* What keeps a surface from enclosing a solid. Faces count from 0; -1: there is none. */
typedef struct cr_mesh_report {
  int num_degenerate, first_degenerate; /* two corners at one place, or all in a line */
  int num_open, first_open;             /* sides that no other triangle continues */
  int num_turned, first_turned;         /* sides that two triangles run along in one direction */
  double volume;                        /* m³, signed: negative where the faces look inwards */
} cr_mesh_report;

/* Looks a welded mesh over; false without memory. Degenerate triangles take part in nothing else
 * when two of their corners are one. */
CR_SHARED bool cr_mesh_check(const cr_mesh* mesh, cr_mesh_report* report);

/* The first thing that is wrong as a clause that names a face (from 1, as in the file), or null for
 * a closed surface that looks outwards.
 * @param text receives the clause */
const char* cr_mesh_describe(const cr_mesh_report* report, char* text, int size);

/* How a mesh stands for a mass (MJCF's names; the hull's is that of the hull's own mesh). */
typedef enum cr_mesh_solid {
  CR_MESH_EXACT,  /* the enclosed solid, by the divergence theorem; wants a closed surface */
  CR_MESH_LEGACY, /* each triangle's cone to the centre counts, however it looks */
  CR_MESH_SIGNED, /* likewise, less where a triangle looks at the centre: of open surfaces */
  CR_MESH_SHELL,  /* the surface alone; the "volume" is its area, m² */
} cr_mesh_solid;

/* Of unit density. */
typedef struct cr_mesh_mass {
  double volume;     /* m³; of a shell m² */
  v3 center;         /* m; of mass, in the mesh's frame */
  double inertia[6]; /* m⁵ (shell: m⁴), xx yy zz xy xz yz about the centre */
} cr_mesh_mass;

/* Mass properties, in closed form; a volume that is not positive, and zeros, for an exact mesh that
 * encloses nothing or looks inwards. */
CR_SHARED void cr_mesh_compute_mass(const cr_mesh* mesh, cr_mesh_solid solid, cr_mesh_mass* mass);

#endif
