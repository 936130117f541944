"""Prints, as one JSON object, what MuJoCo makes of an MJCF file: the reason why it refuses it, or masses, mass matrix, forces
and accelerations without constraints at the reference configuration at rest, and the time of its steps. Run by tools/run_corpus
with an interpreter that has mujoco and numpy: mujoco_values.py FILE DURATION HEIGHT, with HEIGHT of the floor to add, or none."""
import json
import sys
import time

import mujoco
import numpy

LONGEST = 0.5  # s that the steps may take


def load(path, height):
    """The model, with a floor where `height` is given."""
    spec = mujoco.MjSpec.from_file(path)
    if height != "none":
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], pos=[0, 0, float(height)])
    return spec.compile()


def evaluate(model):
    """Values at the reference configuration, from which nothing has moved and where nothing sleeps."""
    model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mass_matrix = numpy.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass_matrix)
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, i) or "" for i in range(1, model.nbody)]
    return {"names": names, "masses": model.body_mass[1:].tolist(), "mass_matrix": mass_matrix.tolist(),
            "bias": data.qfrc_bias.tolist(),
            "passive": data.qfrc_passive.tolist(), "actuation": data.qfrc_actuator.tolist(),
            "qacc_actuated": data.qacc_smooth.tolist()}


def measure_steps(model, duration):
    """Microseconds of a step, over at most `duration` of simulated time."""
    data = mujoco.MjData(model)
    steps, begin = 0, time.monotonic()
    while data.time < duration and time.monotonic() - begin < LONGEST:
        mujoco.mj_step(model, data)
        steps += 1
    return 1e6 * (time.monotonic() - begin) / max(1, steps)


def main():
    path, duration, height = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    try:
        model = load(path, height)
    except Exception as error:  # what mujoco throws has no class of its own
        print(json.dumps({"refused": " ".join(str(error).split())[:300]}))
        return
    found = {"nbody": model.nbody, "nv": model.nv, "nflex": model.nflex, "ngeom": model.ngeom}
    if model.nv <= 1500 and model.nflex == 0:
        found["values"] = evaluate(model)
    found["microseconds"] = measure_steps(model, duration)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
