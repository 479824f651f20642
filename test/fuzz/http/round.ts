// One round: several callers at once, each with one request after the other, on the same few ids; then all is cleared away.
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { settled } from "../../support/waiting.ts";
import { Dice } from "../dice.ts";
import { preludeOf } from "./preludes.ts";
import { planBy, type Plan } from "./requests.ts";
import { isAnswered, send, type Answered } from "./sending.ts";
import { shortest, shown } from "./shrinking.ts";
import { judge, judgeTwins } from "./verdicts.ts";
import { callers, type Who } from "./words.ts";
import type { World } from "./world.ts";

const actors: readonly Who[] = ["admin", "admin", "red", "red", "blue", "evaluator", "reader"];
const stepsMax = 12;
/** Nothing that a request asks for takes so long. */
const answerMs = 60_000;
const patienceMs = 500;

/** How many answers there were, by class of status; those given up before an answer are `none`. */
export type Counts = Record<string, number>;

/** One round with a seed of its own. Fails with the seed and the shortest request that shows what is wrong. */
export async function round(world: World, seed: number, counts: Counts): Promise<void> {
  const dice = new Dice(seed);
  const history: string[] = [];
  const acting = { world, dice, history, counts };
  const chosen = [dice.pick(actors), ...dice.many(3, () => dice.pick(actors))];
  if (dice.chance(0.3)) chosen.push(dice.pick(callers));
  try {
    const owners = (["admin", "red", "blue"] as const).filter(() => dice.chance(0.8));
    await Promise.all(
      owners.map(async (who) => {
        for (const plan of preludeOf(who, dice)) await ask(acting, plan, 1);
      }),
    );
    await Promise.all(
      chosen.map((who, index) => steps({ ...acting, dice: new Dice(seed * 31 + index) }, who)),
    );
    await world.clear();
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    const message = `with seed ${seed}: ${told}\nrequests of the round:\n${history.join("\n")}`;
    throw new assert.AssertionError({ message });
  }
}

interface Acting {
  readonly world: World;
  readonly dice: Dice;
  readonly history: string[];
  readonly counts: Counts;
}

async function steps(acting: Acting, who: Who): Promise<void> {
  const { world, dice } = acting;
  const count = 3 + dice.below(stepsMax);
  for (let step = 0; step < count; step++) {
    const plan = planBy(dice, world.known(who));
    // The same at once from several connections, in part of the cases.
    await ask(acting, plan, dice.chance(0.1) ? 2 + dice.below(3) : 1);
  }
}

async function ask({ world, dice, history, counts }: Acting, plan: Plan, width: number): Promise<void> {
  const sent: Promise<Answered | undefined>[] = [];
  for (let at = 0; at < width; at++) {
    history.push(shown(plan, 200));
    sent.push(asked(world, plan));
    if (width > 1 && dice.chance(0.5)) await turn();
  }
  const answers = await Promise.all(sent);
  judgeTwins(plan, answers.filter(isAnswered));
  for (const answer of answers) {
    const name = answer === undefined ? "none" : `${Math.floor(answer.status / 100)}xx`;
    counts[name] = (counts[name] ?? 0) + 1;
    if (answer === undefined) continue;
    const wrong = mistakeIn(plan, answer);
    if (wrong !== undefined) await fail(world, plan, wrong);
    world.learn(plan, answer);
  }
}

async function asked(world: World, plan: Plan): Promise<Answered | undefined> {
  const giveUp = new AbortController();
  // Runs wait for as long as their sandbox is suspended: for those nobody has patience.
  const look = setInterval(() => void world.isAnySuspended().then((is) => is && giveUp.abort()), patienceMs);
  try {
    const end = await settled(shown(plan, 200), send(plan, world, giveUp), answerMs);
    if (end.status === "rejected") return assert.fail(`${shown(plan, 200)}: ${String(end.reason)}`);
    return end.value;
  } finally {
    clearInterval(look);
  }
}

function mistakeIn(plan: Plan, answer: Answered): string | undefined {
  try {
    judge(plan, answer);
    return undefined;
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n${answer.text.slice(0, 1_000)}`;
  }
}

async function fail(world: World, plan: Plan, wrong: string): Promise<never> {
  const signature = wrong.slice(0, 40);
  const fails = async (shorter: Plan): Promise<boolean> => {
    const answer = await send(shorter, world, new AbortController()).catch(() => undefined);
    return answer !== undefined && mistakeIn(shorter, answer)?.slice(0, 40) === signature;
  };
  const least = await shortest(plan, fails);
  return assert.fail(`${wrong}\nshortest request: ${shown(least, 5_000)}`);
}
