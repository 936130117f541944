/* What <flexcomp> and <flex> share: attributes, children, tetrahedra as lists of numbers. */
#ifndef CR_IMPORT_MJCF_FLEX_PARTS_H
#define CR_IMPORT_MJCF_FLEX_PARTS_H

#include "import/mjcf/body.h"
#include "soft/mesh.h"

/* Attributes of both; structs that are read by their table begin with this one. */
typedef struct cr_mjcf_flex {
  int dim, group, law; /* law: a carom_soft_law */
  int dof;             /* a cr_mjcf_flex_dof */
  cr_numbers rgba;
  double radius, density, alpha, pressure; /* density: NaN where not given */
  bool quadratic;
  const char* material;  /* of the assets */
  const char* substance; /* null: the file gives the numbers */
} cr_mjcf_flex;

/* How the format's nodes move: each by itself, along a line from the body around, or as corners of
 * cells move that they are interpolated between. */
typedef enum cr_mjcf_flex_dof {
  CR_MJCF_DOF_FULL,
  CR_MJCF_DOF_RADIAL,
  CR_MJCF_DOF_TRILINEAR,
  CR_MJCF_DOF_QUADRATIC,
  CR_MJCF_DOF_FLAT,
} cr_mjcf_flex_dof;

extern const cr_attribute cr_mjcf_flex_table[];

/* The values before a file says anything. */
cr_mjcf_flex cr_mjcf_flex_default(void);

/* Fails for children other than those that are read here, and than pins where they are allowed. */
carom_status cr_mjcf_check_flex_children(const cr_mjcf* m, const cr_xml_element* element,
                                         bool has_pins);

/* Sentences about bodies that are not solid; `is_solid` is false where they only make a remark. */
carom_status cr_mjcf_check_flex_dim(cr_mjcf* m, const cr_xml_element* element, int dim,
                                    bool* is_solid);

/* Whether <edge> keeps the lengths of edges, or the strains of cells, so that the body is rigid. */
carom_status cr_mjcf_is_flex_rigid(cr_mjcf* m, const cr_xml_element* element, bool* is_rigid);

/* Source, law, look and the children <elasticity>, <contact> and <edge>.
 * @param is_held no node can move against another, so that no elasticity is needed */
carom_status cr_mjcf_set_flex(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_flex* flex,
                              bool is_held, carom_soft_def* def);

/* Tetrahedra of attribute `element`, four nodes each, turned so that their volumes are positive,
 * in the reader's pool. The nodes of `def` are set. */
carom_status cr_mjcf_set_flex_elements(cr_mjcf* m, const cr_xml_element* element,
                                       carom_soft_def* def);

/* The numbers of one attribute, `each` at a time, none above 1e9; null where it is not there. */
carom_status cr_mjcf_read_groups(cr_mjcf* m, const cr_xml_element* element, const char* name,
                                 int each, const double** x, int* count);

/* Reads a solid whose edges keep their lengths: a rigid body, of its nodes' masses, that is free,
 * or fixed to the body around where its nodes move radially. It collides as its surface.
 * @param mesh its tetrahedra, in its own frame
 * @param has_core its nodes are those of the surface and one in the middle
 * @param def its mass, place, look and contact */
carom_status cr_mjcf_add_rigid_flex(cr_mjcf* m, const cr_soft_mesh* mesh, bool has_core,
                                    bool is_free, const carom_soft_def* def);

/* How the format numbers the nodes of a soft body. */
typedef struct cr_mjcf_flex_nodes {
  bool is_grid;
  int count[3];     /* of a grid along its axes; x is the slowest in the format, here the fastest */
  int num_nodes;    /* in all; 0: they have other numbers here */
  const char* type; /* of the body, for sentences */
} cr_mjcf_flex_nodes;

/* Reads the <pin>s of a soft body, which hold it on the body around. */
carom_status cr_mjcf_read_pins(cr_mjcf* m, const cr_xml_element* element,
                               const cr_mjcf_flex_nodes* nodes, const cr_mjcf_place* place,
                               carom_soft soft);

#endif
