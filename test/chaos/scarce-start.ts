// A process that starts a runtime where something is scarce, and prints the result in one line: `works`, or the code and
// message of the one error. With `again` it starts one after the other, to be killed at any moment. See scarcity.ts.
import { createRuntime, type Outcome } from "../../src/index.ts";

const kindOf = (outcome: Outcome): string => (outcome.ok ? "ok" : outcome.error.kind);
const leak = "export default () => { const all = []; for (;;) all.push(new Array(1e5).fill(1)); }";

async function tryOnce(): Promise<string> {
  try {
    await using runtime = await createRuntime();
    const kinds = [
      kindOf(await runtime.once("export default () => 42")),
      kindOf(await runtime.once("export default () => { for (;;); }", { timeoutMs: 200 })),
      kindOf(await runtime.once(leak, { limits: { memoryBytes: 32 * 2 ** 20 } })),
    ];
    return kinds.join() === "ok,timeout,memory" ? "works" : `wrong: ${kinds.join()}`;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return `${code ?? "no code"}: ${message.split("\n")[0]}`;
  }
}

console.log("begun");
if (process.argv[2] === "again")
  for (;;)
    await createRuntime()
      .then((runtime) => runtime.close())
      .catch(() => {});
console.log(await tryOnce());
