// Entry of a cell process: one pipe to the orchestrator, one slate, many isolates. It ends by signal only.
import { Socket } from "node:net";
import { FrameReader } from "../../std/frames.ts";
import { systemClock } from "../../std/clock.ts";
import { dieNow, tether } from "../../std/tether.ts";
import { asCommand, type Command, type RunItem } from "../protocol/messages.ts";
import { Announcer } from "./announcer.ts";
import { IsolateFactory, memoryMiBOf } from "./booted-isolate.ts";
import { Desk } from "./desk.ts";
import { Lanes } from "./lanes.ts";
import { Reporter } from "./reporter.ts";
import { WarmPool } from "./warm-pool.ts";

const pipeFd = 3;
const frameBytesMax = 256 * 2 ** 20;
/** How long the desk works before the event loop has its turn. */
const turnMs = 2;
const idleBeforeWarmingMs = 2;
const beatMs = 100;

type Work = () => void;

const tetheredBy = tether(Number(process.argv[2]));
const announcer = new Announcer();
const pipe = new Socket({ fd: pipeFd, readable: true, writable: true });
const reporter = new Reporter((frame) => pipe.write(frame));
const reader = new FrameReader(frameBytesMax);
const works: Work[] = [];
let desk: Desk | undefined;
let pool: WarmPool | undefined;
let isPumping = false;
let warmTimer: NodeJS.Timeout | undefined;

// A guest's promise, or a bug of ours, must not take the process down in a way that looks like a guest's crash.
process.on("unhandledRejection", () => {});
// A terminal sends these to every process of the group; the orchestrator decides when cells end.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
process.on("SIGHUP", () => {});
pipe.on("error", dieNow);
pipe.on("close", dieNow);
pipe.on("data", (chunk: Buffer) => {
  try {
    reader.push(chunk, (message) => accept(asCommand(message)));
  } catch {
    dieNow();
  }
  pump();
});
setInterval(() => announcer.beat(), beatMs);
reporter.send({ t: "ready", node: process.version, slate: announcer.how, tether: tetheredBy });

function accept(command: Command | undefined): void {
  if (command === undefined) dieNow();
  if (command.t === "start") start(command);
  else if (command.t === "run") for (const item of command.items) works.push(() => theDesk().run(item satisfies RunItem));
  else works.push(() => theDesk().handle(command));
}

function start(command: Extract<Command, { t: "start" }>): void {
  const factory = new IsolateFactory((why) => reporter.send({ t: "poisoned", why: String(why).slice(0, 1_000) }));
  pool = new WarmPool(factory, { count: command.warm, memoryMiB: memoryMiBOf(command.warmMemoryBytes) });
  const lanes = new Lanes(announcer, systemClock, command.asyncLanes);
  desk = new Desk({ clock: systemClock, lanes, pool, reporter, sliceMs: command.sliceMs });
  scheduleWarming();
}

function theDesk(): Desk {
  return desk ?? dieNow();
}

// Works for a moment at a time, so that timers, endings of other threads and new commands get their turn.
function pump(): void {
  if (isPumping) return;
  isPumping = true;
  announcer.beat();
  const endMs = performance.now() + turnMs;
  let at = 0;
  while (at < works.length && performance.now() < endMs) (works[at++] as Work)();
  works.splice(0, at);
  reporter.flush();
  isPumping = false;
  if (works.length > 0) setImmediate(pump);
  else scheduleWarming();
}

function scheduleWarming(): void {
  warmTimer ??= setTimeout(warm, idleBeforeWarmingMs);
}

function warm(): void {
  warmTimer = undefined;
  if (works.length > 0) return;
  pool?.fill(scheduleWarming);
}
