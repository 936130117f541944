"""Batches and rollouts: as simulations alone, for any number of threads."""

import gc
import signal

import carom
import numpy as np
import pytest

N = 9


def controls(step, n=N):
    return np.sin(0.1 * step + 0.7 * np.arange(n)[:, None] + np.arange(2))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_as_simulations(doll, threads):
    batch = carom.Batch(doll, N, threads=threads, dt=0.004)
    sims = [carom.Sim(doll, dt=0.004) for _ in range(N)]
    for step in range(40):
        batch.ctrl[:] = controls(step)
        if step == 20:
            batch.v[:] += controls(step)[:, :1]
        batch.step(1 + step % 3)
        for i, sim in enumerate(sims):
            sim.ctrl[:] = controls(step)[i]
            if step == 20:
                sim.set_state(v=sim.v + controls(step)[i, 0])
            report = sim.step(1 + step % 3)
            assert np.array_equal(batch.q[i], sim.q) and np.array_equal(batch.v[i], sim.v)
            assert np.array_equal(batch.act[i], sim.act) and batch.time[i] == sim.time
            assert batch.reports["residual"][i] == report.residual
            assert np.array_equal(batch.contacts(i)["impulse"], sim.contacts["impulse"])
    for i, sim in enumerate(sims):
        assert np.array_equal(batch.readings[i], sim.sensors.array)
        assert np.array_equal(batch.sensors["angle"][i], sim.sensors["angle"])
        assert batch.get_world(i).save() == sim.save()


def test_views(doll):
    q = carom.Batch(doll, N).q
    batch = carom.Batch(doll, N)
    gc.collect()
    assert q.shape == (N, doll.nq) and q.flags.writeable and np.all(q == doll.reference)
    with pytest.raises(ValueError, match="read-only"):
        batch.readings[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        batch.reports["time"][0] = 1
    batch.ctrl = 0.5
    assert np.all(batch.ctrl == 0.5) and len(batch) == batch.n == N
    with pytest.raises(carom.InvalidArgumentError, match=r"ctrl has shape \(3,\), must fit \(9, 2\)"):
        batch.ctrl = np.zeros(3)
    with batch:
        pass
    with pytest.raises(carom.InvalidArgumentError, match="it is closed"):
        batch.step()
    with pytest.raises(carom.InvalidArgumentError, match="it is closed"):
        batch.q


def test_reset(doll):
    batch = carom.Batch(doll, N)
    start = batch.readings.copy()
    batch.ctrl[:] = 1
    batch.step(20)
    mask = np.arange(N) % 2 == 0
    moved = batch.q.copy()
    batch.reset(mask, q=doll.reference + 0.001)
    assert np.array_equal(batch.q[~mask], moved[~mask]) and np.all(batch.q[mask] == doll.reference + 0.001)
    assert np.all(batch.time[mask] == 0) and np.all(batch.ctrl[mask] == 0) and np.all(batch.ctrl[~mask] == 1)
    batch.reset(keyframe="low")
    assert np.all(batch.q[:, 2] == 0.3) and np.all(batch.act == 0.5)
    batch.reset()
    assert np.array_equal(batch.readings, start)
    for mask in (np.zeros(3, bool), np.zeros(N), [True]):
        with pytest.raises(carom.InvalidArgumentError, match="mask is"):
            batch.reset(mask)
    with pytest.raises(carom.InvalidArgumentError, match=r"q has shape \(2,\)"):
        batch.reset(q=[1, 2])


def test_a_world_that_fails(doll):
    batch, sim = carom.Batch(doll, N, threads=2), carom.Sim(doll)
    batch.q[3, 0], batch.v[3, 0] = 1.7e308, 1e308
    batch.step(5)
    sim.step(5)
    assert batch.failed.tolist() == [i == 3 for i in range(N)]
    assert batch.q[3, 0] == 1.7e308 and batch.time[3] == 0
    assert all(np.array_equal(batch.q[i], sim.q) for i in range(N) if i != 3)


def test_numbers_that_are_none(doll):
    batch = carom.Batch(doll, N)
    batch.ctrl[4, 1] = np.nan
    with pytest.raises(carom.InvalidArgumentError, match=r"batch: ctrl\[4, 1\] is nan"):
        batch.step()
    assert np.all(batch.time == 0)


def test_worlds_in_simulations(doll):
    batch = carom.Batch(doll, N)
    sim = carom.Sim(doll)
    sim.set_wrench("trunk", force=[1, 0, 0])
    sim.step(10)
    batch.set_world(2, sim)
    batch.step(10), sim.step(10)
    assert np.array_equal(batch.q[2], sim.q)
    for world in (-1, N, 1.5):
        with pytest.raises(carom.InvalidArgumentError, match="world is"):
            batch.get_world(world)
    other = carom.Sim(carom.loads("<mujoco><worldbody/></mujoco>"))
    with pytest.raises(carom.InvalidArgumentError, match="another model"):
        batch.set_world(0, other)


def test_parameters_as_simulations(doll):
    rng = np.random.default_rng(3)
    batch = carom.Batch(doll, N, threads=2, dt=0.004)
    batch.ctrl[:] = controls(0)
    batch.step(10)
    before = [batch.get_world(i).save() for i in range(N)]
    masses, sizes = rng.uniform(1, 20, N), rng.uniform(0.05, 0.1, (N, 3))
    batch.set_parameters(
        {"body.trunk.mass": masses, "geom.shin.size": sizes[0], "model.gravity": rng.uniform(-9, 0, (N, 3))}
    )
    odd = np.arange(N) % 2 == 1
    batch.set_parameters({"geom.shin.friction": np.linspace(0, 1, odd.sum())}, odd)
    assert np.array_equal(batch.parameters["body.trunk.mass"], masses)
    assert batch.parameters["model.gravity"].shape == (N, 3)
    assert np.array_equal(batch.parameters["geom.shin.size"][4], sizes[0])
    friction = np.where(odd, np.repeat(np.linspace(0, 1, odd.sum()), 2).tolist() + [0], 1)[:N]
    names = ("body.trunk.mass", "geom.shin.size", "model.gravity")
    sims = []
    for i in range(N):
        values = {name: batch.parameters[name][i] for name in names}
        if odd[i]:
            values["geom.shin.friction"] = batch.parameters["geom.shin.friction"][i]
        sims.append(carom.Sim(doll.copy(values), dt=0.004))
        sims[i].restore(before[i])
        sims[i].ctrl[:] = batch.ctrl[i]
        assert batch.parameters["geom.shin.friction"][i] == (friction[i] if odd[i] else 1)
    for step in range(30):
        batch.step()
        for i, sim in enumerate(sims):
            sim.step()
            assert np.array_equal(batch.q[i], sim.q) and np.array_equal(batch.v[i], sim.v)
    for i, sim in enumerate(sims):
        assert batch.get_world(i).save() == sim.save()
        assert batch.get_world(i).model.parameters["body.trunk.mass"].value == masses[i]
    batch.reset()
    batch.step(20)
    alone = carom.Sim(sims[5].model, dt=0.004)
    alone.step(20)
    assert np.array_equal(batch.q[5], alone.q)


def test_parameters_that_are_shared(doll):
    batch = carom.Batch(doll, N)
    assert batch.get_model(0) is doll and len(batch.parameters) == len(doll.parameters)
    batch.parameters["body.trunk.mass"] = np.repeat([1, 2, 3], 3)
    assert len({id(batch.get_model(i)) for i in range(N)}) == 3
    batch.parameters.update({"body.trunk.mass": 5, "geom.floor.friction": 0.2})
    assert len({id(batch.get_model(i)) for i in range(N)}) == 3  # of three models before
    assert np.all(batch.parameters["body.trunk.mass"] == 5)
    result = carom.rollout(doll, steps=5, batch=batch)
    sim = carom.Sim(doll.copy({"body.trunk.mass": 5, "geom.floor.friction": 0.2}))
    sim.step(5)
    assert np.array_equal(result.q[7, -1], sim.q)
    sim = batch.get_world(3)
    del batch
    gc.collect()
    sim.step(3)


def test_parameters_of_a_batch_and_its_time_step(doll):
    batch = carom.Batch(doll, 2)
    batch.set_parameters({"model.timestep": 0.5})
    assert batch.dt == batch.get_world(1).dt == carom.Sim(doll).dt


@pytest.mark.parametrize(
    "values, mask, error, sentence",
    [
        ({"body.trunc.mass": 1}, None, carom.NotFoundError, "the nearest is 'trunk'"),
        ({"body.trunk.mas": 1}, None, carom.NotFoundError, "the nearest is 'mass'"),
        ({"body.trunk.mass": [1, 2]}, None, carom.InvalidArgumentError, r"has shape \(2,\), must have \(\) or \(9,\)"),
        ({"model.gravity": [1, 2]}, None, carom.InvalidArgumentError, r"must have \(3,\) or \(9, 3\)"),
        ({"body.trunk.mass": "x"}, None, carom.InvalidArgumentError, "must hold numbers"),
        ({"body.trunk.mass": [1] * 8 + [-1]}, None, carom.BadInputError, "world 8: doll:5: body 'trunk': mass is -1"),
        ({"body.trunk.mass": [1] * 8 + [np.inf]}, None, carom.BadInputError, "world 8: "),
        ({"body.trunk.mass": 1}, [True], carom.InvalidArgumentError, "mask is bool"),
        (3, None, carom.InvalidArgumentError, "must be a dictionary"),
    ],
)
def test_parameters_that_cannot_be(doll, values, mask, error, sentence):
    batch = carom.Batch(doll, N)
    with pytest.raises(error, match=sentence):
        batch.set_parameters(values, mask)
    assert all(batch.get_model(i) is doll for i in range(N))


def test_rollout(doll):
    ctrl = np.random.default_rng(1).uniform(-1, 1, (N, 25, 2))
    result = carom.rollout(doll, ctrl=ctrl, threads=2, dt=0.004)
    assert (
        result.q.shape == (N, 26, doll.nq)
        and result.sensors.shape == (N, 25, 4)
        and np.all(result.failed == -1)
    )
    for i in range(N):
        sim = carom.Sim(doll, dt=0.004)
        for step in range(25):
            assert np.array_equal(result.q[i, step], sim.q)
            sim.ctrl[:] = ctrl[i, step]
            sim.step()
            assert np.array_equal(result.sensors[i, step], sim.sensors.array)
        assert np.array_equal(result.v[i, -1], sim.v)
    again = carom.Batch(doll, N, dt=0.004)
    assert np.array_equal(carom.rollout(doll, ctrl=ctrl, batch=again).q, result.q)
    assert np.array_equal(carom.rollout(doll, ctrl=ctrl, batch=again).q, result.q)


def test_rollout_of_states(doll):
    q0 = np.tile(doll.reference, (3, 1))
    q0[:, 2] = [0.4, 0.5, 0.6]
    result = carom.rollout(doll, q0, steps=7)
    assert np.array_equal(result.q[:, 0], q0) and result.q.shape[1] == 8
    assert carom.rollout(doll, doll.reference, np.zeros(7), ctrl=np.zeros((4, 2))).q.shape == (1, 5, doll.nq)
    assert carom.rollout(doll, steps=0).q.shape == (1, 1, doll.nq)


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"ctrl": np.zeros((2, 3, 3))}, r"ctrl has shape \(2, 3, 3\)"),
        ({"ctrl": np.zeros((2, 3, 2)), "q0": np.zeros((3, 15))}, "ctrl has shape"),
        ({"q0": np.zeros(4), "steps": 2}, r"q0 has shape \(4,\)"),
        ({}, "steps is None"),
        ({"ctrl": np.zeros((2, 3, 2)), "steps": 2}, "steps is 2, but ctrl has 3"),
        ({"ctrl": np.full((1, 2, 2), np.nan)}, r"ctrl\[0, 0, 0\] is nan"),
    ],
)
def test_rollouts_that_cannot_be(doll, arguments, sentence):
    with pytest.raises(carom.InvalidArgumentError, match=sentence):
        carom.rollout(doll, **arguments)


def test_interrupt_ends_between_steps(doll):
    def stop(*_):
        raise KeyboardInterrupt

    batch = carom.Batch(doll, 4, rest=0)
    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            batch.step(10**8)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(set(batch.time)) == 1 and batch.time[0] > 0
    batch.step()


@pytest.mark.parametrize("n", [0, -1, 1.5, "3", None])
def test_numbers_of_worlds_that_are_none(doll, n):
    with pytest.raises(carom.InvalidArgumentError, match="Batch: n is"):
        carom.Batch(doll, n)
