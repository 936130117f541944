/* Orders that are kept and made better; see order.h. */
#include "solve/newton/order.h"

#include "base/copy.h"
#include "base/hash.h"
#include "linalg/ordering.h"
#include "solve/tuning.h"

#include <string.h>

enum { MOST_TRIES = 1 << 30 }; /* that are counted */

bool cr_order_is_kept(int num_blocks) { return num_blocks >= CR_ORDER_BLOCKS; }

bool cr_order_is_valid(const cr_order_record* record, int num_blocks) {
  return record->rank >= 0 && record->rank <= num_blocks && record->tries >= 0 &&
         record->tries <= MOST_TRIES && record->wait >= 0 && record->wait <= MOST_TRIES &&
         record->operations >= 0;
}

/* What is known of the largest island that one of the blocks was in: that of the last rank. Others
 * may have been somewhere else for a while. */
static cr_order_record find_last(const cr_order_record* record, int num_blocks) {
  cr_order_record last = record[0];
  for (int b = 1; b < num_blocks; b++)
    if (record[b].rank > last.rank) last = record[b];
  return last;
}

/* Places of blocks by their ranks; those without one stand before the last of their neighbours that
 * have one, and get their places from find_places. */
static int place_of(int rank) { return 2 * rank; }

static void find_places(const cr_block_graph* graph, const cr_order_record* record, int* place) {
  for (int b = 0; b < graph->num_blocks; b++) {
    int last = 1;
    if (record[b].rank > 0) continue;
    for (int e = graph->start[b]; e < graph->start[b + 1]; e++) {
      int rank = record[graph->neighbor[e]].rank;
      if (rank > last) last = rank;
    }
    place[b] = place_of(last) - 1;
  }
}

/* The blocks by place, then by number. */
static bool list_order(const int* place, int num_blocks, cr_arena* arena, int* order) {
  int most = 0;
  for (int b = 0; b < num_blocks; b++) most = place[b] > most ? place[b] : most;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  int* start = CR_SCRATCH(arena, int, most + 2);
  if (arena->failed) return false;
  memset(start, 0, sizeof(int) * (size_t)(most + 2));
  for (int b = 0; b < num_blocks; b++) start[place[b] + 1]++;
  for (int k = 0; k <= most; k++) start[k + 1] += start[k];
  for (int b = 0; b < num_blocks; b++) order[start[place[b]]++] = b;
  cr_arena_pop_scratch(arena, mark);
  return true;
}

/* Operations of an order, which becomes an equivalent postorder: what mends orders counts on it. */
static bool count_flops(const cr_block_graph* graph, int* order, cr_arena* arena, double* flops) {
  cr_elimination e;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  if (!cr_elimination_compute(graph, order, arena, &e)) return false;
  *flops = cr_elimination_count_flops(graph, &e);
  CR_COPY(order, e.permutation, graph->num_blocks);
  cr_arena_pop_scratch(arena, mark);
  return true;
}

/* The kept order, unless it has become worse than what is found now. */
static bool renew(const cr_block_graph* graph, cr_arena* arena, bool has_order, int* order,
                  cr_order_record* last) {
  double flops, fresh;
  if (has_order) {
    if (!count_flops(graph, order, arena, &flops)) return false;
    double enough = CR_WORSE * last->operations;
    bool is_worth = flops < CR_SPOILT * last->operations;
    if (flops > enough && is_worth && !cr_ordering_repair(graph, enough, arena, order, &flops))
      return false;
    if (flops <= enough) {
      if (flops < last->operations) last->operations = (float)flops;
      return true;
    }
  }
  cr_elimination e;
  if (!cr_ordering_choose(graph, CR_ORDERING_AUTO, arena, &e, &fresh)) return false;
  if (has_order && flops <= fresh) {
    last->operations = (float)flops;
    return true;
  }
  CR_COPY(order, e.permutation, graph->num_blocks);
  *last = (cr_order_record){.operations = (float)fresh, .wait = CR_WAIT};
  return true;
}

/* Some tries, more where there are more parts; ever fewer as they find less: the time between two
 * searches grows like the tries that there were, and these like the root of time. */
static bool search(const cr_block_graph* graph, cr_arena* arena, int* order,
                   cr_order_record* last) {
  double flops;
  int tries = 1 + graph->num_blocks / CR_ORDER_BLOCKS;
  uint64_t seed = cr_hash_u64(CR_HASH_SEED, (uint64_t)last->tries);
  if (!cr_ordering_improve(graph, tries, seed, arena, order, &flops)) return false;
  if (flops < last->operations) last->operations = (float)flops;
  last->wait = CR_WAIT + last->tries / (CR_WAIT * tries);
  last->tries = last->tries + tries < MOST_TRIES ? last->tries + tries : MOST_TRIES;
  return true;
}

/* The order, as it is to be from here on. */
static bool update(const cr_bsm_pattern* pattern, const cr_order_record* record,
                   cr_solve_cache* cache, cr_arena* arena, int* order, cr_order_record* last) {
  int n = pattern->num_blocks, unranked = 0;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  int* place = CR_SCRATCH(arena, int, n);
  if (arena->failed) return false;
  for (int b = 0; b < n; b++) {
    place[b] = place_of(record[b].rank);
    unranked += record[b].rank == 0;
  }
  bool has_order = unranked <= n / 4;
  bool is_due = last->operations >= CR_LARGE_FLOPS && last->wait == 0;
  if (last->wait > 0) last->wait--;
  if (unranked == 0) {
    if (!list_order(place, n, arena, order)) return false;
    if (!is_due && cache && cr_solve_cache_has(cache, pattern, order)) return true;
  }
  cr_block_graph graph;
  if (!cr_block_graph_build(pattern, arena, &graph)) return false;
  if (has_order && unranked > 0) {
    find_places(&graph, record, place);
    if (!list_order(place, n, arena, order)) return false;
  }
  if (!renew(&graph, arena, has_order, order, last)) return false;
  bool has_lasted = last->wait == 0; /* what was found now has not */
  if (is_due && has_lasted && !search(&graph, arena, order, last)) return false;
  cr_arena_pop_scratch(arena, mark);
  return true;
}

bool cr_order_analyze(const cr_bsm_pattern* pattern, cr_order_record* record, cr_solve_cache* cache,
                      cr_arena* arena, cr_symbolic* symbolic) {
  int n = pattern->num_blocks;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  int* order = CR_SCRATCH(arena, int, n);
  if (arena->failed) return false;
  cr_order_record last = find_last(record, n);
  if (!update(pattern, record, cache, arena, order, &last)) return false;
  for (int k = 0; k < n; k++) {
    record[order[k]] = last;
    record[order[k]].rank = k + 1;
  }
  bool done = cache ? cr_solve_cache_analyze_ordered(cache, pattern, order, arena, symbolic)
                    : cr_symbolic_analyze_ordered(pattern, order, arena, symbolic);
  cr_arena_pop_scratch(arena, mark);
  return done;
}
