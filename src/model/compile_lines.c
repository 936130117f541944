/* Tendons and what actuators work along besides joints: lines, with the dofs that they move with.
 */
#include "base/copy.h"
#include "model/compile.h"
#include "tree/algorithms.h"

#include <math.h>
#include <string.h>

/* --- Counts -------------------------------------------------------------------------------------
 */

/* An actuator on a hinge or slide needs no line, one on a tendon has the tendon's. */
static bool has_own_line(const cr_compile* c, const carom_actuator_def* def) {
  if (def->tendon.id) return false;
  if (!def->joint.id) return true;
  carom_joint_type type = CR_AT(&c->builder->joints, cr_joint_record, def->joint.id - 1)->def.type;
  return type == CAROM_JOINT_BALL || type == CAROM_JOINT_FREE;
}

/* Dofs from a body to the world: as many as a point of it may move with. */
static int count_dofs_above(const carom_builder* b, int body) {
  int count = 0;
  for (; body > 0; body = CR_AT(&b->bodies, cr_body_record, body)->def.parent.id)
    for (int j = CR_AT(&b->bodies, cr_body_record, body)->first_joint; j >= 0;
         j = CR_AT(&b->joints, cr_joint_record, j)->next)
      count += cr_joint_num_v(CR_AT(&b->joints, cr_joint_record, j)->def.type);
  return count;
}

static int site_body(const carom_builder* b, carom_site site) {
  return site.id ? CR_AT(&b->sites, cr_site_record, site.id - 1)->def.body.id : 0;
}

/* The body that a point of a spatial tendon is on; 0 for pulleys. */
static int point_body(const carom_builder* b, const carom_tendon_point* p) {
  if (p->type == CAROM_PATH_SITE) return site_body(b, p->site);
  if (p->type == CAROM_PATH_PULLEY) return 0;
  return CR_AT(&b->geoms, cr_geom_record, p->geom.id - 1)->def.body.id;
}

static void count_actuator(const cr_compile* c, const carom_actuator_def* def,
                           cr_force_model* force) {
  const carom_builder* b = c->builder;
  const carom_site sites[] = {def->site, def->reference_site, def->slider_site, def->crank_site};
  cr_actuator_counts n = cr_count_actuator(def);
  force->num_controls += n.controls;
  force->num_activations += n.activations;
  force->num_inputs += n.inputs;
  force->num_laws += def->law != CAROM_LAW_GENERAL;
  force->num_adhesions += def->body.id != 0;
  if (!has_own_line(c, def)) return;
  force->line.num_lines++;
  force->line.num_terms += def->joint.id ? 6 : 0;
  for (int i = 0; i < 4 && !def->joint.id; i++) {
    force->line.num_points += sites[i].id != 0;
    force->line.num_terms += count_dofs_above(b, site_body(b, sites[i]));
  }
}

void cr_count_lines(const cr_compile* c, cr_force_model* force) {
  const carom_builder* b = c->builder;
  force->tendon.num_tendons = force->line.num_lines = b->tendons.count;
  force->line.num_terms = b->tendon_terms.count;
  force->line.num_points = b->tendon_points.count;
  for (int i = 0; i < b->tendon_points.count; i++)
    force->line.num_terms +=
        count_dofs_above(b, point_body(b, CR_AT(&b->tendon_points, carom_tendon_point, i)));
  force->num_actuators = b->actuators.count;
  for (int a = 0; a < b->actuators.count; a++)
    count_actuator(c, &CR_AT(&b->actuators, cr_actuator_record, a)->def, force);
}

/* --- Terms --------------------------------------------------------------------------------------
 */

/* Lines while they are filled. */
typedef struct filler {
  cr_compile* c;
  cr_line_model* line;
  int *num_lines, *num_terms, *num_points;
} filler;

/* Inserts a dof in ascending order into the terms of the last line. */
static void insert_dof(filler* f, int dof) {
  int *dofs = CR_FILL(int, f->line->dof), first = f->line->start[*f->num_lines];
  int at = *f->num_terms;
  while (at > first && dofs[at - 1] > dof) at--;
  if (at > first && dofs[at - 1] == dof) return;
  memmove(dofs + at + 1, dofs + at, sizeof(int) * (size_t)(*f->num_terms - at));
  dofs[at] = dof;
  ++*f->num_terms;
}

static void insert_link(filler* f, int link) {
  const cr_tree_model* tree = &f->c->model->tree;
  for (int dof = tree->link_last_dof[link]; dof >= 0; dof = tree->dof_parent[dof])
    insert_dof(f, dof);
}

static void add_point(filler* f, const cr_line_point* point) {
  CR_SET(cr_line_point, f->line->point, (*f->num_points)++, *point);
  if (point->kind != CR_POINT_PULLEY) insert_link(f, point->link);
}

static void open_line(filler* f, cr_line_kind kind) {
  CR_SET(int, f->line->kind, *f->num_lines, (int)kind);
  CR_SET(int, f->line->joint, *f->num_lines, -1);
}

static void close_line(filler* f) {
  const cr_tree_model* tree = &f->c->model->tree;
  int line = (*f->num_lines)++;
  for (int i = f->line->start[line]; i < *f->num_terms; i++)
    CR_SET(int, f->line->link, i, tree->dof_link[f->line->dof[i]]);
  CR_SET(int, f->line->start, line + 1, *f->num_terms);
  CR_SET(int, f->line->point_start, line + 1, *f->num_points);
}

static cr_line_point at_site(const cr_compile* c, carom_site site) {
  const cr_site_model* s = &c->model->site;
  return (cr_line_point){.kind = CR_POINT_SITE,
                         .link = s->link[site.id - 1],
                         .local = s->local[site.id - 1],
                         .side_link = -1};
}

/* --- Tendons ------------------------------------------------------------------------------------
 */

static void add_fixed_terms(filler* f, const cr_tendon_record* record) {
  const cr_tree_model* t = &f->c->model->tree;
  for (int i = 0; i < record->def.num_terms; i++) {
    const carom_tendon_term* term =
        CR_AT(&f->c->builder->tendon_terms, carom_tendon_term, record->first_term + i);
    int joint = f->c->joint_index[term->joint.id - 1], at = (*f->num_terms)++;
    CR_SET(int, f->line->dof, at, t->joint_v_start[joint]);
    CR_SET(int, f->line->q, at, t->joint_q_start[joint]);
    CR_SET(double, f->line->coefficient, at, term->coefficient);
  }
}

static cr_line_point make_point(const cr_compile* c, const carom_tendon_point* p) {
  const cr_geom_model* g = &c->model->geom;
  const cr_site_model* s = &c->model->site;
  if (p->type == CAROM_PATH_SITE) return at_site(c, p->site);
  if (p->type == CAROM_PATH_PULLEY)
    return (cr_line_point){.kind = CR_POINT_PULLEY, .side_link = -1, .divisor = p->divisor};
  int geom = c->geom_index[p->geom.id - 1], side = p->side_site.id - 1;
  cr_line_point point = {.kind = g->shape[geom].type == CAROM_GEOM_SPHERE ? CR_POINT_SPHERE
                                                                          : CR_POINT_CYLINDER,
                         .link = g->link[geom],
                         .local = g->local[geom],
                         .radius = g->shape[geom].size[0],
                         .side_link = side < 0 ? -1 : s->link[side]};
  if (side >= 0) point.side = s->local[side].p;
  return point;
}

static void add_tendon_line(filler* f, int tendon) {
  const cr_tendon_record* record = CR_AT(&f->c->builder->tendons, cr_tendon_record, tendon);
  open_line(f, record->def.num_points ? CR_LINE_SPATIAL : CR_LINE_FIXED);
  add_fixed_terms(f, record);
  for (int i = 0; i < record->def.num_points; i++) {
    cr_line_point point = make_point(
        f->c, CR_AT(&f->c->builder->tendon_points, carom_tendon_point, record->first_point + i));
    add_point(f, &point);
  }
  close_line(f);
}

/* @param rest the length where a spring that says nothing rests */
static void fill_tendon(cr_compile* c, int index, double rest) {
  const cr_tendon_model* n = &c->model->force.tendon;
  const carom_tendon_def* def = &CR_AT(&c->builder->tendons, cr_tendon_record, index)->def;
  CR_SET(int, n->limited, index, def->limited);
  for (int i = 0; i < 2; i++) {
    CR_SET(double, n->range, 2 * index + i, def->range[i]);
    CR_SET(double, n->rest, 2 * index + i, isnan(def->rest[0]) ? rest : def->rest[i]);
  }
  CR_SET(double, n->limit_margin, index, def->limit_margin);
  CR_SET(double, n->limit_stiffness, index, def->limit_stiffness);
  CR_SET(double, n->limit_dissipation, index, def->limit_dissipation);
  for (int i = 0; i < 2; i++) {
    CR_SET(double, n->stiffness_more, 2 * index + i, def->stiffness_more[i]);
    CR_SET(double, n->damping_more, 2 * index + i, def->damping_more[i]);
  }
  CR_SET(double, n->stiffness, index, def->stiffness);
  CR_SET(double, n->damping, index, def->damping);
  CR_SET(double, n->friction_loss, index, def->friction_loss);
  CR_SET(double, n->armature, index, def->armature);
  CR_SET(double, n->drive_range, 2 * index, def->drive_limited ? def->drive_range[0] : -INFINITY);
  CR_SET(double, n->drive_range, 2 * index + 1,
         def->drive_limited ? def->drive_range[1] : INFINITY);
  c->model->force.tendon.num_armatures += def->armature > 0;
}

/* --- Actuators ----------------------------------------------------------------------------------
 */

static void add_joint_line(filler* f, const carom_actuator_def* def) {
  const cr_tree_model* t = &f->c->model->tree;
  int joint = f->c->joint_index[def->joint.id - 1];
  open_line(f, def->in_parent ? CR_LINE_JOINT_IN_PARENT : CR_LINE_JOINT);
  CR_SET(int, f->line->joint, *f->num_lines, joint);
  for (int i = 0; i < cr_joint_num_v((carom_joint_type)t->joint_type[joint]); i++)
    insert_dof(f, t->joint_v_start[joint] + i);
}

static void add_actuator_line(filler* f, const carom_actuator_def* def) {
  const carom_site sites[] = {def->site, def->reference_site, def->slider_site, def->crank_site};
  memcpy(CR_FILL(double, f->line->wrench) + 6 * *f->num_lines, def->wrench, sizeof def->wrench);
  CR_SET(double, f->line->rod, *f->num_lines, def->crank_length);
  if (def->joint.id)
    add_joint_line(f, def);
  else
    open_line(f, def->slider_site.id ? CR_LINE_CRANK
                 : def->body.id      ? CR_LINE_NOTHING
                                     : CR_LINE_WRENCH);
  for (int i = 0; i < 4 && !def->joint.id; i++) {
    if (!sites[i].id) continue;
    cr_line_point point = at_site(f->c, sites[i]);
    add_point(f, &point);
  }
  close_line(f);
}

static void fill_muscle(cr_compile* c, int index, int part, const carom_muscle* m) {
  double* p = CR_FILL(double, c->model->force.actuator_muscle) +
              CR_MUSCLE_NUM_PARAMETERS * (2 * index + part);
  p[CR_MUSCLE_RANGE] = m->range[0], p[CR_MUSCLE_RANGE + 1] = m->range[1];
  p[CR_MUSCLE_FORCE] = m->force, p[CR_MUSCLE_SCALE] = m->scale;
  p[CR_MUSCLE_LOW] = m->low, p[CR_MUSCLE_HIGH] = m->high;
  p[CR_MUSCLE_SPEED] = m->speed, p[CR_MUSCLE_PASSIVE] = m->passive;
  p[CR_MUSCLE_ECCENTRIC] = m->eccentric;
}

static void fill_law(cr_compile* c, int index, const carom_actuator_def* def) {
  const cr_force_model* f = &c->model->force;
  CR_SET(double, f->actuator_gear, index, def->gear);
  CR_SET(int, f->actuator_gain_part, index,
         def->law == CAROM_LAW_DC_MOTOR ? CR_ACTUATOR_MOTOR
         : def->is_muscle_gain          ? CR_ACTUATOR_MUSCLE
                                        : CR_ACTUATOR_AFFINE);
  CR_SET(int, f->actuator_bias_part, index,
         def->is_muscle_bias ? CR_ACTUATOR_MUSCLE : CR_ACTUATOR_AFFINE);
  /* The input of a controller is its whole force at length and rate zero. */
  CR_SET(double, f->actuator_gain, 3 * index, def->law == CAROM_LAW_PID ? 1 : def->gain);
  memcpy(CR_FILL(double, f->actuator_gain) + 3 * index + 1, def->gain_feedback,
         sizeof def->gain_feedback);
  memcpy(CR_FILL(double, f->actuator_bias) + 3 * index, def->bias, sizeof def->bias);
  fill_muscle(c, index, 0, &def->muscle_gain);
  fill_muscle(c, index, 1, &def->muscle_bias);
  for (int i = 0; i < 2; i++) {
    double open = i == 0 ? -INFINITY : INFINITY;
    CR_SET(double, f->actuator_force_range, 2 * index + i,
           def->force_limited ? def->force_range[i] : open);
    CR_SET(double, f->actuator_activation_range, 2 * index + i,
           def->activation_limited ? def->activation_range[i] : open);
    CR_SET(double, f->actuator_length_range, 2 * index + i, def->length_range[i]);
  }
}

static void fill_actuator(filler* f, int index, cr_actuator_counts* first) {
  cr_compile* c = f->c;
  const cr_tree_model* t = &c->model->tree;
  const cr_force_model* force = &c->model->force;
  const carom_actuator_def* def = &CR_AT(&c->builder->actuators, cr_actuator_record, index)->def;
  bool is_own = has_own_line(c, def), is_scalar = !is_own && !def->tendon.id;
  int joint = is_scalar ? c->joint_index[def->joint.id - 1] : -1;
  CR_SET(int, force->actuator_dof, index, is_scalar ? t->joint_v_start[joint] : -1);
  CR_SET(int, force->actuator_q, index, is_scalar ? t->joint_q_start[joint] : -1);
  CR_SET(int, force->actuator_line, index, is_own ? *f->num_lines : def->tendon.id - 1);
  CR_SET(int, force->actuator_site, index, (def->site.id ? def->site.id : def->slider_site.id) - 1);
  CR_SET(int, force->actuator_body, index, def->body.id ? c->body_index[def->body.id] : -1);
  if (is_own) add_actuator_line(f, def);
  fill_law(c, index, def);
  cr_fill_controls(c, index, def, first);
}

/* --- All ----------------------------------------------------------------------------------------
 */

/* Lengths of the lines at a configuration. */
static bool measure(cr_compile* c, const double* q, double* length) {
  const cr_tree_model* tree = &c->model->tree;
  cr_tree_kinematics kinematics;
  cr_lines lines;
  if (!cr_tree_push_kinematics(&c->arena, tree, &kinematics) ||
      !cr_lines_push(&c->arena, &c->model->force.line, &lines))
    return false;
  cr_tree_update_ground(tree, NULL, &kinematics, NULL);
  for (int t = 0; t < tree->num_trees; t++) cr_tree_update_kinematics(tree, t, q, &kinematics);
  cr_line_place place = {&c->model->force.line, tree, &kinematics, q};
  cr_lines_update(&place, &lines);
  CR_COPY(length, lines.length, c->model->force.line.num_lines);
  return true;
}

carom_status cr_compile_lines(cr_compile* c) {
  cr_force_model* force = &c->model->force;
  int num_lines = 0, num_terms = 0, num_points = 0;
  filler f = {c, &force->line, &num_lines, &num_terms, &num_points};
  for (int i = 0; i < force->tendon.num_tendons; i++) add_tendon_line(&f, i);
  cr_actuator_counts first = {0};
  for (int a = 0; a < force->num_actuators; a++) fill_actuator(&f, a, &first);
  CR_SET(int, force->actuator_control, force->num_actuators, first.controls);
  CR_SET(int, force->actuator_activation, force->num_actuators, first.activations);
  if (force->line.num_lines == 0) return CAROM_OK;
  double* length = CR_PUSH(&c->arena, double, force->line.num_lines);
  if (c->arena.failed || !measure(c, force->q_spring, length)) return cr_error_memory(c->error);
  for (int i = 0; i < force->tendon.num_tendons; i++) fill_tendon(c, i, length[i]);
  if (!measure(c, c->model->q_reference, CR_FILL(double, force->line.reference)))
    return cr_error_memory(c->error);
  return CAROM_OK;
}
