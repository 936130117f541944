/* The kinds of parts whose definitions can be read again and changed: one table of where their
 * records stand and what checks them, and one of their fields. */
#ifndef CR_MODEL_KIND_H
#define CR_MODEL_KIND_H

#include "model/record.h"

/* Rows of cr_kinds. The model itself, with its options, has no list. */
enum {
  CR_OF_MODEL,
  CR_OF_BODY,
  CR_OF_JOINT,
  CR_OF_GEOM,
  CR_OF_SITE,
  CR_OF_PAIR,
  CR_OF_SPRING,
  CR_OF_TENDON,
  CR_OF_ACTUATOR,
  CR_OF_EQUALITY,
  CR_OF_SOFT,
  CR_OF_ATTACHMENT,
  CR_NUM_KINDS,
};

/* A kind of part. Every function may be null but `check`. */
typedef struct cr_kind {
  const char* word; /* "body", in sentences and in names of parameters */
  const char* type; /* "carom_body_def" */
  uint32_t cookie;
  int part;        /* cr_part; -1: its names are in no table */
  bool is_named;   /* its definition has a name, behind cookie and source */
  int first_id;    /* of the handle of record 0 */
  size_t list;     /* in the builder */
  size_t label;    /* in a record, which begins with its definition */
  size_t def_size; /* bytes */

  /* Checks a definition, and settles what of it follows from the rest. */
  carom_status (*check)(const cr_addition* addition, void* def);

  /* Fills the pointers of a definition that is read again with what the builder holds. */
  void (*lend)(const carom_builder* builder, const void* record, void* def);

  /* Settles what follows from a definition and the rest of the record. */
  void (*finish)(void* record);

  /* Fills what of a definition is not given, and computed from other parts at compile. */
  void (*resolve)(const carom_builder* builder, const void* record, void* def);

  /* Makes way in a definition for one of its fields that will be set: what was given in its place
   * goes. Fails where the field would have no effect. */
  carom_status (*make_way)(const cr_addition* addition, const void* resolved, const char* field,
                           void* def);
} cr_kind;

extern const cr_kind cr_kinds[CR_NUM_KINDS];

/* What the functions of the kinds are; each stands where parts of its kind are added. */
carom_status cr_body_check(const cr_addition* addition, void* def);
void cr_body_resolve(const carom_builder* builder, const void* record, void* def);
carom_status cr_body_make_way(const cr_addition* addition, const void* resolved, const char* field,
                              void* def);
carom_status cr_joint_check(const cr_addition* addition, void* def);
carom_status cr_joint_make_way(const cr_addition* addition, const void* resolved, const char* field,
                               void* def);
carom_status cr_geom_check(const cr_addition* addition, void* def);
void cr_geom_resolve(const carom_builder* builder, const void* record, void* def);
carom_status cr_geom_make_way(const cr_addition* addition, const void* resolved, const char* field,
                              void* def);
carom_status cr_site_check(const cr_addition* addition, void* def);
carom_status cr_pair_check(const cr_addition* addition, void* def);
carom_status cr_spring_check(const cr_addition* addition, void* def);
carom_status cr_tendon_check(const cr_addition* addition, void* def);
void cr_tendon_lend(const carom_builder* builder, const void* record, void* def);
carom_status cr_actuator_check(const cr_addition* addition, void* def);
carom_status cr_actuator_make_way(const cr_addition* addition, const void* resolved,
                                  const char* field, void* def);
carom_status cr_equality_check(const cr_addition* addition, void* def);
carom_status cr_soft_check(const cr_addition* addition, void* def);
void cr_soft_finish(void* record);
void cr_soft_resolve(const carom_builder* builder, const void* record, void* def);
carom_status cr_soft_make_way(const cr_addition* addition, const void* resolved, const char* field,
                              void* def);
carom_status cr_attachment_check(const cr_addition* addition, void* def);

/* A definition of any kind. */
typedef union cr_definition {
  carom_builder_def builder;
  carom_body_def body;
  carom_joint_def joint;
  carom_geom_def geom;
  carom_site_def site;
  carom_pair_def pair;
  carom_spring_def spring;
  carom_tendon_def tendon;
  carom_actuator_def actuator;
  carom_equality_def equality;
  carom_soft_def soft;
  carom_attachment_def attachment;
} cr_definition;

/* The definition of a part, as it was given.
 * @param id of its handle, or for parts without handles its number from 0 */
carom_status cr_kind_get(const carom_builder* builder, int kind, int id, void* def,
                         carom_error* error);

/* Gives a part another definition; its name and what it hangs on and consists of stay. */
carom_status cr_kind_set(carom_builder* builder, int kind, int id, const void* def,
                         carom_error* error);

/* A part as what is added, for its checks. The record is null where there is no such part, and the
 * error says so. */
cr_addition cr_kind_begin(const carom_builder* builder, int kind, int id, void** record,
                          carom_error* error);

/* Numbers that a field holds, and how. */
typedef enum cr_field_type {
  CR_FIELD_DOUBLE,
  CR_FIELD_INT,
  CR_FIELD_BOOL,
} cr_field_type;

typedef struct cr_field {
  int kind;
  cr_field_type type;
  const char* word;
  const char* unit;
  size_t offset; /* in the definition */
  int count;
} cr_field;

/* All parameters, kind by kind. */
extern const cr_field cr_fields[];
extern const int cr_num_fields;

/* What a part hangs on and consists of: others refer to it, or lists were made by it. */
typedef struct cr_fixed_field {
  int kind;
  const char* word;
  size_t offset, size; /* in the definition, bytes */
} cr_fixed_field;

extern const cr_fixed_field cr_fixed_fields[];
extern const int cr_num_fixed_fields;

#endif
