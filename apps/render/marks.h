/* What is drawn over the bodies: contact forces, body frames, trails. */
#ifndef RENDER_MARKS_H
#define RENDER_MARKS_H

#include "scene.h"
#include "track.h"

/* The ways that bodies take, at times evenly between two. */
typedef struct render_trails {
  double start, step; /* s */
  int num_times, num_bodies;
  double* places; /* [3 num_times num_bodies] m */
  float* colours; /* [4 num_bodies] linear */
  bool* is_drawn; /* [num_bodies] */
} render_trails;

/* The median of the forces of all contacts that push, N, over many frames; 1 where none does. */
carom_status render_typical_force(render_track* track, double* force, carom_error* error);

/* Adds points and arrows of the contacts of the track's frame.
 * @param size m, of marks: a typical force is 0.15 of it
 * @param scale m/N
 * @param line m, least radius of lines */
void render_add_contacts(const render_track* track, double size, double scale, double line,
                         render_solids* marks);

/* Adds the axes of all bodies, x red, y green, z blue. */
void render_add_frames(const render_track* track, double length, double line, render_solids* marks);

/* Reads the trails of all bodies that move. */
carom_status render_trails_create(const render_scene* scene, render_track* track, double from,
                                  double to, render_trails* trails, carom_error* error);

/* Adds the trails up to the present.
 * @param width m, radius */
void render_trails_add(const render_trails* trails, const render_track* track, double time,
                       double width, render_solids* solids);

void render_trails_free(render_trails* trails);

#endif
