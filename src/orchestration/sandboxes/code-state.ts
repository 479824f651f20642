// The code of one sandbox: every version of its modules, those that are current, and where they were read from.
import type { LoadOrder } from "../../code/modules/load-order.ts";
import type { Artifact } from "../../code/modules/artifact.ts";
import type { SourceTree } from "../../code/files/source-tree.ts";
import { VersionLog, type NextRevision, type VersionSnapshot } from "../../code/modules/version-log.ts";
import type { Lane } from "../../execution/protocol/messages.ts";
import type { ProcessSettings } from "../../model/sandboxes/process.ts";
import { ReloadPaces } from "../reload/reload-paces.ts";
import { chooseLoadLane } from "../runs/lane.ts";

export class CodeState {
  readonly versions: VersionLog;
  readonly reloadPaces: ReloadPaces = new ReloadPaces();
  /** The files that its modules were read from, if any. */
  tree: SourceTree | undefined;
  /** How its processes are started and checkpointed; null where it has none. */
  processes: ProcessSettings | null;
  #modules: ReadonlyMap<string, Artifact> = new Map();
  #order: LoadOrder = [];
  #loadLane: Lane = "slice";
  #codeKey: string | undefined;

  constructor(given: {
    readonly versionsMax: number;
    readonly tree: SourceTree | undefined;
    readonly processes: ProcessSettings | null;
  }) {
    this.versions = new VersionLog(given.versionsMax);
    this.tree = given.tree;
    this.processes = given.processes;
  }

  /** The modules of the current revision. */
  get modules(): ReadonlyMap<string, Artifact> {
    return this.#modules;
  }

  /** Their names in the order of evaluation. */
  get order(): LoadOrder {
    return this.#order;
  }

  /** The lane on which modules of their size are loaded. */
  get loadLane(): Lane {
    return this.#loadLane;
  }

  /** The same for sandboxes with the same code, and for no others. */
  get codeKey(): string {
    this.#codeKey ??= [...this.#modules]
      .map(([name, { checksum }]) => `${name}=${checksum}`)
      .sort()
      .join("&");
    return this.#codeKey;
  }

  /** Makes a revision the current one; the returned function takes that back. */
  adopt(next: NextRevision, order: LoadOrder): () => void {
    const before = this.versions.snapshot();
    const orderBefore = this.#order;
    this.versions.take(next);
    this.adoptHead(order);
    return () => this.#restore(before, orderBefore);
  }

  /** Makes the log's head the current revision. */
  adoptHead(order: LoadOrder): void {
    this.#modules = this.versions.artifacts();
    this.#codeKey = undefined;
    this.#order = order;
    let codeLength = 0;
    for (const { code } of this.#modules.values()) codeLength += code.length;
    this.#loadLane = chooseLoadLane(codeLength);
  }

  #restore(snapshot: VersionSnapshot, order: LoadOrder): void {
    this.versions.rewind(snapshot);
    this.adoptHead(order);
  }
}
