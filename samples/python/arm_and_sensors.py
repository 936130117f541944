"""An arm that a control law holds at a pose: gravity compensated, joints sprung and damped by its motors."""
import carom
import numpy as np

builder = carom.Builder(name="arm")
link = builder.world
for name in ("shoulder", "elbow"):
    link = builder.add_body(name=name, parent=link, position=[0, 0, 1 if name == "shoulder" else -0.4],
                            mass=2, com=[0, 0, -0.2], inertia=[0.03, 0.03, 0.003, 0, 0, 0])
    builder.add_joint(name=name, body=link, axis=[0, 1, 0], damping=0.05)
    builder.add_actuator(name=name, joint=name, force_limited=True, force_range=[-30, 30])
    builder.add_sensor(name=name, type="joint_position", joint=name)
builder.add_site(name="hand", body="elbow", position=[0, 0, -0.4])
builder.add_sensor(name="hand", type="frame_position", frame={"type": "site", "id": builder.find("site", "hand")})
sim = carom.Sim(builder.compile(), dt=0.002)

goal, stiffness, damping = np.array([0.8, -1.2]), 60.0, 6.0
for second in range(1, 4):
    for _ in range(500):
        bias = sim.dynamics().bias()
        sim.ctrl[:] = bias + stiffness * (goal - sim.q) - damping * sim.v
        sim.step()
    sensors = sim.sensors
    x, _, z = sensors["hand"]
    print(f"{second} s: shoulder {sensors['shoulder'][0]:.3f}, elbow {sensors['elbow'][0]:.3f} rad, hand at {x:.3f}, {z:.3f} m")
