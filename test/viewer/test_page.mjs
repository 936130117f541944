// The page in a real browser: it shows what was recorded, and every control does what it says.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CAROM, ROOT, carom, decodePng, folder, open, runTests, test } from "./browser.mjs";

const SCENE = `<mujoco model="parts"><option timestep="0.005"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1" rgba=".5 .6 .5 1"/>
  <body name="red" pos="-1 0 .5"><freejoint/><geom type="box" size=".3 .3 .3" rgba="1 0 0 1" friction="1"/></body>
  <body name="green" pos="1 0 .5"><freejoint/><geom size=".3" rgba="0 1 0 1"/></body>
  <body name="blue" pos="0 1.5 .5"><freejoint/><geom type="cylinder" size=".3 .3" rgba="0 0 1 1"/></body>
  <body name="arm" pos="0 -1 2"><joint name="elbow" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 .8 0 0" size=".08" rgba="1 1 0 1"/></body>
  <body name="ghost" pos="0 0 3"><freejoint/><geom size=".1" rgba="1 0 1 .5" group="3"/></body>
</worldbody><actuator><motor name="motor" joint="elbow" ctrlrange="-1 1"/></actuator></mujoco>`;
writeFileSync(join(folder, "scene.xml"), SCENE);
carom("run", "scene.xml", "--duration", "2", "-o", "out.h5", "--html", "out.html", "--quiet");
const page = await open("out.html");

const state = () => page.evaluate(() => {
  const { player, view } = window.carom;
  return { time: player.time, frame: player.frame, isPlaying: player.isPlaying, speed: player.speed,
    repeats: player.repeats, camera: view.camera.position.toArray() };
});
const press = (key) => page.keyboard.press(key);
const isShown = (what) => page.evaluate((path) => path.split(".").reduce((at, key) => at[key], window.carom.view).visible, what);
const picture = async () => {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return decodePng(await page.screenshot());
};
const focusCanvas = () => page.evaluate(() => document.getElementById("canvas").focus());

// The strongest channel at the middle of a body, the arrows put away.
async function colourOf(body) {
  const [x, y] = await page.evaluate((index) => window.carom.view.projectionOf(index), body);
  return (await picture()).pixel(Math.round(x), Math.round(y));
}

async function differences(act) {
  const before = await picture();
  await act();
  const after = await picture();
  let count = 0;
  for (let y = 50; y < 740; y += 2)
    for (let x = 0; x < 870; x += 2) if (before.pixel(x, y).some((value, k) => Math.abs(value - after.pixel(x, y)[k]) > 8)) count++;
  return count;
}

test("loads_without_complaint_or_network", async () => {
  assert.deepEqual(page.problems, []);
  assert.equal(page.requests.filter((url) => !/^(file|data|blob):/.test(url)).length, 0);
  assert.match(await page.title(), /^parts/);
  assert.equal(await page.evaluate(() => document.getElementById("notes").hidden), true);
});

test("bodies_are_where_the_recording_says", async () => {
  const final = JSON.parse(carom("run", "scene.xml", "--duration", "2", "--json")).final.q;
  await page.click("#last");
  const shown = await page.evaluate(() => [1, 2, 3].map((body) => window.carom.view.positionOf(body)));
  shown.forEach((position, body) => position.forEach((value, k) =>
    assert.ok(Math.abs(value - final[7 * body + k]) < 2e-4, `body ${body + 1}: ${position}, ${final.slice(7 * body, 7 * body + 3)}`)));
});

test("bodies_have_their_colours", async () => {
  await page.click("#first");
  await page.uncheck("#show-contacts");
  await page.uncheck("#show-forces");
  for (const [body, strong] of [[1, 0], [2, 1], [3, 2]]) {
    const colour = await colourOf(body);
    for (const other of [0, 1, 2]) if (other !== strong) assert.ok(colour[strong] > 1.5 * colour[other] + 20, `${body}: ${colour}`);
  }
  await page.check("#show-contacts");
  await page.check("#show-forces");
});

test("play_pause_step_and_ends", async () => {
  await page.click("#first");
  assert.equal((await state()).frame, 0);
  await page.click("#forward");
  await page.click("#forward");
  assert.equal((await state()).frame, 2);
  await page.click("#back");
  assert.equal((await state()).frame, 1);
  await page.click("#play");
  await page.waitForFunction(() => window.carom.player.time > 0.3);
  assert.equal(await page.textContent("#play"), "Pause");
  await page.click("#play");
  const paused = await state();
  await page.waitForTimeout(100);
  assert.equal((await state()).time, paused.time);
  await page.click("#last");
  assert.ok(Math.abs((await state()).time - 2) < 1e-9);
  assert.match(await page.textContent("#time"), /^2\.000 \/ 2\.000 s$/);
  assert.match(await page.textContent("#announce"), /At 2\.000 seconds/);
});

test("scrub_speed_and_repeat", async () => {
  await page.fill("#scrub", "60");
  assert.equal((await state()).frame, 60);
  await page.selectOption("#speed", "4");
  assert.equal((await state()).speed, 4);
  await page.check("#loop");
  await page.click("#play");
  await page.waitForFunction(() => window.carom.player.time < 0.9);
  assert.equal((await state()).isPlaying, true);
  await page.uncheck("#loop");
  await page.waitForFunction(() => !window.carom.player.isPlaying);
  assert.ok(Math.abs((await state()).time - 2) < 1e-9);
  await page.selectOption("#speed", "1");
});

test("overlays_are_drawn", async () => {
  await page.fill("#scrub", "100");
  for (const [box, object] of [["contacts", "contacts.points"], ["forces", "contacts.forces"],
    ["cones", "contacts.cones"], ["centres", "centres.object"], ["axes", "axes.object"],
    ["frames", "frames.object"], ["trails", "trails.object"]]) {
    const was = await isShown(object);
    assert.ok(await differences(() => page.click(`#show-${box}`)) > 10, box);
    assert.equal(await isShown(object), !was);
    await page.click(`#show-${box}`);
    assert.equal(await isShown(object), was);
  }
  assert.ok(await differences(() => page.uncheck("#show-planes")) > 1000);
  await page.check("#show-planes");
  assert.ok(await differences(() => page.fill("#force-length", "1")) > 20);
  await page.fill("#force-length", "0");
  await page.click("#first");
  assert.ok(await differences(() => page.check("#show-groups")) > 20);
  await page.uncheck("#show-groups");
});

test("forces_have_the_colours_of_their_states", async () => {
  const colours = await page.evaluate(() => {
    const { view, recording, player } = window.carom;
    player.seekFrame(100);
    const { contacts } = view, found = [];
    for (let i = 0; i < contacts.points.count; i++) found.push([...contacts.points.instanceColor.array.slice(3 * i, 3 * i + 3)]);
    return { found, states: [...recording.contacts[100].state], expected: contacts.colours.map((c) => c.toArray()) };
  });
  assert.ok(colours.found.length >= 5);
  colours.found.forEach((colour, i) => colour.forEach((value, k) =>
    assert.ok(Math.abs(value - colours.expected[colours.states[i]][k]) < 1e-5)));
});

// The weight of the box is what the floor pushes with.
// A hinge's axis goes through its anchor; cones are as wide as friction says; the mark of all masses
// is where their mean is.
test("overlays_are_where_the_recording_says", async () => {
  await page.fill("#scrub", "100");
  for (const box of ["cones", "centres", "axes"]) await page.check(`#show-${box}`);
  const seen = await page.evaluate(() => {
    const { view, recording } = window.carom, { header } = recording;
    const { contacts, axes, centres } = view;
    const ends = [...axes.object.geometry.getAttribute("position").array.slice(0, 6)];
    const cone = [...contacts.cones.instanceMatrix.array.slice(0, 16)], normal = [...recording.contacts[100].normal.slice(0, 3)];
    const sum = [0, 0, 0];
    let mass = 0;
    header.bodies.forEach((body, i) => {
      if (!body.mass) return;
      const matrix = view.matrices[i].elements;
      for (let k = 0; k < 3; k++)
        sum[k] += body.mass * (matrix[12 + k] + [0, 1, 2].reduce((all, j) => all + matrix[4 * j + k] * body.com[j], 0));
      mass += body.mass;
    });
    return { ends, cone, normal, mean: sum.map((value) => value / mass), mark: centres.whole.position.toArray() };
  });
  [0, -1, 2].forEach((value, k) => assert.ok(Math.abs((seen.ends[k] + seen.ends[3 + k]) / 2 - value) < 1e-5, String(seen.ends)));
  assert.ok(Math.abs(seen.ends[1] - seen.ends[4]) > 0.1 && Math.abs(seen.ends[0] - seen.ends[3]) < 1e-6);
  const length = (from) => Math.hypot(...seen.cone.slice(from, from + 3));
  assert.ok(length(8) > 0 && Math.abs(length(0) / length(8) - 1) < 1e-4, String(seen.cone));
  assert.ok(Math.abs(Math.abs(seen.normal[2]) - 1) < 2e-3);
  seen.mean.forEach((value, k) => assert.ok(Math.abs(value - seen.mark[k]) < 2e-3, `${seen.mean}, ${seen.mark}`));
  for (const box of ["cones", "centres", "axes"]) await page.uncheck(`#show-${box}`);
});

// Of a free fall at first: p = - m g t.
test("momentum_is_plotted", async () => {
  const [mass, momentum, time] = await page.evaluate(() => {
    const { plots, recording } = window.carom;
    const { data } = plots.plots.find(({ title }) => /Linear/.test(title));
    const falling = recording.header.bodies.filter(({ name }) => ["red", "green", "blue", "ghost"].includes(name));
    return [falling.reduce((sum, body) => sum + body.mass, 0), data[3][4], data[0][4]];
  });
  assert.ok(time > 0.04 && momentum < -mass * 9.81 * time && momentum > -(mass + 20) * 9.81 * time, `${momentum} ${mass} ${time}`);
});

test("body_is_chosen_by_click_and_read", async () => {
  await page.fill("#scrub", "110");
  const [x, y] = await page.evaluate(() => window.carom.view.projectionOf(1));
  await page.mouse.click(x, y);
  assert.equal(await page.inputValue("#body"), "1");
  const text = await page.textContent("#state");
  assert.match(text, /Namered/);
  const shown = await page.$$eval("#state dd", (cells) => cells.map((cell) => cell.textContent));
  assert.ok(Math.abs(Number(shown[1]) - 216) < 1e-6, shown[1]);
  const force = shown[5].split(/ +/).map(Number);
  assert.ok(Math.abs(force[2] - 216 * 9.81) < 1, shown[5]);
  await page.mouse.click(20, 60);
  assert.equal(await page.inputValue("#body"), "0");
  await page.selectOption("#body", "4");
  assert.match(await page.textContent("#state"), /elbow, position/);
});

test("plots_follow_playback", async () => {
  assert.equal(await page.$$eval(".plot", (plots) => plots.length), 6);
  const place = () => page.$eval(".plot .now", (line) => new DOMMatrix(line.style.transform).e);
  await page.click("#first");
  const start = await place();
  await page.click("#last");
  const end = await place();
  assert.ok(end - start > 200);
  const legend = await page.textContent(".plot .u-legend");
  assert.match(legend, /kinetic/);
  const over = await page.$(".plot .u-over");
  const box = await over.boundingBox();
  await over.click({ position: { x: (start + end) / 2, y: box.height / 2 } });
  assert.ok(Math.abs((await state()).time - 1) < 0.02);
});

test("plots_can_be_added_and_removed", async () => {
  const titles = await page.$$eval("#curve option", (options) => options.map((option) => option.textContent));
  for (const title of ["elbow: position", "elbow: velocity", "motor: control", "red: place"]) assert.ok(titles.includes(title), titles.join());
  await page.selectOption("#curve", { label: "elbow: position" });
  await page.click("#add-curve");
  assert.equal(await page.$$eval(".plot", (plots) => plots.length), 7);
  const values = await page.evaluate(() => {
    const plot = window.carom.plots.plots.at(-1), { channels } = window.carom.recording;
    return [plot.data[1].at(-1), channels.find((channel) => channel.of === "q").values.at(-1)];
  });
  assert.equal(values[0], values[1]);
  await page.click(".plot h3 button");
  assert.equal(await page.$$eval(".plot", (plots) => plots.length), 6);
});

test("camera_by_mouse_and_reset", async () => {
  const before = (await state()).camera;
  await page.mouse.move(300, 300);
  await page.mouse.down();
  await page.mouse.move(400, 330, { steps: 4 });
  await page.mouse.up();
  const turned = (await state()).camera;
  assert.ok(Math.hypot(...turned.map((value, k) => value - before[k])) > 0.3);
  await page.mouse.wheel(0, 400);
  await page.waitForFunction((old) => window.carom.view.camera.position.distanceTo({ x: old[0], y: old[1], z: old[2] }) > 0.1, turned);
  await page.click("#reset-view");
  (await state()).camera.forEach((value, k) => assert.ok(Math.abs(value - before[k]) < 1e-6));
});

test("keys", async () => {
  await focusCanvas();
  await press("Home");
  await press("ArrowRight");
  assert.equal((await state()).frame, 1);
  await press("ArrowLeft");
  assert.equal((await state()).frame, 0);
  await press("End");
  assert.ok((await state()).time > 1.99);
  await press("-");
  assert.equal((await state()).speed, 0.5);
  await press("+");
  await press("l");
  assert.equal((await state()).repeats, true);
  await press("l");
  await press(" ");
  assert.equal((await state()).isPlaying, true);
  await press(" ");
  assert.equal((await state()).isPlaying, false);
  for (const key of ["a", "d", "w", "s", "q", "e"]) {
    const before = (await state()).camera;
    await press(key);
    assert.ok(Math.hypot(...(await state()).camera.map((value, k) => value - before[k])) > 0.05, key);
  }
  await press("r");
  await press("Escape");
  await press("n");
  assert.equal(await page.inputValue("#body"), "1");
  await press("p");
  await press("p");
  assert.equal(await page.inputValue("#body"), "5");
  await press("Escape");
  for (const [key, object] of [["c", "contacts.points"], ["f", "contacts.forces"], ["k", "contacts.cones"],
    ["g", "centres.object"], ["j", "axes.object"], ["b", "frames.object"], ["t", "trails.object"]]) {
    const was = await isShown(object);
    await press(key);
    assert.equal(await isShown(object), !was, key);
    await press(key);
  }
  await press("?");
  assert.equal(await page.$eval("#help", (dialog) => dialog.open), true);
  assert.ok(await page.$$eval("#keys tr", (rows) => rows.length) > 20);
  await press("Escape");
  assert.equal(await page.$eval("#help", (dialog) => dialog.open), false);
});

test("controls_are_labelled_and_reached_by_tab", async () => {
  const unnamed = await page.evaluate(() => [...document.querySelectorAll("button, input, select, canvas")].filter((element) =>
    !(element.getAttribute("aria-label") || element.textContent.trim() || element.labels?.[0]?.textContent.trim())).map((element) => element.id));
  assert.deepEqual(unnamed, []);
  await page.evaluate(() => document.activeElement.blur());
  const reached = new Set();
  for (let i = 0; i < 40; i++) {
    await press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.id));
  }
  for (const id of ["theme", "canvas", "show-forces", "body", "curve", "add-curve", "play", "scrub", "speed", "loop"]) assert.ok(reached.has(id), id);
});

// Contrast of text as WCAG 2 counts it, at least 4.5 in both themes.
test("dark_and_light", async () => {
  const contrast = () => page.evaluate(() => {
    const style = getComputedStyle(document.documentElement);
    const luminance = (name) => {
      const hex = style.getPropertyValue(name).trim().slice(1);
      const [r, g, b] = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
        .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return ["--text", "--faint"].flatMap((text) => ["--back", "--panel"].map((back) => ratio(luminance(text), luminance(back))));
  });
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const first = await theme();
  for (const value of await contrast()) assert.ok(value >= 4.5, `${value}`);
  assert.ok(await differences(() => page.click("#theme")) > 10000);
  assert.notEqual(await theme(), first);
  for (const value of await contrast()) assert.ok(value >= 4.5, `${value}`);
  await page.click("#theme");
  const dark = await open("out.html", { colorScheme: "dark" });
  assert.equal(await dark.evaluate(() => document.documentElement.dataset.theme), "dark");
  assert.deepEqual(dark.problems, []);
  await dark.context().close();
});

// An ellipsoid and a tetrahedron fill their outlines, not their bounds. Both are thin along y, so that these are seen in
// the plane y = 0.
test("ellipsoids_and_meshes_are_what_they_are", async () => {
  writeFileSync(join(folder, "shapes.xml"), `<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 .2 .05 .2 0 0 1"/></asset><worldbody>
    <body pos="-1 0 1"><freejoint/><geom type="ellipsoid" size=".5 .02 .3" rgba="1 0 0 1"/></body>
    <body pos=".5 0 .5"><freejoint/><geom type="mesh" mesh="m" rgba="0 1 0 1"/></body></worldbody></mujoco>`);
  carom("run", "shapes.xml", "--duration", "0", "-o", "shapes.h5", "--html", "shapes.html", "--quiet");
  const shapes = await open("shapes.html");
  const image = decodePng(await shapes.screenshot());
  const colour = async (x, z) => image.pixel(...(await shapes.evaluate((point) => window.carom.view.projectionOfPoint(point),
    { x, y: 0, z })).map(Math.round));
  const has = (strong, [r, g, b]) => (strong ? g > 1.5 * Math.max(r, b) + 20 : r > 1.5 * Math.max(g, b) + 20);
  for (const [x, z] of [[0, 0], [0.9, 0], [0, 0.9], [-0.9, 0], [0.6, 0.6]])
    assert.ok(has(0, await colour(-1 + 0.5 * x, 1 + 0.3 * z)), `ellipsoid ${x} ${z}`);
  for (const [x, z] of [[0.85, 0.85], [-0.85, 0.85], [0.85, -0.85]])
    assert.ok(!has(0, await colour(-1 + 0.5 * x, 1 + 0.3 * z)), `beside the ellipsoid ${x} ${z}`);
  for (const [x, z] of [[0.1, 0.1], [0.1, 0.8], [0.8, 0.1], [0.45, 0.45]])
    assert.ok(has(1, await colour(0.5 + x, 0.5 + z)), `mesh ${x} ${z}`);
  for (const [x, z] of [[0.9, 0.9], [0.6, 0.6], [0.2, 0.95]])
    assert.ok(!has(1, await colour(0.5 + x, 0.5 + z)), `beside the mesh ${x} ${z}`);
  assert.deepEqual(shapes.problems, []);
  await shapes.context().close();
});

// A run that was killed: what there is of it is shown, and that it is not all is said.
test("notes_of_a_killed_run", async () => {
  const run = spawn(CAROM, ["run", "scene.xml", "--duration", "1e6", "-o", "live.h5", "--rate", "100", "--quiet"], { cwd: folder });
  const path = join(folder, "live.h5"), ended = once(run, "exit");
  while (!existsSync(path) || statSync(path).size < 300000) await new Promise((done) => setTimeout(done, 20));
  run.kill("SIGKILL");
  await ended;
  carom("view", "live.h5", "-o", "live.html");
  const live = await open("live.html");
  assert.match(await live.textContent("#notes"), /was not closed/);
  assert.equal(await live.isVisible("#notes"), true);
  assert.ok(await live.evaluate(() => window.carom.recording.count) >= 1);
  assert.deepEqual(live.problems, []);
  await live.context().close();
});

test("nothing_was_said_on_the_console", () => assert.deepEqual(page.problems, []));

test("built_page_is_what_the_sources_give", () => {
  if (!existsSync(join(ROOT, "viewer/node_modules/esbuild"))) return;
  execFileSync(process.execPath, [join(ROOT, "viewer/build.mjs"), "--check"], { encoding: "utf8" });
});

await runTests();
