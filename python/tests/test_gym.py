"""Environments of Gymnasium."""

import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import carom.gym  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

KINDS = [carom.gym.CartPole, carom.gym.Quadruped, carom.gym.Gripper]


@pytest.mark.parametrize("name", ["carom/CartPole-v0", "carom/Quadruped-v0", "carom/Gripper-v0"])
def test_checker(name):
    if name not in gymnasium.registry:
        carom.gym.register()
    with warnings.catch_warnings():
        # What it recommends besides: actions from -1 to 1 and bounded observations. Ours have units.
        warnings.filterwarnings("ignore", message=".*Box observation space m.*imum value is .*infinity")
        warnings.filterwarnings("ignore", message=".*we recommend using a symmetric and normalized space")
        check_env(gymnasium.make(name, disable_env_checker=True).unwrapped, skip_render_check=True)
    envs = gymnasium.make_vec(name, num_envs=3, threads=2)
    observations, _ = envs.reset(seed=1)
    assert observations in envs.observation_space and envs.action_space.shape[0] == 3
    envs.close()


@pytest.mark.parametrize("kind", KINDS)
def test_seeds(kind):
    def run(seed, threads):
        envs = kind(4, threads=threads)
        envs.action_space.seed(3)
        found = [envs.reset(seed=seed)[0]]
        for _ in range(30):
            found.append(envs.step(envs.action_space.sample())[0])
        return np.array(found)

    assert np.array_equal(run(1, 1), run(1, 3)) and not np.array_equal(run(1, 1), run(2, 1))


@pytest.mark.parametrize("kind", KINDS)
def test_one_is_a_world_of_many(kind):
    env, envs = carom.gym.Env(kind), kind(1)
    first, _ = env.reset(seed=5)
    firsts, _ = envs.reset(seed=5)
    assert np.array_equal(first, firsts[0])
    env.action_space.seed(0)
    for _ in range(5):
        action = env.action_space.sample()
        observation, reward, *_ = env.step(action)
        observations, rewards, *_ = envs.step(action[None])
        assert np.array_equal(observation, observations[0]) and reward == rewards[0]


def fall(mode, steps):
    """Carts that are pushed to one side until their poles have fallen."""
    envs = carom.gym.CartPole(2, autoreset_mode=mode)
    envs.reset(seed=0)
    return envs, [envs.step(np.array([[10.0], [-10.0]])) for _ in range(steps)]


def ends(results):
    return [i for i, result in enumerate(results) if result[2][0]]


def test_next_step():
    _, results = fall("NextStep", 40)
    first, second = ends(results)[:2]
    observations, rewards, terminations, _, infos = results[first + 1]
    assert rewards[0] == 0 and not terminations[0] and np.all(np.abs(observations[0]) <= 0.05) and infos == {}
    assert results[first][0][0, 1] < -0.2 and second > first + 5


def test_same_step():
    _, results = fall("SameStep", 40)
    first = ends(results)[0]
    observations, rewards, _, _, infos = results[first]
    assert np.all(np.abs(observations[0]) <= 0.05) and rewards[0] == 1
    assert infos["final_obs"][0][1] < -0.2 and infos["_final_obs"][0]
    assert results[first + 1][1][0] == 1


def test_disabled():
    envs, results = fall("Disabled", 40)
    assert results[-1][2].all()
    observations, _ = envs.reset(options={"reset_mask": np.array([True, False])})
    assert np.all(np.abs(observations[0]) <= 0.05) and abs(observations[1, 1]) > 0.2


def test_truncation():
    envs = carom.gym.CartPole(2, max_steps=3)
    envs.reset(seed=0)
    truncations = [envs.step(np.zeros((2, 1)))[3].tolist() for _ in range(8)]
    assert [t[0] for t in truncations] == [False, False, True, False, False, False, True, False]


def test_quadruped_stands():
    envs = carom.gym.Quadruped(3)
    envs.reset(seed=0)
    stance = np.tile([angle for _ in range(4) for angle in (0, 0.7, -1.4)], (3, 1))
    for _ in range(100):
        observations, _, terminations, _, _ = envs.step(stance)
        assert not terminations.any()
    assert np.all(np.abs(observations[:, 0] - 0.31) < 0.04) and np.all(np.abs(observations[:, 17:20]) < 0.05)
    with pytest.raises(carom.InvalidArgumentError, match=r"action has shape \(2, 2\), must have \(3, 12\)"):
        envs.step(np.zeros((2, 2)))
    assert envs.autoreset_mode == AutoresetMode.NEXT_STEP


def carry(envs, place):
    """Hands go down to their cubes, close, and go smoothly up and to a place; returns where the cubes are then."""
    above, place = envs.batch.q[:, :4].copy(), np.tile([*place, 0], (envs.num_envs, 1))
    above[:, :2] = envs.batch.q[:, 5:7]
    down, up = above.copy(), above.copy()
    down[:, 2], up[:, 3] = 0.022, 0
    closed = np.hstack([down[:, :3], up[:, 3:]])
    for begin, end in ((above, above), (above, down), (down, closed), (closed, up), (up, place)):
        for share in (1 - np.cos(np.linspace(0, np.pi, 100))) / 2:
            envs.step(begin + share * (end - begin))
    return envs.batch.q[:, 5:8]


def test_gripper_carries_what_friction_holds():
    """Each finger presses with half of the motor's force f, so that friction holds up to mu f / g."""
    envs = carom.gym.Gripper(6, max_steps=1000, threads=2)
    most = 0.8 * carom.gym.GRIP / 9.81
    masses = np.array([0.05, 0.3, 0.6, 0.8, 1.03, 1.5]) * most
    envs.batch.set_parameters({"geom.cube.mass": masses})
    envs.reset(seed=2)
    cubes = carry(envs, [0.05, -0.1, 0.18])
    held = masses < most
    assert np.all(np.abs(cubes[held, :2] - [0.05, -0.1]) < 0.01) and np.all(cubes[held, 2] > 0.15), cubes
    assert np.all(np.abs(cubes[~held, 2] - 0.02) < 1e-3), cubes
