"""carom sweep SCENE --vary body.box.mass=1:10:20: runs of a scene with other numbers, as a table."""

from __future__ import annotations

import argparse
import functools
import os
import sys
from typing import Any, NoReturn

from ._design import grid, span
from ._errors import Error
from ._lib import refuse, to_number, to_whole
from ._model import Model, load
from ._sim import Sim
from ._sweep import sweep

_OPTIONS = ("dt", "scheme", "friction", "solver", "tolerance", "keyframe")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(1, f"carom sweep: {message}; see 'carom help sweep'\n")


def _parser() -> _Parser:
    parser = _Parser(prog="carom sweep", description=__doc__, allow_abbrev=False)
    add = parser.add_argument
    add("scene", metavar="SCENE", help="MJCF, URDF or SDF")
    add("--vary", action="append", default=[], metavar="NAME=VALUES", help="1:10:20 (20 values from 1 to 10), "
        "1,2,5 (these), or 1:10 (samples of a range); NAME is a parameter such as body.box.mass, or an option "
        f"of runs: {', '.join(_OPTIONS)}, duration")  # fmt: skip
    add("--design", default="grid", metavar="WORD", help="grid, random, latin or sobol; the last two need SciPy")
    add("--count", type=int, metavar="N", help="samples, of other designs than the grid")
    add("--seed", type=int, default=0, metavar="N", help="of samples; 0")
    add("--duration", type=float, default=10.0, metavar="S", help="of every run; 10")
    add("--threads", type=int, metavar="N", help="runs at a time; as many as processors")
    add("-o", dest="out", metavar="FILE.csv", help="the table; without it, standard output. What is done is kept "
        "in FILE.csv.part, from which the same command goes on")  # fmt: skip
    add("--permissive", action="store_true", help="note what would change the physics instead of refusing it")
    add("--quiet", action="store_true", help="no progress bar")
    for name in _OPTIONS:
        kind = float if name in ("dt", "tolerance") else str
        add(f"--{name}", type=kind, metavar="X", help="as of 'carom run'")
    return parser


def read_axis(text: str) -> tuple[str, Any]:
    """NAME=START:STOP:COUNT, NAME=LOW:HIGH or NAME=VALUE,VALUE,..."""
    name, found, values = text.partition("=")
    if not found or not values:
        raise refuse(f"--vary {text}: must be NAME=START:STOP:COUNT, NAME=LOW:HIGH or NAME=VALUE,VALUE,...")
    bounds = values.split(":")
    if len(bounds) == 1:
        words = values.split(",")
        return name, words if name in ("scheme", "friction", "solver", "keyframe") else [
            _number(text, word) for word in words
        ]  # fmt: skip
    ends = [_number(text, word) for word in bounds[:2]]
    if len(bounds) == 2:
        return name, span(*ends)
    if len(bounds) > 3 or not bounds[2].isdigit():
        raise refuse(f"--vary {text}: the count is {':'.join(bounds[2:])!r}, must be a whole number")
    return name, grid(ends[0], ends[1], to_whole(f"--vary {text}: count", int(bounds[2]), 1))


def _number(text: str, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise refuse(f"--vary {text}: {word!r} is no number") from None


def measure_run(model: Model, *, duration: float, keyframe: str | None = None, **options: Any) -> dict[str, Any]:
    """One run and its end: time, steps, how it went, energies, contacts, q and v."""
    sim = Sim(model, **options)
    if keyframe is not None:
        sim.set_keyframe(keyframe)
    dt = options.get("dt") or model.timestep
    report = sim.step(to_whole("duration / dt", round(to_number("duration", duration) / dt), 1))
    energy = sim.energy()
    return {
        "time": sim.time,
        "steps": report.steps,
        "failed_steps": report.failed_steps,
        "outcome": report.outcome,
        "worst_residual": report.worst_residual,
        "contacts": report.contacts,
        "kinetic": energy.kinetic,
        "potential": energy.potential,
        "q": sim.q.copy(),
        "v": sim.v.copy(),
    }


def _sweep(options: argparse.Namespace) -> None:
    given = {name: getattr(options, name) for name in _OPTIONS if getattr(options, name) is not None}
    axes = dict(read_axis(text) for text in options.vary)
    fixed = {name: value for name, value in {"duration": options.duration, **given}.items() if name not in axes}
    part = options.out and f"{options.out}.part"
    table = sweep(
        load(options.scene, permissive=options.permissive),
        axes,
        functools.partial(measure_run, **fixed),
        design=options.design,
        count=options.count,
        seed=options.seed,
        workers=options.threads,
        file=part,
        progress=False if options.quiet else None,
    )
    if not part:
        table._write(sys.stdout)
    else:
        table.to_csv(options.out)
        os.remove(part)


def main(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    try:
        _sweep(options)
    except KeyboardInterrupt:
        return 130
    except (Error, OSError) as problem:
        notes = "".join(f" ({note})" for note in getattr(problem, "__notes__", []))
        print(f"carom: {problem}{notes}", file=sys.stderr)
        return 2
    return 0
