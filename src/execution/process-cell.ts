// A cell as a child process: spawned with a bare environment, spoken to over a pipe of its own, ended by SIGKILL.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { VivariumError } from "../model/errors.ts";
import type { Clock } from "../std/clock.ts";
import { FrameError, FrameReader, toFrame } from "../std/frames.ts";
import { randomName } from "../std/random.ts";
import { tetherFd } from "../std/tether.ts";
import type { Cell, CellFacts, CellListener, Death } from "./cell.ts";
import type { KillCause } from "./enforcement/verdict.ts";
import type { Watch, Watchdog } from "./enforcement/watchdog.ts";
import { programUrl } from "./programs.ts";
import { asReport } from "./protocol/checks.ts";
import type { BoxLimits, Command, Report } from "./protocol/messages.ts";
import { mainSlot, readEntries, readLastBegun, slateBytes, type Entry } from "./slate.ts";

export interface LaunchOptions {
  readonly number: number;
  readonly clock: Clock;
  readonly watchdog: Watchdog;
  readonly startMs: number;
  readonly rssBytesMax: number;
  readonly start: Extract<Command, { t: "start" }>;
  /** The program to run; the cell host unless a test says otherwise. */
  readonly program?: string;
  readonly execPath?: string;
}

/** How long a frame with one result may be: its text is quoted once more, which at most doubles it. */
const frameBytesMaxFor = (resultBytes: number): number => 2 * resultBytes + 4 * 2 ** 20;
const stderrBytesMax = 4_096;
const pipeIndex = 3;
const closeMs = 250;

// One hung optimisation would otherwise drop the checks that let a guest be interrupted; see docs on traps.
// Compiling eagerly makes the guest runtime's cached code complete: its first calls then compile nothing.
const flags = [
  "--no-lazy",
  "--no-node-snapshot",
  "--no-turboshaft-loop-unrolling",
  "--disable-sigusr1",
  "--disable-warning=ExperimentalWarning",
];

/** Starts a cell process and waits for its first word. */
export async function launchProcessCell(options: LaunchOptions, listener: CellListener): Promise<Cell> {
  const { child, slateFd } = await spawnCell(options);
  const cell = new ProcessCell(child, { ...options, slateFd, listener });
  await cell.ready(options.clock, options.startMs);
  return cell;
}

// Where descriptors or processes run out, a child has neither a pid nor streams; it only says so, a moment later.
async function spawnCell(options: LaunchOptions): Promise<{ child: ChildProcess; slateFd: number }> {
  const program = options.program ?? fileURLToPath(programUrl("cell-host"));
  let slateFd: number | undefined;
  try {
    slateFd = openSlate();
    const child = spawn(options.execPath ?? process.execPath, [...flags, program, String(process.pid)], {
      cwd: "/",
      env: { TZ: "UTC", OPENSSL_CONF: "/dev/null" },
      stdio: ["ignore", "ignore", "pipe", "pipe", slateFd, "pipe"],
    });
    if (child.pid !== undefined) return { child, slateFd };
    for (const stream of child.stdio ?? []) stream?.destroy();
    const [error] = (await once(child, "error")) as [Error];
    throw error;
  } catch (error) {
    if (slateFd !== undefined) closeSync(slateFd);
    throw startFailed(error instanceof Error ? error.message : String(error), error);
  }
}

function startFailed(why: string, cause?: unknown): VivariumError {
  return new VivariumError("CELL_START_FAILED", `Cannot start a cell as ${why}`, cause);
}

// A page of shared memory with no name: the file is unlinked before anyone can use it.
function openSlate(): number {
  const folder = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const path = `${folder}/${randomName("vivarium")}`;
  const fd = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  writeSync(fd, Buffer.alloc(slateBytes), 0, slateBytes, 0);
  return fd;
}

interface ProcessCellOptions extends LaunchOptions {
  readonly slateFd: number;
  readonly listener: CellListener;
}

class ProcessCell implements Cell {
  readonly number: number;
  readonly #child: ChildProcess;
  readonly #pipe: Duplex;
  readonly #slateFd: number;
  readonly #watchdog: Watchdog;
  readonly #options: ProcessCellOptions;
  readonly #reader = new FrameReader(frameBytesMaxFor(0));
  #facts: CellFacts | undefined;
  #watch: Watch | undefined;
  #cause: KillCause | undefined;
  #memoryBytesMax = 0;
  #stderr = "";
  #onStart: ((failure?: string) => void) | undefined;

  constructor(child: ChildProcess, options: ProcessCellOptions) {
    this.number = options.number;
    this.#child = child;
    this.#options = options;
    this.#slateFd = options.slateFd;
    this.#watchdog = options.watchdog;
    this.#pipe = child.stdio[pipeIndex] as Duplex;
    this.#pipe.on("data", (chunk: Buffer) => this.#receive(chunk));
    // Broken pipes are told by the process's end, and only by that.
    this.#pipe.on("error", () => {});
    (child.stdio as (Duplex | null)[])[tetherFd]?.on("error", () => {});
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-stderrBytesMax);
    });
    // The child is there, or it would have no pid; a signal that could not be sent is told here and known otherwise.
    child.on("error", () => {});
    child.on("exit", (code, signal) => this.#awaitClose(signal ?? `exit code ${code}`));
  }

  get facts(): CellFacts {
    return this.#facts as CellFacts;
  }

  /** Resolves at the cell's first word; kills it and rejects when none comes in time. */
  async ready(clock: Clock, startMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#onStart = resolve;
    const timer = clock.after(startMs, () => resolve(`it did not answer within ${startMs} ms`));
    const failure = await promise;
    timer.cancel();
    this.#onStart = undefined;
    if (failure === undefined) return;
    const said = this.#stderr.trim();
    this.#child.kill("SIGKILL");
    throw startFailed(`${failure}${said === "" ? "" : `; it said: ${said}`}`);
  }

  send(command: Command): void {
    if (this.#pipe.writable) this.#pipe.write(toFrame(command));
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
    return readEntries(this.#readSlate()).find((entry) => entry.slot === mainSlot);
  }

  kill(cause: KillCause): void {
    this.#cause ??= cause;
    this.#child.kill("SIGKILL");
  }

  #receive(chunk: Buffer): void {
    if (this.#cause !== undefined) return;
    try {
      this.#reader.push(chunk, (message) => this.#deliver(asReport(message)));
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.kill("protocol");
    }
  }

  #deliver(report: Report | undefined): void {
    if (this.#cause !== undefined) return;
    if (report === undefined || (report.t === "ready") === (this.#facts !== undefined)) this.kill("protocol");
    else if (report.t === "ready") this.#begin(report);
    else this.#options.listener.onReport(report);
  }

  #begin(report: Extract<Report, { t: "ready" }>): void {
    const pid = this.#child.pid as number;
    this.#facts = { pid, node: report.node, slate: report.slate, tether: report.tether };
    this.#watch = this.#watchdog.watch({
      pid,
      slateFd: this.#slateFd,
      rssBytesMax: this.#options.rssBytesMax,
    });
    this.send(this.#options.start);
    this.#onStart?.();
  }

  // What the cell wrote before its end may still be on its way; a descriptor that leaked must not keep us waiting.
  #awaitClose(how: string): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#options.clock.after(closeMs, resolve);
    this.#child.once("close", () => resolve());
    void promise.then(() => {
      timer.cancel();
      this.#end(how);
    });
  }

  #end(how: string): void {
    this.#onStart?.(`it ended with ${how}`);
    const page = this.#readSlate();
    const verdict = this.#watch?.verdict();
    this.#release();
    if (this.#facts === undefined) return;
    const said = this.#stderr.trim();
    const death: Death = {
      cause: this.#cause ?? verdict?.cause ?? "exit",
      detail: said === "" ? how : `${how}: ${said.split("\n").find((line) => line.trim() !== "") ?? ""}`,
      culprit: verdict?.culprit,
      inside: readEntries(page),
      lastBegun: readLastBegun(page),
    };
    this.#options.listener.onDeath(death);
  }

  #release(): void {
    this.#pipe.destroy();
    if (this.#watch === undefined) closeSync(this.#slateFd);
    else this.#watch.end();
    this.#watch = undefined;
  }

  #readSlate(): Float64Array {
    const page = new Float64Array(slateBytes / Float64Array.BYTES_PER_ELEMENT);
    readSync(this.#slateFd, page, 0, slateBytes, 0);
    return page;
  }
}
