/* What a reader's note speaks of. Readers give their reasons in fixed phrases; the phrase tells. */
#include "import/remark.h"

#include <string.h>

static const struct phrase {
  const char* words;
  carom_note_kind kind;
} PHRASES[] = {
    /* For drawing. */
    {"for drawing", CAROM_NOTE_UNUSED},
    {"not drawn", CAROM_NOTE_UNUSED},
    {"no colour; for drawing", CAROM_NOTE_UNUSED},
    {"only the colour is used", CAROM_NOTE_UNUSED},
    {"materials, lines and curves", CAROM_NOTE_UNUSED},
    /* For the methods of other programs, which others take the place of. */
    {"with settings of their own", CAROM_NOTE_UNUSED},
    {"rigid, or ha", CAROM_NOTE_UNUSED},
    {"contacts are not overridden", CAROM_NOTE_UNUSED},
    {"for the solver of another program", CAROM_NOTE_UNUSED},
    {"lengths of actuators", CAROM_NOTE_UNUSED},
    {"uses an octree", CAROM_NOTE_UNUSED},
    {"keep all their vertices", CAROM_NOTE_UNUSED},
    {"bodies rest by themselves", CAROM_NOTE_UNUSED},
    {"have facets where they touch", CAROM_NOTE_UNUSED},
    {"have no overlap yet are looked at ahead", CAROM_NOTE_UNUSED},
    {"welded bodies move as one", CAROM_NOTE_UNUSED},
    {"no geometry is dropped", CAROM_NOTE_UNUSED},
    /* For other programs, and for people. */
    {"programs of the file's author", CAROM_NOTE_UNUSED},
    {"programs that drive the robot", CAROM_NOTE_UNUSED},
    {"a joint's velocity has no limit here", CAROM_NOTE_UNUSED},
    {"velocity is not enforced, but kept", CAROM_NOTE_UNUSED},
    {"for another program", CAROM_NOTE_UNUSED},
    {"it is for Gazebo", CAROM_NOTE_UNUSED},
    {"the tools of", CAROM_NOTE_UNUSED},
    {"it is not known here", CAROM_NOTE_UNUSED},
    {"text has no meaning", CAROM_NOTE_UNUSED},
    {"its prefix is not one", CAROM_NOTE_UNUSED},
    {"readings have no noise", CAROM_NOTE_UNUSED},
    {"groups of actuators", CAROM_NOTE_UNUSED},
    {"the data says it", CAROM_NOTE_UNUSED},
    {"says what it is", CAROM_NOTE_UNUSED},
    {"sensors read in any case", CAROM_NOTE_UNUSED},
    /* Read otherwise. */
    {"read as", CAROM_NOTE_MAPPED},
    {"the first one counts", CAROM_NOTE_MAPPED},
    {"the later one counts", CAROM_NOTE_MAPPED},
    {"is one rigid body", CAROM_NOTE_MAPPED},
    {"are on one rigid body", CAROM_NOTE_MAPPED},
    {"collides as its convex hull", CAROM_NOTE_MAPPED},
    {"collides as the convex parts", CAROM_NOTE_MAPPED},
    {"collides as convex parts", CAROM_NOTE_MAPPED},
    {"collides as the surface", CAROM_NOTE_MAPPED},
    {"convex_decomposition is made", CAROM_NOTE_MAPPED},
    {"as their hulls in any case", CAROM_NOTE_MAPPED},
    {"each mesh says what gives its mass", CAROM_NOTE_MAPPED},
    {"contact is at points", CAROM_NOTE_MAPPED},
    {"it is used as it stands", CAROM_NOTE_MAPPED},
    {"not limited: ", CAROM_NOTE_MAPPED},
    {"so it limits nothing", CAROM_NOTE_MAPPED},
    {"a link has its name", CAROM_NOTE_MAPPED},
    {"a fixed joint follows nothing", CAROM_NOTE_MAPPED},
    {"the world does not move", CAROM_NOTE_MAPPED},
    {"a floor at z = 0 is added", CAROM_NOTE_MAPPED},
};

carom_note_kind cr_note_find_kind(const char* note) {
  for (size_t i = 0; i < sizeof PHRASES / sizeof PHRASES[0]; i++)
    if (strstr(note, PHRASES[i].words)) return PHRASES[i].kind;
  return CAROM_NOTE_IGNORED;
}
