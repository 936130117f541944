/* VTK's XML files: .vtp of surfaces and points, .vtu of solids. */
#ifndef CR_CONVERT_VTK_XML_H
#define CR_CONVERT_VTK_XML_H

#include "convert/vtk_mesh.h"
#include "io/buffer.h"

/* Arrays as they stand in the file; those that are fixed stay from one file to the next. */
typedef struct cr_vtk_xml {
  const carom_allocator* allocator;
  cr_buffer encoded[CR_VTK_MOST_SLOTS];
} cr_vtk_xml;

void cr_vtk_xml_init(cr_vtk_xml* xml, const carom_allocator* allocator);

/* Writes a file.
 * @param time s, its field TimeValue
 * @param num_bytes receives its size */
carom_status cr_vtk_xml_write(cr_vtk_xml* xml, const cr_vtk_mesh* mesh, double time,
                              const char* path, int64_t* num_bytes, carom_error* error);
void cr_vtk_xml_free(cr_vtk_xml* xml);

#endif
