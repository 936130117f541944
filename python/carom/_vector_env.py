"""What environments of Gymnasium over `carom.Batch` have in common; `carom.gym` has the environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ._batch import Batch
from ._lib import Array, refuse, to_array, to_whole
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
        self.frame_skip = to_whole("frame_skip", type(self).frame_skip if frame_skip is None else frame_skip, 1)
        self.max_steps = to_whole("max_steps", type(self).max_steps if max_steps is None else max_steps, 1)
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
        mask = self.batch._mask((options or {}).get("reset_mask"))
        self._restart(np.ones(self.num_envs, bool) if mask is None else mask)
        return self.observe(), {}

    def _restart(self, mask: Array) -> None:
        q, v = self.start(int(mask.sum()))
        self.batch.reset(mask, q=q, v=v)
        self._elapsed[mask] = 0
        self._done[mask] = False

    def step(self, action: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """A step of every world; observations, rewards, terminations, truncations, infos."""
        action = to_array("action", action)
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
