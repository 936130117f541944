"""The extension, which make_binding.py writes: everything that the public headers declare."""

from typing import Any

ffi: Any
lib: Any
