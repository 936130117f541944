#!/usr/bin/env python3
"""Writes the binding of the public headers for CMake: _carom.c, the source of the extension, by cffi,
and the Python classes of what structs hold and of statuses, _structs.py and _errors.py, with the headers'
comments as their documentation. There is no other list of what the library declares.
Usage: make_binding.py ROOT CC FOLDER
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# What the preprocessor leaves out of declarations, and system headers, whose types cffi knows.
NEUTRAL = ["CAROM_EXPORT_H", "CAROM_API=", "CAROM_BEGIN_DECLS=", "CAROM_END_DECLS="]
SYSTEM_HEADERS = ["stdbool.h", "stddef.h", "stdint.h"]

# Structs that become classes: all that end with `_info`, and these.
REPORTS = [
    "carom_step_report",
    "carom_solve_report",
    "carom_energy",
    "carom_surface",
    "carom_reaction",
    "carom_ray_hit",
    "carom_distance",
    "carom_html_report",
    "carom_convert_report",
    "carom_frame",
]
INFO_NAMES = {"carom_recording_info": "RecordingInfo"}
SHORT = {"q_address": "q_start", "v_address": "v_start"}  # what Python calls them too
BUILT_IN = {
    "INVALID_ARGUMENT": "ValueError",
    "BAD_INPUT": "ValueError",
    "FILE": "OSError",
    "OUT_OF_MEMORY": "MemoryError",
    "UNSUPPORTED": "NotImplementedError",
    "NUMERICAL": "ArithmeticError",
}
NUMBERS = {
    "double": "float",
    "float": "float",
    "int": "int",
    "int64_t": "int",
    "uint32_t": "int",
    "int32_t": "int",
    "bool": "bool",
}


# ---- the C side -----------------------------------------------------------------------------------


def preprocess(root, cc, sources):
    """The declarations of headers, without attributes and comments."""
    with tempfile.TemporaryDirectory() as folder:
        for name in SYSTEM_HEADERS:
            (pathlib.Path(folder) / name).touch()
        command = [
            cc,
            "-E",
            "-P",
            "-nostdinc",
            f"-I{folder}",
            f"-I{root}/include",
            f"-I{root}/python",
            "-xc",
            "-",
        ]
        text = "".join(f'#include "{source}"\n' for source in sources)
        return subprocess.run(
            command + [f"-D{name}" for name in NEUTRAL],
            input=text,
            text=True,
            capture_output=True,
            check=True,
        ).stdout


def constants(headers):
    """Macros that are whole numbers, which the compiler evaluates."""
    names = re.findall(r"^#define (CAROM_\w+)\s+(?:\\\s*)?[\d(]", headers, re.MULTILINE)
    return "".join(f"#define {name} ...\n" for name in names)


def write_binding(root, cc, headers, output):
    from cffi import FFI

    ffi = FFI()
    sources = ["carom/carom.h", "binding.h"]
    ffi.cdef(preprocess(root, cc, sources) + constants(headers))
    ffi.set_source("carom._carom", "".join(f'#include "{source}"\n' for source in sources))
    ffi.emit_c_code(str(output))


# ---- the Python side ------------------------------------------------------------------------------


def clean(comment):
    """A comment as one line."""
    return re.sub(r"\s+", " ", re.sub(r"\n\s*\*\s?", " ", comment or "")).strip().replace("\\", "\\\\")


def fields_of(body):
    """Yields (type, pointers, name, length, documentation) of a struct's fields. A comment counts for
    the fields before it that have none."""
    body = re.sub(r"/\*(?!\*<).*?\*/", "", body, flags=re.DOTALL)
    for declaration, comment in re.findall(r"([^;]+);\s*(?:/\*\*<(.*?)\*/)?", body, re.DOTALL):
        declaration = " ".join(re.sub(r"/\*.*?\*/", "", declaration, flags=re.DOTALL).split())
        if "(" in declaration or not declaration:
            continue
        if not re.match(r"((?:const )?\w+)(.*)", declaration):
            sys.exit(f"make_binding: cannot read {declaration!r}")
        kind, names = re.match(r"((?:const )?\w+)(.*)", declaration).groups()
        for part in names.split(","):
            pointers, name, length = re.match(r"[\s*]*(?:const\*\s*)?()(\w+)(?:\[(\d+)\])?", part).groups()
            pointers = part.count("*")
            yield kind.removeprefix("const "), pointers, name, length and int(length), clean(comment)


def structs_of(headers):
    """Documented structs: name to (documentation, fields)."""
    pattern = r"(?:/\*\*((?:(?!\*/).)*)\*/\s*)?typedef struct (carom_\w+) \{(.*?)\n\} \2;"
    return {
        name: (clean(doc), list(fields_of(body)))
        for doc, name, body in re.findall(pattern, headers, re.DOTALL)
    }


def enums_of(headers):
    return set(re.findall(r"typedef enum (carom_\w+)", headers))


def class_name(struct):
    if struct in INFO_NAMES:
        return INFO_NAMES[struct]
    return "".join(word.capitalize() for word in struct.removesuffix("_info").split("_")[1:])


def shape_of(doc):
    """The length of a pointed-to array: `[3 num_nodes]` is ("self._c.num_nodes", 3)."""
    match = re.match(r"\[((?:\w+ )*)(\w+)\]", doc)
    if not match:
        return None
    factors = match.group(1).split()
    own = [factor if factor.isdigit() else f"self._c.{factor}" for factor in factors]
    return f"self._c.{match.group(2)}", *own


def accessor(kind, pointers, name, length, doc, known):
    """(annotation, expression) of a property, or None for what Python has no use of."""
    field = f"self._c.{name}"
    if kind == "char" and pointers == 1:
        return "str", f"_text({field})"
    if kind == "carom_error":
        return "str", f"_text({field}.message)"
    if pointers == 1 and kind in ("double", "int"):
        shape = shape_of(doc)
        sizes = [size for size in shape or () if not size.isdigit()]
        if not shape or any(size.removeprefix("self._c.") not in known for size in sizes):
            return None
        return "Array | None", f"_view({field}, ({', '.join(shape)},), self._owner)"
    if pointers:
        return None
    if kind in NUMBERS:
        return ("Array", f"_array({field})") if length else (NUMBERS[kind], field)
    if kind in ENUMS:
        return "str", f'_word("{kind}", {field})'
    if kind in STRUCTS and kind in REPORTS:
        return class_name(kind), f"{class_name(kind)}({field}, self._owner)"
    return None


def property_of(field, known):
    kind, pointers, name, length, doc = field
    found = accessor(kind, pointers, name, length, doc, known)
    if not found:
        return ""
    text = f"[{length}] {doc}".strip() if length else doc
    body = f'        """{text}"""\n' if text else ""
    names = [name, SHORT[name]] if name in SHORT else [name]
    return "".join(
        f"\n    @property\n    def {name}(self) -> {found[0]}:\n{body}        return {found[1]}\n"
        for name in names
    )


def class_of(struct):
    doc, fields = STRUCTS[struct]
    known = {field[2] for field in fields}
    body = "".join(property_of(field, known) for field in fields)
    base = "Part" if struct.endswith("_info") else "Struct"
    return f'\n\nclass {class_name(struct)}({base}):\n    """{doc}"""\n\n    __slots__ = ()\n{body}'


def define_of(struct):
    """What a definition's fields mean, for the methods that take them as keywords."""
    doc, fields = STRUCTS[struct]
    lines = [
        f"    {name}{f' [{length}]' if length else ''}: {text}".rstrip(": ")
        for _, _, name, length, text in fields
        if name not in ("cookie", "source", "allocator")
    ]
    return doc + "\n\n" + "\n".join(lines)


def write_structs(output):
    classes = [name for name in STRUCTS if name.endswith("_info")]
    order = [name for name in REPORTS if name in STRUCTS] + classes
    # What others hold comes first; Python resolves annotations late, so any order will do.
    text = '"""What structs of the library hold. Written by make_binding.py from the public headers."""\n'
    text += "from __future__ import annotations\n\n"
    text += "from ._lib import Array, Part, Struct, _array, _text, _view, _word\n"
    text += "".join(class_of(name) for name in order)
    defs = {name: define_of(name) for name in STRUCTS if name.endswith("_def")}
    shapes = {
        name: {field[2]: shape_of(field[4]) for field in fields if field[1] and shape_of(field[4])}
        for name, (_, fields) in STRUCTS.items()
    }
    shapes = {
        name: {key: tuple(size.removeprefix("self._c.") for size in value) for key, value in found.items()}
        for name, found in shapes.items()
        if found
    }
    text += f"\n\n# What the fields of definitions mean, and the shapes of their arrays.\nDOCS = {defs!r}\n"
    text += f"SHAPES = {shapes!r}\n"
    output.write_text(text, encoding="utf-8")


ERROR = '''"""Exceptions, one for each status. Written by make_binding.py from carom/status.h."""


class Error(Exception):
    """What the library refuses, in its own sentence; `status` is the name of its status."""

    status = ""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""
'''


def write_errors(headers, output):
    """CAROM_ERROR_BAD_INPUT is BadInputError, a ValueError too."""
    text, found = ERROR, {}
    for word, value, meaning in re.findall(r'X\((\w+), (\d+), "([^"]+)"\)', headers):
        name = "".join(part.capitalize() for part in word.split("_")) + "Error"
        bases = ", ".join(["Error", *filter(None, [BUILT_IN.get(word)])])
        text += f'\n\nclass {name}({bases}):\n    """{meaning[0].upper()}{meaning[1:]}."""\n\n'
        text += f'    status = "{word.lower()}"\n'
        found[value] = name
    text += (
        "\n\nERRORS: dict[int, type[Error]] = {"
        + ", ".join(f"{value}: {name}" for value, name in found.items())
        + "}\n"
    )
    text += f"__all__ = {['Error', *found.values()]!r}\n"
    output.write_text(
        text + "for _error in [Error, *ERRORS.values()]:\n    _error.__module__ = 'carom'\n", encoding="utf-8"
    )


if __name__ == "__main__":
    root_folder, compiler, folder = sys.argv[1:]
    root_folder, folder = pathlib.Path(root_folder), pathlib.Path(folder)
    paths = sorted((root_folder / "include" / "carom").glob("*.h"))
    text_of_headers = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    STRUCTS, ENUMS = structs_of(text_of_headers), enums_of(text_of_headers)
    write_binding(root_folder, compiler, text_of_headers, folder / "_carom.c")
    write_structs(folder / "_structs.py")
    write_errors(text_of_headers, folder / "_errors.py")
