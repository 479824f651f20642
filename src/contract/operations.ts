// The operations of the HTTP API as a table of plain data: server, client, documents and MCP are made of it. What each takes
// and answers is in `bodies.ts`.

/** What a token may do; each scope includes those before it. */
export const scopes = ["read", "evaluate", "admin"] as const;
export type Scope = (typeof scopes)[number];

/**
 * `json`: one document. `lines`: NDJSON, or server-sent events where the caller accepts those, each line a member of a union.
 * `either`: one document, or `lines` where the caller accepts these. `events`: server-sent events alone. `none`: nothing.
 */
export type AnswerForm = "json" | "lines" | "either" | "events" | "none";

export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** What stands in braces is a parameter. All other texts of a request, names of modules among them, are in query or body. */
  readonly path: string;
  readonly scope: Scope;
  readonly answer: AnswerForm;
  /** Status of success. Default: 200, or 204 where there is no answer. */
  readonly status?: 201 | 202;
  /** It makes something, so that its caller may send an `Idempotency-Key`. */
  readonly creates?: boolean;
  /** It is about the runtime as a whole: refused to the tokens of a tenant. */
  readonly wholeRuntime?: boolean;
  /** What it does, in half a sentence, for the documents. */
  readonly about: string;
}

const sandbox = "/v1/sandboxes/{id}";

export const operations = {
  about: read("GET", "/v1/about", "which server this is, and what the token may do"),

  createSandbox: creating("/v1/sandboxes", "creates a sandbox"),
  listSandboxes: read("GET", "/v1/sandboxes", "the living sandboxes, in the order of their creation"),
  getSandbox: read(
    "GET",
    sandbox,
    "all that is known of a sandbox, or of the latest one of this id that is gone",
  ),
  destroySandbox: change("DELETE", sandbox, "ends a sandbox and removes it from the store"),
  restartSandbox: change("POST", `${sandbox}/restart`, "begins a sandbox anew at its current revision"),
  suspendSandbox: change("POST", `${sandbox}/suspend`, "has timers and processes stand still, and runs wait"),
  resumeSandbox: change("POST", `${sandbox}/resume`, "lets a suspended sandbox go on"),
  forkSandbox: creating("/v1/forks", "creates a child of one sandbox, or of several"),
  exportSandbox: read("GET", `${sandbox}/export`, "a sandbox as one piece of plain data"),
  importSandbox: creating("/v1/imports", "creates a sandbox from what was exported"),
  getLogs: read("GET", `${sandbox}/logs`, "the console lines that are kept, oldest first"),
  getUsage: read("GET", `${sandbox}/usage`, "sums over all runs, and a fresh sample of the heap"),
  updateLimits: answering("PATCH", `${sandbox}/limits`, "changes limits"),

  once: {
    ...answering("POST", "/v1/once", "creates a sandbox for one source, runs it and destroys it"),
    answer: "either",
  },
  call: answering("POST", `${sandbox}/calls`, "calls an exported function"),
  run: answering("POST", `${sandbox}/runs`, "runs a script, or a function whose source is sent along"),
  replay: answering("POST", `${sandbox}/replays`, "runs a recording again and compares"),
  openStream: {
    ...answering("POST", `${sandbox}/streams`, "iterates what an exported function yields"),
    status: 201,
    answer: "either",
  },
  nextParts: answering("POST", "/v1/streams/{streamId}/next", "the next parts of a stream"),
  closeStream: change("DELETE", "/v1/streams/{streamId}", "ends a stream and its generator"),

  reload: answering("POST", `${sandbox}/reloads`, "puts other code into the living sandbox"),
  rollback: answering("POST", `${sandbox}/rollbacks`, "makes an earlier version or revision the current one"),
  listVersions: read("GET", `${sandbox}/versions`, "the versions of a module that are kept, oldest first"),
  getSource: read("GET", `${sandbox}/source`, "the source of a module, of its current version or another"),
  getDiff: read("GET", `${sandbox}/diff`, "the difference between two versions of a module"),

  listProcesses: read("GET", `${sandbox}/processes`, "the tree of processes, and those outside of it"),
  ask: answering("POST", `${sandbox}/asks`, "asks a process and waits for its answer"),
  send: answering("POST", `${sandbox}/messages`, "tells a process something"),
  checkpoint: answering("POST", `${sandbox}/checkpoints`, "writes the states of processes down"),
  captureState: read("GET", `${sandbox}/state`, "the states of processes as they are now"),
  restoreState: change("PUT", `${sandbox}/state`, "makes the isolate anew with these states"),

  openSession: creating("/v1/sessions", "begins a session: scripts that follow each other"),
  runScript: {
    ...answering("POST", "/v1/sessions/{sessionId}/scripts", "runs a script of a session"),
    answer: "either",
  },
  closeSession: change("DELETE", "/v1/sessions/{sessionId}", "ends a session and its sandbox"),

  batchCreate: batch("create", "creates sandboxes", true),
  batchFork: batch("fork", "creates children of sandboxes", true),
  batchDestroy: batch("destroy", "destroys sandboxes"),
  batchReload: batch("reload", "reloads sandboxes"),
  batchCall: batch("call", "calls a function in each sandbox"),
  batchRun: batch("run", "runs a function in each sandbox"),
  batchEvaluate: batch("evaluate", "measures the fitness of each sandbox"),

  compile: answering("POST", "/v1/compile", "compiles one module"),
  check: answering(
    "POST",
    "/v1/check",
    "what the compiler and the gate of a profile have to say of a source",
  ),
  checkTypes: answering("POST", "/v1/check-types", "checks the types of modules that may import each other"),

  lineage: read(
    "GET",
    "/v1/lineage/{id}",
    "where a sandbox, living or gone, comes from, and what became of it",
  ),
  listIndividuals: read(
    "GET",
    "/v1/individuals",
    "all individuals that are remembered, living and gone, page by page in the order of their births",
  ),
  getIndividual: read(
    "GET",
    "/v1/individuals/{id}",
    "all that is remembered of an individual, living or gone, with its code and that of its parent",
  ),
  listRuns: whole(read("GET", "/v1/runs", "what evolutions say of themselves in the documents")),
  population: read("GET", "/v1/population", "scores and outcomes of the living, and the best of them"),

  events: { ...read("GET", "/v1/events", "events as they happen"), answer: "events" },
  publishEvent: change("POST", "/v1/events", "emits an event that the runtime cannot know by itself"),
  queryAudit: read("GET", "/v1/audit", "entries of the audit log, oldest first"),
  readJournal: read("GET", "/v1/journal", "events that were stored, oldest first"),
  getMetrics: whole(read("GET", "/v1/metrics", "all figures of the runtime")),
  getHealth: read("GET", "/v1/health", "how the runtime is"),
  collect: admin(answering("POST", "/v1/collect", "sweeps now")),
  readDocuments: admin(read("GET", "/v1/documents", "rows of a collection of the caller's own")),
  writeDocuments: admin(change("POST", "/v1/documents", "writes rows of the caller's own, all or none")),
  compactData: admin(
    answering(
      "POST",
      "/v1/data/compact",
      "gives the room that the data folder does not need back to the disk",
    ),
  ),
} as const satisfies Readonly<Record<string, Operation>>;

export type OperationId = keyof typeof operations;

/** The table again, for whoever goes through all of it. */
export const operationList = Object.entries(operations) as readonly (readonly [OperationId, Operation])[];

function read<P extends string>(method: "GET", path: P, about: string) {
  return { method, path, scope: "read", answer: "json", about } as const;
}

function answering<P extends string, M extends Operation["method"]>(method: M, path: P, about: string) {
  return { method, path, scope: "evaluate", answer: "json", about } as const;
}

function change<P extends string, M extends Operation["method"]>(method: M, path: P, about: string) {
  return { method, path, scope: "evaluate", answer: "none", about } as const;
}

function creating<P extends string>(path: P, about: string) {
  return { ...answering("POST", path, about), status: 201, creates: true } as const;
}

function batch(name: string, about: string, creates = false) {
  return {
    ...answering("POST", `/v1/batches/${name}`, `${about}, each with a result of its own`),
    answer: "lines",
    creates,
  } as const;
}

function whole<O extends Operation>(operation: O) {
  return { ...operation, wholeRuntime: true } as const;
}

function admin<O extends Operation>(operation: O) {
  return { ...operation, scope: "admin", wholeRuntime: true } as const;
}
