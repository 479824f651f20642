// Numbers of versions and lines as they stand in the address.

/** Null where there is none, or none that makes sense. */
export function readVersion(text: string | undefined): number | null {
  const number = Number(text);
  return text !== undefined && Number.isSafeInteger(number) && number >= 1 ? number : null;
}

/** The module that is shown first: that of the usual name, where there is one. */
export function mainOf(names: readonly string[]): string | null {
  return names.includes("main") ? "main" : (names[0] ?? null);
}
