// Bodies and marks: a point of a shape is core * size + radius * normal, as the edges of all shapes
// are rounded. In every pass a body is there or not, so often that the mean is its opacity.
layout(location = 0) in vec3 a_core;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in vec4 a_row_x; // of the pose: rotation, then position
layout(location = 3) in vec4 a_row_y;
layout(location = 4) in vec4 a_row_z;
layout(location = 5) in vec4 a_size; // of the core, m; radius of the edges, m
layout(location = 6) in vec4 a_colour; // of soft bodies, of each vertex
layout(location = 7) in vec4 a_look; // kind of sectors; the first and the next places among passes

uniform mat4 u_clip;
uniform float u_pass;

out vec3 v_point;
out vec3 v_normal;
out vec3 v_local;
out vec3 v_colour;
flat out float v_sectors;

void main() {
  vec3 local = a_core * a_size.xyz + a_size.w * a_normal;
  vec4 h = vec4(local, 1.0);
  v_point = vec3(dot(a_row_x, h), dot(a_row_y, h), dot(a_row_z, h));
  // Rounded edges keep their normals, a bare core that is stretched does not.
  vec3 normal = a_size.w > 0.0 ? a_normal : normalize(a_normal / a_size.xyz);
  v_normal = vec3(dot(a_row_x.xyz, normal), dot(a_row_y.xyz, normal), dot(a_row_z.xyz, normal));
  v_local = local;
  v_colour = a_colour.rgb;
  v_sectors = a_look.x;
  bool is_there = fract(a_look.y + u_pass * a_look.z) < a_colour.a;
  gl_Position = is_there ? u_clip * vec4(v_point, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
