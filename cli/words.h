/* Words that several commands know options by. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

extern const char* const CLI_SCHEMES[];   /* in the order of carom_scheme; ends with null */
extern const char* const CLI_FRICTIONS[]; /* in the order of carom_friction; ends with null */
extern const char* const CLI_SOLVERS[];   /* in the order of carom_solver; ends with null */

/* Index of a word in such a list, or -1. */
int cli_find_word(const char* const* words, const char* word);

/* By carom_joint_type, carom_geom_type, carom_equality_type, carom_soft_law, carom_note_kind. */
extern const char* const CLI_JOINT_TYPES[];
extern const char* const CLI_GEOM_TYPES[];
extern const char* const CLI_EQUALITY_TYPES[];
extern const char* const CLI_SOFT_LAWS[];
extern const char* const CLI_NOTE_KINDS[];

#endif
