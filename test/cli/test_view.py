"""carom view and carom run --html: pages that hold what was simulated, and what goes wrong."""
import base64
import json
import re
import struct
import zlib

import support


class View(support.Case):
    def setUp(self):
        super().setUp()
        self.write("scene.xml")

    def data(self, name):
        """Header of a page, and the bytes of its frames."""
        page = (self.folder / name).read_text(encoding="utf-8")
        block = re.search(r'<script type="text/plain" id="recording">([A-Za-z0-9+/=]+)</script>', page).group(1)
        data = zlib.decompress(base64.b64decode(block, validate=True))
        length = struct.unpack_from("<I", data)[0]
        return json.loads(data[4:4 + length]), data[4 + length:]

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_run_writes_a_page(self):
        result = self.carom("run", "scene.xml", "--duration", "0.5", "--html", "out.html", "--json")
        self.assertEqual(result.json["steps"], 100)
        self.assertEqual(self.names(), ["out.html", "scene.xml"])
        header, frames = self.data("out.html")
        self.assertEqual(header["frames"], 31)
        self.assertEqual(header["model"], "small")
        self.assertEqual(header["notes"], [])
        self.assertEqual([body["name"] for body in header["bodies"]], ["world", "box", "arm", "hand"])
        self.assertEqual([geom["type"] for geom in header["geoms"]], ["plane", "box", "capsule", "sphere"])
        self.assertEqual(struct.unpack_from("<d", frames)[0], 0)

    def test_run_with_recording_and_page(self):
        self.carom("run", "scene.xml", "--duration", "0.5", "--html", "out.html", "-o", "out.h5", "--quiet")
        self.assertEqual(self.names(), ["out.h5", "out.html", "scene.xml"])
        self.carom("view", "out.h5", "-o", "again.html", "--quiet")
        self.assertEqual((self.folder / "out.html").read_bytes(), (self.folder / "again.html").read_bytes())
        self.assertIn("frames       101,", self.carom("info", "out.h5").out)

    def test_rates(self):
        self.carom("run", "scene.xml", "--duration", "0.5", "-o", "out.h5", "--quiet")
        for options, count in ((["--rate", "20"], 11), (["--all"], 101), (["--rate", "1e6"], 101)):
            self.carom("view", "out.h5", "-o", "out.html", *options)
            self.assertEqual(self.data("out.html")[0]["frames"], count)
        self.carom("run", "scene.xml", "--duration", "0.5", "--html", "out.html", "--rate", "20", "--quiet")
        self.assertEqual(self.data("out.html")[0]["frames"], 11)

    def test_says_what_was_written(self):
        self.carom("run", "scene.xml", "--duration", "0.5", "-o", "out.h5", "--quiet")
        out = self.carom("view", "out.h5", "-o", "out.html").out
        self.assertRegex(out, r"^out\.html: 31 frames, 0\.\d MB; open it in a browser\n$")
        self.assertEqual(self.carom("view", "out.h5", "-o", "out.html", "--quiet").out, "")

    def test_nothing_comes_from_elsewhere(self):
        self.carom("run", "scene.xml", "--duration", "0.1", "--html", "out.html", "--quiet")
        page = (self.folder / "out.html").read_text(encoding="utf-8")
        self.assertIn("default-src 'none'", page)
        self.assertIsNone(re.search(r"""(src|href)=["']?(?!data:)\w+:""", page))

    def test_killed_run(self):
        self.record_and_kill("scene.xml", "out.h5")
        result = self.carom("view", "out.h5", "-o", "out.html")
        self.assertIn("carom: out.h5: was not closed; the page shows what there is of it\n", result.err)
        header = self.data("out.html")[0]
        self.assertIn("was not closed", header["notes"][0])
        self.assertGreaterEqual(header["frames"], 1)

    def test_cut_recording(self):
        # A file that lost its end is refused by HDF5, or shown as far as it goes; never a crash.
        self.carom("run", "scene.xml", "--duration", "5", "-o", "out.h5", "--quiet")
        whole = (self.folder / "out.h5").read_bytes()
        for part in (0.01, 0.2, 0.5, 0.9, 0.999):
            (self.folder / "cut.h5").write_bytes(whole[:int(part * len(whole))])
            result = self.carom("view", "cut.h5", "-o", "cut.html", code=2)
            self.assertRegex(result.err, r"^carom: cut\.h5: .*(damaged|no HDF5 file).*\n$")

    def test_run_that_stops_early_leaves_its_page(self):
        self.write("bad.xml", support.SCENE.replace("</worldbody>", "</worldbody><option gravity='0 0 -1e305'/>"))
        self.carom("run", "bad.xml", "--duration", "1", "--html", "out.html", code=3)
        self.assertEqual(self.names(), ["bad.xml", "out.html", "scene.xml"])
        self.assertGreaterEqual(self.data("out.html")[0]["frames"], 1)

    def test_refusals(self):
        self.write("text.h5", "no recording")
        self.carom("run", "scene.xml", "--duration", "0.1", "-o", "out.h5", "--quiet")
        for code, sentence, arguments in (
                (1, "view: FILE is missing; 'carom help view' says more", ["-o", "x.html"]),
                (2, "none.h5: cannot be opened: No such file or directory", ["none.h5", "-o", "x.html"]),
                (2, "text.h5: is no HDF5 file, so no recording of Carom", ["text.h5", "-o", "x.html"]),
                (2, "scene.xml: is no HDF5 file, so no recording of Carom", ["scene.xml", "-o", "x.html"]),
                (2, "none/x.html: cannot be created: No such file or directory", ["out.h5", "-o", "none/x.html"]),
                (2, "./out.h5: is read by this command, and not overwritten", ["out.h5", "-o", "./out.h5"])):
            self.expect_sentence(code, sentence, "view", *arguments)
        self.expect_sentence(2, "none/x.html: cannot be created: No such file or directory",
                             "run", "scene.xml", "--html", "none/x.html")
        self.expect_sentence(2, "./scene.xml: is read by this command, and not overwritten",
                             "run", "scene.xml", "--html", "./scene.xml")
        self.expect_sentence(2, "x.h5: is named for two outputs",
                             "run", "scene.xml", "--html", "x.h5", "-o", "x.h5")
        self.assertEqual(self.names(), ["out.h5", "scene.xml", "text.h5"])


if __name__ == "__main__":
    support.main()
