"""Contact problems without a simulation, and their solutions."""

from __future__ import annotations

import os
from typing import Any

from . import _structs
from ._files import FILES
from ._lib import (
    Array,
    Filler,
    Resource,
    _text,
    _view,
    check,
    ffi,
    lib,
    missing,
    owned,
    pointer_to,
    refuse,
    to_array,
    to_number,
    to_path,
    to_whole,
    word_value,
)
from ._structs import SHAPES

_ROWS = {"contact": 3, "disc": 2, "bounds": 1, "contact4": 4, "contact6": 6}


class Solution(Resource):
    """Velocities, impulses and what follows from them; read-only views of its own memory."""

    _what = "solution"

    def __init__(self, pointer: Any, sizes: dict[str, int]):
        super().__init__(owned(pointer, lib.carom_solution_destroy))
        self._sizes = sizes

    def _get(self, name: str, size: str, dtype: Any = None) -> Any:
        return _view(
            getattr(lib, f"carom_solution_get_{name}")(self._open),
            (self._sizes[size],),
            self._ptr,
            False,
            dtype,
        )

    @property
    def report(self) -> _structs.SolveReport:
        """What the solver did and what the result is worth."""
        return _structs.SolveReport(lib.carom_solution_get_report(self._open), self._ptr)

    @property
    def v(self) -> Array:
        """[num_unknowns] velocities, m/s."""
        return self._get("v", "num_unknowns")

    @property
    def gamma(self) -> Array:
        """[num_rows] impulses, N s."""
        return self._get("gamma", "num_rows")

    @property
    def v_c(self) -> Array | None:
        """[num_rows] J v, m/s."""
        return self._get("v_c", "num_rows")

    @property
    def u(self) -> Array | None:
        """[num_rows] J v - v_hat, m/s."""
        return self._get("u", "num_rows")

    @property
    def slip(self) -> Array | None:
        """[num_constraints] m/s."""
        return self._get("slip", "num_constraints")

    def __repr__(self) -> str:
        return (
            f"<carom.Solution: {self.report.status}>" if self._ptr is not None else "<carom.Solution, closed>"
        )


class Problem(Resource):
    """A convex contact problem: min over v of 1/2 (v - v*)ᵀ A (v - v*) + the costs of its constraints.

    problem = carom.Problem([3, 3], dt=0.01)
    problem.set_block(0, 0, np.eye(3)); problem.set_block(1, 1, 2 * np.eye(3))
    problem.set_velocities([0, 0, -.1, 0, 0, -.1])
    problem.add(blocks=[0], jacobian=[np.eye(3)], mu=0.5)
    problem.finish()
    solution = problem.solve(friction="coulomb")"""

    _what = "problem"

    def __init__(self, block_size: Any, *, name: str | None = None, dt: float = 0):
        filler = Filler("Problem", shapes=SHAPES)
        definition = ffi.new("carom_problem_def*", lib.carom_problem_def_default())
        filler.fill(definition, "carom_problem_def", {"block_size": block_size, "name": name, "dt": dt})
        made, error = ffi.new("carom_problem**"), ffi.new("carom_error*")
        check(lib.carom_problem_create(definition, made, error), error)
        self._begin(made[0], False)

    def _begin(self, pointer: Any, finished: bool) -> None:
        super().__init__(owned(pointer, lib.carom_problem_destroy))
        self._is_finished = finished

    @classmethod
    def _take(cls, pointer: Any) -> Problem:
        problem = cls.__new__(cls)
        problem._begin(pointer, True)
        return problem

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Problem:
        """Reads a problem from a file of any form that `carom solve` reads."""
        made, error = ffi.new("carom_problem**"), ffi.new("carom_error*")
        with FILES:
            check(lib.carom_problem_load(to_path("Problem.load: path", path), made, error), error)
        return cls._take(made[0])

    def save(self, path: str | os.PathLike[str], format: str = "carom") -> None:
        """Writes a finished problem: "carom", "fclib_local", "fclib_global" or "sap"."""
        self._need_finished()
        with FILES:
            self._call(
                lib.carom_problem_save,
                to_path("save: path", path),
                word_value("carom_problem_format", format),
            )

    def _need_finished(self) -> None:
        if not self._is_finished:
            raise refuse("problem: it is not finished; call finish() first")

    def _need_unfinished(self) -> None:
        if self._is_finished:
            raise refuse("problem: it is finished, and changes no more")

    @property
    def sizes(self) -> dict[str, int]:
        """num_blocks, num_unknowns, num_constraints, num_contacts, num_rows."""
        sizes = self._ask(lib.carom_problem_get_sizes)
        return {name: getattr(sizes, name) for name, _ in ffi.typeof("carom_problem_sizes").fields}

    def _block_size(self, block: int) -> int:
        start = lib.carom_problem_get_block_start
        return start(self._open, block + 1) - start(self._open, block)

    def _block(self, name: str, block: object) -> int:
        number = to_whole(name, block)
        count = self.sizes["num_blocks"]
        if number >= count:
            raise missing("block", number, [str(i) for i in range(count)])
        return number

    def set_block(self, row: int, column: int, values: Any) -> None:
        """Sets a block of A, [size of row, size of column], kg; one off the diagonal stands for its transpose too."""
        self._need_unfinished()
        row, column = self._block("row", row), self._block("column", column)
        array = to_array("values", values, (self._block_size(row), self._block_size(column)))
        self._call(lib.carom_problem_set_block, row, column, pointer_to(array))

    def set_velocities(self, v_star: Any, v0: Any = None) -> None:
        """v_star [num_unknowns] m/s, without constraints; v0 [num_unknowns] at the start of the step."""
        self._need_unfinished()
        size = (self.sizes["num_unknowns"],)
        arrays = to_array("v_star", v_star, size), None if v0 is None else to_array("v0", v0, size)
        self._call(lib.carom_problem_set_velocities, *map(pointer_to, arrays))

    def set_momentum(self, f: Any) -> None:
        """v* = A⁻¹ f; f [num_unknowns] N s."""
        self._need_unfinished()
        self._call(
            lib.carom_problem_set_momentum, pointer_to(to_array("f", f, (self.sizes["num_unknowns"],)))
        )

    def add(
        self,
        *,
        blocks: Any,
        jacobian: Any,
        kind: str = "contact",
        mu: float = 0,
        radius: float = 0,
        low: float = 0,
        high: float = float("inf"),
        R: Any = None,
        v_hat: Any = None,
        guess: Any = None,
    ) -> int:
        """Adds a constraint; returns its number. blocks: those that it touches; jacobian: for each of them
        [rows, block size]; R [rows] 1/kg; v_hat [rows] m/s; guess [rows] N s. kind: "contact" (rows t1 t2 n),
        "disc", "bounds", "contact4", "contact6"."""
        self._need_unfinished()
        definition = ffi.new("carom_constraint_def*", lib.carom_constraint_def_default())
        definition.kind = word_value("carom_constraint_kind", kind)
        rows = _ROWS[kind]
        numbers = [self._block("blocks", block) for block in blocks]
        parts = list(jacobian)
        if len(parts) != len(numbers):
            raise refuse(
                f"jacobian has {len(parts)} parts, must have one for each of the {len(numbers)} blocks"
            )
        keep: list[Any] = [
            pointer_to(to_array(f"jacobian[{i}]", part, (rows, self._block_size(block))))
            for i, (block, part) in enumerate(zip(numbers, parts))
        ]
        definition.num_blocks = len(numbers)
        keep += [ffi.new("int[]", numbers or 1), ffi.new("double const*[]", keep[: len(numbers)] or 1)]
        definition.blocks, definition.jacobian = keep[-2], keep[-1]
        for name, number in (("mu", mu), ("radius", radius), ("low", low), ("high", high)):
            setattr(definition, name, to_number(name, number))
        for name, value in (("R", R), ("v_hat", v_hat), ("guess", guess)):
            if value is not None:
                keep.append(pointer_to(to_array(name, value, (rows,))))
                setattr(definition, name, keep[-1])
        index = ffi.new("int*")
        self._call(lib.carom_problem_add, definition, index)
        return index[0]

    def finish(self) -> None:
        """Completes the problem: factors A; after that it changes no more."""
        self._need_unfinished()
        self._call(lib.carom_problem_finish)
        self._is_finished = True

    def _get(self, name: str, size: str) -> Any:
        self._need_finished()
        return _view(getattr(lib, f"carom_problem_get_{name}")(self._open), (self.sizes[size],), self._ptr)

    @property
    def v_star(self) -> Array:
        """[num_unknowns] m/s; a read-only view, as all below."""
        return self._get("v_star", "num_unknowns")

    @property
    def v0(self) -> Array:
        """[num_unknowns] m/s."""
        return self._get("v0", "num_unknowns")

    @property
    def R(self) -> Array:
        """[num_rows] 1/kg."""
        return self._get("R", "num_rows")

    @property
    def v_hat(self) -> Array:
        """[num_rows] m/s."""
        return self._get("v_hat", "num_rows")

    @property
    def guess(self) -> Array | None:
        """[num_rows] N s; None where no constraint brought one."""
        return self._get("guess", "num_rows")

    @property
    def name(self) -> str:
        """Its name, empty where it has none."""
        return _text(self._ask(lib.carom_problem_get_name))

    @property
    def dt(self) -> float:
        """s; 0: not known."""
        return self._ask(lib.carom_problem_get_dt)

    def constraint(self, index: int) -> _structs.Constraint:
        """A constraint as it stands in the problem."""
        self._need_finished()
        number, count = to_whole("index", index), self.sizes["num_constraints"]
        if number >= count:
            raise missing("constraint", number, [str(i) for i in range(count)])
        return _structs.Constraint(self._ask(lib.carom_problem_get_constraint, number), self._ptr)

    def _solve_def(self, solver: str, friction: str, tolerance: float) -> Any:
        definition = ffi.new("carom_solve_def*", lib.carom_solve_def_default())
        definition.solver = word_value("carom_solver", solver)
        definition.friction = word_value("carom_friction", friction)
        definition.tolerance = to_number("tolerance", tolerance)
        return definition

    def solve(
        self,
        *,
        solver: str = "newton",
        friction: str = "convex",
        tolerance: float = 1e-6,
        max_iterations: int = 100,
        guess: Any = None,
    ) -> Solution:
        """Solves it; look at `solution.report.status`. friction: "convex" or "coulomb"; solver: "newton", "primal",
        "pgs", "apgd", "ipm"; guess [num_rows] N s, impulses to start from."""
        self._need_finished()
        sizes = self.sizes
        definition = self._solve_def(solver, friction, tolerance)
        definition.max_iterations = to_whole("max_iterations", max_iterations, 1)
        keep = None if guess is None else to_array("guess", guess, (sizes["num_rows"],))
        definition.guess = kept = pointer_to(keep)
        made = ffi.new("carom_solution**")
        self._call(lib.carom_problem_solve, definition, made)
        del kept
        return Solution(made[0], sizes)

    def evaluate(
        self, gamma: Any, v: Any = None, *, friction: str = "convex", tolerance: float = 1e-6
    ) -> Solution:
        """Measures velocities [num_unknowns] (None: those that the impulses give) and impulses [num_rows] from
        elsewhere as a solution."""
        self._need_finished()
        sizes = self.sizes
        given = to_array("gamma", gamma, (sizes["num_rows"],))
        speeds = None if v is None else to_array("v", v, (sizes["num_unknowns"],))
        made = ffi.new("carom_solution**")
        self._call(
            lib.carom_problem_evaluate,
            self._solve_def("newton", friction, tolerance),
            pointer_to(speeds),
            pointer_to(given),
            made,
        )
        return Solution(made[0], sizes)

    def __repr__(self) -> str:
        if self._ptr is None:
            return "<carom.Problem, closed>"
        sizes = self.sizes
        return f"<carom.Problem {self.name!r}: {sizes['num_unknowns']} unknowns, {sizes['num_constraints']} constraints>"
