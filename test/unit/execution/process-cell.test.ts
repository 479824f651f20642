// The start of a cell, with a child that says and does what a test wants, at the moment that a test wants.
import assert from "node:assert/strict";
import { Duplex } from "node:stream";
import { suite, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Cell, CellListener, Death } from "../../../src/execution/cell.ts";
import type { Watch } from "../../../src/execution/enforcement/watchdog.ts";
import { launchProcessCell } from "../../../src/execution/process-cell.ts";
import type { Report } from "../../../src/execution/protocol/messages.ts";
import type { ChildListener } from "../../../src/jail/spawn/child.ts";
import { toFrame } from "../../../src/std/frames.ts";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import { fulfilled, rejectionCode, settled } from "../../support/waiting.ts";

const startMs = 1_000;
const greeting: Report = { t: "ready", node: "v0", slate: "written", tether: "signal", layers: [] };
const poisoned: Report = { t: "poisoned", why: "so it says" };

const watch: Watch = {
  setInFlight: () => {},
  setMemoryBytesMax: () => {},
  setHeapBytes: () => {},
  rssBytes: () => 0,
  verdict: () => undefined,
  cpuMsInside: () => undefined,
  end: () => {},
};

/** A cell on its way up. */
class Start {
  readonly clock = new FakeClock();
  readonly heard: (Report | Death)[] = [];
  readonly launched: Promise<Cell>;
  /** Resolves when its process was asked for. */
  readonly spawned: Promise<this>;
  readonly objection: string | undefined;
  watched = 0;
  kills = 0;
  #child: ChildListener | undefined;
  readonly #pipe = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  #pid: number | undefined;

  constructor(watchOne: () => Watch = () => watch, objection?: string, watching = Promise.resolve()) {
    this.objection = objection;
    const spawned = Promise.withResolvers<this>();
    this.spawned = spawned.promise;
    const listener: CellListener = {
      onReport: (report) => void this.heard.push(report),
      onDeath: (death) => void this.heard.push(death),
    };
    const pid = (): number | undefined => this.#pid;
    const child = {
      get pid() {
        return pid();
      },
      pipe: this.#pipe,
      kill: () => void this.kills++,
    };
    this.launched = launchProcessCell(
      {
        number: 1,
        clock: this.clock,
        startMs,
        rssBytesMax: 2 ** 30,
        watchdog: {
          open: () => watching,
          watch: () => {
            this.watched++;
            return watchOne();
          },
        },
        start: { t: "start", asyncLanes: 1, sliceMs: 25, warm: 0, warmMemoryBytes: 2 ** 25 },
        launch: {
          spawner: {
            objectionTo: () => this.objection,
            spawn: (_order, told) => {
              this.#child = told;
              spawned.resolve(this);
              return child;
            },
            close: () => Promise.resolve(),
          },
          layers: [],
          flags: [],
          env: {},
          engine: "",
          reportFrom: (layers) => ({ layers, missing: [] }),
          objectionTo: () => undefined,
        },
      },
      listener,
    );
    this.launched.catch(() => {});
  }

  begin(): void {
    this.#pid = 1;
    this.#child?.onStart?.();
  }

  /** All in one piece, read at once. */
  say(...reports: readonly Report[]): void {
    this.#child?.onBytes(Buffer.concat(reports.map(toFrame)));
  }

  end(how: string): void {
    this.#child?.onEnd(how, "");
  }
}

async function nextTurn(): Promise<void> {
  await turn();
  await turn();
}

suite("a cell that starts", () => {
  test("is there when it has said its first word, whichever of word and pid comes first", async () => {
    const [first, second] = [await new Start().spawned, await new Start().spawned];
    first.begin();
    first.say(greeting);
    second.say(greeting);
    second.begin();
    for (const { launched } of [first, second])
      assert.equal((await fulfilled("launch", launched)).facts.pid, 1);
  });

  test("is not given up when its first word was there in time and only our thread came late to it", async () => {
    const start = await new Start().spawned;
    start.begin();
    // A thread that was blocked finds its timers due before it comes to read anything.
    start.clock.advance(startMs);
    start.say(greeting);
    await fulfilled("launch", start.launched);
    assert.equal(start.kills, 0);
  });

  test("is given up when nothing is there after another turn, and its end is not waited for", async () => {
    const start = await new Start().spawned;
    start.begin();
    start.clock.advance(startMs);
    assert.equal(await rejectionCode("launch", start.launched), "CELL_START_FAILED");
    assert.equal(start.kills, 1);
  });

  test("is never heard of once it was given up: neither its first word nor its end", async () => {
    const start = await new Start().spawned;
    start.begin();
    start.clock.advance(startMs);
    await settled("launch", start.launched);
    start.say(greeting, poisoned);
    start.end("SIGKILL");
    await nextTurn();
    assert.deepEqual(start.heard, []);
    assert.equal(start.watched, 0);
  });

  test("that ends before its first word says how", async () => {
    const start = await new Start().spawned;
    start.begin();
    start.end("exit code 1");
    await assert.rejects(start.launched, {
      code: "CELL_START_FAILED",
      message: "Cannot start a cell as it ended with exit code 1",
    });
    assert.deepEqual(start.heard, []);
  });

  test("that ends right after its first word, before anyone knows it, counts as not started", async () => {
    const start = await new Start().spawned;
    start.begin();
    start.say(greeting);
    start.end("SIGSEGV");
    await assert.rejects(start.launched, { code: "CELL_START_FAILED" });
    await nextTurn();
    assert.deepEqual(start.heard, []);
  });

  test("that reports before it was told to begin is ended, and nobody hears what it said", async () => {
    const start = await new Start().spawned;
    start.begin();
    start.say(greeting, poisoned);
    await fulfilled("launch", start.launched);
    assert.equal(start.kills, 1);
    start.end("SIGKILL");
    assert.deepEqual(
      start.heard.map((each) => "cause" in each && each.cause),
      ["protocol"],
    );
  });

  test("is not even begun with where there is no room for it", async () => {
    const start = new Start(() => watch, "there is no room");
    await assert.rejects(start.launched, {
      code: "CELL_START_FAILED",
      message: "Cannot start a cell as there is no room",
    });
    assert.equal(start.kills, 0);
  });

  test("that cannot be watched is given up", async () => {
    const start = await new Start(() => {
      throw new RangeError("more than 256 cells");
    }).spawned;
    start.begin();
    start.say(greeting);
    await assert.rejects(start.launched, { code: "CELL_START_FAILED", message: /more than 256 cells/ });
    assert.equal(start.kills, 1);
  });

  test("is started while the watchdog's thread is, and is there only once that watches", async () => {
    const watching = Promise.withResolvers<void>();
    const start = await new Start(() => watch, undefined, watching.promise).spawned;
    let isThere = false;
    void start.launched.then(() => (isThere = true));
    start.begin();
    start.say(greeting);
    await nextTurn();
    assert.equal(isThere, false);
    watching.resolve();
    await fulfilled("launch", start.launched);
    assert.deepEqual([start.kills, start.heard], [0, []]);
  });

  test("is ended and never heard of where the watchdog's thread cannot be started, before its first word or after", async () => {
    for (const hasSpoken of [false, true]) {
      const watching = Promise.withResolvers<void>();
      const start = await new Start(() => watch, undefined, watching.promise).spawned;
      start.begin();
      if (hasSpoken) start.say(greeting);
      await nextTurn();
      watching.reject(new Error("no thread is left"));
      await assert.rejects(start.launched, { code: "CELL_START_FAILED", message: /no thread is left/ });
      start.say(hasSpoken ? poisoned : greeting);
      start.end("SIGKILL");
      await nextTurn();
      assert.deepEqual([start.kills, start.heard], [1, []]);
    }
  });

  test("that ends while the watchdog's thread is being started counts as not started", async () => {
    const watching = Promise.withResolvers<void>();
    const start = await new Start(() => watch, undefined, watching.promise).spawned;
    start.begin();
    start.say(greeting);
    await nextTurn();
    start.end("SIGSEGV");
    watching.resolve();
    await assert.rejects(start.launched, { code: "CELL_START_FAILED", message: /SIGSEGV/ });
    await nextTurn();
    assert.deepEqual(start.heard, []);
  });
});
