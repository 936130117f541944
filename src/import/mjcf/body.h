/* What stands within a body. */
#ifndef CR_IMPORT_MJCF_BODY_H
#define CR_IMPORT_MJCF_BODY_H

#include "import/mjcf/class.h"

/* Where an element stands: its body, and the frame around it. */
typedef struct cr_mjcf_place {
  carom_body body;
  int class;         /* of elements that name none */
  bool has_inertial; /* the body's mass is given, and its geometries do not matter */
  v3 p;              /* of the frame, in the body */
  quat q;
  quat inertial_axes; /* that <inertial> gives moments along; zero: it does not */
  const char* suffix; /* of names within a copy; null: none */
} cr_mjcf_place;

/* Takes a position and an orientation of the frame into the body. */
void cr_mjcf_into_body(const cr_mjcf_place* place, double position[3], double quaternion[4]);

/* The name of an element, numbered within copies. */
carom_status cr_mjcf_name(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_place* place,
                          const char** name);

/* Counts an element of a copy, whose number is bounded. */
carom_status cr_mjcf_count_copy(cr_mjcf* m, const cr_xml_element* element);

/* Appends the place of each copy that a <replicate> makes (a list of cr_mjcf_place). */
carom_status cr_mjcf_open_replicate(cr_mjcf* m, const cr_xml_element* element,
                                    const cr_mjcf_place* outer, cr_list* places);

/* Type, size and place in the body, of a geometry or a site. */
carom_status cr_mjcf_set_shape(const cr_mjcf* m, const cr_subject* subject,
                               const cr_mjcf_place* place, const cr_mjcf_geom* geom,
                               carom_geom_def* def);

/* Size and place of a primitive that names a mesh. */
carom_status cr_mjcf_fit_geom(cr_mjcf* m, const cr_xml_element* element, cr_mjcf_geom* geom);

/* Its own colour where the file gives one, else its material's. */
carom_status cr_mjcf_set_colour(const cr_mjcf* m, const cr_subject* subject,
                                const cr_mjcf_geom* geom, carom_geom_def* def);

/* Elements of a body. */
carom_status cr_mjcf_read_geom(cr_mjcf* m, const cr_xml_element* element,
                               const cr_mjcf_place* place);
carom_status cr_mjcf_read_site(cr_mjcf* m, const cr_xml_element* element,
                               const cr_mjcf_place* place);
carom_status cr_mjcf_read_joint(cr_mjcf* m, const cr_xml_element* element,
                                const cr_mjcf_place* place);
carom_status cr_mjcf_read_freejoint(cr_mjcf* m, const cr_xml_element* element,
                                    const cr_mjcf_place* place);

/* A body to be aligned. */
typedef struct cr_mjcf_aligned {
  int body; /* of the builder */
  bool has_inertial;
  quat axes; /* of its <inertial>, where that gives moments along them; else zero */
} cr_mjcf_aligned;

/* Lists a body with a free joint to be aligned with its principal axes, where that is asked for.
 * @param align 0: no, 1: yes, CR_MJCF_ALIGN_AUTO: as the compiler section says */
carom_status cr_mjcf_align(cr_mjcf* m, const cr_mjcf_place* place, int align);
#define CR_MJCF_ALIGN_AUTO 2

/* A soft body, and what holds it. */
carom_status cr_mjcf_read_flexcomp(cr_mjcf* m, const cr_xml_element* element,
                                   const cr_mjcf_place* place);

/* Makes a body that a <flex> has a vertex on a node of it, where it is nothing but a mass on three
 * slides; anything else stays a body.
 * @param class of its joints that name none
 * @param is_taken receives whether the builder is not to have it */
carom_status cr_mjcf_take_flex_node(cr_mjcf* m, const cr_xml_element* body,
                                    const carom_body_def* def, int class, bool* is_taken);

/* A <mesh> of the assets, whose file is read when a geometry needs it. */
carom_status cr_mjcf_read_mesh(cr_mjcf* m, const cr_xml_element* element);

/* The builder's mesh, for drawing alone, that a geometry names; null where there is none that could
 * be drawn, which a note says once. */
carom_status cr_mjcf_draw_mesh(cr_mjcf* m, const cr_xml_element* geom, const char* name,
                               carom_mesh* handle);

/* The builder's mesh that a geometry names. */
carom_status cr_mjcf_use_mesh(cr_mjcf* m, const cr_xml_element* geom, const char* name,
                              bool collides, carom_mesh* handle);

/* A <hfield> of the assets, likewise, and the builder's height field that a geometry names. */
carom_status cr_mjcf_read_hfield(cr_mjcf* m, const cr_xml_element* element);
carom_status cr_mjcf_use_hfield(cr_mjcf* m, const cr_xml_element* geom, const char* name,
                                carom_height_field* handle);

/* The name that geometries call an asset: its own, or its file's without folder and ending; null
 * where it has neither. */
const char* cr_mjcf_asset_name(cr_mjcf* m, const cr_xml_element* element, const char* file);

/* Opens a file of meshes or heights: in the folder that the compiler section names, beside the main
 * file.
 * @param path receives its path, in the pool */
carom_status cr_mjcf_open_asset(cr_mjcf* m, const cr_xml_element* element, const char* name,
                                FILE** file, char** path);

/* The pose of a <frame> in what is around it. */
carom_status cr_mjcf_read_frame(cr_mjcf* m, const cr_xml_element* frame, v3* position,
                                quat* orientation);

/* The <inertial> of a body, if it has one, also within frames, into its definition.
 * @param axes along which it gives moments; zero where it gives them otherwise */
carom_status cr_mjcf_read_inertial(cr_mjcf* m, const cr_xml_element* body, carom_body_def* def,
                                   bool* is_given, quat* axes);

#endif
