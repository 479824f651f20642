// Random operations on a sandbox beside a simple model of its versions: both always agree.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { createRuntime, type ReloadReport, type Runtime, type Sandbox } from "../../src/index.ts";
import { FlakyStore } from "../support/flaky-store.ts";
import { ask, failureKind, killCellOf, refusalOf } from "../support/reloading.ts";
import { VersionModel, versionsMax, type ModelChange } from "../support/version-model.ts";

const timeMs = 12_000;
const stepsMin = 100;
const names = ["a", "b", "c"] as const;

/** A sandbox in whatever body it has at the moment. */
class Real {
  readonly runtime: Runtime;
  readonly store: FlakyStore;
  sandbox: Sandbox;
  steps = 0;
  constructor(runtime: Runtime, store: FlakyStore, sandbox: Sandbox) {
    this.runtime = runtime;
    this.store = store;
    this.sandbox = sandbox;
  }
}

type Step = fc.AsyncCommand<VersionModel, Real>;

const sourceOf = (module: string, variant: number): string =>
  `// ${variant}\nexport const tag = () => "${module}${variant}";`;

// What is compared after each step: everything that can be asked.
async function compare(model: VersionModel, { sandbox }: Real): Promise<void> {
  const info = await sandbox.info();
  assert.equal(info.revision, model.revision);
  assert.deepEqual(
    new Map(Object.entries(info.modules).map(([name, { version }]) => [name, version])),
    new Map(model.heads),
  );
  for (const module of model.modules) {
    const history = await sandbox.history(module);
    assert.deepEqual(
      history.map(({ version, parent }) => ({ version, parent })),
      model.kept(module).map(({ version, parent }) => ({ version, parent })),
    );
    const source = model.currentSource(module);
    if (source === undefined) {
      assert.equal(await failureKind(sandbox, `${module}.tag`), "not-found");
      continue;
    }
    assert.equal(await sandbox.source(module), source);
    assert.ok(source.includes(`"${await ask<string>(sandbox, `${module}.tag`)}"`), source);
  }
}

function step(
  text: string,
  act: (model: VersionModel, real: Real) => Promise<void>,
  isPossible: (model: VersionModel) => boolean = () => true,
): Step {
  return {
    check: isPossible,
    toString: () => text,
    run: async (model, real) => {
      real.steps++;
      await act(model, real);
      await compare(model, real);
    },
  };
}

// Applies the changes of the sandbox to the model, and returns whether there were any.
function take(model: VersionModel, changes: ReadonlyMap<string, ModelChange>, report: ReloadReport): void {
  assert.equal(report.status, model.change(changes) ? "reloaded" : "unchanged");
  assert.equal(report.revision, model.revision);
}

const variants = fc.dictionary(fc.constantFrom(...names), fc.option(fc.nat(7), { freq: 5 }), {
  minKeys: 1,
  noNullPrototype: true,
});

const toModules = (changes: Record<string, number | null>): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(changes).map(([name, variant]) => [
      name,
      variant === null ? null : sourceOf(name, variant),
    ]),
  );

const reloading = variants.map((changes) =>
  step(`reload ${JSON.stringify(changes)}`, async (model, { sandbox }) => {
    const modules = toModules(changes);
    take(model, new Map(Object.entries(modules)), await sandbox.hotReload(modules));
  }),
);

const faults = ["parse", "link", "engine", "throw", "reject", "verify", "store"] as const;
const faulty: Partial<Record<(typeof faults)[number], string>> = {
  parse: "const = ;",
  link: 'import "./nowhere";',
  engine: "export const r = /[b-a]/;",
  throw: "throw new Error('top');",
  reject: "await Promise.reject(new Error('late'));",
};
let fresh = 0;

// A module that is always new, so that there is something to fail at, beside whatever else changes.
const failing = fc.tuple(fc.constantFrom(...faults), variants).map(([fault, changes]) =>
  step(`fail at ${fault} ${JSON.stringify(changes)}`, async (_, { sandbox, store }) => {
    const modules = { ...toModules(changes), fresh: `// ${++fresh}\n${faulty[fault] ?? ""}` };
    if (fault === "store") {
      store.beforeNextSave = () => {
        throw new TypeError("disk full");
      };
    }
    await refusalOf(sandbox.hotReload(modules, fault === "verify" ? { verify: () => false } : {}));
    await refusalOf(sandbox.version("fresh"), "VERSION_NOT_FOUND");
  }),
);

const rollingBack = fc
  .tuple(fc.constantFrom(...names), fc.integer({ min: 0, max: 9 }))
  .map(([module, version]) =>
    step(`rollback ${module} ${version}`, async (model, { sandbox }) => {
      const isThere = model.heads.has(module) && model.has(module, version);
      if (!isThere) return void (await refusalOf(sandbox.rollback(module, version), "VERSION_NOT_FOUND"));
      take(model, new Map([[module, version]]), await sandbox.rollback(module, version));
    }),
  );

const rollingBackTo = fc.integer({ min: 0, max: 25 }).map((revision) =>
  step(`rollbackTo ${revision}`, async (model, { sandbox }) => {
    const changes = model.changesTo(revision);
    if (changes === undefined)
      return void (await refusalOf(sandbox.rollbackTo(revision), "VERSION_NOT_FOUND"));
    take(model, changes, await sandbox.rollbackTo(revision));
  }),
);

const restarting = fc.constant(step("restart", (_, { sandbox }) => sandbox.restart()));

const killing = fc.constant(
  step("kill the cell", async (model, { sandbox, runtime }) => {
    const [known] = model.heads.keys();
    if (known !== undefined) await ask(sandbox, `${known}.tag`);
    if ((await sandbox.info()).cell !== null) await killCellOf(runtime, sandbox);
  }),
);

const killingWhileReloading = variants.map((changes) =>
  step(`kill the cell in the middle of ${JSON.stringify(changes)}`, async (model, { sandbox, runtime }) => {
    const modules = toModules(changes);
    // The verified isolate was lost with the cell: the code is evaluated and verified once more.
    let verifications = 0;
    const verify = async (): Promise<boolean> => {
      if (++verifications === 1) await killCellOf(runtime, sandbox);
      return true;
    };
    take(model, new Map(Object.entries(modules)), await sandbox.hotReload(modules, { verify }));
  }),
);

const travelling = fc.constant(
  step(
    "export, destroy and import",
    async (_, real) => {
      const individual = JSON.parse(JSON.stringify(await real.sandbox.export())) as never;
      await real.sandbox.destroy();
      real.sandbox = await real.runtime.import(individual);
    },
    (model) => model.modules.length > 0,
  ),
);

test("no sequence of reloads, failures, rollbacks, restarts and kills parts the versions from their model", async () => {
  const store = new FlakyStore();
  await using runtime = await createRuntime({ store, versionsMax, cells: { count: 1, spare: 2, warm: 4 } });
  const steps = fc.commands(
    [
      ...[reloading, reloading, reloading, failing, failing],
      ...[rollingBack, rollingBack, rollingBackTo, rollingBackTo],
      ...[restarting, killing, killingWhileReloading, travelling],
    ],
    { maxCommands: 30, size: "max" },
  );
  const tally = { lives: 0, steps: 0 };
  const property = fc.asyncProperty(steps, async (commands) => {
    const sandbox = await runtime.create({ modules: { a: sourceOf("a", 0), b: sourceOf("b", 0) } });
    const real = new Real(runtime, store, sandbox);
    const model = new VersionModel();
    model.change(
      new Map([
        ["a", sourceOf("a", 0)],
        ["b", sourceOf("b", 0)],
      ]),
    );
    try {
      await fc.asyncModelRun(() => ({ model, real }), commands);
    } finally {
      tally.lives++;
      tally.steps += real.steps;
      await real.sandbox.destroy().catch(() => {});
    }
  });
  const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
  console.log(`seed ${seed} (SEED=${seed} repeats it)`);
  // For as long as that is, and on a slow machine until enough was tried. One life at a time, so that none is interrupted.
  const endMs = performance.now() + timeMs;
  for (let life = 0; tally.steps < stepsMin || performance.now() < endMs; life++)
    await fc.assert(property, { seed: seed + life, numRuns: 1 });
  console.log(`${tally.lives} lives, ${tally.steps} steps`);
});
