// All of the picture.
layout(location = 0) in vec3 a_corner;

out vec2 v_at; // 0 to 1

void main() {
  v_at = 0.5 + 0.5 * a_corner.xy;
  gl_Position = vec4(a_corner.xy, 0.0, 1.0);
}
