/* Kinds of elements (Gmsh reference manual, "MSH file format"). */
#include "import/tets/gmsh_kind.h"

#include <stddef.h>

static const cr_gmsh_kind KIND[] = {
    [1] = {2, 1, "a line"},          [2] = {3, 2, "a triangle"},
    [3] = {4, 2, "a quadrangle"},    [4] = {4, 3, "a tetrahedron"},
    [5] = {8, 3, "a hexahedron"},    [6] = {6, 3, "a prism"},
    [7] = {5, 3, "a pyramid"},       [8] = {3, 1, "a line"},
    [9] = {6, 2, "a triangle"},      [10] = {9, 2, "a quadrangle"},
    [11] = {10, 3, "a tetrahedron"}, [12] = {27, 3, "a hexahedron"},
    [13] = {18, 3, "a prism"},       [14] = {14, 3, "a pyramid"},
    [15] = {1, 0, "a point"},        [16] = {8, 2, "a quadrangle"},
    [17] = {20, 3, "a hexahedron"},  [18] = {15, 3, "a prism"},
    [19] = {13, 3, "a pyramid"},     [20] = {9, 2, "a triangle"},
    [21] = {10, 2, "a triangle"},    [22] = {12, 2, "a triangle"},
    [23] = {15, 2, "a triangle"},    [24] = {15, 2, "a triangle"},
    [25] = {21, 2, "a triangle"},    [26] = {4, 1, "a line"},
    [27] = {5, 1, "a line"},         [28] = {6, 1, "a line"},
    [29] = {20, 3, "a tetrahedron"}, [30] = {35, 3, "a tetrahedron"},
    [31] = {56, 3, "a tetrahedron"}, [36] = {16, 2, "a quadrangle"},
    [37] = {25, 2, "a quadrangle"},  [92] = {64, 3, "a hexahedron"},
    [93] = {125, 3, "a hexahedron"},
};

const cr_gmsh_kind* cr_gmsh_find_kind(int64_t type) {
  if (type < 1 || type >= (int64_t)(sizeof KIND / sizeof KIND[0])) return NULL;
  return KIND[type].nodes ? &KIND[type] : NULL;
}
