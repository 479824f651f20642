// Bugs to be planted into a copy of the sources: each was there once, or could be, and the simulation must find it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Edit {
  readonly file: string;
  /** Must stand there exactly once. */
  readonly find: string;
  readonly put: string;
}

export interface Plant {
  readonly name: string;
  /** A rule that it breaks by the way: it must be found by what it does to users. */
  readonly ignored?: string;
  readonly edits: readonly Edit[];
}

const orchestration = "src/orchestration";

export const plants: readonly Plant[] = [
  {
    name: "a run that waits for a capability is moved to another cell, and asks twice",
    edits: [
      {
        file: `${orchestration}/sandboxes/cell-events.ts`,
        find: "return ticket.pendingSinceMs === undefined && (!isSent ||",
        put: "return ticket.wasPristine || (!isSent ||",
      },
    ],
  },
  {
    name: "a run whose cell died is held to have waited since it was submitted",
    edits: [
      {
        file: `${orchestration}/runs/sandbox-runs.ts`,
        find: "ticket.waitingSinceMs = this.#parts.table.clock.monotonic();",
        put: "",
      },
    ],
  },
  {
    name: "one sandbox that cannot come back keeps the runtime from starting, and is erased",
    edits: [
      {
        file: "src/api/wiring/restore.ts",
        find: "return sandboxes.restoreFailed(recordOf(stored, config), asVivariumError(error).message);",
        put: "await config.store.remove(stored.id);\n    throw error;",
      },
    ],
  },
  {
    name: "a reload that goes on after a destroy gives the sandbox an isolate again",
    edits: [
      {
        file: `${orchestration}/reload/reload.ts`,
        find: 'const migrated = isMigrated ? await this.#orUndo(() => this.#holdAndMigrate(migrate)) : "";\n    await this.#orUndo(() => this.#evaluate(migrated));',
        put: 'await this.#orUndo(async () => this.#evaluate(isMigrated ? await this.#holdAndMigrate(migrate) : ""));',
      },
      {
        file: `${orchestration}/reload/migration.ts`,
        find: "await operation.within(clock, { ms: loadMs, toError }, migrated)",
        put: "await migrated",
      },
      {
        file: `${orchestration}/cells/assignment.ts`,
        find: "if (!this.#sandbox.mayBeAssigned) return this.#parts.assigner.forget(this);",
        put: "",
      },
      {
        file: `${orchestration}/cells/assignment.ts`,
        find: 'if (!this.#sandbox.mayBeAssigned) throw new SandboxNotRunningError("assign a cell to", this.#sandbox);',
        put: "",
      },
      {
        file: `${orchestration}/reload/migration.ts`,
        find: "if (sandbox.place !== place) throw statesLost(sandbox);",
        put: "",
      },
    ],
  },
  {
    name: "a sandbox that is resumed after its cell died gets no cell",
    edits: [
      {
        file: `${orchestration}/sandboxes/operations/failure.ts`,
        find: "if (!sandbox.isQuarantined || runs.size > 0) assignment.assign();",
        put: 'if (!sandbox.isQuarantined && life.status !== "suspended") assignment.assign();',
      },
      {
        file: `${orchestration}/sandboxes/operations/changes.ts`,
        find: "if (place === undefined) assignment.assign();\n  else place.queue.hold(place.key, false);",
        put: "place?.queue.hold(place.key, false);",
      },
    ],
  },
  {
    name: "a suspended sandbox that is loaded anew does not stand still",
    edits: [
      {
        file: `${orchestration}/runs/cell-messages.ts`,
        find: 'isHeld: sandbox.status === "suspended"',
        put: "isHeld: false",
      },
    ],
  },
  {
    name: "writes about one sandbox overtake each other on their way to the store",
    ignored: "timers",
    edits: [
      {
        file: "src/store/ordered.ts",
        find: "const queue = this.#queues.get(id);",
        put: "const queue = undefined as WriteQueue | undefined;",
      },
    ],
  },
  {
    name: "a sandbox that is evicted loses its variables without a word",
    edits: [
      {
        file: `${orchestration}/sandboxes/cell-events.ts`,
        find: 'rebuild(this.#state, "evicted");',
        put: "",
      },
    ],
  },
  {
    name: "verify has no bound",
    edits: [
      {
        file: `${orchestration}/reload/reload.ts`,
        find: "await this.#operation.within(shared.clock, { ms: verifyMs, toError }, verified)",
        put: "await verified",
      },
    ],
  },
  {
    name: "who waits for an answer of a cell that died is not told",
    edits: [
      {
        file: `${orchestration}/cells/recovery.ts`,
        find: 'if (ticket.kind === "control") return ticket.settle({ item: undefined, decision });',
        put: 'if (ticket.kind === "control") return;',
      },
    ],
  },
  {
    name: "that a run asked for a capability is forgotten",
    edits: [{ file: `${orchestration}/runs/requests.ts`, find: "ticket.hasAsked = true", put: "void 0" }],
  },
  {
    name: "new limits are not kept",
    edits: [
      {
        file: `${orchestration}/sandboxes/operations/changes.ts`,
        find: "await operation.until(persistence.save());",
        put: "void persistence;",
      },
    ],
  },
  {
    name: "a cell that fell silent is waited for",
    edits: [
      {
        file: `${orchestration}/runs/deadlines.ts`,
        find: 'if (queue.isSilent(nowMs)) queue.cell.kill("silent");\n      else this.#relieve(queue);',
        put: "this.#relieve(queue);",
      },
    ],
  },
  {
    name: "calls of next() of one stream do not wait for each other",
    edits: [
      {
        file: "src/std/turns.ts",
        find: "this.#waiting === 0 ? act() : this.#tail.then(act)",
        put: "act()",
      },
    ],
  },
  {
    name: "a stream that has failed is asked for more",
    edits: [
      {
        file: "src/api/handles/local-stream.ts",
        find: "this.#cutBy = undefined;\n    this.#finish();\n    if (isLeftInside)",
        put: "this.#cutBy = undefined;\n    if (isLeftInside)",
      },
    ],
  },
  {
    name: "a stream that nobody reads is not ended",
    edits: [
      {
        file: "src/api/handles/local-stream.ts",
        find: "const isIdle = !this.#isPulling && idleMs < leftMs;",
        put: "const isIdle = false;",
      },
    ],
  },
  {
    name: "a stream that has ended leaves its timer",
    edits: [
      {
        file: "src/api/handles/local-stream.ts",
        find: 'this.#phase = "over";\n    this.#timer?.cancel();',
        put: 'this.#phase = "over";',
      },
    ],
  },
  {
    name: "scripts of a session do not wait for each other",
    edits: [
      {
        file: "src/api/scripts/session.ts",
        find: "this.#last.then(() => this.#runNow(script, ended))",
        put: "this.#runNow(script, ended)",
      },
    ],
  },
  {
    name: "a session does not say that declarations were lost",
    edits: [
      {
        file: "src/api/scripts/session.ts",
        find: "before !== undefined && this.#place !== before",
        put: "false",
      },
    ],
  },
  {
    name: "what a cancelled script of a session wrote is told of the next one",
    edits: [
      {
        file: "src/api/scripts/script-output.ts",
        find: "(run === undefined || !this.#ended.has(run))",
        put: "true",
      },
    ],
  },
  {
    name: "a session whose modules do not load leaves a sandbox",
    edits: [
      {
        file: "src/orchestration/sandboxes/sandboxes.ts",
        find: 'sandbox.kind === "individual" && plan.isGoneIfBroken !== true;',
        put: 'sandbox.kind === "individual";',
      },
    ],
  },
];

/** Why a bug cannot be planted into the sources below a folder; undefined when it can. */
export function misfitOf({ edits }: Plant, folder: string): string | undefined {
  for (const { file, find } of edits) {
    const count = readFileSync(join(folder, file), "utf8").split(find).length - 1;
    if (count !== 1) return `${file} has its place ${count} times: ${find.split("\n")[0]}`;
  }
  return undefined;
}

export function plantInto(folder: string, { edits }: Plant): void {
  for (const { file, find, put } of edits) {
    const path = join(folder, file);
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace(find, () => put),
    );
  }
}
