// Copies of programs that are tried on the cases by which the result is chosen.
import type { Individual, Scored } from "./breeding.ts";

const choicePrefix = "choice-";

/** Whether it is such a copy. */
export function isChoice(id: string): boolean {
  return id.startsWith(choicePrefix);
}

/** The same program once more, for other cases. */
export function choiceOf(individual: Scored): Individual {
  const { id } = individual;
  return { ...individual, id: `${choicePrefix}${id}`, parentIds: [id], mutation: "the same, on other cases" };
}
