"""Models: loaded, described, asked."""

import carom
import numpy as np
import pytest
import support


def test_sizes(doll):
    assert (doll.nq, doll.nv, doll.nu, doll.na) == (15, 7, 2, 1)
    assert doll.name == "doll"
    assert doll.timestep == 0.002
    assert doll.gravity.tolist() == [0, 0, -9.81]


def test_parts_by_name_and_index(doll):
    leg = doll.bodies["leg"]
    assert leg.name == "leg" and doll.bodies[leg.parent].name == "trunk"
    assert doll.bodies.names[1:] == ["trunk", "leg", "hand"]
    assert [joint.type for joint in doll.joints] == ["free", "hinge"]
    assert doll.joints["hip"].q_start == doll.joints["hip"].q_address == 7
    assert doll.joints[-1].name == "hip"
    assert [actuator.name for actuator in doll.actuators] == ["push", "lag"]
    assert "leg" in doll.bodies and "arm" not in doll.bodies and 3 not in doll.bodies
    assert len(doll.geoms) == 4
    assert doll.keyframes == ["low"]
    assert np.allclose(doll.geoms["chest"].size[:2], [0.1, 0.15])


def test_mass_is_that_of_the_geometry():
    model = carom.load(support.SLIDE)
    assert model.bodies["box"].mass == 1
    assert np.allclose(model.bodies["box"].inertia[:3], [(0.2**2 + 0.1**2) / 12] * 2 + [2 * 0.2**2 / 12])


@pytest.mark.parametrize("name, nearest", [("leggs", "leg"), ("trnk", "trunk")])
def test_names_that_are_not_there(doll, name, nearest):
    with pytest.raises(carom.NotFoundError, match=f"there is no body '{name}'; the nearest is '{nearest}'"):
        doll.bodies[name]
    with pytest.raises(KeyError):
        doll.bodies[name]


@pytest.mark.parametrize("index", [4, -5, 10**30])
def test_indices_that_are_not_there(doll, index):
    with pytest.raises(carom.InvalidArgumentError):
        doll.bodies[index]


def test_reference_is_a_view(doll):
    assert not doll.reference.flags.writeable
    assert doll.reference.shape == (doll.nq,)


def test_parts_outlive_the_model():
    leg = carom.loads(support.DOLL).bodies["leg"]
    reference = carom.loads(support.DOLL).reference
    assert leg.name == "leg" and reference[2] == 0.4


def test_notes():
    model = carom.loads("<mujoco><option cone='elliptic'/><worldbody/></mujoco>")
    assert any("cone" in sentence for _, sentence in model.notes)


def test_errors_name_file_line_and_value(tmp_path):
    path = tmp_path / "bad.xml"
    path.write_text("<mujoco>\n<worldbody><geom name='foot' size='-1'/></worldbody></mujoco>")
    with pytest.raises(carom.BadInputError, match=r"bad.xml:2: .*foot.*-1") as caught:
        carom.load(path)
    assert isinstance(caught.value, (carom.Error, ValueError)) and caught.value.status == "bad_input"
    with pytest.raises(OSError, match="cannot be opened"):
        carom.load(tmp_path / "none.xml")
    with pytest.raises(carom.BadInputError):
        carom.loads(b"\x00\xff not a scene")


def test_options_of_load():
    text = "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>"
    assert carom.loads(text).nv == 6
    assert carom.loads(text, fixed_base=True).nv == 0
    assert carom.loads(text, gravity=[0, 0, -1]).gravity[2] == -1
    assert len(carom.loads(text, floor=True).geoms) == 1
    with pytest.raises(carom.NotFoundError, match="nearest is 'floor'"):
        carom.loads(text, flor=True)
    with pytest.raises(carom.InvalidArgumentError, match="fixed_base is 1"):
        carom.loads(text, fixed_base=1)


def test_rays_and_distances(sim, doll):
    hit = doll.cast_ray(sim.poses(), [0.5, 0.5, 3], [0, 0, -2])
    assert doll.geoms[hit.geom].name == "floor" and hit.distance == 3 and hit.normal.tolist() == [0, 0, 1]
    assert doll.cast_ray(sim.poses(), [0, 0, 3], [0, 0, 1]).geom == -1
    skipped = doll.cast_ray(sim.poses(), [0, 0, 3], [0, 0, -1], skipped=["trunk", "leg"])
    assert skipped.distance == 3
    distance = doll.distance(sim.poses(), "floor", "chest")
    assert np.isclose(distance.distance, 0.4 - 0.25)
    with pytest.raises(carom.InvalidArgumentError, match=r"poses has shape \(7,\)"):
        doll.distance(np.zeros(7), "floor", "chest")
