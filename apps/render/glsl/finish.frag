// The mean of the passes over the background, with highlights rolled off, as sRGB.
in vec2 v_at;

uniform sampler2D u_picture;
uniform float u_passes;
uniform vec3 u_top; // background, linear
uniform vec3 u_bottom;
uniform float u_opaque; // 0: no background

out vec4 colour;

vec3 roll_off(vec3 x) { return mix(x, 0.8 + 0.2 * (1.0 - exp(-(x - 0.8) / 0.2)), step(0.8, x)); }

vec3 encode(vec3 x) { return mix(12.92 * x, 1.055 * pow(x, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, x)); }

void main() {
  vec4 mean = texture(u_picture, v_at) / u_passes;
  vec3 own = roll_off(mean.rgb / max(mean.a, 1e-4));
  vec3 back = mix(u_bottom, u_top, v_at.y);
  vec3 over = own * mean.a + back * (1.0 - mean.a);
  colour = vec4(encode(clamp(mix(own, over, u_opaque), 0.0, 1.0)), mix(mean.a, 1.0, u_opaque));
}
