/* JSON of strangers: how deep it nests, before a parser walks down. */
#ifndef CR_IO_JSON_H
#define CR_IO_JSON_H

#include <stdbool.h>
#include <stddef.h>

#define CR_JSON_FILE_DEPTH 64 /* of lists and objects in each other, of a file */

/* Whether a text nests no deeper than `most`: a parser calls itself for each level, and stacks of
 * threads are small. What is no JSON is nested as its brackets outside of strings say. */
bool cr_json_is_shallow(const char* text, size_t length, int most);

#endif
