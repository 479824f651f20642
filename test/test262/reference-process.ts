// The child process of the reference: judges the tests that it is sent, one after the other.
import type { Case } from "./case.ts";
import { IsolateReference } from "./reference-isolate.ts";
import { evaluateWithNode } from "./reference-node.ts";
import type { ReferenceVerdict } from "./reference.ts";
import { judge } from "./verdict.ts";

const isolates = new IsolateReference();

process.on("message", (test: Case) => {
  void verdictOn(test).then((verdict) => process.send?.(verdict));
});
// A rejection of a test's own that nobody handles is no verdict.
process.on("unhandledRejection", () => {});

async function verdictOn(test: Case): Promise<ReferenceVerdict> {
  if (judge(test, await isolates.evaluateModule(test)).ok) return "module";
  // Of an error that is no Error isolated-vm tells nothing.
  const isBeyond = test.negative?.phase === "runtime" || /\bimport\b/.test(test.sources[test.path] as string);
  if (isBeyond && judge(test, await evaluateWithNode(test)).ok) return "module";
  if (test.flags.includes("module")) return "neither";
  return judge(test, await isolates.evaluateScript(test)).ok ? "script" : "neither";
}
