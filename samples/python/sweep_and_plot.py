"""How far a pushed box slides, over its mass and its friction, as a plot with units. Beside it a law from outside:
v0^2 / (2 mu g), whatever the mass. Usage: sweep_and_plot.py [FILE.svg]"""
import sys
import tempfile

import carom
import matplotlib
import numpy as np

matplotlib.use("agg")  # a file, no window
import matplotlib.pyplot as plt

model = carom.load("samples/pushed_box.xml").copy({"geom.1.friction": 0})  # of two the larger counts: the floor's
names = "body.box.mass", "geom.floor.friction"
speed = 3.0  # m/s


def measure(model):
    sim = carom.Sim(model, dt=0.002)
    v = np.zeros(model.nv)
    v[0] = speed
    sim.set_state(v=v)
    while np.abs(sim.v).max() > 1e-3 and sim.time < 10:
        sim.step(10)
    return sim.q[0] - model.reference[0]


table = carom.sweep(model, {names[0]: [1, 4], names[1]: carom.grid(0.2, 1, 9)}, measure)
mass, friction, way = (table[name].reshape(table.shape) for name in (*names, "value"))
law = speed**2 / (2 * friction * 9.81)
print(f"{table.shape[0]} masses, {table.shape[1]} coefficients of friction")
print(f"the mass changes the way by less than 1 mm: {np.ptp(way, axis=0).max() < 1e-3}")
print(f"the law is met within 1 %: {np.abs(way / law - 1).max() < 0.01}")

figure, axis = plt.subplots(layout="constrained")
unit = model.parameters[names[0]].unit
for m, mu, x in zip(mass[:, 0], friction, way):
    axis.plot(mu, x, "o-" if m == 1 else "x", label=f"{m:g} {unit}")
axis.plot(friction[0], law[0], "k:", label="v² / (2 μ g)")
axis.set(xlabel="coefficient of friction", ylabel="way (m)")
axis.legend()
name = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkstemp(".svg")[1]
figure.savefig(name)
print("a plot with", len(axis.lines), "lines")
