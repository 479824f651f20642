// How a round begins: each tenant has sandboxes, streams and sessions, and has exported, recorded and captured something, so
// that what is generated then meets it.
import { operations, type OperationId } from "../../../src/contract/operations.ts";
import type { Dice } from "../dice.ts";
import { authorization, type Plan } from "./requests.ts";
import { functionsOf, ownIds, secretOf, treeOf, type Who } from "./words.ts";

export function preludeOf(who: Who, dice: Dice): readonly Plan[] {
  const [a = "", b = ""] = ownIds(who);
  const labels = { owner: secretOf(who) };
  const deterministic = { seed: 7, now: 0 };
  const functions = { id: a, modules: { main: functionsOf(who) }, labels, deterministic };
  const tree = { id: b, modules: { main: treeOf(who) }, supervisor: "main", labels };
  const more: readonly Plan[] = [
    plan(who, "openStream", { path: { id: a }, body: { target: "main.slow", args: [5] } }),
    plan(who, "openStream", { path: { id: a }, body: { target: "main.parts", args: [50] } }),
    plan(who, "openSession", { body: { labels } }),
    plan(who, "call", { path: { id: a }, body: { target: "main.f", args: [1], record: true } }),
    plan(who, "exportSandbox", { path: { id: a } }),
    plan(who, "exportSandbox", { path: { id: b } }),
    plan(who, "captureState", { path: { id: b } }),
    plan(who, "reload", { path: { id: a }, body: { modules: { other: "export const f = () => 3;" } } }),
    plan(who, "checkpoint", { path: { id: b }, body: {} }),
  ];
  return [
    plan(who, "createSandbox", { body: functions }),
    plan(who, "createSandbox", { body: tree }),
    ...more.filter(() => dice.chance(0.5)),
  ];
}

function plan(
  who: Who,
  id: OperationId,
  { path = {}, body }: { readonly path?: Readonly<Record<string, string>>; readonly body?: object },
): Plan {
  return {
    kind: "valid",
    who,
    method: operations[id].method,
    path: operations[id].path.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? ""),
    query: [],
    headers: { ...authorization(who), ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: { json: body } }),
    direct: false,
  };
}
