// Light of one pass: the sun from a place on its disc, the sky from two directions, all with their
// shadows, and what the ground throws back. The mean over the passes has soft shadows.
uniform vec3 u_eye;
uniform vec3 u_lights[3]; // unit, towards them: the sun, two of the sky
uniform mat4 u_clips[3];  // to the places and depths of their shadow maps, 0 to 1
uniform sampler2DShadow u_maps[3];
uniform float u_bias; // m, along the normal, against shadows of a surface on itself

const vec3 SUN = vec3(0.86, 0.83, 0.78);
const vec3 SKY = vec3(0.375, 0.39, 0.42);
const vec3 BOUNCE = vec3(0.17, 0.165, 0.16);

// The part of a light that comes to a point: the mean of four places of a soft edge.
float lit(sampler2DShadow map, mat4 clip, vec3 point) {
  vec3 at = (clip * vec4(point, 1.0)).xyz;
  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at.xy, vec2(1.0)))) return 1.0;
  at.z = min(at.z, 1.0); // what lies behind all that throws shadows is in them too
  vec2 texel = 1.0 / vec2(textureSize(map, 0));
  float sum = texture(map, vec3(at.xy + vec2(0.4, 1.1) * texel, at.z));
  sum += texture(map, vec3(at.xy + vec2(-1.1, 0.4) * texel, at.z));
  sum += texture(map, vec3(at.xy + vec2(-0.4, -1.1) * texel, at.z));
  sum += texture(map, vec3(at.xy + vec2(1.1, -0.4) * texel, at.z));
  return 0.25 * sum;
}

vec3 shade(vec3 albedo, vec3 normal, vec3 point, float gloss) {
  vec3 raised = point + u_bias * normal;
  vec3 facing = max(vec3(dot(normal, u_lights[0]), dot(normal, u_lights[1]), dot(normal, u_lights[2])), 0.0);
  float sun = facing.x > 0.0 ? facing.x * lit(u_maps[0], u_clips[0], raised) : 0.0;
  float sky = facing.y > 0.0 ? facing.y * lit(u_maps[1], u_clips[1], raised) : 0.0;
  sky += facing.z > 0.0 ? facing.z * lit(u_maps[2], u_clips[2], raised) : 0.0;
  vec3 light = sun * SUN + sky * SKY + (0.5 - 0.5 * normal.z) * BOUNCE;
  vec3 halfway = normalize(u_lights[0] + normalize(u_eye - point));
  float shine = sun > 0.0 ? gloss * pow(max(dot(normal, halfway), 0.0), 50.0) * min(4.0 * sun, 1.0) : 0.0;
  return albedo * light + vec3(shine);
}
