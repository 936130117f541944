"""The program `carom`, as far as it needs neither cairo nor a graphics library: python -m carom help."""

from __future__ import annotations

import os
import signal
import sys


def main() -> int:
    if sys.argv[1:2] == ["sweep"] or sys.argv[1:3] == ["help", "sweep"]:
        from ._sweep_command import main as sweep

        return sweep(["--help"] if sys.argv[1] == "help" else sys.argv[2:])
    from ._carom import ffi, lib

    # Python ignores SIGPIPE and watches SIGINT; the program wants the system's ways.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    words = [ffi.new("char[]", os.fsencode(word)) for word in ["carom", *sys.argv[1:]]]
    arguments = ffi.new("char*[]", [*words, ffi.NULL])
    sys.stdout.flush()
    code = lib.carom_python_main(len(words), arguments)
    if code == 0 and sys.argv[1:] in (["help"], ["--help"], ["-h"]):
        print("\nOf the Python package:\n  sweep SCENE         Simulate copies with other numbers (carom help sweep)")
    return code


if __name__ == "__main__":
    sys.exit(main())
