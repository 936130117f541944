"""What the modules share: errors, words of enumerations, views of the library's memory, definitions."""

from __future__ import annotations

import operator
import threading
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping

import numpy as np

from ._carom import ffi as ffi
from ._carom import lib as lib
from ._errors import ERRORS, Error, InvalidArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:
    Array = np.ndarray  # numpy.typing takes long to import


# ---- Errors ---------------------------------------------------------------------------------------


class NotFoundError(InvalidArgumentError, KeyError):
    """There is no part, word or option of this name; the sentence says which is nearest."""


NotFoundError.__module__ = "carom"


def raise_error(status: int, error: Any) -> None:
    raise ERRORS[status](ffi.string(error.message).decode("utf-8", "replace"))


def refuse(sentence: str) -> InvalidArgumentError:
    return InvalidArgumentError(sentence)


def missing(what: str, name: object, known: Iterable[str]) -> NotFoundError:
    """The error of a name that is not there, with the nearest one that is."""
    import difflib

    known = [word for word in known if word]
    near = difflib.get_close_matches(str(name), known, 1, 0.4)
    listed = ", ".join(repr(word) for word in known[:12]) + (", ..." if len(known) > 12 else "")
    hint = f"the nearest is {near[0]!r}" if near else f"there are {listed}" if known else "there are none"
    return NotFoundError(f"there is no {what} {name!r}; {hint}")


# ---- Values of structs ----------------------------------------------------------------------------


def _text(pointer: Any) -> str:
    return "" if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def _array(field: Any) -> Array:
    """A fixed array of a struct that is a copy: writing into it would change nothing."""
    array = np.array(list(field))
    array.flags.writeable = False
    return array


class _Memory:
    """Memory of the library as NumPy asks for it; keeps its owner alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, address: int, shape: tuple[int, ...], dtype: Any, owner: object, writeable: bool):
        self.owner = owner
        self.__array_interface__ = {
            "data": (address, not writeable),
            "shape": shape,
            "version": 3,
            "typestr": dtype.str,
        }


def _view(
    pointer: Any, shape: tuple[int, ...], owner: object, writeable: bool = False, dtype: Any = None
) -> Any:
    """An array over memory of the library, which `owner` holds; None for null."""
    if pointer == ffi.NULL:
        return None
    if dtype is None:
        dtype = np.dtype({"double": "f8", "int": "i4"}[ffi.typeof(pointer).item.cname])
    if 0 in shape:
        return np.zeros(shape, dtype)
    size = dtype.itemsize
    raw = np.dtype(f"V{size}") if dtype.names else dtype
    array = np.asarray(_Memory(int(ffi.cast("uintptr_t", pointer)), shape, raw, owner, writeable))
    return array.view(dtype) if dtype.names else array


def name_of(kind: Any) -> str:
    """The name of a struct or an enumeration."""
    return kind.cname.removeprefix("enum ").removeprefix("struct ")


class Words:
    """Names of an enumeration as users write them: CAROM_FRICTION_COULOMB is "coulomb"."""

    def __init__(self, kind: str):
        elements = ffi.typeof(kind).elements
        names = list(elements.values())
        prefix = "CAROM_"
        for name in (names[0].rsplit("_", k)[0] + "_" for k in range(names[0].count("_"), 0, -1)):
            if len(names) > 1 and all(other.startswith(name) for other in names):
                prefix = name
        own = kind.removeprefix("carom_") + "_"
        self.kind = own.rstrip("_").replace("_", " ")
        self.word = {
            value: name.removeprefix(prefix).lower().removeprefix(own) for value, name in elements.items()
        }
        self.value = {word: value for value, word in self.word.items()}


_words: dict[str, Words] = {}


def words(kind: str) -> Words:
    if kind not in _words:
        _words[kind] = Words(kind)
    return _words[kind]


def _word(kind: str, value: int) -> str:
    return words(kind).word.get(value, str(value))


def word_value(kind: str, word: object) -> int:
    found = words(kind)
    value = found.value.get(word) if isinstance(word, str) else None
    if value is None:
        raise missing(found.kind, word, found.value)
    return value


class Struct:
    """What a struct of the library holds, as it was when it was asked for."""

    __slots__ = ("_c", "_owner")

    def __init__(self, c: Any, owner: object = None):
        self._c = c
        self._owner = owner

    @classmethod
    def _names(cls) -> list[str]:
        return [
            name
            for kind in reversed(cls.__mro__)
            for name, value in vars(kind).items()
            if isinstance(value, property)
        ]

    def to_dict(self) -> dict[str, Any]:
        """All of it, by name."""
        return {name: getattr(self, name) for name in self._names()}

    def __repr__(self) -> str:
        shown = (
            f"{name}={value!r}"
            for name, value in self.to_dict().items()
            if not isinstance(value, np.ndarray) or value.size <= 16
        )
        return f"{type(self).__name__}({', '.join(shown)})"


class Part(Struct):
    """A part of a model. Of a copy of a model (`Model.copy`) the fields that are parameters can be set."""

    __slots__ = ("_place",)

    def __init__(self, c: Any, owner: object = None, place: Any = None):
        super().__init__(c, owner)
        self._place = place

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif self._place is None:
            raise refuse(f"{type(self).__name__}: {name} cannot be set")
        else:
            self._c, self._owner = self._place.set(self.name, name, value)  # type: ignore[attr-defined]


_PRIMITIVES = {
    "double": "f8",
    "float": "f4",
    "int": "i4",
    "int32_t": "i4",
    "uint32_t": "u4",
    "int64_t": "i8",
    "_Bool": "?",
    "unsigned int": "u4",
}
_dtypes: dict[str, Any] = {}


def dtype_of(struct: str) -> Any:
    """The NumPy type of a struct of numbers, from the compiler's layout."""
    if struct not in _dtypes:
        kind = ffi.typeof(struct)
        names, formats, offsets = [], [], []
        for name, field in kind.fields:
            base, shape = field.type, ()
            while base.kind == "array":
                base, shape = base.item, (*shape, base.length)
            names.append(name)
            formats.append(("u4" if base.kind == "enum" else _PRIMITIVES[base.cname], shape))
            offsets.append(field.offset)
        _dtypes[struct] = np.dtype(
            {"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(kind)}
        )
    return _dtypes[struct]


def copy_structs(struct: str, pointer: Any, count: int) -> Array:
    """`count` structs as a structured array of its own."""
    if count == 0:
        return np.zeros(0, dtype_of(struct))
    return np.frombuffer(ffi.buffer(pointer, count * ffi.sizeof(struct)), dtype_of(struct)).copy()


# ---- What users give ------------------------------------------------------------------------------


def to_array(
    name: str, value: object, shape: tuple[int | None, ...] | None = None, dtype: Any = np.float64
) -> Array:
    """An argument as a contiguous array of a shape, in which None is any length."""
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "fiub" or (dtype != np.float64 and given.dtype.kind == "f"):
            kind = "numbers" if dtype == np.float64 else "whole numbers"
            raise refuse(f"{name} holds {given.dtype}, must hold {kind}")
        array = np.ascontiguousarray(given, dtype)
        if given.ndim == 0:
            array = array.reshape(())
    except (ValueError, TypeError, OverflowError) as problem:
        if isinstance(problem, Error):
            raise
        raise refuse(f"{name} is no array of numbers: {problem}") from None
    if dtype != np.float64 and not np.array_equal(array, given):
        raise refuse(f"{name} holds numbers that do not fit")
    if shape is not None and (
        array.ndim != len(shape)
        or any(want is not None and want != got for want, got in zip(shape, array.shape))
    ):
        sizes = ["n" if want is None else str(want) for want in shape]
        wanted = f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"
        raise refuse(f"{name} has shape {array.shape}, must have {wanted}")
    return array


def pointer_to(array: Array | None, kind: str = "double") -> Any:
    """The memory of an array, alive as long as the result; null for None."""
    if array is None:
        return ffi.NULL
    return ffi.from_buffer(f"{kind}[]", array)


def to_whole(name: str, value: object, least: int = 0, most: int = 2**31 - 1) -> int:
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise refuse(f"{name} is {value!r}, must be a whole number") from None
    if not least <= number <= most:
        raise refuse(f"{name} is {number}, must be {least} to {most}")
    return number


def to_number(name: str, value: object) -> float:
    if isinstance(value, (str, bytes)):
        raise refuse(f"{name} is {value!r}, must be a number")
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise refuse(f"{name} is {value!r}, must be a number") from None


def to_flag(name: str, value: object) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise refuse(f"{name} is {value!r}, must be True or False")
    return bool(value)


def to_mapping(name: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise refuse(f"{name} is {value!r}, must be a dictionary from names to values")
    return value


def to_path(name: str, value: object) -> bytes:
    import os

    try:
        path = os.fsencode(value)  # type: ignore[arg-type]
    except (TypeError, UnicodeEncodeError):
        raise refuse(f"{name} is {value!r}, must be a path") from None
    if b"\0" in path:
        raise refuse(f"{name} holds a null character")
    return path


def encode(text: str) -> bytes:
    """Any text, surrogates too: what is no UTF-8 then is no name in the library either."""
    return text.encode("utf-8", "surrogatepass")


def to_text(name: str, value: object) -> bytes:
    if not isinstance(value, str):
        raise refuse(f"{name} is {value!r}, must be text")
    if "\0" in value:
        raise refuse(f"{name} holds a null character")
    return encode(value)


Resolver = Callable[[str, str, object], int]


class Filler:
    """Fills definitions from keyword arguments, field by field as the compiler knows them."""

    def __init__(
        self,
        what: str,
        resolve: Resolver | None = None,
        shapes: Mapping[str, Any] | None = None,
        shown: Mapping[str, str] | None = None,
    ):
        self.what = what
        self.shown = shown or {}  # what sentences call fields
        self.resolve = resolve
        self.shapes = shapes or {}
        self.keep: list[Any] = []  # what the definition points to

    def fill(
        self,
        c: Any,
        struct: str,
        values: Mapping[str, Any],
        hidden: tuple[str, ...] = ("cookie", "source", "allocator"),
    ) -> None:
        fields = {name: field.type for name, field in ffi.typeof(struct).fields if name not in hidden}
        for name, value in values.items():
            if name not in fields:
                raise missing(f"argument of {self.what}", name, fields)
            if value is not None:
                self._set(c, struct, name, fields[name], value)

    def _set(self, c: Any, struct: str, name: str, kind: Any, value: Any) -> None:
        where = f"{self.what}: {self.shown.get(name, name)}"
        if kind.kind == "pointer":
            setattr(c, name, self._pointer(c, struct, name, kind.item, value))
        elif kind.kind == "array" and kind.item.kind in ("primitive", "enum"):
            self._set_array(getattr(c, name), where, kind, value)
        elif kind.kind == "struct":
            self._set_struct(getattr(c, name), where, name_of(kind), value)
        else:
            setattr(c, name, self._scalar(where, kind, value))

    def _scalar(self, where: str, kind: Any, value: Any) -> Any:
        if kind.kind == "enum":
            return word_value(name_of(kind), value)
        if kind.cname == "_Bool":
            return to_flag(where, value)
        if kind.cname in ("double", "float"):
            return to_number(where, value)
        if kind.kind != "primitive":
            raise refuse(f"{where} cannot be given from Python")
        least, most = (0, 2**32 - 1) if kind.cname in ("uint32_t", "unsigned int") else (-(2**31), 2**31 - 1)
        return to_whole(where, value, least, most)

    def _set_array(self, field: Any, where: str, kind: Any, value: Any) -> None:
        if kind.item.kind == "enum":
            value = [word_value(name_of(kind.item), word) for word in value]
        whole = kind.item.cname not in ("double", "float")
        if whole and isinstance(value, (list, tuple)):  # handles are whole numbers, too
            value = [to_whole(f"{where}[{i}]", number, -(2**31), 2**32 - 1) for i, number in enumerate(value)]
        array = to_array(where, value, (kind.length,), np.int64 if whole else np.float64)
        is_word = kind.item.kind == "enum" or not whole
        for i, number in enumerate(array.tolist()):
            field[i] = number if is_word else self._scalar(f"{where}[{i}]", kind.item, number)

    def _set_struct(self, field: Any, where: str, kind: str, value: Any) -> None:
        if [name for name, _ in ffi.typeof(kind).fields] == ["id"]:
            if self.resolve is None:
                raise refuse(f"{where} cannot be given here")
            field.id = self.resolve(where, kind.removeprefix("carom_"), value)
        elif isinstance(value, Mapping):
            self.fill(field, kind, value)
        else:
            raise refuse(f"{where} is {value!r}, must be a dictionary of its fields")

    def _pointer(self, c: Any, struct: str, name: str, item: Any, value: Any) -> Any:
        where = f"{self.what}: {name}"
        if item.cname == "char":
            kept = ffi.new("char[]", to_text(where, value))
        elif item.cname in ("double", "int"):
            kept = self._numbers(c, struct, name, item.cname, value)
        elif item.kind == "struct":
            kept = self._structs(c, struct, name, name_of(item), value)
        else:
            raise refuse(f"{where} cannot be given from Python")
        self.keep.append(kept)
        return kept

    def _count(self, c: Any, struct: str, name: str, count: int, rest: tuple[int, ...]) -> None:
        """Fills the field that counts the elements of an array."""
        shape = self.shapes.get(struct, {}).get(name)
        if shape and not shape[0].isdigit() and hasattr(c, shape[0]):
            setattr(c, shape[0], count)

    def _numbers(self, c: Any, struct: str, name: str, kind: str, value: Any) -> Any:
        where = f"{self.what}: {name}"
        array = to_array(where, value, None, np.float64 if kind == "double" else np.int32)
        shape = self.shapes.get(struct, {}).get(name)
        if shape:
            width = [int(size) if size.isdigit() else int(getattr(c, size)) for size in shape[1:]]
            array = to_array(where, array, (None, *width), array.dtype)
            self._count(c, struct, name, array.shape[0], array.shape[1:])
        elif name == "heights":
            array = to_array(where, array, (None, None))
            c.num_rows, c.num_columns = array.shape
        else:
            raise refuse(f"{where} cannot be given from Python")
        return ffi.new(f"{kind}[]", array.ravel().tolist() or 1)

    def _structs(self, c: Any, struct: str, name: str, kind: str, value: Any) -> Any:
        where = f"{self.what}: {name}"
        if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
            raise refuse(f"{where} is {value!r}, must be a list of dictionaries")
        items = list(value)
        made = ffi.new(f"{kind}[]", len(items) or 1)
        for i, fields in enumerate(items):
            if not isinstance(fields, Mapping):
                raise refuse(f"{where}[{i}] is {fields!r}, must be a dictionary of its fields")
            self.fill(made[i], kind, fields)
        self._count(c, struct, name, len(items), ())
        return made


# ---- Owners ---------------------------------------------------------------------------------------


class Resource:
    """Owns an object of the library that serves one thread at a time. Closed, it refuses every call; its
    memory goes when the last array over it goes."""

    _what = "object"

    def __init__(self, pointer: Any):
        self._ptr = pointer
        self._lock = threading.Lock()
        self._error = ffi.new("carom_error*")

    def close(self) -> None:
        """Ends it; arrays over its memory stay readable."""
        self._acquire()
        self._ptr = None
        self._lock.release()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _acquire(self) -> Any:
        """The object, held for this thread until the lock is released."""
        if not self._lock.acquire(False):
            raise refuse(f"{self._what}: another thread uses it, which one at a time may")
        if self._ptr is None:
            self._lock.release()
            raise refuse(f"{self._what}: it is closed")
        return self._ptr

    @property
    def _open(self) -> Any:
        """The object, for what neither changes it nor takes long."""
        if self._ptr is None:
            raise refuse(f"{self._what}: it is closed")
        return self._ptr

    def _call(self, function: Any, *arguments: Any) -> None:
        """Calls what may fail: function(object, *arguments, error)."""
        pointer = self._acquire()
        try:
            status = function(pointer, *arguments, self._error)
            if status:
                raise_error(status, self._error)
        finally:
            self._lock.release()

    def _ask(self, function: Any, *arguments: Any) -> Any:
        """Calls what cannot fail: function(object, *arguments)."""
        pointer = self._acquire()
        try:
            return function(pointer, *arguments)
        finally:
            self._lock.release()


def owned(pointer: Any, destroy: Any, *keep: Any) -> Any:
    """A pointer that is destroyed when nothing refers to it any more, before what it needs is."""
    return ffi.gc(pointer, lambda p, keep=keep: destroy(p))


def check(status: int, error: Any) -> None:
    if status:
        raise_error(status, error)
