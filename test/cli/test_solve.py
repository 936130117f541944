"""carom solve: what it prints, its exit codes, and the problems that runs leave for it."""
import json

import support

KEYS = ["version", "file", "solver", "friction", "contacts", "dofs", "status", "iterations", "outer_iterations",
        "wall_time", "primal_cost", "cost", "gap", "relative_gap", "velocity_error_bound", "residual", "row_residual",
        "momentum", "stick_slip", "float"]

# A unit mass that falls at 1 m/s and slides at 3 m/s along t1, mu 1/2; w = sqrt(3) / 3, R_n = 1e-4, R_t = sigma w.
TEXT = """sapproblem 1
one
dt 0.01  beta 0  sigma {sigma}
blocks 1
3  1 0 0  0 1 0  0 0 1
vstar 3  3 0 -1
v0 3  3 0 -0.9
contacts 1
0 -1 {phi} 0.5 1e8 0  1 0 0  0 1 0  0 0 1
end
"""


def problem(sigma=1e-4, phi=0):
    return TEXT.format(sigma=sigma, phi=phi)


class Solve(support.Case):
    def solve(self, *arguments, code=0):
        return self.carom("solve", *arguments, "--json", code=code).json

    def test_keys(self):
        self.write("p.txt", problem())
        result = self.solve("p.txt")
        self.assertEqual(len(result), 1)
        self.assertEqual(list(result[0]), KEYS)
        one = result[0]
        self.assertEqual([one["file"], one["solver"], one["friction"], one["contacts"], one["dofs"], one["status"]],
                         ["p.txt", "newton", "convex", 1, 3, "certified"])
        self.assertAlmostEqual(one["primal_cost"], -one["cost"], places=10)
        self.assertLess(one["relative_gap"], 1e-10)
        self.assertLess(one["residual"], 1e-6)

    def test_vectors(self):
        self.write("p.txt", problem())
        one = self.solve("p.txt", "--friction", "coulomb", "--tolerance", "1e-9", "--vectors")[0]
        self.assertEqual(list(one), KEYS + ["v", "u", "impulses"])
        # (1 + R_n) gamma_n = 1, and friction takes half of it.
        normal = 1 / (1 + 1e-4)
        self.assertNear(one["impulses"], [-0.5 * normal, 0, normal], 1e-8)
        self.assertNear(one["v"], [3 - 0.5 * normal, 0, normal - 1], 1e-8)
        self.assertNear(one["u"], one["v"], 1e-15)
        self.assertIsNone(one["gap"])

    def test_convex_floats(self):
        self.write("p.txt", problem())
        one = self.solve("p.txt", "--tolerance", "1e-9")[0]
        self.assertGreater(one["float"], 1)

    def test_solvers_agree(self):
        self.write("p.txt", problem(sigma=1e-2, phi=-1e-3))
        both = [self.solve("p.txt", "--solver", solver, "--vectors", "--tolerance", "1e-8")[0]
                for solver in ("newton", "primal", "pgs", "apgd", "ipm")]
        self.assertEqual([one["solver"] for one in both], ["newton", "primal", "pgs", "apgd", "ipm"])
        for other in both[1:]:
            self.assertNear(both[0]["v"], other["v"], 1e-7)

    def test_eta(self):
        self.write("p.txt", problem())
        one = self.solve("p.txt", "--eta", "1", "--friction", "coulomb", "--tolerance", "1e-9", "--vectors")[0]
        self.assertAlmostEqual(one["impulses"][2], 1 / (2 + 1e-4), places=8)

    def test_table(self):
        self.write("a.txt", problem())
        self.write("b.txt", problem(phi=1))
        lines = self.carom("solve", "a.txt", "b.txt").out.splitlines()
        self.assertEqual(len(lines), 4)
        self.assertEqual(lines[0], "newton, convex friction, tolerance 1e-06")
        self.assertEqual(lines[1].split()[:3], ["file", "status", "contacts"])
        self.assertEqual([line.split()[:4] for line in lines[2:]],
                         [["a.txt", "certified", "1", "3"], ["b.txt", "certified", "1", "3"]])

    def test_several(self):
        self.write("a.txt", problem())
        self.write("b.txt", problem(phi=1))
        self.assertEqual([one["file"] for one in self.solve("a.txt", "b.txt")], ["a.txt", "b.txt"])

    def test_stalled(self):
        self.write("p.txt", problem())
        result = self.carom("solve", "p.txt", "--solver", "primal", "--tolerance", "1e-300", "--json", code=3)
        self.assertEqual(result.json[0]["status"], "stalled")
        self.assertEqual(result.err, "carom: 1 of 1 problems were not solved to the tolerance\n")


class BadInput(support.Case):
    def refuse(self, sentence, *arguments):
        for more in ([], ["--json"]):
            result = self.carom("solve", *arguments, *more, code=2)
            self.assertEqual(result.err, f"carom: {sentence}\n")

    def test_text(self):
        good = problem()
        self.write("mu.txt", good.replace(" 0.5 1e8", " -0.5 1e8"))
        self.refuse("mu.txt:9: mu of a contact is -0.5, must be 0 or more", "mu.txt")
        self.write("nan.txt", good.replace("3 0 -1", "3 nan -1"))
        self.refuse("nan.txt:6: an element of vstar is 'nan', must be a finite number", "nan.txt")
        self.write("pivot.txt", good.replace("0 1 0  0 0 1\nv", "0 -1 0  0 0 1\nv"))
        self.refuse("pivot.txt: block 0: A is not positive definite: pivot 1 of the block is -1", "pivot.txt")
        self.write("cut.txt", good[:-20])
        self.refuse("cut.txt:9: the file ends before an element of J0", "cut.txt")
        self.write("not.txt", "hello\n")
        self.refuse("not.txt: is no contact problem: neither HDF5 nor text that begins with 'sapproblem'", "not.txt")
        self.refuse("none.txt: cannot be opened: No such file or directory", "none.txt")
        (self.folder / "folder").mkdir()
        self.assertEqual(len(self.carom("solve", "folder", code=2).err.splitlines()), 1)

    def test_others_are_solved(self):
        self.write("good.txt", problem())
        result = self.carom("solve", "none.txt", "good.txt", "none.txt", "good.txt", "--json", code=2)
        self.assertEqual([one["file"] for one in json.loads(result.out)], ["good.txt", "good.txt"])
        self.assertEqual(result.err, 2 * "carom: none.txt: cannot be opened: No such file or directory\n")
        result = self.carom("solve", "none.txt", "good.txt", code=2)
        self.assertIn("good.txt", result.out)
        self.assertIn("status", result.out)

    def test_hdf5(self):
        self.write("scene.xml")
        self.carom("run", "scene.xml", "--duration", "0.2", "--quiet", "--dump-problems", "40", "-o", "r.h5")
        self.refuse("r.h5: is an HDF5 file, but holds no contact problem of FCLIB or Carom", "r.h5")
        whole = (self.folder / "problems/step_000040.h5").read_bytes()
        for share in (0.1, 0.5, 0.9):
            (self.folder / "cut.h5").write_bytes(whole[:int(share * len(whole))])
            result = self.carom("solve", "cut.h5", code=2)
            self.assertEqual(len(result.err.splitlines()), 1)
            self.assertTrue(result.err.startswith("carom: cut.h5: the file is damaged: "), result.err)

    def test_usage(self):
        for arguments, sentence in [
                ([], "solve: PROBLEM... is missing; 'carom help solve' says more"),
                (["p", "--solver", "x"], "solve: --solver is 'x', must be newton, primal, pgs, apgd or ipm"),
                (["p", "--friction", "lagged"], "solve: --friction is 'lagged', must be convex or coulomb"),
                (["p", "--eta", "-1"], "solve: --eta is '-1', must be 0 or more"),
                (["p", "--max-iterations", "0"], "solve: --max-iterations is '0', must be 1 or more")]:
            self.expect_sentence(1, sentence, "solve", *arguments)


class Dump(support.Case):
    def test_every_nth(self):
        self.write("scene.xml")
        options = ["--duration", "0.3", "--json"]
        plain = self.carom("run", "scene.xml", *options).json
        dumping = self.carom("run", "scene.xml", *options, "--dump-problems", "20", "--dump-folder", "there").json
        self.assertEqual(plain["final"], dumping["final"])
        files = sorted(path.name for path in (self.folder / "there").iterdir())
        # At step 20 nothing touches yet, and the servo within its range is a force.
        self.assertEqual(files, ["step_000040.h5", "step_000060.h5"])
        solved = self.carom("solve", *[f"there/{name}" for name in files], "--friction", "coulomb", "--guess",
                            "--json").json
        self.assertEqual([one["contacts"] for one in solved], [7, 7])
        self.assertEqual([one["status"] for one in solved], ["certified"] * 2)

    def test_folder_that_cannot_be_made(self):
        self.write("scene.xml")
        self.expect_sentence(2, "no/such: cannot be made: No such file or directory", "run", "scene.xml",
                             "--dump-problems", "1", "--dump-folder", "no/such")


class Public(support.Case):
    def test_all_certified(self):
        folder = support.shared_folder() / "problems"
        files = sorted(folder.glob("*.hdf5")) + sorted((folder / "sap").glob("*.txt"))
        if support.IS_SLOW:
            files = files[::10]
        self.assertGreater(len(files), 5)
        solved = self.carom("solve", *files, "--solver", "newton", "--tolerance", "1e-8", "--json").json
        self.assertEqual({one["status"] for one in solved}, {"certified"})
        self.assertEqual(len(solved), len(files))
        self.assertTrue(json.dumps(solved))


if __name__ == "__main__":
    support.main()
