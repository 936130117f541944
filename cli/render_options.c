/* The options of `carom render`, and what they mean. */
#include "options.h"
#include "render.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_SIZE = 16384, MOST_SAMPLES = 4096 };

#define FIELD(name) offsetof(render_options, name)

static const cli_option OPTIONS[] = {
    {"output", 'o', "FILE", CLI_TEXT, FIELD(output), CLI_ANY, NULL,
     "frame.png, a picture; frame-%04d.png, numbered ones;\nmovie.mp4, a movie (needs ffmpeg)"},
    {"size", 0, "WxH", CLI_TEXT, FIELD(size), CLI_ANY, NULL, "pixels (1280x720)"},
    {"time", 0, "S", CLI_NUMBER, FIELD(time), CLI_ANY, NULL,
     "of a picture, s; between frames poses are interpolated\n(the recording's end)"},
    {"from", 0, "S", CLI_NUMBER, FIELD(from), CLI_ANY, NULL,
     "where a movie or numbered pictures begin, s (the start)"},
    {"to", 0, "S", CLI_NUMBER, FIELD(to), CLI_ANY, NULL, "where they end, s (the end)"},
    {"fps", 0, "N", CLI_NUMBER, FIELD(fps), CLI_POSITIVE, NULL, "pictures a second (30)"},
    {"speed", 0, "X", CLI_NUMBER, FIELD(speed), CLI_POSITIVE, NULL,
     "simulated seconds that a second shows (1)"},
    {"azimuth", 0, "DEG", CLI_NUMBER, FIELD(azimuth), CLI_ANY, NULL,
     "of the camera about what it looks at, from x towards y\n(-60)"},
    {"elevation", 0, "DEG", CLI_NUMBER, FIELD(elevation), CLI_ANY, NULL,
     "of the camera above the horizon (25)"},
    {"distance", 0, "M", CLI_NUMBER, FIELD(distance), CLI_POSITIVE, NULL,
     "of the camera (so that all that moves is seen)"},
    {"look-at", 0, "X,Y,Z", CLI_TEXT, FIELD(look_at), CLI_ANY, NULL,
     "what the camera looks at, m (the middle of what moves)"},
    {"follow", 0, "BODY", CLI_TEXT, FIELD(follow), CLI_ANY, NULL,
     "the camera looks at a body and goes with it"},
    {"angle", 0, "DEG", CLI_NUMBER, FIELD(angle), CLI_POSITIVE, NULL, "of view, vertical (30)"},
    {"background", 0, "COLOUR", CLI_TEXT, FIELD(background), CLI_ANY, NULL,
     "#rrggbb, two of them with a comma (top, bottom), light,\ndark or transparent (light)"},
    {"contacts", 0, NULL, CLI_FLAG, FIELD(contacts), CLI_ANY, NULL,
     "contact points and forces; blue: sticking, orange:\nsliding, grey: no force"},
    {"pressure", 0, NULL, CLI_FLAG, FIELD(pressure), CLI_ANY, NULL,
     "areas over which contacts press, of faces and of pressure\nfields, from blue (0) to "
     "red (the most)"},
    {"force-scale", 0, "X", CLI_NUMBER, FIELD(force_scale), CLI_POSITIVE, NULL,
     "length of the forces, a factor (1)"},
    {"frames", 0, NULL, CLI_FLAG, FIELD(frames), CLI_ANY, NULL, "frames of the bodies"},
    {"trails", 0, NULL, CLI_FLAG, FIELD(trails), CLI_ANY, NULL,
     "the way of every body since the start, or --from"},
    {"all-groups", 0, NULL, CLI_FLAG, FIELD(all_groups), CLI_ANY, NULL,
     "geometries in groups of 3 and more too"},
    {"no-planes", 0, NULL, CLI_FLAG, FIELD(no_planes), CLI_ANY, NULL, "no planes"},
    {"soft-colors", 0, "WHAT", CLI_TEXT, FIELD(soft_colours), CLI_ANY, NULL,
     "of soft bodies: stress, by von Mises' stress with a bar that\nsays what they mean, or plain, "
     "their own (stress)"},
    {"stress-range", 0, "A:B", CLI_TEXT, FIELD(stress_range), CLI_ANY, NULL,
     "stress at the ends of the colours, Pa (from 0 to what 99 %\nof all surfaces bear over the "
     "recording)"},
    {"samples", 0, "N", CLI_COUNT, FIELD(samples), CLI_ANY, NULL,
     "passes whose mean is a picture (64; movies: 16)"},
    {"quiet", 0, NULL, CLI_FLAG, FIELD(quiet), CLI_ANY, NULL,
     "no progress, do not say what was written"},
    {NULL, 0, NULL, CLI_FLAG, 0, CLI_ANY, NULL, NULL},
};

const cli_command cli_render = {
    "render",
    "RECORDING",
    "Make pictures and movies of a recording",
    "Draws a recording with light, shadows and transparency, without a screen or a graphics card\n"
    "(docs/render.md). The camera stands so that all that moves is seen. Of a recording that was\n"
    "cut short it shows what can be read. Ctrl-C ends a movie after its picture; what there is of\n"
    "it can be played (exit code 130).",
    OPTIONS,
    render_run,
};

static int refuse(const char* option, const char* value, const char* rule) {
  return cli_fail(EXIT_USAGE, "render: --%s is '%s', must be %s", option, value, rule);
}

/* --- What is written ----------------------------------------------------------------------------
 */

static bool ends_with(const char* text, const char* end) {
  size_t length = strlen(text), own = strlen(end);
  return length > own && strcmp(text + length - own, end) == 0;
}

/* The length of "%d" or "%04d" at a per cent sign, else 0. */
static size_t number_length(const char* at) {
  size_t digits = strspn(at + 1, "0123456789");
  return digits <= 3 && at[1 + digits] == 'd' ? digits + 2 : 0;
}

void render_number_name(const char* pattern, int number, char name[RENDER_LONGEST_NAME]) {
  const char* at = strchr(pattern, '%');
  int width = atoi(at + 1);
  snprintf(name, RENDER_LONGEST_NAME, "%.*s%0*d%s", (int)(at - pattern), pattern, width, number,
           at + number_length(at));
}

static int read_output(const char* output, render_plan* plan) {
  const char* number = output ? strchr(output, '%') : NULL;
  if (!output)
    return cli_fail(EXIT_USAGE, "render: --output is missing; name a picture or a movie, such as "
                                "-o frame.png or -o movie.mp4");
  plan->kind = ends_with(output, ".mp4") ? RENDER_MOVIE : RENDER_PICTURE;
  if (plan->kind == RENDER_MOVIE) return -1;
  if (!ends_with(output, ".png"))
    return refuse("output", output, "a name that ends in .png or .mp4");
  if (!number) return -1;
  plan->kind = RENDER_SEQUENCE;
  size_t length = number_length(number);
  if (length == 0 || strchr(number + length, '%') || strlen(output) + 1000 > RENDER_LONGEST_NAME)
    return refuse("output", output, "a name with one number such as %04d");
  return -1;
}

static int read_size(const char* text, render_plan* plan) {
  int used = 0;
  static const char RULE[] = "width and height in pixels, such as 1280x720";
  if (!isdigit((unsigned char)text[0]) ||
      sscanf(text, "%5dx%5d%n", &plan->width, &plan->height, &used) != 2 || text[used] ||
      !isdigit((unsigned char)strchr(text, 'x')[1]))
    return refuse("size", text, RULE);
  if (plan->width < 1 || plan->height < 1 || plan->width > LARGEST_SIZE ||
      plan->height > LARGEST_SIZE)
    return refuse("size", text, "from 1x1 to 16384x16384");
  if (plan->kind == RENDER_MOVIE && (plan->width % 2 || plan->height % 2))
    return refuse("size", text, "two even numbers for a movie, because H.264 halves the colours");
  return -1;
}

/* --- Camera and background ----------------------------------------------------------------------
 */

static int read_look_at(const char* text, render_plan* plan) {
  char copy[128], *rest = copy;
  bool done = strlen(text) < sizeof copy;
  if (done) memcpy(copy, text, strlen(text) + 1);
  for (int k = 0; k < 3 && done; k++) {
    char* end = strchr(rest, ',');
    done = (end != NULL) == (k < 2);
    if (done && end) *end = '\0';
    done = done && cli_read_number(rest, &plan->look_at[k]);
    if (end) rest = end + 1;
  }
  plan->has_look_at = true;
  return done ? -1 : refuse("look-at", text, "three numbers such as 0,0,0.5");
}

/* "#rrggbb" at the start of a text. */
static bool read_colour(const char* text, float colour[3]) {
  if (text[0] != '#' || strspn(text + 1, "0123456789abcdefABCDEF") != 6) return false;
  unsigned long number = strtoul(text + 1, NULL, 16);
  for (int k = 0; k < 3; k++) colour[k] = (float)(number >> (16 - 8 * k) & 255) / 255;
  return true;
}

static int read_background(const char* text, render_plan* plan) {
  const char* colours = text;
  if (strcmp(text, "light") == 0) colours = "#dde5ee,#fbfcfd";
  if (strcmp(text, "dark") == 0) colours = "#12161d,#2c3440";
  plan->is_transparent = strcmp(text, "transparent") == 0;
  if (plan->is_transparent && plan->kind == RENDER_MOVIE)
    return refuse("background", text, "a colour, because movies have no opacity");
  if (plan->is_transparent) return -1;
  bool done = read_colour(colours, plan->top);
  memcpy(plan->bottom, plan->top, sizeof plan->bottom);
  if (done && colours[7])
    done = colours[7] == ',' && read_colour(colours + 8, plan->bottom) && !colours[15];
  if (done) return -1;
  return refuse("background", text,
                "#rrggbb, two of them with a comma, light, dark or transparent");
}

/* --- Soft bodies --------------------------------------------------------------------------------
 */

static int read_soft_colours(const char* text, render_plan* plan) {
  plan->by_stress = strcmp(text, "stress") == 0;
  if (plan->by_stress || strcmp(text, "plain") == 0) return -1;
  return refuse("soft-colors", text, "stress or plain");
}

static int read_stress_range(const char* text, render_plan* plan) {
  static const char RULE[] = "two numbers in Pa, the second larger, such as 0:2e4";
  char copy[64];
  plan->stress[0] = plan->stress[1] = NAN;
  if (!text) return -1;
  if (!plan->by_stress)
    return cli_fail(EXIT_USAGE, "render: --stress-range is given, but with --soft-colors plain "
                                "there are no colours of stress");
  const char* colon = strchr(text, ':');
  if (!colon || strlen(text) >= sizeof copy) return refuse("stress-range", text, RULE);
  memcpy(copy, text, strlen(text) + 1);
  copy[colon - text] = '\0';
  bool done = cli_read_number(copy, &plan->stress[0]) &&
              cli_read_number(copy + (colon - text) + 1, &plan->stress[1]);
  return done && plan->stress[0] < plan->stress[1] ? -1 : refuse("stress-range", text, RULE);
}

/* --- All of it ----------------------------------------------------------------------------------
 */

/* Options that are of another kind of output. */
static int check_times(const render_options* o, render_kind kind) {
  bool has_span = !isnan(o->from) || !isnan(o->to) || !isnan(o->fps) || !isnan(o->speed);
  if (kind == RENDER_PICTURE && has_span)
    return cli_fail(EXIT_USAGE, "render: --from, --to, --fps and --speed are for movies and "
                                "numbered pictures; one picture has --time");
  if (kind != RENDER_PICTURE && !isnan(o->time))
    return cli_fail(EXIT_USAGE, "render: --time is for one picture; movies and numbered pictures "
                                "have --from and --to");
  return -1;
}

static int check_camera(const render_options* o) {
  char text[32];
  snprintf(text, sizeof text, "%g", o->elevation);
  if (fabs(o->elevation) > 90) return refuse("elevation", text, "from -90 to 90");
  snprintf(text, sizeof text, "%g", o->angle);
  if (o->angle >= 170) return refuse("angle", text, "less than 170");
  if (o->look_at && o->follow)
    return cli_fail(EXIT_USAGE, "render: --look-at and --follow are both given");
  if (o->samples != 0 && o->samples <= MOST_SAMPLES) return -1;
  snprintf(text, sizeof text, "%d", o->samples);
  return refuse("samples", text, "from 1 to 4096");
}

int render_make_plan(const render_options* o, render_plan* plan) {
  *plan = (render_plan){0};
  int code = read_output(o->output, plan);
  if (code < 0) code = read_size(o->size, plan);
  if (code < 0) code = check_times(o, plan->kind);
  if (code < 0) code = check_camera(o);
  if (code < 0 && o->look_at) code = read_look_at(o->look_at, plan);
  if (code < 0) code = read_soft_colours(o->soft_colours, plan);
  if (code < 0) code = read_stress_range(o->stress_range, plan);
  return code < 0 ? read_background(o->background, plan) : code;
}
