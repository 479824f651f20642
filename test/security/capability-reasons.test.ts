// Why a capability failed: the host is told in full, the guest only that it did.
import assert from "node:assert/strict";
import { once } from "node:events";
import { suite, test } from "node:test";
import { CapabilityRefusal, type EventMap, type Runtime } from "../../src/index.ts";
import { valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const secret = "the password is swordfish";

class Secret extends Error {
  override readonly name = "Secret";
}

const capabilities = {
  throws: () => {
    throw new Secret(secret);
  },
  rejectsWithNothing: () => Promise.reject(undefined as unknown as Error),
  rejectsWithText: () => Promise.reject(secret as unknown as Error),
  garbage: () => ({ list: [1, { f: () => secret }] }),
  unreadable: () => ({
    get value(): never {
      throw new Secret(secret);
    },
  }),
  long: { run: () => "x".repeat(2_000), resultBytes: 1_024 },
  huge: { run: () => "x".repeat(20_000), resultBytes: 1_024 },
  wrong: { run: () => secret, result: () => "it must be a number" },
  checkThrows: {
    run: () => 1,
    result: () => {
      throw new Secret(secret);
    },
  },
  refuses: () => {
    throw new CapabilityRefusal("Cannot do this on Sundays");
  },
  hangs: { run: () => new Promise(() => {}), timeoutMs: 50 },
};
type Name = keyof typeof capabilities;

const source = `
  import * as host from "vivarium/capabilities";
  export default (name) => host[name]().then(() => "done", (error) => error.message);`;

/** What the guest catches. */
async function caught(runtime: Runtime, name: Name): Promise<string> {
  return valueOf(await runtime.once<string>(source, { args: [name], capabilities: [name] }));
}

suite("a capability that fails tells the host", () => {
  const failed = (name: string): string => `Cannot use ${name} as it failed`;
  const start = (name: string): string => `Cannot pass the result of ${name} as it must`;
  const rows: Readonly<Record<Name, readonly [guest: string, host: string, error: string | null]>> = {
    throws: [failed("throws"), `Secret: ${secret}`, "Secret"],
    rejectsWithNothing: [
      failed("rejectsWithNothing"),
      "TypeError: Cannot use what was thrown as it must be something: it is undefined",
      "TypeError",
    ],
    rejectsWithText: [failed("rejectsWithText"), JSON.stringify(secret), "string"],
    garbage: [
      failed("garbage"),
      `TypeError: ${start("garbage")} be data: result.list[1].f is a function`,
      "TypeError",
    ],
    unreadable: [
      failed("unreadable"),
      `TypeError: ${start("unreadable")} be possible to read it: Secret: ${secret}`,
      "TypeError",
    ],
    long: [
      failed("long"),
      `RangeError: ${start("long")} be at most resultBytes, 1024: it is 2002 bytes`,
      "RangeError",
    ],
    huge: [
      failed("huge"),
      `RangeError: ${start("huge")} be at most resultBytes, 1024: it is more than 4096 bytes`,
      "RangeError",
    ],
    wrong: [
      failed("wrong"),
      `TypeError: ${start("wrong")} pass the check of its capability: it must be a number`,
      "TypeError",
    ],
    checkThrows: [failed("checkThrows"), `Secret: ${secret}`, "Secret"],
    refuses: [
      "Cannot do this on Sundays",
      "CapabilityRefusal: Cannot do this on Sundays",
      "CapabilityRefusal",
    ],
    hangs: [
      "Cannot use hangs as it must be done within 50 ms: it was not",
      "Cannot use hangs as it must be done within 50 ms: it was not",
      null,
    ],
  };
  for (const [name, [guest, host, error]] of Object.entries(rows))
    test(`why, and the guest only what it may know: ${name}`, async () => {
      const runtime = await startRuntime({ capabilities });
      const events: EventMap["capability.called"][] = [];
      runtime.events.on("capability.called", (event) => void events.push(event));
      assert.equal(await caught(runtime, name as Name), guest);
      const [event] = events;
      assert.equal(event?.message, host);
      assert.equal(nameOf(event.error), error);
      if (event.error instanceof Secret)
        assert.match(event.error.stack ?? "", /capability-reasons\.test\.ts/);
    });
});

/** The name of an error, the type of anything else that was thrown, or null. */
function nameOf(error: unknown): string | null {
  return error === null ? null : error instanceof Error ? error.name : typeof error;
}

suite("a failure that nothing listens to", () => {
  test("is a warning, once for each capability, with the stack", async () => {
    const runtime = await startRuntime({ capabilities });
    const warnings: NodeJS.ErrnoException[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on("warning", note);
    try {
      for (const name of ["throws", "throws", "hangs", "refuses", "garbage"] as const)
        await caught(runtime, name);
      await until("both warnings came", () => warnings.length >= 2);
    } finally {
      process.off("warning", note);
    }
    assert.deepEqual(
      warnings.map(({ code, message }) => [code, /"(\w+)"/.exec(message)?.[1]]),
      [
        ["CAPABILITY_FAILED", "throws"],
        ["CAPABILITY_FAILED", "garbage"],
      ],
    );
    const { detail } = warnings[0] as Error & { readonly detail?: string };
    assert.match(detail ?? "", /Secret: the password is swordfish\n\s+at .*capability-reasons\.test\.ts/);
  });

  test("is none where the sandbox was destroyed while it waited", async () => {
    const waiting = Promise.withResolvers<void>();
    const runtime = await startRuntime({
      capabilities: {
        waits: (_, { signal }) => {
          waiting.resolve();
          return once(signal, "abort");
        },
      },
    });
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on("warning", note);
    const main = `import { waits } from "vivarium/capabilities"; export const f = () => waits();`;
    const sandbox = await runtime.create({ modules: { main }, capabilities: ["waits"] });
    const running = sandbox.call("main.f");
    await waiting.promise;
    await sandbox.destroy();
    await running;
    await runtime.close();
    process.off("warning", note);
    assert.deepEqual(warnings, []);
  });
});
