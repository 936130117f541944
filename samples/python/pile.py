"""A pile falls into a bin under the convex law of friction: every step bounds its own error, and at rest the
floor and the walls bear the weight."""
import carom
import numpy as np

model = carom.load("scenes/clutter.xml")
sim = carom.Sim(model, friction="convex", sigma=1e-3, beta=1)
bound = max(sim.step().error_bound for _ in range(400))
contacts = sim.contacts
fixed = np.array([geom.body == 0 for geom in model.geoms])[contacts["geom1"]]
held = contacts["impulse"][fixed].sum(axis=0) / sim.dt
weight = 9.81 * sum(body.mass for body in model.bodies)
print(f"{len(model.bodies) - 1} bodies of {weight / 9.81:.1f} kg, {sim.time:.0f} s")
print(f"velocity errors of all steps below 1e-6: {bound < 1e-6}")
print(f"the bin bears {held[2] / weight:.3f} of the weight upwards, {abs(held[0] / weight):.3f} sideways")
print(f"nothing that sticks slips faster than 1 mm/s: {contacts['slip'][contacts['state'] == 1].max() < 1e-3}")
