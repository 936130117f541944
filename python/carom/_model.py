"""Models: loaded from scene files or built, immutable, shared by any number of simulations and threads."""

from __future__ import annotations

import functools
import os
from typing import Any, Callable, Generic, Iterator, Mapping, TypeVar

import numpy as np

from . import _structs
from ._lib import (
    Array,
    Filler,
    Part,
    _text,
    _view,
    _word,
    check,
    encode,
    ffi,
    lib,
    missing,
    owned,
    pointer_to,
    refuse,
    to_array,
    to_mapping,
    to_path,
    to_text,
    to_whole,
    word_value,
)
from ._parameter import Parameters, PartPlace, compile_with, refuse_change
from ._tangent import Tangents

T = TypeVar("T", bound=Part)


class Parts(Generic[T]):
    """Parts of one kind, in the order of the model: by name or index; iterating gives the parts."""

    def __init__(
        self, kind: str, count: int, get: Callable[[int], T], find: Callable[[bytes], int] | None = None
    ):
        self._kind, self._count, self._get, self._find = kind, count, get, find

    def index(self, name: str | int) -> int:
        """The index of a named part; whole numbers are checked, negative ones count from the end.

        Raises NotFoundError, with the nearest name that is there."""
        if isinstance(name, str) and self._find:
            found = self._find(encode(name)) if name and "\0" not in name else -1
            if found < 0:
                raise missing(self._kind, name, self.names)
            return found
        number = to_whole(f"{self._kind}: index", name, -(2**31))
        if not -self._count <= number < self._count:
            raise missing(self._kind, number, [str(i) for i in range(self._count)])
        return number % self._count

    @property
    def names(self) -> list[str]:
        """Their names, empty where they have none."""
        return [part.name for part in self]  # type: ignore[attr-defined]

    def __getitem__(self, name: str | int) -> T:
        return self._get(self.index(name))

    def __contains__(self, name: object) -> bool:
        if not self._find or not isinstance(name, str) or not name or "\0" in name:
            return False
        return self._find(encode(name)) >= 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[T]:
        return (self._get(i) for i in range(self._count))

    def __repr__(self) -> str:
        names = ", ".join(self.names[:8]) if self._find else ""
        return (
            f"<{self._count} of kind {self._kind}{': ' if names else ''}{names}{', ...' * (self._count > 8)}>"
        )


class Model:
    """A mechanism, compiled and immutable. Made by `carom.load`, `carom.loads` or `Builder.compile`. Numbers of
    it are varied on copies: `copy`, `parameters`.

    Coordinates stand depth first, in the order of the joints: hinge and slide one number, ball a quaternion
    w x y z, free a position (m, world) and a quaternion. Velocities: of a free joint that of the body frame's
    origin (m/s, world axes), then the angular velocity (rad/s, body axes). SI units throughout."""

    def __init__(self, pointer: Any, path: str = "", source: tuple[Any, ...] = ()):
        self._ptr = pointer
        self._path = path
        self._source = source  # what makes it again: function and arguments; empty: nothing does
        self._changes: list[dict[str, Any]] = []  # parameters that were set since, together
        self._may_change = False
        self.sizes: dict[str, int] = {
            name: getattr(lib.carom_model_get_sizes(pointer), name)
            for name, _ in ffi.typeof("carom_model_sizes").fields
        }

    # -- sizes

    @property
    def nq(self) -> int:
        """Coordinates: the length of q."""
        return self.sizes["num_q"]

    @property
    def nv(self) -> int:
        """Velocities, degrees of freedom: the length of v."""
        return self.sizes["num_v"]

    @property
    def nu(self) -> int:
        """Controls: the length of ctrl, one for each actuator but for those that have several."""
        return self.sizes["num_controls"]

    @property
    def na(self) -> int:
        """Activations, states of actuators: the length of act."""
        return self.sizes["num_activations"]

    # -- parts

    def _parts(self, kind: str, plural: str, struct: type[T], has_names: bool = True) -> Parts[T]:
        get = getattr(lib, f"carom_model_get_{kind}")
        find: Any = getattr(lib, f"carom_model_find_{kind}", None) if has_names else None
        return Parts(
            kind,
            self.sizes[f"num_{plural}"],
            lambda i: struct(get(self._ptr, i), self._ptr, PartPlace(self, kind, i, get)),
            find and (lambda name: find(self._ptr, name)),
        )

    @property
    def bodies(self) -> Parts[_structs.Body]:
        """Bodies; the first is the world."""
        return self._parts("body", "bodies", _structs.Body)

    @property
    def joints(self) -> Parts[_structs.Joint]:
        """Joints, in the order of the coordinates."""
        return self._parts("joint", "joints", _structs.Joint)

    @property
    def geoms(self) -> Parts[_structs.Geom]:
        """Geometries."""
        return self._parts("geom", "geoms", _structs.Geom)

    @property
    def sites(self) -> Parts[_structs.Site]:
        """Sites."""
        return self._parts("site", "sites", _structs.Site)

    @property
    def tendons(self) -> Parts[_structs.Tendon]:
        """Tendons."""
        return self._parts("tendon", "tendons", _structs.Tendon)

    @property
    def actuators(self) -> Parts[_structs.Actuator]:
        """Actuators, in the order of ctrl."""
        return self._parts("actuator", "actuators", _structs.Actuator)

    @property
    def equalities(self) -> Parts[_structs.Equality]:
        """Equality constraints."""
        return self._parts("equality", "equalities", _structs.Equality)

    @property
    def springs(self) -> Parts[_structs.Spring]:
        """Springs between points."""
        return self._parts("spring", "springs", _structs.Spring)

    @property
    def softs(self) -> Parts[_structs.Soft]:
        """Soft bodies."""
        return self._parts("soft", "softs", _structs.Soft)

    @property
    def sensors(self) -> Parts[_structs.Sensor]:
        """Sensors."""
        return self._parts("sensor", "sensors", _structs.Sensor)

    @property
    def attachments(self) -> Parts[_structs.Attachment]:
        """Attachments of soft bodies, by index."""
        return self._parts("attachment", "attachments", _structs.Attachment)

    @property
    def meshes(self) -> Parts[_structs.Mesh]:
        """Surfaces for drawing, by index."""
        return self._parts("mesh", "meshes", _structs.Mesh, False)

    @property
    def keyframes(self) -> list[str]:
        """Names of the keyframes, empty where they have none."""
        return [
            _text(lib.carom_model_get_keyframe_name(self._ptr, i)) for i in range(self.sizes["num_keyframes"])
        ]

    def find_keyframe(self, keyframe: str | int) -> int:
        """The index of a keyframe."""
        names = self.keyframes
        if isinstance(keyframe, str):
            if not keyframe or keyframe not in names:
                raise missing("keyframe", keyframe, names)
            return names.index(keyframe)
        number = to_whole("keyframe", keyframe)
        if number >= len(names):
            raise missing("keyframe", number, [str(i) for i in range(len(names))])
        return number

    # -- parameters

    @property
    def parameters(self) -> Parameters:
        """Its numbers by name (docs/parameters.md), with units and shapes; `model.parameters["body.box.mass"].value`."""
        return Parameters(self)

    def copy(self, parameters: Mapping[str, Any] | None = None, /, **more: Any) -> Model:
        """The same model with other numbers: `model.copy({"body.box.mass": 2})`. They are set in their order,
        each checked as the loader checks it, and compiled once: to the bit what a file with the numbers in it gives.
        Meshes are shared.

        Until a simulation, batch or rollout has used the copy it can be changed further, one number at a time:
        `heavy = model.copy(); heavy.bodies["box"].mass = 2.0`, or `heavy.parameters["geom.box.density"] = 500`.

        Raises NotFoundError with the nearest name; BadInputError, UnsupportedError for values."""
        copied = Model(self._ptr, self._path, self._source)
        copied._changes = list(self._changes)
        copied._may_change = True
        values = {**(to_mapping("copy: parameters", parameters) if parameters is not None else {}), **more}
        copied._change(values)
        return copied

    def _change(self, values: Mapping[str, Any]) -> None:
        if not self._may_change:
            raise refuse_change()
        if not values:
            return
        self._ptr = compile_with(lib.carom_model_get_description(self._ptr), values)
        self._changes.append({name: np.array(value, float) for name, value in values.items()})

    def __reduce__(self) -> tuple[Any, ...]:
        if not self._source:
            raise refuse("Model: one that was built in code cannot be pickled; load it from a file or a text")
        return _make_again, (self._source, self._changes)

    # -- the whole

    @property
    def name(self) -> str:
        """Its name, empty where it has none."""
        return _text(lib.carom_model_get_name(self._ptr))

    @property
    def timestep(self) -> float:
        """s, the step that the scene suggests."""
        return lib.carom_model_get_timestep(self._ptr)

    @property
    def gravity(self) -> Array:
        """[3] m/s², world frame."""
        gravity = ffi.new("double[3]")
        lib.carom_model_get_gravity(self._ptr, gravity)
        return np.array(list(gravity))

    @property
    def reference(self) -> Array:
        """[nq] coordinates at which every body is where its definition puts it; a read-only view."""
        return _view(lib.carom_model_get_reference(self._ptr), (self.nq,), self._ptr)

    @property
    def notes(self) -> list[tuple[str, str]]:
        """What was ignored, mapped or is of no use here: kind and sentence, with file and line."""
        return [
            (
                _word("carom_note_kind", lib.carom_model_get_note_kind(self._ptr, i)),
                _text(lib.carom_model_get_note(self._ptr, i)),
            )
            for i in range(self.sizes["num_notes"])
        ]

    # -- queries

    def cast_ray(self, poses: Any, origin: Any, direction: Any, skipped: Any = ()) -> _structs.RayHit:
        """What a ray meets first. poses [bodies, 7] as `Sim.poses` gives them; origin [3] m and direction [3]
        of any length but zero, world; skipped: bodies, by name or index, that it goes through."""
        poses = to_array("poses", poses, (self.sizes["num_bodies"], 7))
        ray = ffi.new("carom_ray*")
        filler = Filler("cast_ray")
        filler.fill(ray, "carom_ray", {"origin": origin, "direction": direction})
        skip = ffi.new("bool[]", self.sizes["num_bodies"])
        for body in skipped:
            skip[self.bodies.index(body)] = True
        ray.skipped = skip
        hit, error = ffi.new("carom_ray_hit*"), ffi.new("carom_error*")
        check(lib.carom_model_cast_ray(self._ptr, pointer_to(poses), ray, hit, error), error)
        return _structs.RayHit(hit)

    def distance(self, poses: Any, geom1: str | int, geom2: str | int) -> _structs.Distance:
        """Signed distance of two geometries, m, and the points where they are nearest. poses [bodies, 7]."""
        poses = to_array("poses", poses, (self.sizes["num_bodies"], 7))
        geoms = ffi.new("int[2]", [self.geoms.index(geom1), self.geoms.index(geom2)])
        distance, error = ffi.new("carom_distance*"), ffi.new("carom_error*")
        check(lib.carom_model_compute_distance(self._ptr, pointer_to(poses), geoms, distance, error), error)
        return _structs.Distance(distance)

    @functools.cached_property
    def _tangents(self) -> Tangents:
        return Tangents(self.nq, self.nv, self.joints)

    def difference(self, start: Any, end: Any) -> Array:
        """[..., nv] the tangent that leads from one configuration to another, as derivatives count them: where it is
        reached in unit time at constant rates. start, end: [..., nq]. Of models without mocap bodies."""
        start, end = to_array("difference: start", start), to_array("difference: end", end)
        for name, q in (("start", start), ("end", end)):
            if q.shape[-1:] != (self.nq,):
                raise refuse(f"difference: {name} has shape {q.shape}, must have (..., {self.nq})")
        return self._tangents.difference(start, end)

    def __repr__(self) -> str:
        return f"<carom.Model {self.name!r}: nq {self.nq}, nv {self.nv}, nu {self.nu}, {len(self.bodies)} bodies>"


def _make_again(source: tuple[Any, ...], changes: list[dict[str, Any]]) -> Model:
    """What was pickled."""
    function, given, options = source
    model = function(given, **options)
    model._may_change = True
    for values in changes:
        model._change(values)
    model._may_change = False
    return model


# ---- Loading --------------------------------------------------------------------------------------


def make_load_def(filler: Filler, options: dict[str, Any]) -> Any:
    """A carom_load_def from the options of `load`."""
    definition = ffi.new("carom_load_def*", lib.carom_load_def_default())
    fixed = options.pop("fixed_base", None)
    if fixed is not None:
        if not isinstance(fixed, bool):
            raise refuse(f"{filler.what}: fixed_base is {fixed!r}, must be True, False or None")
        options["base"] = "fixed" if fixed else "free"
    rule = options.pop("friction_rule", None)
    gravity = options.pop("gravity", None)
    search = options.pop("search", None)
    if isinstance(search, (list, tuple)):
        search = b":".join(to_path(f"{filler.what}: search", folder) for folder in search)
    if search is not None:
        options["search"] = os.fsdecode(to_path(f"{filler.what}: search", search))
    filler.fill(
        definition,
        "carom_load_def",
        options,
        (
            "cookie",
            "allocator",
            "outputs",
            "num_outputs",
            "decompose",
            "decompose_user",
            "gravity",
            "friction_rule",
        ),
    )
    if rule is not None:
        definition.friction_rule = word_value("carom_friction_rule", rule)
    if gravity is not None:
        filler.keep.append(ffi.new("double[3]", to_array("load: gravity", gravity, (3,)).tolist()))
        definition.gravity = filler.keep[-1]
    return definition


def load(
    path: str | os.PathLike[str],
    *,
    permissive: bool = False,
    floor: bool = False,
    outside: bool = False,
    fixed_base: bool | None = None,
    gravity: Any = None,
    search: Any = None,
    friction_rule: str | None = None,
    mesh: str | None = None,
    alone: bool = False,
) -> Model:
    """Reads a scene file: MJCF, URDF or SDF.

    permissive: what would change the physics is noted in `Model.notes` instead of refused
    floor: add an endless plane if the file has none
    outside: files may be read that lie outside the model's tree
    fixed_base: of URDF and SDF: True fixes the root link to the world, False frees it; None: as the file says
    gravity: [3] m/s² in place of the file's
    search: folders in which packages and models stand: one text with ':' between, or a list
    friction_rule: "larger", "harmonic" or "smaller", of URDF and SDF
    mesh: what meshes of URDF and SDF collide as: "default", "hull", "surface"
    alone: no file is read but this one

    Raises FileError, BadInputError, UnsupportedError; the sentence names file, line, element and value."""
    filler = Filler("load")
    options = dict(
        permissive=permissive,
        floor=floor,
        outside=outside,
        fixed_base=fixed_base,
        gravity=gravity,
        search=search,
        friction_rule=friction_rule,
        mesh=mesh,
        alone=alone,
    )
    definition = make_load_def(filler, dict(options))
    name = to_path("load: path", path)
    made, error = ffi.new("carom_model**"), ffi.new("carom_error*")
    check(lib.carom_model_load(name, definition, made, error), error)
    source = load, os.path.abspath(os.fsdecode(name)), options
    return Model(owned(made[0], lib.carom_model_destroy), os.fsdecode(name), source)


def loads(text: str | bytes, name: str = "text", **options: Any) -> Model:
    """The same from text in memory; `name` is what error sentences call it. Options as of `load`."""
    filler = Filler("loads")
    definition = make_load_def(filler, dict(options))
    if not isinstance(text, (str, bytes)):
        raise refuse(f"loads: text is of type {type(text).__name__}, must be text or bytes")
    data = encode(text) if isinstance(text, str) else text
    label = ffi.new("char[]", to_text("loads: name", name))
    made, error = ffi.new("carom_model**"), ffi.new("carom_error*")
    check(
        lib.carom_model_load_string(ffi.from_buffer(data), len(data), label, definition, made, error), error
    )
    return Model(owned(made[0], lib.carom_model_destroy), "", (loads, text, {"name": name, **options}))
