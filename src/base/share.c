/* Owners by an atomic count: what all but the last have read happens before the last frees it. */
#include "base/share.h"

#include <stdatomic.h>

struct cr_share {
  atomic_int owners;
};

cr_share* cr_share_create(const carom_allocator* allocator) {
  cr_share* share = cr_alloc(allocator, sizeof *share);
  if (share) atomic_init(&share->owners, 1);
  return share;
}

void cr_share_take(cr_share* share) {
  atomic_fetch_add_explicit(&share->owners, 1, memory_order_relaxed);
}

bool cr_share_leave(cr_share* share, const carom_allocator* allocator) {
  if (!share) return true;
  if (atomic_fetch_sub_explicit(&share->owners, 1, memory_order_acq_rel) > 1) return false;
  cr_release(allocator, share, sizeof *share);
  return true;
}
