/* Who of a step's constraints shares forces that are undetermined, and the least of these: see
 * least_problem.h for how they are found. */
#include "sim/step/least_norm.h"

#include "base/error.h"
#include "base/hash.h"
#include "sim/step/least_problem.h"

#include <math.h>

#define SHARED 1e-6 /* of impulses chosen at will: what is left of one that is not determined */
#define ROUNDS 16   /* solves in which groups are told apart */

/* --- What shares --------------------------------------------------------------------------------
 */

/* A number of either sign, from 1/2 to 1 in size, that goes with a row. */
static double choose_number(int row) {
  uint64_t hash = cr_hash_u64(CR_HASH_SEED, (uint64_t)row);
  double size = 0.5 + (double)(hash >> 33) * 0x1p-32;
  return hash & 1 ? size : -size;
}

/* How far the least impulses that do the same as those chosen for some rows are from these, each
 * over its own: not at all where forces are determined.
 * @param is_chosen [num_constraints of the problem]; null: all
 * @param moved [num_constraints] receives whether an impulse is another one */
static cr_result probe(cr_least* l, const bool* is_chosen, bool* moved) {
  const cr_problem* p = &l->problem;
  bool is_done;
  for (int i = 0; i < p->num_constraints; i++) {
    int r = p->row[i];
    l->gamma[r] = !is_chosen || is_chosen[i] ? choose_number(r) / sqrt(l->D[r]) : 0;
  }
  CR_TRY(cr_least_solve(l, &is_done));
  for (int i = 0; i < p->num_constraints; i++) {
    int r = p->row[i];
    double chosen = !is_chosen || is_chosen[i] ? choose_number(r) : 0;
    moved[i] = is_done && fabs(chosen - l->gamma[r] * sqrt(l->D[r])) > SHARED;
  }
  return CR_DONE;
}

/* --- Groups -------------------------------------------------------------------------------------
 *
 * Two constraints share a force where impulses that do nothing change both. Those of one body, or
 * of bodies that shared constraints join, may: a part. Within each part at the same time, impulses
 * at will of one constraint find those that it shares with, these find more, until none come. */

typedef struct groups {
  cr_least* least;
  int* part;  /* [num_blocks] a block that is joined to it, at last itself */
  int* group; /* [num_constraints of the whole] 0: determined; UNKNOWN: not found yet */
  int* last;  /* [num_blocks] of a part: the group that is looked for */
  bool* grows;
  int count;
} groups;

#define UNKNOWN (-1)

static int find_part(const groups* g, int block) {
  while (g->part[block] != block) block = g->part[block] = g->part[g->part[block]];
  return block;
}

/* The part of a constraint of the problem, of which each is one row. */
static int part_of(const groups* g, int i) {
  const cr_problem* p = &g->least->problem;
  int k = 0;
  while (i >= p->group[k].constraint_start + p->group[k].constraint_count) k++;
  return find_part(g, p->group_block[p->group[k].block_start]);
}

static void join_parts(groups* g) {
  const cr_problem* p = &g->least->problem;
  for (int b = 0; b < p->pattern.num_blocks; b++) g->part[b] = b;
  for (int k = 0; k < p->num_groups; k++) {
    const int* block = p->group_block + p->group[k].block_start;
    for (int i = 0; i < p->group[k].constraint_count; i++) {
      if (!g->group[g->least->place[p->group[k].constraint_start + i]]) continue;
      for (int b = 1; b < p->group[k].block_count; b++)
        g->part[find_part(g, block[b])] = find_part(g, block[0]);
    }
  }
}

/* Where a group grows no more the next one begins. */
static bool begin_groups(groups* g, const int* part) {
  bool any = false;
  for (int i = 0; i < g->least->problem.num_constraints; i++) {
    int* group = &g->group[g->least->place[i]];
    if (*group != UNKNOWN) continue;
    any = true;
    if (g->grows[part[i]]) continue;
    *group = g->last[part[i]] = ++g->count;
    g->grows[part[i]] = true;
  }
  return any;
}

/* One solve for all parts. */
static cr_result grow_groups(groups* g, const int* part, bool* chosen, bool* moved) {
  int count = g->least->problem.num_constraints;
  for (int i = 0; i < count; i++) {
    int group = g->group[g->least->place[i]];
    chosen[i] = g->grows[part[i]] && group > 0 && group == g->last[part[i]];
  }
  CR_TRY(probe(g->least, chosen, moved));
  for (int i = 0; i < count; i++) g->grows[part[i]] = false;
  for (int i = 0; i < count; i++) {
    int* group = &g->group[g->least->place[i]];
    if (!moved[i] || *group != UNKNOWN) continue;
    *group = g->last[part[i]];
    g->grows[part[i]] = true;
  }
  return CR_DONE;
}

/* What is left after many solves counts as of the last group of its part. */
static cr_result find_groups(groups* g, cr_arena* arena) {
  const cr_problem* p = &g->least->problem;
  int *part = CR_PUSH(arena, int, p->num_constraints), blocks = p->pattern.num_blocks;
  bool *chosen = CR_PUSH(arena, bool, p->num_constraints),
       *moved = CR_PUSH(arena, bool, p->num_constraints);
  g->part = CR_PUSH(arena, int, blocks), g->last = CR_PUSH(arena, int, blocks);
  g->grows = CR_PUSH(arena, bool, blocks);
  if (arena->failed) return CR_NO_MEMORY;
  join_parts(g);
  for (int i = 0; i < p->num_constraints; i++) part[i] = part_of(g, i);
  for (int b = 0; b < blocks; b++) g->last[b] = 0, g->grows[b] = false;
  for (int k = 0; k < ROUNDS && begin_groups(g, part); k++)
    CR_TRY(grow_groups(g, part, chosen, moved));
  for (int i = 0; i < p->num_constraints; i++) {
    int* group = &g->group[g->least->place[i]];
    if (*group == UNKNOWN) *group = g->last[part[i]];
  }
  return CR_DONE;
}

/* What sleeps keeps its numbers. */
static int find_last_asleep(const cr_sleep* sleep) {
  int last = 0;
  for (int i = 0; i < sleep->num_contacts; i++)
    if (sleep->contacts[i].shared_force > last) last = sleep->contacts[i].shared_force;
  return last;
}

static cr_result mark_shared(const cr_faces* faces, cr_mobilities* m, carom_step_report* report) {
  cr_least l = {.faces = faces, .is_linear = true};
  cr_arena* arena = faces->step->problem_arena;
  int asleep = find_last_asleep(&faces->step->sim->sleep);
  groups g = {.least = &l, .group = faces->p->shared, .count = asleep};
  if (!cr_least_init(&l, m)) return CR_NO_MEMORY;
  bool* moved = CR_PUSH(arena, bool, l.problem.num_constraints);
  if (arena->failed) return CR_NO_MEMORY;
  CR_TRY(probe(&l, NULL, moved));
  for (int i = 0; i < l.problem.num_constraints; i++) {
    int* group = &g.group[l.place[i]];
    if (moved[i] && !*group) *group = UNKNOWN, report->undetermined++;
  }
  if (report->undetermined > 0) CR_TRY(find_groups(&g, arena));
  report->undetermined_groups = g.count - asleep;
  return CR_DONE;
}

/* Impulses of a constraint of the whole and of the faces, one into the other. */
static void copy_impulse(cr_least* l, int i, bool back) {
  const cr_faces* f = l->faces;
  int place = l->place[i], row = f->p->problem.row[place], own = l->problem.row[i];
  int rows = cr_law_get(f->p->problem.kind[place])->rows;
  bool is_ray = f->face[place] == CR_FACE_RAY;
  for (int k = 0; k < rows; k++) {
    double* gamma = &f->p->gamma[row + k];
    if (!back && is_ray) l->gamma[own] = f->p->gamma[row + rows - 1];
    if (!back && !is_ray) l->gamma[own + k] = *gamma;
    if (back) *gamma = is_ray ? f->ray[row + k] * l->gamma[own] : l->gamma[own + k];
  }
}

static cr_result take(const cr_faces* faces, cr_mobilities* m, bool* is_done) {
  cr_least l = {.faces = faces};
  if (!cr_least_init(&l, m)) return CR_NO_MEMORY;
  for (int i = 0; i < l.problem.num_constraints; i++) copy_impulse(&l, i, false);
  CR_TRY(cr_least_solve(&l, is_done));
  for (int i = 0; i < l.problem.num_constraints && *is_done; i++) copy_impulse(&l, i, true);
  return CR_DONE;
}

static bool has_free(const cr_faces* faces) {
  for (int i = 0; i < faces->p->num_constraints; i++)
    if (faces->face[i] != CR_FACE_FIXED) return true;
  return false;
}

cr_result cr_least_norm_take(cr_step* step, cr_step_problem* p, const double* v_c,
                             carom_step_report* report) {
  cr_faces faces = {.step = step, .p = p, .v_c = v_c};
  cr_mobilities m;
  report->is_least_norm = p->num_constraints == 0;
  if (p->num_constraints == 0 || p->problem.A_least || !p->problem.A_factor) return CR_DONE;
  p->shared = CR_PUSH(step->problem_arena, int, p->num_constraints);
  if (!p->shared || !cr_mobilities_init(step, p, step->problem_arena, &m) || !cr_faces_find(&faces))
    return CR_NO_MEMORY;
  for (int i = 0; i < p->num_constraints; i++) p->shared[i] = 0;
  report->is_least_norm = !has_free(&faces);
  if (report->is_least_norm) return CR_DONE;
  CR_TRY(mark_shared(&faces, &m, report));
  return take(&faces, &m, &report->is_least_norm);
}
