// Runs tests in sandboxes, through the public API: the harness in one module, the test and its files in others.
import { createRuntime, LoadError, type Runtime } from "vivarium";
import type { Case } from "./case.ts";
import { judge, type Ending, type Verdict } from "./verdict.ts";

const timeMs = 30_000;
const harnessName = "harness.js";
// A profile that admits whatever the language has.
const everything = {
  base: "low",
  features: { dynamicCode: true, webAssembly: true, sharedMemory: true, resizableBuffers: true },
  scan: { blocked: "admit", suspicious: "admit" },
  limits: { loadMs: timeMs, timeoutMs: timeMs },
} as const;

export function startSandboxes(cells: number): Promise<Runtime> {
  return createRuntime({
    profile: "everything",
    profiles: { everything },
    cells: { count: cells },
  });
}

export async function runInSandbox(runtime: Runtime, test: Case): Promise<Verdict> {
  return judge(test, await evaluate(runtime, test));
}

async function evaluate(runtime: Runtime, test: Case): Promise<Ending> {
  // Modules are evaluated in this order, those that the test imports before it.
  const modules = { [harnessName]: harnessModule(test.harness), ...test.sources };
  try {
    await using sandbox = await runtime.create({ modules: namesAdmitted(modules) });
    if (!test.isAsync || test.negative !== undefined) return { kind: "done" };
    const outcome = await sandbox.call<string>(`${harnessName}.reported`);
    return { kind: "done", report: outcome.ok ? outcome.value : outcome.error.message };
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    if (error.sandboxId !== undefined) await runtime.destroy(error.sandboxId);
    return endingOf(error);
  }
}

// What V8 itself finds wrong before a module is evaluated comes as a SyntaxError of the load.
function endingOf({ phase, failure, message }: LoadError): Ending {
  const thrown = failure?.thrown;
  if (phase === "parse" || phase === "compile")
    return { kind: "failed", phase: "parse", type: "SyntaxError", message };
  if (phase !== "evaluate") return { kind: "failed", phase: "resolution", type: "SyntaxError", message };
  const type = thrown?.name ?? failure?.kind ?? "";
  const isEarly = type === "SyntaxError" && !/\n\s+at /.test(thrown?.stack ?? "");
  const text = thrown?.message ?? failure?.message ?? message;
  return { kind: "failed", phase: isEarly ? "parse" : "runtime", type, message: text };
}

// The harness is a script whose names are global, so that it goes through an indirect eval, where only `var` and functions are.
function harnessModule(harness: string): string {
  const script = harness
    .replace(/^(?:const|let) /gm, "var ")
    .replace(/^class (\w+)(?=[ {])/gm, "var $1 = class $1");
  return `const { promise, resolve } = Promise.withResolvers();
globalThis.print = (text) => resolve(\`\${text}\`);
(0, eval)(${JSON.stringify(script)});
if (typeof Test262Error === "function")
  Object.defineProperty(Test262Error.prototype, "name", { value: "Test262Error", configurable: true });
export const reported = () => promise;`;
}

// Some names of files have characters that names of modules cannot have; nobody imports those.
function namesAdmitted(modules: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(modules).map(([name, source]) => [name.replace(/[^A-Za-z0-9_$@./-]/g, "_"), source]),
  );
}
