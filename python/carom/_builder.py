"""Models built in code."""

from __future__ import annotations

import os
from typing import Any, Callable

from ._lib import Filler, Resource, check, ffi, lib, missing, owned, refuse, to_path, to_text, word_value
from ._model import Model, make_load_def
from ._structs import DOCS, SHAPES

# Kinds of parts, and whether adding one gives a handle.
_KINDS = {
    "body": True,
    "joint": True,
    "geom": True,
    "site": True,
    "mesh": True,
    "height_field": True,
    "tendon": True,
    "actuator": True,
    "equality": True,
    "soft": True,
    "sensor": True,
    "pair": False,
    "spring": False,
    "attachment": False,
    "keyframe": False,
}


class Handle:
    """A part of a builder. Where a name is asked for, a handle will do, and the other way round."""

    __slots__ = ("kind", "id", "name", "_builder")

    def __init__(self, kind: str, number: int, name: str | None, builder: object):
        self.kind, self.id, self.name, self._builder = kind, number, name, builder

    def __index__(self) -> int:
        return self.id

    def __repr__(self) -> str:
        return f"<carom.Handle {self.kind} {self.name or self.id!r}>"


def _adder(kind: str) -> Callable[..., Any]:
    def add(self: Builder, **options: Any) -> Handle | None:
        return self._add(kind, options)

    add.__name__ = f"add_{kind}"
    add.__qualname__ = f"Builder.add_{kind}"
    add.__doc__ = DOCS[f"carom_{kind}_def"]
    return add


class Builder(Resource):
    """A mutable description of a mechanism, checked as it grows, compiled into a model.

        builder = carom.Builder(name="pendulum")
        arm = builder.add_body(name="arm", mass=1, com=[0, 0, -0.5], inertia=[.1, .1, .01, 0, 0, 0])
        builder.add_joint(body=arm, type="hinge", axis=[0, 1, 0])
        model = builder.compile()

    Every add_ method takes the fields of the C definition by name; what is left out has its default. Arrays
    bring their own length. Parts are named by handle or by name."""

    _what = "builder"

    def __init__(self, **options: Any):
        filler = Filler("Builder")
        definition = ffi.new("carom_builder_def*", lib.carom_builder_def_default())
        filler.fill(definition, "carom_builder_def", options)
        made, error = ffi.new("carom_builder**"), ffi.new("carom_error*")
        check(lib.carom_builder_create(definition, made, error), error)
        self._begin(made[0])

    def _begin(self, pointer: Any) -> None:
        super().__init__(owned(pointer, lib.carom_builder_destroy))
        self._names: dict[str, dict[str, Handle]] = {}
        self._world = Handle("body", 0, "world", self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], **options: Any) -> Builder:
        """The description of a scene file, to be added to. Options as of `carom.load`."""
        filler = Filler("Builder.load")
        definition = make_load_def(filler, options)
        made, error = ffi.new("carom_builder**"), ffi.new("carom_error*")
        check(lib.carom_builder_load(to_path("Builder.load: path", path), definition, made, error), error)
        builder = cls.__new__(cls)
        builder._begin(made[0])
        return builder

    @property
    def world(self) -> Handle:
        """The world, the parent of what hangs on nothing."""
        return self._world

    def find(self, kind: str, name: str) -> Handle:
        """The handle of a named part that was added here; kind: "body", "joint", "geom" and so on."""
        if kind not in _KINDS:
            raise missing("kind", kind, _KINDS)
        names = self._names.get(kind, {})
        if name not in names:
            raise missing(kind.replace("_", " "), name, names)
        return names[name]

    def _resolve(self, where: str, kind: str, value: object) -> int:
        if isinstance(value, Handle):
            if value.kind != kind:
                raise refuse(f"{where} is a {value.kind}, must be a {kind.replace('_', ' ')}")
            if value._builder is not self:
                raise refuse(f"{where} belongs to another builder")
            return value.id
        if not isinstance(value, str):
            raise refuse(f"{where} is {value!r}, must be a handle or a name")
        if kind == "body" and value == "world" and "world" not in self._names.get(kind, {}):
            return 0
        return self.find(kind, value).id

    def _add(self, kind: str, options: dict[str, Any]) -> Handle | None:
        struct = f"carom_{kind}_def"
        filler = Filler(f"add_{kind}", self._resolve, SHAPES)
        definition = ffi.new(f"{struct}*", getattr(lib, f"{struct}_default")())
        if kind == "soft" and "substance" in options:
            error = ffi.new("carom_error*")
            word = ffi.new("char[]", to_text("add_soft: substance", options.pop("substance")))
            check(lib.carom_soft_def_set_substance(definition, word, error), error)
        first = {name: value for name, value in options.items() if name == "nodes_per_element"}
        filler.fill(definition, struct, {**first, **options})
        add = getattr(lib, f"carom_builder_add_{kind}")
        if not _KINDS[kind]:
            self._call(add, definition)
            return None
        handle = ffi.new(f"carom_{kind}*")
        self._call(add, definition, handle)
        made = Handle(kind, handle.id, options.get("name"), self)
        if made.name:
            self._names.setdefault(kind, {})[made.name] = made
        return made

    add_body = _adder("body")
    add_joint = _adder("joint")
    add_geom = _adder("geom")
    add_site = _adder("site")
    add_mesh = _adder("mesh")
    add_height_field = _adder("height_field")
    add_tendon = _adder("tendon")
    add_actuator = _adder("actuator")
    add_equality = _adder("equality")
    add_soft = _adder("soft")
    add_sensor = _adder("sensor")
    add_pair = _adder("pair")
    add_spring = _adder("spring")
    add_attachment = _adder("attachment")
    add_keyframe = _adder("keyframe")

    def add_exclude(self, body1: Handle | str, body2: Handle | str) -> None:
        """Keeps the geometries of two bodies from colliding."""
        bodies = [
            ffi.new("carom_body*", [self._resolve(f"add_exclude: {name}", "body", body)])
            for name, body in (("body1", body1), ("body2", body2))
        ]
        self._call(lib.carom_builder_add_exclude, bodies[0][0], bodies[1][0])

    def add_note(self, kind: str, note: str) -> None:
        """Keeps a sentence with the model; kind: "ignored", "mapped" or "unused"."""
        self._call(
            lib.carom_builder_add_note, word_value("carom_note_kind", kind), to_text("add_note: note", note)
        )

    def compile(self) -> Model:
        """Freezes the description into a model; the builder can go on growing."""
        made = ffi.new("carom_model**")
        self._call(lib.carom_builder_compile, made)
        return Model(owned(made[0], lib.carom_model_destroy))

    def write(self, path: str | os.PathLike[str], format: str = "auto") -> list[str]:
        """Writes it as a scene file: "mjcf", "urdf" or, by the ending, "auto". Returns what the format cannot
        hold, a sentence each."""
        remarks: list[str] = []
        definition = ffi.new("carom_write_def*", lib.carom_write_def_default())
        definition.format = word_value("carom_write_format", format)

        @ffi.callback("void(void*, char const*)")
        def remark(_: Any, sentence: Any) -> None:
            remarks.append(ffi.string(sentence).decode("utf-8", "replace"))

        definition.remark = remark
        self._call(lib.carom_builder_write, to_path("write: path", path), definition)
        return remarks

    def __repr__(self) -> str:
        return f"<carom.Builder of {sum(map(len, self._names.values()))} named parts>"
