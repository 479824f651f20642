// What the page exports: a recorded evolution as it is, a server's as it is told, and both as one file.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dumpOf, fileNameOf, pageOf, type ExportOptions } from "../../../dashboard/src/export/export.ts";
import { EventLog } from "../../../dashboard/src/model/event-log.ts";
import { Model } from "../../../dashboard/src/model/model.ts";
import { RecordedSource } from "../../../dashboard/src/source/recorded.ts";
import type { Source } from "../../../dashboard/src/source/source.ts";
import type { IndividualEntry, IndividualReport } from "../../../src/contract/evolution-bodies.ts";
import { SandboxNotFoundError, type AnyEvent } from "../../../src/index.ts";
import { sampleDump } from "../../browser/support/sample-dump.ts";

const { signal } = new AbortController();
const options: ExportOptions = { signal, onProgress: () => undefined, log: new EventLog() };
const dump = sampleDump({ individuals: 30 });

/** A server that has the sample, of which the last individual is forgotten meanwhile. */
function served(
  more: {
    readonly onAsked?: (id: string) => void;
    readonly tenant?: string;
    /** How many were forgotten by then, for each page. */
    readonly forgotten?: readonly number[];
    readonly onPage?: (after: number) => void;
  } = {},
): Source {
  const recorded = new RecordedSource(dump, new Model());
  const entries: readonly IndividualEntry[] = dump.individuals;
  let pages = 0;
  const runtime = {
    about: { tenant: more.tenant ?? null },
    individuals: ({ after = 0 }: { readonly after?: number }) => {
      more.onPage?.(after);
      return Promise.resolve({
        direction: dump.direction,
        individuals: entries.slice(after, after + 12),
        next: after + 12 < entries.length ? after + 12 : null,
        total: entries.length,
        forgotten: more.forgotten?.[pages++] ?? 3,
      });
    },
    individual: async (id: string): Promise<IndividualReport> => {
      more.onAsked?.(id);
      const report = await recorded.individual(id);
      if (report === null || id === "i29") throw new SandboxNotFoundError(id);
      return report;
    },
    runs: () =>
      more.tenant === undefined
        ? Promise.resolve(dump.runs)
        : Promise.reject(new Error("refused to tenants")),
    journal: { entries: () => Promise.resolve([]) },
  };
  return { runtime, origin: "127.0.0.1:1", scope: "read" } as unknown as Source;
}

test("a recorded evolution is exported as it is", async () => {
  assert.equal(await dumpOf(new RecordedSource(dump, new Model()), options), dump);
});

test("a server's evolution is exported page by page with the code of each, and with what the page heard", async () => {
  const log = new EventLog();
  const event = { sandboxId: "i1", durationMs: 1, reason: "destroyed" };
  log.push({ name: "sandbox.destroy.stop", at: 1, event } as unknown as AnyEvent);
  const seen: (readonly [number, number])[] = [];
  const taken = await dumpOf(served(), {
    ...options,
    log,
    onProgress: (done, total) => seen.push([done, total]),
  });
  assert.equal(taken.origin, "server 127.0.0.1:1");
  assert.deepEqual([taken.direction, taken.forgotten, taken.events.length], [dump.direction, 3, 1]);
  assert.deepEqual(
    taken.individuals.map(({ id }) => id),
    dump.individuals.map(({ id }) => id),
  );
  const sourceOf = (from: typeof dump, place: number): string | undefined =>
    from.texts[from.individuals[place]?.sources?.["candidate"] ?? -1];
  assert.equal(sourceOf(taken, 4), sourceOf(dump, 4));
  assert.equal(taken.individuals[29]?.sources, null);
  assert.deepEqual(seen.at(-1), [29, 30]);
});

test("an export that is ended asks for nothing more", async () => {
  const end = new AbortController();
  let asked = 0;
  const source = served({ onAsked: () => ++asked === 5 && end.abort() });
  await assert.rejects(dumpOf(source, { ...options, signal: end.signal }), { name: "AbortError" });
  assert.ok(asked < 16, `${asked}`);
});

test("a tenant exports what is its own, without the runs of others", async () => {
  const taken = await dumpOf(served({ tenant: "red" }), options);
  assert.deepEqual([taken.individuals.length, taken.runs], [30, []]);
});

test("where individuals are forgotten between two pages, all are asked for anew", async () => {
  const pages: number[] = [];
  const source = served({ forgotten: [3, 4, 4, 4, 4], onPage: (after) => pages.push(after) });
  const taken = await dumpOf(source, options);
  assert.deepEqual([taken.forgotten, pages], [4, [0, 12, 0, 12, 24]]);
  assert.deepEqual(
    taken.individuals.map(({ id }) => id),
    dump.individuals.map(({ id }) => id),
  );
});

test("where one question fails, nothing more is asked for", async () => {
  let asked = 0;
  const source = served({
    onAsked: () => {
      if (++asked === 3) throw new Error("broken");
    },
  });
  await assert.rejects(dumpOf(source, options), { message: "broken" });
  await new Promise((go) => setImmediate(go));
  assert.ok(asked <= 16, `${asked}`);
});

test("the page is exported with its own files", async () => {
  const files: Readonly<Record<string, string>> = {
    "./": '<meta name="vivarium-source" content="live" /><script type="module" src="./assets/a.js"></script>',
    "./assets/a.js": "start();",
  };
  const asked: string[] = [];
  const page = await pageOf(dump, signal, (address) => {
    asked.push(address);
    return Promise.resolve(files[address] ?? "");
  });
  assert.deepEqual(asked, ["./", "./assets/a.js"]);
  assert.match(page, /content="inline"[^]*id="dump"[^]*<script type="module">start\(\);<\/script>/);
});

test("the file has a name that every system takes", () => {
  const takenAt = Date.UTC(2026, 0, 2);
  assert.equal(
    fileNameOf({ origin: "data folder run-1", takenAt }, "html"),
    "vivarium-data-folder-run-1-2026-01-02.html",
  );
  assert.equal(fileNameOf({ origin: "../\u0000<:>", takenAt }, "json"), "vivarium-evolution-2026-01-02.json");
});
