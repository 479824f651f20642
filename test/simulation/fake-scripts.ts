// Scripts in a simulated cell: each writes a line, does what an export does, and writes another one.
import type { Report, RunGroup } from "../../src/execution/protocol/messages.ts";
import { actOf, type Act } from "./fake-acts.ts";
import { unwrapped, type FakeBox } from "./fake-box.ts";
import { scriptOf } from "./program.ts";

interface ScriptHost {
  readonly parts: { readonly send: (report: Report) => void };
}

/** The lines of a script that ends well. */
export const linesOf = (token: string): readonly string[] => [`${token} begins`, `${token} ends`];

/** What a script does. */
export function scriptActOf(
  { parts }: ScriptHost,
  box: FakeBox,
  { op, group }: { readonly op: number; readonly group: RunGroup },
): Act {
  const script = scriptOf(unwrapped(group.code ?? ""));
  if (script === undefined) throw new TypeError(`a cell was given what is no script: ${group.code}`);
  const { token, ms, does } = script;
  const write = (...lines: readonly string[]): void =>
    parts.send({ t: "log", key: box.key, op, lines: lines.map((line) => [1, line]) });
  const [first = "", last = ""] = linesOf(token);
  // The cell tells nothing of a slice that was too short.
  const isSlice = group.lane === "slice";
  if (!isSlice) write(first);
  const act = actOf(does, box, { token, ms });
  const { end } = act;
  if (end.do === "memory" || end.do === "crash" || end.do === "ask") return act;
  const answer = (): number | string => {
    const given = end.answer();
    write(...(isSlice ? [first] : []), last);
    return given;
  };
  return { ...act, end: { ...end, answer } };
}

/** The first argument of a run: which one it is of those that callers asked for. */
export function tokenIn({ args }: RunGroup): string {
  const [given = "[]"] = args;
  const [first] = typeof given === "string" ? (JSON.parse(given) as readonly unknown[]) : given;
  return typeof first === "string" ? first : "";
}
