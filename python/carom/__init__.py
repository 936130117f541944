"""Dynamics of rigid, articulated and soft bodies in frictional contact.

    import carom
    model = carom.load("scene.xml")
    sim = carom.Sim(model, dt=0.005)
    report = sim.step(400)
    print(sim.time, sim.q, report.contacts)

Every array over the simulation's memory says its shape, unit, frame and lifetime in its docstring. Errors are
subclasses of `carom.Error` with the library's sentence.
"""

from ._batch import Batch, Linearizations, Rollout, rollout
from ._builder import Builder, Handle
from ._derivatives import Gradient, Jacobian, Linearization, Sensitivity, Tape
from ._design import Span, grid, span
from ._errors import *
from ._errors import __all__ as _errors
from ._identify import Fit, identify
from ._lib import NotFoundError
from ._lib import ffi as _ffi
from ._lib import lib as _lib
from ._model import Model, Parts, load, loads
from ._parameter import Parameter, Parameters
from ._problem import Problem, Solution
from ._recording import Frame, Recorder, Recording
from ._sim import Dynamics, Readings, Sim, SimOptions, StepReport
from ._structs import Energy
from ._sweep import Table, sweep

__version__: str = _ffi.string(_lib.carom_version()).decode()
__all__ = [
    "Batch",
    "Builder",
    "Dynamics",
    "Energy",
    "Fit",
    "Frame",
    "Gradient",
    "Handle",
    "Jacobian",
    "Linearization",
    "Linearizations",
    "Model",
    "NotFoundError",
    "Parameter",
    "Parameters",
    "Parts",
    "Problem",
    "Readings",
    "Recorder",
    "Recording",
    "Rollout",
    "Sensitivity",
    "Sim",
    "SimOptions",
    "Solution",
    "Span",
    "StepReport",
    "Table",
    "Tape",
    "grid",
    "identify",
    "load",
    "loads",
    "rollout",
    "span",
    "sweep",
]
__all__ += _errors
