// Bodies. Every other sector of a round one is darker, so that it is seen to turn.
in vec3 v_point;
in vec3 v_normal;
in vec3 v_local;
in vec3 v_colour;
flat in float v_sectors; // 0: none, 1: octants, 2: quarters about z

out vec4 colour;

// -1 or 1 by the side of a plane, smooth over a pixel.
float side(float x) { return clamp(2.0 * x / max(fwidth(x), 1e-9), -1.0, 1.0); }

void main() {
  float parity = side(v_local.x) * side(v_local.y);
  if (v_sectors < 1.5) parity *= side(v_local.z);
  float shadow = v_sectors > 0.5 ? mix(0.72, 1.0, 0.5 + 0.5 * parity) : 1.0;
  colour = vec4(shade(shadow * v_colour, normalize(v_normal), v_point, 0.16), 1.0);
}
