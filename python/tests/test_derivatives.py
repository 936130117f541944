"""Derivatives of steps and trajectories: against differences, a tape against its own bits."""

import numpy as np
import pytest

import carom

ARM = """<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="5 5 1" friction="0.5"/>
<body name="upper" pos="0 0 0.5"><joint name="shoulder" axis="0 1 0" damping="0.05"/>
<geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" contype="0" conaffinity="0"/>
<body name="fore" pos="0.3 0 0"><joint name="elbow" axis="0 1 0" damping="0.05"/>
<geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" contype="0" conaffinity="0"/></body></body>
<body name="ball" pos="1 0 0.1"><freejoint/><geom name="ball" size="0.1" friction="0.5"/></body></worldbody>
<actuator><motor name="s" joint="shoulder" gear="2"/><motor name="e" joint="elbow"/></actuator></mujoco>"""


@pytest.fixture
def sim():
    sim = carom.Sim(carom.loads(ARM), tolerance=1e-12)
    sim.set_state(v=[0.4, -0.3, 1.0, 0.2, 0, 0.5, 3.0, 0.1])
    sim.ctrl[:] = 0.3, -0.2
    return sim


def loss_weights(sim):
    return np.cos(np.arange(2 * len(sim.v)))


def test_linearize(sim):
    d = sim.linearize(["body.upper.mass", "model.gravity"])
    assert d.A.shape == (16, 16) and d.B.shape == (16, 2) and d.C.shape == (16, 4)
    assert d.parameters == {"body.upper.mass": slice(0, 1), "model.gravity": slice(1, 4)}
    assert d.num_kinks == 0 and d.num_held == 0
    saved, h = sim.save(), 1e-4
    ends = []
    for sign in (1, -1):
        sim.restore(saved)
        sim.ctrl[0] += sign * h
        sim.step()
        ends.append(np.array(sim.v))
    assert np.allclose((ends[0] - ends[1]) / (2 * h), d.B[8:, 0], rtol=0, atol=1e-9)


def test_vjp(sim):
    names = ["body.upper.mass", "geom.floor.friction"]
    x1, d = loss_weights(sim), sim.linearize(names)
    g = sim.vjp(x1, names)
    assert np.allclose(g.x0, x1 @ d.A, atol=1e-9) and np.allclose(g.ctrl, x1 @ d.B, atol=1e-12)
    assert np.allclose(g.theta, x1 @ d.C, atol=1e-9)
    assert g["body.upper.mass"] == g.theta[0]


def run(mass, controls, weights):
    """A loss over the last velocities of a run."""
    model = carom.loads(ARM).copy({"body.upper.mass": mass})
    sim = carom.Sim(model, tolerance=1e-12)
    sim.set_state(v=[0.4, -0.3, 1.0, 0.2, 0, 0.5, 3.0, 0.1])
    for u in controls:
        sim.ctrl[:] = u
        sim.step()
    return float(weights[8:] @ sim.v)


@pytest.mark.parametrize("keep", [1, 7])
def test_tape(sim, keep):
    steps, weights = 40, loss_weights(sim)
    controls = 0.3 * np.sin(np.arange(2 * steps)).reshape(steps, 2)
    mass = carom.loads(ARM).parameters["body.upper.mass"].value
    tape = carom.Tape(sim, ["body.upper.mass"], keep=keep)
    for u in controls:
        tape.step(u)
    end = sim.save()
    weights[:8] = 0
    g = tape.pullback(weights)
    assert sim.save() == end and g.ctrl.shape == (steps, 2)
    h = 1e-5 * mass
    expected = (run(mass + h, controls, weights) - run(mass - h, controls, weights)) / (2 * h)
    assert g["body.upper.mass"][0] == pytest.approx(expected, rel=1e-6)
    moved = controls.copy()
    moved[11, 1] += 1e-4
    back = controls.copy()
    back[11, 1] -= 1e-4
    expected = (run(mass, moved, weights) - run(mass, back, weights)) / 2e-4
    assert g.ctrl[11, 1] == pytest.approx(expected, rel=1e-6)


def test_tapes_agree(sim):
    """What is kept and what is taken again gives the same bits."""
    found = []
    start = sim.save()
    for keep in (1, 4):
        sim.restore(start)
        tape = carom.Tape(sim, ["model.gravity"], keep=keep)
        for _ in range(10):
            tape.step()
        found.append(tape.pullback(loss_weights(sim), lambda k: 0.1 * loss_weights(sim)))
    assert np.array_equal(found[0].x0, found[1].x0) and np.array_equal(found[0].theta, found[1].theta)


def test_refusals(sim):
    with pytest.raises(carom.NotFoundError, match="the nearest is 'upper'"):
        sim.linearize(["body.uper.mass"])
    with pytest.raises(carom.UnsupportedError, match="none with respect to geom.margin; there are for geom.friction"):
        sim.linearize(["geom.ball.margin"])
    with pytest.raises(carom.InvalidArgumentError, match="x1"):
        sim.vjp([1, 2, 3])
    with pytest.raises(carom.InvalidArgumentError, match="keep is 0"):
        carom.Tape(sim, keep=0)


def test_batch():
    """Every world's derivative has the bits of a simulation's, for any number of threads."""
    model = carom.loads(ARM)
    for threads in (1, 2):
        batch = carom.Batch(model, 5, threads=threads, tolerance=1e-9)
        batch.v[:] = np.random.default_rng(0).normal(size=(5, 8))
        batch.ctrl[:, 0] = 0.2
        batch.step(3)
        found = batch.linearize()
        for world in range(5):
            one = batch.get_world(world).linearize()
            assert np.array_equal(found.A[world], one.A) and np.array_equal(found.B[world], one.B)
            assert found.num_kinks[world] == one.num_kinks and found.num_held[world] == one.num_held


def test_sensitivity(sim):
    names, start = ["body.upper.mass", "joint.elbow.damping"], sim.save()
    found = sim.sensitivity(names, 30)
    assert found.q.shape == (31, len(sim.q)) and found.dv.shape == (31, 8, 2)
    assert np.array_equal(found.v[-1], sim.v) and found.num_held == 0
    for i, name in enumerate(names):
        ends, value = [], sim.model.parameters[name].value
        for sign in (1, -1):
            other = carom.Sim(sim.model.copy({name: value + sign * 1e-5}), tolerance=1e-12)
            other.restore(start)
            other.ctrl[:] = sim.ctrl
            other.step(30)
            ends.append(np.array(other.v))
        assert np.allclose((ends[0] - ends[1]) / 2e-5, found.dv[-1, :, i], rtol=1e-6, atol=1e-8)


def test_identify_by_exact_derivatives():
    """The same fit as by differences, of an arm's mass and dampings."""
    pytest.importorskip("scipy", reason="SKIPPED: scipy is not installed")
    model = carom.loads(ARM.replace('<geom name="floor" type="plane" size="5 5 1" friction="0.5"/>', ""))
    parameters = {
        "joint.shoulder.damping": carom.span(0.01, 1, log=True),
        "joint.elbow.damping": carom.span(0.01, 1),
        "body.fore.mass": carom.span(0.2, 5),
    }
    steps, rng = 150, np.random.default_rng(3)
    controls = rng.uniform(-2, 2, (steps // 10, 2)).repeat(10, axis=0)

    def run(model, names=None):
        sim = carom.Sim(model, tolerance=1e-10)
        sim.set_state(v=np.array([0.4, -0.3, 0, 0, 0, 0, 0, 0]))
        if names:
            return sim.sensitivity(names, steps, controls).dq[::5, :2].reshape(-1, 3)
        q = []
        for k in range(steps + 1):
            if k % 5 == 0:
                q.append(np.array(sim.q[:2]))
            if k < steps:
                sim.ctrl[:] = controls[k]
                sim.step()
        return np.array(q).ravel()

    true = {"joint.shoulder.damping": 0.08, "joint.elbow.damping": 0.03, "body.fore.mass": 1.1}
    measured = run(model.copy(true)) + 1e-5 * rng.normal(size=2 * (steps // 5 + 1))
    fits = [
        carom.identify(model, parameters, lambda m: run(m) - measured, jacobian=jacobian)
        for jacobian in (run, None)
    ]
    exact, differences = fits
    for name, value in true.items():
        assert exact.low[name] < value < exact.high[name]
        assert exact.values[name] == pytest.approx(differences.values[name], rel=1e-5)
    assert exact.result.cost == pytest.approx(differences.result.cost, rel=1e-6)


SENSED = ARM.replace(
    "</mujoco>",
    '<sensor><jointpos name="angle" joint="elbow"/><framelinvel name="ball" objtype="geom" objname="ball"/>'
    '<framelinacc name="acc" objtype="geom" objname="ball"/><touch name="touch" site="tip"/></sensor></mujoco>',
).replace('<body name="ball"', '<site name="tip"/><body name="ball"')


def test_jacobian():
    sim = carom.Sim(carom.loads(SENSED), tolerance=1e-12)
    sim.set_state(v=[0.4, -0.3, 1.0, 0.2, 0, 0.5, 3.0, 0.1])
    sim.ctrl[:] = 0.3, -0.2
    names, by = ["v", "sensor.ball", "sensor.acc", "energy.kinetic"], ["v", "ctrl", "geom.floor.friction"]
    J = sim.jacobian(of=names, wrt=by)
    assert J.num_kinks == 0 and len(J) == 12 and ("v", "ctrl") in list(J)
    d = sim.linearize(["geom.floor.friction"])
    assert np.array_equal(J["v", "v"], d.A[8:, 8:]) and np.array_equal(J["v", "geom.floor.friction"], d.C[8:])
    assert J["sensor.ball", "v"] == pytest.approx(d.A[10:13, 8:]) and J["energy.kinetic", "ctrl"].shape == (1, 2)
    saved, h, ends = sim.save(), 1e-4, []
    for sign in (1, -1):
        sim.restore(saved)
        sim.set_state(sim.q, np.array(sim.v) + sign * h * np.eye(8)[2])
        sim.step()
        ends.append((np.array(sim.sensors["acc"]), sim.energy().kinetic))
    acc, energy = ((a - b) / (2 * h) for a, b in zip(*ends))
    assert np.allclose(acc, J["sensor.acc", "v"][:, 2], atol=1e-5)
    assert energy == pytest.approx(J["energy.kinetic", "v"][0, 2], rel=1e-6)


ROPE = """<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="5 5 1"/>
<site name="hook" pos="0 0 1"/><body name="hanger" pos="0.1 0 0.6"><freejoint/>
<geom type="box" size="0.05 0.06 0.07" contype="0" conaffinity="0"/><site name="eye" pos="0.01 0.02 0.07"/></body>
<body name="egg" pos="0.5 0 0.11" euler="20 10 5"><freejoint/><geom name="egg" type="ellipsoid" size="0.1 0.2 0.15"
 euler="40 10 20" carom:stiffness="2e5" carom:dissipation="0.01"/></body></worldbody>
<tendon><spatial name="rope" stiffness="300" damping="2" springlength="0 0.2"><site site="hook"/><site site="eye"/>
</spatial></tendon><actuator><motor name="push" site="eye" gear="1 2 0.5 0.1 0.2 0.3"/>
<motor name="pull" tendon="rope" gear="3"/></actuator></mujoco>"""


@pytest.mark.parametrize(
    "name", ["tendon.rope.rest", "tendon.rope.stiffness", "actuator.push.wrench", "actuator.pull.gear", "geom.egg.quaternion"]
)
def test_jacobian_by_what_forces_and_shapes_are(name):
    def end(model):
        sim = carom.Sim(model, tolerance=1e-13)
        sim.set_state(v=[0.4, -0.3, 1.0, 0.2, 0, 0.5, 1, 0.5, 0, 0.5, 2, 3])
        sim.ctrl[:] = 0.3, -0.2
        return sim

    model, h = carom.loads(ROPE), 1e-5
    J = end(model).jacobian(of="v", wrt=name)
    assert J.num_held == 0 and J.num_kinks == 0
    value = np.atleast_1d(model.parameters[name].value)
    for k in range(len(value)):
        ends = []
        for sign in (1, -1):
            moved = np.array(value)
            moved[k] += sign * h
            sim = end(model.copy({name: moved if len(moved) > 1 else moved[0]}))
            sim.step()
            ends.append(np.array(sim.v))
        wanted = (ends[0] - ends[1]) / (2 * h)
        assert np.allclose(J["v", name][:, k], wanted, rtol=0, atol=1e-6 * max(1, np.abs(wanted).max()))
FORCES = """<mujoco><option timestep="0.002" gravity="0 0 -9.81"/>
<worldbody><geom name="floor" type="plane" size="5 5 1" friction="0.3" carom:stiffness="1e5" carom:dissipation="0.004"/>
  <body name="ball" pos="0 0 0.099"><freejoint/><geom name="ball" size="0.1"/><site name="pad" size="0.2"/>
    <inertial pos="0 0 0" mass="3" diaginertia="0.01 0.01 0.01"/><site name="down" euler="180 0 0"/></body>
  <body name="arm" pos="1 0 1"><joint name="swing" axis="0 1 0" limited="true" range="-60 1"/>
    <inertial pos="0.2 0 0" mass="1" diaginertia="0.01 0.01 0.01"/><site name="root"/>
    <body name="fore" pos="0.4 0 0"><joint name="elbow" axis="0 1 0" damping="0.1"/><site name="eye" euler="0 170 0"/>
      <inertial pos="0.1 0 0" mass="0.5" diaginertia="0.01 0.01 0.01"/></body></body></worldbody>
<actuator><motor name="motor" joint="elbow" gear="2"/></actuator>
<sensor><touch name="touch" site="pad"/><rangefinder name="range" site="eye"/>
  <contact name="contact" body1="ball" geom2="floor" num="1" data="force dist pos normal"/>
  <jointlimitfrc name="limit" joint="swing"/><force name="force" site="root"/><torque name="torque" site="root"/>
  <actuatorfrc name="motor" actuator="motor"/><framepos name="place" objtype="site" objname="eye"/>
  <accelerometer name="acc" site="eye"/></sensor></mujoco>"""


@pytest.mark.parametrize("name", ["touch", "range", "contact", "limit", "force", "torque", "motor", "place", "acc"])
def test_jacobian_of_forces(name):
    """Each over velocities, controls and a place, against differences of readings after a step."""
    parameters, model = ["body.fore.position", "body.ball.mass"], carom.loads(FORCES)
    v, q = [0.3, 0.1, -0.2, 1, 2, 3, 0.4, 0.6], np.array(carom.Sim(model).q)
    q[7] = 0.02

    def read(change=0, ctrl=0.0, **values):
        sim = carom.Sim(model.copy({k.replace("__", "."): x for k, x in values.items()}), tolerance=1e-13)
        sim.set_state(q, np.array(v) + change)
        sim.ctrl[:] = 0.5 + ctrl
        J = sim.jacobian(of=f"sensor.{name}", wrt=["v", "ctrl", *parameters])
        sim.step()
        return np.atleast_1d(np.array(sim.sensors[name])).ravel(), J

    def differ(at, h=1e-5):
        return (at(h)[0] - at(-h)[0]) / (2 * h)

    J, near = read()[1], {"rtol": 1e-5, "atol": 2e-5}
    for k in range(8):
        by = differ(lambda h, k=k: read(h * np.eye(8)[k]))
        assert np.allclose(J[f"sensor.{name}", "v"][:, k], by, **near)
    assert np.allclose(J[f"sensor.{name}", "ctrl"][:, 0], differ(lambda h: read(ctrl=h)), **near)
    mass = differ(lambda h: read(body__ball__mass=3 + h))
    assert np.allclose(J[f"sensor.{name}", "body.ball.mass"][:, 0], mass, **near)
    place = differ(lambda h: read(body__fore__position=[0.4 + h, 0, 0]))
    assert np.allclose(J[f"sensor.{name}", "body.fore.position"][:, 0], place, **near)


SOFT = """<mujoco><option timestep="0.002" gravity="0 0 -9.81"/><worldbody>
  <flexcomp name="block" type="grid" count="2 2 2" spacing="0.1 0.1 0.1" dim="3" radius="0" mass="2" pos="0 0 1">
    <elasticity young="3e4" poisson="0.3" damping="0.01"/></flexcomp></worldbody>
<sensor><e_kinetic name="kinetic"/><e_potential name="potential"/></sensor></mujoco>"""


def test_jacobian_of_soft_energies():
    sim = carom.Sim(carom.loads(SOFT), tolerance=1e-12)
    q = np.array(sim.q) * np.tile([1.1, 0.95, 1.02], 8)
    sim.set_state(q, np.sin(np.arange(24.0)))
    names = ["sensor.kinetic", "sensor.potential", "energy.kinetic", "energy.potential"]
    J = sim.jacobian(of=names, wrt=["v", "q", "soft.block.mass"], after_step=False)
    energy = sim.energy()
    assert J["energy.kinetic", "v"][0] @ sim.v == pytest.approx(2 * energy.kinetic)
    assert J["energy.kinetic", "soft.block.mass"][0, 0] == pytest.approx(energy.kinetic / 2)
    assert J["energy.potential", "soft.block.mass"][0, 0] == pytest.approx(energy.potential / 2)
    for k in ("kinetic", "potential"):
        for by in ("v", "q", "soft.block.mass"):
            assert np.array_equal(J[f"sensor.{k}", by], J[f"energy.{k}", by])
    assert sim.sensors["potential"] == pytest.approx(energy.potential + energy.elastic)
    ends, way = [], np.cos(np.arange(24.0))
    for h in (1e-6, -1e-6):
        sim.set_state(q + h * way)
        ends.append(sim.energy().potential + sim.energy().elastic)
    assert J["energy.potential", "q"][0] @ way == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-7)


def test_tape_of_anchored_friction():
    """What contacts remember is carried along: a ball pushed over a floor, against differences."""
    model = carom.loads(FORCES.replace('type="plane"', 'type="plane" friction="0.6"').replace(' friction="0.3"', ""))
    sim = carom.Sim(model, friction="anchored", tolerance=1e-13, rest=0)

    start = sim.save()

    def run(change, tape=None):
        sim.restore(start)
        sim.set_state(v=np.array([0.3, 0, 0, 0, 0, 0, 0, 0]) + change)
        for _ in range(20):
            (sim if tape is None else tape).step()
        return sim.q[0]

    tape = carom.Tape(sim)
    run(np.zeros(8), tape)
    end = np.zeros(16)
    end[0] = 1
    x0 = tape.pullback(end).x0
    for k in (0, 4):
        h = 1e-5 * np.eye(8)[k]
        assert x0[8 + k] == pytest.approx((run(h) - run(-h)) / 2e-5, rel=1e-5)


def test_jacobian_of_the_state(sim):
    """Kinetic energy is v M v / 2."""
    J = sim.jacobian(of="energy.kinetic", wrt=["v", "q"], after_step=False)
    assert J["energy.kinetic", "v"][0] == pytest.approx(sim.mass_matrix() @ sim.v)
    assert sim.jacobian("fore").shape == (6, 8)


def test_jacobian_refuses():
    sim = carom.Sim(carom.loads(SENSED))
    with pytest.raises(carom.UnsupportedError, match="are a step's, ask for the reading after the step"):
        sim.jacobian(of="sensor.touch", wrt="q", after_step=False)
    with pytest.raises(carom.UnsupportedError, match="an acceleration is a step's"):
        sim.jacobian(of="sensor.acc", wrt="q", after_step=False)
    with pytest.raises(ValueError, match="of may be q, v, act, sensor.NAME, energy.kinetic"):
        sim.jacobian(of="energies", wrt="q")
    with pytest.raises(ValueError, match="q is the state itself"):
        sim.jacobian(of="q", wrt="v", after_step=False)
    with pytest.raises(ValueError, match="give a body, or what it is of"):
        sim.jacobian()
    with pytest.raises(carom.NotFoundError):
        sim.jacobian(of="sensor.toch", wrt="q")
