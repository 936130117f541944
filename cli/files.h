/* Files as a whole. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stddef.h>

/* All bytes of a file with a zero after them, to be freed; null where they cannot be had.
 * @param size receives their number, may be null */
char* cli_read_file(const char* path, size_t* size);

#endif
