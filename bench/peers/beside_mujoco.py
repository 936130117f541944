"""Times Carom and MuJoCo on the same scenes, one after the other in one run, by thread CPU time.

usage: beside_mujoco.py BENCH_STEPS [SCENE.xml ...]

BENCH_STEPS is the built bench_peers_steps. Without scenes: piles of 10, 40 and 100 spheres and boxes in a bin. Each is
run three times by each engine, in turn; the least counts. MuJoCo solves elliptic cones by its Newton method.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import mujoco

DT = 0.005
REPEATS = 3


def make_pile(count, columns=2, seed=1):
    """A column of layers of spheres and boxes (5 cm, 1000 kg/m3) that falls into a bin."""
    draw = random.Random(seed)
    width = 0.115 * columns + 0.02
    lines = ['<mujoco><option timestep="0.005" cone="elliptic"/>',
             '<default><geom friction="0.5" condim="3" density="1000"/></default><worldbody>',
             '<geom type="plane" size="0 0 1"/>']
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        size = (0.05, width + 0.1) if x else (width + 0.1, 0.05)
        place = x * (width + 0.05), y * (width + 0.05)
        lines.append(f'<geom type="box" size="{size[0]} {size[1]} 2" pos="{place[0]} {place[1]} 2"/>')
    for i in range(count):
        layer, place = divmod(i, columns * columns)
        x, y = ((k - (columns - 1) / 2) * 0.2 + draw.uniform(-0.01, 0.01) for k in divmod(place, columns))
        z = 0.1 + 0.18 * layer + draw.uniform(0, 0.02)
        shape = 'type="box" size="0.05 0.05 0.05"' if (i + place // columns) % 2 else 'type="sphere" size="0.05"'
        lines.append(f'<body pos="{x:g} {y:g} {z:g}" euler="{draw.uniform(0, 90):g} {draw.uniform(0, 90):g} 0">'
                     f"<freejoint/><geom {shape}/></body>")
    return "\n".join(lines) + "\n</worldbody></mujoco>\n"


def time_carom(bench, scene, steps, dt):
    return json.loads(subprocess.run([bench, scene, str(steps), str(dt)], check=True, capture_output=True).stdout)


def time_mujoco(scene, steps, dt):
    model = mujoco.MjModel.from_xml_path(str(scene))
    model.opt.timestep = dt
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    data = mujoco.MjData(model)
    times = [time.thread_time()]
    for part in (steps // 2, steps - steps // 2):
        mujoco.mj_step(model, data, part)
        times.append(time.thread_time())
    return {"us": 1e6 * (times[2] - times[0]) / steps, "us_second_half": 1e6 * (times[2] - times[1]) / (steps - steps // 2),
            "contacts": data.ncon}


def compare(bench, scene, steps, dt):
    runs = [(time_carom(bench, scene, steps, dt), time_mujoco(scene, steps, dt)) for _ in range(REPEATS)]
    ours, theirs = (min(engine, key=lambda run: run["us"]) for engine in zip(*runs))
    print(f"{scene.stem:20} {ours['us']:9.1f} {theirs['us']:9.1f} {theirs['us'] / ours['us']:7.2f}"
          f"   {ours['us_second_half']:9.1f} {theirs['us_second_half']:9.1f}"
          f" {theirs['us_second_half'] / ours['us_second_half']:7.2f}"
          f"   {ours['contacts']:4d} {theirs['contacts']:4d}   {ours['residual_second_half']:.0e}", flush=True)


def main(bench, *scenes):
    print(f"MuJoCo {mujoco.__version__}, us a step: Carom, MuJoCo, ratio; the same in the second half of the run;"
          " contacts at the end; Carom's largest residual in the second half")
    for scene in map(pathlib.Path, scenes):
        dt = mujoco.MjModel.from_xml_path(str(scene)).opt.timestep
        compare(bench, scene, round(12 / dt), dt)
    if not scenes:
        with tempfile.TemporaryDirectory() as folder:
            for count in (10, 40, 100):
                scene = pathlib.Path(folder) / f"pile{count}.xml"
                scene.write_text(make_pile(count, 2 if count <= 40 else 3))
                compare(bench, scene, round(12 / DT), DT)


if __name__ == "__main__":
    main(*sys.argv[1:])
