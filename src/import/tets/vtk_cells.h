/* Cells of VTK's unstructured grids, and regions that their data make. */
#ifndef CR_IMPORT_TETS_VTK_CELLS_H
#define CR_IMPORT_TETS_VTK_CELLS_H

#include "import/tets/reader.h"

/* Cell c has the nodes from start[c] up to start[c + 1]. */
typedef struct cr_vtk_cells {
  int num, num_entries;
  int *start, *type;
  int64_t* node;
} cr_vtk_cells;

carom_status cr_vtk_take_cells(cr_tets_reader* r, int num, int num_entries, cr_vtk_cells* cells);

/* Keeps the tetrahedra. Other solids are refused. */
carom_status cr_vtk_collect(cr_tets_reader* r, const cr_vtk_cells* cells, cr_tets_found* found);

/* What data say of points or cells. */
typedef struct cr_vtk_data {
  const char* name;
  bool is_of_cells;
  const cr_vtk_cells* cells;
  int num_values;
  const double* value; /* [num_values] one of each point or cell */
} cr_vtk_data;

/* Regions where the values are whole numbers, at most CR_VTK_MOST_VALUES different ones: "name"
 * where they are not zero, "name=3" where they are 3. Other data make none. */
enum { CR_VTK_MOST_VALUES = 100 };
carom_status cr_vtk_mark_data(cr_tets_reader* r, cr_tets_found* found, const cr_vtk_data* data);

#endif
