"""Loads a scene, steps it for two seconds, and prints how fast its bodies move."""
import sys

import carom

model = carom.load(sys.argv[1] if len(sys.argv) > 1 else "samples/first_scene.xml")
sim = carom.Sim(model, dt=0.005, scheme="midpoint")
for _ in range(4):
    report = sim.step(100)
    ahead, _, up = sim.v[:3]
    print(f"{sim.time:.1f} s: {ahead:.2f} m/s ahead, {-up:.2f} m/s down, {report.contacts} contacts")
