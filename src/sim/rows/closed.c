/* Gaps that are none: what is closed stays where it is under the impulses that it bears.
 *
 * To close a gap at phi / dt would let weight do the work gamma phi, and that drives slides, which
 * leave gaps: those of a wall of blocks grow by some 2 a step (docs/contact.md). Nor may it sink by
 * its compliance, R gamma, so that v_hat = R gamma. A point of an area that does not bear is above
 * the plane by which its foundation gives way, and stays as far above it: else a load that moves
 * would be borne by other points, at other shares. */
#include "sim/rows/closed.h"

#include "math/scalar.h"
#include "sim/rows/compliance.h"
#include "sim/rows/recovery.h"

#include <math.h>
#include <string.h>

#define SEEN_APART 1e-9 /* of squares of lengths: points that are on a line do not tell a plane */
#define MOST       12   /* times that those which bear are found anew */

/* A point of a rigid area. */
typedef struct founded {
  const cr_contact_point* point;
  int first, normal; /* rows */
  double x, y;       /* m, in the plane of its patch, from the first */
  double gap;        /* m */
  double depth;      /* m/s, what it gives way by; less than nothing where it does not bear */
  bool bears;        /* on the plane that is tried */
} founded;

/* The foundation of an area gives way by max(0, p), m/s, with p = depth + slope (x, y). */
typedef struct plane {
  double depth, slope[2];
} plane;

/* Sums over points with their weights. */
typedef struct moments {
  double one, x, y, xx, xy, yy;
} moments;

typedef struct holder {
  const cr_step* step;
  cr_step_problem* out;
  founded* points; /* of an area */
  int count;
} holder;

static void hold(holder* h, int row, double gap, double give) {
  h->out->problem.v_hat[row] += gap / h->step->dt + give;
  h->out->is_held[row] = true;
}

/* --- Planes -------------------------------------------------------------------------------------
 */

static void add_moments(const founded* f, moments* sum) {
  double w = f->point->weight, wx = w * f->x, wy = w * f->y;
  sum->one += w, sum->x += wx, sum->y += wy;
  sum->xx += wx * f->x, sum->xy += wx * f->y, sum->yy += wy * f->y;
}

/* About their mean. */
static void centre(const moments* m, double* xx, double* xy, double* yy) {
  double x = m->x / m->one, y = m->y / m->one;
  *xx = m->xx / m->one - x * x, *xy = m->xy / m->one - x * y, *yy = m->yy / m->one - y * y;
}

static bool is_line(const moments* m) {
  double xx, xy, yy;
  centre(m, &xx, &xy, &yy);
  return xx * yy - xy * xy <= SEEN_APART * (xx + yy) * (xx + yy);
}

/* The plane whose depths over some points have the force of all and its moments.
 * @param least m², of a line the square across */
static plane fit_plane(const moments* m, const moments* force, double least) {
  double x = m->x / m->one, y = m->y / m->one, mean = force->one / m->one, xx, xy, yy;
  centre(m, &xx, &xy, &yy);
  xx += least, yy += least;
  double x_depth = force->x / m->one - x * mean, y_depth = force->y / m->one - y * mean;
  double det = xx * yy - xy * xy;
  plane out = {mean, {(yy * x_depth - xy * y_depth) / det, (xx * y_depth - xy * x_depth) / det}};
  out.depth -= out.slope[0] * x + out.slope[1] * y;
  return out;
}

static double find_depth(const plane* p, const founded* f) {
  return p->depth + p->slope[0] * f->x + p->slope[1] * f->y;
}

/* The points that bear on a plane, and their moments; whether they are those that did before. */
static bool find_bearing(founded* points, int count, const plane* p, moments* bear) {
  bool are_same = true;
  *bear = (moments){0};
  for (int i = 0; i < count; i++) {
    bool bears = find_depth(p, &points[i]) > 0;
    are_same &= bears == points[i].bears;
    points[i].bears = bears;
    if (bears) add_moments(&points[i], bear);
  }
  return are_same;
}

/* Depths of the points that do not bear, by the plane that those which do have to be on; of none
 * where it is not found. */
static void find_depths(founded* points, int count, const moments* all) {
  moments force = {0}, bear = *all;
  for (int i = 0; i < count; i++) {
    double of = points[i].point->weight * points[i].depth;
    force.one += of, force.x += of * points[i].x, force.y += of * points[i].y;
  }
  double least = SEEN_APART * (all->xx + all->yy) / all->one;
  for (int k = 0; k < MOST && force.one > 0; k++) {
    plane p = fit_plane(&bear, &force, least);
    bool are_same = find_bearing(points, count, &p, &bear);
    if (!(bear.one > 0)) return;
    if (!are_same) continue;
    for (int i = 0; i < count; i++)
      if (!(points[i].depth > 0)) points[i].depth = scalar_min(find_depth(&p, &points[i]), 0);
    return;
  }
}

/* --- Areas --------------------------------------------------------------------------------------
 */

/* Whether a point was there before and did not move along by more than a gap that is none; where
 * there was no step all that bears is at rest. */
static bool has_stayed(const holder* h, const founded* f, double closed) {
  double slip2 = 0;
  if (h->step->sim->memory.count == 0) return true;
  for (int k = f->first; k < f->normal; k++)
    slip2 += pow(h->out->v_c0[k] - h->out->problem.v_hat[k], 2);
  return f->point->record && slip2 * h->step->dt * h->step->dt < closed * closed;
}

/* Whether a point is within what is none, m, of the foundation's plane. */
static bool is_near(const holder* h, const founded* f, double none) {
  return fabs(f->gap + f->depth * h->step->dt) < none;
}

/* Holds the points that are within what is none of the foundation's plane, whether they have given
 * way by that or not, as far as compliance is within the tolerance, too; none where one that bears
 * is not. Lines may roll, where there was a step. */
static void hold_area(holder* h, double closed) {
  const carom_sim* sim = h->step->sim;
  moments all = {0};
  bool any = false;
  double most = 0;
  for (int i = 0; i < h->count; i++) {
    add_moments(&h->points[i], &all);
    any |= !(h->points[i].depth > 0);
  }
  if (sim->memory.count > 0 && is_line(&all)) return;
  if (any) find_depths(h->points, h->count, &all);
  for (int i = 0; i < h->count; i++) most = scalar_max(most, fabs(h->points[i].depth));
  double share = scalar_min(CR_CLOSED_GAP * sim->def.tolerance / sim->plan.area_R, 1);
  double reach = closed + share * most * h->step->dt;
  for (int i = 0; i < h->count; i++) {
    const founded* f = &h->points[i];
    if (f->depth > 0 && !(is_near(h, f, reach) && has_stayed(h, f, closed))) return;
  }
  for (int i = 0; i < h->count; i++) {
    const founded* f = &h->points[i];
    if (is_near(h, f, reach)) hold(h, f->normal, f->gap, f->depth);
  }
}

static void add_point(holder* h, int i, const cr_contact_point* point, double gap) {
  const cr_problem* p = &h->out->problem;
  int first = p->row[i], normal = first + cr_law_get(p->kind[i])->rows - 1;
  v3 arm = v3_sub(point->position, h->out->points->items[point->first].position);
  h->points[h->count++] = (founded){.point = point,
                                    .first = first,
                                    .normal = normal,
                                    .x = v3_dot(arm, point->tangent[0]),
                                    .y = v3_dot(arm, point->tangent[1]),
                                    .gap = gap,
                                    .depth = p->R[normal] * h->out->gamma[normal],
                                    .bears = true};
}

/* --- All ----------------------------------------------------------------------------------------
 */

/* A row that is no point of an area, and gives way by no more than a trace: what gives way by more
 * is its own spring. An overlap beyond that is undone. */
static void hold_row(holder* h, int i, double gap, double closed) {
  const cr_problem* p = &h->out->problem;
  int first = p->row[i], rows = cr_law_get(p->kind[i])->rows, row = first + rows - 1;
  double R = CR_RECOVERY_LEAST_R * h->out->W[p->ld * first + rows * rows - 1];
  double give = R * h->out->gamma[row], apart = gap + give * h->step->dt;
  bool is_trace = p->R[row] <= R && give * h->step->dt < closed;
  if (is_trace && apart >= 0 && apart < closed) hold(h, row, gap, give);
}

/* The point of a constraint where it is one of a rigid area that does not sink, else null. */
static const cr_contact_point* find_area_point(const holder* h, const cr_constraint* c) {
  if (c->point < 0 || h->step->sim->def.beta > 0) return NULL;
  const cr_contact_point* point = &h->out->points->items[c->point];
  return point->is_area ? point : NULL;
}

bool cr_closed_hold(cr_step* step, cr_step_problem* out) {
  int count = out->problem.num_constraints, area = -1;
  out->is_held = CR_PUSH(step->problem_arena, bool, out->problem.num_rows);
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  holder h = {step, out, CR_SCRATCH(step->arena, founded, out->points->count), 0};
  if (step->arena->failed || step->problem_arena->failed) return false;
  memset(out->is_held, 0, sizeof *out->is_held * (size_t)out->problem.num_rows);
  double closed = cr_compliance_find_closed(step);
  for (int i = 0; i < count; i++) {
    const cr_constraint* c = &out->constraints[out->order[i]];
    if (!cr_compliance_can_close(c)) continue;
    int normal = out->problem.row[i] + cr_law_get(out->problem.kind[i])->rows - 1;
    double gap = cr_compliance_find_start(step, out, c, normal);
    const cr_contact_point* point = find_area_point(&h, c);
    if (h.count > 0 && !(point && point->first == area)) hold_area(&h, closed), h.count = 0;
    if (point)
      add_point(&h, i, point, gap), area = point->first;
    else
      hold_row(&h, i, gap, closed);
  }
  if (h.count > 0) hold_area(&h, closed);
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}
