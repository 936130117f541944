"""A cam by gradient: how large an eccentric disc has to be, and where its shaft goes, so that a follower rises as wanted.
Steps' derivatives over a geometry's size and place, through contact, are carried along the turn; Gauss-Newton does the
rest. A flat follower on a disc of radius R at (x, z) from the shaft stands at R - x sin a + z cos a, which is linear in
the design: it takes one step."""
import carom
import numpy as np

MODEL = """<mujoco><option timestep="0.002"/><worldbody>
<body name="shaft" pos="0 0 0.2"><joint name="shaft" axis="0 1 0" damping="0.01"/>
<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>
<geom name="cam" type="sphere" size="0.05" pos="0.002 0 0.004" friction="0.1"/></body>
<body name="follower" pos="0 0 0.264"><joint name="rise" type="slide" axis="0 0 1" stiffness="50" springref="-0.1"/>
<geom type="box" size="0.1 0.05 0.01" mass="0.2" friction="0.1"/></body></worldbody>
<actuator><velocity joint="shaft" kv="20"/></actuator></mujoco>"""
NAMES = ["geom.cam.size[0]", "geom.cam.position[0]", "geom.cam.position[2]"]
SPEED, STEPS, SETTLE = 8.0, 400, 20  # rad/s; steps of a turn, and until the follower lies on the cam
HIGHEST, LOWEST, AT = 0.07, 0.04, np.radians(60)  # m above the shaft, rad of the turn


def follow(values):
    """Angles of the shaft, heights of the follower above it, and the heights' derivatives over the design."""
    sim = carom.Sim(carom.loads(MODEL).copy(dict(zip(NAMES, values))), tolerance=1e-9, rest=0)
    height = values[0] + values[2]  # where the disc ends at the start
    sim.set_state(q=[0, height - 0.054], v=[SPEED, 0])
    found = sim.sensitivity(NAMES, STEPS, np.full((STEPS, 1), SPEED))
    return found.q[SETTLE:, 0], 0.054 + found.q[SETTLE:, 1], found.dq[SETTLE:, 1]


def wanted(angle):
    return 0.5 * (HIGHEST + LOWEST) + 0.5 * (HIGHEST - LOWEST) * np.cos(angle - AT)


def main():
    design = np.array([0.05, 0.002, 0.004])
    for turn in range(2):
        angle, height, slopes = follow(design)
        miss = height - wanted(angle)
        print(f"turn {turn}: radius {1e3 * design[0]:.2f} mm, off the shaft by {1e3 * design[1]:.2f} and "
              f"{1e3 * design[2]:.2f} mm, {1e3 * np.abs(miss).max():.2f} mm off at most")
        design = design - np.linalg.lstsq(slopes, miss, rcond=None)[0]
    radius, offset = 0.5 * (HIGHEST + LOWEST), 0.5 * (HIGHEST - LOWEST)
    exact = [radius, -offset * np.sin(AT), offset * np.cos(AT)]
    print(f"the design of the closed form, to 0.05 mm: {np.abs(design - exact).max() < 5e-5}")


if __name__ == "__main__":
    main()
