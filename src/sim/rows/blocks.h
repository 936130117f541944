/* The matrix A = M + tq tvq dt² K + tv dt D of some trees as a block-sparse matrix, one block row
 * per segment, and Jacobian rows in its blocks. A soft body is a tree whose segments are nodes;
 * here stand those that constraints touch, with what the others leave of A (soft_step.h). */
#ifndef CR_SIM_BLOCKS_H
#define CR_SIM_BLOCKS_H

#include "sim/mover.h"

typedef struct cr_blocks {
  cr_bsm_pattern pattern;
  const int* segment_block; /* [num_segments + num_nodes] block of a segment or a soft node, -1:
                             * it is not listed */
  const int* block_segment; /* [num_blocks] */
  int num_segments;         /* blocks that are segments; those behind them are soft nodes */
  const int* block_mover;   /* [num_blocks] */
  int num_movers;
  const int* movers; /* [num_movers] that are listed, ascending */
  double* values;    /* [pattern.num_values] */
} cr_blocks;

/* Pattern for the listed movers (ascending; trees joined by springs must be listed together), of
 * soft bodies the kept nodes. False when memory ran out. */
bool cr_blocks_init(const cr_step* step, const int* movers, int num_movers, cr_arena* arena,
                    cr_blocks* blocks);

/* Fills the values from kinematics. */
void cr_blocks_update(cr_step* step, cr_blocks* blocks);

/* Copies between dofs and the blocks' rows. */
void cr_blocks_gather(const cr_step* step, const cr_blocks* blocks, const double* v, double* x);
void cr_blocks_scatter(const cr_step* step, const cr_blocks* blocks, const double* x, double* v);

/* The blocks that the dofs of up to two links touch, ascending, and where each one's columns start.
 */
#define CR_PATH_MAX 512

/* What the rows of all points of a link have in common. */
typedef struct cr_path_side {
  bool is_still, is_free; /* fixed in the world; a free body, of which the others are: */
  int column;             /* where its columns start */
  const sv* S;            /* [3] rotations */
  v3 origin;
} cr_path_side;

typedef struct cr_path {
  int count;                                  /* blocks */
  int columns;                                /* sum of their sizes */
  int link[2];                                /* whose path it is, for who looks it up again, */
  const cr_barycentric_point* barycentric[2]; /* and of which points; */
  cr_path_side side[2];                       /* of these links */
  int block[CR_PATH_MAX];
  int column[CR_PATH_MAX];
} cr_path;

/* Inserts a block in ascending order; false when there is no room. */
bool cr_path_insert(cr_path* path, int block);

/* Column where a segment starts that is on the path. */
int cr_path_find_column(const cr_blocks* blocks, const cr_path* path, int segment);

/* Adds the path of a link (0 adds nothing). False when the path is too long. */
bool cr_path_add_link(const cr_step* step, const cr_blocks* blocks, int link, cr_path* path);
void cr_path_finish(const cr_blocks* blocks, cr_path* path);

/* The paths of two links, and the dofs of a line, together; no blocks where one of the trees is not
 * listed. */
void cr_path_find_links(const cr_step* step, const cr_blocks* blocks, const int link[2],
                        cr_path* path);
void cr_path_find_line(const cr_step* step, const cr_blocks* blocks, int line, cr_path* path);

/* What a link's rows have in common; of a path that is finished. */
cr_path_side cr_path_find_side(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                               int link);

/* Adds rows of the velocity of a link's point; and of a link's angular velocity. */
void cr_path_add_point_rows(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                            const cr_mover_point* point, const cr_point_rows* out);
/* The same of three rows of a free body.
 * @param directions [3]
 * @param J [3, stride] of the path, zero in the body's columns */
void cr_path_set_free_rows(const cr_path_side* side, double sign, const v3* directions, v3 place,
                           double* J, int stride);
void cr_path_add_angular_rows(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                              int link, const cr_point_rows* out);

/* Adds `value` in the column of a dof. */
void cr_path_add_dof(const cr_step* step, const cr_blocks* blocks, const cr_path* path, int dof,
                     double value, double* J);

/* Adds `scale` times the row of a line. */
void cr_path_add_line(const cr_step* step, const cr_blocks* blocks, const cr_path* path, int line,
                      double scale, double* J);

/* A += weight Jᵀ J of a row over a path's columns. */
void cr_blocks_add_square(cr_blocks* blocks, const cr_path* path, double weight, const double* J);

/* A += Jᵀ K J of three rows, J [3, stride] over a path's columns, K symmetric. */
void cr_blocks_add_form(cr_blocks* blocks, const cr_path* path, const m3* K, const double* J,
                        int stride);

#endif
