// Draws the pictures of docs/viewer.md: pages of scenes of this repository in a headless Chromium.
// Usage: node tools/draw_viewer.mjs [FOLDER]     (docs)
import { join, resolve } from "node:path";
import { ROOT, browser, carom, folder, open, serve } from "../test/viewer/browser.mjs";

const output = resolve(process.argv[2] ?? join(ROOT, "docs"));
const scene = (name) => join(ROOT, "scenes", name);
const SIZE = { viewport: { width: 960, height: 600 } };

// A picture of the page, or of a part of it, once it has been drawn.
async function draw(page, name, selector = "body") {
  await page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(done), 300)));
  await (await page.$(selector)).screenshot({ path: join(output, `viewer_${name}.png`) });
}

// Without the folders of the machine that drew it.
const openClean = async (name, made, options) => {
  const page = await open(name, options);
  await page.evaluate((text) => { document.getElementById("made").textContent = text; }, made);
  return page;
};

async function drawReplay() {
  carom("run", scene("clutter.xml"), "--duration", "2", "--html", "clutter.html", "--quiet");
  const page = await openClean("clutter.html", "carom run scenes/clutter.xml --html clutter.html", SIZE);
  await page.evaluate(() => {
    const { carom: shown } = window;
    shown.player.seek(1.2);
    shown.view.moveCamera(0, 0.15, 0.62);
    shown.choose(12);
  });
  await draw(page, "replay");
  await page.click("#show-cones");
  await page.fill("#force-length", "-0.5");
  await page.evaluate(() => window.carom.view.moveCamera(0, 0, 0.6));
  await draw(page, "cones", "#view");
  await page.setViewportSize({ width: 960, height: 1600 });
  await draw(page, "plots", "#plots");
  await page.context().close();
}

async function drawArm() {
  carom("run", scene("arm.xml"), "--keyframe", "home", "--ctrl", scene("arm.csv"), "--duration", "4", "--html", "arm.html", "--quiet");
  const page = await open("arm.html", { ...SIZE, colorScheme: "dark" });
  await page.evaluate(() => {
    window.carom.player.seek(1.5);
    window.carom.choose(3);
  });
  for (const id of ["axes", "centres", "frames", "trails"]) await page.click(`#show-${id}`);
  await draw(page, "axes", "#view");
  await page.context().close();
}

async function drawLive() {
  const server = await serve("view", scene("clutter.xml"), "--paused");
  const page = await openClean(server.url, "carom view scenes/clutter.xml", SIZE);
  const steps = (count) => page.evaluate((number) => {
    for (let i = 0; i < number; i++) window.carom.live.link.send({ do: "step" });
  }, count);
  await page.waitForFunction(() => window.carom.live.link.isOpen);
  await page.evaluate(() => window.carom.view.moveCamera(0, 0.15, 0.62));
  await steps(100);
  await page.waitForFunction(() => window.carom.recording.time.at(-1) > 0.999);
  await page.evaluate(() => {
    window.carom.live.link.send({ do: "drag", body: 12, point: [0.03, 0, 0], target: [0, 0, 0.9], strength: 3 });
    window.carom.choose(12);
  });
  await steps(30);
  await page.waitForFunction(() => window.carom.recording.time.at(-1) > 1.299);
  await draw(page, "live");
  await server.stop();
}

await drawReplay();
await drawArm();
await drawLive();
await browser.close();
console.log(`pictures of ${folder} are in ${output}`);
process.exit(0);
