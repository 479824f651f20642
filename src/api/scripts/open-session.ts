// Opens a session: its spec is that of a sandbox that may have no modules.
import { func, readGiven, type Shape } from "../../model/schema.ts";
import type { LogLine } from "../../model/runs/log-line.ts";
import { completePathSpec, specInner, specNames } from "../options/spec.ts";
import { specContextOf } from "../options/spec-context.ts";
import type { Session, SessionSpec } from "../types/session.ts";
import type { Engine } from "../wiring/engine.ts";
import { emptyCode, moduleName } from "./empty-code.ts";
import { ScriptOutput } from "./script-output.ts";
import { LocalSession } from "./session.ts";
import { openSpec } from "../handles/opening.ts";

const ownOptions = { onOutput: func<(line: LogLine) => void>() } satisfies Shape<
  Pick<SessionSpec, "onOutput">
>;
const known = { names: [...specNames, "id", "onOutput"] as const, inner: specInner };

/** Its sandbox is a caller's own, but not stored: what scripts declared would not come back. */
export async function openSession(engine: Engine, given: unknown = {}): Promise<Session> {
  const { id, onOutput, ...spec } = readGiven(given, "spec", known);
  const listen = ownOptions.onOutput.read(onOutput, "spec.onOutput");
  const isEmpty = spec.modules === undefined && spec.path === undefined;
  const complete = isEmpty ? { ...spec, modules: { [moduleName]: "" } } : spec;
  const plan = completePathSpec(id, complete, specContextOf(engine));
  const code = isEmpty ? { code: emptyCode() } : {};
  const output = new ScriptOutput(listen);
  const sandbox = await openSpec(engine, plan, {
    ...code,
    isTemporary: true,
    isGoneIfBroken: true,
    onLine: output.onLine,
  });
  return new LocalSession(engine, sandbox, output);
}
