#include "support/graphs.h"

#include <stdlib.h>

void graph_sample_take(graph_sample* s, int num_blocks, int* size, int count, int (*couplings)[2]) {
  *s = (graph_sample){
      .num_blocks = num_blocks, .count = count, .size = size, .couplings = couplings};
  cr_arena_init(&s->arena, NULL);
  graph_sample_build(s);
}

void graph_sample_init(graph_sample* s, matrix_shape shape, matrix_sizes sizes, int num_blocks,
                       uint64_t seed) {
  check_random random = {seed};
  size_t most = (size_t)matrix_max_couplings(num_blocks) + 1;
  int* size = check_alloc(sizeof(int) * (size_t)num_blocks);
  int(*couplings)[2] = check_alloc(sizeof(int[2]) * most);
  for (int k = 0; k < num_blocks; k++) size[k] = matrix_random_size(sizes, &random);
  int count = matrix_fill_couplings(shape, num_blocks, &random, couplings);
  graph_sample_take(s, num_blocks, size, count, couplings);
}

void graph_sample_destroy(graph_sample* s) {
  cr_arena_destroy(&s->arena);
  free(s->size);
  free(s->couplings);
}

void graph_sample_build(graph_sample* s) {
  cr_arena_reset(&s->arena);
  assert_true(cr_bsm_pattern_build(&s->arena, s->num_blocks, s->size, s->count,
                                   (const int(*)[2])s->couplings, &s->pattern));
  assert_true(cr_block_graph_build(&s->pattern, &s->arena, &s->graph));
}

int* graph_sample_allocate(const graph_sample* s) {
  return check_alloc(sizeof(int) * (size_t)s->num_blocks);
}

double graph_sample_count(graph_sample* s, const int* order) {
  cr_elimination elimination;
  cr_scratch_mark mark = cr_arena_mark_scratch(&s->arena);
  matrix_check_order(s->num_blocks, order);
  assert_true(cr_elimination_compute(&s->graph, order, &s->arena, &elimination));
  matrix_check_order(s->num_blocks, elimination.permutation);
  double flops = cr_elimination_count_flops(&s->graph, &elimination);
  cr_arena_pop_scratch(&s->arena, mark);
  return flops;
}

void graph_sample_for_each(void (*check)(graph_sample* sample, cr_ordering ordering, int* order)) {
  for (int shape = 0; shape < SHAPE_COUNT; shape++)
    for (int n = 1; n < 200; n = 3 * n + 1)
      for (int ordering = CR_ORDERING_NATURAL; ordering <= CR_ORDERING_AMD; ordering++) {
        graph_sample s;
        graph_sample_init(&s, shape, SIZES_TREES, n, (uint64_t)n);
        int* order = graph_sample_allocate(&s);
        assert_true(cr_ordering_compute(&s.graph, ordering, &s.arena, order));
        check(&s, ordering, order);
        free(order);
        graph_sample_destroy(&s);
      }
}
