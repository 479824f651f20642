// What failed and why, in a few lines each, to be repeated where a long run ends.

/** What is told of a test that failed. */
export interface Failed {
  readonly name: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly details: { readonly error: Error };
}

const linesMax = 12;

/** A suite that failed says nothing beside its tests, but that one of them did. */
export function describeFailure({ name, file, line, details }: Failed, root: string): string {
  const place = file === undefined ? "" : ` (${file.replace(root, "")}:${line ?? 0})`;
  const { cause = details.error } = details.error;
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  const lines = text.split("\n").slice(0, linesMax);
  return [`✖ ${name}${place}`, ...lines.map((words) => `    ${words}`)].join("\n");
}
