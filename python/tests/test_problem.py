"""Contact problems without a simulation."""

import carom
import numpy as np
import pytest


def two_boxes():
    """As samples/two_contacts.c: boxes of 1 and 2 kg on a moving belt, one on the other."""
    problem = carom.Problem([3, 3], name="two_contacts", dt=0.01)
    problem.set_block(0, 0, np.eye(3))
    problem.set_block(1, 1, 2 * np.eye(3))
    problem.set_velocities([0, 0, -0.0981] * 2)
    problem.add(blocks=[0], jacobian=[np.eye(3)], mu=0.5, v_hat=[1, 0, 0])
    problem.add(blocks=[1, 0], jacobian=[np.eye(3), -np.eye(3)], mu=0.2)
    return problem


def test_two_boxes():
    problem = two_boxes()
    problem.finish()
    solution = problem.solve(friction="coulomb", tolerance=1e-10)
    assert solution.report.status == "certified"
    v, gamma = solution.v.reshape(2, 3), solution.gamma.reshape(2, 3)
    assert np.allclose(gamma[:, 2], [0.2943, 0.1962])
    assert np.allclose(v[1, 0], 0.2 * 0.0981) and np.allclose(v[0, 0], 0.5 * 0.2943 - 0.2 * 0.1962)
    assert np.allclose(solution.u, solution.v_c - problem.v_hat)
    assert problem.constraint(1).mu == 0.2 and problem.constraint(1).blocks.tolist() == [0, 1]
    measured = problem.evaluate(solution.gamma, friction="coulomb")
    assert np.allclose(measured.v, solution.v)


@pytest.mark.parametrize("solver", ["newton", "primal", "pgs", "apgd", "ipm"])
def test_solvers_agree(slide, solver):
    sim = carom.Sim(slide, dt=0.005, sigma=1e-3, beta=1)
    sim.step(200)
    problem = sim.problem()
    expected = problem.solve(tolerance=1e-10).v
    solution = problem.solve(solver=solver, tolerance=1e-6)
    assert np.allclose(solution.v, expected, atol=1e-6)


def test_files(tmp_path):
    problem = two_boxes()
    problem.finish()
    problem.save(tmp_path / "p.h5")
    other = carom.Problem.load(tmp_path / "p.h5")
    assert other.name == "two_contacts" and other.dt == 0.01 and other.sizes == problem.sizes
    assert np.array_equal(other.solve().gamma, problem.solve().gamma)


def test_misuse():
    problem = two_boxes()
    for use in (problem.solve, lambda: problem.v_star, lambda: problem.constraint(0)):
        with pytest.raises(carom.InvalidArgumentError, match="not finished"):
            use()
    with pytest.raises(carom.NotFoundError, match="there is no block 2"):
        problem.set_block(2, 0, np.eye(3))
    with pytest.raises(carom.InvalidArgumentError, match=r"values has shape \(2, 2\), must have \(3, 3\)"):
        problem.set_block(0, 0, np.eye(2))
    with pytest.raises(carom.InvalidArgumentError, match="must have one for each"):
        problem.add(blocks=[0, 1], jacobian=[np.eye(3)])
    with pytest.raises(carom.InvalidArgumentError, match=r"block_size has shape|holds"):
        carom.Problem([[1]])
    problem.finish()
    with pytest.raises(carom.InvalidArgumentError, match="it is finished"):
        problem.add(blocks=[0], jacobian=[np.eye(3)])
    solution = problem.solve()
    v = solution.v
    solution.close(), problem.close()
    assert np.isfinite(v).all()
    with pytest.raises(carom.InvalidArgumentError, match="it is closed"):
        solution.v
