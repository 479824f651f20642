// What the jail costs: the same cells with it and without.
import { completeConfig, type Config } from "../../src/api/options/config.ts";
import { assemble, launcherFor, openJail, type Guards } from "../../src/api/wiring/create-runtime.ts";
import type { CellLauncher } from "../../src/execution/cell.ts";
import { Watchdog } from "../../src/execution/enforcement/watchdog.ts";
import { unjailedCellLaunch } from "../../src/execution/cell-launch.ts";
import { systemClock } from "../../src/std/clock.ts";
import { ours, type Row } from "../row.ts";
import { callTimes, double, doubling } from "../subject.ts";
import { timesAtMost } from "../target.ts";

const unjailed = "without the jail";
const warmUpCalls = 10_000;
const callsPerRound = 500;

const bare = unjailedCellLaunch(systemClock);

interface Setting {
  readonly config: Config;
  readonly guards: Guards;
  readonly launch: CellLauncher;
}

function settingFor(isJailed: boolean): Setting {
  const config = completeConfig({ cells: { count: 1, spare: 0 } });
  const guards = { jail: openJail(config), watchdog: new Watchdog() };
  const launch = launcherFor(config, guards, isJailed ? undefined : { launch: bare });
  return { config, guards, launch };
}

// From the request to start a cell until its first message.
async function startTime(launch: CellLauncher): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const startedMs = performance.now();
  const cell = await launch(0, { onReport: () => {}, onDeath: () => resolve() });
  const ms = performance.now() - startedMs;
  cell.kill("unwanted");
  await promise;
  return ms;
}

export const jailRows: readonly Row[] = [
  {
    name: "cell start, in the jail",
    about:
      "a cell process from the request to start it until its first message, with all layers of the jail and without",
    unit: "ms",
    rounds: 15,
    isOwn: true,
    targets: [timesAtMost("aim", 1.15, unjailed)],
    async prepare(stack) {
      const [jailed, plain] = [settingFor(true), settingFor(false)];
      // Without a runtime, nothing of ours keeps the process running.
      const awake = setInterval(() => {}, 1_000);
      stack.defer(() => clearInterval(awake));
      for (const { guards } of [jailed, plain]) {
        stack.defer(() => guards.jail.close());
        stack.defer(() => guards.watchdog.close());
      }
      for (const { launch } of [jailed, plain]) await startTime(launch);
      return [
        { name: ours, sample: () => startTime(jailed.launch) },
        { name: unjailed, sample: () => startTime(plain.launch) },
      ];
    },
  },
  {
    name: "call, in the jail",
    about: "one tiny call awaited before the next, with all layers of the jail and without",
    unit: "µs",
    rounds: 15,
    isOwn: true,
    targets: [timesAtMost("aim", 1.1, unjailed)],
    async prepare(stack) {
      const sandboxes = [];
      for (const { config, guards, launch } of [settingFor(true), settingFor(false)]) {
        const runtime = stack.use(await assemble(config, { ...guards, launch }));
        const sandbox = await runtime.create({ modules: { main: doubling } });
        await callTimes(warmUpCalls, () => double(sandbox));
        sandboxes.push(() => callTimes(callsPerRound, () => double(sandbox)));
      }
      const [jailed, plain] = sandboxes as [
        () => Promise<readonly number[]>,
        () => Promise<readonly number[]>,
      ];
      return [
        { name: ours, sample: jailed },
        { name: unjailed, sample: plain },
      ];
    },
  },
];
