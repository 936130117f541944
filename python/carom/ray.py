"""An executor for `carom.sweep` on Ray, which has none of this interface: carom.ray.Executor().

    import ray, carom.ray
    ray.init()
    table = carom.sweep(model, axes, measure, carom.ray.Executor())
"""

from __future__ import annotations

import concurrent.futures
from typing import Any, Callable

import ray


def _call(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    return function(*arguments, **keywords)


class Executor(concurrent.futures.Executor):
    """Runs calls as tasks of Ray. Those of workers that are lost run again, as often as `max_retries` says; this
    and other options are those of `ray.remote`, such as num_cpus."""

    def __init__(self, **options: Any):
        self._task: Any = ray.remote(**options)(_call) if options else ray.remote(_call)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> concurrent.futures.Future[Any]:
        future: concurrent.futures.Future[Any] = self._task.remote(fn, args, kwargs).future()
        return future
