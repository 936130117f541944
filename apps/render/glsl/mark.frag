// Marks over the bodies: arrows, axes, points, trails, in their colours with a little shape.
in vec3 v_point;
in vec3 v_normal;
in vec3 v_local;
in vec3 v_colour;
flat in float v_sectors;

uniform vec3 u_eye;

out vec4 colour;

void main() {
  float facing = abs(dot(normalize(v_normal), normalize(u_eye - v_point)));
  colour = vec4(v_colour * mix(0.55, 1.1, facing), 1.0);
}
