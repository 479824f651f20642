// Makes a failing run smaller: leaves out what is not needed for the same rule to be broken.
import type { Plan } from "./plan.ts";
import { simulate } from "./simulate.ts";

const attemptsMax = 400;

/** The smallest plan found that breaks the rule as the given one does. */
export async function shrink(
  plan: Plan,
  { rule, ignored }: { readonly rule: string; readonly ignored: readonly string[] },
): Promise<Plan> {
  let smallest = plan;
  let attempts = 0;
  const stillFails = async (candidate: Plan): Promise<boolean> => {
    if (attempts++ >= attemptsMax) return false;
    const { violations } = await simulate(candidate, { ignored });
    return violations[0]?.rule === rule;
  };
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const candidate of smallerThan(smallest)) {
      if (!(await stillFails(candidate))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

function* smallerThan(plan: Plan): Generator<Plan> {
  const { troubles, operations, callers, steps, skipped } = plan;
  if (callers > 1) yield { ...plan, callers: callers - 1 };
  if (steps > 2) yield { ...plan, steps: Math.floor(steps / 2) };
  for (const name of troubles) yield { ...plan, troubles: troubles.filter((other) => other !== name) };
  for (const name of operations) yield { ...plan, operations: operations.filter((other) => other !== name) };
  if (steps > 1) yield { ...plan, steps: steps - 1 };
  for (let caller = 0; caller < callers; caller++)
    for (let step = 0; step < steps; step++) {
      const name = `${caller}.${step}`;
      if (!skipped.includes(name)) yield { ...plan, skipped: [...skipped, name] };
    }
}
