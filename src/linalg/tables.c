/* Panels, their rows, the places of the matrix's blocks, and the lists of updates.
 *
 * One pass over the supernodes in order: for each a map from block to row of its panel is set up;
 * through it the stored blocks of its columns and all updates by earlier supernodes find their
 * places. Which supernodes update which comes from chains: every supernode waits in the chain of
 * the next one that it has rows in. */
#include "linalg/tables.h"

#include "base/copy.h"

/* The rows of the factor under each supernode, as positions of blocks. */
typedef struct row_lists {
  int* start; /* [num_supernodes + 1] */
  int* block; /* [start[num_supernodes]] ascending in a supernode */
} row_lists;

/* The updates of one supernode by another: consecutive in both arrays. */
typedef struct update_group {
  int source;
  int first_update, num_updates;
  int first_segment, num_segments;
} update_group;

typedef struct builder {
  const cr_bsm_pattern* pattern;
  const cr_block_graph* graph;
  const cr_elimination* order;
  const cr_supernodes* sn;
  row_lists rows;
  cr_supernode* supernode; /* [num_supernodes + 1] */
  cr_row_run* run;
  cr_factor_target* target;
  int* row;                 /* [num_rows] */
  int* position_row;        /* [num_blocks + 1] first row of a block, by position */
  int* block_row;           /* [num_blocks] the same by block */
  int* block_supernode;     /* [num_blocks] */
  int* local;               /* [num_blocks] row in the current panel, by position */
  int *chain, *chained;     /* [num_supernodes] first of a chain, next in it; -1 at the end */
  int *cursor, *cursor_row; /* [num_supernodes] next entry of the row list, its row in the panel */
  cr_update* update;
  cr_segment* segment;
  update_group* group;
  int num_runs, num_updates, num_segments, num_groups, max_below;
} builder;

/* Adds block i to the rows of a supernode and of the parts before it, whose panels have the rows of
 * all later parts even where an element is zero. */
static void add_row(builder* b, int s, int i, int* fill, int* seen) {
  do {
    if (seen[s] == i) return;
    seen[s] = i;
    b->rows.block[fill[s]++] = i;
  } while (s-- > 0 && b->sn->goes_on[s]);
}

/* Rows [i] of the factor: the supernodes on the paths from the neighbours of i up to i. */
static void fill_rows(builder* b, int* fill, int* seen) {
  const cr_supernodes* sn = b->sn;
  int total = 0;
  for (int s = 0; s < sn->num; s++) {
    b->rows.start[s] = fill[s] = total;
    total += sn->below_count[s];
    seen[s] = -1;
  }
  b->rows.start[sn->num] = total;
  for (int i = 0; i < b->graph->num_blocks; i++) {
    int v = b->order->permutation[i], own = sn->of_position[i];
    seen[own] = i;
    if (own > 0 && sn->goes_on[own - 1]) add_row(b, own - 1, i, fill, seen);
    for (int e = b->graph->start[v]; e < b->graph->start[v + 1]; e++) {
      int k = b->order->position[b->graph->neighbor[e]];
      if (k > i) continue;
      for (int s = sn->of_position[k]; seen[s] != i; s = sn->parent[s])
        add_row(b, s, i, fill, seen);
    }
  }
}

static int round_to_segments(int rows) {
  return (rows + CR_SEGMENT_ROWS - 1) / CR_SEGMENT_ROWS * CR_SEGMENT_ROWS;
}

/* Doubles between the columns of a panel: not a multiple of 512 bytes, for then the columns of a
 * tile would share few sets of the cache. */
static int choose_stride(int rows) {
  int stride = round_to_segments(rows);
  return stride % 64 == 0 ? stride + CR_SEGMENT_ROWS : stride;
}

/* The numbering of scalar rows by position and by block. */
static void number_rows(builder* b) {
  int row = 0;
  for (int k = 0; k < b->graph->num_blocks; k++) {
    int v = b->order->permutation[k];
    b->position_row[k] = b->block_row[v] = row;
    b->block_supernode[v] = b->sn->of_position[k];
    for (int r = 0; r < b->graph->size[v]; r++) b->row[row++] = b->pattern->row_start[v] + r;
  }
  b->position_row[b->graph->num_blocks] = row;
}

/* True for the whole tree of a supernode, which no update reads or changes. The last child comes
 * just before its parent. */
static bool stands_alone(const builder* b, int s) {
  return b->sn->parent[s] < 0 && (s == 0 || b->sn->parent[s - 1] != s);
}

/* Panels and runs of rows. Between panels that update each other there are numbers that kernels may
 * read while another thread writes the next panel. */
static void lay_out_panels(builder* b) {
  int64_t offset = 0;
  b->num_runs = b->max_below = 0;
  for (int s = 0; s < b->sn->num; s++) {
    int below = round_to_segments(b->sn->width[s]), rows = below + b->sn->below_rows[s];
    b->supernode[s] = (cr_supernode){.offset = offset,
                                     .first_row = b->position_row[b->sn->first[s]],
                                     .width = b->sn->width[s],
                                     .below = below,
                                     .rows = rows,
                                     .stride = choose_stride(rows),
                                     .parent = b->sn->parent[s],
                                     .first_run = b->num_runs};
    offset += (int64_t)b->supernode[s].stride * b->supernode[s].width;
    if (!stands_alone(b, s)) offset += CR_KERNEL_SLACK;
    if (rows - below > b->max_below) b->max_below = rows - below;
    for (int x = b->rows.start[s]; x < b->rows.start[s + 1]; x++) {
      int k = b->rows.block[x], start = b->position_row[k], end = b->position_row[k + 1];
      if (x > b->rows.start[s] && b->rows.block[x - 1] == k - 1)
        b->run[b->num_runs - 1].count += end - start;
      else
        b->run[b->num_runs++] = (cr_row_run){start, end - start};
    }
  }
  b->supernode[b->sn->num] = (cr_supernode){.offset = offset, .first_run = b->num_runs};
}

/* Sets the rows of all blocks of a panel in `local`. */
static void map_panel(builder* b, int s) {
  const cr_supernode* panel = &b->supernode[s];
  for (int k = b->sn->first[s]; k < b->sn->first[s + 1]; k++)
    b->local[k] = b->position_row[k] - panel->first_row;
  int row = panel->below;
  for (int x = b->rows.start[s]; x < b->rows.start[s + 1]; x++) {
    int k = b->rows.block[x];
    b->local[k] = row;
    row += b->position_row[k + 1] - b->position_row[k];
  }
}

/* Places of the stored blocks in the mapped panel's columns. A block whose column is eliminated
 * after its row stands transposed. */
static void place_blocks(builder* b, int s) {
  const cr_supernode* panel = &b->supernode[s];
  for (int k = b->sn->first[s]; k < b->sn->first[s + 1]; k++) {
    int v = b->order->permutation[k];
    int64_t column = panel->offset + (int64_t)b->local[k] * panel->stride;
    b->target[b->pattern->col_start[v]] =
        (cr_factor_target){column + b->local[k], 1, panel->stride};
    for (int e = b->graph->start[v]; e < b->graph->start[v + 1]; e++) {
      int u = b->graph->neighbor[e], row = b->order->position[u];
      if (row < k) continue;
      cr_factor_target* target = &b->target[b->graph->stored[e]];
      if (u > v)
        *target = (cr_factor_target){column + b->local[row], 1, panel->stride};
      else
        *target = (cr_factor_target){column + b->local[row], panel->stride, 1};
    }
  }
}

/* Cuts rows that are consecutive in both panels into segments. */
static void emit_segments(builder* b, int source, int target, int count) {
  for (int k = 0; k < count; k += CR_SEGMENT_ROWS)
    b->segment[b->num_segments++] = (cr_segment){
        source + k, target + k, count - k < CR_SEGMENT_ROWS ? count - k : CR_SEGMENT_ROWS};
}

/* Emits the updates of the mapped panel t by s, whose next rows are in t, and moves s on. */
static void emit_updates(builder* b, int s, int t) {
  const cr_supernode* panel = &b->supernode[t];
  update_group* group = &b->group[b->num_groups++];
  *group = (update_group){s, b->num_updates, 0, b->num_segments, 0};
  int last_block = b->sn->first[t + 1];
  int source = b->cursor_row[s], run_source = source, run_target = -1, run_end = -1;
  for (int x = b->cursor[s]; x < b->rows.start[s + 1]; x++) {
    int k = b->rows.block[x], target = b->local[k];
    int size = b->position_row[k + 1] - b->position_row[k];
    bool is_column = k < last_block;
    if (target != run_end) {
      emit_segments(b, run_source, run_target, source - run_source);
      run_source = source;
      run_target = target;
      if (is_column)
        b->update[b->num_updates++] =
            (cr_update){.target = panel->offset + (int64_t)target * panel->stride,
                        .target_stride = panel->stride,
                        .source_row = source,
                        .first_segment = b->num_segments,
                        .panel = t};
    }
    run_end = target + size;
    source += size;
    if (!is_column) continue;
    b->update[b->num_updates - 1].num_columns += size;
    b->cursor[s] = x + 1;
    b->cursor_row[s] = source;
  }
  emit_segments(b, run_source, run_target, source - run_source);
  group->num_updates = b->num_updates - group->first_update;
  group->num_segments = b->num_segments - group->first_segment;
  for (int u = group->first_update; u < b->num_updates; u++)
    b->update[u].num_segments = b->num_segments - b->update[u].first_segment;
}

/* Puts s into the chain of the supernode that its next row belongs to. */
static void chain_up(builder* b, int s) {
  if (b->cursor[s] == b->rows.start[s + 1]) return;
  int t = b->sn->of_position[b->rows.block[b->cursor[s]]];
  b->chained[s] = b->chain[t];
  b->chain[t] = s;
}

static void fill_tables(builder* b) {
  for (int s = 0; s < b->sn->num; s++) {
    b->chain[s] = -1;
    b->cursor[s] = b->rows.start[s];
    b->cursor_row[s] = b->supernode[s].below;
  }
  for (int t = 0; t < b->sn->num; t++) {
    map_panel(b, t);
    place_blocks(b, t);
    for (int s = b->chain[t], next; s >= 0; s = next) {
      next = b->chained[s];
      emit_updates(b, s, t);
      chain_up(b, s);
    }
    chain_up(b, t);
  }
}

/* Most segments that the updates may need: one per eight rows of each block, for every supernode
 * and each that it updates. */
static size_t bound_segments(const builder* b) {
  size_t bound = 0;
  for (int s = 0; s < b->sn->num; s++) {
    size_t rest = 0;
    for (int x = b->rows.start[s + 1] - 1; x >= b->rows.start[s]; x--) {
      int k = b->rows.block[x];
      int size = b->position_row[k + 1] - b->position_row[k];
      rest += (size_t)(size + CR_SEGMENT_ROWS - 1) / CR_SEGMENT_ROWS;
      bool first = x == b->rows.start[s] ||
                   b->sn->of_position[b->rows.block[x - 1]] != b->sn->of_position[k];
      if (first) bound += rest;
    }
  }
  return bound;
}

/* Sorts updates and segments by their source, stably; fills first_update of the supernodes. */
static void sort_by_source(builder* b, cr_update* update, cr_segment* segment, int* order) {
  int num = b->sn->num;
  int* start = b->cursor;
  for (int s = 0; s < num; s++) start[s] = 0;
  for (int g = 0; g < b->num_groups; g++) start[b->group[g].source]++;
  for (int s = 0, total = 0; s < num; s++) {
    int count = start[s];
    start[s] = total;
    total += count;
  }
  for (int g = 0; g < b->num_groups; g++) order[start[b->group[g].source]++] = g;

  int num_updates = 0, num_segments = 0, s = 0;
  for (int k = 0; k < b->num_groups; k++) {
    const update_group* group = &b->group[order[k]];
    for (; s <= group->source; s++) b->supernode[s].first_update = num_updates;
    for (int u = group->first_update; u < group->first_update + group->num_updates; u++) {
      update[num_updates] = b->update[u];
      update[num_updates++].first_segment += num_segments - group->first_segment;
    }
    CR_COPY(segment + num_segments, b->segment + group->first_segment, group->num_segments);
    num_segments += group->num_segments;
  }
  for (; s <= num; s++) b->supernode[s].first_update = num_updates;
}

static bool push_numbering(builder* b, cr_arena* arena) {
  int num_blocks = b->graph->num_blocks, num = b->sn->num, total = 0;
  for (int s = 0; s < num; s++) total += b->sn->below_count[s];
  b->rows.start = CR_SCRATCH(arena, int, num + 1);
  b->rows.block = CR_SCRATCH(arena, int, total);
  b->supernode = CR_SCRATCH(arena, cr_supernode, num + 1);
  b->run = CR_SCRATCH(arena, cr_row_run, total);
  b->target = CR_SCRATCH(arena, cr_factor_target, b->pattern->num_lower);
  b->row = CR_SCRATCH(arena, int, b->pattern->num_rows);
  b->position_row = CR_SCRATCH(arena, int, num_blocks + 1);
  b->block_row = CR_SCRATCH(arena, int, num_blocks);
  b->block_supernode = CR_SCRATCH(arena, int, num_blocks);
  b->local = CR_SCRATCH(arena, int, num_blocks);
  b->chain = CR_SCRATCH(arena, int, num);
  b->chained = CR_SCRATCH(arena, int, num);
  b->cursor = CR_SCRATCH(arena, int, num);
  b->cursor_row = CR_SCRATCH(arena, int, num);
  b->update = CR_SCRATCH(arena, cr_update, total);
  b->group = CR_SCRATCH(arena, update_group, total);
  return !arena->failed;
}

bool cr_tables_build(const cr_analysis* a, cr_arena* arena, cr_tables* tables) {
  builder b = {
      .pattern = a->pattern, .graph = &a->graph, .order = &a->elimination, .sn = &a->supernodes};
  if (!push_numbering(&b, arena)) return false;
  fill_rows(&b, b.cursor, b.chain);
  number_rows(&b);
  lay_out_panels(&b);
  b.segment = CR_SCRATCH(arena, cr_segment, bound_segments(&b));
  if (arena->failed) return false;
  fill_tables(&b);

  cr_update* update = CR_SCRATCH(arena, cr_update, b.num_updates);
  cr_segment* segment = CR_SCRATCH(arena, cr_segment, b.num_segments);
  int* order = CR_SCRATCH(arena, int, b.num_groups);
  if (arena->failed) return false;
  sort_by_source(&b, update, segment, order);
  tables->plan = (cr_plan){.num_supernodes = b.sn->num,
                           .num_runs = b.num_runs,
                           .num_updates = b.num_updates,
                           .num_segments = b.num_segments,
                           .max_below = b.max_below,
                           .supernode = b.supernode,
                           .run = b.run,
                           .update = update,
                           .segment = segment,
                           .row = b.row,
                           .block_row = b.block_row,
                           .block_parent = a->elimination.block_parent,
                           .block_supernode = b.block_supernode};
  tables->target = b.target;
  tables->factor_size = b.supernode[b.sn->num].offset + CR_KERNEL_SLACK;
  return true;
}
