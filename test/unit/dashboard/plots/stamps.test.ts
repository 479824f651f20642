// Small pictures put onto a larger one.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  pictureOf,
  putStamp,
  stampOf,
  type Picture,
  type Stamp,
} from "../../../../dashboard/src/plots/stamps.ts";

const red = [255, 0, 0, 255];
const none = [0, 0, 0, 0];
const empty = (width: number, height: number): Picture =>
  pictureOf(width, height, new Uint8ClampedArray(width * height * 4));
const stamp = (width: number, height: number, bytes: readonly number[]): Stamp =>
  stampOf(pictureOf(width, height, Uint8ClampedArray.from(bytes)));
const pixel = ({ width, rgba }: Picture, x: number, y: number): readonly number[] => [
  ...rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 4),
];

test("a stamp has the pixels that are not transparent, around its middle", () => {
  const { dx, dy, rgba } = stamp(2, 2, [...none, ...red, ...none, ...none]);
  assert.deepEqual([[...dx], [...dy], [...rgba]], [[0], [-1], red]);
});

test("a stamp lies where it is put, and what is outside of the picture is left out", () => {
  const picture = empty(3, 2);
  putStamp(picture, stamp(2, 1, [...red, ...red]), { x: 0, y: 1 });
  putStamp(picture, stamp(2, 1, [...red, ...red]), { x: 50, y: -50 });
  assert.deepEqual(pixel(picture, 0, 1), red);
  assert.equal(picture.rgba.filter((value) => value > 0).length, 2);
});

test("half transparent colours are mixed with what is below them", () => {
  const picture = empty(1, 1);
  putStamp(picture, stamp(1, 1, [255, 0, 0, 128]), { x: 0, y: 0 });
  assert.deepEqual(pixel(picture, 0, 0), [255, 0, 0, 128]);
  putStamp(picture, stamp(1, 1, [0, 0, 255, 128]), { x: 0, y: 0 });
  const [r = 0, , b = 0, a = 0] = pixel(picture, 0, 0);
  assert.ok(b > r && a > 180 && a < 200, `red ${r}, blue ${b}, opacity ${a}`);
});
