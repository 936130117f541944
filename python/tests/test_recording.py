"""Recordings: written, read, shown."""

import gc
import importlib.util
import subprocess
import sys

import carom
import numpy as np
import pytest
import support


@pytest.fixture
def recorded(doll, tmp_path):
    sim = carom.Sim(doll, dt=0.004)
    with carom.Recorder(sim, tmp_path / "out.h5", rate=50, scene="<mujoco/>") as recorder:
        sim.ctrl[0] = 0.3
        report = recorder.step(50)
        assert report.steps == 50 and len(recorder) == 11
    return sim, carom.Recording(tmp_path / "out.h5")


def test_frames(recorded, doll):
    sim, recording = recorded
    assert len(recording) == 11 and recording.info.dt == 0.004 and recording.info.scene == "<mujoco/>"
    assert (
        recording.q.shape == (11, doll.nq)
        and recording.poses.shape == (11, 4, 7)
        and recording.energy.shape == (11, 4)
    )
    assert np.array_equal(recording.q[-1], sim.q) and np.array_equal(recording.v[-1], sim.v)
    assert (
        np.isclose(recording.time[-1], 0.2)
        and recording.sensors.shape == (11, 4)
        and recording.ctrl[-1, 0] == 0.3
    )
    frame = recording[-1]
    assert np.array_equal(frame.contacts["impulse"], sim.contacts["impulse"]) and frame.time == sim.time
    assert recording.bodies["leg"].mass == doll.bodies["leg"].mass and recording.joints.names == ["", "hip"]
    assert sum(1 for _ in recording) == 11
    with pytest.raises(IndexError):
        recording[11]
    with pytest.raises(carom.NotFoundError, match="nearest is 'leg'"):
        recording.bodies["legs"]


def test_shared_forces(tmp_path):
    """Four legs without friction share one force; with a fifth contact elsewhere that none shares. A recording
    says so as the simulation does, and that of a run that did not ask says nothing."""
    legs = "".join(f"<geom size='.1' pos='{x} {y} 0'/>" for x in (-1, 1) for y in (-1, 1))
    scene = f"""<mujoco><default><geom condim='1'/></default><worldbody><geom type='plane' size='9 9 1'/>
        <body pos='0 0 .1'><freejoint/>{legs}</body>
        <body pos='3 0 .1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>"""
    for forces, expected in (("least", [0, 1, 1, 1, 1]), ("found", [0] * 5)):
        sim = carom.Sim(carom.loads(scene), forces=forces, rest=0)
        with carom.Recorder(sim, tmp_path / "out.h5") as recorder:
            recorder.step(3)
        assert sorted(sim.contacts["shared_force"]) == expected
        contacts = carom.Recording(tmp_path / "out.h5")[-1].contacts
        assert np.array_equal(contacts["shared_force"], sim.contacts["shared_force"])
        assert np.array_equal(contacts["is_undetermined"], sim.contacts["shared_force"] != 0)


def test_areas(tmp_path):
    """The areas over which a box presses bear its weight, in a simulation as in a recording; corners have none."""
    scene = """<mujoco><option gravity='0 0 -10' carom:patches='area'/><worldbody><geom type='plane' size='9 9 1'/>
        <body pos='0 0 .1'><freejoint/><geom type='box' size='.2 .1 .1' mass='2'/></body></worldbody></mujoco>"""
    sim = carom.Sim(carom.loads(scene), rest=0)
    with carom.Recorder(sim, tmp_path / "out.h5") as recorder:
        recorder.step(50)
    corner = sim.areas
    assert corner.shape == (2, 3, 4)
    sides = corner[:, 1:, :2] - corner[:, :1, :2]
    size = (sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]) / 2
    assert np.allclose([size.sum(), (size * corner[:, :, 3].mean(axis=1)).sum()], [0.08, 20], rtol=1e-5)
    assert np.array_equal(carom.Recording(tmp_path / "out.h5")[-1].areas, corner)
    assert carom.Sim(carom.loads(scene), patches="corners").areas.shape == (0, 3, 4)


def test_steps_by_hand(doll, tmp_path):
    sim = carom.Sim(doll)
    recorder = carom.Recorder(sim, tmp_path / "a.h5")
    for _ in range(3):
        recorder.append(sim.step())
    recorder.flush()
    recording = carom.Recording(tmp_path / "a.h5")
    assert len(recording) == 4
    recorder.append(sim.step())
    recorder.close()
    recorder.close()
    recording.refresh()
    assert len(recording) == 5
    with pytest.raises(carom.InvalidArgumentError, match="it is closed"):
        recorder.step()
    with pytest.raises(carom.InvalidArgumentError, match="must be a step's report"):
        carom.Recorder(sim, tmp_path / "b.h5").append(3)


def test_lost_recorder_is_closed(doll, tmp_path):
    def record():
        sim = carom.Sim(doll)
        carom.Recorder(sim, tmp_path / "c.h5").step(5)

    record()
    gc.collect()
    assert len(carom.Recording(tmp_path / "c.h5")) == 6


def test_pages_and_other_formats(recorded, tmp_path):
    _, recording = recorded
    assert recording.write_html(tmp_path / "a.html").num_frames == 11
    assert recording.html().startswith("<!doctype html>") and "<iframe" in recording._repr_html_()
    assert recording.convert(tmp_path / "a.csv").num_frames == 11
    assert (tmp_path / "a.csv").read_text().startswith("time,")
    assert recording.convert(tmp_path / "a.glb", start=0.1).num_frames <= 6
    with pytest.raises(carom.NotFoundError, match="nearest is 'csv'"):
        recording.convert(tmp_path / "a.cvs")


def test_simulations_show_themselves(sim):
    before = sim.save()
    page = sim._repr_html_()
    assert page.startswith("<iframe srcdoc=") and page.count("<iframe") == 1 and "&lt;!doctype html&gt;" in page
    assert sim.html().startswith("<!doctype html>") and sim.save() == before
    sim.close()
    assert sim._repr_html_() is None


def test_plots(recorded, doll):
    pytest.importorskip("matplotlib", reason="SKIPPED: matplotlib is not installed").use("agg")
    _, recording = recorded
    figure = recording.plot("q", "v", "ctrl", "energy", "sensors")
    labels = [axis.get_ylabel() for axis in figure.axes]
    assert labels == [
        "q (m)", "q (1)", "q (rad)", "v (m/s)", "v (rad/s)", "ctrl", "energy (J)", "sensors (m/s^2)", "sensors (rad)"
    ]  # fmt: skip
    assert figure.axes[-1].get_xlabel() == "time (s)"
    hip = figure.axes[2].lines[0]
    assert hip.get_label() == "hip" and np.array_equal(hip.get_ydata(), recording.q[:, doll.joints["hip"].q_start])
    assert np.array_equal(hip.get_xdata(), recording.time)
    angle = recording.sensor_parts["angle"]
    assert np.array_equal(figure.axes[-1].lines[0].get_ydata(), recording.sensors[:, angle.address])
    assert [axis.get_ylabel() for axis in recording.plot().axes] == ["energy (J)"]
    with pytest.raises(carom.NotFoundError, match="the nearest is 'energy'"):
        recording.plot("enrgy")
    import matplotlib.pyplot

    matplotlib.pyplot.close("all")


def test_what_is_no_recording(tmp_path, doll):
    path = tmp_path / "x.h5"
    path.write_bytes(b"nothing")
    with pytest.raises(carom.Error, match="x.h5"):
        carom.Recording(path)
    with pytest.raises(carom.FileError):
        carom.Recorder(carom.Sim(doll), tmp_path / "no" / "x.h5")
    with pytest.raises(carom.InvalidArgumentError, match="must be a path"):
        carom.Recording(3)


NEIGHBOURS = """
import {}
import numpy
model = carom.load({!r})
with carom.Recorder(carom.Sim(model), {!r}) as recorder:
    recorder.step(50)
with h5py.File({!r}) as file:
    assert numpy.array_equal(file["q"][:], carom.Recording({!r}).q) and len(file["q"]) == 51
mujoco.mj_step(m := mujoco.MjModel.from_xml_path({!r}), mujoco.MjData(m), 10)
"""


@pytest.mark.parametrize("order", ["carom, h5py, mujoco", "h5py, mujoco, carom", "mujoco, carom, h5py"])
def test_neighbours_with_libraries_of_their_own(order, tmp_path):
    """HDF5 is in h5py too, and qhull and others in mujoco."""
    for name in ("h5py", "mujoco"):
        if not importlib.util.find_spec(name):
            pytest.skip(f"SKIPPED: {name} is not installed")
    scene, path = str(support.SLIDE), str(tmp_path / "out.h5")
    program = NEIGHBOURS.format(order, scene, path, path, path, scene)
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr


def test_closed(recorded):
    _, recording = recorded
    recording.close()
    for use in (lambda: len(recording), lambda: recording.q, lambda: recording[0], recording.refresh):
        with pytest.raises(carom.InvalidArgumentError, match="it is closed"):
            use()
