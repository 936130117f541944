/* Arrays of the tree algorithms, taken from an arena. */
#include "tree/tree.h"

bool cr_tree_push_kinematics(cr_arena* arena, const cr_tree_model* model,
                             cr_tree_kinematics* kinematics) {
  *kinematics = (cr_tree_kinematics){
      .origin = CR_PUSH(arena, v3, model->num_trees),
      .link_pose = CR_PUSH(arena, pose, model->num_links),
      .link_com = CR_PUSH(arena, v3, model->num_links),
      .link_I = CR_PUSH(arena, spatial_inertia, model->num_links),
      .S = CR_PUSH(arena, sv, model->num_v),
  };
  return !arena->failed;
}

bool cr_tree_push_velocities(cr_arena* arena, const cr_tree_model* model,
                             cr_tree_velocities* velocities) {
  *velocities = (cr_tree_velocities){
      .link_V = CR_PUSH(arena, sv, model->num_links),
      .link_bias = CR_PUSH(arena, sv, model->num_links),
  };
  return !arena->failed;
}

bool cr_tree_push_scratch(cr_arena* arena, const cr_tree_model* model, cr_tree_scratch* scratch) {
  *scratch = (cr_tree_scratch){
      .a = CR_SCRATCH(arena, sv, model->num_links),
      .f = CR_SCRATCH(arena, sv, model->num_links),
      .composite = CR_SCRATCH(arena, spatial_inertia, model->num_links),
      .I = CR_SCRATCH(arena, cr_m6, model->num_links),
      .U = CR_SCRATCH(arena, sv, model->num_v),
      .inv_d = CR_SCRATCH(arena, double, model->num_v),
      .u = CR_SCRATCH(arena, double, model->num_v),
      .frame = CR_SCRATCH(arena, cr_tree_frame, model->num_links),
  };
  return !arena->failed;
}
