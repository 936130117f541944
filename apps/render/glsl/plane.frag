// A sheet with fields and lines of a grid that fades out with the distance from the middle.
in vec3 v_point;
in vec2 v_local;

uniform mat4 u_pose;
uniform vec4 u_colour;
uniform vec3 u_middle;   // what the picture looks at
uniform float u_fade;    // m, from there to where nothing is left
uniform float u_spacing; // m, of lines

out vec4 colour; // premultiplied

// The part of a pixel that lines at whole numbers cover.
float lines(vec2 at, float width) {
  vec2 pixel = fwidth(at), reach = vec2(width) + pixel;
  vec2 near = abs(fract(at + 0.5) - 0.5);
  vec2 cover = clamp((reach - near) / pixel, 0.0, 1.0) * min(2.0 * width / pixel, 1.0);
  return max(cover.x, cover.y);
}

void main() {
  vec2 at = v_local / u_spacing, pixel = fwidth(at);
  vec2 field = clamp((abs(fract(0.5 * at) - 0.5) - 0.25) * 2.0 / max(pixel, 1e-6), -1.0, 1.0);
  float sharp = clamp(1.0 - 1.2 * max(pixel.x, pixel.y), 0.0, 1.0);
  vec3 normal = u_pose[2].xyz;
  bool is_front = dot(normal, u_eye - v_point) > 0.0;
  vec3 albedo = u_colour.rgb * (1.0 + 0.035 * sharp * field.x * field.y);
  albedo *= 1.0 - 0.24 * lines(at, 0.006);
  float fade = 1.0 - smoothstep(0.25, 1.0, distance(v_point, u_middle) / u_fade);
  float alpha = u_colour.a * fade * (is_front ? 1.0 : 0.35);
  colour = vec4(shade(albedo, is_front ? normal : -normal, v_point, 0.0), 1.0) * alpha;
}
