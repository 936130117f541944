"""Designs: which values of the parameters of a sweep go together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np

from ._lib import Array, missing, refuse, to_mapping, to_number, to_whole


def grid(start: float, stop: float, count: int, *, log: bool = False) -> Array:
    """[count] values from start to stop, both among them; log: by equal factors."""
    ends = span(start, stop, log=log)
    number = to_whole("grid: count", count, 1, 10**8)
    return ends.place(np.arange(number) / max(number - 1, 1))


@dataclass(frozen=True)
class Span:
    """A range of values, from which designs take samples. Made by `carom.span`."""

    low: float
    high: float
    log: bool = False

    def place(self, u: Array) -> Array:
        """Values for numbers from 0 to 1."""
        if self.log:
            return self.low * (self.high / self.low) ** u
        return self.low * (1 - u) + self.high * u  # both ends to the bit


def span(low: float, high: float, *, log: bool = False) -> Span:
    """All values from low to high, for the designs "random", "latin" and "sobol"; log: their logarithms are
    evenly distributed."""
    ends = to_number("span: low", low), to_number("span: high", high)
    if not all(map(math.isfinite, ends)):
        raise refuse(f"span: the ends are {ends[0]} and {ends[1]}, must be finite")
    if log and min(ends) <= 0:
        raise refuse(f"span: the ends are {ends[0]} and {ends[1]}, must be positive with log")
    return Span(*ends, bool(log))


def _random(count: int, dims: int, seed: int) -> Array:
    return np.random.Generator(np.random.PCG64(seed)).random((count, dims))


def _quasi_random(name: str) -> Any:
    def sample(count: int, dims: int, seed: int) -> Array:
        try:
            from scipy.stats import qmc
        except ImportError:
            raise refuse(f"sweep: the design {name} needs SciPy, which is not installed") from None
        kind = getattr(qmc, name)
        try:
            return kind(dims, rng=seed).random(count)
        except TypeError:  # before SciPy 1.15
            return kind(dims, seed=seed).random(count)

    return sample


_SAMPLERS = {
    "random": _random,
    "latin": _quasi_random("LatinHypercube"),
    "sobol": _quasi_random("Sobol"),
}


def _values(name: str, axis: Any) -> Array:
    """The values of an axis that lists them, along the first index."""
    if isinstance(axis, (str, bytes, Mapping)) or not hasattr(axis, "__iter__"):
        raise refuse(f"sweep: {name} is {axis!r}, must be a list of values, carom.grid or carom.span")
    try:
        values = np.asarray(axis if hasattr(axis, "__array__") else list(axis))
    except ValueError as problem:
        raise refuse(f"sweep: {name} is no list of values of one shape: {problem}") from None
    if values.ndim == 0 or values.shape[0] == 0 or values.dtype.kind not in "biufU":
        raise refuse(f"sweep: {name} must be a list of at least one value, of numbers or words")
    return values


def _pick(name: str, axis: Any, u: Array) -> Array:
    """An axis at samples: of a span the place, of a list the value in whose share it falls."""
    if isinstance(axis, Span):
        return axis.place(u)
    values = _values(name, axis)
    return values[np.minimum((u * len(values)).astype(int), len(values) - 1)]


def make_points(
    axes: Mapping[str, Any], design: str, count: int | None, seed: int
) -> tuple[dict[str, Array], tuple[int, ...]]:
    """(values of every axis [n, ...], shape of the grid; of other designs (n,))."""
    axes = to_mapping("sweep: parameters", axes)
    if not axes:
        raise refuse("sweep: parameters is empty, must name at least one")
    if design == "grid":
        if count is not None:
            raise refuse("sweep: count is for the designs random, latin and sobol")
        return _make_grid(axes)
    if design not in _SAMPLERS:
        raise missing("design", design, ["grid", *_SAMPLERS])
    number = to_whole("sweep: count", count, 1, 10**8)
    u = _SAMPLERS[design](number, len(axes), to_whole("sweep: seed", seed))
    return {name: _pick(name, axis, u[:, i]) for i, (name, axis) in enumerate(axes.items())}, (number,)


def _make_grid(axes: Mapping[str, Any]) -> tuple[dict[str, Array], tuple[int, ...]]:
    """All combinations; the last axis varies fastest."""
    for name, axis in axes.items():
        if isinstance(axis, Span):
            raise refuse(f"sweep: {name} is a span, must be a list of values or carom.grid for a grid")
    values = {name: _values(name, axis) for name, axis in axes.items()}
    shape = tuple(len(array) for array in values.values())
    index = np.indices(shape).reshape(len(shape), -1)
    return {name: array[index[i]] for i, (name, array) in enumerate(values.items())}, shape


def split(parameters: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of parameters of the model, and of arguments of the measure."""
    return [name for name in parameters if "." in name], [name for name in parameters if "." not in name]
