// Builds dist/page.html: the page with styles and the deflated program in it, and a mark where
// Carom puts a recording. `--check` compares with what is there instead, the program inflated,
// because versions of Node deflate differently.
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync, inflateSync } from "node:zlib";

const folder = new URL(".", import.meta.url);
const output = new URL("dist/page.html", folder);
const PROGRAM = /(<script type="text\/plain" id="program">)([^<]*)(<\/script>)/;

const read = (name) => readFileSync(new URL(name, folder), "utf8");

async function bundle() {
  const result = await build({
    entryPoints: [new URL("src/main.js", folder).pathname],
    absWorkingDir: folder.pathname,
    bundle: true,
    minify: true,
    format: "iife",
    globalName: "CaromViewer",
    target: ["chrome105", "firefox113", "safari16.4"],
    legalComments: "inline",
    write: false,
    outdir: "dist",
  });
  const text = (suffix) => result.outputFiles.find((file) => file.path.endsWith(suffix)).text;
  return { program: text(".js"), style: text(".css") };
}

function makePage(style, program) {
  return read("src/page.html")
    .replace("@LICENCES@", () => read("NOTICE").trim())
    .replace("@STYLE@", () => style.trim())
    .replace("@PROGRAM@", () => program);
}

const { program, style } = await bundle();
if (process.argv.includes("--check")) {
  const inflate = (page) =>
    page.replace(PROGRAM, (_, open, data, close) =>
      open + inflateSync(Buffer.from(data, "base64")).toString() + close);
  const fresh = makePage(style, deflateSync(program, { level: 9 }).toString("base64"));
  const same = inflate(fresh) === inflate(readFileSync(output, "utf8"));
  console.log(same ? "dist/page.html is what the sources give"
                   : "dist/page.html is not what the sources give: run npm run build");
  process.exit(same ? 0 : 1);
}
const page = makePage(style, deflateSync(program, { level: 9 }).toString("base64"));
writeFileSync(output, page);
console.log(`dist/page.html: ${page.length} bytes, of which program ${program.length} unpacked`);
