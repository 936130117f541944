// What the tests of the page share: a browser, pages made by the program, checks that are counted.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const CAROM = process.env.CAROM ?? join(ROOT, "build/release/cli/carom");

function skip(reason) {
  console.log(`SKIPPED: ${reason}`);
  process.exit(77);
}

function findBrowser() {
  const names = [process.env.CAROM_BROWSER, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  return names.find((name) => name && existsSync(name)) ?? skip("chromium is not installed");
}

function loadPlaywright() {
  try {
    return createRequire(join(ROOT, "viewer/package.json"))("playwright-core");
  } catch {
    return skip("playwright-core is not installed (npm ci --prefix viewer)");
  }
}

const { chromium } = loadPlaywright();
const executablePath = findBrowser();
export const folder = mkdtempSync(join(tmpdir(), "carom-viewer-"));

// WebGL in software, so that no graphics card is needed.
export const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

export const carom = (...args) => execFileSync(CAROM, args, { cwd: folder, encoding: "utf8" });

// Starts a program that serves until it is stopped; its address, and a promise of its exit code.
export async function serve(...args) {
  const process = spawn(CAROM, args, { cwd: folder });
  const ended = once(process, "exit").then(([code]) => code);
  const line = await new Promise((done, fail) => {
    process.stdout.once("data", (data) => done(String(data)));
    process.stderr.on("data", (data) => fail(new Error(String(data))));
  });
  const url = line.match(/http:\S+/)[0];
  return { process, url, port: new URL(url).port, stop: (signal = "SIGINT") => { process.kill(signal); return ended; } };
}

// Opens a page, a file or an address; what it says on the console is kept.
export async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.problems = [];
  page.requests = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !/GPU stall due to ReadPixels|swiftshader/i.test(message.text()))
      page.problems.push(message.text());
  });
  page.on("pageerror", (error) => page.problems.push(error.stack));
  page.on("request", (request) => page.requests.push(request.url()));
  await page.goto(name.startsWith("http:") ? name : pathToFileURL(join(folder, name)).href);
  await page.waitForFunction(() => window.carom, null, { timeout: 60000 });
  return page;
}

// Red, green, blue and alpha of a picture in PNG (8 bits, RGB or RGBA, not interlaced).
export function decodePng(bytes) {
  const width = bytes.readUInt32BE(16), height = bytes.readUInt32BE(20), size = bytes[25] === 6 ? 4 : 3;
  const parts = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  const raw = inflateSync(Buffer.concat(parts)), row = width * size, out = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++) unfilter(raw, out, y, row, size);
  return { width, height, pixel: (x, y) => [...out.subarray(y * row + x * size, y * row + x * size + 3)] };
}

function unfilter(raw, out, y, row, size) {
  const kind = raw[y * (row + 1)], from = y * (row + 1) + 1, to = y * row;
  for (let i = 0; i < row; i++) {
    const left = i >= size ? out[to + i - size] : 0, up = y ? out[to + i - row] : 0;
    const corner = y && i >= size ? out[to + i - row - size] : 0;
    const guess = left + up - corner;
    const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value));
    const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
    out[to + i] = raw[from + i] + [0, left, up, (left + up) >> 1, paeth][kind];
  }
}

const tests = [];
export const test = (name, run) => tests.push([name, run]);

// Runs the tests and prints their outcomes as cmocka does, so that they are counted.
export async function runTests() {
  let failures = 0;
  for (const [name, run] of tests) {
    console.log(`[ RUN      ] ${name}`);
    try {
      await run();
      console.log(`[       OK ] ${name}`);
    } catch (error) {
      failures++;
      console.log(`${error.stack}\n[  FAILED  ] ${name}`);
    }
  }
  await browser.close();
  rmSync(folder, { recursive: true });
  process.exit(failures ? 1 : 0);
}
