// Plots in step with playback: a line at the present, values beneath; a click goes to that time.
import uPlot from "uplot";

const COLOURS = {
  light: ["#0b62c4", "#c2410c", "#15803d", "#7c3aed", "#a16207", "#0e7490"],
  dark: ["#5aa9ff", "#ff9d4d", "#5ed38a", "#c4a1ff", "#f0cf5a", "#55d3e6"],
};
const HEIGHT = 130;

const format = (value) => (value === null || value === undefined ? "–" : Number(value.toPrecision(5)).toString());

// What a scale cannot show becomes a gap.
function clean(values, isLogarithmic) {
  return Array.from(values, (value) => (Number.isFinite(value) && (!isLogarithmic || value > 0) ? value : null));
}

// What differs by less of its size is drawn as level: there are no numbers for ticks between.
const LEVEL = 1e-9;

function rangeOf(_, low, high) {
  if (low === null || high === null) return [null, null];
  const isLevel = high - low < LEVEL * Math.max(Math.abs(low), Math.abs(high));
  return isLevel ? uPlot.rangeNum(low, low, 0.1, true) : uPlot.rangeNum(low, high, 0.1, true);
}

const isEmpty = (data) => !data.slice(1).some((values) => values.some((value) => value !== null));

function seriesOf(plot, theme) {
  const colours = COLOURS[theme];
  return [{ label: "t, s", value: (_, value) => format(value) }].concat(plot.curves.map(({ label }, i) => ({
    label, stroke: colours[i % colours.length], width: 1.5, points: { show: false },
    dash: i >= 3 ? [6, 3] : undefined, value: (_, value) => format(value),
  })));
}

// Ticks that would not fit are in powers of ten.
function tickText(value) {
  const size = Math.abs(value);
  return size > 0 && (size >= 1e5 || size < 1e-3) ? value.toExponential() : String(value);
}

function axesOf(style, isLogarithmic) {
  const own = { stroke: style("--faint"), grid: { stroke: style("--edge"), width: 1 }, ticks: { stroke: style("--edge") }, font: "11px system-ui" };
  const exponent = (_, ticks) => ticks.map((tick) => (tick && Number.isInteger(Math.log10(tick)) ? tick.toExponential(0) : ""));
  return [{ ...own, size: 28 }, { ...own, size: 52, values: isLogarithmic ? exponent : (_, ticks) => ticks.map(tickText) }];
}

export class Plots {
  constructor(element, recording, player) {
    this.element = element;
    this.recording = recording;
    this.player = player;
    this.plots = [];
  }

  setColours(style, theme) {
    this.style = style;
    this.theme = theme;
    for (const plot of this.plots) this.draw(plot);
  }

  add(plot, isRemovable) {
    const box = document.createElement("section"), heading = document.createElement("h3");
    box.className = "plot";
    box.setAttribute("aria-label", `Plot: ${plot.title}`);
    heading.textContent = plot.title;
    box.append(heading);
    const entry = { ...plot, box, data: this.dataOf(plot) };
    if (isRemovable) heading.append(this.makeRemover(entry));
    this.element.append(box);
    this.plots.push(entry);
    this.draw(entry);
  }

  dataOf(plot) {
    return [Array.from(this.recording.time), ...plot.curves.map((c) => clean(c.values(), plot.isLogarithmic))];
  }

  // Takes in what a recording has grown by. A scale that was flat may have to be made anew.
  renew() {
    for (const entry of this.plots) {
      const { isFlat } = entry;
      entry.data = this.dataOf(entry);
      if (entry.isLogarithmic && isFlat !== isEmpty(entry.data)) this.draw(entry);
      else entry.uplot.setData(entry.data);
    }
  }

  makeRemover(entry) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Remove";
    button.setAttribute("aria-label", `Remove the plot ${entry.title}`);
    button.addEventListener("click", () => {
      entry.uplot.destroy();
      entry.box.remove();
      this.plots.splice(this.plots.indexOf(entry), 1);
    });
    return button;
  }

  draw(entry) {
    entry.uplot?.destroy();
    entry.isFlat = isEmpty(entry.data);
    entry.uplot = new uPlot({
      width: Math.max(this.element.clientWidth, 200), height: HEIGHT,
      series: seriesOf(entry, this.theme), axes: axesOf(this.style, entry.isLogarithmic),
      scales: { x: { time: false }, y: entry.isLogarithmic && !entry.isFlat ? { distr: 3 } : { range: rangeOf } },
      cursor: { y: false, drag: { x: false, y: false } }, legend: { live: true },
    }, entry.data, entry.box);
    const canvas = entry.uplot.root.querySelector("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${entry.title} over time`);
    entry.line = document.createElement("div");
    entry.line.className = "now";
    entry.uplot.over.append(entry.line);
    entry.uplot.over.addEventListener("click", (event) => this.player.seek(entry.uplot.posToVal(event.offsetX, "x")));
    this.place(entry);
  }

  place(entry) {
    const x = entry.uplot.valToPos(this.player.time, "x");
    entry.line.style.transform = `translateX(${x}px)`;
    entry.uplot.setLegend({ idx: this.player.frame });
  }

  update() {
    for (const entry of this.plots) this.place(entry);
  }

  resize() {
    const width = Math.max(this.element.clientWidth, 200);
    for (const entry of this.plots) {
      entry.uplot.setSize({ width, height: HEIGHT });
      this.place(entry);
    }
  }
}
