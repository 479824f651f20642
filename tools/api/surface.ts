// What one entry of the package offers: its exports, what their signatures use, and what of that is out of a user's reach.
import { readModule, type Declaration, type Module, type Place, type Use } from "./modules.ts";

/** A declaration, and under which name it is seen. */
export interface Named {
  readonly name: string;
  readonly declaration: Declaration;
  readonly key: string;
  /** A class or a constant of which only the type is exported. */
  readonly isTypeOnly: boolean;
}

export interface Surface {
  /** As users import it: `vivarium/testing`. */
  readonly entry: string;
  readonly exports: readonly Named[];
  /** Used by a signature of this entry and exported by another one. */
  readonly elsewhere: readonly { readonly name: string; readonly entry: string }[];
  /** Used by a signature of this entry, at whatever remove, and exported by none. */
  readonly hidden: readonly Named[];
}

const modules = new Map<string, Module>();

/** What each entry offers, given the file of declarations of each. */
export function surfacesOf(files: ReadonlyMap<string, string>): readonly Surface[] {
  const offers = [...files].map(([entry, file]) => ({
    entry,
    exports: [...exportsOf(file)].map(([name, { place, isTypeOnly }]) => named(name, place, isTypeOnly)),
  }));
  return offers.map(({ entry, exports }) => {
    const own = new Set(exports.map(({ key }) => key));
    const owners = new Map(
      offers.flatMap((offer) => offer.exports.map(({ key }) => [key, offer.entry] as const)),
    );
    const isForeign = ({ key }: Named): boolean => owners.has(key) && !own.has(key);
    const reached = sorted([...reachedFrom(exports, isForeign).values()]);
    return {
      entry,
      exports: sorted(exports),
      elsewhere: reached.filter(isForeign).map(({ name, key }) => ({ name, entry: owners.get(key) ?? "" })),
      hidden: reached.filter(({ key }) => !owners.has(key)),
    };
  });
}

/** Exported types that are in no signature of anything that can be called, built or read at run time, in any entry. */
export function unusedIn(surfaces: readonly Surface[]): ReadonlyMap<string, readonly string[]> {
  const values = surfaces.flatMap(({ exports }) =>
    exports.filter(({ declaration, isTypeOnly }) => declaration.isValue && !isTypeOnly),
  );
  const used = reachedFrom(values);
  return new Map(
    surfaces.map(({ entry, exports }) => [
      entry,
      exports.filter(({ key }) => !used.has(key)).map(({ name }) => name),
    ]),
  );
}

function exportsOf(
  file: string,
): ReadonlyMap<string, { readonly place: Place; readonly isTypeOnly: boolean }> {
  const { exported, starred } = moduleOf(file);
  const found = new Map<string, { place: Place; isTypeOnly: boolean }>();
  for (const star of starred)
    for (const [name, { place, isTypeOnly }] of exportsOf(star.file))
      found.set(name, { place, isTypeOnly: isTypeOnly || star.isTypeOnly });
  for (const [name, { place, isTypeOnly }] of exported) {
    const origin = originOf(place);
    if (origin !== undefined) found.set(name, { place: origin, isTypeOnly });
  }
  return found;
}

/** Where a name is declared, through however many files it is passed on; undefined when it is of a package. */
function originOf({ file, name }: Place): Place | undefined {
  const { declared, imported, exported, starred } = moduleOf(file);
  if (declared.has(name)) return { file, name };
  const next = imported.get(name) ?? exported.get(name)?.place;
  if (next !== undefined) return originOf(next);
  return starred.map((star) => originOf({ file: star.file, name })).find((place) => place !== undefined);
}

function reachedFrom(
  roots: readonly Named[],
  isEnd: (each: Named) => boolean = () => false,
): ReadonlyMap<string, Named> {
  const reached = new Map<string, Named>();
  const waiting = [...roots];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (reached.has(next.key)) continue;
    reached.set(next.key, next);
    if (!isEnd(next)) waiting.push(...usedBy(next));
  }
  return reached;
}

function usedBy({ key, declaration }: Named): readonly Named[] {
  const [file = ""] = key.split("#");
  return declaration.uses.flatMap((use: Use) => {
    const origin = originOf(typeof use === "string" ? { file, name: use } : use);
    return origin === undefined ? [] : [named(origin.name, origin, false)];
  });
}

function named(name: string, place: Place, isTypeOnly: boolean): Named {
  const declaration = moduleOf(place.file).declared.get(place.name);
  if (declaration === undefined)
    throw new Error(`Cannot report ${name} as ${place.file} must declare ${place.name}`);
  return { name, declaration, key: `${place.file}#${place.name}`, isTypeOnly };
}

function moduleOf(file: string): Module {
  const known = modules.get(file) ?? readModule(file);
  modules.set(file, known);
  return known;
}

function sorted(list: readonly Named[]): readonly Named[] {
  const textOf = ({ name, declaration }: Named): string => `${name} ${declaration.texts.join(" ")}`;
  return list.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
}
