/* What every fuzz target of a form of tetrahedral meshes does: whatever the bytes are, the answer
 * is a mesh that a body can be made of, or a sentence. */
#ifndef CR_FUZZ_READ_TETS_H
#define CR_FUZZ_READ_TETS_H

#include "import/tets/tets.h"
#include "soft/body.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* The energy of the reference shape is nothing. */
static inline void fuzz_evaluate_tets(const cr_soft_mesh* mesh) {
  cr_soft_material material;
  cr_soft_body body;
  cr_soft_face* faces;
  int num_faces;
  if (cr_soft_material_init(&material, CR_SOFT_COROTATED, 1e6, 0.3, 1e3, NULL) != CAROM_OK ||
      cr_soft_body_create(&body, mesh, &material, NULL, NULL) != CAROM_OK ||
      cr_soft_mesh_compute_surface(mesh, &faces, &num_faces, NULL) != CAROM_OK)
    abort();
  cr_soft_body_evaluate(&body, (const double(*)[3])mesh->node, &(cr_soft_output){0});
  cr_soft_faces_release(mesh, faces, num_faces);
  cr_soft_body_destroy(&body);
}

static inline void fuzz_read_tets(const uint8_t* data, size_t size) {
  carom_error error = {0};
  cr_soft_mesh mesh;
  carom_status status = cr_tets_load_memory("mesh", data, size, NULL, &mesh, &error);
  if ((status == CAROM_OK) != (mesh.num_elements > 0)) abort();
  if ((status == CAROM_OK) != (error.message[0] == '\0')) abort();
  if (status == CAROM_OK) fuzz_evaluate_tets(&mesh);
  cr_soft_mesh_destroy(&mesh);
}

#endif
