/** @file
 * Parameters: the numbers of a description, by name, to be read and changed.
 *
 * A model does not change. What varies a number of it takes a copy of its description, sets the
 * number there, and compiles that:
 *
 *     carom_builder_copy(carom_model_get_description(model), &builder, &error);
 *     carom_builder_find_parameter(builder, "body.box.mass", &mass, &error);
 *     carom_builder_set_parameter(builder, &mass, (double[]){2}, &error);
 *     carom_builder_compile(builder, &heavy, &error);
 *
 * Copies share the hulls and surfaces of meshes. The new model is to the bit what would have been
 * compiled with the number from the start, and any number of changes compile once.
 *
 * A name is `KIND.NAME.FIELD`: kind of part, name of the part, field of its definition
 * (carom/builder.h), such as `joint.elbow.damping`; or `model.FIELD`. `[i]` behind the field is one
 * of its numbers, from 0: `geom.foot.size[2]`. In place of a name its number does, from 0 in the
 * order of addition: `geom.3.friction`; bodies count the world as 0, and pairs have no names.
 * docs/parameters.md lists the fields.
 */
#ifndef CAROM_PARAMETER_H
#define CAROM_PARAMETER_H

#include "carom/builder.h"

CAROM_BEGIN_DECLS

/** A parameter of a description, and of every copy of it. */
typedef struct carom_parameter {
  int count;        /**< of its numbers */
  const char* unit; /**< lives as long as the program */
  int row;          /**< of carom_parameter_get_field */
  int part;         /**< id of the part's handle; of a spring, pair or attachment its number */
  int first;        /**< of the field's numbers */
} carom_parameter;

/** Finds a parameter by its name.
 * @return CAROM_ERROR_BAD_INPUT where there is none, in a sentence that says the nearest name */
CAROM_API carom_status carom_builder_find_parameter(const carom_builder* builder, const char* name,
                                                    carom_parameter* parameter, carom_error* error);

/** Reads a parameter, as the definition has it: NaN is what it is there, such as the pair's
 * friction by the rule. What follows from shapes is computed: mass, centre and inertia of a body
 * that gives none, before all are scaled to the model's total_mass, and a geometry's or soft body's
 * mass. Truths are 0 and 1. Any number of threads may read.
 * @param values [count]
 * @return CAROM_ERROR_INVALID_ARGUMENT where the description has no such part */
CAROM_API carom_status carom_builder_get_parameter(const carom_builder* builder,
                                                   const carom_parameter* parameter, double* values,
                                                   carom_error* error);

/** Sets a parameter, checked as where the part was added; with values that it has it changes
 * nothing. Of mass, centre and inertia of a body that gives none, setting one keeps the other two
 * as they are; of mass and density the one that was set last counts.
 * @param values [count]
 * @return CAROM_ERROR_BAD_INPUT for a bad value, in a sentence with file, line, part, field and
 *         value; CAROM_ERROR_UNSUPPORTED where another field decides it. The description is then
 *         as it was. What only the whole shows is said by carom_builder_compile */
CAROM_API carom_status carom_builder_set_parameter(carom_builder* builder,
                                                   const carom_parameter* parameter,
                                                   const double* values, carom_error* error);

/** A field that parts of a kind have as a parameter. */
typedef struct carom_parameter_field {
  const char* kind; /**< "body" */
  const char* name; /**< "mass" */
  const char* unit; /**< "kg" */
  int count;        /**< of its numbers */
} carom_parameter_field;

/** How many fields there are, of all kinds. */
CAROM_API int carom_parameter_count_fields(void);

/** A field, kind by kind. @param row from 0 */
CAROM_API carom_parameter_field carom_parameter_get_field(int row);

CAROM_END_DECLS

#endif
