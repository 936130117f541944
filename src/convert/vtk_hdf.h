/* VTK's HDF5 files (.vtkhdf): PolyData, or an UnstructuredGrid, with a group Steps. */
#ifndef CR_CONVERT_VTK_HDF_H
#define CR_CONVERT_VTK_HDF_H

#include "convert/vtk_mesh.h"
#include "h5/h5.h"

/* A dataset that grows by rows. */
typedef struct cr_vtk_column {
  hid_t dataset, type; /* of memory */
  int components;
  hsize_t count; /* rows so far */
} cr_vtk_column;

/* The four kinds of cells of PolyData, in the format's order; a grid has one. */
enum { CR_VTK_VERTICES, CR_VTK_LINES, CR_VTK_POLYGONS, CR_VTK_STRIPS, CR_VTK_NUM_CELL_KINDS };

/* What a kind of cells has of columns, and a step. */
typedef enum cr_vtk_cell_column {
  CR_VTK_NUM_CELLS,
  CR_VTK_NUM_IDS,
  CR_VTK_CELL_OFFSETS,
  CR_VTK_CELL_IDS,
  CR_VTK_NUM_CELL_COLUMNS
} cr_vtk_cell_column;

typedef enum cr_vtk_step_column {
  CR_VTK_STEP_TIME,
  CR_VTK_STEP_PART,
  CR_VTK_STEP_PARTS,
  CR_VTK_STEP_POINTS,
  CR_VTK_STEP_CELLS,
  CR_VTK_STEP_IDS,
  CR_VTK_NUM_STEP_COLUMNS
} cr_vtk_step_column;

typedef struct cr_vtk_hdf {
  const char* path; /* must outlive it */
  cr_vtk_kind kind;
  hid_t file, group;
  cr_h5_guard guard;
  int num_steps;
  bool has_failed;                         /* HDF5 could not write */
  cr_vtk_column num_points, types;         /* the latter of grids */
  cr_vtk_column data[CR_VTK_MOST_SLOTS];   /* points, and what is data of points and cells */
  cr_vtk_column starts[CR_VTK_MOST_SLOTS]; /* of these, for each step */
  cr_vtk_column cells[CR_VTK_NUM_CELL_KINDS][CR_VTK_NUM_CELL_COLUMNS];
  cr_vtk_column steps[CR_VTK_NUM_STEP_COLUMNS];
} cr_vtk_hdf;

/* Creates a file; to be closed in any case.
 * @param kind of the meshes that follow */
carom_status cr_vtk_hdf_create(cr_vtk_hdf* hdf, const char* path, cr_vtk_kind kind,
                               carom_error* error);

/* Adds a step. Arrays of the mesh that are fixed are those of the first step. */
carom_status cr_vtk_hdf_append(cr_vtk_hdf* hdf, const cr_vtk_mesh* mesh, double time,
                               carom_error* error);

/* Closes the file.
 * @param num_bytes receives its size */
carom_status cr_vtk_hdf_close(cr_vtk_hdf* hdf, int64_t* num_bytes, carom_error* error);

#endif
