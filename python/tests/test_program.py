"""The program in the package; the same bits by program, simulation and batch."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import carom
import numpy as np
import pytest
import support

SCRIPT = pathlib.Path(sys.executable).with_name("carom")
PROGRAMS = (
    [[sys.executable, "-m", "carom"]]
    + ([[SCRIPT]] if SCRIPT.exists() else [])
    + ([[os.environ["CAROM"]]] if "CAROM" in os.environ else [])
)


def run(program, *arguments, code=0, **options):
    result = subprocess.run(
        [*program, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options
    )
    assert result.returncode == code, result.stderr
    return result


def test_version():
    assert run(PROGRAMS[0], "--version").stdout.startswith(f"carom {carom.__version__}\n")


def test_commands():
    usage = run(PROGRAMS[0], "help").stdout
    assert "run SCENE" in usage and "view" in usage and "render" not in usage
    assert usage.index("run SCENE") < usage.index("sweep SCENE")
    assert "not of the Python package" in run(PROGRAMS[0], "render", code=1).stderr
    assert "there is no command 'foo'" in run(PROGRAMS[0], "foo", code=1).stderr
    assert "cannot be opened" in run(PROGRAMS[0], "run", "none.xml", code=2).stderr


def test_info_and_eval():
    assert "hinge" in run(PROGRAMS[0], "info", support.ARM).stdout
    M = json.loads(run(PROGRAMS[0], "eval", support.ARM).stdout)["mass_matrix"]
    assert np.allclose(M, carom.Dynamics(carom.load(support.ARM)).mass_matrix())


@pytest.mark.parametrize("scene", [support.SLIDE, support.HUMANOID])
@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_same_bits(scene, program, tmp_path):
    run(
        program,
        "run",
        scene,
        "--duration",
        0.4,
        "--dt",
        0.004,
        "--save-state",
        tmp_path / "state",
        "-o",
        tmp_path / "out.h5",
        "--quiet",
    )
    saved = (tmp_path / "state").read_bytes()
    model = carom.load(scene)
    sim = carom.Sim(model, dt=0.004)
    sim.step(100)
    assert sim.save() == saved
    batch = carom.Batch(model, 3, dt=0.004, threads=2)
    batch.step(100)
    assert batch.get_world(2).save() == saved
    rolled = carom.rollout(model, steps=100, dt=0.004)
    assert np.array_equal(rolled.q[0, -1], sim.q)
    recording = carom.Recording(tmp_path / "out.h5")
    assert np.array_equal(recording.q, rolled.q[0])


def test_interrupt(tmp_path):
    recording = tmp_path / "out.h5"
    arguments = ["run", support.HUMANOID, "--duration", "1e6", "--json", "-o", recording]
    program = subprocess.Popen([*PROGRAMS[0], *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    while not recording.exists() and program.poll() is None:
        time.sleep(0.05)
    program.send_signal(signal.SIGINT)
    out, _ = program.communicate(timeout=60)
    assert program.returncode == 130 and json.loads(out)["stop_reason"] == "interrupted"
    assert carom.Recording(recording).q.shape[1] == 28


def test_import_brings_no_more_than_numpy():
    code = (
        "import sys; import numpy; before = set(sys.modules); import carom; "
        "print(*{name.split('.')[0] for name in set(sys.modules) - before})"
    )
    brought = run([sys.executable], "-c", code).stdout.split()
    assert set(brought) <= {"carom", "numpy", "_cffi_backend"} | set(sys.stdlib_module_names)
