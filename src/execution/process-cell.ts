// A cell as a child process: spawned with a bare environment, connected by a pipe, ended by SIGKILL.
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { Child } from "../jail/spawn/child.ts";
import { threadsOfNode } from "../jail/spawn/node-process.ts";
import { VivariumError } from "../model/errors.ts";
import { frameBytesMaxFor } from "../model/runs/report-bounds.ts";
import { afterTurn, type Clock } from "../std/clock.ts";
import { wordsOf } from "../std/descriptors.ts";
import { FrameError, FrameReader } from "../std/frames.ts";
import { randomName } from "../std/random.ts";
import type { Cell, CellFacts, CellListener, Death, TimeInside } from "./cell.ts";
import type { KillCause } from "./enforcement/verdict.ts";
import type { Watch, Watchdog } from "./enforcement/watchdog.ts";
import { programUrl } from "./programs.ts";
import { frameOfCommand, reportFrom } from "./protocol/encoding.ts";
import type { BoxLimits, Command, Report } from "./protocol/messages.ts";
import { mainSlot, readEntries, readLastBegun, slateBytes, type Entry } from "./slate.ts";
import { cellFlags } from "./cell-flags.ts";
import type { CellLaunch } from "./cell-launch.ts";
import { lastWordsIn } from "./last-words.ts";

export interface LaunchOptions {
  readonly number: number;
  readonly clock: Clock;
  readonly watchdog: Pick<Watchdog, "open" | "watch">;
  readonly startMs: number;
  readonly rssBytesMax: number;
  readonly start: Extract<Command, { t: "start" }>;
  readonly launch: CellLaunch;
  /** The program to run. Default: the cell host. */
  readonly program?: string;
  readonly execPath?: string;
}

const sharedMemoryFolder = "/dev/shm";

/**
 * Node's own; those of isolated-vm, one for each processor and one more; one and a timer's for each lane, and one lane more;
 * as many isolates as there are lanes are booted at a time.
 */
function threadsOfCell(asyncLanes: number): number {
  return threadsOfNode + availableParallelism() + 1 + 2 * (asyncLanes + 1) + asyncLanes;
}

/** Starts a cell process, and the watchdog's thread meanwhile, and waits for its first report. */
export async function launchProcessCell(options: LaunchOptions, listener: CellListener): Promise<Cell> {
  const { launch, watchdog, start } = options;
  // Before the watchdog's thread is started: a thread that finds no room can abort its process.
  const objection = launch.spawner.objectionTo(threadsOfCell(start.asyncLanes));
  if (objection !== undefined) throw startFailed(objection);
  const watching = watchdog.open();
  // Where the cell cannot be started, nobody waits for it.
  watching.catch(() => {});
  return startCell(options, listener).ready(watching);
}

// Descriptors may run out at any step.
function startCell(options: LaunchOptions, listener: CellListener): ProcessCell {
  let slateFd: number | undefined;
  try {
    slateFd = openSlate();
    return new ProcessCell({ ...options, slateFd, listener });
  } catch (error) {
    if (slateFd !== undefined) closeSync(slateFd);
    throw startFailed(wordsOf(error), error);
  }
}

function startFailed(why: string, cause?: unknown): VivariumError {
  return new VivariumError("CELL_START_FAILED", `Cannot start a cell as ${why}`, cause);
}

// A page of shared memory with no name: the file is unlinked before anyone can use it.
function openSlate(): number {
  try {
    return openSlateIn(sharedMemoryFolder);
  } catch {
    return openSlateIn(tmpdir());
  }
}

function openSlateIn(folder: string): number {
  const path = `${folder}/${randomName("vivarium")}`;
  const fd = openSync(path, "wx+", 0o600);
  try {
    unlinkSync(path);
    writeSync(fd, Buffer.alloc(slateBytes), 0, slateBytes, 0);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

interface ProcessCellOptions extends LaunchOptions {
  readonly slateFd: number;
  readonly listener: CellListener;
}

/** Its listener is called from `open` on. What a `refused` cell reports is ignored. */
type CellState = "starting" | "open" | "refused";

/** A cell process from its start on. It is a `Cell` once it is ready. */
class ProcessCell {
  readonly number: number;
  readonly #child: Child;
  readonly #slateFd: number;
  readonly #options: ProcessCellOptions;
  readonly #reader = new FrameReader(frameBytesMaxFor(0));
  #watch: Watch | undefined;
  #cause: KillCause | undefined;
  #memoryBytesMax = 0;
  #greeting: Extract<Report, { t: "ready" }> | undefined;
  #isReleased = false;
  #state: CellState = "starting";
  /** It ended before it was open. */
  #earlyEnd: string | undefined;
  /** Its facts, or why it cannot be used. */
  readonly #started = Promise.withResolvers<CellFacts | string>();

  constructor(options: ProcessCellOptions) {
    const { launch, slateFd } = options;
    const { layers, engine } = launch;
    const program = options.program ?? fileURLToPath(programUrl("cell-host"));
    this.number = options.number;
    this.#options = options;
    this.#slateFd = slateFd;
    const settings = {
      command: options.execPath ?? process.execPath,
      args: [...cellFlags, ...launch.flags, program, String(process.pid), layers.join(","), engine],
      env: launch.env,
      sharedFd: slateFd,
      threads: threadsOfCell(options.start.asyncLanes),
    };
    this.#child = launch.spawner.spawn(settings, {
      onBytes: (bytes) => this.#receive(bytes),
      onStart: () => this.#begin(),
      onFailure: (message) => {
        this.#release();
        this.#started.resolve(message);
      },
      onEnd: (how, said) => this.#end(how, said.trim()),
    });
  }

  /**
   * Resolves at the cell's first report, once the watchdog's thread watches: no guest is let in before. Kills it and rejects
   * when no report comes in time, or there will be no watch.
   */
  async ready(watching: Promise<void>): Promise<Cell> {
    const { clock, startMs } = this.#options;
    const { promise, resolve } = this.#started;
    // This thread may have been blocked: what the cell sent meanwhile is read in one turn of the event loop.
    const timer = clock.after(startMs, () =>
      afterTurn(() => resolve(`it did not answer within ${startMs} ms`)),
    );
    let cause: unknown;
    let unwatched: string | undefined;
    const watched = watching.catch((error: unknown) => {
      cause = error;
      unwatched = wordsOf(error);
      resolve(unwatched);
    });
    const started = await promise;
    timer.cancel();
    if (typeof started !== "string") await watched;
    const facts = typeof started === "string" ? started : (this.#earlyEnd ?? unwatched ?? started);
    this.#state = typeof facts === "string" ? "refused" : "open";
    if (typeof facts !== "string") return Object.assign(this, { facts });
    this.#child.kill();
    throw startFailed(facts, cause);
  }

  send(command: Command): void {
    if (this.#child.pipe.writable) this.#child.pipe.write(frameOfCommand(command));
  }

  setInFlight(count: number): void {
    this.#watch?.setInFlight(count);
  }

  makeRoom({ memoryBytes, resultBytes }: Pick<BoxLimits, "memoryBytes" | "resultBytes">): void {
    this.#reader.frameBytesMax = Math.max(this.#reader.frameBytesMax, frameBytesMaxFor(resultBytes));
    if (memoryBytes <= this.#memoryBytesMax) return;
    this.#memoryBytesMax = memoryBytes;
    this.#watch?.setMemoryBytesMax(memoryBytes);
  }

  setHeapBytes(bytes: number): void {
    this.#watch?.setHeapBytes(bytes);
  }

  rssBytes(): number {
    return this.#watch?.rssBytes() ?? 0;
  }

  inMainLane(): Entry | undefined {
    if (this.#isReleased) return undefined;
    return readEntries(this.#readSlate()).find((entry) => entry.slot === mainSlot);
  }

  kill(cause: KillCause): void {
    this.#cause ??= cause;
    this.#child.kill();
  }

  #receive(bytes: Buffer): void {
    if (this.#cause !== undefined || this.#state === "refused") return;
    try {
      this.#reader.push(bytes, (message, texts) => this.#deliver(reportFrom(message, texts)));
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.kill("protocol");
    }
  }

  #deliver(report: Report | undefined): void {
    if (this.#cause !== undefined) return;
    if (report?.t === "ready" && this.#greeting === undefined) {
      this.#greeting = report;
      this.#begin();
    } else if (report === undefined || report.t === "ready" || this.#state !== "open") this.kill("protocol");
    else this.#options.listener.onReport(report);
  }

  // Its first report and the report of its start arrive in any order.
  #begin(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#greeting === undefined || this.#state !== "starting") return;
    const { launch, rssBytesMax, start } = this.#options;
    const { node, slate, tether, layers } = this.#greeting;
    const jail = launch.reportFrom(layers);
    const objection = launch.objectionTo(jail);
    if (objection !== undefined) return this.#started.resolve(objection);
    try {
      const onLost = (): void => this.kill("unwatched");
      this.#watch = this.#options.watchdog.watch({ pid, slateFd: this.#slateFd, rssBytesMax, onLost });
    } catch (error) {
      return this.#started.resolve(wordsOf(error));
    }
    this.send(start);
    this.#started.resolve({ pid, node, slate, tether, jail });
  }

  #end(how: string, said: string): void {
    const page = this.#readSlate();
    const verdict = this.#watch?.verdict();
    const inside = readEntries(page);
    const times = inside.map(({ op, startedMs }): TimeInside => {
      return { op, startedMs, cpuMs: this.#watch?.cpuMsInside(op) ?? 0 };
    });
    this.#release();
    if (this.#state !== "open") {
      this.#earlyEnd = `it ended with ${how}${said === "" ? "" : `; it said: ${said}`}`;
      return this.#started.resolve(this.#earlyEnd);
    }
    const death: Death = {
      cause: this.#cause ?? verdict?.cause ?? "exit",
      detail: said === "" ? how : `${how}: ${lastWordsIn(said)}`,
      culprit: verdict?.culprit,
      inside,
      lastBegun: readLastBegun(page),
      times,
    };
    this.#options.listener.onDeath(death);
  }

  #release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#child.pipe.destroy();
    const closeSlate = (): void => closeSync(this.#slateFd);
    if (this.#watch === undefined) closeSlate();
    else this.#watch.end(closeSlate);
    this.#watch = undefined;
  }

  #readSlate(): Float64Array {
    const page = new Float64Array(slateBytes / Float64Array.BYTES_PER_ELEMENT);
    readSync(this.#slateFd, page, 0, slateBytes, 0);
    return page;
  }
}
