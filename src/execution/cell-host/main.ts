// Entry of a cell process: one pipe to the orchestrator, one slate, many isolates. It ends by signal only.
import { Socket, type SocketConstructorOpts } from "node:net";
import { setFlagsFromString } from "node:v8";
import { isJailLayer } from "../../jail/layers.ts";
import { seal } from "../../jail/seal.ts";
import { FrameReader } from "../../std/frames.ts";
import { systemClock } from "../../std/clock.ts";
import { Queue } from "../../std/queue.ts";
import { dieNow, tether } from "../../std/tether.ts";
import { slateBytes } from "../slate.ts";
import { commandFrom } from "../protocol/encoding.ts";
import type { Command, RunGroup } from "../protocol/messages.ts";
import { Announcer } from "./announcer.ts";
import { Boots } from "./isolates/boots.ts";
import { IsolateFactory } from "./isolates/booted-isolate.ts";
import { processText } from "./isolates/boot-text.ts";
import { CaseLists } from "./case-lists.ts";
import { CommandHandler } from "./command-handler.ts";
import { dieOf, dieOfTheUnexpected } from "./fatal.ts";
import { filterObjection } from "./isolates/filter-check.ts";
import { memoryMiBOf } from "./isolates/guest-isolate.ts";
import { Lanes, processCpuMs } from "./lanes.ts";
import { Reporter } from "./reporter.ts";
import { ReusableIsolates } from "./isolates/reusable-isolates.ts";
import { WarmPool } from "./isolates/warm-pool.ts";

const pipeFd = 3;
const readBytes = 65_536;
const frameBytesMax = 256 * 2 ** 20;
/** How long the handler works before it yields to the event loop. */
const turnMs = 2;
const idleBeforeWarmingMs = 2;
const beatMs = 100;

/** Works until it is done or `endMs` has come; true when it is done. */
type Work = (endMs: number) => boolean;

// Compiling eagerly makes cached code complete: first calls then compile nothing. Set here, as Node
// itself, whose modules a cell compiles anew, and this program start sooner without it.
setFlagsFromString("--no-lazy");
const tetheredBy = tether(Number(process.argv[2]));
const announcer = new Announcer();
// One buffer for all reads: the stream would otherwise make one of 64 KiB for each.
const pipe = new Socket({
  fd: pipeFd,
  readable: true,
  writable: true,
  onread: { buffer: Buffer.alloc(readBytes), callback: receive },
} as SocketConstructorOpts);
const reporter = new Reporter((frame) => pipe.write(frame));
const reader = new FrameReader(frameBytesMax);
const works = new Queue<Work>();
const lists = new CaseLists();
let handler: CommandHandler | undefined;
let factory: IsolateFactory | undefined;
let pool: WarmPool | undefined;
let isPumping = false;
let warmTimer: NodeJS.Timeout | undefined;

dieOfTheUnexpected();
// A terminal sends these to every process of the group; the orchestrator decides when cells end.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
process.on("SIGHUP", () => {});
pipe.on("error", dieNow);
pipe.on("close", dieNow);
pipe.resume();
// At most once in each turn of the event loop: after two beats, all that had arrived at the first has been handled.
setInterval(beat, beatMs);
const objection = filterObjection();
if (objection !== undefined) dieOf(objection);
const planned = (process.argv[3] ?? "").split(",").filter(isJailLayer);
const fileBytesMax = announcer.how === "mapped" ? 0 : slateBytes;
const layers = seal({ layers: planned, fileBytesMax, isLoading: false });
reporter.send({ t: "ready", node: process.version, slate: announcer.how, tether: tetheredBy, layers });
setImmediate(theFactory);

function beat(): void {
  announcer.beat();
  const unaccounted = handler?.unaccounted() ?? 0;
  if (unaccounted !== 0) dieOf(`operations that came in and those reported differ by ${unaccounted}`);
}

function receive(bytes: number, buffer: Uint8Array): boolean {
  factory?.noteCommand();
  try {
    const read = buffer.subarray(0, bytes) as Buffer;
    reader.push(read, (message, texts) => accept(commandFrom(message, texts)));
  } catch (error) {
    dieOf(error);
  }
  pump();
  return true;
}

function accept(command: Command | undefined): void {
  if (command === undefined) dieOf("a command of an unknown form came in");
  if (command.t === "start") start(command);
  else if (command.t === "run") for (const group of command.groups) acceptGroup(group);
  else if (command.t === "keep") lists.keep(command);
  else if (command.t === "release") lists.release(command.lists);
  else {
    works.push(() => {
      theHandler().handle(command);
      return true;
    });
  }
}

function acceptGroup(group: RunGroup): void {
  const { series } = group;
  // What a series needs is looked up as it comes in: its list may be released before it begins.
  const cases =
    series === undefined ? undefined : (lists.textOf(series) ?? dieOf("a series came in without its list"));
  const batch = theHandler().prepare(group, cases);
  let next = 0;
  works.push((endMs) => {
    while (next < group.keys.length && performance.now() < endMs) theHandler().run(batch, next++);
    return next === group.keys.length;
  });
}

// What every isolate begins with takes a while to prepare: that is done while the orchestrator reads the first report.
function theFactory(): IsolateFactory {
  return (factory ??= new IsolateFactory((why) =>
    reporter.send({ t: "poisoned", why: why.slice(0, 1_000) }),
  ));
}

function start(command: Extract<Command, { t: "start" }>): void {
  const factory = theFactory();
  const reusable = new ReusableIsolates();
  const warmed = { count: command.warm, memoryMiB: memoryMiBOf(command.warmMemoryBytes) };
  pool = new WarmPool({ factory, reusable }, warmed);
  const boots = new Boots({
    pool,
    factory,
    reusable,
    clock: systemClock,
    atOnceMax: command.asyncLanes,
  });
  const lanes = new Lanes(announcer, { clock: systemClock, cpuMs: processCpuMs }, command.asyncLanes);
  const processScript = {
    text: processText,
    filename: "vivarium-processes",
    cachedData: factory.processData,
  };
  handler = new CommandHandler({
    clock: systemClock,
    lanes,
    boots,
    reusable,
    reporter,
    sliceMs: command.sliceMs,
    processScript,
  });
  scheduleWarming();
}

function theHandler(): CommandHandler {
  return handler ?? dieOf("a command came in before the start");
}

// Works for `turnMs` at a time, so that timers, completions of other threads and new commands are handled in between.
function pump(): void {
  if (isPumping) return;
  isPumping = true;
  reporter.isHeld = true;
  const endMs = performance.now() + turnMs;
  for (let work = works.peek(); work !== undefined && performance.now() < endMs; work = works.peek())
    if (work(endMs)) works.shift();
  reporter.isHeld = false;
  reporter.flush();
  isPumping = false;
  if (works.size > 0) setImmediate(pump);
  else scheduleWarming();
}

function scheduleWarming(): void {
  if (pool?.isShort === true) warmTimer ??= setTimeout(warm, idleBeforeWarmingMs);
}

function warm(): void {
  warmTimer = undefined;
  if (works.size > 0) return;
  pool?.fill(scheduleWarming);
}
