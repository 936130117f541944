/* DataArrays of VTK's XML files, in all their encodings. */
#ifndef CR_IMPORT_TETS_VTU_ARRAY_H
#define CR_IMPORT_TETS_VTU_ARRAY_H

#include "import/tets/reader.h"
#include "import/xml.h"

/* How the bytes of a file stand. */
typedef struct cr_vtu_file {
  cr_tets_reader* r;
  const char *appended, *appended_end; /* null: none */
  bool appended_is_base64, is_compressed;
  size_t word; /* bytes of the numbers in front of bytes: 4 or 8 */
} cr_vtu_file;

/* Reads what the root says of the order and packing of bytes. */
carom_status cr_vtu_read_root(cr_vtu_file* file, const cr_xml_element* root);

/* Opens an array for reading.
 * @param values receives a cursor in its text or its bytes, unpacked; @param type theirs */
carom_status cr_vtu_open_array(const cr_vtu_file* file, const cr_xml_element* array,
                               cr_tets_reader* values, cr_tets_type* type);

/* The whole number of an attribute, from 0 on, or `none` where it is not there. */
carom_status cr_vtu_read_number(const cr_vtu_file* file, const cr_xml_element* element,
                                const char* name, int64_t none, int64_t* value);

/* "name:line: ..." as bad input, with the line of an element. */
CR_PRINTF(3, 4)
carom_status cr_vtu_refuse(const cr_vtu_file* file, const cr_xml_element* element,
                           const char* format, ...);

#endif
