#include "derive/area_mobility.h"

#include "base/error.h"
#include "problem/law_table.h"

#include <math.h>

/* Whether a constraint of the problem is a point of an area. */
static const cr_contact_point* find_point(const cr_constraint_state* s, const cr_contact_set* set,
                                          int place) {
  const cr_constraint* c = &s->out->constraints[s->out->order[place]];
  if (c->rule != CR_ROW_CONTACT || c->point < 0) return NULL;
  const cr_contact_point* point = &set->points.items[c->point];
  return point->is_area ? point : NULL;
}

static carom_status add_item(cr_constraint_state* s, const cr_contact_set* set, int place,
                             cr_area_mobility* area) {
  const cr_constraint* c = &s->out->constraints[s->out->order[place]];
  const cr_contact_point* point = &set->points.items[c->point];
  cr_area_item* item = &area->items[area->count++];
  int rows = cr_law_get(s->p->kind[place])->rows, last = s->p->row[place] + rows - 1;
  cr_row_shape shape[CR_LAW_MAX_ROWS];
  cr_contact_tangent_describe(s->p->kind[place], c->moment, point, shape);
  *item = (cr_area_item){.point = point, .row = shape[rows - 1]};
  item->mobility = s->out->W[s->p->ld * s->p->row[place] + rows * rows - 1];
  area->mean += point->weight * item->mobility;
  CR_TRY(cr_contact_tangent_find(s->t, set, c->point, &item->contact));
  return cr_answer_find_row(s, last, &item->answer) ? CAROM_OK : cr_error_memory(s->t->error);
}

static carom_status find_items(cr_constraint_state* s, const cr_contact_set* set, int first,
                               cr_area_mobility* area) {
  *area = (cr_area_mobility){.first = first, .column = -1};
  area->items = CR_PUSH(s->t->arena, cr_area_item, set->points.items[first].count);
  if (!area->items) return cr_error_memory(s->t->error);
  for (int i = 0; i < s->p->num_constraints; i++) {
    const cr_contact_point* point = find_point(s, set, i);
    if (point && point->first == first) CR_TRY(add_item(s, set, i, area));
  }
  return CAROM_OK;
}

carom_status cr_area_mobilities_find(cr_constraint_state* s, const cr_contact_set* set) {
  for (int i = 0; i < s->num_active; i++) {
    cr_active_constraint* a = &s->active[i];
    bool is_its = a->contact && a->constraint->rule == CR_ROW_CONTACT && a->point->is_area;
    if (!is_its || isfinite(a->constraint->stiffness)) continue;
    cr_area_mobility* area = s->areas;
    while (area && area->first != a->point->first) area = area->next;
    if (!area) {
      area = CR_PUSH(s->t->arena, cr_area_mobility, 1);
      if (!area) return cr_error_memory(s->t->error);
      CR_TRY(find_items(s, set, a->point->first, area));
      area->next = s->areas, s->areas = area;
    }
    a->area = area;
    a->at.area = area->mean, a->at.weight = a->point->weight;
  }
  return CAROM_OK;
}

double cr_area_mobility_move_rows(const cr_constraint_state* s, cr_area_mobility* area,
                                  const cr_contact_column* column, int dof) {
  const cr_step* step = s->t->step;
  double sum = 0;
  if (area->column == column->index) return area->moved;
  for (int i = 0; i < area->count; i++) {
    const cr_area_item* item = &area->items[i];
    cr_row_change change;
    cr_contact_tangent_differentiate(step, item->contact, &item->row, 1, column, &change);
    cr_row_carry(step, &item->row, column->twist, &change);
    double moved = 2 * cr_row_velocity_change(step, &item->row, &change, item->answer.motion);
    if (dof >= 0) moved += item->answer.slope[dof];
    double weight = cr_contact_tangent_vary(step, item->contact, column).weight;
    sum += weight * item->mobility + item->point->weight * moved;
  }
  area->column = column->index;
  return area->moved = sum;
}

double cr_area_mobility_move_matrix(const cr_constraint_state* s, const cr_area_mobility* area,
                                    const cr_matrix_way* way, double* work) {
  double sum = 0;
  for (int i = 0; i < area->count; i++)
    sum += area->items[i].point->weight *
           cr_mobility_tangent_move(s, area->items[i].answer.motion->v, way, work);
  return sum;
}

void cr_area_mobility_pull(const cr_constraint_state* s, cr_area_mobility* area,
                           const cr_mobility_cotangents* out) {
  for (int i = 0; i < area->count; i++)
    cr_mobility_tangent_pull(s, area->items[i].answer.motion->v,
                             area->cotangent * area->items[i].point->weight, out);
  area->cotangent = 0;
}
