// Five small programs that keep a processor busy in different ways, each for some 10–30 ms in plain Node.

export const kernels = {
  fib: `
    const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));
    export function kernel() { return fib(30); }`,
  sieve: `
    export function kernel() {
      const limit = 2_000_000;
      const composite = new Uint8Array(limit + 1);
      let count = 0;
      for (let n = 2; n <= limit; n++) {
        if (composite[n] === 1) continue;
        count++;
        for (let m = n * n; m <= limit; m += n) composite[m] = 1;
      }
      return count;
    }`,
  bodies: `
    export function kernel() {
      const bodies = Array.from({ length: 5 }, (_, i) => ({ x: i, y: i * 0.5, z: -i, vx: 0, vy: 0.1 * i, vz: 0, mass: 1 + i }));
      for (let step = 0; step < 80_000; step++) {
        for (let i = 0; i < 5; i++) {
          const a = bodies[i];
          for (let j = i + 1; j < 5; j++) {
            const b = bodies[j];
            const dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
            const distance = dx * dx + dy * dy + dz * dz + 0.01;
            const pull = 0.0001 / (distance * Math.sqrt(distance));
            a.vx -= dx * b.mass * pull; a.vy -= dy * b.mass * pull; a.vz -= dz * b.mass * pull;
            b.vx += dx * a.mass * pull; b.vy += dy * a.mass * pull; b.vz += dz * a.mass * pull;
          }
        }
        for (const body of bodies) { body.x += body.vx * 0.01; body.y += body.vy * 0.01; body.z += body.vz * 0.01; }
      }
      return bodies[0].x;
    }`,
  strings: `
    export function kernel() {
      let words = 0;
      for (let round = 0; round < 60; round++) {
        const text = Array.from({ length: 800 }, (_, i) => "w" + ((i * 7919 + round) % 500)).join(" ");
        const counts = new Map();
        for (const word of text.split(" ")) counts.set(word, (counts.get(word) ?? 0) + 1);
        words += [...counts.keys()].sort().join(",").replace(/w(\\d)/g, "$1:").length;
      }
      return words;
    }`,
  objects: `
    export function kernel() {
      let total = 0;
      for (let round = 0; round < 12; round++) {
        const rows = Array.from({ length: 8_000 }, (_, i) => ({ id: i, group: "g" + (i % 50), value: (i * 31) % 97 }));
        const groups = Object.groupBy ? Object.groupBy(rows, (row) => row.group) : {};
        if (!Object.groupBy) for (const row of rows) (groups[row.group] ??= []).push(row);
        for (const members of Object.values(groups)) {
          total += members.map(({ id, value }) => ({ key: id, half: value / 2 })).filter(({ half }) => half > 10).length;
        }
      }
      return total;
    }`,
} as const;

/** The same for a program of two modules. */
export const twoKernel = {
  lib: `
    export class Vector { constructor(x, y) { this.x = x; this.y = y; } }
    export const scale = (v, by) => new Vector(v.x * by, v.y * by);
    export function dot(a, b) { return a.x * b.x + a.y * b.y; }
    export const step = 0.001;`,
  main: `
    import { dot, scale, step, Vector } from "./lib";
    export function kernel() {
      let sum = 0;
      for (let i = 0; i < 1_500_000; i++) {
        const v = scale(new Vector(i, i + 1), step);
        sum += dot(v, v);
      }
      return sum;
    }`,
} as const;
