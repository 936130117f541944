/* How many owners something has that none of them changes; in whatever thread each lets go. */
#ifndef CR_BASE_SHARE_H
#define CR_BASE_SHARE_H

#include "base/alloc.h"

#include <stdbool.h>

typedef struct cr_share cr_share;

/* A count of one; null without memory. */
cr_share* cr_share_create(const carom_allocator* allocator);

/* One owner more. */
void cr_share_take(cr_share* share);

/* One owner less; true where it was the last, who then frees what was shared. The count is freed
 * with it. Null: there was one owner only. */
bool cr_share_leave(cr_share* share, const carom_allocator* allocator);

#endif
