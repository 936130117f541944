"""Parameters of models: the numbers of what a model was compiled from, by name (docs/parameters.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Mapping

import numpy as np

from ._lib import Array, NotFoundError, _text, check, ffi, lib, owned, pointer_to, refuse, to_array, to_text

if TYPE_CHECKING:
    from ._batch import Batch
    from ._model import Model

_UNNAMED = ("pair",)
_BY_NUMBER = ("pair", "spring", "attachment")  # the others have handles, which count from 1


@dataclass(frozen=True)
class Parameter:
    """One parameter of a model, as it is."""

    name: str  #: "body.box.mass"
    unit: str  #: "kg"; "1" where it has none
    shape: tuple[int, ...]  #: () or (count,)
    value: Any  #: a number, or an array of the shape; NaN: unset, as carom/builder.h has it


def find(description: Any, name: object) -> Any:
    """The carom_parameter of a name. Raises NotFoundError with the nearest name that is right."""
    parameter, error = ffi.new("carom_parameter*"), ffi.new("carom_error*")
    if lib.carom_builder_find_parameter(description, to_text("parameter", name), parameter, error):
        raise NotFoundError(_text(error.message))
    return parameter


def read(description: Any, name: str) -> Parameter:
    """A parameter of a description by its name."""
    found, error = find(description, name), ffi.new("carom_error*")
    values = np.zeros(found.count)
    check(lib.carom_builder_get_parameter(description, found, pointer_to(values), error), error)
    if found.count == 1:
        return Parameter(name, _text(found.unit), (), float(values[0]))
    values.flags.writeable = False
    return Parameter(name, _text(found.unit), values.shape, values)


def _set(builder: Any, name: str, value: object) -> None:
    found, error = find(builder, name), ffi.new("carom_error*")
    values = to_array(f"parameter {name!r}", value, () if found.count == 1 else (found.count,))
    check(lib.carom_builder_set_parameter(builder, found, pointer_to(values.reshape(-1)), error), error)


def compile_with(description: Any, values: Mapping[str, Any]) -> Any:
    """A compiled model of a description with other values, in the order in which they are given."""
    copied, made, error = ffi.new("carom_builder**"), ffi.new("carom_model**"), ffi.new("carom_error*")
    check(lib.carom_builder_copy(description, copied, error), error)
    builder = owned(copied[0], lib.carom_builder_destroy)
    for name, value in values.items():
        _set(builder, name, value)
    check(lib.carom_builder_compile(builder, made, error), error)
    return owned(made[0], lib.carom_model_destroy)


def _fields() -> dict[str, list[str]]:
    """Names of the fields of every kind."""
    found: dict[str, list[str]] = {}
    for row in range(lib.carom_parameter_count_fields()):
        field = lib.carom_parameter_get_field(row)
        found.setdefault(_text(field.kind), []).append(_text(field.name))
    return found


def _part_names(description: Any, kind: str) -> Iterator[str]:
    """What names of parameters call the parts of a kind: the first of a name by it, others by number."""
    definition, error = ffi.new(f"carom_{kind}_def*"), ffi.new("carom_error*")
    get, seen = getattr(lib, f"carom_builder_get_{kind}"), set()
    number = 1 if kind == "body" else 0
    while True:
        first = 0 if kind == "body" or kind in _BY_NUMBER else 1
        part = number if kind in _BY_NUMBER else {"id": number + first}
        if get(description, ffi.new(f"carom_{kind}*", part)[0] if isinstance(part, dict) else part,
               definition, error):  # fmt: skip
            return
        name = "" if kind in _UNNAMED else _text(definition.name)
        yield name if name and name not in seen else str(number)
        seen.add(name)
        number += 1


class Parameters(Mapping[str, Parameter]):
    """All parameters of a model by name, such as "body.box.mass" and "geom.foot.size[2]"; units, shapes and
    values are read when asked for. Of a copy of a model they can be set: `parameters["body.box.mass"] = 2`, or
    several, checked and compiled together, by `update`."""

    def __init__(self, model: Model):
        self._model = model

    @property
    def _description(self) -> Any:
        return lib.carom_model_get_description(self._model._ptr)

    def __getitem__(self, name: str) -> Parameter:
        return read(self._description, name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._model._change({name: value})

    def update(self, values: Mapping[str, Any]) -> None:
        """Sets several, in their order, and compiles once; on failure none is set."""
        self._model._change(values)

    def __iter__(self) -> Iterator[str]:
        for kind, fields in _fields().items():
            parts = [""] if kind == "model" else (f"{part}." for part in _part_names(self._description, kind))
            yield from (f"{kind}.{part}{field}" for part in parts for field in fields)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<parameters of {self._model!r}>"


class WorldParameters(Mapping[str, Array]):
    """Parameters of the worlds of a batch by name: `batch.parameters["body.box.mass"]` is [n, ...], a copy. Setting
    one, or several together by `update`, is `Batch.set_parameters` for all worlds."""

    def __init__(self, batch: Batch):
        self._batch = batch

    def __getitem__(self, name: str) -> Array:
        values: dict[int, Any] = {}
        models = [self._batch.get_model(world) for world in range(self._batch.n)]
        for model in models:
            if id(model) not in values:
                values[id(model)] = model.parameters[name].value
        return np.array([values[id(model)] for model in models])

    def __setitem__(self, name: str, value: Any) -> None:
        self._batch.set_parameters({name: value})

    def update(self, values: Mapping[str, Any]) -> None:
        """Sets several in every world; on failure none is set."""
        self._batch.set_parameters(values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._batch.model.parameters)

    def __len__(self) -> int:
        return len(self._batch.model.parameters)

    def __repr__(self) -> str:
        return f"<parameters of {self._batch!r}>"


def rows_of(model: Model, values: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    """Values by name for each of `count` worlds, of values for all of them or one for each."""
    rows: list[dict[str, Any]] = [{} for _ in range(count)]
    for name, value in values.items():
        shape = model.parameters[name].shape
        array = to_array(f"parameter {name!r}", value)
        if array.shape not in (shape, (count, *shape)):
            wanted = f"{shape} or {(count, *shape)}"
            raise refuse(f"parameter {name!r} has shape {array.shape}, must have {wanted}")
        for row, one in zip(rows, np.broadcast_to(array, (count, *shape))):
            row[name] = one
    return rows


class PartPlace:
    """Where a part's numbers stand in a model, so that setting one finds its parameter."""

    __slots__ = ("model", "kind", "index", "get")

    def __init__(self, model: Model, kind: str, index: int, get: Any):
        self.model, self.kind, self.index, self.get = model, kind, index, get

    def set(self, name: str, field: str, value: Any) -> tuple[Any, Any]:
        """Sets a field; returns the part as it is then, and what holds its memory."""
        if not name:
            name = str(self._number())
        self.model._change({f"{self.kind}.{name}.{field}": value})
        return self.get(self.model._ptr, self.index), self.model._ptr

    def _number(self) -> int:
        handle: Any = getattr(lib, f"carom_model_get_{self.kind}_handle", None)
        return self.index if handle is None else handle(self.model._ptr, self.index).id - (self.kind != "body")


def refuse_change() -> Exception:
    return refuse("a model that others may use does not change: set what you vary on a copy, model.copy()")
