/* The sections that hold for the whole model: compiler and option. */
#include "import/mjcf/reader.h"

#include <math.h>
#include <string.h>

static const char* const ANGLES[] = {"degree", "radian", NULL};
static const char* const AUTO[] = {"false", "true", "auto", NULL};
static const char* const ENABLE[] = {"enable", "disable", NULL};
static const char* const COORDINATES[] = {"local", NULL};

#define NO_TOOLS "it serves the tools of its format"

static const cr_attribute COMPILER[] = {
    CR_WORD("angle", cr_mjcf_compiler, angle, ANGLES),
    CR_FIELD("autolimits", CR_ATTRIBUTE_FLAG, cr_mjcf_compiler, autolimits),
    CR_FIELD("balanceinertia", CR_ATTRIBUTE_FLAG, cr_mjcf_compiler, balanceinertia),
    CR_FIELD("eulerseq", CR_ATTRIBUTE_TEXT, cr_mjcf_compiler, eulerseq),
    CR_WORD("inertiafromgeom", cr_mjcf_compiler, inertiafromgeom, AUTO),
    CR_NUMBERS("inertiagrouprange", cr_mjcf_compiler, inertiagrouprange, 2, 2),
    CR_NUMBER("boundmass", cr_mjcf_compiler, boundmass, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("boundinertia", cr_mjcf_compiler, boundinertia, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("settotalmass", cr_mjcf_compiler, settotalmass, CR_RULE_ANY),
    CR_WORD("coordinate", cr_mjcf_compiler, coordinate, COORDINATES),
    CR_FIELD("carom:unphysical", CR_ATTRIBUTE_FLAG, cr_mjcf_compiler, unphysical),
    CR_FIELD("alignfree", CR_ATTRIBUTE_FLAG, cr_mjcf_compiler, alignfree),
    CR_NOTED("fusestatic", "the list of bodies stays; welded bodies move as one in any case"),
    CR_NOTED("discardvisual", "no geometry is dropped"),
    CR_FIELD("fitaabb", CR_ATTRIBUTE_FLAG, cr_mjcf_compiler, fitaabb),
    CR_FIELD("assetdir", CR_ATTRIBUTE_TEXT, cr_mjcf_compiler, assetdir),
    CR_FIELD("meshdir", CR_ATTRIBUTE_TEXT, cr_mjcf_compiler, meshdir),
    CR_FIELD("strippath", CR_ATTRIBUTE_FLAG, cr_mjcf_compiler, strippath),
    CR_NOTED("texturedir", "textures are for drawing"),
    CR_NOTED("exactmeshinertia", "each mesh says what gives its mass"),
    CR_NOTED("convexhull", "meshes collide as their hulls in any case"),
    CR_NOTED("conflict", NO_TOOLS),
    CR_NOTED("passthrough", NO_TOOLS),
    CR_NOTED("savecanonical", NO_TOOLS),
    CR_NOTED("savecompiled", NO_TOOLS),
    CR_NOTED("saveinertial", NO_TOOLS),
    CR_NOTED("usethread", NO_TOOLS),
    CR_END,
};

void cr_mjcf_compiler_init(cr_mjcf_compiler* compiler) {
  *compiler = (cr_mjcf_compiler){.autolimits = true,
                                 .eulerseq = "xyz",
                                 .inertiafromgeom = 2,
                                 .inertiagrouprange = {.x = {0, 5}},
                                 .settotalmass = -1};
}

carom_status cr_mjcf_read_compiler(cr_mjcf* m, const cr_xml_element* section) {
  CR_TRY(cr_mjcf_read_attributes(m, section, COMPILER, &m->compiler));
  cr_subject subject = cr_mjcf_subject(m, section);
  const char* sequence = m->compiler.eulerseq;
  if (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "eulerseq is '%.20s', must be three of x, y, z, X, Y and Z", sequence);
  for (const cr_xml_element* child = section->first_child; child; child = child->next) {
    static const char TEXT[] =
        "not used: lengths of muscles range between the limits of the joints, exactly";
    if (strcmp(child->name, "lengthrange") != 0) return cr_mjcf_unknown_element(m, child);
    CR_TRY(cr_mjcf_remark_on(m, child, NULL, TEXT, TEXT));
  }
  return CAROM_OK;
}

#define OUR_CONTACT "contact is rigid, or has the stiffness in N/m that carom:stiffness gives"
#define OUR_SOLVER  "the schemes and solvers here are others, with settings of their own"
#define NO_FIELD    "nothing here feels it"

/* In the order of carom_friction_rule. */
static const char* const FRICTION_RULES[] = {"larger", "harmonic", "smaller", NULL};

/* In the order of carom_patches. */
static const char* const PATCHES[] = {"corners", "area", NULL};

static const cr_attribute OPTION[] = {
    CR_NUMBER("timestep", cr_mjcf_option, timestep, CR_RULE_POSITIVE),
    CR_NUMBERS("gravity", cr_mjcf_option, gravity, 3, 3),
    {"carom:contact_stiffness", CR_ATTRIBUTE_NUMBER, offsetof(cr_mjcf_option, contact_stiffness), 1,
     1, CR_RULE_STIFFNESS, NULL, NULL, NULL, NULL},
    CR_NUMBER("carom:contact_dissipation", cr_mjcf_option, contact_dissipation,
              CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:rest_speed", cr_mjcf_option, rest_speed, CR_RULE_NOT_NEGATIVE),
    CR_WORD("carom:friction_rule", cr_mjcf_option, friction_rule, FRICTION_RULES),
    CR_WORD("carom:patches", cr_mjcf_option, patches, PATCHES),
    CR_NUMBER("carom:patch_error", cr_mjcf_option, patch_error, CR_RULE_POSITIVE),
    CR_NUMBER("density", cr_mjcf_option, density, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("viscosity", cr_mjcf_option, viscosity, CR_RULE_NOT_NEGATIVE),
    CR_NUMBERS("wind", cr_mjcf_option, wind, 3, 3),
    CR_NUMBERS("magnetic", cr_mjcf_option, magnetic, 3, 3),
    CR_NOTED("integrator", OUR_SOLVER),
    CR_NOTED("cone", OUR_SOLVER),
    CR_NOTED("jacobian", OUR_SOLVER),
    CR_NOTED("solver", OUR_SOLVER),
    CR_NOTED("iterations", OUR_SOLVER),
    CR_NOTED("tolerance", OUR_SOLVER),
    CR_NOTED("ls_iterations", OUR_SOLVER),
    CR_NOTED("ls_tolerance", OUR_SOLVER),
    CR_NOTED("noslip_iterations", OUR_SOLVER),
    CR_NOTED("noslip_tolerance", OUR_SOLVER),
    CR_NOTED("mpr_iterations", OUR_SOLVER),
    CR_NOTED("mpr_tolerance", OUR_SOLVER),
    CR_NOTED("ccd_iterations", OUR_SOLVER),
    CR_NOTED("ccd_tolerance", OUR_SOLVER),
    CR_NOTED("sdf_iterations", OUR_SOLVER),
    CR_NOTED("sdf_initpoints", OUR_SOLVER),
    CR_NOTED("sleep_tolerance", OUR_SOLVER),
    CR_NOTED("impratio", OUR_SOLVER),
    CR_NOTED("apirate", OUR_SOLVER),
    CR_NUMBER("o_margin", cr_mjcf_option, o_margin, CR_RULE_NOT_NEGATIVE),
    CR_NUMBERS("o_friction", cr_mjcf_option, o_friction, 1, 5),
    CR_NOTED("o_solref", OUR_CONTACT),
    CR_NOTED("o_solimp", OUR_CONTACT),
    CR_NUMBERS("actuatorgroupdisable", cr_mjcf_option, actuatorgroupdisable, 1, 10),
    CR_END,
};

#define DISABLED(name, field) CR_WORD(name, cr_mjcf_option, field, ENABLE)

static const cr_attribute FLAGS[] = {
    DISABLED("gravity", no_gravity),       DISABLED("contact", no_contact),
    DISABLED("constraint", no_constraint), DISABLED("equality", no_equality),
    DISABLED("limit", no_limit),           DISABLED("frictionloss", no_frictionloss),
    DISABLED("spring", no_spring),         DISABLED("damper", no_damper),
    DISABLED("clampctrl", no_clampctrl),   DISABLED("passive", no_passive),
    DISABLED("actuation", no_actuation),   DISABLED("filterparent", no_filterparent),
    DISABLED("override", no_override),     CR_NOTED("sensor", "sensors read in any case"),
    CR_NOTED("autoreset", OUR_SOLVER),     CR_NOTED("diagexact", OUR_SOLVER),
    CR_NOTED("energy", OUR_SOLVER),        CR_NOTED("eulerdamp", OUR_SOLVER),
    CR_NOTED("fwdinv", OUR_SOLVER),        CR_NOTED("invdiscrete", OUR_SOLVER),
    CR_NOTED("ipc", OUR_SOLVER),           CR_NOTED("island", OUR_SOLVER),
    CR_NOTED("midphase", OUR_SOLVER),      CR_NOTED("multiccd", OUR_SOLVER),
    CR_NOTED("nativeccd", OUR_SOLVER),     CR_NOTED("refsafe", OUR_SOLVER),
    CR_NOTED("sleep", OUR_SOLVER),         CR_NOTED("speculative", OUR_SOLVER),
    CR_NOTED("warmstart", OUR_SOLVER),     CR_END,
};

/* Friction of all contacts is alike in both directions here. */
static carom_status check_override(cr_mjcf* m, const cr_xml_element* section) {
  static const char TEXT[] =
      "friction that differs between directions is not supported, the first value counts";
  const cr_numbers* friction = &m->option.o_friction;
  cr_subject subject = cr_mjcf_subject(m, section);
  for (int i = 0; i < 5; i++) CR_TRY(cr_check_not_negative(&subject, "o_friction", friction->x[i]));
  bool is_alike = friction->x[0] == friction->x[1] || friction->count < 2;
  if (m->option.no_override || is_alike) return CAROM_OK;
  return cr_mjcf_refuse(m, section, "o_friction", TEXT, TEXT);
}

/* Springs, dampers, the fluid and what bears weight are passive; of old versions of the format. */
static void disable_passive(cr_mjcf_option* option) {
  if (!option->no_passive) return;
  option->no_spring = option->no_damper = 1;
  option->density = option->viscosity = 0;
}

carom_status cr_mjcf_read_option(cr_mjcf* m, const cr_xml_element* section) {
  CR_TRY(cr_mjcf_read_attributes(m, section, OPTION, &m->option));
  for (const cr_xml_element* child = section->first_child; child; child = child->next) {
    if (strcmp(child->name, "flag") != 0) return cr_mjcf_unknown_element(m, child);
    CR_TRY(cr_mjcf_read_attributes(m, child, FLAGS, &m->option));
    CR_TRY(cr_mjcf_expect_no_children(m, child));
  }
  disable_passive(&m->option);
  return check_override(m, section);
}
