"""Dynamics of rigid, articulated and soft bodies in frictional contact.

    import carom
    model = carom.load("scene.xml")
    sim = carom.Sim(model, dt=0.005)
    report = sim.step(400)
    print(sim.time, sim.q, report.contacts)

Every array over the simulation's memory says its shape, unit, frame and lifetime in its docstring. Errors are
subclasses of `carom.Error` with the library's sentence.
"""
from ._batch import Batch, Rollout, rollout
from ._builder import Builder, Handle
from ._lib import ERRORS as _ERRORS
from ._lib import Error, NotFoundError, ffi as _ffi, lib as _lib
from ._model import Model, Parts, load, loads
from ._problem import Problem, Solution
from ._recording import Frame, Recorder, Recording
from ._sim import Dynamics, Readings, Sim, SimOptions, StepReport
from ._structs import Energy

globals().update({_error.__name__: _error for _error in _ERRORS.values()})
__version__ = _ffi.string(_lib.carom_version()).decode()
__all__ = ["Batch", "Builder", "Dynamics", "Energy", "Error", "Frame", "Handle", "Model", "NotFoundError", "Parts", "Problem",
           "Readings", "Recorder", "Recording", "Rollout", "Sim", "SimOptions", "Solution", "StepReport", "load", "loads", "rollout",
           *(_error.__name__ for _error in _ERRORS.values())]
