/* Collision filters as MJCF has them: bits, links, parents, excluded bodies.
 *
 * A pair may collide when contype of one and conaffinity of the other share a bit; not within one
 * link (a body with all that is welded to it), not between a link and its parent unless the parent
 * is the ground or the model lets them, not between links without dofs, not between excluded
 * bodies. Explicit pairs do not come here. */
#include "geom/filter.h"

#include "geom/broadphase.h"

bool cr_geom_is_fixed(const cr_geom_model* model, int geom) {
  int link = model->link[geom];
  return model->link_tree ? model->link_tree[link] < 0 : link == 0;
}

int cr_pair_key_find(const uint64_t* keys, int count, uint64_t key) {
  int low = 0, high = count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (keys[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && keys[low] == key ? low : -1;
}

static bool are_parent_and_child(const cr_geom_model* model, int link1, int link2) {
  if (link1 == 0 || link2 == 0) return false;
  return model->link_parent[link1] == link2 || model->link_parent[link2] == link1;
}

static bool are_excluded(const cr_geom_model* model, int geom1, int geom2) {
  if (model->num_excludes == 0) return false;
  const int* body = model->body ? model->body : model->link;
  uint64_t key = cr_pair_key(body[geom1], body[geom2]);
  return cr_pair_key_find(model->exclude, model->num_excludes, key) >= 0;
}

bool cr_geom_filter_allows(const cr_geom_model* model, int geom1, int geom2) {
  int link1 = model->link[geom1], link2 = model->link[geom2];
  if (!(model->contype[geom1] & model->conaffinity[geom2]) &&
      !(model->contype[geom2] & model->conaffinity[geom1]))
    return false;
  if (link1 == link2) return false;
  if (!model->parents_collide && are_parent_and_child(model, link1, link2)) return false;
  if (cr_geom_is_fixed(model, geom1) && cr_geom_is_fixed(model, geom2)) return false;
  if (model->shape[geom1].type == CAROM_GEOM_PLANE && model->shape[geom2].type == CAROM_GEOM_PLANE)
    return false;
  return !are_excluded(model, geom1, geom2);
}
