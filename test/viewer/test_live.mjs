// A simulation in a real browser: it runs, pauses, steps, is reset, dragged and changed from the
// page, and found again after its server was away.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { carom, decodePng, folder, open, runTests, serve, test } from "./browser.mjs";

const SCENE = `<mujoco model="live"><option timestep="0.005"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1" rgba=".5 .6 .5 1"/>
  <body name="red" pos="-.6 0 .3"><freejoint/><geom type="box" size=".3 .3 .3" rgba="1 0 0 1" friction="1"/></body>
  <body name="green" pos="1 0 .8"><freejoint/><geom size=".3" rgba="0 1 0 1"/></body>
  <body name="arm" pos="0 -1 2"><joint name="elbow" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 .8 0 0" size=".08" rgba="1 1 0 1"/></body>
</worldbody></mujoco>`;
writeFileSync(join(folder, "scene.xml"), SCENE);
let server = await serve("view", "scene.xml", "--paused");
// Small, because every frame is drawn in software.
const SMALL = { viewport: { width: 860, height: 520 } };
const page = await open(server.url, SMALL);

const live = (read) => page.evaluate(`((carom) => ${read.startsWith("{") ? `(${read})` : read})(window.carom)`);

// Asked again and again from here: the page's own policy forbids it to read code from texts.
async function until(read, seconds = 10) {
  for (const end = Date.now() + 1000 * seconds; !await live(read).catch(() => false);) {
    assert.ok(Date.now() < end, `not within ${seconds} s: ${read}`);
    await page.waitForTimeout(20);
  }
}
const time = () => live("carom.recording.time.at(-1)");
const screen = async () => decodePng(await page.screenshot());

// Changes a field as a user does, and waits until the server says so.
async function setField(id, value, says) {
  if (await page.$eval(`#${id}`, (field) => field.tagName === "SELECT")) await page.selectOption(`#${id}`, value);
  else {
    await page.fill(`#${id}`, value);
    await page.press(`#${id}`, "Enter");
  }
  await until(`carom.live.state.${says}`);
}

test("shows_the_scene_at_rest", async () => {
  await until("carom.live.state.dt && carom.recording.count >= 1");
  assert.equal(await live("carom.live.state.playing"), false);
  assert.equal(await time(), 0);
  assert.match(await page.textContent("#live-status"), /^Paused/);
  assert.equal(await page.inputValue("#gravity-z"), "-9.81");
  assert.equal(await page.inputValue("#live-dt"), "0.005");
  assert.equal(await page.inputValue("#live-scheme"), "midpoint");
  const picture = await screen();
  for (const [body, strong] of [[1, 0], [2, 1]]) {
    const [x, y] = await live(`carom.view.projectionOf(${body})`);
    const colour = picture.pixel(Math.round(x), Math.round(y));
    for (const other of [0, 1, 2]) if (other !== strong) assert.ok(colour[strong] > 1.5 * colour[other] + 20, `${body}: ${colour}`);
  }
});

// Steps are those of carom run.
test("steps_are_those_of_a_run", async () => {
  for (let i = 0; i < 5; i++) await page.click("#forward");
  await until("Math.abs(carom.recording.time.at(-1) - 0.025) < 1e-9");
  const { q } = JSON.parse(carom("run", "scene.xml", "--duration", "0.025", "--json")).final;
  for (const k of [0, 1, 2]) await until(`Math.abs(carom.view.positionOf(2)[${k}] - ${q[7 + k]}) < 1e-6`);
});

test("plays_in_real_time_and_pauses", async () => {
  const start = await time(), clock = Date.now();
  await page.click("#play");
  await until(`carom.recording.time.at(-1) > ${start + 1}`);
  const seconds = (Date.now() - clock) / 1000;
  assert.ok(seconds > 0.9, `${seconds}`);
  assert.equal(await page.textContent("#play"), "Pause");
  await page.click("#play");
  await until("!carom.live.state.playing");
  await page.waitForTimeout(150);
  const paused = await time();
  await page.waitForTimeout(200);
  assert.equal(await time(), paused);
  assert.equal(await page.textContent("#play"), "Play");
  assert.ok(await live("carom.recording.count") > 10);
  assert.ok(await live("carom.plots.plots[0].data[0].length") > 10);
});

test("kept_frames_are_gone_through", async () => {
  const { count, end } = await live("({ count: carom.recording.count, end: carom.player.end })");
  await page.click("#back");
  assert.equal(await live("carom.player.frame"), count - 2);
  await page.click("#first");
  assert.equal(await live("carom.player.time"), await live("carom.player.start"));
  await page.click("#forward");
  assert.equal(await live("carom.player.frame"), 1);
  await page.fill("#scrub", "5");
  assert.equal(await live("carom.player.frame"), 5);
  await page.click("#last");
  assert.equal(await live("carom.player.time"), end);
  assert.equal(await time(), end);
});

test("reset_goes_to_the_start", async () => {
  await page.click("#live-reset");
  await until("carom.recording.time.at(-1) === 0 && carom.recording.count === 1");
  await until("Math.abs(carom.view.positionOf(2)[2] - 0.8) < 1e-6");
});

// The mouse lifts the box against its weight; when it lets go, the box falls.
test("drag_moves_the_body", async () => {
  await page.click("#play");
  const [x, y] = await live("carom.view.projectionOf(1)");
  const camera = await live("carom.view.camera.position.toArray()");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 110, { steps: 5 });
  await until("carom.view.positionOf(1)[2] > 0.8");
  assert.equal(await live("carom.recording.springs.length"), 1);
  assert.ok(await live("carom.view.springs.object.geometry.drawRange.count") === 2);
  const plot = await live("carom.recording.figures.potential.at(-1)");
  await page.mouse.up();
  await until("carom.recording.springs.length === 0 && carom.view.positionOf(1)[2] < 0.6");
  assert.ok(await live("carom.recording.figures.potential.at(-1)") < plot);
  assert.deepEqual(await live("carom.view.camera.position.toArray()"), camera);
});

test("click_chooses_and_background_turns", async () => {
  const [x, y] = await live("carom.view.projectionOf(2)");
  await page.mouse.click(x, y);
  assert.equal(await page.inputValue("#body"), "2");
  const camera = await live("carom.view.camera.position.toArray()");
  await page.mouse.move(100, 100);
  await page.mouse.down();
  await page.mouse.move(180, 130, { steps: 4 });
  await page.mouse.up();
  const turned = await live("carom.view.camera.position.toArray()");
  assert.ok(Math.hypot(...turned.map((value, k) => value - camera[k])) > 0.2);
});

test("gravity_step_scheme_and_friction", async () => {
  await setField("gravity-z", "3", "gravity[2] === 3");
  await until("carom.view.positionOf(2)[2] > 1.5");
  await setField("live-dt", "0.002", "dt === 0.002");
  await setField("live-scheme", "implicit", "scheme === 'implicit'");
  await setField("live-friction", "convex", "friction === 'convex'");
  const falling = await live("carom.recording.figures.linearZ.at(-1)");
  await setField("gravity-z", "-9.81", "gravity[2] === -9.81");
  await until(`carom.recording.figures.linearZ.at(-1) < ${falling} - 100`);
  assert.equal(await live("carom.live.state.playing"), true);
});

test("refusals_are_said", async () => {
  await page.fill("#live-dt", "7");
  await page.press("#live-dt", "Enter");
  await page.waitForSelector("#notes:not([hidden])");
  assert.match(await page.textContent("#notes"), /"dt" is 7, must be from 1e-07 to 1/);
  await page.evaluate(() => document.activeElement.blur());
  await page.click("#live-reset");
  assert.equal(await page.isVisible("#notes"), false);
});

test("speed_is_the_servers", async () => {
  await page.selectOption("#speed", "0.25");
  await until("carom.live.state.speed === 0.25");
  await page.evaluate(() => document.getElementById("canvas").focus());
  await page.keyboard.press("+");
  await until("carom.live.state.speed === 0.5");
  await page.keyboard.press("Backspace");
  await until("carom.recording.time.at(-1) < 0.5");
  await page.keyboard.press(" ");
  await until("!carom.live.state.playing");
  await page.selectOption("#speed", "1");
});

test("two_watch_one_simulation", async () => {
  const other = await open(server.url, SMALL);
  await until("carom.live.state.clients === 2");
  await page.click("#forward");
  const end = await time();
  await other.waitForFunction((expected) => Math.abs(window.carom.recording.time.at(-1) - expected) < 0.011, end);
  assert.deepEqual(other.problems, []);
  await other.context().close();
  await until("carom.live.state.clients === 1");
});

test("controls_are_labelled", async () => {
  const unnamed = await page.evaluate(() => [...document.querySelectorAll("button, input, select, canvas")].filter((element) =>
    !(element.getAttribute("aria-label") || element.textContent.trim() || element.labels?.[0]?.textContent.trim())).map((element) => element.id));
  assert.deepEqual(unnamed, []);
});

// The socket drops: the page comes back by itself and goes on with the same simulation.
test("connection_that_drops_comes_back", async () => {
  const before = await time();
  await page.evaluate(() => window.carom.live.link.socket.close());
  await until("!carom.live.link.isOpen");
  assert.match(await page.textContent("#live-status"), /lost/);
  await until("carom.live.link.isOpen");
  await page.click("#play");
  await until(`carom.recording.time.at(-1) > ${before + 0.2}`);
  assert.deepEqual(page.problems, []);
});

// The server ends and another one starts at its place: the page shows that one, from where it looked.
test("server_that_starts_again_is_found", async () => {
  const camera = await live("carom.view.camera.position.toArray()"), old = await live("carom.live.state.server");
  const { port } = server;
  assert.equal(await server.stop(), 130);
  await until("!carom.live.link.isOpen");
  server = await serve("view", "scene.xml", "--port", port);
  await page.waitForFunction((name) => (window.carom?.live.state.server ?? name) !== name, old, { timeout: 20000 });
  await until("carom.recording.time.at(-1) > 0.2");
  const kept = await live("carom.view.camera.position.toArray()");
  camera.forEach((value, k) => assert.ok(Math.abs(value - kept[k]) < 1e-6));
  // What the browser itself says of connections that it could not make.
  assert.deepEqual(page.problems.filter((text) => !/WebSocket connection to/.test(text)), []);
});

test("ends_cleanly", async () => {
  assert.equal(await server.stop("SIGTERM"), 143);
});

await runTests();
