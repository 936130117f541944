/* The parts of a model as tables. */
#include "common/print.h"
#include "info.h"
#include "words.h"

#include "carom/sensor.h"

#include <math.h>
#include <stdio.h>

enum { NAME_SIZE = 64 };

/* A part's name, or its kind and number. */
static const char* label(const char* name, const char* kind, int index, char text[NAME_SIZE]) {
  if (name[0])
    snprintf(text, NAME_SIZE, "%s", name);
  else
    snprintf(text, NAME_SIZE, "(%s %d)", kind, index);
  return text;
}

static const char* body_label(const carom_model* model, int body, char text[NAME_SIZE]) {
  if (body == 0) return "world";
  return label(carom_model_get_body(model, body).name, "body", body, text);
}

static const char* joint_label(const carom_model* model, int joint, char text[NAME_SIZE]) {
  if (joint < 0) return "-";
  return label(carom_model_get_joint(model, joint).name, "joint", joint, text);
}

static const char* tendon_label(const carom_model* model, int tendon, char text[NAME_SIZE]) {
  if (tendon < 0) return "-";
  return label(carom_model_get_tendon(model, tendon).name, "tendon", tendon, text);
}

static void print_stiffness(double stiffness, double dissipation) {
  if (isinf(stiffness))
    cli_print("rigid");
  else
    cli_print("%g N/m", stiffness);
  if (isfinite(stiffness) && isfinite(dissipation)) cli_print(", %g s", dissipation);
}

/* What a geometry's contacts have beside friction of one coefficient and compliance. */
static void print_surface(const carom_geom_info* info) {
  const carom_surface* s = &info->surface;
  if (info->condim == 1) cli_print(", frictionless");
  if (info->condim >= 4) cli_print(", torsion %g m", s->torsional_friction);
  if (info->condim == 6) cli_print(", rolling %g m", s->rolling_friction);
  if (s->static_friction > info->friction)
    cli_print(", friction at rest %g (to %g m/s)", s->static_friction, s->stribeck_speed);
  if (s->hunt_crossley > 0) cli_print(", Hunt-Crossley %g s/m", s->hunt_crossley);
  if (s->restitution > 0) cli_print(", restitution %g", s->restitution);
}

/* --- Summary ------------------------------------------------------------------------------------
 */

static double total_mass(const carom_model* model) {
  double mass = 0;
  for (int b = 0; b < carom_model_get_sizes(model).num_bodies; b++)
    mass += carom_model_get_body(model, b).mass;
  return mass;
}

static void print_summary(const carom_model* model, const char* path) {
  carom_model_sizes sizes = carom_model_get_sizes(model);
  double g[3];
  carom_model_get_gravity(model, g);
  cli_print("%s: model %s\n", path, carom_model_get_name(model));
  cli_print("  %-14s %d besides the world, in %d trees that move\n", "bodies", sizes.num_bodies - 1,
            sizes.num_trees);
  cli_print("  %-14s %d: %d degrees of freedom, %d coordinates\n", "joints", sizes.num_joints,
            sizes.num_v, sizes.num_q);
  cli_print("  %-14s geometries: %d, actuators: %d, equality constraints: %d, springs: %d, "
            "keyframes: %d\n",
            "also", sizes.num_geoms, sizes.num_actuators, sizes.num_equalities, sizes.num_springs,
            sizes.num_keyframes);
  cli_print("  %-14s %.6g kg\n", "mass", total_mass(model));
  cli_print("  %-14s %g %g %g m/s²\n", "gravity", g[0], g[1], g[2]);
  cli_print("  %-14s %g ms\n", "timestep", 1e3 * carom_model_get_timestep(model));
}

/* --- Tables -------------------------------------------------------------------------------------
 */

static void print_bodies(const carom_model* model) {
  char name[NAME_SIZE], parent[NAME_SIZE];
  cli_print("\n  %-22s %-22s %10s  %s\n", "body", "parent", "mass kg",
            "inertia kg m² xx yy zz xy xz yz about the centre of mass");
  for (int b = 1; b < carom_model_get_sizes(model).num_bodies; b++) {
    carom_body_info info = carom_model_get_body(model, b);
    cli_print("  %-22s %-22s %10.6g ", body_label(model, b, name),
              body_label(model, info.parent, parent), info.mass);
    for (int k = 0; k < 6; k++) cli_print(" %.4g", info.inertia[k]);
    cli_print(info.mocap_address < 0 ? "\n" : "  mocap, q %d\n", info.mocap_address);
  }
}

static void print_joints(const carom_model* model) {
  char name[NAME_SIZE], body[NAME_SIZE];
  int count = carom_model_get_sizes(model).num_joints;
  if (count == 0) return;
  cli_print("\n  %-22s %-22s %-6s %5s %5s  %s\n", "joint", "body", "type", "q", "v", "axis, range");
  for (int j = 0; j < count; j++) {
    carom_joint_info info = carom_model_get_joint(model, j);
    cli_print("  %-22s %-22s %-6s %5d %5d ", joint_label(model, j, name),
              body_label(model, info.body, body),
              info.pitch != 0 ? "screw" : CLI_JOINT_TYPES[info.type], info.q_address,
              info.v_address);
    if (info.type >= CAROM_JOINT_SLIDE)
      cli_print(" (%.4g %.4g %.4g)", info.axis[0], info.axis[1], info.axis[2]);
    if (info.pitch != 0) cli_print(" pitch %.6g", info.pitch);
    if (info.limited) cli_print(" %.6g to %.6g", info.range[0], info.range[1]);
    if (isfinite(info.speed_limit)) cli_print(", made for %.6g/s", info.speed_limit);
    cli_print("\n");
  }
}

static void print_geoms(const carom_model* model) {
  static const int NUM_SIZES[] = {2, 1, 2, 2, 3, 3, 3, 3};
  char name[NAME_SIZE], body[NAME_SIZE];
  int count = carom_model_get_sizes(model).num_geoms;
  if (count == 0) return;
  cli_print("\n  %-22s %-22s %-9s %-24s %8s  %s\n", "geometry", "body", "type", "size m",
            "friction", "compliance");
  for (int g = 0; g < count; g++) {
    carom_geom_info info = carom_model_get_geom(model, g);
    char size[48] = "";
    for (int k = 0, used = 0; k < NUM_SIZES[info.type]; k++)
      used += snprintf(size + used, sizeof size - (size_t)used, "%.5g ", info.size[k]);
    cli_print("  %-22s %-22s %-9s %-24s %8g  ", label(info.name, "geometry", g, name),
              body_label(model, info.body, body), CLI_GEOM_TYPES[info.type], size, info.friction);
    print_stiffness(info.stiffness, info.dissipation);
    print_surface(&info);
    cli_print("\n");
  }
}

static void print_sites(const carom_model* model) {
  char name[NAME_SIZE], body[NAME_SIZE];
  int count = carom_model_get_sizes(model).num_sites;
  if (count == 0) return;
  cli_print("\n  %-22s %-22s %-9s %s\n", "site", "body", "type", "position m in the body's frame");
  for (int i = 0; i < count; i++) {
    carom_site_info info = carom_model_get_site(model, i);
    cli_print("  %-22s %-22s %-9s (%.5g %.5g %.5g)\n", label(info.name, "site", i, name),
              body_label(model, info.body, body), CLI_GEOM_TYPES[info.type], info.position[0],
              info.position[1], info.position[2]);
  }
}

static void print_range(const double range[2], const char* unit) {
  if (isinf(range[0]) && isinf(range[1]))
    cli_print(" %-24s", "no limits");
  else
    cli_print(" %8.5g to %-8.5g %-3s", range[0], range[1], unit);
}

static void print_tendons(const carom_model* model) {
  char name[NAME_SIZE];
  int count = carom_model_get_sizes(model).num_tendons;
  if (count == 0) return;
  cli_print("\n  %-22s %-17s %-24s %s\n", "tendon", "joints or points", "range",
            "stiffness, damping, dry friction");
  for (int t = 0; t < count; t++) {
    carom_tendon_info info = carom_model_get_tendon(model, t);
    double open[2] = {-INFINITY, INFINITY};
    cli_print("  %-22s %-17d", label(info.name, "tendon", t, name),
              info.num_terms + info.num_points);
    print_range(info.limited ? info.range : open, "");
    cli_print(" %g, %g, %g\n", info.stiffness, info.damping, info.friction_loss);
  }
}

static void print_actuators(const carom_model* model) {
  char name[NAME_SIZE], joint[NAME_SIZE];
  int count = carom_model_get_sizes(model).num_actuators;
  if (count == 0) return;
  cli_print("\n  %-22s %-22s %-24s %s\n", "actuator", "joint, tendon, site, body", "control",
            "force");
  for (int a = 0; a < count; a++) {
    carom_actuator_info info = carom_model_get_actuator(model, a);
    cli_print("  %-22s %-22s", label(info.name, "actuator", a, name),
              info.joint >= 0  ? joint_label(model, info.joint, joint)
              : info.body >= 0 ? body_label(model, info.body, joint)
              : info.site >= 0
                  ? label(carom_model_get_site(model, info.site).name, "site", info.site, joint)
                  : tendon_label(model, info.tendon, joint));
    print_range(info.control_range, "");
    print_range(info.force_range, "");
    cli_print("\n");
  }
}

static void print_sensors(const carom_model* model) {
  char name[NAME_SIZE];
  int count = carom_model_get_sizes(model).num_sensors;
  if (count == 0) return;
  cli_print("\n  %-22s %-16s %-22s %8s  %s\n", "sensor", "type", "on", "readings", "unit");
  for (int i = 0; i < count; i++) {
    carom_sensor_info info = carom_model_get_sensor(model, i);
    cli_print("  %-22s %-16s %-22s %3d at %-5d %s\n", label(info.name, "sensor", i, name),
              info.kind, info.object[0] ? info.object : "-", info.dim, info.address, info.unit);
  }
}

static void print_equalities(const carom_model* model) {
  char name[NAME_SIZE], first[NAME_SIZE], second[NAME_SIZE];
  int count = carom_model_get_sizes(model).num_equalities;
  if (count == 0) return;
  cli_print("\n  %-22s %-8s %-22s %-22s %s\n", "equality", "type", "first", "second", "compliance");
  for (int e = 0; e < count; e++) {
    carom_equality_info info = carom_model_get_equality(model, e);
    const char* (*part_label)(const carom_model*, int, char*) =
        info.type == CAROM_EQUALITY_JOINT    ? joint_label
        : info.type == CAROM_EQUALITY_TENDON ? tendon_label
                                             : body_label;
    cli_print("  %-22s %-8s %-22s %-22s ", label(info.name, "equality", e, name),
              CLI_EQUALITY_TYPES[info.type], part_label(model, info.parts[0], first),
              part_label(model, info.parts[1], second));
    print_stiffness(info.stiffness, info.dissipation);
    cli_print("%s\n", info.active ? "" : " (switched off)");
  }
}

static void print_springs(const carom_model* model) {
  char name[NAME_SIZE], first[NAME_SIZE], second[NAME_SIZE];
  int count = carom_model_get_sizes(model).num_springs;
  if (count == 0) return;
  cli_print("\n  %-22s %-22s %-22s %s\n", "spring", "first", "second",
            "stiffness N/m, damping N s/m, rest length m");
  for (int i = 0; i < count; i++) {
    carom_spring_info info = carom_model_get_spring(model, i);
    cli_print("  %-22s %-22s %-22s %g, %g, %g\n", label(info.name, "spring", i, name),
              body_label(model, info.bodies[0], first), body_label(model, info.bodies[1], second),
              info.stiffness, info.damping, info.rest_length);
  }
}

void info_print_soft(const carom_soft_info* s, int index) {
  char name[NAME_SIZE];
  int held = 0;
  if (index == 0)
    cli_print("\n  %-22s %7s %9s %7s %6s %9s  %s\n", "soft body", "nodes", "elements", "mass kg",
              "held", "q, v from", "material: law, E Pa, nu, density kg/m3, alpha 1/s, beta s");
  for (int n = 0; n < s->num_nodes; n++) held += s->held[n] != 0;
  cli_print("  %-22s %7d %6dx%-2d %7.4g %6d %5d %-5d %s, %g, %g, %g, %g, %g\n",
            label(s->name, "soft body", index, name), s->num_nodes, s->num_elements,
            s->nodes_per_element, s->mass, held, s->q_address, s->v_address, CLI_SOFT_LAWS[s->law],
            s->young, s->poisson, s->density, s->alpha, s->beta);
}

static void print_softs(const carom_model* model) {
  for (int i = 0; i < carom_model_get_sizes(model).num_softs; i++) {
    carom_soft_info s = carom_model_get_soft(model, i);
    info_print_soft(&s, i);
  }
}

static void print_keyframes(const carom_model* model) {
  char name[NAME_SIZE];
  int count = carom_model_get_sizes(model).num_keyframes;
  if (count == 0) return;
  cli_print("\n  keyframes:");
  for (int k = 0; k < count; k++)
    cli_print(" %s", label(carom_model_get_keyframe_name(model, k), "keyframe", k, name));
  cli_print("\n");
}

/* Those of one kind, under a heading. */
static void print_notes_of(const carom_model* model, carom_note_kind kind, const char* heading) {
  bool is_first = true;
  for (int i = 0; i < carom_model_get_sizes(model).num_notes; i++) {
    if (carom_model_get_note_kind(model, i) != kind) continue;
    if (is_first) cli_print("\n  %s:\n", heading);
    is_first = false;
    cli_print("    %s\n", carom_model_get_note(model, i));
  }
}

static void print_notes(const carom_model* model) {
  print_notes_of(model, CAROM_NOTE_IGNORED, "ignored");
  print_notes_of(model, CAROM_NOTE_MAPPED, "read otherwise");
  print_notes_of(model, CAROM_NOTE_UNUSED,
                 "without a part here, for drawing or for other programs");
}

void info_print_model(const carom_model* model, const char* path) {
  print_summary(model, path);
  print_bodies(model);
  print_joints(model);
  print_geoms(model);
  print_sites(model);
  print_tendons(model);
  print_actuators(model);
  print_sensors(model);
  print_equalities(model);
  print_springs(model);
  print_softs(model);
  print_keyframes(model);
  print_notes(model);
}
