// The islands of a generation as populations of the tracker, so that whoever looks at the run sees who lived where.
import type { Tracker } from "vivarium/evolution";
import { islandOf, type Generation, type Individual } from "./breeding.ts";

const nameOf = (island: number): string => `island ${island + 1}`;

/** Those that were just born are members of their island at once, while their generation is still tried. */
export function joinIslands({ populations }: Tracker, individuals: readonly Individual[]): void {
  for (const [at, born] of Map.groupBy(individuals, islandOf)) {
    const name = nameOf(at);
    const [{ generation } = { generation: 0 }] = born;
    if (!populations.ids().includes(name)) populations.register(name, [], { generation });
    populations.add(
      name,
      born.map(({ id }) => id),
    );
  }
}

/** The members of an island are its best, those that came from another one, and all that were bred there just now. */
export function recordIslands(
  { populations }: Tracker,
  { number, islands }: Generation,
  bred: readonly string[],
): void {
  const natives = islands.map((_, at) => bred.filter((id) => islandOf({ id }) === at));
  for (const [at, island] of islands.entries()) {
    const name = nameOf(at);
    const members = new Set([...island.map(({ id }) => id), ...(natives[at] ?? [])]);
    const known = populations.ids().includes(name) ? populations.retained(name)[0]?.generation : undefined;
    if (known === number - 1) populations.advance(name, members);
    else {
      // A generation that was interrupted, and is there again.
      if (known !== undefined) populations.drop(name);
      populations.register(name, members, { generation: number });
    }
  }
  // Who migrated is a member of both. It is told as one of the island that it was bred on, so that its children elsewhere show
  // where it went.
  for (const at of islands.keys()) {
    const own = islands.flatMap((island) => island.filter((one) => islandOf(one) === at).map(({ id }) => id));
    const here = new Set(populations.members(nameOf(at)));
    populations.add(
      nameOf(at),
      own.filter((id) => here.has(id)),
    );
  }
}
