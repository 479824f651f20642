// The figures that the benchmark draws.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chartSvg, ticksUpTo } from "../../../bench/plot/chart.ts";
import { figureFiles, figures } from "../../../bench/plot/figures.ts";
import { rows } from "../../../bench/rows.ts";
import { resultOf } from "./results.ts";

const points = (...ys: readonly number[]) =>
  ys.map((y, index) => ({ x: 10 ** (index + 1), y, low: y * 0.9, high: y * 1.1 }));
const chart = { title: 'Calls & "more" <here>', xLabel: "sandboxes", yLabel: "µs" };

/** The numbers of one attribute of all elements with this name. */
function numbers(svg: string, element: string, attribute: string): readonly number[] {
  return [...svg.matchAll(new RegExp(`<${element} [^>]*\\b${attribute}="([^"]+)"`, "g"))].map(([, value]) =>
    Number(value),
  );
}

test("ticksUpTo gives round values from zero up to the greatest or just beyond it", () => {
  assert.deepEqual(ticksUpTo(9), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticksUpTo(0.3), [0, 0.1, 0.2, 0.3]);
  assert.deepEqual(ticksUpTo(1_250), [0, 500, 1_000, 1_500]);
  assert.deepEqual(ticksUpTo(0), [0, 1]);
});

test("chartSvg places powers of ten evenly and greater values higher, all inside the picture", () => {
  const svg = chartSvg({ ...chart, series: [{ name: "vivarium", points: points(50, 60, 100) }] });
  const xs = numbers(svg, "circle", "cx");
  const ys = numbers(svg, "circle", "cy");
  assert.equal(xs.length, 3);
  assert.equal((xs[1] as number) - (xs[0] as number), (xs[2] as number) - (xs[1] as number));
  assert.ok((ys[0] as number) > (ys[1] as number) && (ys[1] as number) > (ys[2] as number));
  for (const [name, max] of [
    ["x", 720],
    ["y", 400],
  ] as const)
    for (const value of numbers(svg, "text", name)) assert.ok(value >= 0 && value <= max);
});

test("chartSvg escapes its words, has colours for dark pages, and names each series", () => {
  const series = ["vivarium", "a<b"].map((name) => ({ name, points: points(1) }));
  const svg = chartSvg({ ...chart, series });
  assert.match(svg, /aria-label="Calls &amp; &quot;more&quot; &lt;here>"/);
  assert.match(svg, /prefers-color-scheme:dark/);
  assert.match(svg, />vivarium<\/text>/);
  assert.match(svg, />a&lt;b<\/text>/);
});

test("chartSvg moves labels apart that would lie upon each other, and leaves out a series without points", () => {
  const series = ["one", "two", "none"].map((name) => ({
    name,
    points: name === "none" ? [] : points(7, 7),
  }));
  const svg = chartSvg({ ...chart, series });
  const labels = [...svg.matchAll(/y="([\d.]+)" style="fill:[^"]+">(\w+)</g)];
  assert.deepEqual(
    labels.map(([, , name]) => name),
    ["one", "two"],
  );
  assert.ok(Math.abs(Number(labels[0]?.[1]) - Number(labels[1]?.[1])) >= 16);
});

test("figureFiles draws one file of all rows of a figure, in the order of their counts", () => {
  const at = (count: number, value: number) => ({
    ...resultOf({ vivarium: [value] }),
    scale: { figure: "call-latency", count },
  });
  const [file, ...others] = figureFiles([at(1_000, 20), at(10, 10), resultOf({ vivarium: [1] })]);
  assert.deepEqual(others, []);
  assert.equal(file?.name, "call-latency.svg");
  const [first, second] = numbers(file?.text ?? "", "circle", "cy");
  assert.ok((first as number) > (second as number));
});

test("every row of how things grow belongs to a figure that exists, and every figure has rows", () => {
  const named = new Set(rows.flatMap(({ scale }) => scale?.figure ?? []));
  assert.deepEqual([...named].toSorted(), Object.keys(figures).toSorted());
});
