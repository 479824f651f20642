// The dashboard as browsers get it: of a server whose runtime evolves when a test says so, and of a recorded document.
import { createServer as createPlainServer, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import type { EvolutionDump } from "../../../src/contract/evolution-bodies.ts";
import { Tracker } from "../../../src/evolution/index.ts";
import { unwrap, type BatchSpec, type Runtime, type RuntimeOptions } from "../../../src/index.ts";
import {
  createServer,
  dashboardFiles,
  listen,
  type DashboardFiles,
  type Listening,
  type TokenSpec,
} from "../../../src/server/index.ts";
import type { Clock } from "../../../src/std/clock.ts";
import { startRuntime } from "../../support/runtimes.ts";
import { sampleDump, type SampleOptions } from "./sample-dump.ts";

/** Tokens of every kind. */
export const tokens = {
  admin: { token: "admin-0123456789abcdef", scope: "admin" },
  evaluator: { token: "evaluator-0123456789abcdef", scope: "evaluate" },
  reader: { token: "reader-0123456789abcdef", scope: "read" },
  red: { token: "red-0123456789abcdef", scope: "admin", tenant: "red" },
} as const satisfies Readonly<Record<string, TokenSpec>>;

export interface LiveOptions {
  readonly runtime?: RuntimeOptions;
  /** How many generations there are before the page is opened. Default: 2. */
  readonly generations?: number;
  /** Further tokens, and the server's clock, by which they end. */
  readonly others?: readonly TokenSpec[];
  readonly clock?: Clock;
}

export interface Live {
  readonly runtime: Runtime;
  readonly tracker: Tracker;
  readonly url: string;
  /** The address with a token in it, of a view if it is named. */
  linkOf(who: keyof typeof tokens): string;
  /** One more generation of eight on two islands, of which four fail, each in its own way. Its ids, in order. */
  evolve(): Promise<readonly string[]>;
  /** Ends the server: connections break. The runtime goes on. */
  stop(): Promise<void>;
  /** Listens again at the same port. */
  start(): Promise<void>;
}

const islands = ["island-1", "island-2"] as const;
const limits = { memoryBytes: 16 * 2 ** 20, outputBytes: 4_096 };
const timeoutMs = 1_000;
const score = (factor: number): string =>
  `// It multiplies.\nexport function f(x: number): number {\n  return x * ${factor};\n}\n`;
/** How a candidate fails that is not meant to succeed. */
const failing: Readonly<Record<string, string>> = {
  timeout: "export function f(): number {\n  while (true);\n}\n",
  memory:
    "export function f(): number {\n  const all = [];\n  for (;;) all.push(new Array(10_000).fill(all.length));\n}\n",
  crashed: 'export function f(): number {\n  throw new Error("It divides by nothing.");\n}\n',
  rejected: 'export const f = (): number => Number(eval("1"));\n',
};

/** A server over a runtime that has evolved a little; all of it is closed when the tests of the file are done. */
export async function serveLive(given: LiveOptions = {}): Promise<Live> {
  const { runtime: options = {}, generations = 2, others = [], clock } = given;
  const runtime = await startRuntime(options);
  const tracker = new Tracker({ direction: "maximise" });
  after(tracker.follow(runtime.events));
  for (const island of islands) tracker.populations.register(island, []);
  const evolve = evolution(runtime, tracker);
  for (let generation = 0; generation < generations; generation++) await evolve();
  const access = {
    tokens: [...Object.entries(tokens).map(([name, spec]) => ({ ...spec, name })), ...others],
  };
  const open = (port: number): Promise<Listening> =>
    listen(createServer(runtime, { tracker, access, ...(clock && { clock }) }), { port });
  let listening = await open(0);
  const { url, port } = listening;
  after(() => listening.close({ drainMs: 0 }));
  return {
    runtime,
    tracker,
    url,
    linkOf: (who) => `${url}/#token=${tokens[who].token}`,
    evolve,
    stop: async () => void (await listening.close({ drainMs: 0 })),
    start: async () => void (listening = await open(port)),
  };
}

function evolution(runtime: Runtime, tracker: Tracker): () => Promise<readonly string[]> {
  let generation = 0;
  return async () => {
    const specs = specsOf(generation++);
    const ids = specs.map(({ id }) => id);
    await runtime.batch.create(specs);
    for (const [place, island] of islands.entries()) {
      const own = ids.filter((_, index) => index % islands.length === place);
      tracker.populations.add(island, own);
      await runtime.batch.evaluate(
        own,
        async (candidate) => scored(unwrap(await candidate.call<number>("candidate.f", { args: [10] }))),
        {
          timeoutMs,
          population: island,
        },
      );
    }
    // Two of each generation go.
    await runtime.batch.destroy(ids.slice(0, 2));
    return ids;
  };
}

const scored = (value: number) => ({ score: value, components: { value, brevity: 100 - value } });

function specsOf(generation: number): readonly (BatchSpec & { readonly id: string })[] {
  const kinds = ["", "", "timeout", "memory", "", "", "crashed", "rejected"];
  return kinds.map((kind, index) => {
    const parents = generation === 0 ? [] : [`g${generation - 1}-${index % 2 === 0 ? 4 : 5}`];
    return {
      id: `g${generation}-${index}`,
      modules: { candidate: failing[kind] ?? score(generation * 10 + index) },
      limits,
      labels: { island: islands[index % islands.length] ?? "" },
      ancestry: {
        parentIds: parents,
        generation,
        ...(generation > 0 && { mutation: { operator: "point", generation } }),
      },
    };
  });
}

export interface Recorded {
  readonly url: string;
  readonly dump: EvolutionDump;
}

/** The page with a sample; its server is closed when the tests of the file are done. */
export async function serveRecorded(options: SampleOptions = {}): Promise<Recorded> {
  const dump = sampleDump(options);
  const { url, close } = await serveDump(dump);
  after(close);
  return { url, dump };
}

export interface ServedDump {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** The page with a document, as the server gives it; of one that is none, its text. */
export async function serveDump(dump: EvolutionDump | string, port = 0): Promise<ServedDump> {
  const files = dashboardFiles({ source: "dump" });
  const text = typeof dump === "string" ? dump : JSON.stringify(dump);
  const server = createPlainServer((incoming, outgoing) => {
    const path = (incoming.url ?? "/").replace(/\?.*/s, "");
    if (path === "/dump.json")
      return void outgoing.writeHead(200, { "content-type": "application/json" }).end(text);
    void answerFile(files, path, outgoing);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const { port: own } = server.address() as AddressInfo; // As it listens at a port.
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${own}`, close };
}

async function answerFile(files: DashboardFiles, path: string, outgoing: ServerResponse): Promise<void> {
  try {
    const response = await files.answer(new Request(`http://localhost${path}`));
    const body = Buffer.from(await response.arrayBuffer());
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(body);
  } catch {
    outgoing.writeHead(404).end();
  }
}
