/* Meshes of tetrahedra with 4 or 10 nodes.
 *
 * An element lists its corners so that (x1 - x0) × (x2 - x0) · (x3 - x0) > 0; of ten nodes the last
 * six are the middles of the edges 01, 12, 02, 03, 13, 23 (as in VTK). Lengths in m. */
#ifndef CR_SOFT_MESH_H
#define CR_SOFT_MESH_H

#include "base/alloc.h"
#include "base/error.h"
#include "base/shared.h"

#include <stdint.h>

enum { CR_SOFT_LINEAR_NODES = 4, CR_SOFT_QUADRATIC_NODES = 10 };

/* A named part of a mesh: nodes, and the elements that are whole in it. */
typedef struct cr_soft_region {
  const char* name;
  int num_nodes, num_elements;
  const int* node;    /* [num_nodes] ascending */
  const int* element; /* [num_elements] ascending */
} cr_soft_region;

typedef struct cr_soft_mesh {
  carom_allocator allocator;
  int num_nodes, num_elements;
  int nodes_per_element; /* 4 or 10 */
  double (*node)[3];     /* [num_nodes] */
  int* element;          /* [num_elements, nodes_per_element] */
  int num_regions, region_capacity;
  cr_soft_region* region; /* [num_regions] */
} cr_soft_mesh;

/* Corners of the edges that carry the nodes 4 to 9. */
extern const int cr_soft_edge[6][2];

/* Nodes of the faces of an element, anticlockwise as seen from outside: corners, then the middles
 * of the edges that follow them. */
CR_SHARED extern const int cr_soft_face_nodes[4][6];

/* A face of an element. */
typedef struct cr_soft_face {
  int element;
  int face; /* row of cr_soft_face_nodes */
} cr_soft_face;

/* Takes memory for a mesh; its contents are not set. The sizes are at least 1. */
CR_SHARED carom_status cr_soft_mesh_create(cr_soft_mesh* mesh, int num_nodes, int num_elements,
                                           int nodes_per_element, const carom_allocator* allocator,
                                           carom_error* error);

/* Gives the memory back; a zeroed mesh is allowed. */
CR_SHARED void cr_soft_mesh_destroy(cr_soft_mesh* mesh);

/* Copies a region into the mesh, whose numbers it has; a name may stand once. */
CR_SHARED carom_status cr_soft_mesh_add_region(cr_soft_mesh* mesh, const cr_soft_region* region,
                                               carom_error* error);

/* The region of a name, or null. */
const cr_soft_region* cr_soft_mesh_find_region(const cr_soft_mesh* mesh, const char* name);

/* Writes the names of the regions with commas between them, as far as there is room. */
void cr_soft_mesh_list_regions(const cr_soft_mesh* mesh, char* text, size_t size);

/* The mesh with ten nodes an element and straight edges, made from one with four; the nodes keep
 * their numbers. A new node belongs to the regions that both ends of its edge belong to. */
carom_status cr_soft_mesh_make_quadratic(const cr_soft_mesh* linear, cr_soft_mesh* quadratic,
                                         carom_error* error);

/* Faces that belong to one element only, in order of elements.
 * @param faces receives a block of the mesh's allocator of `num_faces` entries, to be given back
 *        with cr_soft_faces_release */
CR_SHARED carom_status cr_soft_mesh_compute_surface(const cr_soft_mesh* mesh, cr_soft_face** faces,
                                                    int* num_faces, carom_error* error);
CR_SHARED void cr_soft_faces_release(const cr_soft_mesh* mesh, cr_soft_face* faces, int num_faces);

/* The mesh as tetrahedra with flat faces, on the surface those of cr_soft_surface: an element of
 * ten nodes is eight, one at each corner and four between the middles of its edges. */
static inline int cr_soft_mesh_count_tets(const cr_soft_mesh* mesh) {
  return mesh->num_elements * (mesh->nodes_per_element == CR_SOFT_LINEAR_NODES ? 1 : 8);
}
void cr_soft_mesh_get_tet(const cr_soft_mesh* mesh, int tet, int node[4]);

/* Volume of the corners' tetrahedron of an element, m³. */
double cr_soft_mesh_compute_volume(const cr_soft_mesh* mesh, int element);

/* What a file calls the nodes and elements; null: by their numbers from zero. */
typedef struct cr_soft_numbers {
  const int64_t* node;    /* [num_nodes] */
  const int64_t* element; /* [num_elements] */
} cr_soft_numbers;

/* Looks for what no simulation can use: nodes that are not numbers, of no element, or in the same
 * place; elements with nodes that do not exist or repeat, without volume, inverted, two in one
 * place; parts that do not hang together. The sentence names the first.
 * @param numbers may be null */
CR_SHARED carom_status cr_soft_mesh_check(const cr_soft_mesh* mesh, const cr_soft_numbers* numbers,
                                          carom_error* error);

#endif
