/* Data of points and cells in legacy VTK files. */
#ifndef CR_IMPORT_TETS_VTK_DATA_H
#define CR_IMPORT_TETS_VTK_DATA_H

#include "import/tets/vtk_cells.h"

/* CR_TETS_NO_TYPE where the name is null or not known. */
cr_tets_type cr_vtk_type_of_name(const char* name);

/* CELL_DATA and POINT_DATA from the cursor on; what is not known ends the reading. */
carom_status cr_vtk_read_data(cr_tets_reader* r, cr_tets_found* found, const cr_vtk_cells* cells,
                              bool is_binary);

#endif
