// Where options live: so that one that stands in the wrong place, or is misspelt, is answered with its right place or name.

/** The options that may stand somewhere, and for those that are objects themselves the names inside. */
export interface KnownNames {
  readonly names: readonly string[];
  readonly inner?: ReadonlyMap<string, readonly string[]> | undefined;
}

const placesShownMax = 3;
/** Longer names are no misspelling of ours. */
const lengthMax = 40;
const editsMax = 2;

/** What is bounded in time takes one of these: a run the first, all else that waits the second. */
const bounds: readonly string[] = ["timeoutMs", "deadlineMs"];

/** What a sandbox's code is called elsewhere. */
const codeNames: readonly string[] = ["source", "sources", "code"];
/** Of a sandbox's limits, those that a single run takes too. */
const runLimits: readonly string[] = ["timeoutMs", "cpuMs", "fuel"];

/** What takes an option, by the option's name. Tables enter themselves when they are made, so that none is left out. */
const places = new Map<string, string[]>();

/** Notes that `taker`, a method, has these options. */
export function notePlaces(taker: string, { names, inner }: KnownNames): void {
  for (const name of names) note(name, taker);
  for (const [group, members] of inner ?? []) for (const name of members) note(name, `${group} of ${taker}`);
}

function note(name: string, place: string): void {
  const known = places.get(name) ?? [];
  if (!known.includes(place)) known.push(place);
  places.set(name, known);
}

/** Continues "Cannot use option … as": what to do about a name that is not known here; undefined where nothing is near. */
export function hintFor(name: string, { names, inner }: KnownNames): string | undefined {
  for (const [group, members] of inner ?? [])
    if (members.includes(name)) return `it must stand in ${group}: write { ${group}: { ${name}: … } }`;
  if (codeNames.includes(name) && names.includes("modules"))
    return "its name must be modules: write { modules: { main: … } }";
  const bound = bounds.includes(name) ? bounds.find((other) => names.includes(other)) : undefined;
  if (bound !== undefined) return `its name must be ${bound} here: write { ${bound}: … }`;
  const near = nearest(name, names);
  if (near !== undefined && isNear(name, near, 1)) return unknown(near);
  const elsewhere = places.get(name);
  if (elsewhere !== undefined) {
    const own = name === "limits" ? runLimits.filter((limit) => names.includes(limit)) : [];
    const why =
      own.length === 0 ? "it is not known here" : `a single run takes { ${own.join(", ")} } directly`;
    return `it must be given to ${listed(elsewhere)}: ${why}`;
  }
  if (near !== undefined) return unknown(near);
  for (const [group, members] of inner ?? []) {
    const member = nearest(name, members);
    if (member !== undefined) return unknown(`${group}.${member}`);
  }
  return undefined;
}

function unknown(near: string): string {
  return `its name must be a known one: did you mean ${near}?`;
}

function listed(places: readonly string[]): string {
  const shown = places.slice(0, placesShownMax);
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} or ${last}`;
}

/** The known name that a misspelt one was probably meant to be. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  if (name.length > lengthMax) return undefined;
  let best: string | undefined;
  let fewest = editsMax + 1;
  for (const known of names) {
    const edits = editsBetween(name.toLowerCase(), known.toLowerCase());
    // A unit that was left out, as in timeout for timeoutMs.
    const isStart = name.length >= 3 && known.startsWith(name);
    const count = isStart ? Math.min(edits, 1) : edits * 3 > known.length + 1 ? Infinity : edits;
    if (count < fewest) [best, fewest] = [known, count];
  }
  return best;
}

function isNear(name: string, known: string, editsAllowed: number): boolean {
  return known.startsWith(name) || editsBetween(name.toLowerCase(), known.toLowerCase()) <= editsAllowed;
}

// How many letters have to be put in, left out or replaced.
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const [above = 0, diagonal = 0, left = 0] = [row[j], row[j - 1], next[j - 1]];
      next.push(Math.min(above + 1, left + 1, diagonal + (one[i - 1] === other[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
