/** @file
 * Scene files, MJCF, URDF and SDF: read into models or into descriptions that may be added to, and
 * written. In libcarom_io.
 *
 * A written file holds what the description compiles into: bodies with their masses and inertias as
 * numbers, to all digits, whatever rules they came from. Read again it gives the same dynamics.
 * What a format cannot hold is told, one sentence for each kind of thing (docs/models.md says
 * what).
 */
#ifndef CAROM_SCENE_H
#define CAROM_SCENE_H

#include "carom/model.h"

CAROM_BEGIN_DECLS

/** Whether a robot's root link moves, in formats that leave that open (URDF, SDF). */
typedef enum carom_base {
  CAROM_BASE_DEFAULT, /**< it is free, unless the file fixes it: a root link named
                            "world" (URDF), a static model or a joint to the world (SDF) */
  CAROM_BASE_FIXED,   /**< it is fixed to the world */
  CAROM_BASE_FREE,    /**< it is free, and so are the links that are fixed to the world */
} carom_base;

/** What the meshes of URDF and SDF files collide as. Where the file itself asks for a hull
 * (`drake:declare_convex`, `optimization="convex_hull"`) it has it in any case, and what cannot
 * collide as a surface, since it is open or turned, has its hull (docs/geometry.md). */
typedef enum carom_mesh_shape {
  CAROM_MESH_SHAPE_DEFAULT, /**< its hull where the mesh nearly fills it, else its surface */
  CAROM_MESH_SHAPE_HULL,    /**< its hull, or the convex parts that the file keeps apart */
  CAROM_MESH_SHAPE_SURFACE, /**< its surface wherever that is not convex */
} carom_mesh_shape;

/** Where a `carom_decompose` puts the convex parts of a mesh. */
typedef struct carom_convex_parts carom_convex_parts;

/** Adds a convex part: the hull of its points.
 * @param vertices [3 num_vertices] m, copied; at least 4, not all in a plane
 * @return CAROM_ERROR_INVALID_ARGUMENT, CAROM_ERROR_BAD_INPUT (too many, not finite) or
 *         CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_convex_parts_add(carom_convex_parts* parts, const double* vertices,
                                              int num_vertices, carom_error* error);

/** A mesh that is to be split into convex parts. */
typedef struct carom_decompose_input {
  const char* name;       /**< of its file */
  const double* vertices; /**< [3 num_vertices] m */
  int num_vertices;
  const int* triangles; /**< [3 num_triangles] vertices from 0, counterclockwise from outside */
  int num_triangles;
  int most_parts; /**< that the file asks for (SDF: `max_convex_hulls`); 0: it does not say */
} carom_decompose_input;

/** Splits a mesh into convex parts that cover it; called while a file is read.
 * @return CAROM_OK, or a status after a sentence in `error`, with which reading then fails */
typedef carom_status (*carom_decompose)(void* user, const carom_decompose_input* mesh,
                                        carom_convex_parts* parts, carom_error* error);

/** How a scene file is read. */
typedef struct carom_load_def {
  uint32_t cookie;
  carom_allocator allocator;
  bool permissive; /**< what would change the physics is noted instead of refused, and inertias
                        that no rigid body has are accepted */
  bool floor;      /**< add an endless plane if the file has none: at z = 0, or at the lowest
                        point of what moves where that is lower at the start */
  bool outside;    /**< files may be read that lie outside the model's tree: the folder of the
                        model's file and the one around it, and all of the package or repository
                        that begins in a folder above (docs/models.md) */
  bool alone;      /**< no file is read but the model's own: for texts of strangers */
  const char* const* outputs; /**< [num_outputs] files that the caller will write: reading one of
                                   them, under whatever name, is refused; null counts as none */
  int num_outputs;
  const double* gravity; /**< [3] m/s², in place of the file's; null: the file's */
  carom_base base;       /**< URDF, SDF; a MJCF file says itself what is free */
  int friction_rule;     /**< URDF, SDF: a carom_friction_rule in place of the file's; -1 (default):
                              the smaller of two where the file is written for Gazebo, that is SDF
                              without Drake's tags, else the harmonic mean */
  const char* search;    /**< folders, with ':' between, in which packages and models stand (see
                              docs/models.md); may be null */
  carom_mesh_shape mesh; /**< URDF, SDF */
  carom_decompose decompose; /**< URDF, SDF: meshes that are not convex collide as the parts that
                                  this gives, in place of their surfaces; null: none does */
  void* decompose_user;      /**< handed to it */
} carom_load_def;

/** Strict, no floor, the C library's memory. */
CAROM_API carom_load_def carom_load_def_default(void);

/** Reads a scene file (MJCF, see docs/mjcf.md, URDF, see docs/urdf.md, or SDF, see docs/sdf.md;
 * its root element tells which) and compiles it.
 * @param path the file; includes are found relative to it
 * @param def null: the defaults
 * @param model receives the model, to be freed with carom_model_destroy; null on failure
 * @return CAROM_ERROR_FILE, CAROM_ERROR_BAD_INPUT, CAROM_ERROR_UNSUPPORTED or
 *         CAROM_ERROR_OUT_OF_MEMORY; the error's sentence names file, line, element and value */
CAROM_API carom_status carom_model_load(const char* path, const carom_load_def* def,
                                        carom_model** model, carom_error* error);

/** The same from text in memory; includes are found relative to the current folder.
 * @param text need not end with a zero
 * @param length of the text in bytes
 * @param name what error sentences call the text; null: "text" */
CAROM_API carom_status carom_model_load_string(const char* text, size_t length, const char* name,
                                               const carom_load_def* def, carom_model** model,
                                               carom_error* error);

/** Reads a scene file like carom_model_load, but not further than to its description, which may be
 * added to, compiled and written.
 * @param builder receives the builder, to be freed with carom_builder_destroy; null on failure */
CAROM_API carom_status carom_builder_load(const char* path, const carom_load_def* def,
                                          carom_builder** builder, carom_error* error);

/** The formats of meshes that this build reads, by the ends of their names: "stl obj msh vtk vtu",
 * and "dae gltf glb" where the library was built with assimp. */
CAROM_API const char* carom_mesh_formats(void);

/** Formats of scenes. */
typedef enum carom_write_format {
  CAROM_WRITE_AUTO, /**< by the ending of the path: .urdf, else MJCF */
  CAROM_WRITE_MJCF, /**< MJCF; meshes stand in the file */
  CAROM_WRITE_URDF, /**< URDF; meshes stand beside it as OBJ, PATH-without-ending_mesh0.obj and on
                     */
} carom_write_format;

/** How a scene is written. */
typedef struct carom_write_def {
  uint32_t cookie;
  carom_write_format format;
  void (*remark)(void* user, const char* sentence); /**< told what is left out; may be null */
  void* user;
} carom_write_def;

/** By the ending, with no remarks. */
CAROM_API carom_write_def carom_write_def_default(void);

/** Writes a description as a scene file.
 * @param def null: the defaults
 * @return what carom_builder_compile returns where it does not compile; CAROM_ERROR_FILE;
 *         CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_builder_write(const carom_builder* builder, const char* path,
                                           const carom_write_def* def, carom_error* error);

CAROM_END_DECLS

#endif
