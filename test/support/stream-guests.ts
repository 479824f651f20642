// A guest whose functions are streamed, and what reads them.
import assert from "node:assert/strict";
import { GuestFailedError, type GuestFailure, type SandboxStream } from "../../src/index.ts";
import { settled } from "./waiting.ts";

/** Functions that yield in many ways. */
export const streamSource = `
  let produced = 0;
  export const count = (): number => produced;
  export const state: string[] = [];
  export const ends = (): string[] => state;
  export async function* slow(n: number, ms = 1): AsyncGenerator<string, string> {
    try {
      for (let i = 0; i < n; i++) {
        await new Promise((done) => setTimeout(done, ms));
        produced++;
        yield "part " + i;
      }
      return "returned";
    } finally {
      state.push("finally");
      console.log("finally");
    }
  }
  export function* quick(n: number): Generator<number> {
    for (let i = 0; i < n; i++) { produced++; yield i; }
  }
  export const list = () => [1, Promise.resolve(2), { three: 3 }];
  export const later = async () => new Set(["a", "b"]);
  export const number = () => 5;
  export const text = () => "letters";
  export async function* stuck() { try { yield 1; await new Promise((done) => setTimeout(done, 1e8)); yield 2; } finally { state.push("finally"); } }
  export async function* throws() {
    yield 1;
    throw Object.assign(new RangeError("boom", { cause: "why" }), { code: 3 });
  }
  export async function* badFinally() { try { yield 1; } finally { throw new Error("in finally"); } }
  export function* big(n: number) { for (;;) yield "x".repeat(n); }
  export function* odd() { yield 1; yield { f() {} }; }
  export function* hungry() { yield 1; const a: number[][] = []; for (;;) a.push(new Array(1e5).fill(1)); }
  export function* spins() { yield 1; for (;;); }`;

/** The failure that a promise must be rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<GuestFailure> {
  const result = await settled("the stream", promise);
  assert.equal(result.status, "rejected");
  const error: unknown = result.reason;
  assert.ok(error instanceof GuestFailedError, String(error));
  return error.failure;
}

/** All parts of a stream. */
export async function drain<T>(stream: SandboxStream<T>): Promise<T[]> {
  const parts: T[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
