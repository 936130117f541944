/* Records of constraints, sorted by key: by insertion where they are few or come nearly sorted,
 * else by heap sort (in place, no worst case). */
#include "sim/contact/memory.h"

#include "math/scalar.h"

#include <string.h>

enum { FEW = 32, MOVES = 8 }; /* of each record on average, up to which insertion goes on */
enum { NEAR = 8 };            /* records looked at to either side: the points of a patch */

int cr_contact_key_compare(cr_contact_key a, cr_contact_key b) {
  if (a.pair != b.pair) return a.pair < b.pair ? -1 : 1;
  uint64_t of_a = (uint64_t)a.moment << 32 | a.feature;
  uint64_t of_b = (uint64_t)b.moment << 32 | b.feature;
  if (of_a != of_b) return of_a < of_b ? -1 : 1;
  return 0;
}

/* The place of the first record that is not below the key. */
static int find_place(const cr_contact_memory* memory, cr_contact_key key) {
  int low = 0, high = memory->count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (cr_contact_key_compare(memory->records[middle].key, key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The record at a place if it has the key, else null. */
static const cr_contact_record* get(const cr_contact_memory* memory, int i, cr_contact_key key) {
  bool found = i < memory->count && cr_contact_key_compare(memory->records[i].key, key) == 0;
  return found ? &memory->records[i] : NULL;
}

const cr_contact_record* cr_contact_memory_find(const cr_contact_memory* memory,
                                                cr_contact_key key) {
  return get(memory, find_place(memory, key), key);
}

const cr_contact_record* cr_contact_memory_follow(const cr_contact_memory* memory,
                                                  cr_contact_key key, int* place) {
  while (*place < memory->count && cr_contact_key_compare(memory->records[*place].key, key) < 0)
    ++*place;
  return get(memory, *place, key);
}

static bool is_key(const cr_contact_record* record, cr_contact_key key) {
  return record->key.feature == key.feature && record->key.pair == key.pair &&
         record->key.moment == key.moment;
}

/* The record of a key beside a place, forwards first, or -1. */
static int find_beside(const cr_contact_memory* memory, cr_contact_key key, int place) {
  const cr_contact_record* records = memory->records;
  int low = int_max(place - NEAR, 0), high = int_min(place + NEAR, memory->count);
  for (int i = place; i < high && records[i].key.pair <= key.pair; i++)
    if (is_key(&records[i], key)) return i;
  for (int i = int_min(place, memory->count) - 1; i >= low && records[i].key.pair >= key.pair; i--)
    if (is_key(&records[i], key)) return i;
  return -1;
}

const cr_contact_record* cr_contact_memory_find_near(const cr_contact_memory* memory,
                                                     cr_contact_key key, int* place) {
  int found = find_beside(memory, key, *place);
  if (found < 0) found = find_place(memory, key);
  const cr_contact_record* record = get(memory, found, key);
  if (record) *place = found;
  return record;
}

int cr_contact_memory_find_pair(const cr_contact_memory* memory, uint64_t pair,
                                const cr_contact_record** first) {
  int start = find_place(memory, (cr_contact_key){.pair = pair}), end = start;
  while (end < memory->count && memory->records[end].key.pair == pair) end++;
  *first = memory->records ? memory->records + start : NULL;
  return end - start;
}

bool cr_contact_memory_start(cr_contact_memory* memory, const carom_allocator* allocator, int count,
                             double dt) {
  if (count > memory->capacity) {
    int capacity = count + count / 2 + 16;
    cr_contact_record* records = cr_alloc(allocator, sizeof(cr_contact_record) * (size_t)capacity);
    if (!records) return false;
    cr_contact_memory_destroy(memory, allocator);
    memory->records = records;
    memory->capacity = capacity;
  }
  memory->count = 0;
  memory->dt = dt;
  return true;
}

void cr_contact_memory_add(cr_contact_memory* memory, const cr_contact_record* record) {
  *cr_contact_memory_append(memory) = *record;
}

/* Restores the heap below `root` of the first `count` records. */
static void sift_down(cr_contact_record* records, int root, int count) {
  cr_contact_record moved = records[root];
  for (int child = 2 * root + 1; child < count; child = 2 * root + 1) {
    if (child + 1 < count && cr_contact_key_compare(records[child].key, records[child + 1].key) < 0)
      child++;
    if (cr_contact_key_compare(moved.key, records[child].key) >= 0) break;
    records[root] = records[child];
    root = child;
  }
  records[root] = moved;
}

/* False where that would take many moves; the records are then in another order than before. */
static bool sort_by_insertion(cr_contact_record* records, int count) {
  int64_t moves = 0, most = count > FEW ? (int64_t)MOVES * count : INT64_MAX;
  for (int i = 1; i < count && moves <= most; i++) {
    int k = i;
    while (k > 0 && cr_contact_key_compare(records[k - 1].key, records[i].key) > 0) k--;
    if (k == i) continue;
    cr_contact_record moved = records[i];
    memmove(records + k + 1, records + k, sizeof moved * (size_t)(i - k));
    records[k] = moved;
    moves += i - k;
  }
  return moves <= most;
}

void cr_contact_memory_sort(cr_contact_memory* memory) {
  int n = memory->count;
  if (sort_by_insertion(memory->records, n)) return;
  for (int i = n / 2 - 1; i >= 0; i--) sift_down(memory->records, i, n);
  for (int end = n - 1; end > 0; end--) {
    cr_contact_record top = memory->records[0];
    memory->records[0] = memory->records[end];
    memory->records[end] = top;
    sift_down(memory->records, 0, end);
  }
}

void cr_contact_memory_destroy(cr_contact_memory* memory, const carom_allocator* allocator) {
  cr_release(allocator, memory->records, sizeof(cr_contact_record) * (size_t)memory->capacity);
  *memory = (cr_contact_memory){0};
}
