"""Models built in code."""

import carom
import numpy as np
import pytest


def pendulum():
    builder = carom.Builder(name="pendulum", timestep=0.001)
    arm = builder.add_body(
        name="arm", position=[0, 0, 2], mass=1.5, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01, 0, 0, 0]
    )
    builder.add_joint(name="pivot", body=arm, axis=[0, 1, 0])
    return builder


def test_pendulum():
    builder = pendulum()
    builder.add_geom(body="arm", type="capsule", size=[0.02, 0.4, 0], position=[0, 0, -0.5])
    builder.add_actuator(name="motor", joint="pivot", gear=2)
    builder.add_keyframe(name="up", q=[np.pi])
    model = builder.compile()
    assert (
        model.name == "pendulum" and model.timestep == 0.001 and (model.nq, model.nv, model.nu) == (1, 1, 1)
    )
    sim = carom.Sim(model)
    assert np.isclose(sim.mass_matrix()[0, 0], 0.1 + 1.5 * 0.25)
    assert model.keyframes == ["up"] and model.bodies["arm"].mass == 1.5
    del builder
    sim.step(10)


def test_every_kind():
    b = pendulum()
    ball = b.add_body(name="ball", position=[1, 0, 1])
    b.add_joint(name="free", body=ball, type="free")
    b.add_geom(
        name="skin",
        body=ball,
        type="sphere",
        size=[0.1, 0, 0],
        friction=0.5,
        surface={"restitution": 0.5, "rolling_friction": 1e-3},
    )
    cube = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    mesh = b.add_mesh(name="cube", vertices=cube)
    b.add_geom(name="box", body=b.world, type="mesh", mesh=mesh)
    heights = b.add_height_field(heights=np.zeros((3, 4)), size=[1, 2])
    b.add_geom(body=b.world, type="height_field", height_field=heights)
    b.add_site(name="tip", body="arm", position=[0, 0, -1])
    b.add_site(name="top", body="ball")
    b.add_tendon(
        name="string", path=[{"type": "site", "site": "tip"}, {"type": "site", "site": "top"}], stiffness=1
    )
    b.add_tendon(name="sum", terms=[{"joint": "pivot", "coefficient": 2}])
    b.add_spring(name="spring", body1="arm", body2="ball", stiffness=1)
    b.add_equality(name="tie", type="distance", body1="arm", body2="ball")
    b.add_pair(geom1="skin", geom2="box", friction=0.1)
    b.add_exclude("arm", "ball")
    b.add_sensor(name="where", type="frame_position", frame={"type": "site", "id": b.find("site", "tip")})
    b.add_sensor(
        name="touching", type="contact", contact={"side": ["geom", "any"], "id": [b.find("geom", "skin"), 0]}
    )
    soft = b.add_soft(
        name="cushion", shape="box", size=[1, 1, 1], cells=[2, 2, 2], substance="rubber", position=[5, 0, 2]
    )
    b.add_attachment(soft=soft, nodes=[0, 1])
    b.add_note("mapped", "this is a note")
    model = b.compile()
    assert len(model.tendons) == 2 and len(model.softs) == 1 and len(model.equalities) == 1
    assert model.attachments[0].nodes.tolist() == [0, 1] and ("mapped", "this is a note") in model.notes
    assert model.geoms["skin"].surface.restitution == 0.5
    assert model.sensors["where"].dim == 3
    assert carom.Sim(model).step(3).outcome == "done"


def test_errors():
    b = pendulum()
    with pytest.raises(carom.BadInputError, match="mass is -1"):
        b.add_body(name="light", mass=-1)
    with pytest.raises(
        carom.NotFoundError, match="there is no argument of add_body 'mas'; the nearest is 'mass'"
    ):
        b.add_body(mas=1)
    with pytest.raises(carom.NotFoundError, match="there is no body 'amr'; the nearest is 'arm'"):
        b.add_joint(body="amr")
    with pytest.raises(carom.NotFoundError, match="there is no joint type 'hinges'; the nearest is 'hinge'"):
        b.add_joint(body="arm", type="hinges")
    with pytest.raises(carom.InvalidArgumentError, match="add_joint: body is a geom, must be a body"):
        b.add_joint(body=b.add_geom(body="arm", type="sphere", size=[1, 0, 0]))
    with pytest.raises(carom.InvalidArgumentError, match="belongs to another builder"):
        b.add_joint(body=pendulum().add_body())
    with pytest.raises(
        carom.InvalidArgumentError, match=r"add_mesh: vertices has shape \(4,\), must have \(n, 3\)"
    ):
        b.add_mesh(vertices=[1, 2, 3, 4])
    with pytest.raises(carom.InvalidArgumentError, match="must be a list of dictionaries"):
        b.add_tendon(terms=3)
    with pytest.raises(carom.NotFoundError):
        b.add_body(cookie=3)
    b.close()
    with pytest.raises(carom.InvalidArgumentError, match="it is closed"):
        b.compile()


def test_written_and_read(tmp_path):
    path = tmp_path / "pendulum.xml"
    builder = pendulum()
    builder.add_geom(body="arm", type="sphere", size=[0.1, 0, 0], surface={"hunt_crossley": 0})
    assert builder.write(path) == []
    model = carom.load(path)
    assert np.isclose(carom.Sim(model).mass_matrix()[0, 0], 0.1 + 1.5 * 0.25)
    again = carom.Builder.load(path)
    again.add_body(name="more", mass=1, inertia=[1, 1, 1, 0, 0, 0])
    assert again.compile().bodies["more"].mass == 1
    remarks = builder.write(tmp_path / "pendulum.urdf")
    assert isinstance(remarks, list)


def test_help_says_units():
    assert "kg m²" in carom.Builder.add_body.__doc__ and "N/m" in carom.Builder.add_spring.__doc__
