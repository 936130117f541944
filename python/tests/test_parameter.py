"""Parameters of models: read, set on copies, the same bits as a file with the number in it."""

import pickle

import carom
import numpy as np
import pytest
import support


def end(model):
    sim = carom.Sim(model, dt=0.004)
    sim.step(100)
    return sim.save()


@pytest.mark.parametrize(
    "name, value, old, new",
    [
        ("geom.shin.size[0]", 0.05, 'size=".04"', 'size=".05"'),
        ("joint.hip.damping", 0.7, 'damping=".1"', 'damping=".7"'),
        ("body.leg.position", [0.2, 0, -0.2], 'pos=".1 0 -.2"', 'pos=".2 0 -.2"'),
        ("actuator.push.gear", 3, 'gear="5"', 'gear="3"'),
    ],
)
def test_same_bits_as_a_file_with_the_number(doll, name, value, old, new):
    assert old in support.DOLL
    written = carom.loads(support.DOLL.replace(old, new), "doll")
    copied = doll.copy({name: value})
    states = []
    for model in (written, copied, doll):
        sim = carom.Sim(model, dt=0.004)
        sim.set_keyframe("low")
        sim.step(50)
        states.append(sim.save())
    assert states[0] == states[1] != states[2]


def test_parts_of_a_copy_can_be_set(doll):
    heavy = doll.copy()
    leg = heavy.bodies["leg"]
    leg.mass = 2.0
    assert leg.mass == heavy.bodies["leg"].mass == heavy.parameters["body.leg.mass"].value == 2
    heavy.geoms[3].size = [0.1, 0, 0]  # has no name
    assert heavy.geoms[3].size[0] == 0.1
    heavy.parameters["model.gravity"] = [0, 0, -1]
    assert heavy.gravity[2] == -1 and doll.gravity[2] == -9.81
    assert doll.bodies["leg"].mass != 2
    twice = heavy.copy({"joint.hip.damping": 3.0})
    assert twice.bodies["leg"].mass == 2 and twice.joints["hip"].name == "hip"
    values = {"body.leg.mass": 2, "geom.3.size": [0.1, 0, 0], "model.gravity": [0, 0, -1], "joint.hip.damping": 3}
    assert end(twice) == end(doll.copy(values))


def test_order_of_addition_is_not_that_of_the_model():
    builder = carom.Builder()
    common = {"mass": 1, "inertia": [1, 1, 1, 0, 0, 0]}
    first, second = builder.add_body(**common), builder.add_body(**common)
    builder.add_body(parent=first, **common)
    for body in (second, first):
        builder.add_joint(body=body, type="hinge", axis=[0, 0, 1])
    model = builder.compile().copy()
    for i in range(1, len(model.bodies)):
        model.bodies[i].mass = i
    model.joints[1].damping = 5
    assert model.bodies[model.joints[1].body].mass == 3  # of the second body, whose joint was added first
    assert [model.parameters[f"joint.{i}.damping"].value for i in range(2)] == [5, 0]
    assert [body.mass for body in model.bodies][1:] == [1, 2, 3]


def test_parameters_are_listed_and_read(doll):
    names = list(doll.parameters)
    assert len(names) == len(set(names)) == len(doll.parameters)
    for name in ["model.gravity", "body.leg.mass", "geom.3.size", "joint.0.damping", "site.head.position"]:
        assert name in names and name in doll.parameters
    for name in names:
        read = doll.parameters[name]
        assert read.name == name and read.unit and np.shape(read.value) == read.shape
    mass = doll.parameters["body.leg.mass"]
    assert (mass.unit, mass.shape, mass.value) == ("kg", (), doll.bodies["leg"].mass)
    assert doll.parameters["geom.shin.size[0]"].value == 0.04
    assert "body.arm.mass" not in doll.parameters


@pytest.mark.parametrize(
    "name, sentence",
    [
        ("body.legg.mass", "there is no body 'legg'; the nearest is 'leg'"),
        ("body.leg.mas", "there is no parameter of a body 'mas'; the nearest is 'mass'"),
        ("bodies.leg.mass", "there is no kind 'bodies'"),
        ("mass", "must be KIND.NAME.FIELD"),
    ],
)
def test_names_that_are_not_there(doll, name, sentence):
    for ask in (doll.parameters.__getitem__, lambda name: doll.copy({name: 1})):
        with pytest.raises(carom.NotFoundError, match=sentence):
            ask(name)


def test_bad_values_change_nothing(doll):
    copied = doll.copy()
    with pytest.raises(carom.BadInputError, match="'leg'.*mass is -1"):
        copied.bodies["leg"].mass = -1
    with pytest.raises(carom.InvalidArgumentError, match=r"'body.leg.com' has shape \(\), must have \(3,\)"):
        copied.bodies["leg"].com = 1
    with pytest.raises(carom.NotFoundError, match="there is no parameter of a body 'parent'"):
        copied.bodies["leg"].parent = 1
    with pytest.raises(carom.BadInputError):
        copied.parameters.update({"joint.hip.damping": 2, "body.leg.mass": -1})
    with pytest.raises(carom.InvalidArgumentError, match="must be a dictionary"):
        doll.copy(["body.leg.mass"])
    assert end(copied) == end(doll)


def test_a_model_in_use_does_not_change(doll):
    used = doll.copy()
    carom.Sim(used)
    for model in (doll, used):
        with pytest.raises(carom.InvalidArgumentError, match=r"model.copy\(\)"):
            model.bodies["leg"].mass = 2
        with pytest.raises(carom.InvalidArgumentError, match=r"model.copy\(\)"):
            model.parameters["body.leg.mass"] = 2
    assert used.copy({"body.leg.mass": 2}).bodies["leg"].mass == 2


def test_what_is_no_part_cannot_be_set(sim):
    with pytest.raises((AttributeError, carom.InvalidArgumentError)):
        sim.energy().kinetic = 1
    with pytest.raises(carom.InvalidArgumentError, match="there is no|must be"):
        sim.model.copy().sensors[0].dim = 3


def test_models_are_pickled_by_what_makes_them_again(doll):
    for model in (carom.load(support.SLIDE, floor=True), doll):
        copied = model.copy()
        copied.bodies[1].mass = 2
        copied.parameters["model.gravity"] = [0, 0, -2]
        again = pickle.loads(pickle.dumps(copied))
        assert again.bodies[1].mass == 2 and end(again) == end(copied)
    with pytest.raises(carom.InvalidArgumentError, match="built in code"):
        pickle.dumps(carom.Builder().compile())
