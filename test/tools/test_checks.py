"""Tests of the checks in tools/: each finds what it forbids and lets pass what it allows.
Run: python3 -m unittest discover test/tools"""
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"


def load(name):
    """The script as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(TOOLS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class Tree(unittest.TestCase):
    """A source tree in a temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


def quietly(function, *arguments):
    """Returns the result and what was printed."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        result = function(*arguments)
    return result, printed.getvalue()


class Layers(Tree):
    check_layers = load("check_layers")

    def setUp(self):
        super().setUp()
        self.write("include/carom/types.h", "#include <stdint.h>\n")
        for module in ("base", "math", "tree", "geom", "sim"):
            self.write(f"src/{module}/{module}.h", "")

    def complaints(self):
        return quietly(self.check_layers.check, self.root)[0][2]

    def expect(self, allowed, name, text):
        self.write(name, text)
        self.assertEqual(self.complaints(), 0 if allowed else 1, f"{name}: {text}")
        (self.root / name).unlink()

    def test_modules(self):
        self.expect(True, "src/tree/a.c", '#include "tree/tree.h"\n#include "base/base.h"\n')
        self.expect(True, "src/sim/a.c", '#include "tree/tree.h"\n#include "geom/geom.h"\n')
        self.expect(True, "src/base/a.c", '#include "carom/types.h"\n#include <math.h>\n')
        self.expect(False, "src/tree/a.c", '#include "geom/geom.h"\n')
        self.expect(False, "src/tree/a.c", '  #  include "sim/sim.h"\n')
        self.expect(False, "src/tree/a.c", '#include "tree.h"\n')
        self.expect(False, "src/tree/a.c", '#include "tree/missing.h"\n')
        self.expect(False, "src/tree/a.c", '#include "../sim/sim.h"\n')
        self.expect(False, "src/tree/a.c", '#include "carom/missing.h"\n')
        self.expect(False, "src/tree/a.c", "#include <carom/types.h>\n")
        self.expect(False, "src/unheard/a.c", "#include <math.h>\n")

    def test_knots(self):
        """Units that include each other in a circle, x.c and x.h being one: three may, four may not."""
        units = "abcd"
        for unit, used in zip(units, "bcaa"):
            self.write(f"src/tree/{unit}.h", "")
            self.write(f"src/tree/{unit}.c", f'#include "tree/{unit}.h"\n#include "tree/{used}.h"\n')
        self.assertEqual({frozenset(f"tree/{unit}" for unit in "abc")}, self.check_layers.knots(self.root, "tree"))
        self.assertEqual(0, quietly(self.check_layers.check_knots, self.root)[0])
        self.write("src/tree/c.c", '#include "tree/d.h"\n')
        self.assertEqual(1, quietly(self.check_layers.check_knots, self.root)[0])

    def test_public_headers(self):
        self.expect(True, "include/carom/a.h", '#include "carom/types.h"\n#include <stddef.h>\n')
        self.expect(False, "include/carom/a.h", '#include "base/base.h"\n')
        self.expect(False, "include/carom/a.h", "#include <unistd.h>\n")

    def test_users_of_the_library(self):
        for folder in ("cli", "samples", "bench/drop"):
            self.write(f"{folder}/own.h", "")
            self.expect(True, f"{folder}/a.c", '#include "carom/types.h"\n#include "own.h"\n')
            self.expect(False, f"{folder}/a.c", '#include "tree/tree.h"\n')

    def test_headers_of_all_benchmarks(self):
        self.write("bench/clock.h", "")
        for folder in ("bench/drop", "bench/tree"):
            self.expect(True, f"{folder}/a.c", '#include "clock.h"\n')
            self.expect(False, f"{folder}/a.c", '#include "clocks.h"\n')
        self.expect(False, "cli/a.c", '#include "clock.h"\n')

    def test_benchmark_of_a_module(self):
        self.expect(True, "bench/tree/a.c", '#include "tree/tree.h"\n#include "base/base.h"\n')
        self.expect(False, "bench/tree/a.c", '#include "geom/geom.h"\n')
        self.write("test/support/shared.h", "")
        self.expect(True, "bench/tree/a.c", '#include "support/shared.h"\n')
        self.expect(False, "bench/tree/a.c", '#include "support/missing.h"\n')
        self.expect(False, "bench/drop/a.c", '#include "support/shared.h"\n')
        self.expect(False, "src/tree/a.c", '#include "support/shared.h"\n')

    def test_support_of_the_tests(self):
        self.write("test/support/scene.h", "")
        self.expect(True, "bench/tree/a.c", '#include "support/scene.h"\n')
        self.expect(False, "bench/tree/a.c", '#include "support/missing.h"\n')
        for folder in ("bench/drop", "cli", "samples", "src/sim"):
            self.expect(False, f"{folder}/a.c", '#include "support/scene.h"\n')

    def test_apps(self):
        self.write("apps/common/error.h", "")
        self.write("apps/plot/chart.h", "")
        for folder in ("apps/plot", "apps/render", "cli", "cli/live", "python"):
            self.expect(True, f"{folder}/a.c", '#include "common/error.h"\n')
        for name in ("apps/render/b.c", "cli/b.c"):
            self.expect(True, name, '#include "plot/chart.h"\n')
        self.expect(False, "apps/common/b.c", '#include "plot/chart.h"\n')
        self.write("apps/common/b.c", "")
        self.expect(False, "samples/b.c", '#include "common/error.h"\n')


DOCS = "docs"  # apart, so that the check does not look for the documents below in this repository


class Documents(Tree):
    check_docs = load("check_docs")

    def complaints(self):
        names = self.check_docs.list_files(self.root)
        return sorted(f"{name}:{line}: {text}" for name, line, text in self.check_docs.check(self.root, names))

    def test_lines_of_prose(self):
        long = 51 * "é " + "\n"
        self.write(f"{DOCS}/a.md", f"{50 * 'é '}\n| {long}    {long}```\n{long}```\n")
        self.write("src/sim/notes.md", long)
        self.assertEqual(self.complaints(), [])
        for name in ("README.md", f"{DOCS}/notes/b.md"):
            self.write(name, f"first\n{long}")
        self.assertEqual(self.complaints(), [f"{name}:2: 102 characters, at most 100"
                                             for name in ("README.md", f"{DOCS}/notes/b.md")])

    def test_lines_of_pages(self):
        long = 51 * "a " + "\n"
        self.write(f"{DOCS}/man/carom-run.1", f".nf\n{long}.fi\n{50 * 'a '}\n")
        self.assertEqual(self.complaints(), [])
        self.write(f"{DOCS}/man/carom-run.1", f".nf\n{long}.fi\n{long}")
        self.assertEqual(self.complaints(), [f"{DOCS}/man/carom-run.1:4: 102 characters, at most 100"])

    def test_options(self):
        self.write(f"{DOCS}/man/carom-run.1", ".TP\n\\fB\\-\\-save\\-state\\fR \\fIFILE\\fR\nWhere.\n")
        self.write("README.md", "    carom run a.xml --save-state b && carom dance --on\n`carom run`, or --off\n")
        self.write(f"{DOCS}/notes/b.md", "`carom run --rate 60`\n")
        self.assertEqual(self.complaints(), [])
        self.write("README.md", "`carom run a.xml --save-state b --rate 60`\n")
        self.assertEqual(self.complaints(), ["README.md:1: carom run has no --rate"])

    def test_links(self):
        self.write(f"{DOCS}/a.md", "[b](notes/b.md) [c](https://c.org/c.md) [d](#d)\n")
        self.write(f"{DOCS}/notes/b.md", "![a](../a.md)\n")
        self.write("src/sim/a.c", f"/* {DOCS}/a.md */\n")
        self.assertEqual(self.complaints(), [])
        self.write(f"{DOCS}/notes/b.md", "[a](a.md)\n")
        self.write("src/sim/a.c", f"/*\n{DOCS}/c.md */\n")
        self.assertEqual(self.complaints(),
                         [f"{DOCS}/notes/b.md:1: there is no a.md", f"src/sim/a.c:2: there is no {DOCS}/c.md"])


    def test_sources(self):
        self.write("src/sim/a.c", "")
        self.write(f"{DOCS}/a.md", "`a.c`, `sim/a.c`, `src/sim/a.c`\n")
        self.write(f"{DOCS}/notes/b.md", "`b.c`\n")
        self.assertEqual(self.complaints(), [])
        self.write(f"{DOCS}/a.md", "`a.h`\n`tree/a.c`\n")
        self.assertEqual(self.complaints(),
                         [f"{DOCS}/a.md:1: there is no a.h", f"{DOCS}/a.md:2: there is no tree/a.c"])


class Tuning(Tree):
    check_tuning = load("check_tuning")

    def check(self):
        return quietly(self.check_tuning.check, self.root)[0]

    def test_what_counts(self):
        path = self.write("src/solve/a.c", "#define A 3 /* x */\n#define B (2 * A)\n#define C A\n#define D(x) (x)\n"
                                           "/* #define E 3 */\nstatic const double F = 1e-3, *p;\n"
                                           "enum { G = 4, H, I = 1 << 3 };\nstatic const int J = K;\n")
        self.assertEqual([name for name, _ in self.check_tuning.numbers(path)], ["A", "B", "F", "G"])

    def test_most(self):
        most = self.check_tuning.MOST
        lines = [f"#define A{i} {i} /* meaning */\n" for i in range(most + 1)]
        self.write("src/solve/tuning.h", "".join(lines[:most]))
        self.assertEqual(self.check(), (most, 0))
        self.write("src/solve/tuning.h", "".join(lines))
        self.assertEqual(self.check(), (most + 1, 1))

    def test_meaning(self):
        self.write("src/solve/tuning.h", "#define A 3\n")
        self.assertEqual(self.check(), (1, 1))


class Functions(Tree):
    check_functions = load("check_functions")

    def check(self):
        return quietly(self.check_functions.check, self.root)

    def function(self, name, lines):
        return f"int {name}(void) {{\n" + "  ;\n" * (lines - 2) + "}\n"

    def test_lengths(self):
        text = (
            "/* { */ // {\n#define OPEN \\\n  {\n"
            'static const char* text = "{\\"{";\n'
            "typedef struct pair {\n  int a;\n} pair;\n"
            "static inline int one(void) { return '{'; }\n"
            "__attribute__((format(printf, 1, 2))) int\ntwo(int a,\n    int b) {\n  if (a) {\n  }\n}\n"
            "int table[] = {sizeof(int)};\n"
            "int declared(void);\n" + self.function("three", 7))
        path = self.write("src/base/a.c", text)
        found = [(name, length) for name, _, length, _ in self.check_functions.functions(path)]
        self.assertEqual(found, [("one", 1), ("two", 6), ("three", 7)])

    def test_longest(self):
        self.write("src/base/a.c", "".join(self.function(f"f{i}", 3) for i in range(20)))
        self.write("cli/a.c", self.function("main", 60))
        self.assertEqual(self.check()[0], 0)
        self.write("cli/a.c", self.function("main", 61))
        complaints, printed = self.check()
        self.assertEqual(complaints, 1)
        self.assertIn("cli/a.c:1: main has 61 lines", printed)

    def test_statistics(self):
        lengths = [5] * 5 + [15] * 4 + [55]
        text = "".join(self.function(f"f{i}", length) for i, length in enumerate(lengths))
        self.write("src/base/a.c", text)
        self.assertEqual(self.check()[0], 0)
        self.write("src/base/b.c", self.function("long", 51))
        self.assertEqual(self.check()[0], 1)
        self.write("src/base/c.c", "".join(self.function(f"g{i}", 16) for i in range(12)))
        complaints, printed = self.check()
        self.assertEqual(complaints, 1)
        self.assertIn("the median function has 16 lines", printed)

    def test_long_file_is_named(self):
        self.write("src/base/a.c", self.function("f", 3) + "\n" * 600)
        complaints, printed = self.check()
        self.assertEqual(complaints, 0)
        self.assertIn("src/base/a.c: note: 603 lines", printed)

    def test_arguments(self):
        head = "int {}(int (*call)(int, int), {}) {{\n}}\n"
        more = ", ".join(f"int a{i}" for i in range(7))
        self.write("src/base/a.c", head.format("f", more[: -len(", int a6")]))
        self.assertEqual(self.check()[0], 0)
        self.write("src/base/a.c", head.format("f", more))
        complaints, printed = self.check()
        self.assertEqual(complaints, 1)
        self.assertIn("src/base/a.c:1: f has 8 arguments", printed)
        self.write("src/base/a.c", head.format("linearize", more))
        self.assertEqual(self.check()[0], 0)

    def test_nothing_found_is_a_failure(self):
        self.assertEqual(self.check()[0], 1)


class Attributes(unittest.TestCase):
    def test_document_holds_what_the_reader_knows(self):
        code, out = quietly(load("list_attributes").main)
        self.assertEqual((code, out), (0, ""))

    def test_rows(self):
        module = load("list_attributes")
        macros = module.read_macros('#define WHY "of " OTHER\n#define OTHER "it"\n#define TWO CR_NUMBER("b", t, b, X)\n')
        rows = module.read_rows('CR_WORD("a", t, a, W), TWO, CR_NOTED("c", WHY), CR_REFUSED("d", "0", "no"),', macros)
        self.assertEqual(sorted(rows), [("a", "used", ""), ("b", "used", ""), ("c", "noted", "of it"),
                                        ("d", "refused", "no")])


if __name__ == "__main__":
    unittest.main()
