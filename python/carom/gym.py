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
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ._batch import Batch
from ._builder import Builder
from ._lib import Array, refuse, to_whole
from ._model import Model


class VectorEnv(gymnasium.vector.VectorEnv):  # type: ignore[type-arg, misc]
    """Environments of one model, stepped side by side. Actions are the actuators' controls.

    frame_skip: steps of the simulation in one of the environment; max_steps: of an episode, after which it is
    truncated; autoreset_mode: Gymnasium's; other options are those of `carom.Batch`, `threads` among them. The
    worlds are `batch`. A world whose step fails is terminated."""

    frame_skip = 5
    max_steps = 1000

    def __init__(
        self,
        model: Model,
        num_envs: int = 1,
        *,
        frame_skip: int | None = None,
        max_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Any,
    ):
        self.batch = Batch(model, num_envs, **options)
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": []}
        self.frame_skip = to_whole("frame_skip", frame_skip or type(self).frame_skip, 1)
        self.max_steps = to_whole("max_steps", max_steps or type(self).max_steps, 1)
        self._elapsed = np.zeros(num_envs, int)
        self._done = np.zeros(num_envs, bool)
        bounds = np.array([actuator.control_range for actuator in model.actuators]).reshape(-1, 2)
        size = self.observe().shape[1]
        self.single_action_space = gymnasium.spaces.Box(bounds[:, 0], bounds[:, 1], dtype=np.float64)
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float64)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    # -- what an environment of one's own says

    def start(self, count: int) -> tuple[Array, Array]:
        """Where episodes begin: q [count, nq] and v [count, nv], drawn from `np_random`."""
        model = self.batch.model
        return np.tile(model.reference, (count, 1)), np.zeros((count, model.nv))

    def observe(self) -> Array:
        """[n, size] observations of all worlds."""
        return np.concatenate([self.batch.q, self.batch.v], axis=1)

    def reward(self, action: Array) -> Array:
        """[n] rewards of a step that has been taken under `action` [n, nu]."""
        return np.zeros(self.num_envs)

    def terminated(self) -> Array:
        """[n] whether an episode has ended in its own way."""
        return np.zeros(self.num_envs, bool)

    # -- what Gymnasium calls

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Starts episodes: all, or those of options["reset_mask"] [n]."""
        super().reset(seed=seed)
        mask = np.asarray((options or {}).get("reset_mask", np.ones(self.num_envs, bool)))
        self._restart(mask)
        return self.observe(), {}

    def _restart(self, mask: Array) -> None:
        q, v = self.start(int(mask.sum()))
        self.batch.reset(mask, q=q, v=v)
        self._elapsed[mask] = 0
        self._done[mask] = False

    def step(self, action: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """A step of every world; observations, rewards, terminations, truncations, infos."""
        action = np.asarray(action, np.float64)
        if action.shape != self.batch.ctrl.shape:
            raise refuse(f"action has shape {action.shape}, must have {self.batch.ctrl.shape}")
        # Worlds that begin anew in this step rest at the start until the others have taken it.
        begun = self._done & (self.autoreset_mode == AutoresetMode.NEXT_STEP)
        if begun.any():
            self.batch.reset(begun)
        self.batch.ctrl[:] = action
        self.batch.step(self.frame_skip)
        self._elapsed += 1
        rewards = np.where(begun, 0.0, self.reward(action))
        terminations = (self.terminated() | self.batch.failed) & ~begun
        truncations = (self._elapsed >= self.max_steps) & ~begun
        infos: dict[str, Any] = {}
        if begun.any():
            self._restart(begun)
        self._done = terminations | truncations
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._done.any():
            infos = self._finish(self._done.copy())
        return self.observe(), rewards, terminations, truncations, infos

    def _finish(self, mask: Array) -> dict[str, Any]:
        """Starts the worlds anew that have ended; what they last were goes into the infos."""
        last = np.empty(self.num_envs, object)
        observations = self.observe()
        for i in np.flatnonzero(mask):
            last[i] = observations[i]
        self._restart(mask)
        return {"final_obs": last, "_final_obs": mask, "final_info": {}, "_final_info": mask}

    def close_extras(self, **_: Any) -> None:
        self.batch.close()


class Env(gymnasium.Env):  # type: ignore[type-arg, misc]
    """One world of a class of environments: Env(CartPole, frame_skip=2)."""

    def __init__(self, kind: Any, **options: Any):
        self.vector = kind(num_envs=1, autoreset_mode=AutoresetMode.DISABLED, **options)
        self.metadata = {"render_modes": []}
        self.observation_space = self.vector.single_observation_space
        self.action_space = self.vector.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Starts an episode."""
        super().reset(seed=seed)
        observations, infos = self.vector.reset(seed=seed)
        return observations[0], infos

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """A step; observation, reward, terminated, truncated, info."""
        observations, rewards, terminations, truncations, infos = self.vector.step(np.asarray(action)[None])
        return observations[0], float(rewards[0]), bool(terminations[0]), bool(truncations[0]), infos

    def close(self) -> None:
        """Ends it."""
        self.vector.close()


# ---- Environments ---------------------------------------------------------------------------------


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


def _one(kind: Any) -> Any:
    return lambda **options: Env(kind, **options)


def register() -> None:
    """Makes the environments known to Gymnasium, which calls this when it is imported."""
    for name, kind in (("CartPole", CartPole), ("Quadruped", Quadruped)):
        gymnasium.register(f"carom/{name}-v0", entry_point=_one(kind), vector_entry_point=kind)
