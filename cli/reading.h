/* How a command reads a model: the options that all such commands share. */
#ifndef CLI_READING_H
#define CLI_READING_H

#include "options.h"

#include "carom/model.h"
#include "carom/scene.h"

typedef struct cli_reading {
  bool floor, fixed_base, free_base, permissive, outside, decompose;
  int friction_rule; /* 0: the file's; else a carom_friction_rule plus 1 */
  int mesh;          /* a carom_mesh_shape */
  const char* search;
} cli_reading;

/* Rows of a command's table; `field` is where its options hold a `cli_reading`. */
#define CLI_READING_FLOOR(field)                                                       \
  {                                                                                    \
    "floor", 0, NULL, CLI_FLAG, (field) + offsetof(cli_reading, floor), CLI_ANY, NULL, \
        "add a plane at z = 0, or below what reaches lower,\nwhere there is none"      \
  }
#define CLI_READING_FIXED_BASE(field)                                                            \
  {                                                                                              \
    "fixed-base", 0, NULL, CLI_FLAG, (field) + offsetof(cli_reading, fixed_base), CLI_ANY, NULL, \
        "URDF, SDF: the root link is fixed to the world"                                         \
  }
#define CLI_READING_FREE_BASE(field)                                                           \
  {                                                                                            \
    "free-base", 0, NULL, CLI_FLAG, (field) + offsetof(cli_reading, free_base), CLI_ANY, NULL, \
        "URDF, SDF: the root link is free, also where the\nfile fixes it"                      \
  }
#define CLI_READING_PERMISSIVE(field)                                                            \
  {                                                                                              \
    "permissive", 0, NULL, CLI_FLAG, (field) + offsetof(cli_reading, permissive), CLI_ANY, NULL, \
        "leave out what is not supported even where that\nchanges the physics"                   \
  }

#define CLI_READING_OUTSIDE(field)                                                         \
  {                                                                                        \
    "outside", 0, NULL, CLI_FLAG, (field) + offsetof(cli_reading, outside), CLI_ANY, NULL, \
        "read files that the model names outside its tree, too"                            \
  }

#define CLI_READING_SEARCH(field)                                                              \
  {                                                                                            \
    "search", 0, "DIRS", CLI_TEXT, (field) + offsetof(cli_reading, search), CLI_ANY, NULL,     \
        "folders, with ':' between, that hold the packages\nand models which the file names, " \
        "before those of\nGZ_SIM_RESOURCE_PATH and its like"                                   \
  }
#define CLI_READING_FRICTION_RULE(field)                                                           \
  {                                                                                                \
    "friction-rule", 0, "WORD", CLI_WORD, (field) + offsetof(cli_reading, friction_rule), CLI_ANY, \
        cli_friction_rules,                                                                        \
        "URDF, SDF: of two coefficients a pair has the larger,\nharmonic (their mean) or smaller " \
        "one (file: SDF the\nsmaller, URDF and files of Drake the mean)"                           \
  }
#define CLI_READING_MESH(field)                                                                   \
  {                                                                                               \
    "mesh", 0, "WORD", CLI_WORD, (field) + offsetof(cli_reading, mesh), CLI_ANY, cli_mesh_shapes, \
        "URDF, SDF: meshes collide as their hull, as their\nsurface where they are not convex, "  \
        "or "                                                                                     \
        "(file) as their\nhull where they nearly fill it, else as surface"                        \
  }
#define CLI_READING_DECOMPOSE(field)                                                           \
  {                                                                                            \
    "decompose", 0, NULL, CLI_FLAG, (field) + offsetof(cli_reading, decompose), CLI_ANY, NULL, \
        "URDF, SDF: meshes that are not convex collide as\nconvex parts, which the program "   \
        "coacd makes of them"                                                                  \
  }

/* The rows of every command that reads a model, where it looks for files and what these mean. */
#define CLI_READING_FILES(field)                                                        \
  CLI_READING_PERMISSIVE(field), CLI_READING_OUTSIDE(field), CLI_READING_SEARCH(field), \
      CLI_READING_FRICTION_RULE(field), CLI_READING_MESH(field), CLI_READING_DECOMPOSE(field)

extern const char* const cli_friction_rules[];
extern const char* const cli_mesh_shapes[];

/* What the options ask of `carom_model_load`.
 * @param command whose name a sentence begins with
 * @return -1 to go on, else an exit code, after a sentence */
int cli_make_load_def(const char* command, const cli_reading* reading, carom_load_def* def);

#endif
