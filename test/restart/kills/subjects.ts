// The sandboxes whose state is compared with what was acknowledged: their code, and how they are looked at.
import { unwrap, type Runtime, type Sandbox, type SandboxInfo } from "../../../src/index.ts";
import type { Seen } from "./expected.ts";

const plain = (tag: number): string => `export const tag = () => ${tag};`;
const counter = (tag: number): string => `
  import { server, supervisor } from "vivarium/guest";
  const Counter = server({ name: "counter", init: () => ({ count: 0 }),
    handleCall: (message, state) => message === "look"
      ? { reply: state.count, state } : { reply: state.count + 1, state: { count: state.count + 1 } } });
  export const tag = () => ${tag};
  export default supervisor({ children: [{ id: "counter", start: Counter }] });`;

/** The code of a subject; `tag` says which. */
export const sourceOf = (kind: Seen["kind"], tag: number): string =>
  kind === "plain" ? plain(tag) : counter(tag);

/** One sandbox as it can be seen from outside. */
export async function look(runtime: Runtime, info: SandboxInfo): Promise<readonly [string, Seen]> {
  const { id, revision, fitness } = info;
  const sandbox = await runtime.get(id);
  const kind = info.labels["kind"] as Seen["kind"];
  const status = info.status === "creating" ? "running" : info.status;
  if (status === "failed") throw new Error(`${id} has failed: ${info.reason}`);
  // A suspended one answers nobody: its code is read from its export.
  const tag =
    status === "suspended" ? await writtenTag(sandbox) : unwrap(await sandbox.call<number>("main.tag"));
  const count = kind === "counter" ? unwrap(await sandbox.ask<number>("counter", "look")) : null;
  return [id, { kind, status, tag, revision, count, score: fitness?.score ?? null }];
}

async function writtenTag(sandbox: Sandbox): Promise<number> {
  const { modules } = await sandbox.export();
  return Number(/tag = \(\) => (\d+)/.exec(modules["main"]?.at(-1)?.source ?? "")?.[1]);
}
