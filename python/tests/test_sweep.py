"""Sweeps: the same table from any executor, resumed where they stopped."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import carom
import numpy as np
import pytest
import support

AXES = {"body.box.mass": carom.grid(1, 3, 3), "dt": [0.004, 0.01], "friction": ["coulomb", "convex"]}


def slide_for(model, dt=0.005, friction="coulomb"):
    sim = carom.Sim(model, dt=dt, friction=friction)
    report = sim.step(20)
    return {"q": sim.q.copy(), "mass": model.bodies["box"].mass, "contacts": report.contacts}


def die_once(model, mark):
    """Kills its own process at one point, the first time."""
    if model.bodies["box"].mass == 3 and not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return slide_for(model)


def interrupt(model, calls, after):
    calls.append(model.bodies["box"].mass)
    if len(calls) > after:
        raise KeyboardInterrupt
    return calls[-1]


def same(first, second):
    assert list(first) == list(second) and first.shape == second.shape
    for name in first:
        assert first[name].dtype == second[name].dtype
        assert first[name].tobytes() == second[name].tobytes(), name


def processes(workers):
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


@pytest.fixture(scope="module")
def table(slide):
    return carom.sweep(slide, AXES, slide_for, workers=1)


def test_grid(slide, table):
    assert table.shape == (3, 2, 2) and table["q"].shape == (12, slide.nq)
    assert table["body.box.mass"].reshape(table.shape)[:, 0, 0].tolist() == [1, 2, 3]
    assert table["friction"][:2].tolist() == ["coulomb", "convex"]  # the last varies fastest
    assert np.array_equal(table["mass"], table["body.box.mass"])
    alone = slide_for(slide.copy({"body.box.mass": 2}), 0.01, "convex")
    assert np.array_equal(table["q"][7], alone["q"])


def test_executors_give_the_same_table(slide, table):
    same(table, carom.sweep(slide, AXES, slide_for, workers=3))
    with ThreadPoolExecutor(2) as executor:
        same(table, carom.sweep(slide, AXES, slide_for, executor))
    with processes(2) as executor:
        same(table, carom.sweep(slide, AXES, slide_for, executor))


def test_killed_worker_and_resumed(slide, tmp_path):
    axes = {"body.box.mass": carom.grid(1, 4, 4), "mark": [str(tmp_path / "mark")]}
    file = tmp_path / "sweep.jsonl"
    with processes(1) as executor:
        with pytest.raises(BrokenProcessPool) as caught:
            carom.sweep(slide, axes, die_once, executor, file=file)
    assert "at point" in caught.value.__notes__[0]
    done = len(file.read_text().splitlines()) - 1
    assert 0 <= done < 4
    with processes(2) as executor:
        resumed = carom.sweep(slide, axes, die_once, executor, file=file)
    same(resumed, carom.sweep(slide, axes, die_once))


@pytest.mark.parametrize("torn", [0, 7])
def test_interrupted_and_resumed(slide, tmp_path, torn):
    axes, file, calls = {"body.box.mass": carom.grid(1, 5, 5)}, tmp_path / "sweep.jsonl", []
    with pytest.raises(KeyboardInterrupt):
        carom.sweep(slide, axes, lambda model: interrupt(model, calls, 2), workers=1, file=file)
    text = file.read_bytes()
    kept = len(text.splitlines()) - 1
    assert 0 < kept < 5
    if torn:
        file.write_bytes(text[:-torn])
    again = []
    table = carom.sweep(slide, axes, lambda model: interrupt(model, again, 9), workers=1, file=file)
    assert len(again) == 5 - kept + bool(torn)
    assert table["value"].tolist() == [1, 2, 3, 4, 5]
    same(table, carom.sweep(slide, axes, lambda model: interrupt(model, [], 9), file=file))


def test_files_of_other_sweeps_are_refused(slide, doll, tmp_path):
    file = tmp_path / "sweep.jsonl"
    carom.sweep(slide, {"body.box.mass": [1, 2]}, slide_for, file=file)
    with pytest.raises(carom.InvalidArgumentError, match="of another sweep, by its points"):
        carom.sweep(slide, {"body.box.mass": [1, 3]}, slide_for, file=file)
    with pytest.raises(carom.InvalidArgumentError, match="of another sweep, by its model"):
        carom.sweep(slide.copy({"model.gravity": [0, 0, -1]}), {"body.box.mass": [1, 2]}, slide_for, file=file)
    file.write_text("a letter to a friend")
    with pytest.raises(carom.InvalidArgumentError, match="not a file of a sweep"):
        carom.sweep(slide, {"body.box.mass": [1, 2]}, slide_for, file=file)
    assert file.read_text() == "a letter to a friend"


@pytest.mark.parametrize("design", ["random", "latin", "sobol"])
def test_designs(slide, design):
    if design != "random":
        pytest.importorskip("scipy.stats", reason="SciPy makes these designs")
    axes = {"a": carom.span(2, 4), "b": carom.span(1, 100, log=True), "c": ["x", "y"]}

    def count(model, a, b, c):
        return [a, np.log10(b)]

    first = carom.sweep(slide, axes, count, design=design, count=64, seed=3)
    same(first, carom.sweep(slide, axes, count, design=design, count=64, seed=3, workers=1))
    other = carom.sweep(slide, axes, count, design=design, count=64, seed=4)
    assert first.shape == (64,) and not np.array_equal(first["a"], other["a"])
    assert ((first["a"] >= 2) & (first["a"] <= 4)).all() and set(first["c"]) == {"x", "y"}
    if design != "random":  # one sample in each of 64 equal parts, of each axis
        assert sorted((32 * (first["a"] - 2)).astype(int)) == list(range(64))
        assert sorted((32 * first["value"][:, 1]).astype(int)) == list(range(64))


def test_grid_has_its_ends():
    assert carom.grid(0.1, 0.7, 4)[[0, -1]].tolist() == [0.1, 0.7]
    assert np.allclose(carom.grid(1, 1000, 4, log=True), [1, 10, 100, 1000])
    assert carom.grid(5, 6, 1).tolist() == [5]


def test_tables(table, tmp_path):
    table.to_csv(tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0].startswith("body.box.mass,dt,friction,q[0],") and len(lines) == 13
    assert [float(line.split(",")[3]) for line in lines[1:]] == table["q"][:, 0].tolist()


def test_pandas(table):
    pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert len(frame) == 12 and frame["q[2]"].tolist() == table["q"][:, 2].tolist()


def test_xarray(table, slide):
    pytest.importorskip("xarray")
    chosen = table.to_xarray().sel({"body.box.mass": 2, "dt": 0.01, "friction": "convex"})
    assert np.array_equal(chosen["q"], table["q"][7])
    pairs = carom.sweep(slide, {"model.gravity": [[0, 0, -1], [0, 0, -2]]}, lambda model: 1.0).to_xarray()
    assert pairs["model.gravity"].shape == (2, 3) and pairs["value"].dims == ("point",)


def test_what_is_refused(slide):
    for axes, sentence in [
        ({"body.boxx.mass": [1]}, "there is no body 'boxx'; the nearest is 'box'"),
        ({"body.box.mass": carom.span(1, 2)}, "is a span"),
        ({"body.box.mass": 1}, "must be a list"),
        ({"body.box.mass": []}, "at least one value"),
        ({}, "parameters is empty"),
    ]:
        with pytest.raises(carom.InvalidArgumentError, match=sentence):
            carom.sweep(slide, axes, slide_for)
    with pytest.raises(carom.NotFoundError, match="the nearest is 'sobol'"):
        carom.sweep(slide, AXES, slide_for, design="sobl", count=2)
    with pytest.raises(carom.BadInputError, match="mass is -1") as caught:
        carom.sweep(slide, {"body.box.mass": [1, -1]}, slide_for)
    assert "at point 1: body.box.mass -1" in caught.value.__notes__[0]
    with pytest.raises(carom.InvalidArgumentError, match="has shape"):
        carom.sweep(slide, {"n": [1, 2]}, lambda model, n: np.zeros(n))
    with pytest.raises(carom.InvalidArgumentError, match="name of a parameter"):
        carom.sweep(slide, {"n": [1, 2]}, lambda model, n: {"n": n})


def test_progress(slide, capsys):
    carom.sweep(slide, {"body.box.mass": [1, 2]}, slide_for, progress=True)
    assert "2/2, 0 s left" in capsys.readouterr().err
    carom.sweep(slide, {"body.box.mass": [1, 2]}, slide_for)
    assert capsys.readouterr().err == ""


def command(*arguments, code=0):
    result = subprocess.run(
        [sys.executable, "-m", "carom", "sweep", *map(str, arguments)], capture_output=True, text=True, timeout=120
    )
    assert result.returncode == code, result.stderr
    return result


def test_command(slide, tmp_path):
    vary = ["--vary", "body.box.mass=1:3:3", "--vary", "friction=coulomb,convex", "--duration", "0.1"]
    written = []
    for threads in (1, 3):
        command(support.SLIDE, *vary, "--threads", threads, "-o", tmp_path / "out.csv")
        written.append((tmp_path / "out.csv").read_bytes())
    assert written[0] == written[1] == command(support.SLIDE, *vary).stdout.encode()
    assert os.listdir(tmp_path) == ["out.csv"]
    lines = [line.split(",") for line in written[0].decode().splitlines()]
    sim = carom.Sim(slide.copy({"body.box.mass": 2}), friction="coulomb")
    sim.step(round(0.1 / slide.timestep))
    first = lines[0].index("q[0]")
    assert lines[3][:2] == ["2.0", "coulomb"] and [*map(float, lines[3][first : first + 7])] == sim.q.tolist()


def test_same_bytes_as_the_program():
    if "CAROM" not in os.environ:
        pytest.skip("SKIPPED: CAROM does not name the program that CMake builds")
    for scene, vary in (
        (support.SLIDE, ["body.box.mass=0.1:3:4", "friction=coulomb,convex,lagged", "dt=0.001,0.004"]),
        (support.ARM, ["model.gravity[2]=-9.81,0,1e-5", "duration=0.1,0.15", "tolerance=1e-6,1e-9", "keyframe=home"]),
    ):
        if "home" not in carom.load(scene).keyframes:
            vary = vary[:-1]
        arguments = ["sweep", scene, "--duration", "0.2", *(word for one in vary for word in ("--vary", one))]
        result = subprocess.run([os.environ["CAROM"], *arguments], capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, result.stderr
        assert result.stdout == command(*arguments[1:]).stdout and result.stdout.count("\n") > 10


def test_command_goes_on(tmp_path):
    """What was kept is not measured again: a value that was changed there is in the table."""
    arguments = [support.SLIDE, "--vary", "body.box.mass=1,2", "--duration", "0.02", "-o", tmp_path / "out.csv"]
    (tmp_path / "out.csv").mkdir()  # the table cannot be written
    command(*arguments, code=2)
    part = tmp_path / "out.csv.part"
    head, *entries = [json.loads(line) for line in part.read_text().splitlines()]
    assert len(entries) == 2
    entries[0]["values"]["time"][1] = 123.5
    part.write_text("".join(json.dumps(entry) + "\n" for entry in (head, entries[0])))
    (tmp_path / "out.csv").rmdir()
    command(*arguments)
    assert "123.5" in (tmp_path / "out.csv").read_text() and not part.exists()


@pytest.mark.parametrize(
    "arguments, code, sentence",
    [
        (["--vary", "body.boxx.mass=1,2"], 2, "the nearest is 'box'"),
        (["--vary", "body.box.mass=1:2:x"], 2, "the count is 'x', must be a whole number"),
        (["--vary", "body.box.mass"], 2, "must be NAME=START:STOP:COUNT"),
        (["--vary", "body.box.mass=1,b"], 2, "'b' is no number"),
        (["--vary", "body.box.mass=1:2"], 2, "is a span"),
        (["--vary", "frction=1"], 2, "frction"),
        ([], 2, "must name at least one"),
        (["--frob"], 1, "--frob"),
    ],
)
def test_command_refuses(arguments, code, sentence):
    assert sentence in command(support.SLIDE, *arguments, code=code).stderr
