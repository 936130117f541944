"""Help, manual pages and the program agree on the options; the pages are well formed."""
import re
import shutil
import subprocess
import unittest

import support

COMMANDS = ["run", "info", "eval", "solve", "view", "render", "plot", "report", "sweep", "convert", "bench"]
MAN = support.ROOT / "docs/man"

# "-o, --output FILE.h5" in help, the same with font changes in a page.
HELP = re.compile(r"^  (?:-(\w), |    )--([a-z-]+)(?: ([^ ]+))?(?:  .*)?$", re.MULTILINE)
PAGE = re.compile(r"^\.TP\n(?:\\fB\\-(\w)\\fR, )?\\fB\\-\\-([a-z\\-]+)\\fR(?: \\fI(\S+)\\fR)?$", re.MULTILINE)


class Help(support.Case):
    def options_of_help(self, command):
        text = self.carom("help", command).out
        return sorted(match.groups(default="") for match in HELP.finditer(text))

    def options_of_page(self, command):
        text = (MAN / f"carom-{command}.1").read_text(encoding="utf-8")
        return sorted((letter or "", name.replace("\\", ""), value or "")
                      for letter, name, value in PAGE.findall(text))

    def test_same_options(self):
        for command in COMMANDS:
            options = self.options_of_help(command)
            self.assertIn(("h", "help", ""), options)
            self.assertEqual(options, self.options_of_page(command), command)
        self.assertEqual(len(self.options_of_help("run")), 43)

    def test_every_option_is_known(self):
        for command in COMMANDS:
            for letter, name, value in self.options_of_help(command):
                for option in [f"--{name}"] + ([f"-{letter}"] if letter else []):
                    arguments = [command, option, "1"] if value else [command, option]
                    if command == "bench":  # which has scenes of its own
                        arguments.append("nothing.xml")
                    result = subprocess.run([support.CAROM, *arguments], text=True, capture_output=True, check=False)
                    self.assertNotIn("unknown option", result.stderr)

    def test_help_in_all_forms(self):
        self.write("scene.xml")
        for command in COMMANDS:
            texts = {self.carom(*arguments).out
                     for arguments in (["help", command], [command, "--help"], [command, "-h"])}
            self.assertEqual(len(texts), 1)
        texts = {self.carom(*arguments).out for arguments in (["help"], ["--help"], ["-h"])}
        self.assertEqual(len(texts), 1)
        for command in COMMANDS:
            self.assertIn(f"  {command} ", texts.copy().pop())

    def test_lines_are_short(self):
        for arguments in [["help"]] + [["help", command] for command in COMMANDS]:
            for line in self.carom(*arguments).out.splitlines():
                self.assertLessEqual(len(line), 100, line)

    def test_version(self):
        version, formats = self.carom("--version").out.splitlines()
        self.assertEqual(version, "carom 0.1.0")
        self.assertIn(formats, ["meshes: stl obj msh vtk vtu", "meshes: stl obj msh vtk vtu dae gltf glb"])

    def test_defaults_are_those_of_help(self):
        # What help says in parentheses is what a run does.
        self.write("scene.xml")
        options = ["--duration", "0.1", "--json"]
        plain = self.carom("run", "scene.xml", *options).json
        explicit = self.carom("run", "scene.xml", *options, "--scheme", "midpoint", "--contact", "implicit",
                              "--relinearise", "0", "--friction", "coulomb", "--patches", "corners", "--patch-error", "0.1", "--forces", "found", "--sigma", "0", "--beta", "0",
                              "--solver", "newton", "--soft-solver", "auto", "--tolerance", "1e-6",
                              "--threads", "1").json
        self.assertEqual(plain["final"], explicit["final"])


class Pages(unittest.TestCase):
    def test_pages_are_well_formed(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        for page in sorted(MAN.glob("*.1")):
            result = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", str(page)], text=True,
                                    capture_output=True, check=False)
            self.assertEqual([result.returncode, result.stderr], [0, ""], page.name)

    def test_there_is_a_page_for_each_command(self):
        names = sorted(page.name for page in MAN.glob("*"))
        self.assertEqual(names, sorted(["carom.1"] + [f"carom-{command}.1" for command in COMMANDS]))


if __name__ == "__main__":
    support.main()
