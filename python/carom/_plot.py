"""Plots of recordings by matplotlib: each quantity over time, an axis for each unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator

from ._lib import Array, missing, refuse

if TYPE_CHECKING:
    from ._recording import Recording

Curve = tuple[str, str, Array]  # label, unit, values [n]

# Coordinates and velocities of a joint by its type: what labels end with, and the unit.
_PLACE = [(f" {axis}", "m") for axis in "xyz"]
_TURN = [(f" q{part}", "1") for part in "wxyz"]
_Q = {"hinge": [("", "rad")], "slide": [("", "m")], "ball": _TURN, "free": [*_PLACE, *_TURN]}
_SPEED = [(f" v{axis}", "m/s") for axis in "xyz"]
_RATE = [(f" ω{axis}", "rad/s") for axis in "xyz"]
_V = {"hinge": [("", "rad/s")], "slide": [("", "m/s")], "ball": _RATE, "free": [*_SPEED, *_RATE]}


def _joints(recording: Recording, array: Array, parts: dict[str, Any], address: str) -> Iterator[Curve]:
    for i, joint in enumerate(recording.joints):
        first = getattr(joint, address)
        for k, (label, unit) in enumerate(parts[joint.type]):
            yield f"{joint.name or f'joint {i}'}{label}", unit, array[:, first + k]


def _q(recording: Recording) -> Iterator[Curve]:
    return _joints(recording, recording.q, _Q, "q_address")


def _v(recording: Recording) -> Iterator[Curve]:
    return _joints(recording, recording.v, _V, "v_address")


def _ctrl(recording: Recording) -> Iterator[Curve]:
    for i, actuator in enumerate(recording.actuators):
        for k in range(actuator.num_controls):
            number = f"[{k}]" if actuator.num_controls > 1 else ""
            yield f"{actuator.name or f'actuator {i}'}{number}", "", recording.ctrl[:, actuator.control + k]


def _energy(recording: Recording) -> Iterator[Curve]:
    for i, label in enumerate(("kinetic", "potential", "elastic", "dissipated")):
        yield label, "J", recording.energy[:, i]


def _sensors(recording: Recording) -> Iterator[Curve]:
    for i, sensor in enumerate(recording.sensor_parts):
        for k in range(sensor.dim):
            number = f"[{k}]" if sensor.dim > 1 else ""
            yield f"{sensor.name or f'sensor {i}'}{number}", sensor.unit, recording.sensors[:, sensor.address + k]


_CURVES: dict[str, Callable[[Recording], Iterator[Curve]]] = {
    "q": _q,
    "v": _v,
    "ctrl": _ctrl,
    "energy": _energy,
    "sensors": _sensors,
}
_MOST_NAMED = 12  # curves of an axis that a legend names


def plot(recording: Recording, names: tuple[str, ...]) -> Any:
    """The figure; see Recording.plot."""
    for name in names:
        if name not in _CURVES:
            raise missing("quantity", name, _CURVES)
    panels: dict[tuple[str, str], list[Curve]] = {}
    for name in names:
        for curve in _CURVES[name](recording):
            panels.setdefault((name, curve[1]), []).append(curve)
    if not panels:
        raise refuse(f"plot: the recording holds nothing of {', '.join(names) or 'no quantity'}")
    import matplotlib.pyplot as pyplot

    figure, axes = pyplot.subplots(len(panels), sharex=True, squeeze=False, layout="constrained",
                                   figsize=(7, 1.5 + 1.8 * len(panels)))  # fmt: skip
    time = recording.time
    for ((name, unit), curves), axis in zip(panels.items(), axes[:, 0]):
        for label, _, values in curves:
            axis.plot(time, values, label=label)
        axis.set_ylabel(f"{name} ({unit})" if unit else name)
        if len(curves) <= _MOST_NAMED:
            axis.legend(loc="upper right", fontsize="small")
    axes[-1, 0].set_xlabel("time (s)")
    return figure
