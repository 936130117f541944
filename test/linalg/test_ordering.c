/* Orderings: valid, repeatable, exact where they say so, and without fill where none is needed. */
#include "support/graphs.h"

#include <stdlib.h>
#include <string.h>

static void check_again(graph_sample* s, cr_ordering ordering, int* first) {
  int* second = graph_sample_allocate(s);
  assert_true(cr_ordering_compute(&s->graph, ordering, &s->arena, second));
  matrix_check_order(s->num_blocks, first);
  assert_memory_equal(first, second, sizeof(int) * (size_t)s->num_blocks);
  free(second);
}

static void orderings_are_permutations_and_repeat(void** state) {
  (void)state;
  graph_sample_for_each(check_again);
}

static void natural_and_reverse_are_what_they_say(void** state) {
  (void)state;
  graph_sample s;
  int order[20];
  graph_sample_init(&s, SHAPE_RANDOM, SIZES_SIX, 20, 1);
  assert_true(cr_ordering_compute(&s.graph, CR_ORDERING_NATURAL, &s.arena, order));
  for (int k = 0; k < 20; k++) assert_int_equal(order[k], k);
  assert_true(cr_ordering_compute(&s.graph, CR_ORDERING_REVERSE, &s.arena, order));
  for (int k = 0; k < 20; k++) assert_int_equal(order[k], 19 - k);
  graph_sample_destroy(&s);
}

/* The remaining graph as a matrix of bytes. */
typedef struct dense_graph {
  int n;
  const int* size;
  char* coupled; /* [n][n] */
  char* gone;    /* [n] */
} dense_graph;

static void dense_graph_init(dense_graph* d, const cr_block_graph* graph) {
  int n = graph->num_blocks;
  *d = (dense_graph){n, graph->size, check_alloc((size_t)(n * n)), check_alloc((size_t)n)};
  memset(d->coupled, 0, (size_t)(n * n));
  memset(d->gone, 0, (size_t)n);
  for (int v = 0; v < n; v++)
    for (int e = graph->start[v]; e < graph->start[v + 1]; e++)
      d->coupled[v * n + graph->neighbor[e]] = 1;
}

static void dense_graph_destroy(dense_graph* d) {
  free(d->coupled);
  free(d->gone);
}

static int dense_degree(const dense_graph* d, int v) {
  int degree = 0;
  for (int u = 0; u < d->n; u++)
    if (!d->gone[u] && d->coupled[v * d->n + u]) degree += d->size[u];
  return degree;
}

static void dense_eliminate(dense_graph* d, int v) {
  d->gone[v] = 1;
  for (int a = 0; a < d->n; a++)
    for (int b = 0; b < d->n; b++)
      if (a != b && !d->gone[a] && !d->gone[b] && d->coupled[v * d->n + a] &&
          d->coupled[v * d->n + b])
        d->coupled[a * d->n + b] = 1;
}

/* Every block taken has the lowest degree of those that remain, or has become indistinguishable
 * from the one before it (its clique is what is left of that one's). */
static void minimum_degree_is_exact(void** state) {
  (void)state;
  for (int shape = 0; shape < SHAPE_COUNT; shape++)
    for (int sizes = 0; sizes < SIZES_COUNT; sizes++)
      for (int n = 5; n < 150; n = 2 * n + 1) {
        graph_sample s;
        dense_graph d;
        graph_sample_init(&s, shape, sizes, n, (uint64_t)(n + shape));
        dense_graph_init(&d, &s.graph);
        int* order = check_alloc(sizeof(int) * (size_t)n);
        assert_true(cr_ordering_compute(&s.graph, CR_ORDERING_MINIMUM_DEGREE, &s.arena, order));
        int clique_rows = -1;
        for (int k = 0; k < n; k++) {
          int lowest = INT32_MAX, degree = dense_degree(&d, order[k]);
          for (int v = 0; v < n; v++)
            if (!d.gone[v] && dense_degree(&d, v) < lowest) lowest = dense_degree(&d, v);
          if (degree != lowest) assert_int_equal(degree + d.size[order[k]], clique_rows);
          clique_rows = degree;
          dense_eliminate(&d, order[k]);
        }
        free(order);
        dense_graph_destroy(&d);
        graph_sample_destroy(&s);
      }
}

/* Operations when nothing fills in: those of the lower triangle as it stands, in any order that
 * eliminates leaves first. */
static void trees_do_not_fill(void** state) {
  (void)state;
  const cr_ordering orderings[] = {CR_ORDERING_MINIMUM_DEGREE, CR_ORDERING_MINIMUM_FILL,
                                   CR_ORDERING_AMD};
  const matrix_shape shapes[] = {SHAPE_CHAIN, SHAPE_ARROW, SHAPE_ARROW_FIRST, SHAPE_DISCONNECTED};
  for (int k = 0; k < 12; k++) {
    graph_sample s;
    int order[40], n = 40;
    graph_sample_init(&s, shapes[k % 4], SIZES_SIX, n, 1);
    assert_true(cr_ordering_compute(&s.graph, orderings[k / 4], &s.arena, order));
    cr_elimination elimination;
    assert_true(cr_elimination_compute(&s.graph, order, &s.arena, &elimination));
    int below = 0;
    for (int v = 0; v < n; v++) below += elimination.below_blocks[v];
    assert_int_equal(below, s.pattern.num_lower - n);
    graph_sample_destroy(&s);
  }
}

static void fill_reducing_orderings_reduce_fill(void** state) {
  (void)state;
  const cr_ordering orderings[] = {CR_ORDERING_MINIMUM_DEGREE, CR_ORDERING_MINIMUM_FILL,
                                   CR_ORDERING_AMD};
  graph_sample s;
  int n = 400;
  graph_sample_init(&s, SHAPE_GRID, SIZES_SIX, n, 1);
  int* order = check_alloc(sizeof(int) * (size_t)n);
  assert_true(cr_ordering_compute(&s.graph, CR_ORDERING_NATURAL, &s.arena, order));
  double natural = graph_sample_count(&s, order);
  for (int k = 0; k < 3; k++) {
    assert_true(cr_ordering_compute(&s.graph, orderings[k], &s.arena, order));
    /* A banded grid of 20 x 20 costs about twice what nested dissection does. */
    assert_true(graph_sample_count(&s, order) < 0.7 * natural);
  }
  free(order);
  graph_sample_destroy(&s);
}

/* Flops, and the blocks of every column, against an elimination of the whole graph. */
static void column_sizes_match_a_dense_elimination(void** state) {
  (void)state;
  for (int shape = 0; shape < SHAPE_COUNT; shape++)
    for (int ordering = CR_ORDERING_NATURAL; ordering <= CR_ORDERING_AMD; ordering++) {
      graph_sample s;
      dense_graph d;
      int n = 50, order[50];
      graph_sample_init(&s, shape, SIZES_TREES, n, (uint64_t)shape);
      dense_graph_init(&d, &s.graph);
      assert_true(cr_ordering_compute(&s.graph, ordering, &s.arena, order));
      cr_elimination e;
      assert_true(cr_elimination_compute(&s.graph, order, &s.arena, &e));
      double flops = 0;
      for (int k = 0; k < n; k++) {
        int v = e.permutation[k], degree = dense_degree(&d, v);
        assert_int_equal(e.position[v], k);
        assert_int_equal(e.below_rows[k], degree);
        assert_true(e.parent[k] < 0 ? degree == 0 : e.parent[k] > k);
        for (int c = 1; c <= d.size[v]; c++) flops += (double)(degree + c) * (degree + c);
        dense_eliminate(&d, v);
      }
      check_near(cr_elimination_count_flops(&s.graph, &e), flops, 1e-12 * flops);
      dense_graph_destroy(&d);
      graph_sample_destroy(&s);
    }
}

/* The mesh of a cube of cells^3 cubes, each cut into six tetrahedra. */
static double (*take_cube(graph_sample* s, int cells))[3] {
  static const int AHEAD[7][3] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0},
                                  {1, 0, 1}, {1, 1, 0}, {1, 1, 1}};
  int side = cells + 1, num_blocks = side * side * side, count = 0;
  double(*place)[3] = check_alloc(sizeof *place * (size_t)num_blocks);
  int* size = check_alloc(sizeof(int) * (size_t)num_blocks);
  int(*couplings)[2] = check_alloc(sizeof(int[2]) * 8 * (size_t)num_blocks);
  for (int b = 0; b < num_blocks; b++) {
    int at[3] = {b / (side * side), b / side % side, b % side};
    size[b] = 3;
    for (int k = 0; k < 3; k++) place[b][k] = at[k];
    couplings[count][0] = couplings[count][1] = b, count++;
    for (int a = 0; a < 7; a++) {
      int x = at[0] + AHEAD[a][0], y = at[1] + AHEAD[a][1], z = at[2] + AHEAD[a][2];
      if (x >= side || y >= side || z >= side) continue;
      couplings[count][0] = (x * side + y) * side + z, couplings[count++][1] = b;
    }
  }
  graph_sample_take(s, num_blocks, size, count, couplings);
  return place;
}

/* Operations beside those of AMD. */
static double compare_dissection(int cells) {
  graph_sample s;
  double(*place)[3] = take_cube(&s, cells);
  int* order = check_alloc(sizeof(int) * (size_t)s.graph.num_blocks);
  assert_true(cr_ordering_amd(&s.graph, &s.arena, order));
  double amd = graph_sample_count(&s, order);
  assert_true(cr_ordering_dissect(&s.graph, (const double(*)[3])place, &s.arena, order));
  matrix_check_order(s.graph.num_blocks, order);
  double own = graph_sample_count(&s, order);
  free(order), free(place);
  graph_sample_destroy(&s);
  return own / amd;
}

static void dissection_beats_minimum_degree_on_meshes(void** state) {
  (void)state;
  assert_true(compare_dissection(1) <= 1);
  assert_true(compare_dissection(6) < 1);
  assert_true(compare_dissection(12) < 0.85);
  assert_true(compare_dissection(18) < 0.75);
}

/* The last blocks part the others: a chain is cut in its middle, whatever its blocks are called. */
static void dissection_cuts_chains_in_the_middle(void** state) {
  (void)state;
  enum { COUNT = 1001 };
  graph_sample s;
  int *size = check_alloc(sizeof(int) * COUNT),
      (*couplings)[2] = check_alloc(sizeof(int[2]) * 2001);
  double(*place)[3] = check_alloc(sizeof *place * COUNT);
  int* order = check_alloc(sizeof(int) * COUNT);
  for (int k = 0; k < COUNT; k++) {
    int b = 376 * k % COUNT, next = 376 * (k + 1) % COUNT;
    size[b] = 3;
    place[b][0] = 2, place[b][1] = k, place[b][2] = -1;
    couplings[2 * k][0] = couplings[2 * k][1] = b;
    if (k == COUNT - 1) break;
    couplings[2 * k + 1][0] = b > next ? b : next, couplings[2 * k + 1][1] = b > next ? next : b;
  }
  graph_sample_take(&s, COUNT, size, 2001, couplings);
  assert_true(cr_ordering_dissect(&s.graph, (const double(*)[3])place, &s.arena, order));
  matrix_check_order(COUNT, order);
  check_near(place[order[COUNT - 1]][1], COUNT / 2, 1);
  free(place), free(order);
  graph_sample_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dissection_beats_minimum_degree_on_meshes),
      cmocka_unit_test(dissection_cuts_chains_in_the_middle),
      cmocka_unit_test(orderings_are_permutations_and_repeat),
      cmocka_unit_test(natural_and_reverse_are_what_they_say),
      cmocka_unit_test(minimum_degree_is_exact),
      cmocka_unit_test(trees_do_not_fill),
      cmocka_unit_test(fill_reducing_orderings_reduce_fill),
      cmocka_unit_test(column_sizes_match_a_dense_elimination),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
