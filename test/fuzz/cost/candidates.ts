// One point of the search: what is handed over, how it is built, and its two sizes. Drawn from dice, or varied from
// another candidate.
import type { Dice } from "../dice.ts";
import { containers, fragments, items, prelude } from "./shapes.ts";

/** How something of a guest's, or of a tenant's, reaches the host. */
export const channels = [
  "result",
  "argument",
  "error",
  "log",
  "logs",
  "state",
  "source",
  "edit",
  "names",
  "id",
  "labels",
] as const;
export type Channel = (typeof channels)[number];

export interface Candidate {
  readonly channel: Channel;
  readonly container: string;
  readonly item: string;
  /** How many items. */
  readonly n: number;
  /** A size inside each item. */
  readonly k: number;
}

const nMax = 2 ** 20;
const kMax = 60;

/** Whether it hands over a text of source, and no value. */
export const isText = ({ channel }: Candidate): boolean => channel === "source" || channel === "edit";

/** An expression for the candidate's value. */
export const expressionOf = ({ container, item, n, k }: Candidate): string =>
  `((n, k) => { ${prelude} return ${(containers[container] as (item: string) => string)(items[item] as string)}; })(${n}, ${k})`;

/** The candidate's source text, within the default limit on sources. */
export function textOf({ item, n }: Candidate, suffix: string = ""): string {
  const fragment = fragments[item] as string;
  const count = Math.min(n, Math.floor((2 ** 20 - 100) / (fragment.length + 6)));
  return Array.from({ length: count }, (_, i) => fragment.replaceAll("@", String(i)) + suffix).join("");
}

export const nameOf = ({ channel, container, item }: Candidate): string =>
  channel === "source" || channel === "edit" ? `${channel}: ${item}` : `${channel}: ${container} ${item}`;

export function drawn(dice: Dice): Candidate {
  const channel = dice.pick(dice.chance(0.5) ? (["result", "argument"] as const) : channels);
  return within({
    channel,
    container: dice.pick(Object.keys(containers)),
    item: dice.pick(Object.keys(channel === "source" || channel === "edit" ? fragments : items)),
    n: 2 ** (4 + dice.below(15)),
    k: dice.below(kMax),
  });
}

/** A neighbour: another size, another item, another container or another channel. */
export function varied(candidate: Candidate, dice: Dice): Candidate {
  const other = drawn(dice);
  const changes: readonly (() => Candidate)[] = [
    () => ({ ...candidate, n: candidate.n * 2 }),
    () => ({ ...candidate, n: Math.ceil(candidate.n * (0.5 + dice.below(100) / 100)) }),
    () => ({ ...candidate, n: Math.ceil(candidate.n / 3) }),
    () => ({ ...candidate, k: dice.below(kMax) }),
    () => ({ ...candidate, k: candidate.k * 2, n: Math.ceil(candidate.n / 2) }),
    () => ({ ...candidate, container: other.container }),
    () => (isText(candidate) === isText(other) ? { ...candidate, item: other.item } : candidate),
    () => (isText(candidate) === isText(other) ? { ...candidate, channel: other.channel } : candidate),
  ];
  return within(dice.pick(changes)());
}

const within = (candidate: Candidate): Candidate => ({
  ...candidate,
  n: Math.max(1, Math.min(nMax, candidate.n)),
  k: Math.max(0, Math.min(4_000, candidate.k)),
});
