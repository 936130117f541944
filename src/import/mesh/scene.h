/* Scenes of meshes, COLLADA and glTF, read by assimp where Carom is built with it; what is looked
 * over before assimp sees a byte of them, since its memory and its time are not ours to bound. */
#ifndef CR_IMPORT_MESH_SCENE_H
#define CR_IMPORT_MESH_SCENE_H

#include "import/mesh/read.h"

/* Bounds on what assimp is given. */
#define CR_SCENE_MAX_BYTES ((size_t)1 << 27) /* with the files that it names */
#define CR_SCENE_MAX_NODES 100000            /* each as often as it is used */
#define CR_SCENE_MAX_DEPTH 200               /* of nodes in nodes, of elements in elements */

/* Is assimp there? */
bool cr_scene_is_supported(void);

/* The triangles of all meshes, placed as the nodes of the scene say and painted with the colours of
 * their materials. Lengths are in metres as the file's <unit> says; axes are those of the file:
 * <up_axis>, and that glTF has y upwards, turn nothing. `source->name` is a path, beside which the
 * buffers of a glTF file are looked for.
 * @return CAROM_ERROR_UNSUPPORTED without assimp, CAROM_ERROR_BAD_INPUT, CAROM_ERROR_OUT_OF_MEMORY
 */
carom_status cr_scene_read(const cr_mesh_source* source, cr_mesh* mesh, carom_error* error);

/* Refuses a COLLADA file that is no XML, is nested deeply, or whose nodes, with those that
 * <instance_node> puts in their place, are more than CR_SCENE_MAX_NODES or contain themselves. */
carom_status cr_collada_check(const cr_mesh_source* source, const carom_allocator* allocator,
                              carom_error* error);

/* Refuses a glTF 2.0 file (.gltf or .glb) whose nodes are no trees, whose numbers do not lie in its
 * buffers, or that makes more of its data than a mesh may hold. */
carom_status cr_gltf_check(const cr_mesh_source* source, carom_error* error);

/* May a scene open this file? True in the folder of `main_path` and below it, where it really is.
 */
bool cr_scene_may_open(const char* main_path, const char* path);

#endif
