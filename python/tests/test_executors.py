"""Sweeps on executors of several packages, as programs of a user's: equal tables, with workers killed in between."""

import importlib.util
import pathlib
import shutil
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).with_name("sweep_on.py")
NEEDS = {"processes": None, "dask": "distributed", "ray": "ray", "mpi": "mpi4py"}
GOES_ON = {"dask", "ray"}  # they run again what a lost worker had; of others the sweep does, from its file


def mpiexec():
    """Of the environment that runs the tests, or of the system."""
    return shutil.which("mpiexec", path=pathlib.Path(sys.executable).parent) or shutil.which("mpiexec")


def run(name, mark, out):
    command = [sys.executable, str(PROGRAM), name, str(mark), str(out)]
    if name == "mpi":
        command[0:1] = [mpiexec(), "-n", "3", sys.executable, "-m", "mpi4py.futures"]
    return subprocess.run(command, capture_output=True, text=True, timeout=240)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("threads")
    (folder / "mark").touch()
    result = run("threads", folder / "mark", folder / "out.csv")
    assert result.returncode == 0, result.stderr
    return (folder / "out.csv").read_bytes()


@pytest.mark.parametrize("name", NEEDS)
@pytest.mark.parametrize("is_killed", [False, True], ids=["whole", "killed"])
def test_tables_are_equal(name, is_killed, expected, tmp_path):
    if NEEDS[name] and not importlib.util.find_spec(NEEDS[name]):
        pytest.skip(f"SKIPPED: {NEEDS[name]} is not installed")
    if name == "mpi" and not mpiexec():
        pytest.skip("SKIPPED: there is no mpiexec")
    mark, out = tmp_path / "mark", tmp_path / "out.csv"
    if not is_killed:
        mark.touch()
    result = run(name, mark, out)
    if is_killed and name not in GOES_ON:
        assert result.returncode != 0 and mark.exists() and not out.exists()
        assert 1 <= len((tmp_path / "out.csv.part").read_text().splitlines()) < 17
        result = run(name, mark, out)
    assert result.returncode == 0, result.stderr
    assert mark.exists() and out.read_bytes() == expected
