"""Environments of Gymnasium over `carom.Batch`: all worlds of a vector step in one call (pip install
carom[gym]).

    import gymnasium
    envs = gymnasium.make_vec("carom/Quadruped-v0", num_envs=1024, threads=8)
    env = gymnasium.make("carom/CartPole-v0")

An environment of one's own is a subclass of `VectorEnv` with four functions over all worlds at once:
`start`, `observe`, `reward` and `terminated`; `Env` is one world of such a class.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from ._builder import Builder
from ._lib import Array
from ._model import Model
from ._vector_env import Env as Env
from ._vector_env import VectorEnv as VectorEnv


def cart_pole_model() -> Model:
    """A cart of 1 kg on a rail with a pole of 0.2 kg and 0.6 m."""
    b = Builder(name="cart_pole", timestep=0.005)
    cart = b.add_body(name="cart", mass=1, inertia=[0.01, 0.01, 0.01, 0, 0, 0])
    b.add_joint(name="slide", body=cart, type="slide", axis=[1, 0, 0])
    pole = b.add_body(
        name="pole", parent=cart, mass=0.2, com=[0, 0, 0.3], inertia=[0.006, 0.006, 1e-5, 0, 0, 0]
    )
    b.add_joint(name="hinge", body=pole, axis=[0, 1, 0])
    b.add_actuator(name="motor", joint="slide", control_limited=True, control_range=[-10, 10])
    return b.compile()


class CartPole(VectorEnv):
    """Keeps a pole upright by a force on its cart, N. Observations: place and angle, and their rates. Reward: 1 a
    step. It ends where the pole leans by 0.2 rad or the cart is 2.4 m away."""

    frame_skip = 4
    max_steps = 500

    def __init__(self, num_envs: int = 1, **options: Any):
        super().__init__(cart_pole_model(), num_envs, **options)

    def start(self, count: int) -> tuple[Array, Array]:
        state = self.np_random.uniform(-0.05, 0.05, (count, 4))
        return state[:, :2], state[:, 2:]

    def reward(self, action: Array) -> Array:
        return np.ones(self.num_envs)

    def terminated(self) -> Array:
        return np.any(np.abs(self.batch.q) > [2.4, 0.2], axis=1)


# Names of the legs, where they hang on the trunk, m; joints of a leg: axis, range and angle at the start, rad.
LEGS = {"front_left": (1, 1), "front_right": (1, -1), "hind_left": (-1, 1), "hind_right": (-1, -1)}
JOINTS = {
    "roll": ([1, 0, 0], (-0.7, 0.7), 0.0),
    "hip": ([0, 1, 0], (-1.4, 1.4), 0.7),
    "knee": ([0, 1, 0], (-2.6, -0.2), -1.4),
}


def quadruped_model() -> Model:
    """A trunk of 8 kg on four legs of three joints, which springs and dampers drive to the controls' angles."""
    b = Builder(name="quadruped", timestep=0.004)
    b.add_geom(name="floor", body=b.world, type="plane", contype=1, conaffinity=2, friction=0.8)
    trunk = b.add_body(name="trunk", position=[0, 0, 0.33])
    b.add_joint(name="trunk", body=trunk, type="free")
    b.add_geom(
        name="trunk",
        body=trunk,
        type="box",
        size=[0.2, 0.1, 0.05],
        mass=8,
        contype=2,
        conaffinity=1,
        friction=0.8,
    )
    for leg, (x, y) in LEGS.items():
        link, place = trunk, [0.18 * x, 0.12 * y, 0]
        for joint, (axis, limits, _) in JOINTS.items():
            link = b.add_body(name=f"{leg}_{joint}", parent=link, position=place)
            b.add_joint(
                name=f"{leg}_{joint}",
                body=link,
                axis=axis,
                limited=True,
                range=limits,
                damping=0.5,
                armature=0.01,
            )
            b.add_actuator(
                name=f"{leg}_{joint}",
                joint=f"{leg}_{joint}",
                gain=60,
                bias=[0, -60, -1.5],
                force_limited=True,
                force_range=[-30, 30],
                control_limited=True,
                control_range=limits,
            )
            place = [0, 0, 0] if joint == "roll" else [0, 0, -0.2]
            b.add_geom(
                name=f"{leg}_{joint}",
                body=link,
                type="sphere" if joint == "roll" else "capsule",
                size=[0.02, 0.1, 0],
                position=[0, 0, place[2] / 2],
                mass=0.4,
                contype=2,
                conaffinity=1,
                friction=0.8,
            )
    return b.compile()


class Quadruped(VectorEnv):
    """Walks ahead. Actions: angles of the twelve joints, rad. Observations: height, orientation and angles, and all
    velocities. Reward: speed ahead, m/s, less 1e-3 of the sum of the squares of the joints' rates. It ends where the
    trunk is below 0.15 m or upside down."""

    max_steps = 500

    def __init__(self, num_envs: int = 1, **options: Any):
        super().__init__(quadruped_model(), num_envs, **options)

    def start(self, count: int) -> tuple[Array, Array]:
        q = np.tile(self.batch.model.reference, (count, 1))
        q[:, 7:] = [angle for _ in LEGS for _, _, angle in JOINTS.values()]
        q[:, 7:] += self.np_random.uniform(-0.05, 0.05, (count, 12))
        return q, self.np_random.normal(0, 0.05, (count, self.batch.model.nv))

    def observe(self) -> Array:
        return np.concatenate([self.batch.q[:, 2:], self.batch.v], axis=1)

    def reward(self, action: Array) -> Array:
        return self.batch.v[:, 0] - 1e-3 * np.sum(self.batch.v[:, 6:] ** 2, axis=1)

    def terminated(self) -> Array:
        _, x, y, _ = self.batch.q[:, 3:7].T
        return (self.batch.q[:, 2] < 0.15) | (1 - 2 * (x * x + y * y) < 0)


# Joints of the gripper's hand and what they may do: axis, range m, N.
HAND = {
    "x": ([1, 0, 0], (-0.2, 0.2), 50),
    "y": ([0, 1, 0], (-0.2, 0.2), 50),
    "z": ([0, 0, 1], (0.02, 0.3), 50),
}
OPENING = (0.0, 0.05)  # m, of each finger from the middle
GRIP = 20.0  # N, of the motor that closes both fingers


def _add_servo(b: Builder, joint: str, range: tuple[float, float], force: float) -> None:
    b.add_actuator(
        name=joint,
        joint=joint,
        gain=2000,
        bias=[0, -2000, -80],
        force_limited=True,
        force_range=[-force, force],
        control_limited=True,
        control_range=range,
    )


def gripper_model() -> Model:
    """A hand on three slides with two fingers that close together, and a cube of 0.1 kg and 4 cm on a floor."""
    b = Builder(name="gripper", timestep=0.004)
    touch = {"contype": 1, "conaffinity": 1, "friction": 0.8}
    b.add_geom(name="floor", body=b.world, type="plane", **touch)
    link = b.world
    for joint, (axis, limits, force) in HAND.items():
        link = b.add_body(name=f"hand_{joint}", parent=link, gravity_compensation=1)
        b.add_joint(name=joint, body=link, type="slide", axis=axis, limited=True, range=limits)
        size, mass = ([0.04, 0.06, 0.01], 0.4) if joint == "z" else ([0.01, 0.01, 0.01], 0.1)
        b.add_geom(name=f"hand_{joint}", body=link, type="box", size=size, mass=mass, position=[0, 0, 0.08],
                   contype=0, conaffinity=0)  # fmt: skip
        _add_servo(b, joint, limits, force)
    for side, name in ((1, "left"), (-1, "right")):
        finger = b.add_body(name=name, parent=link, gravity_compensation=1)
        b.add_joint(name=name, body=finger, type="slide", axis=[0, side, 0], limited=True, range=OPENING)
        b.add_geom(name=name, body=finger, type="box", size=[0.01, 0.005, 0.03],
                   position=[0, side * 0.005, 0.025], mass=0.05, **touch)  # fmt: skip
    b.add_equality(type="joint", joint1="right", joint2="left", polynomial=[0, 1, 0, 0, 0])
    _add_servo(b, "left", OPENING, GRIP)
    cube = b.add_body(name="cube", position=[0, 0, 0.02])
    b.add_joint(name="cube", body=cube, type="free")
    b.add_geom(name="cube", body=cube, type="box", size=[0.02, 0.02, 0.02], mass=0.1, **touch)
    return b.compile()


class Gripper(VectorEnv):
    """Carries a cube to a place in the air. Actions: where the hand shall be, m, and how far each finger shall be
    from the middle, m. Observations: joints, the cube's pose, the place, and all velocities. Reward, a step: how near
    the hand is to the cube and the cube to the place, exp(-10 d) each. It ends where the cube is out of reach."""

    max_steps = 200

    def __init__(self, num_envs: int = 1, **options: Any):
        self.places = np.zeros((num_envs, 3))  #: m, where the cubes shall be
        super().__init__(gripper_model(), num_envs, **options)

    def _restart(self, mask: Array) -> None:
        self.places[mask] = self.np_random.uniform([-0.15, -0.15, 0.1], [0.15, 0.15, 0.25], (int(mask.sum()), 3))
        super()._restart(mask)

    def start(self, count: int) -> tuple[Array, Array]:
        q = np.tile(self.batch.model.reference, (count, 1))
        q[:, :5] = [0, 0, 0.15, OPENING[1], OPENING[1]]
        q[:, 5:7] = self.np_random.uniform(-0.1, 0.1, (count, 2))
        turn = self.np_random.uniform(-0.3, 0.3, count)
        q[:, 8], q[:, 11] = np.cos(turn / 2), np.sin(turn / 2)
        return q, np.zeros((count, self.batch.model.nv))

    def observe(self) -> Array:
        return np.concatenate([self.batch.q, self.places, self.batch.v], axis=1)

    def reward(self, action: Array) -> Array:
        hand, cube = self.batch.q[:, :3], self.batch.q[:, 5:8]
        far = [np.linalg.norm(a - b, axis=1) for a, b in ((hand, cube), (cube, self.places))]
        return np.exp(-10 * far[0]) + np.exp(-10 * far[1])

    def terminated(self) -> Array:
        return np.any(np.abs(self.batch.q[:, 5:7]) > 0.3, axis=1)


def _one(kind: Any) -> Any:
    return lambda **options: Env(kind, **options)


def register() -> None:
    """Makes the environments known to Gymnasium, which calls this when it is imported."""
    for name, kind in (("CartPole", CartPole), ("Quadruped", Quadruped), ("Gripper", Gripper)):
        gymnasium.register(f"carom/{name}-v0", entry_point=_one(kind), vector_entry_point=kind)
