// A report in a real browser: nothing is fetched, texts and curves stand out from the paper, light, dark and printed.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { browser, carom, folder, runTests, test } from "./browser.mjs";

writeFileSync(join(folder, "scene.xml"), `<mujoco model="report"><option timestep="0.005"/><worldbody>
  <geom type="plane" size="0 0 1"/><body name="box" pos="0 0 .15"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
</worldbody></mujoco>`);
carom("run", "scene.xml", "--duration", "1", "-o", "out.h5", "--quiet");
carom("report", "out.h5", "--quiet");

async function open(options) {
  const page = await (await browser.newContext({ viewport: { width: 1000, height: 900 }, ...options })).newPage();
  page.problems = [];
  for (const event of ["console", "pageerror"]) page.on(event, (what) => page.problems.push(String(what.text?.() ?? what)));
  page.on("request", (request) => /^file:/.test(request.url()) || page.problems.push(request.url()));
  await page.goto(pathToFileURL(join(folder, "out.report.html")).href);
  return page;
}

// Colours of the paper, of text, and of the curves, as rgb(...).
const colours = (page) => page.evaluate(() => {
  const style = (query, field) => [...document.querySelectorAll(query)].map((element) => getComputedStyle(element)[field]);
  return { paper: style("body", "backgroundColor").concat(style(".plot .paper", "fill")),
    text: style("h1, h2, th, td, caption, .soft, figcaption, summary", "color").concat(style(".plot text", "fill")),
    curves: style(".plot .curves path", "stroke") };
});

// Contrast of two colours (WCAG 2.1).
function contrast(a, b) {
  const [low, high] = [a, b].map((colour) => colour.match(/[\d.]+/g).slice(0, 3).map((part) => {
    const value = Number(part) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }).reduce((sum, value, k) => sum + value * [0.2126, 0.7152, 0.0722][k], 0)).sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function expectContrast({ paper, text, curves }, isDark) {
  assert.equal(new Set(paper).size, 1);
  assert.equal(contrast(paper[0], "rgb(0, 0, 0)") < 2, isDark, paper[0]);
  assert.ok(text.length > 60 && curves.length > 10);
  for (const colour of new Set(text)) assert.ok(contrast(colour, paper[0]) >= 4.5, `text ${colour} on ${paper[0]}`);
  for (const colour of new Set(curves)) assert.ok(contrast(colour, paper[0]) >= (isDark ? 4.5 : 2.2), `curve ${colour} on ${paper[0]}`);
}

for (const scheme of ["light", "dark"])
  test(`${scheme}_page`, async () => {
    const page = await open({ colorScheme: scheme });
    expectContrast(await colours(page), scheme === "dark");
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

test("prints_on_white_paper", async () => {
  const page = await open({ colorScheme: "dark" });
  await page.emulateMedia({ media: "print" });
  expectContrast(await colours(page), false);
  await page.context().close();
});

test("figures_are_named_and_as_wide_as_the_page", async () => {
  const page = await open({});
  const figures = page.locator("svg[role=img]");
  assert.equal(await figures.count(), 5);
  for (const name of ["Energy", "Contact points"]) assert.equal(await page.getByRole("img", { name, exact: true }).count(), 1);
  const { width, height } = await figures.first().boundingBox();
  assert.ok(width > 700 && height > 250 && height < width, `${width} x ${height}`);
  await page.setViewportSize({ width: 360, height: 700 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360));
  await page.context().close();
});

test("scene_opens_by_keyboard", async () => {
  const page = await open({});
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.match(await page.locator("pre").innerText(), /<mujoco model="report">/);
  assert.equal(await page.locator("pre").isVisible(), true);
  await page.context().close();
});

await runTests();
