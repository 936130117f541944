"""What README shows is what is there, and its commands work."""
import re
import shlex

import support

README = (support.ROOT / "README.md").read_text(encoding="utf-8")


class Readme(support.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        support.allow_leaks()

    def block(self, language, index=0):
        return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)[index]

    def test_first_scene(self):
        self.assertEqual(self.block("xml"), (support.ROOT / "samples/first_scene.xml").read_text(encoding="utf-8"))

    def test_first_program(self):
        self.assertEqual(self.block("c"), (support.ROOT / "samples/first_program.c").read_text(encoding="utf-8"))

    def test_first_python_program(self):
        self.assertEqual(self.block("python"), (support.ROOT / "samples/python/first_program.py").read_text(encoding="utf-8"))

    def test_problem(self):
        self.assertEqual(self.block("c", 1), (support.ROOT / "samples/two_contacts.c").read_text(encoding="utf-8"))

    def test_commands(self):
        commands = re.findall(r"^    build/release/cli/carom (.*)$", README, re.MULTILINE)
        self.assertGreater(len(commands), 3)
        for folder in ("samples", "scenes"):
            (self.folder / folder).symlink_to(support.ROOT / folder)
        for command in commands:
            arguments = shlex.split(command, comments=True)
            if arguments[0] in ("run", "sweep") and support.IS_SLOW and "--dump-problems" not in arguments:
                arguments += ["--duration", "0.1"]
            if arguments[0] == "view":
                self.check_served(arguments)
                continue
            self.carom(*arguments)

    def check_served(self, arguments):
        """The program serves until it is stopped. No browser is opened here."""
        process = self.start(*(argument for argument in arguments if argument != "--open"))
        self.assertIn("is shown at http://127.0.0.1:", process.stdout.readline())

    def test_folders_are_there(self):
        for name in re.findall(r"`([a-z]+)/`", README):
            self.assertTrue((support.ROOT / name).is_dir(), name)


if __name__ == "__main__":
    support.main()
