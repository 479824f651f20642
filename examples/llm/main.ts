// A language model writes the variants, Vivarium evaluates them. Needs a build, and a server given by the environment.
import { createRuntime } from "vivarium";
import { evolve, type Failed, type Round } from "./evolution.ts";
import { Model, UselessServer } from "./model.ts";
import { help, Mistake, readSettings, type Settings } from "./settings.ts";

const failedCode = 1;
const mistakeCode = 2;
const interruptedCode = 130;

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const settings = readSettings(process.argv.slice(2), process.env);
    if (settings !== undefined) return await run(settings);
    console.log(help);
    return 0;
  } catch (error) {
    if (error instanceof Mistake) return complain(`${error.message}\nTry --help.`, mistakeCode);
    if (error instanceof UselessServer) return complain(error.message, failedCode);
    throw error;
  }
}

async function run(settings: Settings): Promise<number> {
  const interruption = new AbortController();
  process.once("SIGINT", () => interruption.abort());
  const { signal } = interruption;
  await using runtime = await createRuntime({ cells: { count: 1, spare: 1, warm: settings.parallel } });
  const model = new Model(settings, signal);
  const rounds: Round[] = [];
  for await (const round of evolve(runtime, { ...settings, model, signal })) {
    rounds.push(round);
    console.error(roundLine(round));
  }
  console.log(summary(rounds, model.requests));
  if (signal.aborted) return interruptedCode;
  const [seed, best] = [rounds[0]?.population[0], rounds.at(-1)?.population[0]];
  return seed !== undefined && best !== undefined && best.score < seed.score ? 0 : failedCode;
}

function roundLine({ number, population, scored, failures }: Round): string {
  const best = population[0]?.score.toFixed(2) ?? "none";
  return `round ${number}  best ${best} %  scored ${scored}  failed ${failures.length}`;
}

function summary(rounds: readonly Round[], requests: number): string {
  const failures = countsOf(rounds.flatMap((round) => round.failures));
  const scored = rounds.slice(1).reduce((sum, round) => sum + round.scored, 0);
  const [seed, best] = [rounds[0]?.population[0], rounds.at(-1)?.population[0]];
  return [
    `Best program: ${best?.score.toFixed(2)} % more bins than the least possible, ${seed?.score.toFixed(2)} % at first`,
    "",
    best?.source ?? "none",
    "",
    `Requests  ${requests}`,
    `Scored    ${scored}`,
    `Failed    ${failures === "" ? "none" : failures}`,
  ].join("\n");
}

function countsOf(failures: readonly Failed[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of failures) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${kind} ${count}`).join(" · ");
}

function complain(text: string, code: number): number {
  console.error(text);
  return code;
}
