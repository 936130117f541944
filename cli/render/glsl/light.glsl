// Light of one pass: the sun from a place on its disc, the sky from one direction, both with their
// shadows, and what the ground throws back. The mean over the passes has soft shadows.
uniform vec3 u_eye;
uniform vec3 u_sun; // unit, towards the light
uniform vec3 u_sky;
uniform mat4 u_sun_clip; // to the places and depths of the shadow maps, 0 to 1
uniform mat4 u_sky_clip;
uniform sampler2DShadow u_sun_map;
uniform sampler2DShadow u_sky_map;
uniform float u_bias; // m, along the normal, against shadows of a surface on itself

const vec3 SUN = vec3(0.86, 0.83, 0.78);
const vec3 SKY = vec3(0.375, 0.39, 0.42);
const vec3 BOUNCE = vec3(0.17, 0.165, 0.16);

// The part of a light that comes to a point: the mean of four places of a soft edge.
float lit(sampler2DShadow map, mat4 clip, vec3 point) {
  vec3 at = (clip * vec4(point, 1.0)).xyz;
  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
  vec2 texel = 1.0 / vec2(textureSize(map, 0));
  float sum = texture(map, vec3(at.xy + vec2(0.4, 1.1) * texel, at.z));
  sum += texture(map, vec3(at.xy + vec2(-1.1, 0.4) * texel, at.z));
  sum += texture(map, vec3(at.xy + vec2(-0.4, -1.1) * texel, at.z));
  sum += texture(map, vec3(at.xy + vec2(1.1, -0.4) * texel, at.z));
  return 0.25 * sum;
}

vec3 shade(vec3 albedo, vec3 normal, vec3 point, float gloss) {
  vec3 raised = point + u_bias * normal;
  float sun = dot(normal, u_sun), sky = dot(normal, u_sky);
  sun = sun > 0.0 ? sun * lit(u_sun_map, u_sun_clip, raised) : 0.0;
  sky = sky > 0.0 ? sky * lit(u_sky_map, u_sky_clip, raised) : 0.0;
  vec3 light = sun * SUN + 2.0 * sky * SKY + (0.5 - 0.5 * normal.z) * BOUNCE;
  vec3 halfway = normalize(u_sun + normalize(u_eye - point));
  float shine = sun > 0.0 ? gloss * pow(max(dot(normal, halfway), 0.0), 50.0) * min(4.0 * sun, 1.0) : 0.0;
  return albedo * light + vec3(shine);
}
