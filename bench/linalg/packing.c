/* Packing of spheres by relaxation: every sweep lets all spheres sink a little and then pushes
 * overlapping pairs apart. Not physics; only the graph of the contacts matters. */
#include "packing.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct sphere {
  double x[3], radius;
} sphere;

typedef struct candidate {
  double gap;
  int i, j;
} candidate;

/* The spheres, and lists of those in each cell of a grid. */
typedef struct heap {
  int num;
  double side;  /* of the square floor */
  sphere* body; /* [num] */
  int cells[3]; /* of side CELL */
  int* first;   /* [cells] first sphere of a cell, or -1 */
  int* next;    /* [num] */
  candidate* pair;
  int num_pairs, max_pairs;
} heap;

#define CELL 1.3 /* more than the largest diameter and the gap of a candidate */

static double random_number(uint64_t* state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) * 0x1p-53;
}

static int clamp_cell(double x, int cells) {
  int c = (int)(x / CELL);
  return c < 0 ? 0 : c >= cells ? cells - 1 : c;
}

static int find_cell(const heap* h, const int c[3]) {
  return (c[2] * h->cells[1] + c[1]) * h->cells[0] + c[0];
}

static void fill_cells(heap* h) {
  for (int c = 0; c < h->cells[0] * h->cells[1] * h->cells[2]; c++) h->first[c] = -1;
  for (int i = 0; i < h->num; i++) {
    int c[3];
    for (int d = 0; d < 3; d++) c[d] = clamp_cell(h->body[i].x[d], h->cells[d]);
    int cell = find_cell(h, c);
    h->next[i] = h->first[cell];
    h->first[cell] = i;
  }
}

static double compute_gap(const sphere* a, const sphere* b, double normal[3]) {
  double square = 1e-12;
  for (int d = 0; d < 3; d++) {
    normal[d] = b->x[d] - a->x[d];
    square += normal[d] * normal[d];
  }
  double distance = sqrt(square);
  for (int d = 0; d < 3; d++) normal[d] /= distance;
  return distance - a->radius - b->radius;
}

/* Pushes two spheres apart, or notes them as a candidate. */
static void visit_pair(heap* h, int i, int j, bool collect) {
  double normal[3], gap = compute_gap(&h->body[i], &h->body[j], normal);
  if (collect) {
    if (gap < 0.2 && h->num_pairs < h->max_pairs) h->pair[h->num_pairs++] = (candidate){gap, i, j};
    return;
  }
  if (gap >= 0) return;
  for (int d = 0; d < 3; d++) {
    h->body[i].x[d] += 0.5 * gap * normal[d];
    h->body[j].x[d] -= 0.5 * gap * normal[d];
  }
}

/* Visits the pairs of one sphere with higher numbers in the cells around it. */
static void visit_neighbors(heap* h, int i, bool collect) {
  int low[3], high[3], c[3];
  for (int d = 0; d < 3; d++) {
    low[d] = clamp_cell(h->body[i].x[d] - CELL, h->cells[d]);
    high[d] = clamp_cell(h->body[i].x[d] + CELL, h->cells[d]);
  }
  for (c[2] = low[2]; c[2] <= high[2]; c[2]++)
    for (c[1] = low[1]; c[1] <= high[1]; c[1]++)
      for (c[0] = low[0]; c[0] <= high[0]; c[0]++)
        for (int j = h->first[find_cell(h, c)]; j >= 0; j = h->next[j])
          if (j > i) visit_pair(h, i, j, collect);
}

static void keep_inside(const heap* h, sphere* s) {
  for (int d = 0; d < 3; d++) {
    if (s->x[d] < s->radius) s->x[d] = s->radius;
    if (d < 2 && s->x[d] > h->side - s->radius) s->x[d] = h->side - s->radius;
  }
}

static void relax(heap* h, int sweeps) {
  for (int sweep = 0; sweep < sweeps; sweep++) {
    double sink = sweep < sweeps * 3 / 4 ? 0.02 : 0.001;
    for (int i = 0; i < h->num; i++) h->body[i].x[2] -= sink;
    fill_cells(h);
    for (int i = 0; i < h->num; i++) visit_neighbors(h, i, false);
    for (int i = 0; i < h->num; i++) keep_inside(h, &h->body[i]);
  }
}

static int compare_candidates(const void* a, const void* b) {
  double x = ((const candidate*)a)->gap, y = ((const candidate*)b)->gap;
  return (x > y) - (x < y);
}

/* Random places above the floor, about twice as thin as a packing. */
static void scatter(heap* h, double height) {
  uint64_t state = 12345;
  for (int i = 0; i < h->num; i++) {
    h->body[i].radius = 0.5 * (0.85 + 0.3 * random_number(&state));
    for (int d = 0; d < 3; d++)
      h->body[i].x[d] = random_number(&state) * (d < 2 ? h->side : 2 * height);
  }
}

int packing_build(const packing_def* def, int (*pairs)[2]) {
  double layers = def->layers > 0 ? def->layers : cbrt(def->num_bodies);
  heap h = {.num = def->num_bodies,
            .side = sqrt(def->num_bodies / layers),
            .max_pairs = 12 * def->num_bodies};
  for (int d = 0; d < 2; d++) h.cells[d] = (int)(h.side / CELL) + 1;
  h.cells[2] = (int)(2 * layers / CELL) + 1;
  h.body = calloc((size_t)h.num, sizeof *h.body);
  h.next = calloc((size_t)h.num, sizeof *h.next);
  h.first = calloc((size_t)(h.cells[0] * h.cells[1] * h.cells[2]), sizeof *h.first);
  h.pair = calloc((size_t)h.max_pairs, sizeof *h.pair);
  int count = -1;
  if (h.body && h.next && h.first && h.pair) {
    scatter(&h, layers);
    relax(&h, 600);
    fill_cells(&h);
    for (int i = 0; i < h.num; i++) visit_neighbors(&h, i, true);
    qsort(h.pair, (size_t)h.num_pairs, sizeof *h.pair, compare_candidates);
    count = (int)(def->num_bodies * def->pairs_per_body);
    if (count > h.num_pairs) count = h.num_pairs;
    for (int k = 0; k < count; k++) pairs[k][0] = h.pair[k].i, pairs[k][1] = h.pair[k].j;
  }
  free(h.body);
  free(h.next);
  free(h.first);
  free(h.pair);
  return count;
}
