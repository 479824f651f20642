// One sandbox as the orchestrator holds it: what it is, how it fares, and where its isolate lives at the moment.
import type { Artifact } from "../../code/artifact.ts";
import type { SourceTree } from "../../code/source-tree.ts";
import { VersionLog, type Step, type VersionSnapshot } from "../../code/version-log.ts";
import type { Character, HeapSample, Lane } from "../../execution/protocol/messages.ts";
import type { Ancestry } from "../../model/ancestry.ts";
import type { LatestFitness } from "../../model/fitness.ts";
import type { ProcessSettings, RestartRule } from "../../model/process.ts";
import type { SandboxId } from "../../model/ids.ts";
import type { Limits } from "../../model/limits.ts";
import type { Placement } from "../../model/placement.ts";
import type { LogLine } from "../../model/log-line.ts";
import type { LastError, SandboxInfo, TotalUsage } from "../../model/sandbox-info.ts";
import { transition, type Signal, type Status } from "../../model/status.ts";
import type { Usage } from "../../model/usage.ts";
import { GrantBook } from "../../security/capability.ts";
import type { Profile } from "../../security/profile.ts";
import { assert } from "../../std/assert.ts";
import { RingBuffer } from "../../std/ring-buffer.ts";
import { Checkpoint } from "../processes/checkpoint.ts";
import type { CellQueue } from "../cells/cell-queue.ts";
import { chooseLoadLane, PaceHistory } from "../runs/lane.ts";
import type { SandboxPlan } from "./sandbox-plan.ts";
import type { RunTicket } from "../runs/ticket.ts";

/** Where a sandbox's isolate is. */
export interface Home {
  readonly queue: CellQueue;
  /** What its isolate was made for. */
  readonly memoryBytes: number;
  /** Its modules have been evaluated there. */
  isLoaded: boolean;
  /** Nothing has run in it since it was loaded. */
  isPristine: boolean;
}

export interface ResidentPlan extends Omit<SandboxPlan, "code" | "stillborn" | "signal"> {
  readonly key: number;
  readonly createdAt: number;
  readonly createdMs: number;
  /** How many versions of each module are kept. */
  readonly versionsMax: number;
}

/** What is held against a sandbox. A suspect is cleared by behaving; an offender never; who offends again is refused. */
export type Standing = "clear" | "suspect" | "offender" | "refused";

/** What a line costs beside its text. */
const lineOverheadBytes = 16;

export class Resident {
  readonly key: number;
  readonly id: SandboxId;
  readonly profile: Profile;
  readonly placement: Placement;
  readonly character: Character;
  readonly ancestry: Ancestry;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: number;
  readonly createdMs: number;
  limits: Limits;
  /** Every version of its modules, and which of them are current. */
  readonly versions: VersionLog;
  #modules: ReadonlyMap<string, Artifact> = new Map();
  #order: readonly string[] = [];
  /** How its processes are started and kept; null where it has none. */
  processes: ProcessSettings | null;
  /** The last that was written down of their states. */
  readonly checkpoint: Checkpoint = new Checkpoint();
  /** What it may ask of the host. */
  readonly grants: GrantBook;
  readonly restartRule: RestartRule | null;
  /** When it was restarted by itself, lately. */
  restartsMs: number[] = [];
  /** Where its modules were read from, when they were. */
  tree: SourceTree | undefined;
  home: Home | undefined;
  /** How its modules enter a new isolate. */
  loadLane: Lane = "slice";
  /** Cells that died while it was being loaded, in a row. */
  loadDeaths = 0;
  /** Runs that wait for a home. */
  waiting: RunTicket[] = [];
  /** Runs accepted and not settled. */
  runsUnderway = 0;
  /** Who waits until none of its runs is at a cell. */
  readonly onDrained: (() => void)[] = [];
  /** When it failed. */
  failedMs: number | undefined;
  standing: Standing = "clear";
  readonly paces: PaceHistory = new PaceHistory();
  restarts = 0;
  rebuilds = 0;
  lastUsedMs: number;
  reason: string | null = null;
  lastError: LastError | null = null;
  fitness: LatestFitness | null = null;
  readonly logs: RingBuffer<LogLine>;
  /** When its background work had to be cut, lately. */
  backgroundCutsMs: number[] = [];
  #status: Status = "creating";
  #statusBefore: Status = "creating";
  readonly #usage: { -readonly [K in keyof TotalUsage]: TotalUsage[K] } = {
    runs: 0,
    wallMs: 0,
    cpuMs: 0,
    outputBytes: 0,
    heapBytes: 0,
    heapPeakBytes: 0,
    externalBytes: 0,
    processes: 0,
    processesMax: 0,
    queueMax: 0,
  };

  constructor(plan: ResidentPlan) {
    this.key = plan.key;
    this.id = plan.id;
    this.limits = plan.limits;
    this.profile = plan.profile;
    this.placement = plan.placement;
    this.character = plan.character;
    this.ancestry = plan.ancestry;
    this.labels = plan.labels;
    this.createdAt = plan.createdAt;
    this.createdMs = plan.createdMs;
    this.tree = plan.tree;
    this.grants = new GrantBook(plan.capabilities);
    this.processes = plan.processes ?? null;
    this.restartRule = plan.restart ?? null;
    if (plan.capture) this.checkpoint.take(JSON.stringify(plan.capture));
    this.lastUsedMs = plan.createdMs;
    this.versions = new VersionLog(plan.versionsMax);
    this.logs = new RingBuffer(
      plan.limits.logBytes,
      (line) => Buffer.byteLength(line.text) + lineOverheadBytes,
    );
  }

  /** The modules of the current revision. */
  get modules(): ReadonlyMap<string, Artifact> {
    return this.#modules;
  }

  /** Their names in the order of evaluation. */
  get order(): readonly string[] {
    return this.#order;
  }

  /** A revision has been loaded: it is the current one from here on. */
  adopt(step: Step, order: readonly string[]): void {
    this.versions.take(step);
    this.adoptHead(order);
  }

  /** As it was when the snapshot was taken. */
  restore(snapshot: VersionSnapshot, order: readonly string[]): void {
    this.versions.rewind(snapshot);
    this.adoptHead(order);
  }

  /** Its modules are those of the log's head. */
  adoptHead(order: readonly string[]): void {
    this.#modules = this.versions.artifacts();
    this.#order = order;
    let codeLength = 0;
    for (const { code } of this.#modules.values()) codeLength += code.length;
    this.loadLane = chooseLoadLane(codeLength);
  }

  get status(): Status {
    return this.#status;
  }

  /** Sums and samples as they are now; they go on changing. */
  get usage(): TotalUsage {
    return this.#usage;
  }

  /** It may not share a cell. */
  get isQuarantined(): boolean {
    return this.standing !== "clear";
  }

  /** Moves along the life cycle's table. */
  move(signal: Signal): void {
    const next = transition(this.#status, signal);
    assert(next !== undefined, `a sandbox that is ${this.#status} takes no ${signal}`);
    this.#statusBefore = this.#status;
    this.#status = next;
  }

  /** What it was before its latest move. */
  get statusBefore(): Status {
    return this.#statusBefore;
  }

  can(signal: Signal): boolean {
    return transition(this.#status, signal) !== undefined;
  }

  noteRun(usage: Usage, lane: Lane): void {
    const total = this.#usage;
    this.paces.note(usage.wallMs, lane);
    total.runs++;
    total.wallMs += usage.wallMs;
    total.cpuMs += usage.cpuMs;
    total.outputBytes += usage.outputBytes;
  }

  noteSample(sample: Omit<HeapSample, "key">): void {
    const total = this.#usage;
    total.processes = sample.processes;
    total.processesMax = Math.max(total.processesMax, sample.processesMax);
    total.queueMax = Math.max(total.queueMax, sample.queueMax);
    total.heapBytes = sample.heapBytes;
    total.heapPeakBytes = Math.max(total.heapPeakBytes, sample.heapPeakBytes);
    total.externalBytes = sample.externalBytes;
  }

  /** Its code, told from any other's. */
  get codeKey(): string {
    return [...this.modules]
      .map(([name, { checksum }]) => `${name}=${checksum}`)
      .sort()
      .join("&");
  }

  toInfo(nowMs: number): SandboxInfo {
    const { head } = this.versions;
    const modules = [...this.modules].map(([name, { checksum, exports, warnings }]) => {
      return [name, { version: head.heads.get(name) ?? 0, checksum, exports, warnings }] as const;
    });
    return {
      id: this.id,
      status: this.#status,
      reason: this.reason,
      profile: this.profile.name,
      placement: this.placement,
      limits: this.limits,
      cell: this.home?.queue.number ?? null,
      isQuarantined: this.isQuarantined,
      createdAt: this.createdAt,
      uptimeMs: nowMs - this.createdMs,
      restarts: this.restarts,
      rebuilds: this.rebuilds,
      revision: head.revision,
      modules: Object.fromEntries(modules),
      ancestry: this.ancestry,
      fitness: this.fitness,
      usage: { ...this.#usage },
      labels: this.labels,
      capabilities: this.grants.toInfo(),
      lastError: this.lastError,
    };
  }
}
