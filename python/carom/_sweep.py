"""Sweeps: a model with many values of its parameters, measured on any executor, resumed from a file."""

from __future__ import annotations

import functools
import json
import os
import pickle
import sys
import time
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping

import numpy as np

from ._design import make_points, split
from ._lib import Array, refuse, to_path, to_whole
from ._model import Model

if TYPE_CHECKING:  # what takes long to import waits for the first sweep
    from concurrent.futures import Executor, Future

AT_ONCE = 256  # points that wait in the executor
FORMAT = 1  # of the file


class Table(dict[str, Array]):
    """Results of a sweep: parameters first, then what was measured, each [n, ...] in the order of the points.

    `shape` is that of the grid, the last parameter varying fastest: `table["time"].reshape(table.shape)`; of
    other designs (n,)."""

    def __init__(self, columns: Mapping[str, Array], parameters: list[str], shape: tuple[int, ...]):
        super().__init__(columns)
        self.parameters, self.shape = parameters, shape

    def flat(self) -> dict[str, Array]:
        """Columns of one number or word each: those of arrays are called `q[0]`, `q[1]`, `M[0, 1]`."""
        found: dict[str, Array] = {}
        for name, array in self.items():
            for index in np.ndindex(array.shape[1:]):
                label = f"{name}[{', '.join(map(str, index))}]" if index else name
                found[label] = array[(slice(None), *index)]
        return found

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes a table with a header row; numbers to the last bit."""
        with open(os.fsdecode(to_path("to_csv: path", path)), "w", newline="", encoding="utf-8") as file:
            self._write(file)

    def _write(self, file: Any) -> None:
        import csv

        columns = self.flat()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(array.tolist() for array in columns.values())))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with the columns of `flat`."""
        import pandas

        return pandas.DataFrame(self.flat())

    def to_xarray(self) -> Any:
        """An xarray.Dataset: of a grid with a dimension for each parameter, else along `point`."""
        import xarray

        grid = len(self.shape) == len(self.parameters) and all(
            self[name].ndim == 1 for name in self.parameters
        )
        dims = tuple(self.parameters) if grid else ("point",)
        shape = self.shape if grid else (int(np.prod(self.shape)),)
        coords: dict[str, Any] = {}
        for i, name in enumerate(self.parameters):
            array = self[name].reshape(*shape, *self[name].shape[1:])
            along = np.moveaxis(array, i, 0).reshape(shape[i], -1)[:, 0] if grid else array
            coords[name] = (name, along) if grid else (("point", *_inner(name, array, 1)), along)
        data = {
            name: ((*dims, *_inner(name, array, 1)), array.reshape(*shape, *array.shape[1:]))
            for name, array in self.items()
            if name not in self.parameters
        }
        return xarray.Dataset(data, coords)

    def __repr__(self) -> str:
        columns = ", ".join(f"{name} {array.shape}" for name, array in self.items())
        return f"<carom.Table of {int(np.prod(self.shape))} points: {columns}>"


def _inner(name: str, array: Array, first: int) -> list[str]:
    return [f"{name}_{i}" for i in range(array.ndim - first)]


# ---- One point ------------------------------------------------------------------------------------


def _measure(model: Model, measure: Callable[..., Any], point: Mapping[str, Any]) -> dict[str, Array]:
    """What is measured at a point, as arrays; a measure that gives no dictionary is called "value"."""
    varied, arguments = split(list(point))
    result = measure(
        model.copy({name: point[name] for name in varied}), **{name: point[name] for name in arguments}
    )
    values = result if isinstance(result, Mapping) else {"value": result}
    arrays = {}
    for name, value in values.items():
        array = np.asarray(value)
        if not isinstance(name, str) or array.dtype.kind not in "biufU":
            raise refuse(f"sweep: the measure gives {name!r} of type {type(value).__name__}, must be numbers")
        if name in point:
            raise refuse(f"sweep: the measure gives {name!r}, which is the name of a parameter")
        arrays[name] = array
    return arrays


@functools.lru_cache(maxsize=2)
def _unpack(packed: bytes) -> tuple[Model, Callable[..., Any]]:
    return pickle.loads(packed)


def _measure_packed(packed: bytes, point: Mapping[str, Any]) -> dict[str, Array]:
    """In a worker, which loads the model once."""
    return _measure(*_unpack(packed), point)


def _pack(model: Model, measure: Callable[..., Any]) -> bytes:
    """By pickle; what a program itself defines, which workers on other machines do not run, by cloudpickle."""
    problem: Exception | None = None
    packed = b""
    try:
        packed = pickle.dumps((model, measure))
    except (pickle.PicklingError, AttributeError, TypeError) as found:
        problem = found
    if problem or b"__main__" in packed:
        try:
            import cloudpickle
        except ImportError:
            if problem:
                raise refuse(
                    f"sweep: the measure cannot be sent to workers ({problem}); put it into a module, or install "
                    "cloudpickle"
                ) from None
        else:
            packed = cloudpickle.dumps((model, measure))
    return packed


def _make_task(model: Model, measure: Callable[..., Any], executor: Executor) -> Callable[..., Any]:
    """What an executor is given: of threads the model itself, of others what makes it again."""
    from concurrent.futures import ThreadPoolExecutor

    if isinstance(executor, ThreadPoolExecutor):
        return functools.partial(_measure, model, measure)
    return functools.partial(_measure_packed, _pack(model, measure))


# ---- The file of what is done ---------------------------------------------------------------------


class Journal:
    """What has been measured, a line of JSON for each point; NaN and Infinity as Python writes them. The
    first line says of which sweep. What a killed process left unfinished at the end is cut off."""

    def __init__(self, path: Any, head: dict[str, Any]):
        self.done: dict[int, dict[str, Array]] = {}
        self._file: Any = None
        if path is None:
            return
        name = os.fsdecode(to_path("sweep: file", path))
        self._file = open(name, "a+b")
        try:
            self._read(name, head)
        except BaseException:
            self._file.close()
            raise

    def _read(self, name: str, head: dict[str, Any]) -> None:
        self._file.seek(0)
        text = self._file.read()
        whole = text[: text.rfind(b"\n") + 1]
        lines = whole.splitlines()
        if not lines and text and not (json.dumps(head) + "\n").encode().startswith(text):
            raise refuse(f"sweep: {name} is not a file of a sweep")
        try:
            found = json.loads(lines[0]) if lines else head
            entries = [json.loads(line) for line in lines[1:]]
            self.done = {entry["point"]: _decode(entry["values"]) for entry in entries}
        except (ValueError, KeyError, TypeError):
            raise refuse(f"sweep: {name} is not a file of a sweep") from None
        if found != head:
            differs = [key for key in head if not isinstance(found, dict) or found.get(key) != head[key]]
            raise refuse(f"sweep: {name} is of another sweep, by its {' and '.join(differs)}")
        self._file.truncate(len(whole))
        if not lines:
            self._write(head)

    def _write(self, entry: dict[str, Any]) -> None:
        self._file.write((json.dumps(entry) + "\n").encode())
        self._file.flush()

    def add(self, point: int, values: dict[str, Array]) -> None:
        self.done[point] = values
        if self._file:
            self._write({"point": point, "values": _encode(values)})

    def close(self) -> None:
        if self._file:
            self._file.close()


def _encode(values: Mapping[str, Array]) -> dict[str, Any]:
    return {name: [array.dtype.str, array.tolist()] for name, array in values.items()}


def _decode(values: Mapping[str, Any]) -> dict[str, Array]:
    return {name: np.array(value, dtype) for name, (dtype, value) in values.items()}


def _digest(values: Mapping[str, Any]) -> str:
    import hashlib

    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _describe(model: Model, points: Mapping[str, Array]) -> dict[str, Any]:
    """Of which sweep a file is: the points, and all numbers of the model."""
    numbers = {name: np.asarray(parameter.value).tolist() for name, parameter in model.parameters.items()}
    return {
        "carom_sweep": FORMAT,
        "parameters": list(points),
        "points": _digest(_encode(points)),
        "model": _digest({"sizes": model.sizes, "numbers": numbers}),
    }


# ---- The sweep ------------------------------------------------------------------------------------


class _Progress:
    """A line on a terminal: how much is done, and how long the rest takes."""

    def __init__(self, total: int, done: int, shown: bool | None):
        self._total, self._first, self._begin = total, done, time.monotonic()
        self._shown, self._last = sys.stderr.isatty() if shown is None else shown, -1.0

    def show(self, done: int) -> None:
        now = time.monotonic()
        if not self._shown or (now - self._last < 0.1 and done < self._total):
            return
        self._last = now
        rest = (now - self._begin) / max(done - self._first, 1) * (self._total - done)
        bar = "#" * (30 * done // self._total)
        sys.stderr.write(f"\r[{bar:30}] {done}/{self._total}, {rest:.0f} s left ")
        sys.stderr.flush()

    def close(self) -> None:
        if self._shown:
            sys.stderr.write("\n")


def _has_failed(future: Future[Any]) -> bool:
    return future.cancelled() or future.exception() is not None


def _run(task: Any, executor: Executor, todo: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Future[Any]]]:
    """Yields points as they are done, in any order, with some waiting in the executor."""
    from concurrent.futures import FIRST_COMPLETED, wait

    pending: dict[Future[Any], int] = {}
    try:
        while True:
            while len(pending) < AT_ONCE and (item := next(todo, None)):
                pending[executor.submit(task, item[1])] = item[0]
            if not pending:
                return
            done = wait(pending, return_when=FIRST_COMPLETED).done
            for future in sorted(done, key=_has_failed):  # what is measured is kept before an exception ends it
                yield pending.pop(future), future
    finally:
        for future in pending:
            future.cancel()


def sweep(
    model: Model,
    parameters: Mapping[str, Any],
    measure: Callable[..., Any],
    executor: Executor | None = None,
    *,
    design: str = "grid",
    count: int | None = None,
    seed: int = 0,
    file: Any = None,
    workers: int | None = None,
    progress: bool | None = None,
) -> Table:
    """Measures copies of a model with other numbers.

        table = carom.sweep(model, {"body.box.mass": carom.grid(1, 10, 20), "dt": [0.001, 0.002]}, measure)

    parameters: values by name. Names with a dot are parameters of the model (docs/parameters.md), others are
        arguments of the measure. A list of values, `carom.grid(start, stop, count)`, or, for designs that take
        samples, `carom.span(low, high)`
    measure: `measure(model, **arguments)` gives a number, an array, or a dictionary of such; the same shapes at
        every point
    executor: any concurrent.futures.Executor, such as ProcessPoolExecutor, `get_executor()` of a client of Dask,
        `carom.ray.Executor` and mpi4py.futures.MPIPoolExecutor; None: threads, as many as `workers` or
        processors. Other executors than threads get the model by pickle, once for each worker and sweep
    design: "grid", all combinations; "random", "latin" (hypercube) and "sobol", `count` samples by `seed`, the
        last two from scipy.stats.qmc
    file: where to keep what is done. The same call goes on from there after Ctrl-C, an exception, a lost worker
        or the end of the process; a file of other points or of another model is refused
    progress: a bar on stderr; None: on a terminal

    The table is the same for any executor and number of workers. What a measure raises ends the sweep, after
    what is done has been kept."""
    if not isinstance(model, Model):
        raise refuse(f"sweep: model is of type {type(model).__name__}, must be a carom.Model")
    if not callable(measure):
        raise refuse(f"sweep: measure is {measure!r}, must be a function")
    columns, shape = make_points(parameters, design, count, seed)
    points = [dict(zip(columns, row)) for row in zip(*columns.values())]
    model.copy({name: points[0][name] for name in split(list(columns))[0]})  # names are right before all starts
    journal = Journal(file, _describe(model, columns) if file is not None else {})
    own = None
    if executor is None:
        from concurrent.futures import ThreadPoolExecutor

        executor = own = ThreadPoolExecutor(to_whole("sweep: workers", workers or os.cpu_count() or 1, 1))
    try:
        _measure_all(points, _make_task(model, measure, executor), executor, journal, progress)
    finally:
        journal.close()
        if own:
            own.shutdown(cancel_futures=True)
    return Table({**columns, **_gather([journal.done[i] for i in range(len(points))])}, list(columns), shape)


def _measure_all(
    points: list[Any], task: Any, executor: Executor, journal: Journal, progress: bool | None
) -> None:
    todo = [(i, point) for i, point in enumerate(points) if i not in journal.done]
    bar = _Progress(len(points), len(journal.done), progress)
    results = _run(task, executor, iter(todo))
    try:
        for i, future in results:
            try:
                journal.add(i, future.result())
            except Exception as problem:
                values = ", ".join(f"{name} {value}" for name, value in points[i].items())
                problem.add_note(f"sweep: at point {i}: {values}")
                raise
            bar.show(len(journal.done))
    finally:
        results.close()  # type: ignore[attr-defined]
        bar.close()


def _gather(rows: list[dict[str, Array]]) -> dict[str, Array]:
    """Columns of what was measured at all points."""
    for i, row in enumerate(rows):
        for name in {**rows[0], **row}:
            shapes = [found[name].shape if name in found else None for found in (rows[0], row)]
            if shapes[0] != shapes[1]:
                raise refuse(
                    f"sweep: {name!r} has shape {shapes[0]} at point 0 and {shapes[1]} at point {i}; must be the same"
                )
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
