// `vivarium doctor`: looks at the machine, starts a runtime, has it run something, and says what each of these came to.
import type { Clock, Runtime } from "../../index.ts";
import { asVivariumError } from "../../model/errors.ts";
import { bold, dim, green, red, wrapped, yellow, type Line, type Span } from "../display/lines.ts";
import { millisecondsText } from "../display/units.ts";
import { jailChecks, machineChecks, verdictOf, type Check, type Verdict } from "./checks.ts";
import { checkData } from "./data-check.ts";
import type { MachineFacts } from "./machine.ts";

export interface DoctorReport {
  /** The worst of all. */
  readonly verdict: Verdict;
  readonly checks: readonly Check[];
}

export interface DoctorOptions {
  /** Null where the runtime is on another machine. */
  readonly facts: MachineFacts | null;
  readonly open: () => Promise<Runtime>;
  readonly clock: Clock;
  readonly data: string | undefined;
  /** What there is of servers on this machine. */
  readonly servers: () => Promise<readonly Check[]>;
  /** Where the runtime is, where it is not here. */
  readonly server: string | undefined;
}

const firstRun = "[1, 2, 3].map((n) => n * 2).at(-1)";
/** A cell may take long to start on a machine that is busy. */
const waitMs = 60_000;

export async function examine(options: DoctorOptions): Promise<DoctorReport> {
  const { facts, data, clock, servers } = options;
  const checks = [
    ...(facts === null ? [] : machineChecks(facts)),
    ...(await runtimeChecks(options)),
    ...(await servers()),
    ...(data === undefined ? [] : [checkData(data, clock)]),
  ];
  return { verdict: verdictOf(checks), checks };
}

async function runtimeChecks({ open, clock, facts, server }: DoctorOptions): Promise<readonly Check[]> {
  const startMs = clock.monotonic();
  const name = server === undefined ? "Runtime" : "Server";
  try {
    const runtime = await open();
    const outcome = await runtime.once(firstRun, { signal: AbortSignal.timeout(waitMs) });
    const took = millisecondsText(clock.monotonic() - startMs);
    const health = await runtime.health();
    const at = server === undefined ? "starts and runs a first script" : `${server} runs a first script`;
    const ran: Check = outcome.ok
      ? { name, verdict: "ok", found: `${at} in ${took}` }
      : { name, verdict: "bad", found: `cannot run a script: ${outcome.error.message}` };
    return [ran, ...jailChecks(health, facts)];
  } catch (thrown) {
    const { code, message } = asVivariumError(thrown);
    return [{ name, verdict: "bad", found: `${code}: ${message}` }];
  }
}

const marks: Readonly<Record<Verdict, Span>> = { ok: green("ok  "), warn: yellow("warn"), bad: red("bad ") };
const nameWidth = 19;
const markWidth = 6;
/** With less, what was found stands below its name. */
const widthMin = 60;

const sentences: Readonly<Record<Verdict, string>> = {
  ok: "Everything is there.",
  warn: "Sandboxes run; see the warnings for what would give more.",
  bad: "Something is missing that sandboxes need to run, or to be safe.",
};

/** The report for a person, no line wider than `width`. */
export function doctorLines({ verdict, checks }: DoctorReport, width: number): readonly Line[] {
  const isNarrow = width < widthMin;
  const left = isNarrow ? markWidth : nameWidth + markWidth;
  const room = Math.max(1, Math.min(width, 110) - left);
  const indent = " ".repeat(left);
  const lines = checks.flatMap(({ name, verdict: each, found, advice }): readonly Line[] => {
    const head: Line = [marks[each], "  ", bold(isNarrow ? name : name.padEnd(nameWidth))];
    const [first = "", ...others] = wrapped(found, room);
    return [
      ...(isNarrow ? [head, [indent, first]] : [[...head, first]]),
      ...others.map((line): Line => [indent, line]),
      ...(advice === undefined
        ? []
        : wrapped(`→ ${advice}`, room, "  ").map((line): Line => [indent, dim(line)])),
    ];
  });
  const [sentence = "", ...rest] = wrapped(sentences[verdict], Math.max(1, width - markWidth));
  return [
    ...lines,
    [],
    [marks[verdict], "  ", sentence],
    ...rest.map((line): Line => [" ".repeat(markWidth), line]),
  ];
}
