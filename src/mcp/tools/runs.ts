// Tools that run code: once, or in a sandbox that lives.
import { z } from "zod";
import type { CallTarget } from "../../index.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { outcomeShape, tellOutcome, viewOutcome } from "../shapes/outcome.ts";
import { addressOf, linkTo } from "../resources/addresses.ts";
import {
  argsInput,
  idInput,
  limitsFor,
  limitsInput,
  requireAtMost,
  timeoutInput,
  withoutUndefined,
} from "./parts.ts";
import { defineTool } from "./tool.ts";

const bounds = { args: argsInput.optional(), timeoutMs: timeoutInput.optional() };

export const runCode = defineTool({
  name: "run_code",
  title: "Run code once",
  description:
    "Runs TypeScript or JavaScript in a fresh sandbox and destroys it: no network, no files, no host. A script's value is that of its last expression, and `args` is a variable in it; of a module with a default export, that function is called with `args`. With `sandboxId` the script runs inside that sandbox instead and may import its modules. Code that fails is a result with ok: false.",
  operation: "once",
  hints: {},
  input: z.strictObject({
    source: z.string().min(1).describe("A script, or a module with a default export."),
    ...bounds,
    sandboxId: idInput.optional().describe("Run it as a script inside this sandbox of yours."),
    limits: limitsInput.optional().describe("Of the fresh sandbox; not with sandboxId."),
  }),
  output: outcomeShape,
  async run(agent, { source, sandboxId, limits, ...given }, { signal }) {
    const { textChars, timeoutMs } = agent.config.bounds;
    requireAtMost("timeoutMs", given.timeoutMs, timeoutMs);
    const options = { ...withoutUndefined(given), signal };
    if (sandboxId !== undefined) {
      if (limits !== undefined)
        throw new InvalidOptionsError(
          "Cannot use limits as they must be those of the sandbox where sandboxId is given: leave them away",
          "limits",
        );
      const sandbox = await agent.get(sandboxId);
      agent.count(1);
      const rest = addressOf({ kind: "logs", id: sandbox.id });
      const structured = viewOutcome(await sandbox.run(source, options), { textChars, rest, signal });
      return { structured, text: tellOutcome(structured, "value") };
    }
    const { idleMs: _, ...own } = limitsFor(agent, limits);
    const { labels: _labels, ...spec } = agent.specOf({ limits: own });
    agent.count(1);
    const making = { needs: [agent.needOf(agent.newId(undefined), spec)], staying: 0 };
    const outcome = await agent.making(making, () => agent.runtime.once(source, { ...spec, ...options }));
    const structured = viewOutcome(outcome, { textChars, signal, lines: outcome.output });
    return { structured, text: tellOutcome(structured, "value") };
  },
});

export const call = defineTool({
  name: "call",
  title: "Call a function in a sandbox",
  description:
    "Calls an exported function of a living sandbox; module variables keep their values between calls. A failure (thrown error, timeout, memory…) is a result with ok: false and error.kind, and the sandbox lives on, though with fresh variables where it ran out of memory or its process had to be killed.",
  operation: "call",
  hints: {},
  input: z.strictObject({
    id: idInput,
    target: z.string().min(1).max(513).describe("`module.export`, such as `main.solve`."),
    ...bounds,
  }),
  output: outcomeShape,
  async run(agent, { id, target, ...given }, { signal }) {
    const { textChars, timeoutMs } = agent.config.bounds;
    requireAtMost("timeoutMs", given.timeoutMs, timeoutMs);
    const sandbox = await agent.get(id);
    agent.count(1);
    // The runtime checks its form.
    const outcome = await sandbox.call(target as CallTarget, { ...withoutUndefined(given), signal });
    const address = { kind: "logs", id: sandbox.id } as const;
    const structured = viewOutcome(outcome, { textChars, signal, rest: addressOf(address) });
    const links = structured.outputNote === undefined ? [] : [linkTo(address)];
    return { structured, text: tellOutcome(structured, target), links };
  },
});
