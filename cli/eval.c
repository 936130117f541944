/* `carom eval`: what a model is at a state, as JSON: mass matrix, forces, accelerations, poses,
 * energies, contacts. */
#include "json.h"
#include "reading.h"
#include "state.h"
#include "words.h"

#include "carom/derivatives.h"
#include "carom/scene.h"
#include "carom/sensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct eval_options {
  const char *model, *state, *keyframe;
  double dt;
  bool no_contacts, json, derivatives;
  const char* parameters;
  cli_reading reading;
} eval_options;

#define FIELD(name) offsetof(eval_options, name)

static const cli_option OPTIONS[] = {
    {"state", 0, "FILE", CLI_TEXT, FIELD(state), CLI_ANY, NULL,
     "the state: q, v, ctrl, act, all optional (reference\nconfiguration, at rest, zeros)"},
    {"keyframe", 0, "NAME", CLI_TEXT, FIELD(keyframe), CLI_ANY, NULL,
     "the state is a keyframe of the model"},
    {"dt", 0, "S", CLI_NUMBER, FIELD(dt), CLI_POSITIVE, NULL,
     "step of qacc_constrained, s (the model's timestep)"},
    CLI_READING_FLOOR(FIELD(reading)),
    CLI_READING_FIXED_BASE(FIELD(reading)),
    CLI_READING_FREE_BASE(FIELD(reading)),
    {"no-contacts", 0, NULL, CLI_FLAG, FIELD(no_contacts), CLI_ANY, NULL,
     "nothing collides; limits and equalities stay"},
    {"derivatives", 0, NULL, CLI_FLAG, FIELD(derivatives), CLI_ANY, NULL,
     "the derivative of the next step too"},
    {"parameters", 0, "NAMES", CLI_TEXT, FIELD(parameters), CLI_ANY, NULL,
     "with respect to these parameters too, with commas\nbetween: "
     "body.box.mass,geom.floor.friction"},
    CLI_READING_FILES(FIELD(reading)),
    {"json", 0, NULL, CLI_FLAG, FIELD(json), CLI_ANY, NULL, "print JSON, as it does in any case"},
    {NULL, 0, NULL, CLI_FLAG, 0, CLI_ANY, NULL, NULL},
};

static int run_command(int argc, char** argv);

const cli_command cli_eval = {
    "eval",
    "MODEL",
    "Evaluate a model at a state",
    "Prints one JSON object: nq, nv, mass_matrix (rows), bias, passive, actuation, lengths,\n"
    "velocities and forces of tendons and actuators, act_dot, qacc_free (actuators off),\n"
    "qacc_actuated (constraints off), qacc_constrained, joints (with the addresses of their q and\n"
    "v), bodies (frames in the world), com, energy, sensors, contacts; with --derivatives also\n"
    "derivatives, those of a step with the defaults of `carom run`. carom-eval(1) says more.",
    OPTIONS,
    run_command,
};

/* A model at a state. */
typedef struct subject {
  const eval_options* options;
  carom_load_def load;
  carom_model* model;
  carom_model_sizes sizes;
  carom_sim* sim;
  carom_dynamics* dynamics;
  double* work; /* [num_v, num_v], [7 num_bodies], [num_readings] or [num_v + 3, lines] */
  carom_step_report report; /* of the attempt at a step */
} subject;

/* --- Parts --------------------------------------------------------------------------------------
 */

static const char* type_name(const carom_joint_info* joint) {
  return joint->pitch != 0 ? "screw" : CLI_JOINT_TYPES[joint->type];
}

static json_t* list_joints(const subject* s) {
  json_t* array = cli_json_list();
  for (int j = 0; j < s->sizes.num_joints; j++) {
    carom_joint_info info = carom_model_get_joint(s->model, j);
    json_t* joint = cli_json_group();
    cli_json_set(joint, "name", cli_json_text(info.name));
    cli_json_set(joint, "type", cli_json_text(type_name(&info)));
    cli_json_set(joint, "q", cli_json_whole(info.q_address));
    cli_json_set(joint, "v", cli_json_whole(info.v_address));
    if (isfinite(info.speed_limit))
      cli_json_set(joint, "speed_limit", cli_json_number(info.speed_limit));
    cli_json_append(array, joint);
  }
  return array;
}

/* Without the world. */
static json_t* list_bodies(subject* s) {
  json_t* array = cli_json_list();
  carom_dynamics_compute_poses(s->dynamics, s->work);
  for (int b = 1; b < s->sizes.num_bodies; b++) {
    carom_body_info info = carom_model_get_body(s->model, b);
    json_t* body = cli_json_group();
    cli_json_set(body, "name", cli_json_text(info.name));
    cli_json_set(body, "mass", cli_json_number(info.mass));
    cli_json_set(body, "position", cli_json_numbers(s->work + 7 * b, 3));
    cli_json_set(body, "quaternion", cli_json_numbers(s->work + 7 * b + 3, 4));
    cli_json_append(array, body);
  }
  return array;
}

static json_t* name_geom(const subject* s, int geom) {
  if (geom < 0) return cli_json_whole(geom); /* a soft body's */
  const char* name = carom_model_get_geom(s->model, geom).name;
  return name[0] ? cli_json_text(name) : cli_json_whole(geom);
}

static json_t* list_contacts(const subject* s, const carom_contact* contacts, int count) {
  json_t* array = cli_json_list();
  for (int i = 0; i < count; i++) {
    const carom_contact* c = &contacts[i];
    json_t *contact = cli_json_group(), *geoms = cli_json_list();
    cli_json_append(geoms, name_geom(s, c->geom1));
    cli_json_append(geoms, name_geom(s, c->geom2));
    cli_json_set(contact, "geoms", geoms);
    cli_json_set(contact, "position", cli_json_numbers(c->position, 3));
    cli_json_set(contact, "normal", cli_json_numbers(c->normal, 3));
    cli_json_set(contact, "distance", cli_json_number(c->distance));
    cli_json_append(array, contact);
  }
  return array;
}

/* --- Quantities ---------------------------------------------------------------------------------
 */

static json_t* list_vector(const subject* s) { return cli_json_numbers(s->work, s->sizes.num_v); }

static void add_forces(subject* s, json_t* object) {
  carom_dynamics_compute_mass_matrix(s->dynamics, s->work);
  cli_json_set(object, "mass_matrix", cli_json_rows(s->work, s->sizes.num_v, s->sizes.num_v));
  carom_dynamics_compute_bias(s->dynamics, s->work);
  cli_json_set(object, "bias", list_vector(s));
  carom_dynamics_compute_passive(s->dynamics, s->work);
  cli_json_set(object, "passive", list_vector(s));
  carom_dynamics_compute_actuation(s->dynamics, s->work);
  cli_json_set(object, "actuation", list_vector(s));
}

/* Lengths, rates and forces of tendons and actuators. */
static void add_lines(subject* s, json_t* object) {
  int nt = s->sizes.num_tendons, na = s->sizes.num_actuators, nv = s->sizes.num_v;
  double *length = s->work, *rate = length + nt + na, *force = rate + nt + na;
  carom_dynamics_compute_tendons(s->dynamics, length, rate);
  cli_json_set(object, "tendon_length", cli_json_numbers(length, nt));
  cli_json_set(object, "tendon_velocity", cli_json_numbers(rate, nt));
  carom_dynamics_compute_actuators(s->dynamics, length, rate, force);
  cli_json_set(object, "actuator_length", cli_json_numbers(length, na));
  cli_json_set(object, "actuator_velocity", cli_json_numbers(rate, na));
  cli_json_set(object, "actuator_force", cli_json_numbers(force, na));
  carom_dynamics_compute_actuator_moment(s->dynamics, s->work);
  cli_json_set(object, "actuator_moment", cli_json_rows(s->work, na, nv));
  carom_dynamics_compute_activation_rates(s->dynamics, s->work);
  cli_json_set(object, "act_dot", cli_json_numbers(s->work, s->sizes.num_activations));
}

/* Without actuators the passive forces act as forces from outside. */
static carom_status add_accelerations(subject* s, json_t* object, carom_error* error) {
  carom_dynamics_compute_passive(s->dynamics, s->work);
  carom_status status = carom_dynamics_compute_forward(s->dynamics, s->work, false, s->work, error);
  if (status != CAROM_OK) return status;
  cli_json_set(object, "qacc_free", list_vector(s));
  status = carom_dynamics_compute_forward(s->dynamics, NULL, true, s->work, error);
  if (status != CAROM_OK) return status;
  cli_json_set(object, "qacc_actuated", list_vector(s));
  status = carom_sim_compute_acceleration(s->sim, s->work, &s->report, error);
  if (status != CAROM_OK) return status;
  cli_json_set(object, "qacc_constrained", list_vector(s));
  return CAROM_OK;
}

static void add_energies(subject* s, json_t* object) {
  double com[3], kinetic, potential;
  carom_dynamics_compute_com(s->dynamics, com);
  cli_json_set(object, "com", cli_json_numbers(com, 3));
  carom_dynamics_compute_energy(s->dynamics, &kinetic, &potential);
  json_t* energy = cli_json_group();
  cli_json_set(energy, "kinetic", cli_json_number(kinetic));
  cli_json_set(energy, "potential", cli_json_number(potential));
  cli_json_set(object, "energy", energy);
}

/* Of the state alone: without constraints and contacts. */
static carom_status add_sensors(subject* s, json_t* object, carom_error* error) {
  carom_status status = carom_dynamics_compute_sensors(s->dynamics, s->work, error);
  if (status != CAROM_OK) return status;
  json_t* array = cli_json_list();
  for (int i = 0; i < s->sizes.num_sensors; i++) {
    carom_sensor_info info = carom_model_get_sensor(s->model, i);
    json_t* sensor = cli_json_group();
    cli_json_set(sensor, "name", cli_json_text(info.name));
    cli_json_set(sensor, "type", cli_json_text(info.kind));
    cli_json_set(sensor, "object", cli_json_text(info.object));
    cli_json_set(sensor, "unit", cli_json_text(info.unit));
    cli_json_set(sensor, "values", cli_json_numbers(s->work + info.address, info.dim));
    cli_json_append(array, sensor);
  }
  cli_json_set(object, "sensors", array);
  return CAROM_OK;
}

static carom_status evaluate(subject* s, json_t* object, carom_error* error) {
  const carom_contact* contacts;
  int count;
  cli_json_set(object, "nq", cli_json_whole(s->sizes.num_q));
  cli_json_set(object, "nv", cli_json_whole(s->sizes.num_v));
  add_forces(s, object);
  add_lines(s, object);
  carom_status status = add_accelerations(s, object, error);
  if (status != CAROM_OK) return status;
  cli_json_set(object, "joints", list_joints(s));
  cli_json_set(object, "bodies", list_bodies(s));
  add_energies(s, object);
  status = add_sensors(s, object, error);
  if (status != CAROM_OK) return status;
  status = carom_sim_compute_contacts(s->sim, &contacts, &count, error);
  if (status != CAROM_OK) return status;
  cli_json_set(object, "contacts", list_contacts(s, contacts, count));
  return CAROM_OK;
}

/* --- Derivatives --------------------------------------------------------------------------------
 */

/* The step's derivative and room for its matrices. */
typedef struct derivatives {
  carom_linearization out;
  carom_parameter* parameters;
  int num_x, num_columns; /* of C */
} derivatives;

static int count_names(const char* names) {
  int count = names && names[0];
  for (const char* c = names; c && *c; c++) count += *c == ',';
  return count;
}

static carom_status find_parameters(const subject* s, derivatives* d, carom_error* error) {
  const char* at = s->options->parameters;
  int count = count_names(at);
  d->parameters = calloc((size_t)count + 1, sizeof *d->parameters);
  if (!d->parameters) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  for (int i = 0; i < count; i++) {
    char name[200];
    size_t length = strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    carom_status status = carom_builder_find_parameter(carom_model_get_description(s->model), name,
                                                       &d->parameters[i], error);
    if (status != CAROM_OK) return status;
    d->num_columns += d->parameters[i].count;
    at += length + 1;
  }
  d->out.parameters = d->parameters, d->out.num_parameters = count;
  return CAROM_OK;
}

static carom_status push_matrices(const subject* s, derivatives* d, carom_error* error) {
  size_t x = (size_t)d->num_x, u = (size_t)s->sizes.num_controls, c = (size_t)d->num_columns;
  double* values = calloc(x * (x + u + c) + 1, sizeof *values);
  if (!values) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  d->out.A = values, d->out.B = values + x * x, d->out.C = d->out.B + x * u;
  return CAROM_OK;
}

/* The step is that of `carom run`, with its defaults. */
static carom_status make_stepped(const subject* s, carom_sim** made, carom_error* error) {
  carom_sim_def def = carom_sim_def_default();
  def.dt = s->options->dt, def.disable_contacts = s->options->no_contacts;
  carom_status status = carom_sim_create(s->model, &def, made, error);
  if (status != CAROM_OK) return status;
  carom_sim* sim = *made;
  status = carom_sim_set_state(sim, 0, carom_sim_coordinates(s->sim), carom_sim_velocities(s->sim),
                               error);
  memcpy(carom_sim_controls(sim), carom_sim_controls(s->sim),
         sizeof(double) * (size_t)s->sizes.num_controls);
  memcpy(carom_sim_activations(sim), carom_sim_activations(s->sim),
         sizeof(double) * (size_t)s->sizes.num_activations);
  return status;
}

static void list_derivatives(const subject* s, const derivatives* d, json_t* object) {
  json_t* group = cli_json_group();
  cli_json_set(group, "A", cli_json_rows(d->out.A, d->num_x, d->num_x));
  cli_json_set(group, "B", cli_json_rows(d->out.B, d->num_x, s->sizes.num_controls));
  if (s->options->parameters)
    cli_json_set(group, "C", cli_json_rows(d->out.C, d->num_x, d->num_columns));
  cli_json_set(group, "kinks", cli_json_whole(d->out.num_kinks));
  cli_json_set(group, "nearest_kink", cli_json_number(d->out.nearest_kink));
  cli_json_set(group, "held", cli_json_whole(d->out.num_held));
  cli_json_set(object, "derivatives", group);
}

/* A sensor or energy of the state as it is, x, u and theta; or why it has none. */
static json_t* differentiate_reading(const subject* s, const derivatives* d, carom_sim* sim,
                                     int of) {
  json_t* group = cli_json_group();
  carom_error error;
  int rows = carom_model_count_readings(s->model, &of, 1), u = s->sizes.num_controls;
  double* values =
      calloc((size_t)rows * (size_t)(d->num_x + u + d->num_columns) + 1, sizeof(double));
  if (!values) return group;
  carom_reading_derivatives out = {.of = &of,
                                   .num_of = 1,
                                   .x = values,
                                   .u = values + rows * d->num_x,
                                   .theta = values + rows * (d->num_x + u),
                                   .parameters = d->parameters,
                                   .num_parameters = d->out.num_parameters};
  if (carom_sim_differentiate_readings(sim, &out, &error) == CAROM_OK) {
    cli_json_set(group, "x", cli_json_rows(out.x, rows, d->num_x));
    cli_json_set(group, "u", cli_json_rows(out.u, rows, u));
    if (s->options->parameters)
      cli_json_set(group, "theta", cli_json_rows(out.theta, rows, d->num_columns));
  } else {
    cli_json_set(group, "none", cli_json_text(error.message));
  }
  free(values);
  return group;
}

static void list_readings(const subject* s, const derivatives* d, carom_sim* sim, json_t* object) {
  json_t *group = json_object_get(object, "derivatives"), *energy = cli_json_group();
  json_t* sensors = cli_json_list();
  for (int i = 0; i < s->sizes.num_sensors; i++) {
    json_t* sensor = differentiate_reading(s, d, sim, i);
    cli_json_set(sensor, "name", cli_json_text(carom_model_get_sensor(s->model, i).name));
    cli_json_append(sensors, sensor);
  }
  cli_json_set(energy, "kinetic", differentiate_reading(s, d, sim, CAROM_READING_KINETIC));
  cli_json_set(energy, "potential", differentiate_reading(s, d, sim, CAROM_READING_POTENTIAL));
  cli_json_set(group, "sensors", sensors);
  cli_json_set(group, "energy", energy);
}

static carom_status add_derivatives(const subject* s, json_t* object, carom_error* error) {
  derivatives d = {.num_x = carom_model_get_num_x(s->model)};
  carom_sim* sim = NULL;
  carom_status status = find_parameters(s, &d, error);
  if (status == CAROM_OK) status = push_matrices(s, &d, error);
  if (status == CAROM_OK) status = make_stepped(s, &sim, error);
  if (status == CAROM_OK) status = carom_sim_linearize(sim, &d.out, error);
  if (status == CAROM_OK) list_derivatives(s, &d, object), list_readings(s, &d, sim, object);
  carom_sim_destroy(sim);
  free(d.out.A), free(d.parameters);
  return status;
}

/* --- Command ------------------------------------------------------------------------------------
 */

static carom_status make_sim(subject* s, carom_error* error) {
  const eval_options* o = s->options;
  carom_sim_def def = carom_sim_def_default();
  def.scheme = CAROM_EXPLICIT;
  def.tolerance = 1e-10;
  def.dt = o->dt;
  def.disable_contacts = o->no_contacts;
  carom_status status = carom_sim_create(s->model, &def, &s->sim, error);
  if (status == CAROM_OK && o->keyframe)
    status = cli_keyframe_set(o->keyframe, o->model, s->sim, error);
  if (status == CAROM_OK && o->state) status = cli_state_load(o->state, s->sim, error);
  return status;
}

static carom_status make_dynamics(subject* s, carom_error* error) {
  size_t n = (size_t)s->sizes.num_v, bodies = (size_t)s->sizes.num_bodies;
  size_t readings = (size_t)s->sizes.num_readings;
  size_t lines = (size_t)s->sizes.num_tendons + (size_t)s->sizes.num_actuators;
  s->work = calloc(n * n + n + 7 * bodies + readings + (n + 3) * lines, sizeof(double));
  if (!s->work) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  carom_status status = carom_dynamics_create(s->model, NULL, &s->dynamics, error);
  if (status != CAROM_OK) return status;
  status = carom_dynamics_set(s->dynamics, carom_sim_coordinates(s->sim),
                              carom_sim_velocities(s->sim), carom_sim_controls(s->sim), error);
  if (status != CAROM_OK) return status;
  return carom_dynamics_set_activations(s->dynamics, carom_sim_activations(s->sim), error);
}

static carom_status load(subject* s, carom_error* error) {
  carom_status status = carom_model_load(s->options->model, &s->load, &s->model, error);
  if (status != CAROM_OK) return status;
  s->sizes = carom_model_get_sizes(s->model);
  status = make_sim(s, error);
  return status == CAROM_OK ? make_dynamics(s, error) : status;
}

static void destroy(subject* s) {
  carom_dynamics_destroy(s->dynamics);
  carom_sim_destroy(s->sim);
  carom_model_destroy(s->model);
  free(s->work);
}

static int execute(subject* s) {
  carom_error error;
  json_t* object = cli_json_object();
  carom_status status = load(s, &error);
  if (status == CAROM_OK) status = evaluate(s, object, &error);
  if (status == CAROM_OK && (s->options->derivatives || s->options->parameters))
    status = add_derivatives(s, object, &error);
  if (status != CAROM_OK) {
    json_decref(object);
    return cli_fail_with(&error);
  }
  int code = cli_json_print(object);
  if (code != EXIT_FINE || s->report.outcome == CAROM_STEP_DONE) return code;
  return cli_fail(EXIT_NUMERICAL, "%s: qacc_constrained: the contact problem was not solved",
                  s->options->model);
}

static int run_command(int argc, char** argv) {
  eval_options options = {0};
  int code = cli_parse(&cli_eval, argc, argv, &options, &options.model);
  if (code >= 0) return code;
  if (options.keyframe && options.state)
    return cli_fail(EXIT_USAGE, "eval: --keyframe and --state are both given");
  subject s = {.options = &options};
  code = cli_make_load_def("eval", &options.reading, &s.load);
  if (code >= 0) return code;
  code = execute(&s);
  destroy(&s);
  return code;
}
