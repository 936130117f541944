// Soft bodies in a real browser: where the recording has them, in the colours of their stress, still
// and live.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { carom, decodePng, folder, open, runTests, serve, test } from "./browser.mjs";

// A cube falls without strain beside a beam that sags where it is held at its left end.
const scene = (options = "") => `<mujoco model="soft"><option timestep="0.01"/><worldbody>
  <geom type="plane" size="0 0 1"/>
  <body name="ball" pos="0 2 3"><freejoint/><geom size=".2" rgba="0 1 0 1"/></body>
  <flexcomp name="cube" type="grid" dim="3" count="3 3 3" spacing=".3 .3 .3" pos="-1 0 6" radius="0" rgba="1 0 0 1">
    <elasticity young="1e6" poisson=".3"/></flexcomp>
  <flexcomp name="beam" type="grid" dim="3" count="7 2 2" spacing=".2 .2 .2" pos=".8 0 4" radius="0" rgba="1 0 0 1"
    carom:quadratic="true" ${options}><elasticity young="1e6" poisson=".3" damping=".05"/>
    <pin carom:box="-.61 -1 -1 -.59 1 1"/></flexcomp></worldbody></mujoco>`;
writeFileSync(join(folder, "scene.xml"), scene());
writeFileSync(join(folder, "hidden.xml"), scene('group="4"'));
carom("run", "scene.xml", "--duration", "0.8", "-o", "out.h5", "--html", "out.html", "--quiet");
carom("run", "hidden.xml", "--duration", "0.1", "--html", "hidden.html", "--quiet");
const page = await open("out.html");

const frames = (on = page) => on.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const toEnd = () => page.click("#last");
const toStart = () => page.click("#first");

// The middle and the colours of a soft body as it is drawn.
const look = (index, on = page) => on.evaluate((i) => {
  const { position, color, normal } = window.carom.view.softs.meshes[i].geometry.attributes;
  const middle = [0, 1, 2].map((k) => {
    const all = Array.from({ length: position.count }, (_, n) => position.array[3 * n + k]);
    return (Math.min(...all) + Math.max(...all)) / 2;
  });
  const colours = Array.from({ length: color.count }, (_, n) => Array.from(color.array.subarray(3 * n, 3 * n + 3)));
  return { middle, colours, count: position.count, normals: Array.from(normal.array) };
}, index);

async function pixelAt(point, on = page) {
  await frames(on);
  const [x, y] = await on.evaluate(([a, b, c]) => window.carom.view.projectionOfPoint({ x: a, y: b, z: c }), point);
  return decodePng(await on.screenshot()).pixel(Math.round(x), Math.round(y));
}

const isViolet = ([r, g, b]) => b > 1.15 * r && r > 1.2 * g;

test("loads_without_complaint", async () => {
  assert.deepEqual(page.problems, []);
  assert.equal(await page.isHidden("#notes"), true);
});

test("nodes_are_where_the_recording_says", async () => {
  const final = JSON.parse(carom("run", "scene.xml", "--duration", "0.8", "--json")).final.q;
  const cube = final.slice(7, 7 + 81);
  await toEnd();
  const { middle, count } = await look(0);
  for (let k = 0; k < 3; k++) {
    const all = cube.filter((_, i) => i % 3 === k);
    assert.ok(Math.abs(middle[k] - (Math.min(...all) + Math.max(...all)) / 2) < 2 ** -12);
  }
  assert.equal(count, 6 * 9); // 26 nodes, those at edges twice and at corners three times
});

test("between_frames", async () => {
  await page.evaluate(() => { const { player } = window.carom; player.seek((player.times[10] + player.times[11]) / 2); });
  const between = (await look(0)).middle[2];
  const ends = [];
  for (const frame of [10, 11]) {
    await page.evaluate((i) => window.carom.player.seekFrame(i), frame);
    ends.push((await look(0)).middle[2]);
  }
  assert.ok(ends[0] - ends[1] > 0.005);
  assert.ok(Math.abs(between - (ends[0] + ends[1]) / 2) < 1e-6);
});

test("colours_are_the_stress", async () => {
  await toStart();
  const distinct = (colours) => new Set(colours.map((colour) => colour.map((part) => part.toFixed(2)).join())).size;
  assert.equal(distinct((await look(1)).colours), 1);
  await toEnd();
  assert.equal(distinct((await look(0)).colours), 1);
  assert.ok(distinct((await look(1)).colours) > 10);
  assert.ok(isViolet(await pixelAt((await look(0)).middle)));
});

test("stress_can_be_put_away", async () => {
  await toEnd();
  await page.uncheck("#show-stress");
  const [r, g, b] = await pixelAt((await look(0)).middle);
  assert.ok(r > 100 && r > 3 * g && r > 3 * b);
  assert.equal(await page.isHidden("#stress-legend"), true);
  await page.evaluate(() => document.getElementById("canvas").focus());
  await page.keyboard.press("v");
  assert.equal(await page.isChecked("#show-stress"), true);
  assert.equal(await page.isHidden("#stress-legend"), false);
});

test("range_of_colours", async () => {
  await toEnd();
  const most = Number(await page.inputValue("#stress-most"));
  const ticks = () => page.textContent("#stress-ticks");
  assert.ok(most > 100 && most < 1e5, String(most));
  assert.match(await ticks(), /^0 Pa/);
  await page.fill("#stress-most", "2500000");
  await page.press("#stress-most", "Tab");
  assert.equal(await ticks(), "0 Pa1.25 MPa2.5 MPa");
  assert.ok(isViolet((await look(1)).colours[0].map(Math.sqrt)));
  await page.fill("#stress-most", String(most));
  await page.press("#stress-most", "Tab");
});

test("soft_bodies_hide_what_is_behind_and_are_not_chosen", async () => {
  await toEnd();
  const [x, y] = await page.evaluate((at) => window.carom.view.projectionOfPoint({ x: at[0], y: at[1], z: at[2] }), (await look(0)).middle);
  await page.mouse.click(x, y);
  assert.equal(await page.inputValue("#body"), "0");
});

test("groups", async () => {
  const hidden = await open("hidden.html");
  const isShown = () => hidden.evaluate(() => window.carom.view.softs.meshes.map((mesh) => mesh.visible));
  assert.deepEqual(await isShown(), [true, false]);
  await hidden.check("#show-groups");
  assert.deepEqual(await isShown(), [true, true]);
  assert.deepEqual(hidden.problems, []);
  await hidden.close();
});

test("live", async () => {
  const server = await serve("view", "scene.xml", "--paused");
  const live = await open(server.url);
  await live.waitForFunction(() => window.carom?.live?.link.isOpen);
  const before = (await look(0, live)).middle[2], most = Number(await live.inputValue("#stress-most"));
  for (let i = 0; i < 30; i++) await live.click("#forward");
  await live.waitForFunction(() => window.carom.recording.time.at(-1) > 0.295);
  await frames(live);
  const after = (await look(0, live)).middle[2], steps = 30;
  assert.ok(Math.abs(before - after - 9.81 * 0.01 ** 2 * steps * (steps + 1) / 2) < 1e-4);
  assert.ok(Number(await live.inputValue("#stress-most")) > 10 * most);
  assert.deepEqual(live.problems, []);
  await live.close();
  await server.stop();
});

await runTests();
