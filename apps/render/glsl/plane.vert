// A plane: a sheet about a place, with its own coordinates.
layout(location = 0) in vec3 a_corner;

uniform mat4 u_clip;
uniform mat4 u_pose;
uniform vec4 u_sheet; // middle and half sizes, m

out vec3 v_point;
out vec2 v_local;

void main() {
  v_local = u_sheet.xy + a_corner.xy * u_sheet.zw;
  vec4 point = u_pose * vec4(v_local, 0.0, 1.0);
  v_point = point.xyz;
  gl_Position = u_clip * point;
}
