/* Attributes by table: each row names an attribute, says what it holds and where it goes. */
#ifndef CR_IMPORT_MJCF_ATTRIBUTE_H
#define CR_IMPORT_MJCF_ATTRIBUTE_H

#include "import/xml.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct cr_mjcf cr_mjcf;

/* A short list of numbers; `count` says how many were given, by element or class. A shorter list
 * over a longer one replaces its first numbers. */
#define CR_MAX_NUMBERS 10
typedef struct cr_numbers {
  int count;
  double x[CR_MAX_NUMBERS];
} cr_numbers;

/* The forms of an orientation, and their numbers. */
typedef enum cr_orientation_form {
  CR_ORIENTATION_QUAT,
  CR_ORIENTATION_AXISANGLE,
  CR_ORIENTATION_EULER,
  CR_ORIENTATION_XYAXES,
  CR_ORIENTATION_ZAXIS,
} cr_orientation_form;

typedef struct cr_orientation {
  cr_orientation_form form;
  double x[6];
  bool is_given;
} cr_orientation;

/* What an attribute holds. In brackets the field it goes to. */
typedef enum cr_attribute_kind {
  CR_ATTRIBUTE_NUMBER,      /* [double] */
  CR_ATTRIBUTE_QUANTITY,    /* [double] a number, or one with a unit of `words` */
  CR_ATTRIBUTE_NUMBERS,     /* [cr_numbers] between `min` and `max` of them */
  CR_ATTRIBUTE_INTEGER,     /* [int] */
  CR_ATTRIBUTE_BITS,        /* [uint32_t] */
  CR_ATTRIBUTE_FLAG,        /* [bool] true or false */
  CR_ATTRIBUTE_WORD,        /* [int] the index of one of `words` */
  CR_ATTRIBUTE_TEXT,        /* [const char*] */
  CR_ATTRIBUTE_ORIENTATION, /* [cr_orientation] of the form `min` */
  CR_ATTRIBUTE_ELSEWHERE,   /* read by other means */
  CR_ATTRIBUTE_NOTED,       /* not used; `text` says why */
  CR_ATTRIBUTE_REFUSED,     /* changes the physics unless its value is `neutral`; `text` says how */
  CR_ATTRIBUTE_MORE,        /* goes on with the table `more` */
} cr_attribute_kind;

/* What a number must be, beside finite. */
typedef enum cr_attribute_rule {
  CR_RULE_ANY,
  CR_RULE_NOT_NEGATIVE,
  CR_RULE_POSITIVE,
  CR_RULE_STIFFNESS, /* positive, or inf */
} cr_attribute_rule;

typedef struct cr_attribute {
  const char* name; /* null: end of the table */
  cr_attribute_kind kind;
  size_t offset; /* of the field */
  int min, max;
  cr_attribute_rule rule;
  const char* text;         /* of a remark */
  const char* neutral;      /* null: no value is */
  const char* const* words; /* ends with null */
  const struct cr_attribute* more;
} cr_attribute;

/* Rows. `type` is the struct, `field` where in it. */
#define CR_NUMBER(name, type, field, rule) \
  { name, CR_ATTRIBUTE_NUMBER, offsetof(type, field), 1, 1, rule, NULL, NULL, NULL, NULL }
#define CR_QUANTITY(name, type, field, rule, units) \
  { name, CR_ATTRIBUTE_QUANTITY, offsetof(type, field), 1, 1, rule, NULL, NULL, units, NULL }
#define CR_NUMBERS(name, type, field, min, max)                                                 \
  {                                                                                             \
    name, CR_ATTRIBUTE_NUMBERS, offsetof(type, field), min, max, CR_RULE_ANY, NULL, NULL, NULL, \
        NULL                                                                                    \
  }
#define CR_FIELD(name, kind, type, field) \
  { name, kind, offsetof(type, field), 0, 0, CR_RULE_ANY, NULL, NULL, NULL, NULL }
#define CR_WORD(name, type, field, words) \
  { name, CR_ATTRIBUTE_WORD, offsetof(type, field), 0, 0, CR_RULE_ANY, NULL, NULL, words, NULL }
#define CR_ORIENT(name, type, field, form, count)                                                \
  {                                                                                              \
    name, CR_ATTRIBUTE_ORIENTATION, offsetof(type, field), form, count, CR_RULE_ANY, NULL, NULL, \
        NULL, NULL                                                                               \
  }
#define CR_ORIENTATIONS(type, field)                                    \
  CR_ORIENT("quat", type, field, CR_ORIENTATION_QUAT, 4),               \
      CR_ORIENT("axisangle", type, field, CR_ORIENTATION_AXISANGLE, 4), \
      CR_ORIENT("euler", type, field, CR_ORIENTATION_EULER, 3),         \
      CR_ORIENT("xyaxes", type, field, CR_ORIENTATION_XYAXES, 6),       \
      CR_ORIENT("zaxis", type, field, CR_ORIENTATION_ZAXIS, 3)
#define CR_ELSEWHERE(name) \
  { name, CR_ATTRIBUTE_ELSEWHERE, 0, 0, 0, CR_RULE_ANY, NULL, NULL, NULL, NULL }
#define CR_NOTED(name, why) \
  { name, CR_ATTRIBUTE_NOTED, 0, 0, 0, CR_RULE_ANY, "not used: " why, NULL, NULL, NULL }
#define CR_REFUSED(name, neutral, text) \
  { name, CR_ATTRIBUTE_REFUSED, 0, 0, 0, CR_RULE_ANY, text, neutral, NULL, NULL }
#define CR_MORE(table) \
  { "", CR_ATTRIBUTE_MORE, 0, 0, 0, CR_RULE_ANY, NULL, NULL, NULL, table }
#define CR_END \
  { NULL, CR_ATTRIBUTE_ELSEWHERE, 0, 0, 0, CR_RULE_ANY, NULL, NULL, NULL, NULL }

/* Units of quantities, those of SI first. */
extern const char* const cr_mjcf_pressures[]; /* Pa, kPa, MPa, GPa */
extern const char* const cr_mjcf_densities[]; /* kg/m3, g/cm3 */
extern const char* const cr_mjcf_lengths[];   /* m, cm, mm, um */
double cr_mjcf_unit_scale(const char* unit);  /* in SI; NaN: no unit */

/* Reads the attributes of an element over the values that `target` holds (the class's); null where
 * no row has a field. Fails for attributes that the table does not know. Prefixes other than carom:
 * are noted and left. */
carom_status cr_mjcf_read_attributes(cr_mjcf* m, const cr_xml_element* element,
                                     const cr_attribute* table, void* target);

/* The numbers of an attribute that may be long, in the reader's pool.
 * @param numbers null where the attribute is not there */
carom_status cr_mjcf_read_long(cr_mjcf* m, const cr_xml_element* element, const char* name,
                               const double** numbers, int* count);

#endif
