"""How a billiard break hangs on friction: derivatives of all balls' places over that of balls on balls and that of the
cloth, carried along 600 steps through every impact, beside differences of two runs."""
import carom
import numpy as np

STEPS, EVERY = 600, 150
SPEED = 7.0  # m/s, of the cue ball, a little off the line

model = carom.load("scenes/billiards.xml")
balls = [f"ball{i}" for i in range(1, 16)]
frictions = [f"geom.{name}.friction" for name in ["cue_ball", *balls]]
places = {name: next(j for j in model.joints if j.body == model.bodies.index(name)) for name in ["cue_ball", *balls]}


def start(of):
    """The cue ball on its way, a hand's breadth before the rack; the cue stands aside."""
    sim = carom.Sim(of, tolerance=1e-11, rest=0)
    q, v = sim.q.copy(), sim.v.copy()
    cue = places["cue_ball"]
    q[cue.q_start : cue.q_start + 2] = 0.5, 0.006
    v[cue.v_start] = SPEED
    sim.set_state(q=q, v=v)
    return sim


def run(ball_friction, cloth_friction):
    values = {name: ball_friction for name in frictions} | {"geom.cloth.friction": cloth_friction}
    sim = start(model.copy(values))
    sim.step(STEPS)
    return sim.q.copy()


found = start(model).sensitivity([*frictions, "geom.cloth.friction"], STEPS)
on_balls, on_cloth = found.dq[:, :, :-1].sum(axis=2), found.dq[:, :, -1]
moved = np.array([[places[name].v_start, places[name].v_start + 1] for name in balls])
print("mm that the balls go astray by a hundredth more friction, at most")
for step in range(EVERY, STEPS + 1, EVERY):
    of_balls, of_cloth = (10 * np.abs(d[step][moved]).max() for d in (0.05 * on_balls, 0.2 * on_cloth))
    print(f"after {1e3 * step * model.timestep:4.0f} ms: of balls {of_balls:.1e}, of the cloth {of_cloth:.1e}")
h = 1e-6
difference = (run(0.05 + h, 0.2) - run(0.05 - h, 0.2)) / (2 * h)
by_runs = np.array([[difference[places[name].q_start], difference[places[name].q_start + 1]] for name in balls])
error = np.abs(on_balls[STEPS][moved] - by_runs).max() / np.abs(by_runs).max()
print(f"as by differences of two runs, to 1 in 1000: {error < 1e-3}")
