// The modules of a program in the order in which they say most of it.

/** Those first that its parent has not, or has otherwise; then the shorter ones, as what is bred is smaller than what serves it. */
export function tellingModules(
  sources: Readonly<Record<string, string>>,
  parentSources: Readonly<Record<string, string>> | null,
): readonly (readonly [name: string, source: string])[] {
  const isChanged = ([name, source]: readonly [string, string]): boolean =>
    parentSources !== null && parentSources[name] !== source;
  return Object.entries(sources).sort(
    (one, other) => Number(isChanged(other)) - Number(isChanged(one)) || one[1].length - other[1].length,
  );
}
