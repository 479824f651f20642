// A thread of the orchestrator that looks at every cell many times a second and kills the one that is over a bound.
// It shares nothing with the main thread but the board and a port, so that a blocked main thread delays no verdict.
import { readSync } from "node:fs";
import { availableParallelism } from "node:os";
import { receiveMessageOnPort, workerData, type MessagePort } from "node:worker_threads";
import { systemClock } from "../../std/clock.ts";
import { readBeat, readEntries, slateBytes } from "../slate.ts";
import { Board, boardCauses } from "./board.ts";
import { closeProcess, openProcess, readProcess, type ProcessFiles } from "./process-stat.ts";
import { cpuInside, freshMemory, judgeCell, remember, type CellMemory, type CellReading } from "./verdict.ts";

/** What this thread sends through the port: that it watches, and that it reads the slate of a cell no more. */
export type WatchReport = { readonly t: "up" } | { readonly t: "forgotten"; readonly cell: number };

/** What the main thread sends through the port. */
export type WatchRequest =
  | { readonly t: "watch"; readonly cell: number; readonly pid: number; readonly slateFd: number }
  | { readonly t: "forget"; readonly cell: number }
  | { readonly t: "end" };

interface Watched {
  readonly cell: number;
  readonly pid: number;
  readonly slateFd: number;
  /** Undefined until descriptors were free. */
  files: ProcessFiles | undefined;
  memory: CellMemory;
  isKilled: boolean;
}

const busyLookMs = 10;
const idleLookMs = 200;
const quietLooksMax = 50;
/** Node, the engine and a cell's lanes have some dozen, and some of them one per core. */
const threadsMax = 256 + 2 * availableParallelism();

const noFiles: ProcessFiles = { stat: undefined, schedstat: undefined };

const { shared, port } = workerData as { shared: SharedArrayBuffer; port: MessagePort };
const board = new Board(shared);
const watched = new Map<number, Watched>();
const page = new Float64Array(slateBytes / Float64Array.BYTES_PER_ELEMENT);
let quietLooks = 0;
let isEnding = false;

send({ t: "up" });
while (!isEnding) {
  for (let request = nextRequest(); request !== undefined; request = nextRequest()) carryOut(request);
  let isBusy = false;
  for (const cell of watched.values()) isBusy = look(cell) || isBusy;
  quietLooks = isBusy ? 0 : quietLooks + 1;
  // Quick looks go on for a while after the last work, so that frequent short runs need not wake this thread each time.
  if (quietLooks < quietLooksMax) board.nap(busyLookMs);
  else board.sleep(idleLookMs);
}

function nextRequest(): WatchRequest | undefined {
  return receiveMessageOnPort(port)?.message as WatchRequest | undefined;
}

function carryOut(request: WatchRequest): void {
  if (request.t === "end") {
    isEnding = true;
    for (const cell of watched.keys()) forget(cell);
    port.close();
  } else if (request.t === "forget") forget(request.cell);
  else {
    const { cell, pid, slateFd } = request;
    const memory = freshMemory(systemClock.monotonic());
    watched.set(cell, { cell, pid, slateFd, files: undefined, memory, isKilled: false });
  }
}

function forget(cell: number): void {
  const gone = watched.get(cell);
  if (gone === undefined) return;
  watched.delete(cell);
  if (gone.files !== undefined) closeProcess(gone.files);
  // Only now may the main thread close the slate, so that no look can read a descriptor that was reused.
  send({ t: "forgotten", cell });
}

function send(report: WatchReport): void {
  port.postMessage(report);
}

// Looks at one cell; true while it has work.
function look(cell: Watched): boolean {
  if (cell.isKilled) return false;
  const reading = read(cell);
  board.set(cell.cell, "rssBytes", reading.rssBytes);
  const bounds = {
    memoryBytesMax: board.get(cell.cell, "memoryBytesMax"),
    rssBytesMax: board.get(cell.cell, "rssBytesMax"),
    heapBytes: board.get(cell.cell, "heapBytes"),
    threadsMax,
  };
  const verdict = judgeCell(reading, cell.memory, bounds);
  cell.memory = remember(cell.memory, reading);
  const inside = cpuInside(cell.memory, reading, verdict?.culprit);
  board.set(cell.cell, "insideOp", inside?.op ?? 0);
  board.set(cell.cell, "insideCpuMs", inside?.cpuMs ?? 0);
  if (verdict !== undefined) {
    cell.isKilled = true;
    if (verdict.culprit !== undefined) {
      board.set(cell.cell, "culpritOp", verdict.culprit.op);
      // Keys count from 1, so that 0 means that none is at fault.
      board.set(cell.cell, "culpritKey", verdict.culprit.key);
    }
    board.set(
      cell.cell,
      "cause",
      boardCauses.findIndex((cause) => cause === verdict.cause),
    );
    kill(cell.pid);
  }
  return reading.inFlight > 0 || reading.entries.length > 0;
}

function read(cell: Watched): CellReading {
  readSync(cell.slateFd, page, 0, slateBytes, 0);
  return {
    nowMs: systemClock.monotonic(),
    ...readProcess(filesOf(cell)),
    entries: readEntries(page),
    beat: readBeat(page),
    inFlight: board.get(cell.cell, "inFlight"),
  };
}

// Where no descriptor is free, each look tries again.
function filesOf(cell: Watched): ProcessFiles {
  try {
    return (cell.files ??= openProcess(cell.pid));
  } catch {
    return noFiles;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
