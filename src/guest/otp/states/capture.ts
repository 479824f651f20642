// The states of a sandbox's servers as data, and the start of a tree from them.
import { captureBytesMaxFor } from "../../../model/runs/report-bounds.ts";
import { utf8Length } from "../../../model/wire/lengths.ts";
import { append, each, make, mapGet, mapSet, stringify } from "../../../model/wire/intrinsics.ts";
import type { StateCapture } from "../../../model/sandboxes/process.ts";
import { useCapturedStates } from "../supervision/child.ts";
import type { ProcessHost } from "../core.ts";
import * as definitions from "../definitions.ts";
import { eachLast } from "./last-states.ts";
import * as process from "../process.ts";
import { ServerBehaviour } from "../server.ts";
import { migrateState } from "./state.ts";
import { SupervisorBehaviour } from "../supervision/supervisor.ts";
import type { ChildSpec } from "../types.ts";

type CapturedServer = StateCapture["servers"][number];
type CapturedChild = StateCapture["children"][number];

let host: ProcessHost;
let dynamicOf: (path: string) => readonly ChildSpec[] = () => [];

export function connectCapture(given: ProcessHost): void {
  host = given;
}

/** The children that were added to a supervisor, while the tree is being restored. */
export function dynamicChildren(path: string): readonly ChildSpec[] {
  return dynamicOf(path);
}

/** The tree has started: servers started from here on begin with `init`. */
export function forgetCapture(): void {
  useCapturedStates(() => undefined);
  dynamicOf = () => [];
}

// Until the tree has started, servers begin with their captured states and supervisors with their captured children.
export function restoreTree({ servers, children }: StateCapture): void {
  const states = new make.Map<string, CapturedServer>();
  each(servers, (server) => mapSet(states, server.path, server));
  useCapturedStates((path, key) => {
    const captured = mapGet(states, path) as CapturedServer | undefined;
    // Another server may have this path by now: it begins with `init`.
    if (captured === undefined || captured.key !== key) return undefined;
    const definition = definitions.serverOf(key);
    const state = host.decode(captured.state);
    const isSame =
      captured.version === null ||
      definition.schema === undefined ||
      captured.version === definition.schema.version;
    if (isSame) return { state };
    const before = { ...definition, schema: { ...definition.schema, version: captured.version as number } };
    return { state: migrateState(state, { before, after: definition, from: 0, to: 0 }) };
  });
  dynamicOf = (path) => {
    const specs: ChildSpec[] = [];
    each(children, (child) => {
      if (child.supervisor !== path) return;
      append(specs, {
        id: child.id,
        start: { kind: child.kind, key: child.key } as ChildSpec["start"] & object,
        args: host.decode(child.args),
        restart: child.restart as "permanent",
        restartFrom: child.restartFrom ?? "init",
        name: child.name,
        ...(child.shutdownMs === null ? {} : { shutdownMs: child.shutdownMs }),
      });
    });
    return specs;
  };
}

let writtenChanges = -1;

/**
 * What changed since the last call: everything when the tree itself changed, otherwise the changed states; an empty text
 * when nothing did.
 */
export function captureChanges(): string {
  if (process.treeChangeCount() !== writtenChanges) {
    const all = fitting(capture());
    writtenChanges = process.treeChangeCount();
    return all;
  }
  const servers: CapturedServer[] = [];
  process.eachProc((proc) => {
    const { behaviour, path } = proc;
    if (path === null || proc.isUncommitted || !(behaviour instanceof ServerBehaviour) || !behaviour.isDirty)
      return;
    append(servers, captureServer(behaviour, path));
  });
  return servers.length === 0 ? "" : fitting(stringify({ servers }));
}

// States were counted when they were set; the arguments of added children are only known to fit here.
function fitting(text: string): string {
  const bytesMax = captureBytesMaxFor(process.processLimits().resultBytes);
  if (utf8Length(text) <= bytesMax) return text;
  throw new TypeError(`Cannot capture the tree as it must take at most ${bytesMax} bytes: it takes more`);
}

/** The states of all servers in the tree, and the children that were added to it. */
export function capture(): string {
  const servers: CapturedServer[] = [];
  const children: CapturedChild[] = [];
  process.eachProc((proc) => {
    const { behaviour, path } = proc;
    if (path === null || proc.isUncommitted || proc.status === "starting") return;
    if (behaviour instanceof ServerBehaviour) append(servers, captureServer(behaviour, path));
    if (behaviour instanceof SupervisorBehaviour) captureChildren(behaviour, path, children);
  });
  // Also of servers that have not been restarted yet.
  eachLast(({ key, state }, path) => append(servers, { path, key, version: versionOf(key), state }));
  return stringify({ servers, children } satisfies StateCapture);
}

function captureServer(behaviour: ServerBehaviour, path: string): CapturedServer {
  const { key } = behaviour;
  behaviour.isDirty = false;
  return { path, key, version: versionOf(key), state: behaviour.written };
}

// In a reload that is not committed, states are in the form of the code before it.
function versionOf(key: string): number | null {
  return definitions.serverBefore(key)?.schema?.version ?? null;
}

function captureChildren(behaviour: SupervisorBehaviour, supervisor: string, into: CapturedChild[]): void {
  behaviour.children.each((child) => {
    const { start } = child;
    if (!child.isDynamic || typeof start !== "object") return;
    const { id, restart, restartFrom, name } = child;
    const args = host.encode(child.args);
    append(into, {
      supervisor,
      id,
      key: start.key,
      kind: start.kind,
      args,
      restart,
      restartFrom,
      name,
      shutdownMs: child.shutdownMs ?? null,
    });
  });
}
