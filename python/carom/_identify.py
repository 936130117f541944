"""Identification: parameters of a model fitted to measurements by least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from ._design import Span
from ._lib import Array, refuse, to_array, to_mapping
from ._model import Model

STEP = 1e-5  # of finite differences, of a range and of logarithms


@dataclass
class Fit:
    """What was fitted."""

    model: Model  #: with the fitted values
    values: dict[str, Any]  #: by parameter: a number, or an array
    low: dict[str, Any]  #: lower ends of the confidence intervals, likewise
    high: dict[str, Any]  #: upper ends
    residual: Array  #: [measurements] at the fit
    result: Any  #: what scipy.optimize.least_squares has returned


def to_pseudo_inertia(mass: float, com: Array, inertia: Array) -> Array:
    """[4, 4] of mass, centre [3] and inertia [6] about it (xx, yy, zz, xy, xz, yz)."""
    xx, yy, zz, xy, xz, yz = inertia
    about = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    J = np.zeros((4, 4))
    J[:3, :3] = np.trace(about) / 2 * np.eye(3) - about + mass * np.outer(com, com)
    J[:3, 3] = J[3, :3] = mass * com
    J[3, 3] = mass
    return J


def from_log_cholesky(x: Array) -> tuple[float, Array, Array]:
    """Mass, centre and inertia of any ten numbers: physical whatever they are (Rucker and Wensing, Smooth
    parameterization of rigid-body inertia, 2022)."""
    U = np.eye(4)
    U[np.triu_indices(4, 1)] = x[4:]
    U[np.arange(3), np.arange(3)] = np.exp(x[1:4])
    J = np.exp(2 * x[0]) * U @ U.T
    mass, com = J[3, 3], J[:3, 3] / J[3, 3]
    second = J[:3, :3] - mass * np.outer(com, com)
    about = np.trace(second) * np.eye(3) - second
    return mass, com, about[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]


def to_log_cholesky(mass: float, com: Array, inertia: Array) -> Array:
    """Its inverse, of a body of some extent in all directions."""
    J = to_pseudo_inertia(mass, com, inertia)
    try:
        U = np.linalg.cholesky(J[::-1, ::-1])[::-1, ::-1]
    except np.linalg.LinAlgError:
        raise refuse("identify: the inertia to start from is that of no body with extent in all directions") from None
    scale = U[3, 3]
    return np.array([np.log(scale), *np.log(np.diag(U)[:3] / scale), *(U[np.triu_indices(4, 1)] / scale)])


class _Unknowns:
    """The numbers that are fitted, and the values of parameters that they stand for."""

    def __init__(self, model: Model, parameters: Mapping[str, Any], inertials: Sequence[str]):
        self.spans: dict[str, Span] = dict(to_mapping("identify: parameters", parameters))
        self.bodies = [inertials] if isinstance(inertials, str) else list(inertials)
        start = []
        for name, axis in self.spans.items():
            if not isinstance(axis, Span):
                raise refuse(f"identify: {name} is {axis!r}, must be carom.span(low, high)")
            if model.parameters[name].shape:
                raise refuse(f"identify: {name} has several numbers, must be one: {name}[0]")
            start.append(np.clip(_place_of(axis, model.parameters[name].value), 0.01, 0.99))
        for body in self.bodies:
            values = [model.parameters[f"body.{body}.{field}"].value for field in ("mass", "com", "inertia")]
            start.extend(to_log_cholesky(*values))
        self.start = np.array(start, float)
        if not start:
            raise refuse("identify: parameters is empty, must name at least one")
        bounded = np.arange(len(start)) < len(self.spans)
        self.bounds = np.where(bounded, 0, -np.inf), np.where(bounded, 1, np.inf)

    def values(self, x: Array) -> dict[str, Any]:
        found: dict[str, Any] = {
            name: float(axis.place(x[i])) for i, (name, axis) in enumerate(self.spans.items())
        }
        for i, body in enumerate(self.bodies):
            first = len(self.spans) + 10 * i
            for field, value in zip(("mass", "com", "inertia"), from_log_cholesky(x[first : first + 10])):
                found[f"body.{body}.{field}"] = value
        return found

    def vector(self, x: Array) -> Array:
        return np.concatenate([np.atleast_1d(value) for value in self.values(x).values()])


def _place_of(axis: Span, value: float) -> float:
    """Where a value lies in a range; in the middle where it lies outside or is unset."""
    low, high = np.log([axis.low, axis.high]) if axis.log else (axis.low, axis.high)
    if axis.log:
        value = np.log(value) if value > 0 else np.nan
    place = (value - low) / (high - low) if high != low else np.nan
    return place if 0 <= place <= 1 else 0.5


def _differentiate(function: Callable[[Array], Array], x: Array) -> Array:
    """[results, unknowns] by central differences."""
    steps = STEP * np.eye(len(x))
    return np.array([(function(x + step) - function(x - step)) / (2 * STEP) for step in steps]).T


def identify(
    model: Model,
    parameters: Mapping[str, Span],
    residual: Callable[[Model], Any],
    *,
    inertials: Sequence[str] = (),
    jacobian: Callable[[Model, list[str]], Any] | None = None,
    confidence: float = 0.95,
    **options: Any,
) -> Fit:
    """Fits parameters to measurements by scipy.optimize.least_squares, with central differences, or with exact
    derivatives where `jacobian` gives them.

        def residual(model):
            rolled = carom.rollout(model, q0, v0, ctrl)
            return (rolled.q - measured) / sigma
        fit = carom.identify(model, {"joint.hip.damping": carom.span(0.01, 1, log=True)}, residual)

    parameters: ranges by name of parameters of the model (docs/parameters.md), each of one number; the search
        starts from the model's own value
    residual: `residual(model)`, an array of any shape, the same for every model: predicted less measured
    jacobian: `jacobian(model, names)`, the derivative of the residual over the numbers of the parameters of these
        names, side by side [results, numbers], as from `Sim.sensitivity`
    inertials: bodies whose mass, centre and inertia are fitted too, kept physical by a log-Cholesky map
    confidence: of the intervals, which take the model for linear about the fit and the noise for independent
        and of one size
    options: those of least_squares, such as x_scale, loss and max_nfev"""
    try:
        from scipy import optimize, stats
    except ImportError:
        raise refuse("identify: needs SciPy, which is not installed") from None
    if not isinstance(model, Model):
        raise refuse(f"identify: model is of type {type(model).__name__}, must be a carom.Model")
    unknowns = _Unknowns(model, parameters, inertials)

    def find(x: Array) -> Array:
        return to_array("identify: residual", residual(model.copy(unknowns.values(x))))

    first = find(unknowns.start)
    if not np.isfinite(first).all():
        raise refuse(f"identify: residual is {first[~np.isfinite(first)][0]} at the model's values, must be finite")

    def compute(x: Array) -> Array:
        found = find(x)
        if found.shape != first.shape:
            raise refuse(f"identify: residual has shape {first.shape} and then {found.shape}, must be the same")
        return found.ravel()

    def differentiate(x: Array) -> Array:
        if jacobian is None:
            return _differentiate(compute, x)
        values, numbers = unknowns.values(x), unknowns.vector(x).size
        found = to_array("identify: jacobian", jacobian(model.copy(values), list(values)))
        if found.shape != (first.size, numbers):
            raise refuse(f"identify: jacobian has shape {found.shape}, must have ({first.size}, {numbers})")
        return found @ _differentiate(unknowns.vector, x)

    count = first.size
    if count <= len(unknowns.start):
        raise refuse(f"identify: {count} measurements for {len(unknowns.start)} unknowns, must be more")
    options = {"x_scale": "jac", "jac": differentiate, **options}
    result = optimize.least_squares(compute, unknowns.start, bounds=unknowns.bounds, **options)
    covariance = np.linalg.pinv(result.jac.T @ result.jac) * 2 * result.cost / (count - len(result.x))
    D = _differentiate(unknowns.vector, result.x)
    reach = stats.t.ppf((1 + confidence) / 2, count - len(result.x))
    half = reach * np.sqrt(np.einsum("ij,jk,ik->i", D, covariance, D))
    return _make_fit(model, unknowns.values(result.x), half, result)


def _make_fit(model: Model, values: dict[str, Any], half: Array, result: Any) -> Fit:
    low, high, first = {}, {}, 0
    for name, value in values.items():
        size = np.size(value)
        reach = half[first : first + size].reshape(np.shape(value))
        low[name], high[name] = value - reach, value + reach
        first += size
    return Fit(model.copy(values), values, low, high, result.fun, result)
