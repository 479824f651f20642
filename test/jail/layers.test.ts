// The jail of a running runtime: the layers that were planned hold, those on request too, and guests run in all of them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { completeConfig } from "../../src/api/options/config.ts";
import { openJail } from "../../src/api/wiring/create-runtime.ts";
import { createRuntime, unwrap, type RuntimeOptions } from "../../src/index.ts";
import { openKernel } from "../../src/std/kernel.ts";
import { childrenOf } from "../support/processes.ts";
import { Setup } from "./setup.ts";

const needs = "it needs Linux on arm64 or x64, and Node 26";
const small = { count: 1, spare: 0, warm: 0 } as const;
const work = `
export async function work(n: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 1));
  const list = Array.from({ length: n }, (_, index) => index).sort((a, b) => b - a);
  return new Intl.NumberFormat("en").format(list.length).length + JSON.parse(JSON.stringify(list)).length;
}`;

suite("a runtime in its jail", () => {
  const wishes: Readonly<Record<string, NonNullable<RuntimeOptions["jail"]>>> = {
    "what is always on": {},
    "a tripwire": { tripwire: true },
    "no compiler of machine code": { jitless: true },
  };
  for (const [what, jail] of Object.entries(wishes)) {
    test(`with ${what} holds all layers that were planned, requires them, and runs guests`, async (t) => {
      if (openKernel() === undefined) return t.skip(needs);
      const { plan } = openJail(completeConfig({ jail }));
      await using runtime = await createRuntime({ cells: small, jail: { ...jail, require: plan.layers } });
      const health = await runtime.health();
      assert.deepEqual([...health.jail.layers].sort(), [...plan.layers].sort());
      assert.deepEqual(health.jail.missing, plan.missing);
      await using sandbox = await runtime.create({ modules: { main: work }, limits: { timeoutMs: 20_000 } });
      assert.equal(unwrap(await sandbox.call("main.work", { args: [1_000] })), 1_005);
    });
  }

  test("has its children filtered twice, without new privileges and as another user, as the kernel reports", async (t) => {
    if (openKernel() === undefined) return t.skip(needs);
    await using runtime = await createRuntime({ cells: small });
    await using sandbox = await runtime.create({ modules: { main: work } });
    assert.ok((await sandbox.call("main.work", { args: [1] })).ok);
    const { layers } = (await runtime.health()).jail;
    const children = childrenOf(process.pid);
    assert.ok(children.length >= 2, "a cell and a compiler");
    for (const pid of children) {
      const status = readFileSync(`/proc/${pid}/status`, "latin1");
      const field = (name: string): string => new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(status)?.[1] ?? "";
      if (layers.includes("filter")) assert.equal(field("NoNewPrivs"), "1");
      if (layers.includes("seal")) assert.deepEqual([field("Seccomp"), field("Seccomp_filters")], ["2", "2"]);
      if (layers.includes("user")) assert.equal(field("Uid"), "65534");
    }
  });

  test("reports for each layer that is not active why", async () => {
    await using runtime = await createRuntime({ cells: small });
    for (const { layer, why } of (await runtime.health()).jail.missing)
      assert.ok(why.length > 10, `${layer}: ${why}`);
  });
});

test("an escaped guest with a tripwire tries once", async (t) => {
  if (openKernel() === undefined) return t.skip(needs);
  await using setup = await Setup.set();
  await assert.rejects(setup.probe(["filter", "seal", "tripwire"]), /SIGSYS/);
});
