"""Simulations: one state of a model and its steps in time."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence, TypedDict, Unpack, overload

import numpy as np

from . import _structs
from ._derivatives import Gradient, Jacobian, Linearization, Sensitivity, jacobian, linearize, sensitivity, vjp
from ._lib import (
    Array,
    Filler,
    Resource,
    _view,
    _word,
    check,
    copy_structs,
    ffi,
    lib,
    missing,
    name_of,
    owned,
    pointer_to,
    raise_error,
    refuse,
    to_array,
    to_flag,
    to_number,
    to_whole,
)
from ._model import Model
from ._problem import Problem

SLICE = 0.05  # s of wall time after which many steps ask Python whether to go on


class SimOptions(TypedDict, total=False):
    """Options of a simulation: the names and defaults of `carom run`, and the rest of carom_sim_def."""

    dt: float | None  # s; None: the model's
    scheme: str | tuple[float, float, float]  # "auto", "midpoint", "implicit", ..., or three weights
    contact: str  # "implicit" or "scheme"
    relinearise: int  # 0
    friction: str  # "coulomb", "convex", "lagged", "anchored"
    patches: str  # "corners", "area", or "auto": the model's
    patch_error: float  # with areas; 0: the model's
    forces: str  # "found" or "least"
    sigma: float  # 0
    beta: float  # 0
    solver: str  # "newton", "primal", "pgs", "apgd", "ipm"
    soft_solver: str  # "auto", "direct", "iterative"
    tolerance: float  # 1e-6
    max_iterations: int  # 100
    rest: float  # 1e-3
    threads: int  # 1
    on_failure: str  # "stop" or "continue"
    no_contacts: bool  # False
    rotation: str  # "cayley" or "linear"
    implicit_coriolis: bool  # False
    recovery_speed: float  # m/s, 0.25
    mocap_time: float  # s, 0.02
    tangent_ratio: float  # 0.82


_SHORT = {"rest": "sleep_share", "no_contacts": "disable_contacts"}


def make_sim_def(what: str, options: Mapping[str, Any]) -> Any:
    """A carom_sim_def from keyword arguments."""
    known = SimOptions.__annotations__
    for name in options:
        if name not in known:
            raise missing(f"argument of {what}", name, known)
    definition = ffi.new("carom_sim_def*", lib.carom_sim_def_default())
    values = {_SHORT.get(name, name): value for name, value in options.items()}
    if values.get("dt") is not None and to_number(f"{what}: dt", values["dt"]) == 0:
        raise refuse(f"{what}: dt is 0, must be positive")
    scheme = values.get("scheme")
    if scheme is not None and not isinstance(scheme, str):
        values.update(scheme="theta", theta=to_array(f"{what}: scheme", scheme, (3,)))
    Filler(what, shown={long: name for name, long in _SHORT.items()}).fill(
        definition, "carom_sim_def", values, ("cookie", "allocator", "tasks")
    )
    return definition


class StepReport(_structs.StepReport):
    __slots__ = ("steps", "failed_steps", "worst_residual")

    steps: int
    failed_steps: int
    worst_residual: float

    def __getattr__(self, name: str) -> Any:
        """Those of one step, which are not set: they are made when they are asked for."""
        if name == "steps":
            return 1
        if name == "failed_steps":
            c = self._c
            return 1 if c.outcome or c.first_outcome not in (0, 4, 5) else 0
        if name == "worst_residual":
            return self._c.residual
        raise AttributeError(f"'StepReport' object has no attribute {name!r}", name=name, obj=self)

    def __repr__(self) -> str:
        return (
            f"StepReport(outcome={self.outcome!r}, time={self.time!r}, contacts={self.contacts}, "
            f"residual={self.residual:.3g}, steps={self.steps}, failed_steps={self.failed_steps})"
        )


StepReport.__doc__ = (
    (_structs.StepReport.__doc__ or "")
    + """

    Of several steps it is the last one's report, and beside it: `steps` that were taken, `failed_steps` of them
    (also those that were taken again after a failure), and `worst_residual`."""
)

_report_type = ffi.typeof("carom_step_report*")


class Readings(Mapping[str, Array]):
    """Readings of all sensors at one moment: by name or index, or all as `array` [num_readings]."""

    def __init__(self, model: Model, array: Array):
        self.model, self.array = model, array

    def __getitem__(self, name: str | int) -> Array:
        sensor = self.model.sensors[name]
        return self.array[sensor.address : sensor.address + sensor.dim]

    def __contains__(self, name: object) -> bool:
        return name in self.model.sensors

    def __iter__(self) -> Iterator[str]:
        return iter(self.model.sensors.names)

    def __len__(self) -> int:
        return len(self.model.sensors)

    def __repr__(self) -> str:
        return f"Readings({ {name: self[i] for i, name in enumerate(self)} })"


class Dynamics(Resource):
    """Quantities of a model at a configuration, without constraints and contacts: mass matrix, forces,
    accelerations, Jacobians. With soft bodies the matrices, forces and accelerations are those of the joints."""

    _what = "dynamics"

    def __init__(self, model: Model):
        made, error = ffi.new("carom_dynamics**"), ffi.new("carom_error*")
        check(lib.carom_dynamics_create(_model(model, "Dynamics"), ffi.NULL, made, error), error)
        super().__init__(owned(made[0], lib.carom_dynamics_destroy, model._ptr))
        self.model = model
        self._nv = model.nv - 3 * model.sizes["num_soft_nodes"]
        self._poses = np.zeros((0, 7))

    def set(self, q: Any = None, v: Any = None, ctrl: Any = None, act: Any = None) -> None:
        """Places the model. q [nq], quaternions are normalised; v [nv]; ctrl [nu]; act [na]. None: the
        reference configuration, at rest, zeros."""
        m = self.model
        arrays = [
            None if value is None else to_array(name, value, (size,))
            for name, value, size in (
                ("q", q, m.nq),
                ("v", v, m.nv),
                ("ctrl", ctrl, m.nu),
                ("act", act, m.na),
            )
        ]
        self._call(lib.carom_dynamics_set, *map(pointer_to, arrays[:3]))
        self._call(lib.carom_dynamics_set_activations, pointer_to(arrays[3]))

    def _vector(self, function: Any, *shape: int) -> Array:
        out = np.zeros(shape)
        self._ask(function, pointer_to(out))
        return out

    def poses(self) -> Array:
        """[bodies, 7] position of the frame's origin, m, and quaternion w x y z, world."""
        return self._vector(lib.carom_dynamics_compute_poses, self.model.sizes["num_bodies"], 7)

    def site_poses(self) -> Array:
        """[sites, 7] likewise."""
        return self._vector(lib.carom_dynamics_compute_site_poses, self.model.sizes["num_sites"], 7)

    def mass_matrix(self) -> Array:
        """[nv, nv] joint-space mass matrix with armature, kg and kg m²."""
        return self._vector(lib.carom_dynamics_compute_mass_matrix, self._nv, self._nv)

    def bias(self) -> Array:
        """[nv] bias forces, N and N m: M a + bias = applied forces."""
        return self._vector(lib.carom_dynamics_compute_bias, self._nv)

    def passive(self) -> Array:
        """[nv] forces of springs, dampers, tendons, fluid, N and N m."""
        return self._vector(lib.carom_dynamics_compute_passive, self._nv)

    def actuation(self) -> Array:
        """[nv] forces of the actuators, limits applied, N and N m."""
        return self._vector(lib.carom_dynamics_compute_actuation, self._nv)

    def inverse(self, a: Any) -> Array:
        """[nv] joint forces, N and N m, that give the acceleration a [nv]: M a + bias."""
        a, force = to_array("a", a, (self._nv,)), np.zeros(self._nv)
        self._ask(lib.carom_dynamics_compute_inverse, pointer_to(a), pointer_to(force))
        return force

    def forward(self, force: Any = None, all: bool = True) -> Array:
        """[nv] accelerations under joint forces [nv] and the bias; with `all` passive and actuator forces too."""
        given = None if force is None else to_array("force", force, (self._nv,))
        a = np.zeros(self._nv)
        self._call(lib.carom_dynamics_compute_forward, pointer_to(given), to_flag("all", all), pointer_to(a))
        return a

    def jacobian(self, body: str | int, point: Any = (0, 0, 0)) -> Array:
        """[6, nv] velocity of a point that moves with a body (m/s, world axes, 3 rows) and angular velocity
        (rad/s, world axes, 3 rows) per v. point [3] m, in the body's frame."""
        index = self.model.bodies.index(body)
        local = to_array("point", point, (3,))
        pose = self.poses()[index]
        w, u = pose[3], pose[4:]
        world = pose[:3] + local + 2 * np.cross(u, np.cross(u, local) + w * local)
        J = np.zeros((6, self._nv))
        self._ask(
            lib.carom_dynamics_compute_jacobian,
            index,
            pointer_to(world),
            pointer_to(J[:3]),
            pointer_to(J[3:]),
        )
        return J

    def com(self) -> tuple[float, Array]:
        """Total mass, kg, and centre of mass [3], m, world."""
        com = np.zeros(3)
        return self._ask(lib.carom_dynamics_compute_com, pointer_to(com)), com

    def momentum(self) -> tuple[Array, Array]:
        """Linear, kg m/s, and angular momentum about the world's origin, kg m²/s, [3] each."""
        linear, angular = np.zeros(3), np.zeros(3)
        self._ask(lib.carom_dynamics_compute_momentum, pointer_to(linear), pointer_to(angular))
        return linear, angular

    def energy(self) -> tuple[float, float]:
        """Kinetic and potential energy, J."""
        energy = ffi.new("double[2]")
        self._ask(lib.carom_dynamics_compute_energy, energy, energy + 1)
        return energy[0], energy[1]

    def sensors(self) -> Readings:
        """Readings at the state, without constraints and contacts."""
        readings = np.zeros(self.model.sizes["num_readings"])
        self._call(lib.carom_dynamics_compute_sensors, pointer_to(readings))
        return Readings(self.model, readings)


def _model(model: object, what: str) -> Any:
    if not isinstance(model, Model):
        raise refuse(f"{what}: model is of type {type(model).__name__}, must be a carom.Model")
    model._may_change = False  # others look at it from now on
    return model._ptr


class Sim(Resource):
    """One state of a model and its steps in time.

        sim = carom.Sim(model, dt=0.005, friction="coulomb")
        while sim.time < 2:
            report = sim.step()

    Options are those of `carom run`, with its defaults (`SimOptions` lists them). `q`, `v`, `ctrl` and `act` are
    NumPy arrays over the simulation's own memory: they change with every step, and stay readable as long as you
    keep them. One thread at a time; any number of simulations may share a model."""

    _what = "simulation"

    def __init__(self, model: Model, *, keyframe: str | int | None = None, **options: Unpack[SimOptions]):
        definition = make_sim_def("Sim", options)
        made, error = ffi.new("carom_sim**"), ffi.new("carom_error*")
        check(lib.carom_sim_create(_model(model, "Sim"), definition, made, error), error)
        self._begin(model, made[0])
        if keyframe is not None:
            self.set_keyframe(keyframe)

    def _begin(self, model: Model, pointer: Any) -> None:
        super().__init__(owned(pointer, lib.carom_sim_destroy, model._ptr))
        self.model = model
        self._dynamics: Dynamics | None = None
        p = self._ptr
        self._views = {
            "q": _view(lib.carom_sim_coordinates(p), (model.nq,), p),
            "v": _view(lib.carom_sim_velocities(p), (model.nv,), p),
            "ctrl": _view(lib.carom_sim_controls(p), (model.nu,), p, True),
            "act": _view(lib.carom_sim_activations(p), (model.na,), p, True),
        }

    def _array(self, name: str) -> Array:
        self._open
        return self._views[name]

    @property
    def q(self) -> Array:
        """[nq] coordinates; a read-only view, see `set_state`."""
        return self._array("q")

    @property
    def v(self) -> Array:
        """[nv] velocities; a read-only view, see `set_state`."""
        return self._array("v")

    @property
    def ctrl(self) -> Array:
        """[nu] controls; a view, to be written between steps."""
        return self._array("ctrl")

    @ctrl.setter
    def ctrl(self, value: Any) -> None:
        self._array("ctrl")[:] = to_array("ctrl", value, (self.model.nu,))

    @property
    def act(self) -> Array:
        """[na] activations; a view, to be written between steps."""
        return self._array("act")

    @act.setter
    def act(self, value: Any) -> None:
        self._array("act")[:] = to_array("act", value, (self.model.na,))

    @property
    def time(self) -> float:
        """s."""
        return lib.carom_sim_time(self._open)

    @property
    def dt(self) -> float:
        """s, of a step; may be set."""
        return lib.carom_sim_dt(self._open)

    @dt.setter
    def dt(self, dt: float) -> None:
        self._call(lib.carom_sim_set_dt, to_number("dt", dt))

    @property
    def options(self) -> dict[str, Any]:
        """The options, dt and scheme as the model has resolved them."""
        definition = self._ask(lib.carom_sim_get_options)
        long = {short: name for short, name in _SHORT.items()}
        values = {}
        for name in SimOptions.__annotations__:
            field = long.get(name, name)
            kind = dict(ffi.typeof("carom_sim_def").fields)[field].type
            value = getattr(definition, field)
            values[name] = _word(name_of(kind), value) if kind.kind == "enum" else value
        if values["scheme"] == "theta":
            values["scheme"] = tuple(definition.theta)
        return values

    # -- stepping

    def step(self, count: int = 1) -> StepReport:
        """Takes steps of dt; returns the report of the last one. A step that fails numerically raises nothing:
        the state stays as before it, and `report.outcome` is not "done". Ctrl-C ends many steps between two.

        Raises InvalidArgumentError where a control is not finite; the state is then as before."""
        if count.__class__ is int and count == 1:
            report = StepReport(ffi.new(_report_type))
            if not self._lock.acquire(False):
                self._acquire()
            try:
                pointer = self._ptr
                if pointer is None:
                    raise refuse("simulation: it is closed")
                if lib.carom_sim_step(pointer, report._c, self._error):
                    raise_error(self._error.status, self._error)
            finally:
                self._lock.release()
            return report
        return self._steps(to_whole("step: count", count), ffi.NULL)

    def _step_by(self, function: Any) -> StepReport:
        """A step that `function(simulation, report, error)` takes."""
        report = StepReport(ffi.new(_report_type))
        self._call(function, report._c)
        return report

    def _steps(self, count: int, recorder: Any) -> StepReport:
        report = StepReport(ffi.new(_report_type))
        totals = ffi.new("carom_python_totals*")
        run = ffi.new("carom_python_run*", {"seconds": SLICE, "recorder": recorder})
        while totals.steps < count:
            run.count = count - totals.steps
            self._call(lib.carom_python_step, run, totals, report._c)
            if report._c.outcome != lib.CAROM_STEP_DONE:
                break
        report.steps = totals.steps
        report.failed_steps = totals.failed_steps
        report.worst_residual = totals.residual
        return report

    # -- state

    def set_state(self, q: Any = None, v: Any = None, time: float | None = None) -> None:
        """Sets q [nq], v [nv] and time, s; None leaves a part as it is. What steps carry stays where it fits: the
        next step starts from the last impulses. `forget` drops it."""
        q = None if q is None else to_array("q", q, (self.model.nq,))
        v = None if v is None else to_array("v", v, (self.model.nv,))
        now = self.time if time is None else to_number("time", time)
        self._call(lib.carom_sim_set_state, now, pointer_to(q), pointer_to(v))

    def set_keyframe(self, keyframe: str | int) -> None:
        """Sets state, controls and activations to a keyframe, and forgets what steps carry."""
        self._call(lib.carom_sim_set_keyframe, self.model.find_keyframe(keyframe))

    def forget(self) -> None:
        """Forgets what steps carry beside the state: the next step is the same whatever came before."""
        self._ask(lib.carom_sim_forget)

    def forget_motion(self) -> None:
        """Forgets how things moved in the last step: how contacts go on over curved surfaces. The next step is a
        function of the state, as those are that derivatives are of."""
        self._ask(lib.carom_sim_forget_motion)

    def set_mocap(self, body: str | int, position: Any = None, quaternion: Any = None) -> None:
        """Moves a mocap body: position [3] m, quaternion [4] w x y z, world; None: as it is."""
        arrays = [
            None if value is None else to_array(name, value, (size,))
            for name, value, size in (("position", position, 3), ("quaternion", quaternion, 4))
        ]
        self._call(lib.carom_sim_set_mocap, self.model.bodies.index(body), *map(pointer_to, arrays))

    def set_motion(self, body: str | int, velocity: Any = None, rate: Any = None) -> None:
        """Moves a mocap body from its pose on: velocity [3] m/s of its origin, rate [3] rad/s, world; None: as it is."""
        arrays = [
            None if value is None else to_array(name, value, (3,))
            for name, value in (("velocity", velocity), ("rate", rate))
        ]
        self._call(lib.carom_sim_set_motion, self.model.bodies.index(body), *map(pointer_to, arrays))

    def set_wrench(self, body: str | int, force: Any = (0, 0, 0), torque: Any = (0, 0, 0)) -> None:
        """A force [3] N and torque [3] N m (world axes) on a body at its centre of mass, held until changed."""
        arrays = to_array("force", force, (3,)), to_array("torque", torque, (3,))
        self._call(lib.carom_sim_set_wrench, self.model.bodies.index(body), *map(pointer_to, arrays))

    def set_node_force(self, soft: str | int, node: int, force: Any) -> None:
        """A force [3] N (world axes) on a node of a soft body, held until changed."""
        array = to_array("force", force, (3,))
        self._call(
            lib.carom_sim_set_node_force,
            self.model.softs.index(soft),
            to_whole("node", node),
            pointer_to(array),
        )

    def save(self) -> bytes:
        """Everything that a step depends on: restored, a simulation goes on with the same bits."""
        pointer = self._acquire()
        try:
            buffer = ffi.new("char[]", lib.carom_sim_state_size(pointer))
            lib.carom_sim_save(pointer, buffer)
            return bytes(ffi.buffer(buffer))
        finally:
            self._lock.release()

    def restore(self, saved: bytes) -> None:
        """Restores what `save` gave for the same model and options."""
        try:
            buffer = ffi.from_buffer(saved)
        except (TypeError, BufferError, ValueError):
            raise refuse(f"restore: saved is of type {type(saved).__name__}, must be bytes") from None
        self._call(lib.carom_sim_restore, buffer, len(buffer))

    def copy(self) -> Sim:
        """A second simulation with the same options and state, that goes on with the same bits."""
        made = ffi.new("carom_sim**")
        self._call(lib.carom_sim_copy, made)
        other = Sim.__new__(Sim)
        other._begin(self.model, made[0])
        return other

    # -- what it says

    def energy(self) -> _structs.Energy:
        """Energies of the state, J."""
        return _structs.Energy(self._ask(lib.carom_sim_compute_energy))

    def _vector(self, function: Any, *shape: int) -> Array:
        out = np.zeros(shape)
        self._ask(function, pointer_to(out))
        return out

    def poses(self) -> Array:
        """[bodies, 7] position of the frame's origin, m, and quaternion w x y z, world."""
        return self._vector(lib.carom_sim_compute_poses, self.model.sizes["num_bodies"], 7)

    @property
    def contacts(self) -> Array:
        """Contact points of the last step, a structured array of its own: geom1, geom2, position [3] m, normal [3]
        from the first to the second, distance m, impulse [3] N s on the second body, moment [3] N m s, slip m/s,
        state (0 separated, 1 sticking, 2 sliding), area m² and area_error of what it stands for, and shared_force, by
        which contacts know each other whose forces are one of many. World frame."""
        count = ffi.new("int*")
        pointer = self._acquire()
        try:
            contacts = lib.carom_sim_contacts(pointer, count)
            return copy_structs("carom_contact", contacts, count[0])
        finally:
            self._lock.release()

    @property
    def areas(self) -> Array:
        """[triangles, 3, 4] the areas over which the contacts of the last step press, of patches with areas and of
        pressure fields: of each corner x y z, m, world frame, and the pressure there, Pa."""
        triangles, count = ffi.new("carom_pressure_triangle**"), ffi.new("int*")
        pointer = self._acquire()
        try:
            check(lib.carom_sim_list_pressure(pointer, triangles, count, self._error), self._error)
            return copy_structs("carom_pressure_triangle", triangles[0], count[0])["corner"]
        finally:
            self._lock.release()

    def compute_contacts(self) -> Array:
        """Contact points of the present state, without a step; impulses are zero. Takes the place of `contacts`."""
        contacts, count = ffi.new("carom_contact**"), ffi.new("int*")
        pointer = self._acquire()
        try:
            check(lib.carom_sim_compute_contacts(pointer, contacts, count, self._error), self._error)
            return copy_structs("carom_contact", contacts[0], count[0])
        finally:
            self._lock.release()

    def contact_jacobian(self, contact: int) -> Array:
        """[6, nv] of a contact of the last step: velocity of the second body at its position less that of the first
        (3 rows), and the same of angular velocities (3 rows), world axes."""
        J = np.zeros((6, self.model.nv))
        self._call(
            lib.carom_sim_compute_contact_jacobian,
            to_whole("contact", contact),
            pointer_to(J[:3]),
            pointer_to(J[3:]),
        )
        return J

    def constraint_force(self) -> Array:
        """[nv] generalised forces of all constraints in the last step, N and N m."""
        return self._vector(lib.carom_sim_compute_constraint_force, self.model.nv)

    def acceleration(self) -> Array:
        """[nv] acceleration of the state with all constraints on, of the step that would come next; NaN where it
        fails. The state stays."""
        a = np.zeros(self.model.nv)
        self._call(lib.carom_sim_compute_acceleration, pointer_to(a), ffi.NULL)
        return a

    @property
    def sensors(self) -> Readings:
        """Readings of all sensors: by name, or as `.array` [num_readings]."""
        readings = np.zeros(self.model.sizes["num_readings"])
        self._call(lib.carom_sim_compute_sensors, pointer_to(readings))
        return Readings(self.model, readings)

    def reactions(self) -> Array:
        """[attachments, 6] force N and moment N m on the soft bodies in the last step, world axes."""
        return self._vector(lib.carom_sim_compute_reactions, self.model.sizes["num_attachments"], 6)

    def soft_stress(self, soft: str | int) -> Array:
        """[elements] von Mises' stress of a soft body, Pa."""
        return self._soft(lib.carom_sim_compute_soft_stress, soft)

    def soft_strain(self, soft: str | int) -> Array:
        """[elements] von Mises' equivalent of Green's strain of a soft body."""
        return self._soft(lib.carom_sim_compute_soft_strain, soft)

    def _soft(self, function: Any, soft: str | int) -> Array:
        index = self.model.softs.index(soft)
        out = np.zeros(self.model.softs[index].num_elements)
        self._ask(function, index, pointer_to(out))
        return out

    def problem(self) -> Problem | None:
        """The convex problem of the next step; None where nothing constrains it. The state stays."""
        made = ffi.new("carom_problem**")
        self._call(lib.carom_sim_compute_problem, made)
        return None if made[0] == ffi.NULL else Problem._take(made[0])

    # -- dynamics at the state

    def dynamics(self) -> Dynamics:
        """Quantities at the present state, without constraints; one object, placed anew by every call."""
        if self._dynamics is None:
            self._dynamics = Dynamics(self.model)
        self._dynamics.set(self.q, self.v, self.ctrl, self.act)
        return self._dynamics

    def mass_matrix(self) -> Array:
        """[nv, nv], see `Dynamics.mass_matrix`."""
        return self.dynamics().mass_matrix()

    @overload
    def jacobian(self, body: str | int, point: Any = (0, 0, 0)) -> Array: ...
    @overload
    def jacobian(
        self, *, of: str | Sequence[str], wrt: str | Sequence[str], after_step: bool = True, smoothing: float = 0
    ) -> Jacobian: ...
    def jacobian(
        self,
        body: str | int | None = None,
        point: Any = (0, 0, 0),
        *,
        of: str | Sequence[str] | None = None,
        wrt: str | Sequence[str] | None = None,
        after_step: bool = True,
        smoothing: float = 0,
    ) -> Array | Jacobian:
        """[6, nv] of a body's point, see `Dynamics.jacobian`; or derivatives of what is named over what is named:

            J = sim.jacobian(of=["sensor.imu", "energy.kinetic"], wrt=["q", "v", "ctrl", "body.box.mass"])
            J["sensor.imu", "body.box.mass"]

        of: "q", "v", "act", "sensor.NAME", "energy.kinetic", "energy.potential", after the next step over the state
        before it; with after_step=False sensors and energies of the state as it is. wrt: "q" (by tangents, as
        `linearize` has them), "v", "act", "ctrl", names of parameters.

        Raises UnsupportedError for sensors that have no derivative (forces of contacts, limits and parents,
        rangefinders; accelerations of a state without a step), as `linearize` else."""
        if body is not None and of is None and wrt is None:
            return self.dynamics().jacobian(body, point)
        if body is not None or of is None or wrt is None:
            raise refuse("jacobian: give a body, or what it is of and with respect to what: of=, wrt=")
        return jacobian(self, of, wrt, to_flag("jacobian: after_step", after_step), smoothing)

    # -- derivatives of the next step

    def linearize(self, parameters: Sequence[str] = (), *, smoothing: float = 0) -> Linearization:
        """The derivative of the next step, exact, through contact: over the state, the controls, and the numbers of
        parameters by their names, such as "body.box.mass" (docs/derivatives.md). The simulation stays as it is.

            A, B = (d := sim.linearize()).A, d.B

        smoothing, m/s: that of the step whose constraints are smooth at such a speed, in place of the program's own
        branch.

        Raises UnsupportedError for what has no derivative yet, NumericalError where the step fails."""
        return linearize(self, parameters, smoothing)

    def sensitivity(self, parameters: Sequence[str], steps: int, ctrl: Any = None) -> Sensitivity:
        """Takes steps, under controls [steps, nu] where they are given, and carries along how q and v move with the
        numbers of the parameters: exact, forwards, as fits of few parameters want it (`identify`)."""
        return sensitivity(self, parameters, steps, ctrl)

    def vjp(self, x1: Any, parameters: Sequence[str] = (), *, smoothing: float = 0) -> Gradient:
        """A cotangent of the state after the next step [2 nv + na] (tangents of q, then v and act), pulled back:
        what it makes of the state before, of the controls and of the parameters, by one transposed solve. smoothing:
        as in `linearize`."""
        return vjp(self, x1, parameters, smoothing)

    # -- in a notebook

    def html(self) -> str:
        """The page that shows the present state in any browser, as text."""
        import os
        import tempfile

        from ._recording import Recorder, Recording

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "state.h5")
            Recorder(self, path).close()
            with Recording(path) as recording:
                return recording.html()

    def _repr_html_(self) -> str | None:
        """None, so that the text is shown, where it is closed or another thread uses it."""
        from ._recording import frame_page

        return None if self._ptr is None or self._lock.locked() else frame_page(self.html())

    def __repr__(self) -> str:
        if self._ptr is None:
            return "<carom.Sim, closed>"
        return f"<carom.Sim of {self.model.name!r} at {self.time:.6g} s, dt {self.dt:g} s>"
