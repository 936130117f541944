/** @file
 * What pictures of soft bodies take: the nodes of their surfaces, normals, means of what elements
 * carry at the nodes, and colours of stress.
 *
 * Functions are pure, take bodies of models and of recordings alike (carom_model_get_soft,
 * carom_recording_get_soft), and take no memory. `docs/soft.md` says what stress is meant.
 */
#ifndef CAROM_SOFT_H
#define CAROM_SOFT_H

#include "carom/model.h"

CAROM_BEGIN_DECLS

/** Lists the nodes that triangles of the surface have, in ascending order.
 * @param nodes [num_nodes] receives them; what follows them is not set to any purpose
 * @return how many there are */
CAROM_API int carom_soft_list_surface(const carom_soft_info* soft, int* nodes);

/** Lists the vertices that draw the surface: one for each of its nodes, or where it has an edge at
 * rest, of more than 40 degrees, one for each side, so that either has a normal of its own.
 * @param corners [3 num_triangles] receives the vertex of each corner of the triangles
 * @param nodes [3 num_triangles] receives the node of each vertex
 * @param work [num_nodes] is overwritten
 * @return how many there are */
CAROM_API int carom_soft_list_vertices(const carom_soft_info* soft, int* corners, int* nodes,
                                       int* work);

/** Unit normals at the vertices, outwards: the mean of the triangles', each as its area weighs;
 * zero where there is none.
 * @param corners [3 num_triangles] of carom_soft_list_vertices
 * @param x [3 num_nodes] m, where the nodes are: in q, from `q_address` on
 * @param normals [3 num_vertices] */
CAROM_API void carom_soft_compute_normals(const carom_soft_info* soft, const int* corners,
                                          int num_vertices, const double* x, double* normals);

/** Volumes at rest of the elements about each node, m³, straight edges taken: weights of means.
 * @param volumes [num_nodes] all positive */
CAROM_API void carom_soft_compute_volumes(const carom_soft_info* soft, double* volumes);

/** What elements carry, such as von Mises' stress, at the nodes: the mean over the elements that a
 * node has, each as its volume weighs.
 * @param volumes [num_nodes] of carom_soft_compute_volumes
 * @param of_elements [num_elements]
 * @param of_nodes [num_nodes] */
CAROM_API void carom_soft_compute_means(const carom_soft_info* soft, const double* volumes,
                                        const double* of_elements, double* of_nodes);

/** Colour of a part of a range, from dark violet at 0 over blue and green to light yellow at 1:
 * steps that look alike, lighter all the way, so that they are told apart in grey and by the
 * colour-blind.
 * @param part below 0 and above 1 as 0 and 1; NaN as 1
 * @param rgb sRGB, from 0 to 1 */
CAROM_API void carom_soft_get_colour(double part, float rgb[3]);

CAROM_END_DECLS

#endif
