// One sandbox inside its cell: an isolate with its modules, its meters, and the operations that wait for it.
import type { Timer } from "../../std/clock.ts";
import { lastingFeatures, type FeatureName } from "../../model/code/finding.ts";
import type { BoxLimits, CellVerdict, Character } from "../protocol/messages.ts";
import type { Activity } from "./activity.ts";
import type { BootedIsolate, GuestReferences } from "./isolates/booted-isolate.ts";
import { memoryMiBOf, type GuestIsolate, type ScriptText } from "./isolates/guest-isolate.ts";
import { releaseReference, type AnyReference } from "./isolates/references.ts";
import { HostUse } from "./isolates/host-share.ts";
import { ServiceMeter } from "../../std/service-meter.ts";
import { CpuWindow, HeapMeter, OutputMeter } from "./isolates/meters.ts";
import { unhandledLine } from "./unhandled.ts";

const MiB = 2 ** 20;
/** The level of a console line that tells of an error. */
const errorLevel = 4;
const shippedMax = 32;
/** A guest that used its memory up to the last buffer makes a little more until it has answered. */
const sampleSlackBytes = 512 * 2 ** 10;

/** What a guest asked of the host, during which operation. */
export interface GuestRequest {
  readonly id: number;
  readonly op: number;
  readonly name: string;
  readonly args: string;
}

export interface BoxPlan {
  readonly limits: BoxLimits;
  readonly character: Character;
  readonly processRuntime: ScriptText | undefined;
  readonly isCheckpointed: boolean;
  readonly features: readonly FeatureName[];
}

export class Box {
  readonly key: number;
  readonly isolate: GuestIsolate;
  readonly guest: GuestReferences;
  readonly isVirtual: boolean;
  /** The process runtime's script, in a sandbox that has processes. */
  readonly processRuntime: ScriptText | undefined;
  /** Every change of a process's state is reported with what it answers. */
  readonly isCheckpointed: boolean;
  /** Nothing of its features runs on when it is gone. */
  readonly #isReusable: boolean;
  readonly heap: HeapMeter;
  readonly output: OutputMeter;
  readonly cpuWindow: CpuWindow = new CpuWindow();
  /** The processor time that it used lately, which decides when it gets a lane. */
  readonly service: ServiceMeter = new ServiceMeter();
  /** What it used of the main thread's time while it was on another. */
  readonly hostUse: HostUse = new HostUse();
  /** How many of its runs on the main lane in a row were quick. */
  quickInRow = 0;
  /** Since when it waits for a lane, or its turns for another sandbox in its isolate; undefined while nothing waits. */
  laneAskedMs: number | undefined;
  /** Runs that wait for timers inside the guest. */
  readonly pending: Map<number, Activity> = new Map();
  /** Work that waits until the isolate is free; `op` is 0 for what is no operation of the orchestrator. */
  readonly queue: { readonly op: number; readonly start: () => void }[] = [];
  /** The queue is being worked off. */
  isAdmitting = false;
  /** The loss of the isolate was reported. */
  isLossReported = false;
  /** Its modules are being loaded: only its own timers and processes may enter. */
  isLoading = true;
  isLoaded = false;
  /** The activity whose fuel is in the guest's counter. */
  fuelHolder: Activity | undefined;
  /** The run that is inside the isolate now; 0 for none. */
  current = 0;
  /** The run inside is a message to a process. */
  isMessage = false;
  /** The run inside has only a slice and may begin again elsewhere: its lines and requests are held back until it ends. */
  isTentative = false;
  /** It holds a lane or waits for one: nothing else may enter. */
  isBusy = false;
  /** A run went back to have a lane of its own, and none has begun since. */
  isSpared = false;
  isEntered = false;
  isLogScheduled = false;
  /** Timers and processes are paused. */
  isHeld = false;
  /** Turns that are due and wait until it goes on. */
  readonly held: (() => void)[] = [];
  /** Requests to the host that were not sent yet. */
  requests: GuestRequest[] = [];
  /** Its requests without an answer, with the run that each belongs to. */
  readonly requestOwners: Map<number, number> = new Map();
  /** A turn for its processes is scheduled. */
  isTurnDue = false;
  /** How many more reports about processes it may send this second. */
  reportsLeft = 0;
  reportsSinceMs = -Infinity;
  /** When the counter of output without a run was last reset. */
  backgroundStartMs = 0;
  /** The guest's timers by its own numbers. */
  readonly timers: Map<number, Timer> = new Map();
  /** The runs that set them, by the same numbers; 0 for none. */
  readonly timerOwners: Map<number, number> = new Map();
  /** The run that set the timer whose turn it is; it may have ended. */
  turnOwner: number | undefined;
  /** Called when a line was written that is not the guest's own. */
  onNoted: () => void = () => {};
  limits: BoxLimits;
  readonly #memoryMiB: number;
  readonly #targets = new Map<string, number>();
  readonly #shipped = new Map<string, AnyReference>();

  constructor(key: number, booted: BootedIsolate, given: BoxPlan) {
    this.key = key;
    this.isolate = booted.isolate;
    this.guest = booted.guest;
    this.limits = given.limits;
    this.isVirtual = given.character.deterministic !== null;
    this.processRuntime = given.processRuntime;
    this.isCheckpointed = given.isCheckpointed;
    this.#isReusable = !lastingFeatures.some((name) => given.features.includes(name));
    this.heap = new HeapMeter(key, booted);
    this.heap.hasProcesses = given.processRuntime !== undefined;
    this.output = new OutputMeter(given.limits.outputBytes);
    this.#memoryMiB = booted.memoryMiB;
  }

  /** The isolate is gone. */
  get isLost(): boolean {
    return this.isolate.isGone;
  }

  /** Its isolate may not be entered now: it has it on a lane, or another sandbox has. */
  get isOccupied(): boolean {
    return this.isBusy || this.isolate.shared.isHeldFrom(this.isolate);
  }

  /** A new operation must wait in the queue. */
  get mustWait(): boolean {
    return !this.isLost && (this.isLoading || this.isOccupied);
  }

  /** Takes the isolate for longer than one entry. */
  hold(): void {
    this.isBusy = true;
    this.isolate.shared.hold(this.isolate);
  }

  release(): void {
    this.isBusy = false;
    this.isolate.shared.release(this.isolate);
  }

  /** How many operations wait, inside the isolate or for it. */
  get openOps(): number {
    return this.pending.size + this.queue.filter(({ op }) => op !== 0).length;
  }

  /** Takes from the queue what may enter now. While modules load, that is only work with op 0. */
  takeNext(): (() => void) | undefined {
    if (this.isOccupied || this.isLost) return undefined;
    const at = this.isLoading ? this.queue.findIndex(({ op }) => op === 0) : 0;
    return at < 0 ? undefined : this.queue.splice(at, 1)[0]?.start;
  }

  /** Processor time that the isolate has used in all. */
  cpuMs(): number {
    return this.isolate.cpuMs();
  }

  /** Notes what it has used by now, on its own thread and of the main one. */
  noteService(nowMs: number): void {
    this.service.note(this.cpuMs() + this.hostUse.totalMs, nowMs);
  }

  /** Whether its turns wait for another sandbox in its isolate has changed. */
  noteHeldUp(nowMs: number): void {
    if (this.isBusy) return;
    if (this.isOccupied && this.queue.some(({ op }) => op === 0)) this.laneAskedMs ??= nowMs;
    else this.laneAskedMs = undefined;
  }

  /** How long it has waited for a lane by now. */
  laneWaitMs(nowMs: number): number {
    return this.laneAskedMs === undefined ? 0 : Math.max(0, nowMs - this.laneAskedMs);
  }

  /** Its timers and processes wait; those that its load needs do not. */
  get isPaused(): boolean {
    return this.isHeld && this.isLoaded;
  }

  /** The limit is lower than the one that the isolate was made with, so that the cell itself must check it. */
  get isMemoryLowered(): boolean {
    return memoryMiBOf(this.limits.memoryBytes) < this.#memoryMiB;
  }

  /**
   * Whether it holds too much where its isolate holds so many bytes. Of those it has an even part where others are in the isolate
   * too, and all of them together may hold what that was made for. The engine has slack: it refuses buffers only beyond it.
   */
  isOverweight(heldBytes: number, { hasSlack = true }: { readonly hasSlack?: boolean } = {}): boolean {
    const slackBytes = hasSlack ? this.isolate.slackBytes(this.#memoryMiB) + sampleSlackBytes : 0;
    const { size } = this.isolate.shared;
    if (size > 1 && heldBytes > this.#memoryMiB * MiB + slackBytes) return true;
    return heldBytes / Math.max(1, size) > this.limits.memoryBytes + slackBytes;
  }

  /** The number of a target inside the guest; undefined when it has none yet. */
  targetOf(id: string): number | undefined {
    return this.#targets.get(id);
  }

  /** The number that the next new target gets. */
  get nextTarget(): number {
    return this.#targets.size;
  }

  addTarget(id: string): number {
    const index = this.nextTarget;
    this.#targets.set(id, index);
    return index;
  }

  /** A function that was shipped, by its name and code. */
  shipped(code: string): AnyReference | undefined {
    return this.#shipped.get(code);
  }

  keepShipped(code: string, callee: AnyReference): void {
    this.#shipped.set(code, callee);
    for (const [oldest, reference] of this.#shipped) {
      if (this.#shipped.size <= shippedMax) break;
      releaseReference(reference);
      this.#shipped.delete(oldest);
    }
  }

  /** The fuel in the guest's counter is used up. */
  noteExhausted(): void {
    if (this.fuelHolder !== undefined) this.fuelHolder.isExhausted = true;
  }

  clearTimers(): void {
    for (const timer of this.timers.values()) timer.cancel();
    this.timers.clear();
    this.timerOwners.clear();
  }

  /** Writes of a rejection that nobody handled to the console, where there is room. */
  noteUnhandled(error: unknown): void {
    this.output.note(errorLevel, unhandledLine(error));
    this.onNoted();
  }

  /** Ends it for a reason of ours, and its isolate, unless others are in that. */
  dispose(why?: CellVerdict): void {
    this.clearTimers();
    this.isolate.end(why, { isInside: this.isEntered });
  }

  /** Nothing of it is inside or waits, so that its isolate may be for another sandbox once it is gone. */
  get mayRetire(): boolean {
    const isIdle = this.isLoaded && !this.isOccupied && this.pending.size === 0;
    return isIdle && this.#isReusable && !this.isLost;
  }

  /** It is gone, and its isolate may be for another sandbox where the guest has left nothing behind. */
  retire(isClean: boolean): void {
    this.clearTimers();
    this.isolate.end("gone", { isInside: this.isEntered, isReusable: isClean });
  }

  releaseShipped(): void {
    for (const reference of this.#shipped.values()) releaseReference(reference);
    this.#shipped.clear();
  }
}
