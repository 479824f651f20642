// Finds sandboxes whose current revision cannot be had, and states that belong to no sandbox.
import type { DatabaseSync } from "node:sqlite";
import { show } from "../../../model/show.ts";
import { failure } from "./json-rules.ts";
import type { Mismatch } from "./problem.ts";

interface Revision {
  readonly revision: number;
  readonly heads: Readonly<Record<string, number>>;
}

interface SandboxRow {
  readonly number: number;
  readonly id: string;
  readonly status: string;
  readonly revisions: string;
}

export function* findRevisionMismatches(database: DatabaseSync): Generator<Mismatch> {
  const versions = database.prepare(
    "SELECT module, version FROM versions WHERE sandbox = ? ORDER BY version",
  );
  const rows = database.prepare("SELECT number, id, status, revisions FROM sandboxes ORDER BY number");
  for (const row of rows.iterate() as Iterable<unknown> as Iterable<SandboxRow>) {
    // The columns of the statement.
    const present = versions.all(row.number) as unknown as readonly Head[];
    const mismatch = mismatchOf(row, present);
    if (mismatch !== undefined) yield mismatch;
  }
}

export function* findStrayStates(database: DatabaseSync): Generator<Mismatch> {
  const rows = database.prepare(
    "SELECT sandbox FROM states WHERE sandbox NOT IN (SELECT number FROM sandboxes)",
  );
  for (const { sandbox } of rows.iterate() as Iterable<{ readonly sandbox: number }>)
    yield {
      kind: "no-sandbox",
      table: "states",
      sandboxId: null,
      message: `The states of processes of sandbox number ${sandbox} belong to nothing: it is not there.`,
      isNote: false,
      changes: [{ sql: "DELETE FROM states WHERE sandbox = ?", values: [sandbox] }],
      remedy: "dropped",
    };
}

interface Head {
  readonly module: string;
  readonly version: number;
}

function mismatchOf(row: SandboxRow, present: readonly Head[]): Mismatch | undefined {
  const { number, id, status } = row;
  const revisions = revisionsOf(row.revisions);
  const what = whatIsWrong(revisions, present);
  // One that failed may have no code at all.
  if (what === undefined || (revisions?.length === 0 && status === "failed")) return undefined;
  const left = revisionsLeft(revisions, present);
  const now = left.at(-1);
  const then = now === undefined ? "and none is left" : `and it was set back to revision ${now.revision}`;
  return {
    kind: revisions === undefined ? "invalid-json" : "lost-version",
    table: "sandboxes",
    sandboxId: id,
    message: `Sandbox ${show(id)} ${what}.`,
    isNote: false,
    changes: [
      { sql: "UPDATE sandboxes SET revisions = ? WHERE number = ?", values: [JSON.stringify(left), number] },
      failure(number, `Its current revision was lost, ${then},`),
    ],
    remedy: "replaced",
  };
}

function whatIsWrong(
  revisions: readonly Revision[] | undefined,
  present: readonly Head[],
): string | undefined {
  if (revisions === undefined) return "has revisions that are not the JSON that they must be";
  const current = revisions.at(-1);
  if (current === undefined) return "has no current revision";
  const missing = missingOf(current, present);
  if (missing === undefined) return undefined;
  const { module, version } = missing;
  return `needs version ${version} of module ${show(module)} for its revision ${current.revision}: it is not there`;
}

/** The revisions up to the last one that is complete; where they are lost themselves, one of the newest versions. */
function revisionsLeft(
  revisions: readonly Revision[] | undefined,
  present: readonly Head[],
): readonly Revision[] {
  if (revisions !== undefined) {
    const last = revisions.findLastIndex((revision) => missingOf(revision, present) === undefined);
    return revisions.slice(0, last + 1);
  }
  if (present.length === 0) return [];
  return [
    { revision: 1, heads: Object.fromEntries(present.map(({ module, version }) => [module, version])) },
  ];
}

function missingOf({ heads }: Revision, present: readonly Head[]): Head | undefined {
  for (const [module, version] of Object.entries(heads))
    if (!present.some((head) => head.module === module && head.version === version))
      return { module, version };
  return undefined;
}

function revisionsOf(text: string): readonly Revision[] | undefined {
  try {
    const revisions = JSON.parse(text) as readonly Revision[];
    const isWhole = Array.isArray(revisions) && revisions.every(isRevision);
    return isWhole ? revisions : undefined;
  } catch {
    return undefined;
  }
}

function isRevision(value: unknown): value is Revision {
  const { revision, heads } = (value ?? {}) as Partial<Record<keyof Revision, unknown>>;
  return Number.isSafeInteger(revision) && typeof heads === "object" && heads !== null;
}
