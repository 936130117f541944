/* A scene with a little of everything, for fuzz targets of what is read beside a model. */
#ifndef CR_FUZZ_SMALL_SCENE_H
#define CR_FUZZ_SMALL_SCENE_H

#include "carom/scene.h"
#include "carom/sim.h"

#include <stdlib.h>
#include <string.h>

static const char FUZZ_SCENE[] =
    "<mujoco model='small'><option timestep='0.005'/><asset><mesh name='m' "
    "vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='.1 .1 .1'/></asset>"
    "<worldbody><geom type='plane' size='1 1 1'/><site name='s'/>"
    "<body name='ball' pos='3 0 .1'><freejoint/><geom size='.1' rgba='1 0 0 1'/></body>"
    "<body name='arm' pos='0 2 1'><joint name='j' axis='0 1 0' ref='.1' range='-60 60'/>"
    "<geom type='mesh' mesh='m'/><geom type='capsule' size='.02' fromto='0 0 0 .3 0 0'/></body>"
    "<body name='hand' mocap='true' pos='5 0 1'><geom size='.05'/></body>"
    "<flexcomp name='cube' type='grid' dim='3' count='2 2 2' spacing='.1 .1 .1' pos='0 0 .5' "
    "radius='0'><elasticity young='1e5' poisson='.4'/><pin id='0'/></flexcomp></worldbody>"
    "<actuator><motor name='a' joint='j'/><general name='f' joint='j' dyntype='filter' "
    "dynprm='.1'/></actuator><sensor><jointpos name='p' joint='j'/></sensor></mujoco>";

static inline carom_model* fuzz_scene_model(void) {
  carom_error error;
  carom_model* model = NULL;
  if (carom_model_load_string(FUZZ_SCENE, strlen(FUZZ_SCENE), "small", NULL, &model, &error) !=
      CAROM_OK)
    abort();
  return model;
}

static inline carom_sim* fuzz_scene_sim(const carom_model* model) {
  carom_error error;
  carom_sim* sim = NULL;
  carom_sim_def def = carom_sim_def_default();
  def.scheme = CAROM_IMPLICIT;
  if (carom_sim_create(model, &def, &sim, &error) != CAROM_OK) abort();
  return sim;
}

#endif
