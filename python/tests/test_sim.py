"""Simulations: steps, views, states, what they say."""

import gc
import resource
import signal
import threading

import carom
import numpy as np
import pytest
import support


def test_first_steps(slide):
    sim = carom.Sim(slide, dt=0.005, scheme="midpoint")
    report = sim.step(400)
    assert report.outcome == "done" and report.steps == 400 and report.failed_steps == 0
    assert np.isclose(sim.time, 2) and report.time == sim.time
    assert report.contacts == len(sim.contacts) == 7
    assert report.worst_residual <= 1e-6
    angle = np.deg2rad(20)
    expected = 9.81 * (np.sin(angle) - 0.2 * np.cos(angle)) * np.cos(angle)
    before = sim.v[0]
    sim.step(100)
    assert np.isclose((sim.v[0] - before) / 0.5, expected, rtol=1e-3)


def test_one_step_is_many(slide):
    one, many = carom.Sim(slide), carom.Sim(slide)
    for _ in range(50):
        one.step()
    many.step(50)
    assert one.save() == many.save()


def test_views_are_the_memory(sim):
    q, ctrl = sim.q, sim.ctrl
    before = q.copy()
    sim.step(10)
    assert not np.array_equal(q, before) and sim.q is q
    ctrl[:] = [1, 2]
    assert sim.ctrl.tolist() == [1, 2]
    for view in (sim.q, sim.v):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 1
    assert q.__dlpack_device__()[0] == 1


def test_views_keep_their_owner(doll):
    q = carom.Sim(doll).q
    ctrl = carom.Sim(doll).ctrl
    for _ in range(20):
        carom.Sim(doll)
    gc.collect()
    ctrl[:] = 3
    assert q[2] == 0.4 and ctrl.tolist() == [3, 3]


def test_closed(doll):
    sim = carom.Sim(doll)
    q = sim.q
    with sim:
        sim.step()
    for use in (
        sim.step,
        lambda: sim.q,
        lambda: sim.ctrl,
        sim.energy,
        sim.save,
        lambda: sim.time,
        lambda: sim.contacts,
        lambda: sim.step(5),
        lambda: sim.sensors,
        sim.copy,
        sim.close,
    ):
        with pytest.raises(carom.InvalidArgumentError, match="it is closed"):
            use()
    assert np.isfinite(q).all() and "closed" in repr(sim)


def test_options(doll):
    sim = carom.Sim(
        doll,
        dt=0.01,
        scheme=(0.5, 1, 0.5),
        friction="convex",
        solver="ipm",
        sigma=1e-3,
        beta=1,
        rest=0,
        on_failure="continue",
        no_contacts=True,
        tolerance=1e-8,
    )
    options = sim.options
    assert (
        options["scheme"] == (0.5, 1, 0.5) and options["friction"] == "convex" and options["solver"] == "ipm"
    )
    assert options["rest"] == 0 and options["no_contacts"] and options["dt"] == sim.dt == 0.01
    assert carom.Sim(doll).options["scheme"] == "midpoint"
    sim.dt = 0.02
    assert sim.dt == 0.02


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"frction": "convex"}, "there is no argument of Sim 'frction'; the nearest is 'friction'"),
        ({"friction": "coulom"}, "there is no friction 'coulom'; the nearest is 'coulomb'"),
        ({"solver": 3}, "there is no solver 3"),
        ({"dt": -1}, "dt is -1, must be positive"),
        ({"dt": 0}, "dt is 0, must be positive"),
        ({"dt": "x"}, "Sim: dt is 'x', must be a number"),
        ({"threads": 1.5}, "Sim: threads is 1.5, must be a whole number"),
        ({"threads": 2**40}, "Sim: threads is 1099511627776, must be"),
        ({"no_contacts": 1}, "Sim: no_contacts is 1, must be True or False"),
        ({"scheme": (1, 2)}, r"Sim: scheme has shape \(2,\), must have \(3,\)"),
        ({"keyframe": "lwo"}, "there is no keyframe 'lwo'; the nearest is 'low'"),
    ],
)
def test_options_that_are_wrong(doll, options, sentence):
    with pytest.raises(carom.InvalidArgumentError, match=sentence):
        carom.Sim(doll, **options)


def test_no_model():
    with pytest.raises(carom.InvalidArgumentError, match="model is of type str, must be a carom.Model"):
        carom.Sim("scene.xml")


def test_set_state(sim):
    q = sim.q.copy()
    q[2], q[3:7] = 1, [2, 0, 0, 0]
    sim.set_state(q=q, v=np.arange(7), time=3)
    assert sim.q[2] == 1 and sim.q[3] == 1 and sim.v.tolist() == list(range(7)) and sim.time == 3
    sim.set_state(time=4)
    assert sim.v[6] == 6
    with pytest.raises(carom.InvalidArgumentError, match=r"q has shape \(3,\), must have \(15,\)"):
        sim.set_state(q=[1, 2, 3])
    with pytest.raises(carom.InvalidArgumentError, match=r"state: v\[1\] is nan"):
        sim.set_state(v=[0, np.nan, 0, 0, 0, 0, 0])
    with pytest.raises(carom.InvalidArgumentError, match="q is no array of numbers|q holds"):
        sim.set_state(q="abc")


def test_setting_keeps_the_warm_start(slide):
    sim = carom.Sim(slide, dt=0.005)
    sim.step(200)
    twin = sim.copy()
    twin.set_state(v=sim.v)
    sim.step(), twin.step()
    assert sim.save() == twin.save()
    assert sim.step().iterations <= 2
    twin.forget()
    assert len(twin.contacts) == 0


def test_controls(sim):
    sim.ctrl = [0.5, 0]
    sim.step()
    assert sim.sensors["angle"][0] != 0
    sim.ctrl[0] = np.nan
    before = sim.q.copy()
    with pytest.raises(carom.InvalidArgumentError, match=r"ctrl\[0\] is nan"):
        sim.step()
    assert np.array_equal(sim.q, before)


def test_keyframe_and_activations(sim):
    sim.set_keyframe("low")
    assert sim.act.tolist() == [0.5] and sim.ctrl.tolist() == [0.1, 0.2] and sim.q[2] == 0.3
    sim.act[0] = 0.25
    sim.step()
    assert sim.act[0] != 0.25


def test_save_and_restore(sim):
    sim.step(30)
    saved = sim.save()
    sim.step(30)
    end = sim.save()
    sim.restore(saved)
    sim.step(30)
    assert sim.save() == end
    sim.restore(bytearray(saved))
    sim.restore(np.frombuffer(saved, np.uint8))
    for wrong in (b"", b"x" * len(saved), saved[:-1]):
        with pytest.raises(carom.BadInputError):
            sim.restore(wrong)
    with pytest.raises(carom.InvalidArgumentError, match="must be bytes"):
        sim.restore("text")


def test_copy(sim):
    sim.step(20)
    other = sim.copy()
    sim.step(20), other.step(20)
    assert sim.save() == other.save()


def test_wrench_and_mocap(sim):
    sim.set_wrench("trunk", force=[0, 0, 1000])
    sim.step(5)
    assert sim.v[2] > 0
    sim.set_mocap("hand", position=[0, 0, 2])
    assert sim.poses()[sim.model.bodies.index("hand")][:3].tolist() == [0, 0, 2]
    with pytest.raises(carom.InvalidArgumentError):
        sim.set_mocap("leg", position=[0, 0, 2])
    with pytest.raises(carom.InvalidArgumentError):
        sim.set_wrench(0, force=[1, 0, 0])


def test_dynamics(sim):
    sim.step(40)
    M, v = sim.mass_matrix(), sim.v.copy()
    assert np.allclose(M, M.T)
    assert np.isclose(v @ M @ v / 2, sim.energy().kinetic)
    d = sim.dynamics()
    assert np.allclose(d.inverse(d.forward(all=False)), 0, atol=1e-9)
    assert np.allclose(M @ d.forward() + d.bias(), d.passive() + d.actuation())
    J = sim.jacobian("leg", point=(0, 0, -0.1))
    step = 1e-7
    before = _point(sim, "leg", (0, 0, -0.1))
    q = sim.q.copy()
    q[:3] += step * v[:3]
    w, spin = q[3], q[4:7].copy()
    q[3] += step / 2 * -(spin @ v[3:6])
    q[4:7] += step / 2 * (w * v[3:6] + np.cross(spin, v[3:6]))
    q[7] += step * v[6]
    sim.set_state(q=q)
    assert np.allclose((_point(sim, "leg", (0, 0, -0.1)) - before) / step, (J @ v)[:3], atol=1e-5)


def _point(sim, body, local):
    pose = sim.poses()[sim.model.bodies.index(body)]
    w, u = pose[3], pose[4:]
    return pose[:3] + local + 2 * np.cross(u, np.cross(u, local) + w * np.array(local))


def test_contact_forces(slide):
    sim = carom.Sim(slide, dt=0.005)
    sim.step(200)
    contacts = sim.contacts
    J = [sim.contact_jacobian(i) for i in range(len(contacts))]
    total = sum(j[:3].T @ c["impulse"] + j[3:].T @ c["moment"] for j, c in zip(J, contacts)) / sim.dt
    assert np.allclose(total, sim.constraint_force(), atol=1e-9)
    assert slide.geoms[int(contacts["geom1"][0])].name == "slope"
    with pytest.raises(carom.InvalidArgumentError):
        sim.contact_jacobian(99)
    assert len(sim.compute_contacts()) == 7


def test_sensors(sim):
    sim.step(10)
    readings = sim.sensors
    assert list(readings) == ["inside", "angle"] and readings["inside"].shape == (3,)
    assert readings["angle"][0] == sim.q[7] and readings.array.shape == (4,)
    with pytest.raises(carom.NotFoundError, match="the nearest is 'inside'"):
        readings["insid"]
    assert "nothing" not in readings and dict(readings).keys() == {"inside", "angle"}


def test_acceleration(slide):
    assert np.allclose(carom.Sim(slide).acceleration(), [0, 0, -9.81, 0, 0, 0])


def test_problem(slide):
    sim = carom.Sim(slide, dt=0.005)
    assert sim.problem() is None
    sim.step(200)
    assert sim.problem().sizes["num_contacts"] == 7


def test_soft_bodies():
    sim = carom.Sim(carom.load(support.GRIPPER))
    sim.step(3)
    name = sim.model.softs.names[0]
    assert sim.soft_stress(name).shape == (sim.model.softs[name].num_elements,)
    assert sim.model.softs[name].nodes.shape == (sim.model.softs[name].num_nodes, 3)
    assert sim.reactions().shape == (len(sim.model.attachments), 6)
    assert sim.mass_matrix().shape == (sim.model.nv - 3 * sim.model.sizes["num_soft_nodes"],) * 2


def test_interrupt_ends_many_steps_and_loses_nothing(doll):
    def stop(*_):
        raise KeyboardInterrupt

    sim, twin = carom.Sim(doll, rest=0), carom.Sim(doll, rest=0)
    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            sim.step(10**9)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    steps = round(sim.time / sim.dt)
    assert steps > 0
    twin.step(steps)
    sim.step(3), twin.step(3)
    assert sim.save() == twin.save()


def test_another_thread_is_refused(doll):
    sim = carom.Sim(doll, rest=0)
    errors, started = [], threading.Event()

    def work():
        started.set()
        sim.step(20000)

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    while thread.is_alive():
        try:
            sim.energy()
        except carom.InvalidArgumentError as error:
            errors.append(str(error))
    thread.join()
    assert errors and "another thread" in errors[0]
    sim.step()


def test_threads_side_by_side(doll):
    sims = [carom.Sim(doll, rest=0) for _ in range(4)]
    threads = [threading.Thread(target=sim.step, args=(500,)) for sim in sims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({sim.save() for sim in sims}) == 1


def test_memory_does_not_grow(slide):
    sim = carom.Sim(slide, dt=0.001, rest=0)

    def use(count):
        for _ in range(count):
            sim.set_state(q=slide.reference)
            sim.step()
            sim.contacts, sim.energy(), sim.sensors

    use(3000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    use(20000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before <= 1024


@pytest.mark.parametrize("count", [-1, 1.5, "1", None, 2**40])
def test_counts_that_are_none(sim, count):
    with pytest.raises(carom.InvalidArgumentError, match="step: count is"):
        sim.step(count)


def test_no_steps(sim):
    assert sim.step(0).steps == 0 and sim.time == 0


def test_a_step_that_fails(doll):
    sim = carom.Sim(doll)
    q, v = sim.q.copy(), sim.v.copy()
    q[0], v[0] = 1.7e308, 1e308
    sim.set_state(q=q, v=v)
    report = sim.step(5)
    assert report.outcome != "done" and report.steps == 1 and report.failed_steps == 1
    assert sim.time == 0 and sim.q[0] == 1.7e308
