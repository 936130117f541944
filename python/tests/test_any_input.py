"""Nothing that Python code can pass ends the process, and what is refused says why."""

import inspect
import os

import carom
import numpy as np
import pytest
import support
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

numbers = st.floats(allow_nan=True, allow_infinity=True) | st.integers() | st.booleans()
shapes = st.lists(st.integers(0, 9), max_size=3).map(tuple)
dtypes = st.sampled_from(["f8", "f4", "i8", "i4", "u1", "?", "c16", "U3", "O", "M8[s]", ">f8", "V8"])
arrays = st.builds(lambda shape, dtype: np.zeros(shape, dtype), shapes, dtypes)
rows = st.integers(0, 20).flatmap(lambda n: st.lists(st.floats(width=64), min_size=n, max_size=n))
names = st.sampled_from(
    ["trunk", "leg", "hand", "hip", "head", "floor", "chest", "push", "low", "inside", "mesh"]
) | st.text(max_size=5)
anything = (
    st.none()
    | numbers
    | names
    | st.binary(max_size=20)
    | arrays
    | rows
    | st.lists(rows, max_size=4)
    | st.dictionaries(st.text(max_size=3), numbers, max_size=2)
    | st.just(object())
    | st.just("\ud800")
    | st.just(support)
    | st.builds(lambda a: a[::2], st.just(np.arange(30.0)))
)
# The same examples every time; CAROM_EXAMPLES asks for so many others.
examples = int(os.environ.get("CAROM_EXAMPLES", 0))
fast = settings(
    max_examples=examples or 100,
    derandomize=not examples,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
)
model = carom.loads(support.DOLL)
PARAMETERS = list(model.parameters)


def attempt(function, *arguments, **options):
    """Calls; what it raises is one of the package's errors, or Python's own for what is no call at all."""
    try:
        return function(*arguments, **options)
    except carom.Error as error:
        assert str(error)
    except (TypeError, IndexError):
        pass
    return None


def methods(kind):
    """Public methods of a class, and how many arguments they take."""
    found = []
    for name, function in inspect.getmembers(kind, inspect.isfunction):
        if not name.startswith("_") and name not in (
            "close",
            "show",
            "write",
            "save",
            "write_html",
            "convert",
            "html",
            "plot",
        ):
            found.append((name, len(inspect.signature(function).parameters) - 1))
    return found


def poke(make, data):
    thing = make()
    for _ in range(data.draw(st.integers(1, 6))):
        name, most = data.draw(st.sampled_from(methods(type(thing))))
        count = data.draw(st.integers(0, most))
        arguments = [data.draw(anything) for _ in range(count)]
        if name in ("step", "rollout") and arguments and isinstance(arguments[0], int):
            arguments[0] = min(arguments[0], 20)
        attempt(getattr(thing, name), *arguments)
    if data.draw(st.booleans()):
        attempt(thing.close)
        for name, _ in methods(type(thing)):
            attempt(getattr(thing, name))


@fast
@given(st.data())
def test_simulations(data):
    poke(lambda: carom.Sim(model), data)


@fast
@given(st.data())
def test_batches(data):
    poke(lambda: carom.Batch(model, 3), data)


@fast
@given(st.data())
def test_dynamics(data):
    poke(lambda: carom.Dynamics(model), data)


@fast
@given(st.data())
def test_problems(data):
    def make():
        problem = carom.Problem([3, 2])
        problem.set_block(0, 0, np.eye(3))
        if data.draw(st.booleans()):
            problem.set_block(1, 1, np.eye(2))
            problem.add(blocks=[0], jacobian=[np.eye(3)], mu=0.5)
            problem.finish()
        return problem

    poke(make, data)


fields = [
    "name",
    "body",
    "parent",
    "position",
    "quaternion",
    "mass",
    "inertia",
    "type",
    "size",
    "vertices",
    "triangles",
    "path",
    "terms",
    "nodes",
    "elements",
    "q",
    "v",
    "range",
    "frame",
    "contact",
    "surface",
    "mesh",
    "heights",
    "regions",
    "rgba",
    "contype",
    "condim",
    "limited",
    "joint",
    "tendon",
    "shape",
    "cells",
    "young",
    "num_vertices",
    "num_nodes",
    "num_q",
    "source",
    "cookie",
    "num_columns",
    "num_terms",
    "num_regions",
    "nodes_per_element",
]


@fast
@given(st.data())
def test_builders(data):
    builder = carom.Builder()
    builder.add_body(name="trunk")
    adders = [name for name, _ in methods(carom.Builder) if name.startswith("add_")]
    for _ in range(data.draw(st.integers(1, 5))):
        name = data.draw(st.sampled_from(adders))
        attempt(
            getattr(builder, name),
            **data.draw(st.dictionaries(st.sampled_from(fields), anything, max_size=5)),
        )
    attempt(builder.compile)


@fast
@given(
    st.dictionaries(
        st.sampled_from(list(carom.SimOptions.__annotations__) + ["keyframe", "sheme"]), anything, max_size=4
    )
)
def test_options(options):
    if isinstance(options.get("threads"), int):
        options["threads"] = min(options["threads"], 3)
    attempt(carom.Sim, model, **options)
    options.pop("keyframe", None)
    attempt(carom.rollout, model, steps=2, **options)


@fast
@given(anything, anything, anything, anything)
def test_rollouts(q0, v0, ctrl, steps):
    attempt(carom.rollout, model, q0, v0, ctrl, steps=min(steps, 30) if isinstance(steps, int) else steps)


@fast
@given(anything, anything)
def test_models(first, second):
    for function in (
        carom.load,
        carom.loads,
        carom.Sim,
        carom.Recording,
        carom.Problem,
        carom.Problem.load,
        carom.Builder.load,
        lambda part: model.bodies[part],
        lambda part: model.cast_ray(part, part, part),
        lambda part: model.distance(part, second, part),
        model.find_keyframe,
        model.copy,
        lambda name: model.parameters[name],
        lambda name: model.copy({name: second}),
        lambda value: model.copy({"body.leg.mass": value, "geom.shin.size": second}),
    ):
        attempt(function, first)
    attempt(carom.Batch, model, min(first, 9) if isinstance(first, int) else first)


@fast
@given(st.data())
def test_parameters(data):
    copied = model.copy()
    for _ in range(data.draw(st.integers(1, 5))):
        name = data.draw(st.sampled_from(PARAMETERS))
        size = copied.parameters[name].shape
        number = data.draw(st.floats())
        attempt(copied.parameters.__setitem__, name, np.full(size, number))
        attempt(setattr, copied.bodies["leg"], name.split(".")[-1], data.draw(anything))
    attempt(carom.Sim, copied)


@fast
@given(st.data())
def test_parameters_of_worlds(data):
    batch = carom.Batch(model, 3)
    for _ in range(data.draw(st.integers(1, 4))):
        name = data.draw(st.sampled_from(PARAMETERS) | names)
        value = data.draw(anything | st.floats().map(lambda x: np.full(3, x)) | st.floats())
        mask = data.draw(st.none() | st.lists(st.booleans(), min_size=3, max_size=3) | anything)
        attempt(batch.set_parameters, {name: value}, mask)
        attempt(batch.parameters.__getitem__, name)
        attempt(batch.set_parameters, value, mask)
    attempt(batch.step, 2)
    attempt(batch.reset)
    attempt(batch.get_world, data.draw(st.integers(-1, 3)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of sums of squares that overflow
@fast
@given(anything, anything, anything)
def test_fits(parameters, residual, inertials):
    pytest.importorskip("scipy", reason="SKIPPED: SciPy is not installed")
    span = carom.span(0.1, 1)
    attempt(carom.identify, model, parameters, lambda model: residual)
    attempt(carom.identify, model, {"joint.hip.damping": span}, lambda model: residual)
    attempt(carom.identify, model, {"joint.hip.damping": parameters}, residual, inertials=inertials)


@fast
@given(anything, anything, anything)
def test_environments(action, seed, mask):
    pytest.importorskip("gymnasium", reason="SKIPPED: Gymnasium is not installed")
    from carom.gym import CartPole

    envs = CartPole(3)
    attempt(envs.reset, options={"reset_mask": mask})
    attempt(envs.step, action)
    attempt(CartPole, min(seed, 9) if isinstance(seed, int) else seed, frame_skip=action, max_steps=mask)


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    path = tmp_path_factory.mktemp("recording") / "out.h5"
    with carom.Recorder(carom.Sim(model), path) as recorder:
        recorder.step(5)
    return path


@fast
@given(st.data())
def test_recordings(recording, data):
    poke(lambda: carom.Recording(recording), data)
    attempt(lambda index: carom.Recording(recording)[index], data.draw(anything))
    attempt(carom.Recording(recording).write_html, data.draw(st.just(3) | numbers))


@fast
@given(anything, anything, anything)
def test_sweeps(axis, count, value):
    for design in ("grid", "random"):
        count = min(count, 20) if isinstance(count, int) else count
        attempt(carom.sweep, model, {"body.leg.mass": axis}, lambda model: value, design=design, count=count)
    attempt(carom.sweep, axis, count, value)
    attempt(carom.grid, axis, value, count)
    attempt(carom.span, axis, value)


@fast
@given(st.binary(max_size=4000), st.integers(0, 4000), st.integers(0, 255))
def test_states(junk, at, byte):
    sim = carom.Sim(model)
    sim.step(5)
    attempt(sim.restore, junk)
    saved = bytearray(sim.save())
    saved[at % len(saved)] ^= byte
    attempt(sim.restore, saved)
    sim.step()


@pytest.mark.parametrize(
    "kind",
    [
        carom.Sim,
        carom.Batch,
        carom.Dynamics,
        carom.Problem,
        carom.Solution,
        carom.Recording,
        carom.Recorder,
        carom.Builder,
        carom.Model,
        carom.Parameters,
    ],
)
def test_everything_is_documented(kind):
    assert inspect.getdoc(kind)
    for name, member in inspect.getmembers(kind):
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
            assert inspect.getdoc(member), name


def test_what_was_never_made():
    """An object whose creation failed, or that was not created at all, is no way to the library."""
    for kind in (carom.Sim, carom.Batch, carom.Problem, carom.Recording):
        thing = kind.__new__(kind)
        with pytest.raises(AttributeError):
            thing.close()
